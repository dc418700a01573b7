/* environment.c: what demonstrations tell of the environment in which they were given. */
#include "experior/demos.h"

#include <math.h>

static const double most_values = 65536;

/* Takes in one more value of a number that so far has taken values below *values; 0: it is real. */
static void widen(size_t *values, double x) {
    if (*values > 0 && x >= -1 && x < most_values && x == floor(x)) {
        const size_t needed = x < 0 ? 1 : (size_t)x + 1;
        *values = needed > *values ? needed : *values;
    } else {
        *values = 0;
    }
}

xp_env_info xp_demos_environment(const xp_demos *demos, size_t *categories) {
    const size_t size = xp_demos_state_size(demos);
    if (size > 0 && categories == NULL) {
        return (xp_env_info){.actions = 0};
    }
    xp_env_info info = {.actions = xp_demos_actions(demos),
                        .state_size = size,
                        .categories = size > 0 ? categories : NULL};
    for (size_t j = 0; j < size; j++) {
        categories[j] = 1;
    }
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        info.horizon = trajectory.length > info.horizon ? trajectory.length : info.horizon;
        for (size_t h = 0; h < trajectory.length; h++) {
            for (size_t j = 0; j < size; j++) {
                widen(&categories[j], trajectory.states[h * size + j]);
            }
        }
    }
    return info;
}
