/* kernels_portable.c: the kernels for any processor. */
#include "net/kernels/vector_portable.h"

#define NO_HALF
#include "net/kernels/kernels_body.h"

const xp__net_kernels xp__net_kernels_portable = KERNELS("portable");
