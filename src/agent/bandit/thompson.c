/* thompson.c: each episode, act as is best for a context drawn from the posterior (Algorithm 1 of
 * the paper; Thompson 1933). All inference is in the sampler. */
#include "agent/bandit/thompson.h"

#include "sampler/sampler_type.h"

#include <math.h>
#include <string.h>

typedef struct thompson {
    xp__agent agent;
    xp_sampler *sampler;
} thompson;

size_t xp__thompson_size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(thompson);
}

xp_status xp__thompson_init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    thompson *self = (thompson *)agent;
    const xp_prior *prior = agent->setup.prior;
    if (strcmp(spec->sampler, "auto") == 0) {
        return xp_sampler_create(NULL, prior, &self->sampler, error);
    }
    xp__params params = spec->sampler_params;
    /* A schedule that runs over the episodes needs to know how many there will be. */
    static const char horizon[] = "episodes";
    if (xp__params_has(&params, horizon)) {
        bool given = false;
        for (size_t i = 0; i < params.count; i++) {
            given = given || (params.given[i] && strcmp(params.table[i].name, horizon) == 0);
        }
        if (!given) {
            const xp_status status =
                xp__params_set(&params, horizon, (double)agent->setup.episodes, error);
            if (status != XP_OK) {
                return status;
            }
        }
    }
    return xp__sampler_create(spec->sampler, &params, prior, &self->sampler, error);
}

void xp__thompson_deinit(xp__agent *agent) {
    xp_sampler_destroy(((thompson *)agent)->sampler);
}

void xp__thompson_reset(xp__agent *agent, xp_rng *rng) {
    xp_sampler_reset(((thompson *)agent)->sampler, rng);
}

size_t xp__thompson_act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    return xp_sampler_act(((thompson *)agent)->sampler, rng);
}

void xp__thompson_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    xp__sampler_observe_reward(((thompson *)agent)->sampler, rng, transition->action,
                               transition->reward);
}

void xp__thompson_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                                  double sum) {
    xp__thompson_observe_squares(agent, rng, action, trials, sum, NAN);
}

void xp__thompson_observe_squares(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                                  double sum, double squares) {
    xp__sampler_observe_sums(((thompson *)agent)->sampler, rng, action, trials, sum, squares);
}

const xp__reward *xp__thompson_rewards(const xp__agent *agent) {
    return &agent->setup.prior->reward;
}

void xp__thompson_archive(xp__agent *agent, xp__archive *archive) {
    xp__sampler_archive(((thompson *)agent)->sampler, archive);
}

size_t xp__thompson_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                               double *probability) {
    (void)state;
    xp_sampler *sampler = ((thompson *)agent)->sampler;
    const uint64_t before = sampler->gave_up;
    size_t used;
    xp_sampler_action_law(sampler, rng, draws, probability, &used);
    return sampler->gave_up == before ? used : XP__LAW_FAILED;
}

const xp_sampler *xp__thompson_sampler(const xp__agent *agent) {
    return ((const thompson *)agent)->sampler;
}
