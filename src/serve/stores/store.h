/* store.h: where experiments, decisions and rewards are kept: what a store must do.
 *
 * A store is one connection and belongs to one thread. Everything between `begin` and `commit` is
 * durable together or not at all. A function returns false when the store itself failed (a full
 * disk, a lost server): `message` then says why, and the caller rolls back. That a row does not
 * exist is no failure.
 *
 * Invariants of the rows: the decisions of an experiment are numbered from 1 in the order in which
 * they were made; `version` of a decision is how many rewards the experiment had by then; rewards
 * are numbered from 1 in the order in which they were taken (`sequence`). So the counts that a
 * decision saw are the sums over the rewards with sequence <= version. Retention may delete
 * decisions: the counts at version `base` then stand for the rewards up to it. */
#ifndef XP_SERVE_STORES_STORE_H
#define XP_SERVE_STORES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SERVE_ID_SIZE = 17,       /* of an experiment: 16 characters */
    SERVE_NAME_SIZE = 1025,   /* of an experiment: 256 characters of up to 4 bytes */
    SERVE_SEGMENT_SIZE = 513, /* of a segment: 128 of them */
    SERVE_HASH_SIZE = 32,     /* of a token */
    SERVE_SCHEMA = 1,         /* version of the tables */
};

typedef enum serve_state { SERVE_RUNNING, SERVE_PAUSED, SERVE_DELETED } serve_state;

typedef struct serve_experiment {
    int64_t key; /* of the store; `id` is the interface's */
    char id[SERVE_ID_SIZE];
    char name[SERVE_NAME_SIZE];
    uint64_t seed;
    serve_state state;
    bool shadow;
    int64_t created;    /* milliseconds since 1970 */
    uint64_t decisions; /* numbers given out so far */
    uint64_t rewards;   /* taken so far: the version */
    double reward_sum;
    double expert_sum; /* importance-weighted estimate of what the experts would have earned */
    uint32_t model;    /* current version of the model, from 1 */
    uint64_t retain;   /* seconds for which decisions are kept; 0: for ever */
    uint64_t base;     /* version of the base counts */
    uint64_t first;    /* number of the first decision that is kept, from 1 */
} serve_experiment;

/* A version of the model: the document, and the arms that are retired ("1,4"). */
typedef struct serve_model_row {
    char *document, *retired; /* for free() */
    size_t bytes;
} serve_model_row;

/* The statistics of one arm in one segment ("" where decisions named none). */
typedef struct serve_count {
    const char *segment; /* belongs to whoever hands the row over */
    uint32_t action;
    uint64_t decisions, rewards;
    double sum, squares;   /* of the rewards */
    uint64_t base_rewards; /* at version `base` */
    double base_sum, base_squares;
} serve_count;

typedef struct serve_decision {
    uint64_t number;
    int64_t time;
    char segment[SERVE_SEGMENT_SIZE];
    uint32_t model;
    uint64_t version;
    uint32_t action;
    double probability;
    char *candidates; /* "0,2", or NULL: all. Rows that are read own it, for free() */
    int64_t chosen;   /* what the human chose, in shadow mode; else -1 */
    bool rewarded;    /* set by the functions that read */
    double reward;
    int64_t reward_time;
} serve_decision;

typedef struct serve_reward {
    uint64_t number, sequence;
    int64_t time;
    char segment[SERVE_SEGMENT_SIZE];
    uint32_t action;
    double reward;
} serve_reward;

typedef struct serve_point { /* of the curve of an experiment */
    uint64_t rewards;
    double reward_sum, expert_sum;
    int64_t time;
} serve_point;

typedef struct serve_token {
    char id[SERVE_ID_SIZE];
    char name[SERVE_NAME_SIZE];
    int scope; /* protocol/tokens.h */
    unsigned char hash[SERVE_HASH_SIZE];
    int64_t created;
    bool revoked;
} serve_token;

/* What a group is going to look for: an experiment, and beside it a request_id, or a decision. */
typedef struct serve_wanted {
    const char *experiment; /* its id */
    const char *request;    /* NULL: none */
    uint64_t number;        /* 0: none */
} serve_wanted;

typedef struct serve_store serve_store;

