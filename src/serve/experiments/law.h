/* law.h: decisions as pure functions.
 *
 * The law of an experiment's segment, the probability of each arm, is a function of the model, the
 * counts of rewards and the experiment's seed. An action is drawn from it with a stream of random
 * numbers that is named by the seed and the number of the decision. What is kept here is a cache:
 * it is always made from the counts in the same order of operations, never updated by single
 * rewards, so that every process finds the same bits. */
#ifndef XP_SERVE_EXPERIMENTS_LAW_H
#define XP_SERVE_EXPERIMENTS_LAW_H

#include "experior/session.h"
#include "serve/stores/store.h"

/* Draws from the posterior that the law among candidates, and the bands, are counted from. */
enum { SERVE_DRAWS = 1000 };

typedef struct serve_law serve_law;

/* `model` and `segment` must outlive it. Of a model with segments, `segment` says whose prior it
 * starts from; "" is the overall one. NULL on failure. */
serve_law *serve_law_create(const xp_model *model, uint64_t seed, const char *segment,
                            xp_error *error);
void serve_law_destroy(serve_law *law);
/* Gives nearly all of its memory back. What it was asked before is still known; for more it is made
 * anew from the counts. */
void serve_law_rest(serve_law *law);
bool serve_law_is_awake(const serve_law *law);
/* Tells it the counts, one per arm. */
bool serve_law_tell(serve_law *law, const serve_count *counts, xp_error *error);
/* The law; `open` says which arms may be taken, NULL meaning all. With some closed it is the
 * probability that an arm is the best of those that are open. Belongs to the law, until it is told
 * or asked again. NULL on failure. */
const double *serve_law_among(serve_law *law, const bool *open, xp_error *error);
/* Mean of every arm's reward, and the 5th and 95th percentile, under the posterior. False for an
 * agent that keeps none. */
bool serve_law_bands(serve_law *law, double *mean, double *low, double *high);
/* Whether the agent can use the reward. Forgets what it was told. */
bool serve_law_takes(serve_law *law, uint32_t action, double reward, xp_error *error);

/* The action of a decision; `arms` if there is none. */
size_t serve_law_draw(const double *probability, size_t arms, uint64_t seed, uint64_t number);

#endif
