/* behaviour_cloning.c: draws actions as the experts did, whatever happens: the maximum-likelihood
 * policy of the demonstrations, which in a bandit is their frequencies p̂. */
#include "agent/agent_type.h"
#include "math/variates_inline.h"

#include <string.h>

typedef struct behaviour_cloning {
    xp__agent agent;
    double expert[]; /* K: p̂ */
} behaviour_cloning;

static size_t size(const xp__agent_setup *setup) {
    return sizeof(behaviour_cloning) + setup->actions * sizeof(double);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    return xp__agent_expert_policy(agent, ((behaviour_cloning *)agent)->expert, error);
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)agent;
    (void)rng;
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    return xp__rng_categorical(rng, ((behaviour_cloning *)agent)->expert, agent->setup.actions);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)agent;
    (void)rng;
    (void)transition;
}

static void observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                            double sum) {
    (void)agent;
    (void)rng;
    (void)action;
    (void)trials;
    (void)sum;
}

static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    (void)rng;
    (void)state;
    (void)draws;
    memcpy(probability, ((behaviour_cloning *)agent)->expert,
           agent->setup.actions * sizeof *probability);
    return 0;
}

const xp__agent_type xp__agent_behaviour_cloning = {
    .name = "behaviour_cloning",
    .summary = "draws actions with the frequencies of the demonstrations; does not learn",
    .needs_demos = true,
    .size = size,
    .init = init,
    .reset = reset,
    .act = act,
    .observe = observe,
    .observe_rewards = observe_rewards,
    .action_law = action_law,
};
