/* sampler_type.h: what an implementation of a posterior sampler provides: one file
 * src/sampler/<name>.c with a `const xp__sampler_type xp__sampler_<name>`. */
#ifndef XP_SAMPLER_SAMPLER_TYPE_H
#define XP_SAMPLER_SAMPLER_TYPE_H

#include "experior/sampler.h"
#include "base/archive.h"
#include "base/params.h"
#include "prior/bandit/prior_type.h"

typedef struct xp__sampler_type {
    const char *name;
    const char *summary;
    xp_sampler_kind kind;
    int preference; /* of those that are not approximate, the largest supported is the default */
    const xp_param *params;
    size_t param_count;
    size_t (*size)(size_t arms, const xp__params *params); /* bytes of the whole struct */
    /* The same where it depends on the prior's structure; NULL: it does not. */
    size_t (*size_for)(const xp_prior *prior, const xp__params *params);
    bool (*supports)(const xp_prior *prior);
    void (*init)(xp_sampler *sampler, const xp__params *params); /* carve the memory; once */
    void (*reset)(xp_sampler *sampler, xp_rng *rng);             /* counts are zero already */
    void (*observe)(xp_sampler *sampler, xp_rng *rng, size_t arm,
                    bool success); /* counts are updated already */
    /* The same for many rewards at once; NULL: the counts are all that it keeps. */
    void (*observe_many)(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards);
    /* For families of rewards that are not binary (reward/reward_type.h): `count` rewards of an
     * arm, and Σ (reward − their mean)². NULL: it takes binary families alone. */
    void (*observe_sums)(xp_sampler *sampler, size_t arm, double count, double sum,
                         double deviations);
    bool (*draw)(xp_sampler *sampler, xp_rng *rng, double *theta);
    size_t (*act)(xp_sampler *sampler, xp_rng *rng);              /* NULL: argmax of a draw */
    void (*action_law)(xp_sampler *sampler, double *probability); /* NULL: counted from draws */
    /* Mutable state beside the counts, which sampler.c walks; NULL: there is none. */
    void (*archive)(xp_sampler *sampler, xp__archive *archive);
} xp__sampler_type;

struct xp_sampler {
    const xp__sampler_type *type;
    const xp_prior *prior;
    size_t arms;
    double *successes, *failures; /* K each */
    double *theta;                /* K: scratch for act */
    void *aside;                  /* a chain's state, while it is asked for its law */
    size_t aside_bytes;
    uint64_t gave_up; /* draws that failed when it acted, since it was created */
};

/* Default parameters of the named sampler; the parameters of a spec; and a sampler from parameters,
 * NULL meaning the defaults. */
xp_status xp__sampler_params_default(const char *name, xp__params *params, xp_error *error);
xp_status xp__sampler_params_read(const char *spec, xp__params *params, xp_error *error);
xp_status xp__sampler_create(const char *name, const xp__params *params, const xp_prior *prior,
                             xp_sampler **sampler, xp_error *error);
/* The type of that name, or NULL. */
const xp__sampler_type *xp__sampler_find(const char *name);

/* Walks all that rewards and draws have changed (base/archive.h). */
void xp__sampler_archive(xp_sampler *sampler, xp__archive *archive);
/* As xp_sampler_observe, for an arm that exists. */
void xp__sampler_observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success);
/* Tells it of so many rewards of an arm, in any order. What that costs does not grow with their
 * number. */
void xp__sampler_observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t successes,
                              uint64_t failures);
/* Tells it of one reward, which must be one of the prior's family; a binary family may round it at
 * random. */
void xp__sampler_observe_reward(xp_sampler *sampler, xp_rng *rng, size_t arm, double reward);
/* The same for `count` rewards that add up to `sum`; `squares` is Σ reward², NAN where the family
 * does not need it. */
void xp__sampler_observe_sums(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t count,
                              double sum, double squares);

/* For an implementation that keeps nothing but the counts: its reset, and its observe. */
void xp__sampler_reset_nothing(xp_sampler *sampler, xp_rng *rng);
void xp__sampler_observe_nothing(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success);

extern const xp__sampler_type *const xp__sampler_types[];
extern const size_t xp__sampler_type_count;

#endif
