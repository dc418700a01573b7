/* send.c: writes frames to standard output.
 *
 * The program always ends by _exit: what libhdf5 does at exit with a damaged file is of no use. */
#include "send.h"

#include "demos/hdf5_stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void send_bytes(const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        const ssize_t sent = write(STDOUT_FILENO, at, bytes);
        if (sent >= 0) {
            at += sent;
            bytes -= (size_t)sent;
        } else if (errno != EINTR) {
            _exit(1);
        }
    }
}

static void send_frame(uint32_t kind, uint64_t number, uint64_t steps, uint64_t width) {
    const xp__hdf5_frame frame = {XP__HDF5_MAGIC, kind, number, steps, width};
    send_bytes(&frame, sizeof frame);
}

void send_episode(uint64_t number, uint64_t steps, uint64_t width, const uint32_t *actions,
                  const double *states) {
    send_frame(XP__HDF5_EPISODE, number, steps, width);
    send_bytes(actions, steps * sizeof *actions);
    send_bytes(states, steps * width * sizeof *states);
}

_Noreturn void send_end(uint64_t episodes) {
    send_frame(XP__HDF5_END, episodes, 0, 0);
    _exit(0);
}

_Noreturn void send_no_memory(void) {
    send_frame(XP__HDF5_NO_MEMORY, 0, 0, 0);
    _exit(0);
}

_Noreturn void send_refusal(const char *format, ...) {
    char sentence[XP__HDF5_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    send_frame(XP__HDF5_REFUSED, 0, strlen(sentence), 0);
    send_bytes(sentence, strlen(sentence));
    _exit(0);
}
