/* postgresql_ahead.c: what a group will look for is found by three statements instead of one per
 * row: its experiments (and their locks), its requests, the decisions it has rewards for.
 *
 * Keys point into the jobs of the group, which outlive it. A row that the group changes is marked:
 * from then on the store is asked. */
#include "serve/stores/postgresql.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096, MOST_ITEMS = 32768, RESULTS = 3 };

typedef enum kind { EXPERIMENT, REQUEST, DECISION } kind;

typedef struct item {
    kind kind;
    bool changed;
    int64_t experiment; /* 0 for an experiment itself */
    uint64_t number;    /* of a decision, else 0 */
    const char *text;   /* id or request; "" for a decision */
    int row;            /* in the result of its kind; -1: there is none */
    uint32_t next;      /* in its slot, from 1; 0 at the end */
} item;

struct serve_pg_ahead {
    PGresult *result[RESULTS];
    item *items;
    uint32_t count, room;
    uint32_t slots[SLOTS]; /* from 1 */
};

serve_pg_ahead *serve_pg_ahead_create(void) {
    return calloc(1, sizeof(serve_pg_ahead));
}

void serve_pg_ahead_clear(serve_pg_ahead *ahead) {
    for (size_t i = 0; i < RESULTS; i++) {
        PQclear(ahead->result[i]);
        ahead->result[i] = NULL;
    }
    if (ahead->count > 0) {
        memset(ahead->slots, 0, sizeof ahead->slots);
    }
    ahead->count = 0;
}

void serve_pg_ahead_destroy(serve_pg_ahead *ahead) {
    if (ahead != NULL) {
        serve_pg_ahead_clear(ahead);
        free(ahead->items);
        free(ahead);
    }
}

static uint32_t slot_of(const item *key) {
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (const char *c = key->text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    }
    hash = (hash ^ (uint32_t)key->experiment) * 16777619U;
    hash = (hash ^ (uint32_t)key->number) * 16777619U;
    return (hash ^ hash >> 15 ^ (uint32_t)key->kind) % SLOTS;
}

static item *find(serve_pg_ahead *ahead, const item *key) {
    uint32_t at = ahead->slots[slot_of(key)];
    while (at != 0) {
        item *one = &ahead->items[at - 1];
        if (one->kind == key->kind && one->experiment == key->experiment &&
            one->number == key->number && strcmp(one->text, key->text) == 0) {
            return one;
        }
        at = one->next;
    }
    return NULL;
}

