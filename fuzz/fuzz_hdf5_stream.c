/* Any bytes in place of what experior-hdf5 sends are refused, or are demonstrations. */
#include "demos/demos_type.h"

#undef NDEBUG
#include <assert.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int ends[2];
    if (size > 1 << 15) { /* a pipe holds twice as much */
        return 0;
    }
    assert(pipe(ends) == 0 && write(ends[1], data, size) == (ssize_t)size && close(ends[1]) == 0);
    xp_error error = {XP_OK, ""};
    xp_demos *demos;
    bool broken;
    const xp_status read =
        xp__demos_read_hdf5(ends[0], "input", NULL, 1 << 20, &demos, &broken, &error);
    assert((read == XP_OK) == (demos != NULL) && (broken || read == error.status));
    (void)close(ends[0]);
    return xp_demos_destroy(demos), 0;
}
