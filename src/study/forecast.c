/* forecast.c: times of units by kind. Units like each other share a key but for the problem; kinds
 * of one agent and prior in one environment, for the same number of steps, are a family.
 *
 * A pilot takes one unit of each family without a known time: one task of a twentieth of the
 * length; if that is quick, also a fifth and the whole of it, since what starts a task must not be
 * extrapolated with its length. Time is extrapolated in proportion to tasks and, beyond what starts
 * one, to the length; demonstrations and the fit are added as they were. That is rough where an
 * agent slows down as it learns. */
#include "study/forecast.h"

#include "base/grow.h"
#include "base/pool.h"

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

xp_status xp__forecast_kind(xp__forecast *forecast, const xp__unit *unit, const xp__shape *shape,
                            size_t *found, xp_error *error) {
    uint64_t own, wider;
    names_of(unit, shape, &own, &wider);
    /* Units of a kind follow each other. */
    for (size_t back = 0; back < forecast->kind_count; back++) {
        const size_t i = forecast->kind_count - 1 - back;
        if (forecast->kinds[i].own.name == own) {
            *found = i;
            return XP_OK;
        }
    }
    kind *grown = xp__reserve(forecast->kinds, &forecast->kind_room, forecast->kind_count + 1,
                              sizeof *forecast->kinds);
    if (grown == NULL) {
        return xp__no_memory(error);
    }
    forecast->kinds = grown;
    size_t of = 0;
    const xp_status status = find_family(forecast, wider, &of, error);
    if (status == XP_OK) {
        *found = forecast->kind_count++;
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

/* A unit's demonstrations, apart from all else: they do not take longer with its length. */
static xp_status show(xp__unit *unit, const xp__shape *shape, xp__given_demos *given,
                      double *seconds, xp_error *error) {
    const double start = xp__work_clock();
    *seconds = 0;
    if (unit->given != NULL) {
        return XP_OK;
    }
    const xp_status status = xp__unit_demos(
        unit, unit->demonstrations > 0 ? unit->demonstrations : shape->demonstrations, 0,
        &given->demos, error);
    unit->given = given;
    *seconds = xp__work_clock() - start;
    return status;
}

/* Pilots: one for each family that needs it. */
typedef struct pilots {
    xp__forecast *forecast;
    size_t *kinds; /* one of each family */
    size_t count;
    xp_status (*tell)(void *context, xp_error *error);
    void *context;
} pilots;

static size_t shorter(size_t length, size_t share) {
    enum { LEAST = 20 };
    const size_t part = length / share > LEAST ? length / share : LEAST;
    return part < length ? part : length;
}

/* What one task of a unit is extrapolated to. */
typedef struct pilot {
    double fit, acting; /* seconds */
} pilot;

static xp_status run_task(const xp__unit *wanted, const xp__shape *of, size_t share,
                          const xp__pool *pool, xp__unit_result *result, double *ran,
                          xp_error *error) {
    xp__unit unit = *wanted;
    xp__shape shape = *of;
    const size_t episodes = unit.episodes > 0 ? unit.episodes : shape.episodes;
    shape.tasks = 1;
    shape.returns = false;
    shape.evaluation = 0;
    unit.episodes = shape.steps > 0 ? 0 : shorter(episodes, share);
    shape.steps = shape.steps > 0 ? shorter(shape.steps, share) : 0;
    *ran = (double)(shape.steps > 0 ? shape.steps : unit.episodes);
    *result = (xp__unit_result){.regret = 0};
    return xp__unit_run_task(&unit, &shape, 0, pool, result, NULL, error);
}

static xp_status extrapolate(const xp__unit *unit, const xp__shape *shape, const xp__pool *pool,
                             pilot *found, xp_error *error) {
    static const double enough = 0.1;
    const size_t episodes = unit->episodes > 0 ? unit->episodes : shape->episodes;
    const double length = (double)(shape->steps > 0 ? shape->steps : episodes);
    double before = 0, before_ran = 0;
    xp_status status = XP_OK;
    *found = (pilot){.fit = 0};
    for (size_t share = 20; status == XP_OK && share > 0; share /= 4) {
        xp__unit_result result;
        double ran;
        status = run_task(unit, shape, share, pool, &result, &ran, error);
        const double acting = result.seconds - result.fit_seconds;
        if (status == XP_ERR_NUMERIC ||
            (status == XP_OK && result.fallback == (double)XP__UNIT_FAILED)) {
            /* What it means that a fit has no solution is for the unit itself to say. */
            *found = (pilot){.fit = result.seconds};
            return XP_OK;
        }
        const double each =
            ran > before_ran ? fmax(0, acting - before) / (ran - before_ran) : acting / ran;
        *found = (pilot){.fit = result.fit_seconds, .acting = acting + each * (length - ran)};
        if (result.seconds >= enough || ran >= length) {
            break;
        }
        before = acting;
        before_ran = ran;
    }
    return status;
}

static xp_status run_pilot(void *context, size_t number, const xp__pool *pool, xp_error *error) {
    pilots *self = context;
    const kind *of = &self->forecast->kinds[self->kinds[number]];
    const xp__shape *shape = &of->shape;
    xp__unit unit = *of->unit;
    xp__given_demos given = {.demos = NULL};
    pilot found = {.fit = 0};
    double shown = 0;
    xp_status status = show(&unit, shape, &given, &shown, error);
    if (status == XP_OK) {
        status = extrapolate(&unit, shape, pool, &found, error);
    }
    xp_demos_destroy(given.demos);
    if (status == XP_OK) {
        const double tasks = (double)shape->tasks, fits = unit.expert->own_context ? tasks : 1;
        self->forecast->families[of->family].pilot =
            fits * (shown + found.fit) + tasks * found.acting;
    }
    return status;
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    (void)finished;
    (void)done;
    pilots *self = context;
    return self->tell(self->context, error);
}

/* Whether units of a kind are left, and none like them has finished. */
static bool is_wanted(const xp__forecast *forecast, size_t of) {
    const kind *self = &forecast->kinds[of];
    return self->left > 0 && forecast->families[self->family].own.count == 0;
}

xp_status xp__forecast_pilot(xp__forecast *forecast, size_t threads,
                             xp_status (*tell)(void *context, xp_error *error), void *context,
                             xp_error *error) {
    pilots self = {.forecast = forecast,
                   .kinds = xp__alloc(forecast->family_count, sizeof(size_t)),
                   .tell = tell,
                   .context = context};
    size_t *kinds =
        xp__alloc(forecast->family_count, sizeof *kinds); /* of each family, to compute */
    if ((self.kinds == NULL || kinds == NULL) && forecast->family_count > 0) {
        xp__free(self.kinds);
        xp__free(kinds);
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
            self.kinds[self.count] = j;
        }
        self.count += kinds[i] > 0;
    }
    xp__free(kinds);
    const xp_status status = xp__pool_run(&(xp__pool_job){.units = self.count,
                                                          .threads = threads,
                                                          .run = run_pilot,
                                                          .tick = tick,
                                                          .context = &self},
                                          error);
    xp__free(self.kinds);
    return status;
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
