/* kernels.h: the inner loops of the samplers on a grid, once for each vector width.
 *
 * Every loop is elementwise, or sums in XP__LANES fixed lanes, and no operation is fused: all
 * widths give the same bits, so which one runs is a matter of speed alone. */
#ifndef XP_SAMPLER_INTEGRAL_KERNELS_H
#define XP_SAMPLER_INTEGRAL_KERNELS_H

#include <stddef.h>

enum { XP__LANES = 16 }; /* node counts are multiples of this */

/* Values below these are taken as zero, so that no product meets a subnormal number. */
#define XP__TINY_PROBABILITY 1e-18
#define XP__TINY_DENSITY     1e-290
#define XP__TINY_PRODUCT     1e-140

typedef struct xp__kernels {
    const char *name;
    /* Product rule over two children: product = pl·pr, sum = sl·pr + pl·sr. n numbers each. */
    void (*combine)(size_t n, double *restrict product, double *restrict sum,
                    const double *restrict pl, const double *restrict sl, const double *restrict pr,
                    const double *restrict sr);
    /* One more reward of a Beta posterior: F += shift · slope · f, f *= factor · side, and
     * sum = scale · f. `side` is x after a success and 1 - x after a failure. */
    void (*beta_step)(size_t n, double *restrict distribution, double *restrict density,
                      double *restrict sum, const double *restrict slope,
                      const double *restrict side, double shift, double factor, double scale);
    /* lane[l] = Σ_i value[i · XP__LANES + l] */
    void (*lane_sums)(size_t n, const double *restrict value, double lane[XP__LANES]);
} xp__kernels;

/* The widest that this processor runs. */
const xp__kernels *xp__kernels_best(void);
/* The index-th, narrowest first; NULL past the last or where the processor cannot run it. */
const xp__kernels *xp__kernels_at(size_t index);

#endif
