/* hdf5_stream.h: what the program experior-hdf5 (hdf5/) writes and the library reads.
 *
 * libhdf5 crashes on some damaged files and prints on others, so it is never loaded into a user's
 * process: a program of its own reads the file (its standard input) and writes frames to its
 * standard output, a pipe. A frame is a header and what follows it, in the machine's byte order:
 *
 *     XP__HDF5_EPISODE      number, steps, width     steps actions (uint32_t), then
 *                                                    steps × width states (double), row by row
 *     XP__HDF5_END          number = episodes sent   nothing; the last frame
 *     XP__HDF5_REFUSED      steps = bytes            a sentence on the file; the last frame
 *     XP__HDF5_NO_MEMORY                             nothing; the last frame
 *
 * A hostile file may have taken the program over, so the reader trusts no number in a header. */
#ifndef XP_DEMOS_HDF5_STREAM_H
#define XP_DEMOS_HDF5_STREAM_H

#include <stdint.h>

/* Begins every frame; another number for every change of the format. */
#define XP__HDF5_MAGIC UINT32_C(0x01354858)
/* The most memory that the demonstrations of one dataset may take. */
#define XP__HDF5_BUDGET (UINT64_C(1) << 30)

enum { XP__HDF5_EPISODE = 1, XP__HDF5_END, XP__HDF5_REFUSED, XP__HDF5_NO_MEMORY };
enum { XP__HDF5_SENTENCE = 512 };    /* bytes at most */
enum { XP__HDF5_ACTIONS = 1000000 }; /* actions are below this */

typedef struct xp__hdf5_frame {
    uint32_t magic, kind;
    uint64_t number, steps, width;
} xp__hdf5_frame;

/* Bytes that an episode takes in memory. A double: a damaged file can claim any numbers. */
static inline double xp__hdf5_bytes(uint64_t steps, uint64_t width) {
    return (double)steps * ((double)width * (double)sizeof(double) + (double)sizeof(uint32_t));
}

#endif
