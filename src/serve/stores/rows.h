/* rows.h: rows from the columns of a statement, in an order that all stores share. */
#ifndef XP_SERVE_STORES_ROWS_H
#define XP_SERVE_STORES_ROWS_H

#include "serve/stores/store.h"

#define SERVE_EXPERIMENT_COLUMNS                                                                   \
    "key, id, name, seed, state, shadow, created, decisions, rewards, reward_sum, expert_sum, "    \
    "model, retain, base, first"
#define SERVE_MODEL_COLUMNS "document, retired"
#define SERVE_COUNT_COLUMNS                                                                        \
    "segment, action, decisions, rewards, reward_sum, reward_squares, base_rewards, base_sum, "    \
    "base_squares"
#define SERVE_DECISION_COLUMNS                                                                     \
    "d.number, d.time, d.segment, d.model, d.version, d.action, d.probability, d.candidates, "     \
    "d.chosen, r.reward, r.time"
#define SERVE_REWARD_COLUMNS "number, sequence, time, segment, action, reward"
#define SERVE_POINT_COLUMNS  "rewards, reward_sum, expert_sum, time"
#define SERVE_TOKEN_COLUMNS  "id, name, scope, hash, created, revoked"

/* The row that a statement is at. NULL reads as 0, and as NULL where it is asked for as bytes.
 * Texts end with a 0 that is not counted; they are gone with the row. */
typedef struct serve_columns serve_columns;
struct serve_columns {
    bool (*is_null)(const serve_columns *self, int column);
    int64_t (*integer)(const serve_columns *self, int column);
    double (*real)(const serve_columns *self, int column);
    const char *(*bytes)(const serve_columns *self, int column, size_t *count);
};

void serve_row_experiment(const serve_columns *from, serve_experiment *row);
/* False if memory ran out, here and below: then there is nothing to free. */
bool serve_row_model(const serve_columns *from, serve_model_row *row);
/* Its segment is gone with the row. */
void serve_row_count(const serve_columns *from, serve_count *row);
bool serve_row_decision(const serve_columns *from, serve_decision *row);
void serve_row_reward(const serve_columns *from, serve_reward *row);
void serve_row_point(const serve_columns *from, serve_point *row);
void serve_row_token(const serve_columns *from, serve_token *row);

#endif
