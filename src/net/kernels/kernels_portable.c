/* kernels_portable.c: the kernels for any processor. */
#include "net/kernels/vector_portable.h"

#define NO_HALF
#include "net/kernels/kernels_body.h"

const xp__net_kernels xp__net_kernels_portable = {
    .name = "portable",
    .product = product,
    .panel = SPARSE_PANEL,
    .gather = gather,
    .forward_rows = forward_rows,
    .backward_rows = backward_rows,
    .turn = turn,
    .positive = positive,
    .dot = dot,
    .adam_records = adam_records,
    .adam_rows = adam_rows,
};
