/* state_units.h: the units in which networks see the real numbers of states: less their mean over
 * demonstrated steps, by their standard deviation. So it does not matter in which units an
 * environment tells them, nor where its zero is: a speed of 0.05 counts as much as an angle of 50.
 *
 * Multiplying a number of all states by a power of two changes no bit of what networks see. */
#ifndef XP_ENCODE_STATE_UNITS_H
#define XP_ENCODE_STATE_UNITS_H

#include "experior/demos.h"
#include "experior/env.h"

typedef struct xp__state_units {
    size_t size;
    double *mean, *scale; /* [size]; NULL: no number of a state is real */
} xp__state_units;

/* Of demonstrations that fit `env`. A number that hardly varies keeps its unit. */
xp_status xp__state_units_init(xp__state_units *units, const xp_env_info *env,
                               const xp_demos *demos, xp_error *error);
/* Room for those of `size` numbers; all are 0. */
xp_status xp__state_units_alloc(xp__state_units *units, size_t size, xp_error *error);
void xp__state_units_deinit(xp__state_units *units); /* also one that is all zero */

/* Number j of a state, where it is real, for a network. A number far from all that was demonstrated
 * is cut to 10 standard deviations, so that no network sees a huge one. */
double xp__state_units_in(const xp__state_units *units, size_t j, double value);

#endif
