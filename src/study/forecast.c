/* forecast.c: times of units by kind. Units like each other share a key but for the problem; kinds
 * of one agent and prior in one environment, for the same number of steps, are a family. */
#include "study/forecast.h"

#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct times {
    uint64_t name; /* hash of what units of the kind, or family, have in common */
    double seconds;
    size_t count;
} times;

typedef struct kind {
    times own;
    size_t family;
    size_t left; /* units to compute */
    const xp__unit *unit;
    xp__shape shape;
} kind;

typedef struct family {
    times own;
    double pilot; /* seconds of a unit; NAN: no pilot */
} family;

struct xp__forecast {
    kind *kinds;
    size_t kind_count, kind_room;
    size_t *table; /* [table_size]: 1 + a kind at the hash of its name or after it; 0: free */
    size_t table_size;
    family *families;
    size_t family_count, family_room;
    times all;
};

xp__forecast *xp__forecast_create(void) {
    return xp__alloc(1, sizeof(xp__forecast));
}

void xp__forecast_destroy(xp__forecast *forecast) {
    if (forecast != NULL) {
        xp__free(forecast->kinds);
        xp__free(forecast->table);
        xp__free(forecast->families);
        xp__free(forecast);
    }
}

/* The unit's key with problem 0, and what is left of it without parameters. */
static void names_of(const xp__unit *unit, const xp__shape *shape, uint64_t *own, uint64_t *wider) {
    xp__problem problem = *unit->problem;
    problem.index = 0;
    xp__unit any = *unit;
    any.problem = &problem;
    char key[XP__UNIT_KEY];
    xp__unit_key(&any, shape, key);
    *own = xp__text_hash(key);
    const size_t episodes = unit->episodes > 0 ? unit->episodes : shape->episodes;
    const char *spec = unit->agent->spec, *prior = strstr(spec, "prior=");
    (void)snprintf(key, sizeof key, "%.*s/%.*s/%.*s/%zu/%zu/%zu",
                   (int)strcspn(problem.setting, ":"), problem.setting, (int)strcspn(spec, ":"),
                   spec, prior != NULL ? (int)strcspn(prior, ",") : 0, prior != NULL ? prior : "",
                   shape->tasks, episodes, shape->steps);
    *wider = xp__text_hash(key);
}

static xp_status find_family(xp__forecast *forecast, uint64_t name, size_t *found,
                             xp_error *error) {
    size_t i = 0;
    while (i < forecast->family_count && forecast->families[i].own.name != name) {
        i++;
    }
    if (i == forecast->family_count) {
        family *grown = xp__reserve(forecast->families, &forecast->family_room, i + 1,
                                    sizeof *forecast->families);
        if (grown == NULL) {
            return xp__no_memory(error);
        }
        forecast->families = grown;
        forecast->families[forecast->family_count++] =
            (family){.own = {.name = name}, .pilot = NAN};
    }
    *found = i;
    return XP_OK;
}

/* The place in the table of the kind of that name, or the free one where it belongs. */
static size_t place_of(const xp__forecast *forecast, uint64_t name) {
    size_t at = (size_t)name & (forecast->table_size - 1);
    while (forecast->table[at] != 0 && forecast->kinds[forecast->table[at] - 1].own.name != name) {
        at = (at + 1) & (forecast->table_size - 1);
    }
    return at;
}

