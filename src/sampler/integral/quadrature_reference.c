/* quadrature_reference.c: P(a) ∝ e^{w_a} ∫ f_a Π_{b≠a} F_b dx, f and F the Beta(1+s, 1+f) density
 * and distribution function, in logarithms throughout: it is right to full relative accuracy down
 * to factors of 1e-300, and slow (2 K G incomplete beta functions). */
#include "sampler/integral/quadrature_reference.h"

#include "math/softmax.h"
#include "math/special.h"
#include "math/variates_inline.h"

#include <math.h>

double xp__quadrature_reference_law(const xp__nodes *nodes, size_t arms, const double *log_weight,
                                    const double *successes, const double *failures,
                                    double *scratch, double *probability) {
    for (size_t g = 0; g < nodes->count; g++) {
        scratch[g] = 0;
        for (size_t arm = 0; arm < arms; arm++) {
            scratch[g] += log(xp__beta_cdf(nodes->x[g], 1 + successes[arm], 1 + failures[arm]));
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        const double s = successes[arm], f = failures[arm];
        const double offset = log_weight[arm] - xp__log_beta(1 + s, 1 + f);
        /* Two passes, so that the exponentials are of differences from the largest term. */
        double top = -INFINITY, sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t g = 0; g < nodes->count; g++) {
                if (!(scratch[g] > -INFINITY)) {
                    continue; /* some F is below 1e-308 there */
                }
                const double term = offset + s * nodes->log_x[g] + f * nodes->log_y[g] +
                                    log(nodes->weight[g]) + scratch[g] -
                                    log(xp__beta_cdf(nodes->x[g], 1 + s, 1 + f));
                if (pass == 0) {
                    top = fmax(top, term);
                } else if (top > -INFINITY) {
                    sum += exp(term - top);
                }
            }
        }
        probability[arm] = top > -INFINITY ? top + log(sum) : -INFINITY;
    }
    double largest;
    const double total = xp__exponentiate(probability, arms, &largest);
    for (size_t arm = 0; arm < arms; arm++) {
        /* With no mass left anywhere in double range every arm is as good as another. */
        probability[arm] = total > 0 ? probability[arm] / total : 1 / (double)arms;
    }
    return total > 0 ? largest + log(total) : -INFINITY;
}

size_t xp__quadrature_reference_node(const xp__nodes *nodes, size_t arms, size_t best,
                                     const double *successes, const double *failures,
                                     double *scratch, xp_rng *rng) {
    for (size_t g = 0; g < nodes->count; g++) {
        scratch[g] = log(nodes->weight[g]);
        for (size_t arm = 0; arm < arms; arm++) {
            const double s = successes[arm], f = failures[arm];
            scratch[g] += arm == best ? s * nodes->log_x[g] + f * nodes->log_y[g]
                                      : log(xp__beta_cdf(nodes->x[g], 1 + s, 1 + f));
        }
    }
    if (xp__exponentiate(scratch, nodes->count, NULL) == 0) {
        for (size_t g = 0; g < nodes->count; g++) {
            scratch[g] = 1;
        }
    }
    return xp__rng_categorical(rng, scratch, nodes->count);
}
