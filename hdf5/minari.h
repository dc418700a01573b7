/* minari.h: reads the HDF5 file of a Minari dataset. */
#ifndef XP_HDF5_MINARI_H
#define XP_HDF5_MINARI_H

#include <stdint.h>

/* Sends the episodes of the file that standard input is; those that would take more than `budget`
 * bytes are refused before memory is taken for them. Ends the program. */
_Noreturn void minari_send(uint64_t budget);

#endif