/* Room for one more kind, at most half of it full. */
static bool widen_table(xp__forecast *forecast) {
    if (2 * (forecast->kind_count + 1) <= forecast->table_size) {
        return true;
    }
    const size_t size = forecast->table_size > 0 ? 2 * forecast->table_size : 64;
    size_t *table = xp__alloc(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    xp__free(forecast->table);
    forecast->table = table;
    forecast->table_size = size;
    for (size_t i = 0; i < forecast->kind_count; i++) {
        table[place_of(forecast, forecast->kinds[i].own.name)] = i + 1;
    }
    return true;
}

xp_status xp__forecast_kind(xp__forecast *forecast, const xp__unit *unit, const xp__shape *shape,
                            size_t *found, xp_error *error) {
    uint64_t own, wider;
    names_of(unit, shape, &own, &wider);
    kind *grown = xp__reserve(forecast->kinds, &forecast->kind_room, forecast->kind_count + 1,
                              sizeof *forecast->kinds);
    if (grown != NULL) {
        forecast->kinds = grown;
    }
    if (grown == NULL || !widen_table(forecast)) {
        return xp__no_memory(error);
    }
    const size_t at = place_of(forecast, own);
    if (forecast->table[at] != 0) {
        *found = forecast->table[at] - 1;
        forecast->kinds[*found].unit = unit; /* that of an earlier call may be gone */
        forecast->kinds[*found].shape = *shape;
        return XP_OK;
    }
    size_t of = 0;
    const xp_status status = find_family(forecast, wider, &of, error);
    if (status == XP_OK) {
        *found = forecast->kind_count++;
        forecast->table[at] = *found + 1;
        forecast->kinds[*found] =
            (kind){.own = {.name = own}, .family = of, .unit = unit, .shape = *shape};
    }
    return status;
}

static void add(times *to, double seconds) {
    to->seconds += seconds;
    to->count++;
}

void xp__forecast_took(xp__forecast *forecast, size_t of, double seconds) {
    add(&forecast->kinds[of].own, seconds);
    add(&forecast->families[forecast->kinds[of].family].own, seconds);
    add(&forecast->all, seconds);
}

void xp__forecast_add(xp__forecast *forecast, size_t of) {
    forecast->kinds[of].left++;
}

void xp__forecast_drop(xp__forecast *forecast, size_t of) {
    forecast->kinds[of].left--;
}

static double mean(const times *of) {
    return of->count > 0 ? of->seconds / (double)of->count : NAN;
}

double xp__forecast_seconds(const xp__forecast *forecast, size_t of) {
    const kind *self = &forecast->kinds[of];
    const family *wider = &forecast->families[self->family];
    return self->own.count > 0    ? mean(&self->own)
           : wider->own.count > 0 ? mean(&wider->own)
           : !isnan(wider->pilot) ? wider->pilot
                                  : mean(&forecast->all);
}

/* Whether units of a kind are left, and none like them has finished. */
static bool is_wanted(const xp__forecast *forecast, size_t of) {
    const kind *self = &forecast->kinds[of];
    return self->left > 0 && forecast->families[self->family].own.count == 0;
}

size_t xp__forecast_kinds(const xp__forecast *forecast) {
    return forecast->kind_count;
}

const xp__unit *xp__forecast_unit(const xp__forecast *forecast, size_t of, xp__shape *shape) {
    *shape = forecast->kinds[of].shape;
    return forecast->kinds[of].unit;
}

xp_status xp__forecast_unknown(const xp__forecast *forecast, size_t *list, size_t *count,
                               xp_error *error) {
    size_t *kinds = xp__alloc(forecast->family_count, sizeof *kinds); /* of each family */
    *count = 0;
    if (kinds == NULL && forecast->family_count > 0) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < forecast->kind_count; i++) {
        kinds[forecast->kinds[i].family] += is_wanted(forecast, i);
    }
    /* The one in the middle: the first and the last are extremes where kinds are in order. */
    for (size_t i = 0; i < forecast->family_count; i++) {
        size_t left = kinds[i] / 2 + 1;
        for (size_t j = 0; kinds[i] > 0 && left > 0; j++) {
            left -= forecast->kinds[j].family == i && is_wanted(forecast, j);
            list[*count] = j;
        }
        *count += kinds[i] > 0;
    }
    xp__free(kinds);
    return XP_OK;
}

void xp__forecast_tried(xp__forecast *forecast, size_t of, double seconds) {
    forecast->families[forecast->kinds[of].family].pilot = seconds;
}

xp_study_forecast xp__forecast_left(const xp__forecast *forecast, size_t workers, double pace) {
    xp_study_forecast left = {.workers = workers};
    double longest = 0;
    for (size_t i = 0; i < forecast->kind_count; i++) {
        const kind *self = &forecast->kinds[i];
        if (self->left == 0) {
            continue;
        }
        const family *wider = &forecast->families[self->family];
        const double each = xp__forecast_seconds(forecast, i);
        left.units += self->left;
        left.work += (double)self->left * each;
        longest = each > longest ? each : longest;
        if (self->own.count > 0 || wider->own.count > 0) {
            left.from_units += self->left;
        } else if (!isnan(wider->pilot)) {
            left.from_pilot += self->left;
        }
    }
    const double spread = left.work / (double)workers;
    left.seconds = pace * (longest > spread ? longest : spread);
    return left;
}
