/* state_units.c: see state_units.h. */
#include "encode/state_units.h"

#include "base/memory.h"

#include <math.h>

/* In standard deviations. */
static const double farthest = 10;

/* The mean of number j over all steps, or of its squared distance from `about`; and its largest
 * magnitude. */
static double mean_of(const xp_demos *demos, size_t size, size_t j, const double *about,
                      double *largest) {
    double sum = 0, steps = 0;
    *largest = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory each = xp_demos_trajectory(demos, t);
        const double times = (double)each.count;
        for (size_t h = 0; h < each.length; h++) {
            const double value = each.states[h * size + j];
            const double away = about != NULL ? value - *about : 0;
            sum += times * (about != NULL ? away * away : value);
            *largest = fmax(*largest, fabs(value));
        }
        steps += times * (double)each.length;
    }
    return steps > 0 ? sum / steps : 0;
}

xp_status xp__state_units_alloc(xp__state_units *units, size_t size, xp_error *error) {
    *units = (xp__state_units){.size = size, .mean = xp__alloc(2 * size, sizeof *units->mean)};
    units->scale = units->mean != NULL ? units->mean + size : NULL;
    return units->mean != NULL ? XP_OK : xp__no_memory(error);
}

xp_status xp__state_units_init(xp__state_units *units, const xp_env_info *env,
                               const xp_demos *demos, xp_error *error) {
    /* What varies by less than this share of its size is rounding. */
    static const double constant = 1e-9;
    const size_t size = env->state_size;
    bool real = false;
    *units = (xp__state_units){.mean = NULL};
    for (size_t j = 0; j < size; j++) {
        real = real || env->categories[j] == 0;
    }
    if (!real || xp_demos_state_size(demos) != size) {
        return XP_OK;
    }
    const xp_status status = xp__state_units_alloc(units, size, error);
    for (size_t j = 0; status == XP_OK && j < size; j++) {
        double largest;
        units->mean[j] = mean_of(demos, size, j, NULL, &largest);
        const double deviation = sqrt(mean_of(demos, size, j, &units->mean[j], &largest));
        const double scale = deviation > constant * largest ? 1 / deviation : 1;
        units->scale[j] = isfinite(scale) ? scale : 1;
    }
    return status;
}

void xp__state_units_deinit(xp__state_units *units) {
    xp__free(units->mean);
    *units = (xp__state_units){.mean = NULL};
}

double xp__state_units_in(const xp__state_units *units, size_t j, double value) {
    return fmin(farthest, fmax(-farthest, (value - units->mean[j]) * units->scale[j]));
}
