/* settle.c: see settle.h. */
#include "run/settle.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double memory = 50; /* episodes */

xp_status xp__settle_init(xp__settle *settle, size_t policies, xp_error *error) {
    *settle = (xp__settle){.policies = policies};
    settle->count = xp__alloc(policies + 1, sizeof(double));
    settle->mean = xp__alloc(policies + 1, sizeof(double));
    settle->square = xp__alloc(policies + 1, sizeof(double));
    if (settle->count == NULL || settle->mean == NULL || settle->square == NULL) {
        xp__settle_deinit(settle);
        return xp__no_memory(error);
    }
    xp__settle_clear(settle);
    return XP_OK;
}

void xp__settle_deinit(xp__settle *settle) {
    xp__free(settle->count);
    xp__free(settle->mean);
    xp__free(settle->square);
    *settle = (xp__settle){.count = NULL};
}

void xp__settle_clear(xp__settle *settle) {
    const size_t bytes = settle->policies * sizeof(double);
    memset(settle->count, 0, bytes);
    memset(settle->mean, 0, bytes);
    memset(settle->square, 0, bytes);
    settle->late = settle->late_episodes = 0;
    settle->last = NAN;
}

void xp__settle_record(xp__settle *settle, size_t policy, double value, bool late) {
    settle->last = value;
    settle->late += late ? value : 0;
    settle->late_episodes += late;
    if (policy >= settle->policies) {
        return;
    }
    const double slowly = 1 - 1 / (memory * (double)settle->policies), keep = 1 - 1 / memory;
    for (size_t i = 0; i < settle->policies; i++) {
        settle->count[i] *= slowly;
        settle->square[i] *= slowly;
    }
    double *count = &settle->count[policy], *mean = &settle->mean[policy];
    const double away = value - *mean;
    *count = keep * *count + 1;
    *mean += away / *count;
    settle->square[policy] = keep * settle->square[policy] + away * (value - *mean);
}

size_t xp__settle_choose(const xp__settle *settle) {
    double episodes = 0, squares = 0, most = -INFINITY;
    for (size_t i = 0; i < settle->policies; i++) {
        episodes += settle->count[i];
        squares += settle->square[i];
    }
    size_t best = settle->policies;
    for (size_t i = 0; i < settle->policies; i++) {
        const double n = settle->count[i];
        if (n > 0) {
            const double variance = (settle->square[i] + squares / episodes) / (n + 1);
            const double bound = settle->mean[i] - 2 * sqrt(variance / n);
            best = bound > most ? i : best;
            most = fmax(bound, most);
        }
    }
    return best;
}

double xp__settle_late(const xp__settle *settle) {
    return settle->late_episodes > 0 ? settle->late / settle->late_episodes : settle->last;
}
