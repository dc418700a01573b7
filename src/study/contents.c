/* contents.c: which studies a store has units of. A store keeps units and not the names of studies:
 * each study is planned at each scale, and its units are looked for. */
#include "experior/aggregate.h"

#include "base/check.h"
#include "base/memory.h"
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

/* How many units of a study there are, and how many of them the store has. */
static xp_status count_units(xp__store *store, const xp__study_type *type, xp__scale scale,
                             uint64_t seed, xp_store_study *found, xp_error *error) {
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
    for (size_t i = 0; status == XP_OK && i < xp__study_type_count; i++) {
        xp_store_study best = {.units_total = 0};
        for (size_t j = 0; status == XP_OK && j < all.count * XP__SCALES; j++) {
            xp_store_study now = {.units_total = 0};
            status = count_units(store, xp__study_types[i], (xp__scale)(j % XP__SCALES),
                                 all.seed[j / XP__SCALES], &now, error);
            if (status == XP_OK && now.units_done > 0 && better(&now, &best)) {
                best = now;
            }
        }
        if (status == XP_OK && best.units_done > 0) {
            if (*count < room) {
                studies[*count] = best;
            }
            (*count)++;
        }
    }
    xp__store_close(store);
    return status;
}
