/* contents.c: which studies a store has units of. A store keeps units and not the names of studies:
 * each study is planned at each scale, and its units are looked for. Studies share units, so one of
 * which all finished units belong to a finished study as well was not begun, and is not listed. */
#include "experior/aggregate.h"

#include "base/check.h"
#include "base/grow.h"
#include "run/store.h"
#include "study/study_type.h"

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

/* Hashes of keys. */
typedef struct keys {
    uint64_t *hash;
    size_t count, room;
} keys;

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
    *found = (xp_store_study){.study = type->name, .scale = xp__scale_name[scale], .seed = seed};
    xp_status status = type->plan(grid, error);
    if (status == XP_OK) {
        status = xp__grid_complete(grid, error);
    }
    xp__store_choose_seed(store, seed);
    for (size_t i = 0; status == XP_OK && i < grid->distinct_count; i++) {
        const xp__unit *unit = &grid->units[grid->distinct[i]];
        char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
        bool has = false;
        xp__unit_key(unit, &grid->shape, key);
        xp__unit_revision(unit, type->revision, revision);
        status = xp__store_has(store, key, revision, &has, error);
        found->units_done += has;
        if (status == XP_OK && has && into != NULL && !add_key(into, xp__text_hash(key) ^ seed)) {
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
    xp__scale scale = 0;
    while (strcmp(xp__scale_name[scale], study->scale) != 0) {
        scale++;
    }
    xp_store_study found;
    return count_units(store, xp__study_find(study->study), scale, study->seed, &found, into,
                       error);
}

/* Whether some finished unit of a study is of no finished one. */
static xp_status is_begun(xp__store *store, const xp_store_study *study, const keys *finished,
                          bool *begun, xp_error *error) {
    keys own = {.count = 0};
    const xp_status status = keys_of(store, study, &own, error);
    *begun = false;
    for (size_t i = 0; status == XP_OK && !*begun && i < own.count; i++) {
        *begun = !has_key(finished, own.hash[i]);
    }
    xp__free(own.hash);
    return status;
}

/* The best of each study into `bests`, then those that count into `studies`. */
static xp_status list(xp__store *store, const seeds *all, xp_store_study *bests,
                      xp_store_study *studies, size_t room, size_t *count, xp_error *error) {
    keys finished = {.count = 0};
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < xp__study_type_count; i++) {
        status = find_best(store, all, xp__study_types[i], &bests[i], error);
        if (status == XP_OK && bests[i].units_done > 0 &&
            bests[i].units_done == bests[i].units_total) {
            status = keys_of(store, &bests[i], &finished, error);
        }
    }
    for (size_t i = 0; status == XP_OK && i < xp__study_type_count; i++) {
        bool listed = bests[i].units_done > 0 && bests[i].units_done == bests[i].units_total;
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
