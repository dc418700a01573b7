/* manage.c: create, pause, delete, change the arms; forget what is old. */
#include "serve/experiments/manage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool serve_id_draw(char *id) {
    static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz"; /* 32; no i, l, o, u */
    unsigned char bytes[SERVE_ID_SIZE - 1];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        id[i] = letters[bytes[i] % 32];
    }
    id[sizeof bytes] = '\0';
    return true;
}

bool serve_seed_draw(uint64_t *seed) {
    const bool good = getrandom(seed, sizeof *seed, 0) == (ssize_t)sizeof *seed;
    *seed >>= 11;
    return good;
}

serve_outcome serve_experiment_create(serve_book *book, const serve_create *request, const char *id,
                                      serve_problem *problem) {
    (void)problem;
    serve_store *store = serve_book_store(book);
    serve_experiment row = {.seed = request->seed,
                            .shadow = request->shadow,
                            .created = serve_book_now(book),
                            .model = 1,
                            .retain = request->retain,
                            .first = 1};
    (void)snprintf(row.id, sizeof row.id, "%s", id);
    (void)snprintf(row.name, sizeof row.name, "%s", request->name);
    char none[] = "";
    const serve_model_row model = {
        .document = request->document, .bytes = request->bytes, .retired = none};
    return store->type->experiment_add(store, &row) &&
                   store->type->model_add(store, row.key, 1, &model, row.created)
               ? SERVE_DONE
               : SERVE_BROKEN;
}

/* Adds a version of the model to the store. */
static serve_outcome store_model(serve_book *book, int64_t experiment, uint32_t version,
                                 const xp_model *model, const bool *retired, size_t arms,
                                 serve_problem *problem) {
    serve_store *store = serve_book_store(book);
    char *text = NULL;
    size_t bytes;
    serve_outcome outcome = serve_model_write(model, &text, &bytes, problem);
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    serve_model_row row = {.document = text, .bytes = bytes};
    row.retired = serve_arms_format(retired, arms);
    if (row.retired == NULL) {
        outcome = serve_refuse(problem, 500, "out of memory");
    } else if (!store->type->model_add(store, experiment, version, &row, serve_book_now(book))) {
        outcome = SERVE_BROKEN;
    }
    free(row.retired);
    xp_release(text);
    return outcome;
}

serve_outcome serve_experiment_pause(serve_book *book, const char *id, bool paused,
                                     serve_problem *problem) {
    serve_entry *entry;
    const serve_outcome outcome = serve_book_find(book, id, &entry, problem);
    if (outcome == SERVE_DONE) {
        entry->row.state = paused ? SERVE_PAUSED : SERVE_RUNNING;
        entry->changed = true;
    }
    return outcome;
}

serve_outcome serve_experiment_delete(serve_book *book, const char *id, serve_problem *problem) {
    serve_entry *entry;
    const serve_outcome outcome = serve_book_find(book, id, &entry, problem);
    if (outcome == SERVE_DONE) {
        entry->row.state = SERVE_DELETED;
        entry->changed = true;
    }
    return outcome;
}

static serve_outcome check_arm(const serve_entry *entry, serve_arm_change change, const char *name,
                               size_t arm, serve_problem *problem) {
    if (change == SERVE_ARM_ADD) {
        return arm < entry->arms
                   ? serve_refuse(problem, 409, "there is an arm '%.200s' already", name)
                   : SERVE_DONE;
    }
    if (arm == entry->arms) {
        return serve_refuse(problem, 409, "there is no arm '%.200s'", name);
    }
    size_t left = 0;
    for (size_t i = 0; i < entry->arms; i++) {
        left += !entry->retired[i];
    }
    if (change == SERVE_ARM_RETIRE && left == 1 && !entry->retired[arm]) {
        return serve_refuse(problem, 409, "'%.200s' is the last arm; pause the experiment instead",
                            name);
    }
    return SERVE_DONE;
}

serve_outcome serve_arm_set(serve_book *book, const char *id, serve_arm_change change,
                            const char *name, uint64_t choices, serve_problem *problem) {
    serve_entry *entry;
    serve_outcome outcome = serve_book_find(book, id, &entry, problem);
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    const size_t arm = serve_entry_arm(entry, name);
    outcome = check_arm(entry, change, name, arm, problem);
    if (outcome != SERVE_DONE ||
        (arm < entry->arms && entry->retired[arm] == (change == SERVE_ARM_RETIRE))) {
        return outcome; /* refused, or as it is already */
    }
    xp_model *model = NULL;
    bool *retired = calloc(entry->arms + 1, sizeof *retired);
    if (retired == NULL) {
        return serve_refuse(problem, 500, "out of memory");
    }
    memcpy(retired, entry->retired, entry->arms * sizeof *retired);
    if (change == SERVE_ARM_ADD) {
        outcome = serve_model_extend(entry->model, name, choices, &model, problem);
    } else {
        retired[arm] = change == SERVE_ARM_RETIRE;
    }
    if (outcome == SERVE_DONE) {
        outcome =
            store_model(book, entry->row.key, entry->row.model + 1,
                        model != NULL ? model : entry->model, retired, entry->arms + 1, problem);
    }
    free(retired);
    xp_model_destroy(model);
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    entry->row.model++;
    entry->changed = true;
    /* What this group counted is written, then the entry is read again with its new arms. */
    if (!serve_book_flush(book)) {
        return SERVE_BROKEN;
    }
    serve_book_drop(book, id);
    return SERVE_DONE;
}

