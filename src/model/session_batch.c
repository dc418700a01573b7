/* session_batch.c: a session asked in bulk (many decisions before the first reward, many rewards at
 * once), and asked for advice (what it would do if it explored no more).
 *
 * Invariant: a batch draws the numbers that as many single calls draw, in their order. */
#include "model/session_type.h"

#include "base/memory.h"

#include <math.h>

static xp_status check_bandit(const xp_session *session, xp_error *error) {
    if (session == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session is NULL");
    }
    return session->info.state_size == 0
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "batches are for bandits; a task with states goes step by step");
}

xp_status xp_session_act_batch(xp_session *session, size_t count, size_t *actions,
                               xp_error *error) {
    const xp_status status = check_bandit(session, error);
    if (status != XP_OK) {
        return status;
    }
    if (actions == NULL && count > 0) {
        return xp_error_set(error, XP_ERR_INPUT, "actions is NULL");
    }
    for (size_t i = 0; i < count; i++) {
        xp__session_begin(session, NULL);
        actions[i] = xp__session_act(session, NULL);
    }
    return XP_OK;
}

xp_status xp_session_observe_batch(xp_session *session, const size_t *actions,
                                   const double *rewards, size_t count, xp_error *error) {
    const xp_status status = check_bandit(session, error);
    if (status != XP_OK) {
        return status;
    }
    if ((actions == NULL || rewards == NULL) && count > 0) {
        return xp_error_set(error, XP_ERR_INPUT, "actions or rewards is NULL");
    }
    for (size_t i = 0; i < count; i++) {
        xp_error found = {.status = XP_OK};
        const xp_status refused = xp__session_check_reward(session, actions[i], rewards[i], &found);
        if (refused != XP_OK) {
            return xp_error_set(error, refused, "number %zu of the batch: %s", i, found.message);
        }
    }
    for (size_t i = 0; i < count; i++) {
        xp__session_observe(
            session,
            &(xp_transition){.action = actions[i], .reward = rewards[i], .end = XP_TERMINATED});
    }
    return XP_OK;
}

/* The action that most of the policies take, by weight. False: there are no policies. */
static bool vote(xp_session *session, const double *state, double *weight, double *votes,
                 size_t count, size_t *action) {
    xp__agent *agent = session->agent;
    const size_t actions = session->info.actions;
    for (size_t a = 0; a < actions; a++) {
        votes[a] = 0;
    }
    (void)xp__agent_policies(agent, weight);
    for (size_t i = 0; i < count; i++) {
        if (weight[i] > 0) {
            votes[xp__agent_policy_action(agent, i, state)] += weight[i];
        }
    }
    *action = 0;
    for (size_t a = 1; a < actions; a++) {
        *action = votes[a] > votes[*action] ? a : *action;
    }
    return votes[*action] > 0;
}

xp_status xp_session_advise(xp_session *session, const double *state, size_t *action,
                            xp_error *error) {
    if (session == NULL || action == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session or action is NULL");
    }
    xp_status status = xp__session_check_state(session, state, "state", error);
    if (status != XP_OK) {
        return status;
    }
    const size_t actions = session->info.actions;
    const size_t count = xp__agent_policies(session->agent, NULL);
    double *room = xp__alloc(actions + count, sizeof *room);
    if (room == NULL) {
        return xp__no_memory(error);
    }
    if (count == 0 || !vote(session, session->info.state_size > 0 ? state : NULL, room + actions,
                            room, count, action)) {
        status = xp_session_law(session, state, 0, room, NULL, error);
        *action = 0;
        for (size_t a = 1; a < actions && status == XP_OK; a++) {
            *action = room[a] > room[*action] ? a : *action;
        }
    }
    xp__free(room);
    return status;
}
