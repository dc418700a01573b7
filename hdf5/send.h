/* send.h: the frames of demos/hdf5_stream.h, written to standard output. Whoever does not want the
 * rest closes the pipe; the program then ends. */
#ifndef XP_HDF5_SEND_H
#define XP_HDF5_SEND_H

#include <stdint.h>

void send_episode(uint64_t number, uint64_t steps, uint64_t width, const uint32_t *actions,
                  const double *states);
/* These three end the program. */
_Noreturn void send_end(uint64_t episodes);
_Noreturn void send_no_memory(void);
_Noreturn void send_refusal(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