/* NULL if it is there already, or there is no room for more: then it is looked for by itself. */
static item *add(serve_pg_ahead *ahead, const item *key) {
    if (find(ahead, key) != NULL || ahead->count == MOST_ITEMS) {
        return NULL;
    }
    if (ahead->count == ahead->room) {
        const uint32_t room = ahead->room > 0 ? 2 * ahead->room : 256;
        item *more = realloc(ahead->items, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        ahead->items = more;
        ahead->room = room;
    }
    item *one = &ahead->items[ahead->count++];
    *one = *key;
    one->row = -1;
    uint32_t *slot = &ahead->slots[slot_of(key)];
    one->next = *slot;
    *slot = ahead->count;
    return one;
}

static bool tell(serve_pg_ahead *ahead, const item *key, serve_pg_found *found) {
    const item *one = find(ahead, key);
    if (one == NULL || one->changed) {
        return false;
    }
    *found = (serve_pg_found){.result = ahead->result[key->kind], .row = one->row};
    return true;
}

static item experiment_key(const char *id) {
    return (item){.kind = EXPERIMENT, .text = id};
}

static item request_key(int64_t experiment, const char *request) {
    return (item){.kind = REQUEST, .experiment = experiment, .text = request};
}

static item decision_key(int64_t experiment, uint64_t number) {
    return (item){.kind = DECISION, .experiment = experiment, .number = number, .text = ""};
}

bool serve_pg_ahead_experiment(serve_pg_ahead *ahead, const char *id, serve_pg_found *found) {
    const item key = experiment_key(id);
    return tell(ahead, &key, found);
}

bool serve_pg_ahead_request(serve_pg_ahead *ahead, int64_t experiment, const char *request,
                            serve_pg_found *found) {
    const item key = request_key(experiment, request);
    return tell(ahead, &key, found);
}

bool serve_pg_ahead_decision(serve_pg_ahead *ahead, int64_t experiment, uint64_t number,
                             serve_pg_found *found) {
    const item key = decision_key(experiment, number);
    return tell(ahead, &key, found);
}

static bool change(serve_pg_ahead *ahead, const item *key) {
    item *one = find(ahead, key);
    const bool before = one == NULL || one->changed;
    if (one != NULL) {
        one->changed = true;
    }
    return before;
}

bool serve_pg_ahead_change_experiment(serve_pg_ahead *ahead, const char *id) {
    const item key = experiment_key(id);
    return change(ahead, &key);
}

void serve_pg_ahead_change_request(serve_pg_ahead *ahead, int64_t experiment, const char *request) {
    const item key = request_key(experiment, request);
    (void)change(ahead, &key);
}

void serve_pg_ahead_change_decision(serve_pg_ahead *ahead, int64_t experiment, uint64_t number) {
    const item key = decision_key(experiment, number);
    (void)change(ahead, &key);
}

/* Locks the experiments, and reads their rows. */
static bool find_experiments(serve_postgresql *self, const serve_wanted *wanted, size_t count) {
    serve_pg_ahead *ahead = self->ahead;
    serve_pg_array ids = {.data = NULL};
    for (size_t i = 0; i < count; i++) {
        const item key = experiment_key(wanted[i].experiment);
        if (add(ahead, &key) != NULL) {
            serve_pg_array_text(&ids, wanted[i].experiment);
        }
    }
    PGresult *result = NULL;
    const bool asked = ids.count > 0;
    if (asked) {
        result = serve_pg_ask(self, PG_EXPERIMENTS_LOCK, "a", &ids);
    }
    serve_pg_array_free(&ids);
    ahead->result[EXPERIMENT] = result;
    for (int row = 0; result != NULL && row < PQntuples(result); row++) {
        const item key = experiment_key(PQgetvalue(result, row, 1));
        item *one = find(ahead, &key);
        if (one != NULL) {
            one->row = row;
        }
    }
    return !asked || result != NULL;
}

/* The key of an experiment that was found; 0 if there is none. */
static int64_t key_of(serve_pg_ahead *ahead, const char *id) {
    const item key = experiment_key(id);
    const item *one = find(ahead, &key);
    return one != NULL && one->row >= 0 ? serve_pg_integer(ahead->result[EXPERIMENT], one->row, 0)
                                        : 0;
}

/* Reads rows of one kind. The statement numbers the pairs it was asked for from 1, in its last
 * column. */
static bool find_rows(serve_postgresql *self, const serve_wanted *wanted, size_t count, kind what) {
    serve_pg_ahead *ahead = self->ahead;
    serve_pg_array experiments = {.data = NULL}, others = {.data = NULL};
    const uint32_t first = ahead->count;
    for (size_t i = 0; i < count; i++) {
        const bool meant = what == REQUEST ? wanted[i].request != NULL : wanted[i].number > 0;
        const int64_t experiment = meant ? key_of(ahead, wanted[i].experiment) : 0;
        const item key = what == REQUEST ? request_key(experiment, wanted[i].request)
                                         : decision_key(experiment, wanted[i].number);
        if (experiment == 0 || add(ahead, &key) == NULL) {
            continue;
        }
        serve_pg_array_integer(&experiments, experiment);
        if (what == REQUEST) {
            serve_pg_array_text(&others, wanted[i].request);
        } else {
            serve_pg_array_integer(&others, (int64_t)wanted[i].number);
        }
    }
    PGresult *result = NULL;
    const bool asked = experiments.count > 0;
    if (asked) {
        result = serve_pg_ask(self, what == REQUEST ? PG_REQUESTS_FIND : PG_DECISIONS_FIND, "aa",
                              &experiments, &others);
    }
    serve_pg_array_free(&experiments);
    serve_pg_array_free(&others);
    ahead->result[what] = result;
    for (int row = 0; result != NULL && row < PQntuples(result); row++) {
        const int64_t place = serve_pg_integer(result, row, PQnfields(result) - 1);
        if (place >= 1 && first + (uint32_t)place <= ahead->count) {
            ahead->items[first + (uint32_t)place - 1].row = row;
        }
    }
    return !asked || result != NULL;
}

bool serve_pg_expect(serve_store *store, const serve_wanted *wanted, size_t count) {
    serve_postgresql *self = (serve_postgresql *)store;
    return find_experiments(self, wanted, count) && find_rows(self, wanted, count, REQUEST) &&
           find_rows(self, wanted, count, DECISION);
}
