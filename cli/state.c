/* state.c: see state.h. */
#include "state.h"

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int cli_state_open(const cli_arguments *arguments, const xp_model *model,
                   const xp_decisions_options *options, xp_decisions **state) {
    xp_error error;
    const xp_status status =
        xp_decisions_open(cli_text(arguments, "state"), model, options, state, &error);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

double cli_now(void) {
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0
               ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
               : 0;
}

bool cli_fresh_seed(uint64_t *seed) {
    if (getrandom(seed, sizeof *seed, 0) != sizeof *seed) {
        cli_complain("the system has no random numbers for a fresh seed; give one with --seed");
        return false;
    }
    *seed >>= 11;
    return true;
}

int cli_read(const char *path, char **text, size_t *bytes) {
    enum { MOST = 1 << 28 };
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *stream = standard_input ? stdin : fopen(path, "rb");
    size_t room = 1 << 16;
    char *block = stream != NULL ? malloc(room) : NULL;
    *bytes = 0;
    while (block != NULL && *bytes < MOST) {
        const size_t got = fread(block + *bytes, 1, room - *bytes, stream);
        *bytes += got;
        if (got == 0) {
            break;
        }
        if (*bytes == room) {
            char *moved = realloc(block, 2 * room);
            if (moved == NULL) {
                free(block);
            }
            block = moved;
            room *= 2;
        }
    }
    const int reason = errno;
    const bool read = block != NULL && ferror(stream) == 0;
    if (stream != NULL && !standard_input) {
        (void)fclose(stream);
    }
    if (!read || *bytes >= MOST) {
        cli_complain("cannot read '%.200s': %s", path, read ? "it is too large" : strerror(reason));
        free(block);
        return CLI_BAD;
    }
    *text = block;
    return CLI_DONE;
}
