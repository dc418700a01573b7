/* sampler.c: the registry of posterior samplers, and the calls that pass through to them.
 *
 * Invariants kept here for every implementation: the counts are up to date before its observe is
 * called, they are zero when its reset is called, and nothing below allocates after create. */
#include "sampler/sampler_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/settings.h"
#include "math/argmax.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const xp__sampler_type *xp__sampler_find(const char *name) {
    name = strcmp(name, "grid") == 0 ? "tabulated" : name; /* its former name, for one version */
    for (size_t i = 0; i < xp__sampler_type_count; i++) {
        if (strcmp(xp__sampler_types[i]->name, name) == 0) {
            return xp__sampler_types[i];
        }
    }
    return NULL;
}

/* Those for binary families count successes, the others keep sums. */
static bool supports(const xp__sampler_type *type, const xp_prior *prior) {
    return xp__reward_binary(&prior->reward) == (type->observe_sums == NULL) &&
           type->supports(prior);
}

void xp__sampler_reset_nothing(xp_sampler *sampler, xp_rng *rng) {
    (void)sampler;
    (void)rng;
}

void xp__sampler_observe_nothing(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)sampler;
    (void)rng;
    (void)arm;
    (void)success;
}

const char *xp_sampler_kind_name(xp_sampler_kind kind) {
    static const char *const names[] = {
        [XP_SAMPLER_COMPUTED] = "computed",
        [XP_SAMPLER_INDEPENDENT] = "independent draws",
        [XP_SAMPLER_CHAIN] = "Markov chain",
        [XP_SAMPLER_APPROXIMATE] = "approximate chain",
    };
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

xp_status xp__sampler_params_default(const char *name, xp__params *params, xp_error *error) {
    const xp__sampler_type *type = xp__sampler_find(name);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no sampler '%.80s'", name);
    }
    *params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

bool xp_sampler_supports(const char *name, const xp_prior *prior) {
    if (name == NULL || prior == NULL) {
        return false;
    }
    const xp__sampler_type *type = xp__sampler_find(name);
    return type != NULL && supports(type, prior);
}

const char *xp_sampler_default(const xp_prior *prior) {
    if (prior == NULL) {
        return NULL;
    }
    const xp__sampler_type *best = NULL;
    for (size_t i = 0; i < xp__sampler_type_count; i++) {
        const xp__sampler_type *type = xp__sampler_types[i];
        if (type->kind != XP_SAMPLER_APPROXIMATE &&
            (best == NULL || type->preference > best->preference) && supports(type, prior)) {
            best = type;
        }
    }
    /* mcmc takes any prior that has a density with respect to the uniform distribution, and
     * mixture_chain any that has a reference. */
    assert(best != NULL);
    return best->name;
}

xp_status xp__sampler_params_read(const char *spec, xp__params *params, xp_error *error) {
    return xp__spec_read(spec, xp__sampler_params_default, params, error);
}

xp_status xp_sampler_create(const char *spec, const xp_prior *prior, xp_sampler **sampler,
                            xp_error *error) {
    XP__NOT_NULL(sampler, error);
    *sampler = NULL;
    XP__NOT_NULL(prior, error);
    xp__params params;
    const xp_status status =
        xp__sampler_params_read(spec != NULL ? spec : xp_sampler_default(prior), &params, error);
    return status == XP_OK ? xp__sampler_create(params.owner, &params, prior, sampler, error)
                           : status;
}

xp_status xp__sampler_create(const char *name, const xp__params *params, const xp_prior *prior,
                             xp_sampler **sampler, xp_error *error) {
    *sampler = NULL;
    xp__params defaults;
    const xp_status status = xp__sampler_params_default(name, &defaults, error);
    if (status != XP_OK) {
        return status;
    }
    const xp__sampler_type *type = xp__sampler_find(name);
    if (!supports(type, prior)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the sampler '%s' cannot draw from a posterior of the prior '%s'; '%s' "
                            "can",
                            name, prior->type->name, xp_sampler_default(prior));
    }
    const xp__params *values = params != NULL ? params : &defaults;
    xp_sampler *made = xp__alloc(1, type->size_for != NULL ? type->size_for(prior, values)
                                                           : type->size(prior->arms, values));
    double *numbers = xp__alloc(prior->arms, 3 * sizeof(double));
    if (made == NULL || numbers == NULL) {
        xp__free(made);
        xp__free(numbers);
        return xp__no_memory(error);
    }
    made->type = type;
    made->prior = prior;
    made->arms = prior->arms;
    made->successes = numbers;
    made->failures = numbers + prior->arms;
    made->theta = numbers + 2 * prior->arms;
    type->init(made, values);
    /* A fixed stream: a sampler that was never reset is a valid one, not a trap. */
    xp_rng rng = xp_rng_seed(0);
    type->reset(made, &rng);
    if (type->kind == XP_SAMPLER_CHAIN || type->kind == XP_SAMPLER_APPROXIMATE) {
        xp__archive size = xp__archive_measure();
        xp__sampler_archive(made, &size);
        made->aside_bytes = size.bytes;
        made->aside = xp__alloc(1, size.bytes);
        if (made->aside == NULL) {
            xp_sampler_destroy(made);
            return xp__no_memory(error);
        }
    }
    *sampler = made;
    return XP_OK;
}

void xp_sampler_destroy(xp_sampler *sampler) {
    if (sampler != NULL) {
        xp__free(sampler->successes);
        xp__free(sampler->aside);
        xp__free(sampler);
    }
}

void xp_sampler_reset(xp_sampler *sampler, xp_rng *rng) {
    if (sampler == NULL || rng == NULL) {
        return;
    }
    memset(sampler->successes, 0, sampler->arms * sizeof(double));
    memset(sampler->failures, 0, sampler->arms * sizeof(double));
    sampler->type->reset(sampler, rng);
}

