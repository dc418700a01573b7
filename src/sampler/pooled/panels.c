/* panels.c: see panels.h.
 *
 * The largest of the variables lies above the bulk of each of them, so that the integral starts at
 * the highest lower end. From there panels of five Gauss-Legendre points go up; each is at most
 * `pace` standard deviations of every law near it, and longer where that law is far away: a law
 * that lies below has a distribution function of 1 there. If the room does not suffice the pace
 * goes up. */
#include "sampler/pooled/panels.h"

#include <math.h>

enum { POINTS = 5 };
static const double place[POINTS] = {-0.9061798459386640, -0.5384693101056831, 0,
                                     0.5384693101056831, 0.9061798459386640};
static const double share[POINTS] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};

static const double reach = 8; /* standard deviations that are integrated over */
static const double first_pace = 1.5;

/* How far a panel may go that starts at u. */
static double stride(size_t laws, const double *center, const double *width, double u,
                     double pace) {
    double least = INFINITY;
    for (size_t i = 0; i < laws; i++) {
        const double apart = (u - center[i]) / width[i];
        if (apart < reach) {
            least = fmin(least, width[i] * fmax(pace, 0.5 * fabs(apart)));
        }
    }
    return least;
}

static size_t march(size_t laws, const double *center, const double *width, double from, double to,
                    double pace, size_t room, double *u, double *weight) {
    size_t count = 0;
    double at = from;
    while (at < to) {
        if (count + POINTS > room) {
            return 0;
        }
        const double length = fmin(stride(laws, center, width, at, pace), to - at);
        const double half = 0.5 * length;
        for (size_t i = 0; i < POINTS; i++) {
            u[count] = at + half * (1 + place[i]);
            weight[count++] = half * share[i];
        }
        if (!(at + length > at)) {
            break;
        }
        at += length;
    }
    return count;
}

size_t xp__panels_lay(size_t laws, const double *center, const double *width, double low,
                      size_t room, double *u, double *weight) {
    double from = low, to = -INFINITY;
    for (size_t i = 0; i < laws; i++) {
        from = fmax(from, center[i] - reach * width[i]);
        to = fmax(to, center[i] + reach * width[i]);
    }
    size_t count = 0;
    for (double pace = first_pace; count == 0 && pace < 1e3; pace *= 1.5) {
        count = march(laws, center, width, from, to, pace, room, u, weight);
    }
    return count;
}
