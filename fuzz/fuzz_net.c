/* Any bytes are refused in a sentence, or are an ensemble that is written and read back the same.
 */
#include "experior/net.h"

#undef NDEBUG
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t hot = 0; hot < 2; hot++) {
        xp_net_options options = xp_net_options_default(0, 0, hot);
        options.members = options.hidden = 0;
        options.rows = 1;
        xp_error error = {XP_OK, ""};
        xp_net *net, *copy;
        const xp_status read = xp_net_parse(data, size, "input", &options, &net, &error);
        assert((read == XP_OK) == (net != NULL) && read == error.status);
        assert(read == XP_OK || error.message[0] != '\0');
        if (read != XP_OK) {
            continue;
        }
        void *first, *second;
        size_t first_bytes, second_bytes;
        assert(xp_net_to_bytes(net, &first, &first_bytes, NULL) == XP_OK);
        assert(xp_net_parse(first, first_bytes, "copy", &options, &copy, NULL) == XP_OK);
        assert(xp_net_to_bytes(copy, &second, &second_bytes, NULL) == XP_OK);
        assert(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
        xp_release(first);
        xp_release(second);
        xp_net_destroy(net);
        xp_net_destroy(copy);
    }
    return 0;
}
