/* schedule.c: Adam's step sizes and the sums of steps not yet taken; see schedule.h. */
#include "net/schedule.h"

#include "base/memory.h"

#include <math.h>

enum { MAX_TAILS = 1 << 21 };

static void powers_init(xp__net_powers *powers, double base) {
    powers->base = base;
    powers->low[0] = powers->high[0] = 1;
    for (int i = 1; i < XP__POWERS; i++) {
        powers->low[i] = powers->low[i - 1] * base;
    }
    const double leap = powers->low[XP__POWERS - 1] * base;
    for (int i = 1; i < XP__POWERS; i++) {
        powers->high[i] = powers->high[i - 1] * leap;
    }
}

double xp__net_power(const xp__net_powers *powers, uint64_t exponent) {
    if (exponent >= XP__POWERS * XP__POWERS) {
        return pow(powers->base, (double)exponent);
    }
    return powers->high[exponent / XP__POWERS] * powers->low[exponent % XP__POWERS];
}

double xp__net_schedule_rate(const xp__net_schedule *schedule, uint64_t step) {
    return schedule->learning_rate * sqrt(1 - xp__net_power(&schedule->beta2, step)) /
           (1 - xp__net_power(&schedule->beta1, step));
}

double xp__net_schedule_floor(const xp__net_schedule *schedule, uint64_t step) {
    return schedule->epsilon * sqrt(1 - xp__net_power(&schedule->beta2, step));
}

/* The first step at which the corrections are 1 to rounding of a float. */
static size_t settled_step(const xp__net_schedule *schedule) {
    size_t step = 1;
    while (step < MAX_TAILS && (xp__net_power(&schedule->beta1, step) > 1e-9 ||
                                xp__net_power(&schedule->beta2, step) > 1e-9)) {
        step += 1 + step / 64;
    }
    return step;
}

xp_status xp__net_schedule_init(xp__net_schedule *schedule, const xp__net_options *options,
                                xp_error *error) {
    *schedule = (xp__net_schedule){
        .learning_rate = options->learning_rate,
        .epsilon = options->epsilon,
    };
    powers_init(&schedule->beta1, options->beta1);
    powers_init(&schedule->beta2, options->beta2);
    if (!(options->beta1 < sqrt(options->beta2))) {
        return XP_OK;
    }
    const double ratio = options->beta1 / sqrt(options->beta2);
    powers_init(&schedule->ratio, ratio);
    schedule->count = settled_step(schedule) + 1;
    schedule->tail = xp__alloc(schedule->count, sizeof schedule->tail[0]);
    if (schedule->tail == NULL) {
        return xp__no_memory(error);
    }
    double tail = options->learning_rate * ratio / (1 - ratio);
    for (size_t t = schedule->count; t-- > 0;) {
        schedule->tail[t] = tail;
        tail = t > 0 ? ratio * (xp__net_schedule_rate(schedule, t) + tail) : tail;
    }
    return XP_OK;
}

void xp__net_schedule_deinit(xp__net_schedule *schedule) {
    xp__free(schedule->tail);
    schedule->tail = NULL;
}

static double tail_at(const xp__net_schedule *schedule, uint64_t step) {
    return schedule->tail[step < schedule->count ? step : schedule->count - 1];
}

double xp__net_schedule_late(const xp__net_schedule *schedule, uint64_t then, uint64_t now) {
    return tail_at(schedule, then) -
           xp__net_power(&schedule->ratio, now - then) * tail_at(schedule, now);
}
