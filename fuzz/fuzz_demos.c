/* Any bytes are refused in a sentence, or can be read, written and read back. */
#include "demos/demos_type.h"

#undef NDEBUG
#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    xp_error error = {XP_OK, ""};
    xp_demos *demos, *again;
    const xp_status read = xp_demos_parse((const char *)data, size, "input", &demos, &error);
    assert((read == XP_OK) == (demos != NULL) && read == error.status);
    for (int format = XP_DEMOS_CSV; read == XP_OK && format <= XP_DEMOS_JSONL; format++) {
        char *text;
        size_t bytes;
        FILE *stream = open_memstream(&text, &bytes);
        const bool small = format == XP_DEMOS_JSONL || demos->steps < 1000;
        if (small && xp__demos_write(demos, stream, (xp_demos_format)format, NULL) == XP_OK) {
            (void)fflush(stream);
            assert(xp_demos_parse(text, bytes, "saved", &again, NULL) == XP_OK);
            assert(xp__demos_equal(demos, again) && again->actions <= demos->actions);
            xp_demos_destroy(again);
        }
        (void)fclose(stream);
        free(text);
    }
    return xp_demos_destroy(demos), 0;
}
