/* contents.c: what a store holds: how many units, of which studies, and what they took. Stores of
 * earlier programs keep units and not the names of studies: each study is then planned at each
 * scale, and its units are looked for. Studies share units, so one of which all finished units
 * belong to a finished study as well was not begun, and is not listed. */
#include "experior/aggregate.h"

#include "base/check.h"
#include "base/grow.h"
#include "run/store.h"
#include "study/study_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Distinct seeds of a store. */
typedef struct seeds {
    uint64_t seed[16];
    size_t count;
} seeds;

static xp_status note_seed(void *context, const xp__stored *stored, xp_error *error) {
    (void)error;
    seeds *self = context;
    bool known = self->count == sizeof self->seed / sizeof self->seed[0];
    for (size_t i = 0; !known && i < self->count; i++) {
        known = self->seed[i] == stored->seed;
    }
    if (!known) {
        self->seed[self->count++] = stored->seed;
    }
    return XP_OK;
}

/* Hashes of what units are filed under. */
typedef struct keys {
    uint64_t *hash;
    size_t count, room;
} keys;

static uint64_t hash_of(const char *key, const char *revision, uint64_t seed) {
    char name[XP__UNIT_KEY + XP__UNIT_REVISION + 32];
    (void)snprintf(name, sizeof name, "%s\n%s\n%llu", key, revision, (unsigned long long)seed);
    return xp__text_hash(name);
}

static bool has_key(const keys *self, uint64_t hash) {
    bool found = false;
    for (size_t i = 0; !found && i < self->count; i++) {
        found = self->hash[i] == hash;
    }
    return found;
}

static bool add_key(keys *self, uint64_t hash) {
    uint64_t *grown = xp__reserve(self->hash, &self->room, self->count + 1, sizeof *self->hash);
    if (grown != NULL) {
        self->hash = grown;
        self->hash[self->count++] = hash;
    }
    return grown != NULL;
}

/* How many units of a study there are, and how many of them the store has; their keys are added to
 * `into`, if it is not NULL. */
static xp_status count_units(xp__store *store, const xp__study_type *type, xp__scale scale,
                             uint64_t seed, xp_store_study *found, keys *into, xp_error *error) {
    xp__grid *grid = xp__alloc(1, sizeof *grid);
    if (grid == NULL) {
        return xp__no_memory(error);
    }
    *grid = (xp__grid){.seed = seed, .scale = scale};
    *found = (xp_store_study){.study = type->name,
                              .scale = xp__scale_name[scale],
                              .seed = seed,
                              .in_paper = type->in_paper};
    xp_status status = type->plan(grid, error);
    if (status == XP_OK) {
        status = xp__grid_complete(grid, error);
    }
    const size_t kept = grid->shape.tasks * xp__shape_numbers(&grid->shape);
    xp__store_choose_seed(store, seed);
    for (size_t i = 0; status == XP_OK && i < grid->distinct_count; i++) {
        const xp__unit *unit = &grid->units[grid->distinct[i]];
        char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
        bool has = false;
        xp__unit_key(unit, &grid->shape, key);
        xp__unit_revision(unit, type->revision, revision);
        status = xp__store_has(store, key, revision, kept, &has, error);
        found->units_done += has;
        if (status == XP_OK && has && into != NULL &&
            !add_key(into, hash_of(key, revision, seed))) {
            status = xp__no_memory(error);
        }
    }
    found->units_total = grid->distinct_count;
    xp__grid_deinit(grid);
    xp__free(grid);
    return status;
}

/* Whether more of it is finished; of equals the later one, which is larger. */
static bool better(const xp_store_study *now, const xp_store_study *best) {
    return best->units_total == 0 ||
           now->units_done * best->units_total >= best->units_done * now->units_total;
}

/* The best of each study, among those that were begun. */
typedef struct begun {
    xp__store *store;
    xp_store_study *bests;
} begun;

static xp_status take_begun(void *context, const char *study, const char *scale, uint64_t seed,
                            xp_error *error) {
    const begun *self = context;
    xp__scale at = 0;
    while (at < XP__SCALES && strcmp(xp__scale_name[at], scale) != 0) {
        at++;
    }
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && at < XP__SCALES && i < xp__study_type_count; i++) {
        xp_store_study now = {.units_total = 0};
        if (strcmp(xp__study_types[i]->name, study) != 0) {
            continue;
        }
        status = count_units(self->store, xp__study_types[i], at, seed, &now, NULL, error);
        if (status == XP_OK && now.units_done > 0 && better(&now, &self->bests[i])) {
            self->bests[i] = now;
        }
    }
    return status;
}