typedef struct serve_store_type {
    void (*close)(serve_store *store);

    /* A group. `writes` false promises to read only. */
    bool (*begin)(serve_store *store, bool writes);
    bool (*commit)(serve_store *store);
    void (*rollback)(serve_store *store);
    /* At the beginning of a group that writes: finds at once what the group will look for one by
     * one, and locks the experiments in an order that is the same for all. It changes no result.
     * NULL where looking for one costs no more. */
    bool (*expect)(serve_store *store, const serve_wanted *wanted, size_t count);
    /* At the beginning of a group: whether no other connection has changed anything since the last
     * group of this one, so that what is known from then still holds. NULL where it cannot tell. */
    bool (*unchanged)(serve_store *store);

    bool (*experiment_add)(serve_store *store, serve_experiment *row); /* sets the key */
    /* Finds and, in a group that writes, locks until its end. A deleted one is not found. */
    bool (*experiment_find)(serve_store *store, const char *id, serve_experiment *row, bool *found);
    bool (*experiment_update)(serve_store *store, const serve_experiment *row);
    bool (*experiment_each)(serve_store *store, bool (*see)(void *, const serve_experiment *),
                            void *context);
    bool (*model_add)(serve_store *store, int64_t experiment, uint32_t version,
                      const serve_model_row *row, int64_t time);
    bool (*model_find)(serve_store *store, int64_t experiment, uint32_t version,
                       serve_model_row *row, bool *found);
    bool (*count_each)(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_count *), void *context);
    bool (*count_set)(serve_store *store, int64_t experiment, const serve_count *row);
    bool (*decision_add)(serve_store *store, int64_t experiment, const serve_decision *row);
    bool (*decision_find)(serve_store *store, int64_t experiment, uint64_t number,
                          serve_decision *row, bool *found);
    /* Those numbered above `after`, in order, at most `limit`. */
    bool (*decision_each)(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                          bool (*see)(void *, const serve_decision *), void *context);
    bool (*request_add)(serve_store *store, int64_t experiment, const char *request,
                        uint64_t number, uint64_t count);
    bool (*request_find)(serve_store *store, int64_t experiment, const char *request,
                         uint64_t *number, uint64_t *count, bool *found);
    bool (*reward_add)(serve_store *store, int64_t experiment, const serve_reward *row);
    /* Those with a sequence above `after`, in order, at most `limit`. */
    bool (*reward_each)(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                        bool (*see)(void *, const serve_reward *), void *context);
    bool (*point_add)(serve_store *store, int64_t experiment, const serve_point *row);
    bool (*point_each)(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_point *), void *context);
    /* Deletes decisions numbered below `first`, their requests, and their rewards up to `base`. */
    bool (*trim)(serve_store *store, int64_t experiment, uint64_t first, uint64_t base);
    /* Deletes some rows of deleted experiments; `more` if there are others. */
    bool (*sweep)(serve_store *store, size_t limit, bool *more);

    /* Writes something as it is, so that it is known whether the store can be written. */
    bool (*touch)(serve_store *store);
    /* Moves what was committed from the log to its place, without holding up other connections.
     * NULL where the store does so by itself. */
    bool (*tidy)(serve_store *store);

    bool (*token_add)(serve_store *store, const serve_token *row);
    bool (*token_revoke)(serve_store *store, const char *id, bool *found);
    bool (*token_each)(serve_store *store, bool (*see)(void *, const serve_token *), void *context);
} serve_store_type;

struct serve_store {
    const serve_store_type *type;
    char message[256];
    bool lost;      /* the connection is gone; another one may work at once */
    bool uncertain; /* the commit that failed may have happened */
};

/* How much a commit waits for: the disk (full), the disk at checkpoints only (normal), nothing. */
typedef enum serve_sync { SERVE_SYNC_FULL, SERVE_SYNC_NORMAL, SERVE_SYNC_OFF } serve_sync;

typedef struct serve_store_options {
    const char *place; /* a file, or postgresql://… */
    bool create;       /* where it does not exist */
    bool tidied;       /* another connection calls `tidy` now and then, so that commits need not */
    serve_sync sync;
} serve_store_options;

/* Opens a store and brings its tables up to SERVE_SCHEMA. NULL, and a sentence in `message`, if it
 * cannot be opened, is none, or was written by a newer version. */
serve_store *serve_store_open(const serve_store_options *options, char *message, size_t room);
serve_store *serve_sqlite_open(const serve_store_options *options, char *message, size_t room);
serve_store *serve_postgresql_open(const serve_store_options *options, char *message, size_t room);

#endif
