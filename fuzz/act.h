/* act.h: a few steps of a session that was read from any bytes. */
#ifndef XP_FUZZ_ACT_H
#define XP_FUZZ_ACT_H

#include "experior/session.h"

#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Acts and observes; every state is zeros, which every space has. What is refused is refused in a
 * sentence; actions exist and laws are laws. */
static inline void act_some(xp_session *session, const xp_space *space) {
    enum { STEPS = 4 };
    double *state = calloc(space->state_size + 1, sizeof *state);
    double *law = calloc(space->actions, sizeof *law);
    assert(state != NULL && law != NULL);
    for (size_t t = 0; t < STEPS; t++) {
        size_t action = SIZE_MAX;
        double sum = 0;
        const xp_status asked = xp_session_law(session, state, 8, law, NULL, NULL);
        for (size_t i = 0; asked == XP_OK && i < space->actions; i++) {
            assert(law[i] >= 0);
            sum += law[i];
        }
        assert(asked == XP_OK ? fabs(sum - 1) < 1e-6 : asked == XP_ERR_NUMERIC);
        assert(xp_session_act(session, state, &action, NULL) == XP_OK && action < space->actions);
        const xp_transition seen = {.state = state,
                                    .action = action,
                                    .reward = t % 2 == 0 ? 1 : 0,
                                    .next_state = state,
                                    .end = t + 1 < STEPS ? XP_CONTINUES : XP_TRUNCATED};
        assert(xp_session_observe(session, &seen, NULL) == XP_OK);
    }
    free(state);
    free(law);
}

#endif