static xp_status find_best(xp__store *store, const seeds *all, const xp__study_type *type,
                           xp_store_study *best, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t j = 0; status == XP_OK && j < all->count * XP__SCALES; j++) {
        xp_store_study now = {.units_total = 0};
        status = count_units(store, type, (xp__scale)(j % XP__SCALES), all->seed[j / XP__SCALES],
                             &now, NULL, error);
        if (status == XP_OK && now.units_done > 0 && better(&now, best)) {
            *best = now;
        }
    }
    return status;
}

static xp_status keys_of(xp__store *store, const xp_store_study *study, keys *into,
                         xp_error *error) {
    const xp__study_type *type = study->study != NULL ? xp__study_find(study->study) : NULL;
    xp__scale scale = 0;
    while (scale < XP__SCALES && study->scale != NULL &&
           strcmp(xp__scale_name[scale], study->scale) != 0) {
        scale++;
    }
    if (type == NULL || study->scale == NULL || scale == XP__SCALES) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no study '%.80s' of scale '%.80s'",
                            study->study != NULL ? study->study : "",
                            study->scale != NULL ? study->scale : "");
    }
    xp_store_study found;
    return count_units(store, type, scale, study->seed, &found, into, error);
}

/* Whether some finished unit of a study is of no finished one. */
static xp_status is_begun(xp__store *store, const xp_store_study *study, const keys *finished,
                          bool *found, xp_error *error) {
    keys own = {.count = 0};
    const xp_status status = keys_of(store, study, &own, error);
    *found = false;
    for (size_t i = 0; status == XP_OK && !*found && i < own.count; i++) {
        *found = !has_key(finished, own.hash[i]);
    }
    xp__free(own.hash);
    return status;
}

/* The best of each study into `bests`, then those that count into `studies`. */
static xp_status list(xp__store *store, const seeds *all, xp_store_study *bests,
                      xp_store_study *studies, size_t room, size_t *count, xp_error *error) {
    keys finished = {.count = 0};
    bool known = false;
    begun all_begun = {.store = store, .bests = bests};
    xp_status status = xp__store_each_study(store, &known, take_begun, &all_begun, error);
    for (size_t i = 0; status == XP_OK && !known && i < xp__study_type_count; i++) {
        status = find_best(store, all, xp__study_types[i], &bests[i], error);
        if (status == XP_OK && bests[i].units_done > 0 &&
            bests[i].units_done == bests[i].units_total) {
            status = keys_of(store, &bests[i], &finished, error);
        }
    }
    for (size_t i = 0; status == XP_OK && i < xp__study_type_count; i++) {
        bool listed =
            bests[i].units_done > 0 && (known || bests[i].units_done == bests[i].units_total);
        if (bests[i].units_done > 0 && !listed) {
            status = is_begun(store, &bests[i], &finished, &listed, error);
        }
        if (status == XP_OK && listed) {
            if (*count < room) {
                studies[*count] = bests[i];
            }
            (*count)++;
        }
    }
    xp__free(finished.hash);
    return status;
}

xp_status xp_store_studies(const char *directory, xp_store_study *studies, size_t room,
                           size_t *count, xp_error *error) {
    XP__NOT_NULL(count, error);
    *count = 0;
    XP__NOT_NULL(directory, error);
    if (room > 0) {
        XP__NOT_NULL(studies, error);
    }
    xp__store *store = NULL;
    seeds all = {.count = 0};
    xp_status status = xp__store_open(directory, 1, false, &store, error);
    if (status == XP_OK) {
        status = xp__store_each(store, note_seed, &all, error);
    }
    xp_store_study *bests = xp__alloc(xp__study_type_count, sizeof *bests);
    if (status == XP_OK) {
        status = bests != NULL ? list(store, &all, bests, studies, room, count, error)
                               : xp__no_memory(error);
    }
    xp__free(bests);
    xp__store_close(store);
    return status;
}

/* A unit that is looked for, and what it took. */
typedef struct taken {
    uint64_t hash;
    bool found;
    double seconds, fit_seconds;
} taken;

