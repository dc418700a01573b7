/* session_means.c: draws from a session's posterior over the mean reward of each arm, for callers
 * that ask more of it than which arm is the best: bands, or the best of a few. */
#include "model/session_type.h"

#include "sampler/sampler_type.h"

xp_status xp_session_draw_means(xp_session *session, xp_rng *rng, double *means, xp_error *error) {
    if (session == NULL || rng == NULL || means == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session, rng or means is NULL");
    }
    const xp__agent *agent = session->agent;
    const xp_sampler *sampler = agent->type->sampler != NULL ? agent->type->sampler(agent) : NULL;
    if (sampler == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent '%s' keeps no posterior over the arms to draw from",
                            agent->type->name);
    }
    /* The agent's own sampler, which is the session's: const only to those who look at it. */
    if (!xp_sampler_draw((xp_sampler *)sampler, rng, means)) {
        return xp_error_set(error, XP_ERR_NUMERIC,
                            "the sampler '%s' gives up on this posterior; try another",
                            sampler->type->name);
    }
    return XP_OK;
}
