/* sampler.h: draws from the posterior over the context of a bandit, given a prior and the rewards
 * seen so far. Where arms pay 0 or 1 its density is ∝ mu(theta) Π_a theta_a^{s_a} (1 -
 * theta_a)^{f_a}, where s_a and f_a count the successes and failures of arm a;
 * docs/method/reward.md has the other families of rewards.
 *
 * A sampler holds what changes (counts, chain) and belongs to one thread at a time. The prior that
 * it was created with must outlive it and may be shared. Only create allocates. */
#ifndef EXPERIOR_SAMPLER_H
#define EXPERIOR_SAMPLER_H

#include "experior/prior.h"

typedef struct xp_sampler xp_sampler;

/* What the answers of a sampler are worth. */
typedef enum xp_sampler_kind {
    XP_SAMPLER_COMPUTED,    /* the action law is computed; draws are independent and exact */
    XP_SAMPLER_INDEPENDENT, /* the action law is counted from independent, exact draws */
    XP_SAMPLER_CHAIN,       /* counted from a Markov chain: correlated, exact only in the limit */
    XP_SAMPLER_APPROXIMATE, /* counted from a chain whose law is another one than the posterior's */
} xp_sampler_kind;

/* "computed", "independent draws", "Markov chain" or "approximate chain"; NULL for any other
 * number. */
XP_API const char *xp_sampler_kind_name(xp_sampler_kind kind);
/* True when the named sampler can handle this prior. */
XP_API bool xp_sampler_supports(const char *name, const xp_prior *prior);
/* Name of the sampler that is used by default for this prior: the fastest one that is not
 * approximate. */
XP_API const char *xp_sampler_default(const xp_prior *prior);

/* Creates a sampler from a spec (base.h) such as "mcmc:sweeps=5"; NULL is the prior's default.
 * It knows of no rewards yet. Fails with XP_ERR_INPUT if it cannot handle the prior. */
XP_API xp_status xp_sampler_create(const char *spec, const xp_prior *prior, xp_sampler **sampler,
                                   xp_error *error);
/* Frees the sampler, not its prior; NULL is fine. */
XP_API void xp_sampler_destroy(xp_sampler *sampler);

/* Forgets all rewards and starts a new chain. */
XP_API void xp_sampler_reset(xp_sampler *sampler, xp_rng *rng);
/* Tells it that `arm` paid `success`. XP_ERR_INPUT, and no change, if there is no such arm. */
XP_API xp_status xp_sampler_observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success);
/* Tells it of a reward of `arm`, any that the prior's family of rewards has. XP_ERR_INPUT, and no
 * change, if there is no such arm or the family has no such reward. */
XP_API xp_status xp_sampler_observe_reward(xp_sampler *sampler, xp_rng *rng, size_t arm,
                                           double reward, xp_error *error);
/* Draws theta, one number per arm. False if it gave up (rejection that stalls): theta is then
 * unspecified. */
XP_API bool xp_sampler_draw(xp_sampler *sampler, xp_rng *rng, double *theta);
/* Draws an arm with the probability that it is the best one: a step of Thompson sampling. SIZE_MAX
 * if an argument is NULL. */
XP_API size_t xp_sampler_act(xp_sampler *sampler, xp_rng *rng);
/* The probability that each arm is the best one, one number per arm. Exact samplers with a closed
 * form compute it (*draws_used = 0; it may be NULL) and need no `rng`; the others count `draws`
 * draws from it, and write NAN if it is NULL. The sampler stays as it is: a chain goes back to
 * where it was. */
XP_API void xp_sampler_action_law(xp_sampler *sampler, xp_rng *rng, size_t draws,
                                  double *probability, size_t *draws_used);

#endif