xp_status xp_sampler_observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    if (sampler == NULL || rng == NULL || arm >= sampler->arms) {
        return XP_ERR_INPUT;
    }
    xp__sampler_observe(sampler, rng, arm, success);
    return XP_OK;
}

void xp__sampler_observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    assert(arm < sampler->arms);
    double *counts = success ? sampler->successes : sampler->failures;
    counts[arm] += 1;
    sampler->type->observe(sampler, rng, arm, success);
}

void xp__sampler_observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t successes,
                              uint64_t failures) {
    assert(arm < sampler->arms);
    const double s = (double)successes, f = (double)failures;
    sampler->successes[arm] += s;
    sampler->failures[arm] += f;
    if (sampler->type->observe_sums != NULL && successes + failures > 0) {
        sampler->type->observe_sums(sampler, arm, s + f, s, s * (f / (s + f)));
    } else if (sampler->type->observe_many != NULL && successes + failures > 0) {
        sampler->type->observe_many(sampler, rng, arm, successes + failures);
    }
}

void xp__sampler_observe_reward(xp_sampler *sampler, xp_rng *rng, size_t arm, double reward) {
    const xp__reward_type *type = sampler->prior->reward.type;
    if (sampler->type->observe_sums != NULL) {
        sampler->type->observe_sums(sampler, arm, 1, reward, 0);
    } else {
        xp__sampler_observe(sampler, rng, arm,
                            type != NULL ? type->success(rng, reward) : reward > 0.5);
    }
}

void xp__sampler_observe_sums(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t count,
                              double sum, double squares) {
    const double n = (double)count;
    if (count == 0) {
        return;
    }
    if (sampler->type->observe_sums != NULL) {
        const double deviations = isnan(squares) ? 0 : fmax(0, squares - sum * (sum / n));
        sampler->type->observe_sums(sampler, arm, n, sum, deviations);
        return;
    }
    const xp__reward_type *type = sampler->prior->reward.type;
    const double whole = floor(sum), rest = sum - whole;
    const bool up = rest > 0 && (type != NULL ? type->success(rng, rest) : rest > 0.5);
    const uint64_t successes = (uint64_t)fmin(n, fmax(0, whole + (up ? 1 : 0)));
    xp__sampler_observe_many(sampler, rng, arm, successes, count - successes);
}

xp_status xp_sampler_observe_reward(xp_sampler *sampler, xp_rng *rng, size_t arm, double reward,
                                    xp_error *error) {
    XP__NOT_NULL(sampler, error);
    XP__NOT_NULL(rng, error);
    if (arm >= sampler->arms) {
        return xp_error_set(error, XP_ERR_INPUT, "arm %zu is not one of 0 to %zu", arm,
                            sampler->arms - 1);
    }
    const xp__reward_type *type = sampler->prior->reward.type;
    if (type != NULL ? !type->legal(reward) : reward != 0 && reward != 1) {
        return xp_error_set(error, XP_ERR_INPUT, "the reward %g is not %s, as %s rewards are",
                            reward, type != NULL ? type->takes : "0 or 1",
                            type != NULL ? type->name : "bernoulli");
    }
    xp__sampler_observe_reward(sampler, rng, arm, reward);
    return XP_OK;
}

/* Beyond this a count and its successor are no longer told apart. */
static const double most_rewards = 0x1p52;

void xp__sampler_archive(xp_sampler *sampler, xp__archive *archive) {
    xp__archive_whole(archive, sampler->successes, sampler->arms, most_rewards);
    xp__archive_whole(archive, sampler->failures, sampler->arms, most_rewards);
    if (sampler->type->archive != NULL) {
        sampler->type->archive(sampler, archive);
    }
}

bool xp_sampler_draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    return sampler != NULL && rng != NULL && theta != NULL &&
           sampler->type->draw(sampler, rng, theta);
}

size_t xp_sampler_act(xp_sampler *sampler, xp_rng *rng) {
    if (sampler == NULL || rng == NULL) {
        return SIZE_MAX;
    }
    if (sampler->type->act != NULL) {
        return sampler->type->act(sampler, rng);
    }
    sampler->gave_up += sampler->type->draw(sampler, rng, sampler->theta) ? 0 : 1;
    return xp__argmax(sampler->theta, sampler->arms);
}

void xp_sampler_action_law(xp_sampler *sampler, xp_rng *rng, size_t draws, double *probability,
                           size_t *draws_used) {
    if (sampler == NULL || probability == NULL) {
        return;
    }
    if (sampler->type->action_law != NULL) {
        sampler->type->action_law(sampler, probability);
        if (draws_used != NULL) {
            *draws_used = 0;
        }
        return;
    }
    if (rng == NULL) {
        for (size_t arm = 0; arm < sampler->arms; arm++) {
            probability[arm] = NAN;
        }
        return;
    }
    draws = draws > 0 ? draws : 1;
    if (sampler->aside != NULL) {
        xp__archive kept = xp__archive_write(sampler->aside, sampler->aside_bytes);
        xp__sampler_archive(sampler, &kept);
    }
    memset(probability, 0, sampler->arms * sizeof(double));
    for (size_t i = 0; i < draws; i++) {
        probability[xp_sampler_act(sampler, rng)] += 1;
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        probability[arm] /= (double)draws;
    }
    if (sampler->aside != NULL) {
        xp__archive kept = xp__archive_read(sampler->aside, sampler->aside_bytes);
        xp__sampler_archive(sampler, &kept);
    }
    if (draws_used != NULL) {
        *draws_used = draws;
    }
}
