/* problem.h: problems: a distribution over tasks and what experts did on it.
 *
 * Problem i of a seed is drawn from fork(seed, i): its environment from fork(…, 0), demonstrations
 * from fork(…, 1), tasks from fork(…, 2), stochastic fits from fork(…, 3). The number of arms is no
 * part of the stream's name, so a bandit of K + 1 arms is the one of K arms and one arm more. */
#ifndef XP_RUN_PROBLEM_H
#define XP_RUN_PROBLEM_H

#include "base/params.h"
#include "experior/demos.h"

/* Groups by the entropy in bits of the optimal experts' choices: low < 0.8, mid, high > 1.6. */
enum { XP__LOW, XP__MID, XP__HIGH, XP__GROUPS };
extern const char *const xp__group_name[XP__GROUPS];

enum { XP__SETTING = 160 };

typedef struct xp__problem {
    uint64_t seed;
    size_t index;              /* number of the draw */
    char setting[XP__SETTING]; /* environment and the parameters given: "deep_sea:goal=any" */
    xp_rng stream;
    const xp_env *env;
    xp_env *own_env; /* the same, unless it is borrowed */
    double entropy;  /* of the choices of optimal experts, bits */
    size_t group;
} xp__problem;

/* Draws problem `index` of the seed; its entropy is not measured yet. Free with deinit. */
xp_status xp__problem_init(xp__problem *problem, uint64_t seed, size_t index, const char *env,
                           const xp__params *params, xp_error *error);
/* The same for an environment of the caller's, which must outlive it. */
xp_status xp__problem_borrow(xp__problem *problem, uint64_t seed, size_t index, const xp_env *env);
/* The same for one that becomes the problem's and is destroyed with it; `setting` names
 * it. */
void xp__problem_adopt(xp__problem *problem, uint64_t seed, size_t index, const char *setting,
                       xp_env *env);
void xp__problem_deinit(xp__problem *problem);
/* Draws `count` demonstrations. Experts see the same contexts as far as they draw alike. */
xp_status xp__problem_demos(const xp__problem *problem, const char *expert,
                            const xp__params *params, uint64_t count, xp_demos **demos,
                            xp_error *error);
/* The same by an expert of the caller's. */
xp_status xp__problem_demos_of(const xp__problem *problem, const xp_expert *expert, uint64_t count,
                               xp_demos **demos, xp_error *error);
/* The same, all in the context of its task number `task`. */
xp_status xp__problem_own_demos(const xp__problem *problem, size_t task, const char *expert,
                                const xp__params *params, uint64_t count, xp_demos **demos,
                                xp_error *error);
/* Stream of its tasks, and of the stochastic fit named by a hash. */
xp_rng xp__problem_tasks(const xp__problem *problem);
xp_rng xp__problem_fit(const xp__problem *problem, uint64_t name);

/* Several problems of one kind, in order of their draw. Arms, groups and frequencies are those of
 * bandits. */
typedef struct xp__problem_set {
    size_t arms;
    xp__problem *problems;
    size_t count;
    bool stratified;
    size_t drawn;                 /* problems looked at */
    double frequency[XP__GROUPS]; /* how common each group is among them */
} xp__problem_set;

/* What to select: the first `quota[g]` problems of each group, or, when all are zero, the first
 * `first` of any. */
typedef struct xp__selection {
    size_t arms;
    size_t quota[XP__GROUPS];
    size_t first;
    uint64_t demonstrations; /* for the entropy */
} xp__selection;

xp_status xp__problem_set_init(xp__problem_set *set, uint64_t seed, const xp__selection *selection,
                               xp_error *error);
/* Problems first .. first + count - 1 of any environment; nothing is known of their entropy. */
xp_status xp__problem_set_list(xp__problem_set *set, uint64_t seed, const char *env,
                               const xp__params *params, size_t first, size_t count,
                               xp_error *error);
/* The same of environments that `create` makes from `context`, one per problem. */
typedef xp_status xp__env_maker(const void *context, xp_env **env, xp_error *error);
xp_status xp__problem_set_make(xp__problem_set *set, uint64_t seed, const char *setting,
                               xp__env_maker *create, const void *context, size_t first,
                               size_t count, xp_error *error);
void xp__problem_set_deinit(xp__problem_set *set);
/* Problems of a group in the set. */
size_t xp__problem_set_size(const xp__problem_set *set, size_t group);

/* Entropy of n counts, bits. */
double xp__entropy_bits(const uint64_t *counts, size_t n);
size_t xp__entropy_group(double bits);

#endif
