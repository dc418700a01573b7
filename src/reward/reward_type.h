/* reward_type.h: what arms pay: families of rewards, and what an implementation provides: one file
 * src/reward/<name>.c with a `const xp__reward_type xp__reward_<name>`.
 *
 * A family is a likelihood of rewards given the mean θ of an arm, and an exchangeable reference
 * measure for the means. The reference is a mixture: a component h, shared numbers (a location, the
 * noise) given h, and then arms that are independent and identical. Each arm is the best one with
 * probability 1/K under every component and all shared numbers, so the closed-form tilt of the best
 * arm (prior/bandit/best_arm_dual.h) holds for every family. docs/method/reward.md has the
 * derivations.
 *
 * Binary families turn each reward into a success or a failure and use the samplers of Bernoulli
 * rewards; the others are sampled by sampler/pooled/pooled.c, which knows a family only by the
 * functions below. None of them allocates. */
#ifndef XP_REWARD_REWARD_TYPE_H
#define XP_REWARD_REWARD_TYPE_H

#include "experior/base.h"
#include "experior/rng.h"

#include <stddef.h>

typedef struct xp__reward_type xp__reward_type;

/* A family with its parameters; NAN: learned from the rewards. */
typedef struct xp__reward {
    const xp__reward_type *type;
    double location; /* mean of the arms' means */
    double scale;    /* standard deviation of the arms' means */
    double noise;    /* standard deviation of one reward of an arm */
} xp__reward;

/* What is kept of the rewards of one arm. */
typedef struct xp__reward_seen {
    double count, sum;
    double deviations; /* Σ (reward − mean)² */
} xp__reward_seen;

/* Sums over the arms are all that the shared numbers depend on. */
enum { XP__REWARD_TERMS = 5, XP__REWARD_NODES = 512, XP__REWARD_COMPONENTS = 128 };

/* What all arms share, given a component: location and noise, where the family has them. */
typedef struct xp__reward_shared {
    double location, noise;
    double log_weight; /* of a node of an integral over shared numbers */
} xp__reward_shared;

/* The law of an arm's mean given the shared numbers: two parameters, whose meaning is the family's
 * own. Equal parameters are equal laws. */
typedef struct xp__arm_law {
    double a, b;
} xp__arm_law;

struct xp__reward_type {
    const char *name;
    const char *summary;
    const xp_param *params; /* those of location, scale and noise that it has */
    size_t param_count;
    const char *takes; /* which rewards: "0 or 1" */
    double low, high;  /* range of an arm's mean, ends included where finite */
    bool (*legal)(double reward);
    /* Whether `count` rewards can add up to `sum`, with Σ reward² = `squares` unless it is NAN. */
    bool (*legal_sum)(double count, double sum, double squares);
    double (*draw_reward)(xp_rng *rng, double mean, double noise);

    /* Binary families: a success with probability `reward`. NULL: the family is not binary. */
    bool (*success)(xp_rng *rng, double reward);

    /* All that follows is for families that are not binary. */
    bool (*needs_squares)(const xp__reward *reward); /* more than the sum of many rewards */
    /* XP_ERR_INPUT if location, scale and noise do not go together. */
    xp_status (*check)(const xp__reward *reward, xp_error *error);
    size_t (*components)(const xp__reward *reward); /* H, at most XP__REWARD_COMPONENTS */
    /* Contribution of an arm to the sums, under component h; zeros for an arm with no rewards. */
    void (*terms)(const xp__reward *reward, size_t h, const xp__reward_seen *seen,
                  double term[XP__REWARD_TERMS]);
    /* log of the weight of h times the density of all rewards under h, up to a constant that is
     * the same for every h. */
    double (*log_evidence)(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS]);
    /* Draws the shared numbers given h and the rewards. */
    xp__reward_shared (*draw_shared)(const xp__reward *reward, size_t h,
                                     const double sum[XP__REWARD_TERMS], xp_rng *rng);
    /* Nodes of an integral over the shared numbers given h and the rewards, at most
     * XP__REWARD_NODES; their weights add up to one. Returns how many. */
    size_t (*shared_nodes)(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS],
                           xp__reward_shared *node);
    /* The law of an arm's mean given h, the shared numbers and its rewards. */
    xp__arm_law (*arm_law)(const xp__reward *reward, size_t h, const xp__reward_shared *shared,
                           const xp__reward_seen *seen);

    /* Laws are integrated over a coordinate u of the mean in which they look roughly normal. */
    double (*value)(double u);
    double low_u;                                                 /* where u begins */
    void (*spot)(xp__arm_law law, double *center, double *width); /* of the law, in u */
    /* Density with respect to u and distribution function at n places u. */
    void (*tabulate)(xp__arm_law law, size_t n, const double *u, double *density,
                     double *distribution);
    double (*draw_mean)(xp__arm_law law, xp_rng *rng);
    double (*draw_mean_below)(xp__arm_law law, xp_rng *rng, double top);
};

extern const xp__reward_type *const xp__reward_types[];
extern const size_t xp__reward_type_count;

/* The family where none is named. */
extern const xp__reward_type xp__reward_bernoulli;

/* The type of that name, or NULL. */
const xp__reward_type *xp__reward_find(const char *name);
/* XP_ERR_INPUT if a parameter is out of range, not one of the family's, or does not go with the
 * others. */
xp_status xp__reward_check(const xp__reward *reward, xp_error *error);

/* No type is Bernoulli's. */
static inline bool xp__reward_binary(const xp__reward *reward) {
    return reward->type == NULL || reward->type->success != NULL;
}

/* Whether every parameter that the family has is given, so that nothing about it is learned. */
bool xp__reward_known(const xp__reward *reward);

/* Adds `count` rewards to what was seen; `deviations` are Σ (reward − their mean)². */
void xp__reward_add(xp__reward_seen *seen, double count, double sum, double deviations);
/* Draws a component, the shared numbers and the means of `arms` arms from the reference measure. */
xp__reward_shared xp__reward_draw(const xp__reward *reward, size_t arms, xp_rng *rng,
                                  double *theta);

#endif
