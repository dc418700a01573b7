/* panels.h: nodes on the line for the integral over the best arm's value: Gauss-Legendre panels
 * that are short where a law that matters is narrow. */
#ifndef XP_SAMPLER_POOLED_PANELS_H
#define XP_SAMPLER_POOLED_PANELS_H

#include <stddef.h>

/* Lays nodes u and weights, ∫ g du ≈ Σ weight g(u), over all places where the largest of `laws`
 * roughly normal variables can be, none below `low`. Returns their number, at most `room`, which is
 * at least 80; 0 if centres and widths are not finite numbers that can be told apart. */
size_t xp__panels_lay(size_t laws, const double *center, const double *width, double low,
                      size_t room, double *u, double *weight);

#endif