typedef struct trimming {
    int64_t cutoff;
    uint64_t first, base; /* of what is kept */
    bool found;
} trimming;

static bool see_old(void *context, const serve_decision *row) {
    trimming *self = context;
    self->found = row->time >= self->cutoff;
    if (self->found) {
        self->base = row->version;
    } else {
        self->first = row->number + 1;
    }
    return !self->found;
}

typedef struct folding {
    serve_book *book;
    serve_entry *entry;
    uint64_t to;
    bool good;
} folding;

/* Adds a reward to the base counts. */
static bool see_reward(void *context, const serve_reward *row) {
    folding *self = context;
    serve_segment *segment;
    serve_problem problem;
    if (row->sequence > self->to) {
        return false;
    }
    self->good = serve_entry_segment(self->book, self->entry, row->segment, true, &segment,
                                     &problem) == SERVE_DONE &&
                 row->action < self->entry->arms;
    if (self->good) {
        segment->counts[row->action].base_rewards++;
        segment->counts[row->action].base_sum += row->reward;
        segment->counts[row->action].base_squares += row->reward * row->reward;
        segment->changed[row->action] = segment->dirty = true;
    }
    return self->good;
}

static serve_outcome trim_one(serve_book *book, const char *id, size_t limit, bool *more,
                              serve_problem *problem) {
    serve_store *store = serve_book_store(book);
    serve_entry *entry;
    const serve_outcome outcome = serve_book_find(book, id, &entry, problem);
    if (outcome != SERVE_DONE) {
        return outcome == SERVE_REFUSED ? SERVE_DONE : outcome;
    }
    trimming old = {.cutoff = serve_book_now(book) - (int64_t)entry->row.retain * 1000,
                    .first = entry->row.first,
                    .base = entry->row.base};
    if (!store->type->decision_each(store, entry->row.key, entry->row.first - 1, limit, see_old,
                                    &old)) {
        return SERVE_BROKEN;
    }
    if (old.first == entry->row.first) {
        return SERVE_DONE;
    }
    if (!old.found) { /* all that were looked at are old: the next one that is kept is not known */
        serve_decision next;
        bool found;
        if (!store->type->decision_find(store, entry->row.key, old.first, &next, &found)) {
            return SERVE_BROKEN;
        }
        old.base = found ? next.version : entry->row.rewards;
        *more = *more || found;
        if (found) {
            free(next.candidates);
        }
    }
    folding fold = {.book = book, .entry = entry, .to = old.base, .good = true};
    if (!store->type->reward_each(store, entry->row.key, entry->row.base,
                                  (size_t)(old.base - entry->row.base), see_reward, &fold) ||
        !fold.good || !store->type->trim(store, entry->row.key, old.first, old.base)) {
        return SERVE_BROKEN;
    }
    entry->row.first = old.first;
    entry->row.base = old.base;
    entry->changed = true;
    return SERVE_DONE;
}

typedef struct listing {
    char (*ids)[SERVE_ID_SIZE];
    size_t count, room;
    bool good;
} listing;

static bool see_retaining(void *context, const serve_experiment *row) {
    listing *self = context;
    if (row->retain == 0 || row->decisions < row->first) {
        return true;
    }
    if (self->count == self->room) {
        self->room = self->room > 0 ? 2 * self->room : 16;
        char(*more)[SERVE_ID_SIZE] = realloc(self->ids, self->room * sizeof *more);
        self->good = more != NULL;
        if (!self->good) {
            return false;
        }
        self->ids = more;
    }
    memcpy(self->ids[self->count++], row->id, SERVE_ID_SIZE);
    return true;
}

serve_outcome serve_experiments_trim(serve_book *book, size_t limit, bool *more,
                                     serve_problem *problem) {
    serve_store *store = serve_book_store(book);
    listing list = {.good = true};
    bool rest = false;
    *more = false;
    serve_outcome outcome = store->type->experiment_each(store, see_retaining, &list) && list.good
                                ? SERVE_DONE
                                : SERVE_BROKEN;
    for (size_t i = 0; outcome == SERVE_DONE && i < list.count; i++) {
        outcome = trim_one(book, list.ids[i], limit, more, problem);
    }
    free(list.ids);
    if (outcome == SERVE_DONE && !store->type->sweep(store, limit, &rest)) {
        outcome = SERVE_BROKEN;
    }
    *more = *more || rest;
    return outcome;
}