typedef struct taken_list {
    taken *all;
    size_t count;
} taken_list;

static int compare_hashes(const void *left, const void *right) {
    const uint64_t a = ((const taken *)left)->hash, b = ((const taken *)right)->hash;
    return (a > b) - (a < b);
}

/* Of a unit that is there in several versions, the latest counts. */
static xp_status take_seconds(void *context, const xp__stored *stored, xp_error *error) {
    (void)error;
    const taken_list *self = context;
    const taken wanted = {.hash = hash_of(stored->key, stored->revision, stored->seed)};
    taken *found = bsearch(&wanted, self->all, self->count, sizeof *self->all, compare_hashes);
    if (stored->agrees && found != NULL) {
        found->found = true;
        found->seconds = stored->result.seconds;
        found->fit_seconds = stored->result.fit_seconds;
    }
    return XP_OK;
}

/* The units of `names`, each once, in the order of their hashes. */
static bool list_taken(const keys *names, taken_list *list) {
    list->all = xp__alloc(names->count + 1, sizeof *list->all);
    for (size_t i = 0; list->all != NULL && i < names->count; i++) {
        list->all[i].hash = names->hash[i];
    }
    if (list->all == NULL) {
        return false;
    }
    qsort(list->all, names->count, sizeof *list->all, compare_hashes);
    for (size_t i = 0; i < names->count; i++) {
        if (list->count == 0 || list->all[i].hash != list->all[list->count - 1].hash) {
            list->all[list->count++] = list->all[i];
        }
    }
    return true;
}

xp_status xp_store_sum(const char *directory, const xp_store_study *studies, size_t count,
                       xp_store_work *work, xp_error *error) {
    XP__NOT_NULL(work, error);
    *work = (xp_store_work){.units = 0};
    XP__NOT_NULL(directory, error);
    if (count > 0) {
        XP__NOT_NULL(studies, error);
    }
    xp__store *store = NULL;
    keys names = {.count = 0};
    taken_list list = {.count = 0};
    xp_status status = xp__store_open(directory, 1, false, &store, error);
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        status = keys_of(store, &studies[i], &names, error);
    }
    if (status == XP_OK && !list_taken(&names, &list)) {
        status = xp__no_memory(error);
    }
    if (status == XP_OK) {
        status = xp__store_each(store, take_seconds, &list, error);
    }
    for (size_t i = 0; status == XP_OK && i < list.count; i++) {
        work->units += list.all[i].found;
        work->seconds += list.all[i].seconds;
        work->fit_seconds += list.all[i].fit_seconds;
    }
    xp__free(names.hash);
    xp__free(list.all);
    xp__store_close(store);
    return status;
}

/* The unit that is being looked at: its rows come one after the other. */
typedef struct census {
    xp_store_contents *contents;
    uint64_t hash;
    bool begun, agrees;
    double seconds, fit_seconds; /* of the latest row that agrees */
} census;

static void count_unit(const census *self) {
    if (self->begun && self->agrees) {
        self->contents->work.units++;
        self->contents->work.seconds += self->seconds;
        self->contents->work.fit_seconds += self->fit_seconds;
    } else if (self->begun) {
        self->contents->outdated++;
    }
}

static xp_status take_row(void *context, const xp__stored *stored, xp_error *error) {
    (void)error;
    census *self = context;
    const uint64_t hash = hash_of(stored->key, "", stored->seed);
    if (!self->begun || self->hash != hash) {
        count_unit(self);
        *self = (census){.contents = self->contents, .hash = hash, .begun = true};
    }
    if (stored->agrees) {
        self->agrees = true;
        self->seconds = stored->result.seconds;
        self->fit_seconds = stored->result.fit_seconds;
    }
    return XP_OK;
}

xp_status xp_store_describe(const char *directory, xp_store_contents *contents, xp_error *error) {
    XP__NOT_NULL(contents, error);
    *contents = (xp_store_contents){.outdated = 0};
    XP__NOT_NULL(directory, error);
    xp__store *store = NULL;
    census self = {.contents = contents};
    xp_status status = xp__store_open(directory, 1, false, &store, error);
    if (status == XP_OK) {
        status = xp__store_each(store, take_row, &self, error);
    }
    if (status == XP_OK) {
        count_unit(&self);
        contents->damaged = xp__store_damaged(store);
    }
    xp__store_close(store);
    return status;
}
