/* models.h: the models of experiments: from counted choices or from a document; one more arm. */
#ifndef XP_SERVE_EXPERIMENTS_MODELS_H
#define XP_SERVE_EXPERIMENTS_MODELS_H

#include "experior/model.h"

#include "serve/experiments/problem.h"
#include "serve/stores/store.h"

enum { SERVE_MOST_ARMS = 1024 };

/* A model is fitted to how often the experts chose each of the named arms. */
serve_outcome serve_model_fit(size_t arms, const char *const *names, const uint64_t *choices,
                              xp_model **model, serve_problem *problem);
/* Reads the text of a model file; bandits only. */
serve_outcome serve_model_read(const char *text, size_t bytes, xp_model **model,
                               serve_problem *problem);
/* The model with one more arm, which the experts chose so many times. */
serve_outcome serve_model_extend(const xp_model *old, const char *name, uint64_t choices,
                                 xp_model **model, serve_problem *problem);
/* Its text, for xp_release. */
serve_outcome serve_model_write(const xp_model *model, char **text, size_t *bytes,
                                serve_problem *problem);
/* An arm's name; a number stands for one without. `room` has at least 24 bytes. */
const char *serve_arm_name(const xp_model *model, size_t arm, char *room);

#endif
