/* poisson.c: Poisson variates: by multiplication of uniforms for small means, else by transformed
 * rejection with a squeeze (Hörmann, "The transformed rejection method for generating Poisson
 * random variables", 1993). */
#include "math/special.h"
#include "math/variates_inline.h"

static double draw_small(xp_rng *rng, double mean) {
    const double least = exp(-mean);
    double product = xp__rng_uniform(rng), count = 0;
    while (product > least) {
        product *= xp__rng_uniform(rng);
        count++;
    }
    return count;
}

double xp__rng_poisson(xp_rng *rng, double mean) {
    if (mean < 10) {
        return draw_small(rng, mean);
    }
    const double log_mean = log(mean);
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    const double log_inverse_alpha = log(1.1239 + 1.1328 / (b - 3.4)),
                 vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = xp__rng_uniform(rng) - 0.5, v = xp__rng_uniform(rng), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= vr) {
            return k;
        }
        if (k < 0 || (us < 0.013 && v > us)) {
            continue;
        }
        if (log(v) + log_inverse_alpha - log(a / (us * us) + b) <=
            k * log_mean - mean - xp__log_gamma(k + 1)) {
            return k;
        }
    }
}
