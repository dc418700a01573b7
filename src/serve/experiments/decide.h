/* decide.h: decisions and their rewards. */
#ifndef XP_SERVE_EXPERIMENTS_DECIDE_H
#define XP_SERVE_EXPERIMENTS_DECIDE_H

#include "serve/experiments/book.h"

enum { SERVE_MOST_DECISIONS = 1000, SERVE_MOST_REWARDS = 10000 };

typedef struct serve_decide {
    size_t count;      /* how many; 1 to SERVE_MOST_DECISIONS */
    char *segment;     /* "": none */
    char **candidates; /* names; NULL: all arms */
    size_t candidate_count;
    char *request_id; /* NULL: none */
    char *chosen;     /* what the human chose, in shadow mode; NULL */
} serve_decide;

typedef struct serve_decided {
    serve_entry *entry;
    size_t count;
    serve_decision *rows; /* `one`, or for free() */
    serve_decision one;
    bool again; /* a request that was answered before */
} serve_decided;

/* Makes decisions, or finds those of an earlier request with the same request_id. Deinit the result
 * whatever the outcome. */
serve_outcome serve_decisions_make(serve_book *book, const char *experiment,
                                   const serve_decide *request, serve_decided *result,
                                   serve_problem *problem);
void serve_decided_deinit(serve_decided *result);

typedef struct serve_reward_item {
    char experiment[SERVE_ID_SIZE];
    uint64_t number;
    double reward;
    serve_entry *entry; /* the rest is found on the way */
    serve_decision row;
    bool again;
} serve_reward_item;

/* Takes all rewards, or none. `again` counts those that were known with the same value. */
serve_outcome serve_rewards_take(serve_book *book, serve_reward_item *items, size_t count,
                                 size_t *again, serve_problem *problem);

/* The id of a decision, "experiment-number", and back. `room` has SERVE_ID_SIZE + 24 bytes. */
const char *serve_decision_id(const char *experiment, uint64_t number, char *room);
bool serve_decision_id_parse(const char *text, char *experiment, uint64_t *number);

#endif
