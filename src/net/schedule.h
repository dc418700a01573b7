/* schedule.h: what Adam's bias corrections and decays amount to at a given step.
 *
 * Adam (Kingma and Ba, 2015, section 2) at step t, with its corrections folded into two numbers:
 *     p -= rate(t) · m / (sqrt(v) + floor(t)),
 *     rate(t) = lr sqrt(1 - beta2^t) / (1 - beta1^t),   floor(t) = epsilon sqrt(1 - beta2^t).
 *
 * A parameter without gradient since step t has m · beta1^j and v · beta2^j at step t + j, so its
 * steps up to now add up to d · late with d = m / (sqrt(v) + floor(t)) and
 *     late = Σ_{j=1..k} rate(t + j) r^j,   r = beta1 / sqrt(beta2),   k = now - t,
 * but for floor, which does not shrink along with sqrt(v): the sum overstates the step by at most
 * the fraction floor / (sqrt(v) + floor) of it. With tail(t) the same sum without end,
 * late = tail(t) - r^k tail(now): two entries of a table. */
#ifndef XP_NET_SCHEDULE_H
#define XP_NET_SCHEDULE_H

#include "net/net.h"

enum { XP__POWERS = 256 };

/* base^k for k < XP__POWERS² as a product of two entries. */
typedef struct xp__net_powers {
    double base, low[XP__POWERS], high[XP__POWERS];
} xp__net_powers;

typedef struct xp__net_schedule {
    double learning_rate, epsilon;
    xp__net_powers beta1, beta2, ratio;
    double *tail; /* tail(0 .. count-1); later ones equal the last to rounding */
    size_t count;
} xp__net_schedule;

/* Needs 0 <= beta1 < sqrt(beta2) < 1 for the tails to exist; where that fails there are none and
 * late must not be asked for. */
xp_status xp__net_schedule_init(xp__net_schedule *schedule, const xp__net_options *options,
                                xp_error *error);
void xp__net_schedule_deinit(xp__net_schedule *schedule);

double xp__net_power(const xp__net_powers *powers, uint64_t exponent);
double xp__net_schedule_rate(const xp__net_schedule *schedule, uint64_t step);
double xp__net_schedule_floor(const xp__net_schedule *schedule, uint64_t step);
/* `late` for a parameter that was brought up to date at step `then`. */
double xp__net_schedule_late(const xp__net_schedule *schedule, uint64_t then, uint64_t now);

#endif
