/* contexts.h: the contexts that an environment can list, seen from outside any task.
 *
 * An xp__contexts is a model of all of them: what each would look like, what an expert would do in
 * it, what the best policy is. It knows the family of tasks and nothing of a task: which of the
 * contexts is the hidden one cannot be asked here, so agents may include this header.
 *
 * The reference distribution mu0 over the contexts is uniform. An environment lists all contexts
 * that its family can have, not those that its task distribution draws: telling these apart is what
 * the demonstrations are for. */
#ifndef XP_ENV_CONTEXTS_H
#define XP_ENV_CONTEXTS_H

#include "base/archive.h"
#include "experior/env.h"

typedef struct xp__contexts xp__contexts;

/* A whole episode of an expert: `length` states and the actions taken in them. */
typedef struct xp__shown {
    const double *states; /* length × state_size */
    const uint32_t *actions;
    size_t length;
} xp__shown;

/* A step of an episode as the learner saw it. */
typedef struct xp__seen {
    const double *state;
    size_t action;
    double reward;
    const double *next_state;
    bool done;
} xp__seen;

/* An expert as a rule over optimal action values: the log-probability of an action. */
typedef double (*xp__choice)(const void *expert, const double *q, size_t actions, size_t action);

/* A deterministic policy: the action in a state as the learner sees it (NULL in a bandit). */
typedef size_t (*xp__policy)(void *context, const double *state);

/* A model of the contexts of `env`, which must be able to list them (xp_env_info.contexts > 0) and
 * must outlive it. Destroy with xp__contexts_destroy. */
xp_status xp__contexts_create(const xp_env *env, xp__contexts **contexts, xp_error *error);
void xp__contexts_destroy(xp__contexts *contexts); /* NULL is fine */
size_t xp__contexts_count(const xp__contexts *contexts);

/* log m(c) of Proposition 1 for each of `count` episodes under each context, count × contexts: the
 * probability of the expert's actions and of where they led. States must be states of the
 * environment. -INFINITY where a context cannot show the episode. Forgets the plan. */
void xp__contexts_likelihood(xp__contexts *contexts, const xp__shown *episodes, size_t count,
                             xp__choice choice, const void *expert, double *log_likelihood);

/* Makes the best policy of a learner who knows that context number `context` holds. */
void xp__contexts_plan(xp__contexts *contexts, size_t context);
/* The planned context's action values in a state for that learner, given what the episode has shown
 * so far. */
void xp__contexts_values(xp__contexts *contexts, const double *state, double *q);

/* An episode starts. */
void xp__contexts_begin(xp__contexts *contexts);
/* Adds the log-probability of a step under each context, given the earlier steps of the episode.
 * A context's reward that differs from the one seen by more than `tolerance` rules the context out:
 * rewards are functions of context, state and action here. */
void xp__contexts_observe(xp__contexts *contexts, const xp__seen *step, double tolerance,
                          double *log_likelihood);
/* Walks what the episode has shown so far (base/archive.h). The plan is not part of it. */
void xp__contexts_archive(xp__contexts *contexts, xp__archive *archive);

#endif
