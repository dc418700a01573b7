/* manage.h: what administrators do with experiments. */
#ifndef XP_SERVE_EXPERIMENTS_MANAGE_H
#define XP_SERVE_EXPERIMENTS_MANAGE_H

#include "serve/experiments/book.h"

typedef struct serve_create {
    char *name;     /* shorter than SERVE_NAME_SIZE; the caller's */
    char *document; /* of the model, as serve_model_write gives it; the caller's */
    size_t bytes;
    uint64_t seed;
    bool shadow;
    uint64_t retain; /* seconds; 0: for ever */
} serve_create;

/* `id` has SERVE_ID_SIZE bytes, and is filled by the caller with serve_id_draw. */
serve_outcome serve_experiment_create(serve_book *book, const serve_create *request, const char *id,
                                      serve_problem *problem);
serve_outcome serve_experiment_pause(serve_book *book, const char *id, bool paused,
                                     serve_problem *problem);
serve_outcome serve_experiment_delete(serve_book *book, const char *id, serve_problem *problem);

typedef enum serve_arm_change {
    SERVE_ARM_ADD,
    SERVE_ARM_RETIRE,
    SERVE_ARM_RESTORE
} serve_arm_change;

/* A new version of the model: one more arm, which the experts chose so many times, or an arm that
 * is taken no more, or again. */
serve_outcome serve_arm_set(serve_book *book, const char *id, serve_arm_change change,
                            const char *arm, uint64_t choices, serve_problem *problem);

/* Deletes decisions that are older than their experiment keeps them, and rows of deleted
 * experiments; at most about `limit` rows each. `more` if there is more to do. */
serve_outcome serve_experiments_trim(serve_book *book, size_t limit, bool *more,
                                     serve_problem *problem);

/* 16 random characters, and a random seed below 2^53. False if the system has no randomness. */
bool serve_id_draw(char *id);
bool serve_seed_draw(uint64_t *seed);

#endif
