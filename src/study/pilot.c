/* pilot.c: one unit of each family without a known time, cut short: one task of a twentieth of the
 * length; if that is quick, also a fifth and the whole of it, since what starts a task must not be
 * extrapolated with its length. Time is extrapolated in proportion to tasks and, beyond what starts
 * one, to the length; demonstrations and the fit are added as they were. That is rough where an
 * agent slows down as it learns. */
#include "study/pilot.h"

#include "base/memory.h"
#include "run/crew/crew.h"

#include <math.h>
#include <string.h>

typedef struct pilots {
    const xp__forecast *forecast;
    const xp__pilot_options *options;
    double *seconds; /* of a unit, by its kind */
} pilots;

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

static xp_status run_pilot(void *context, size_t kind, const xp__pool *pool, xp_error *error) {
    const pilots *self = context;
    xp__shape shape;
    xp__unit unit = *xp__forecast_unit(self->forecast, kind, &shape);
    xp__given_demos given = {.demos = NULL};
    pilot found = {.fit = 0};
    double shown = 0;
    xp_status status = show(&unit, &shape, &given, &shown, error);
    if (status == XP_OK) {
        status = extrapolate(&unit, &shape, pool, &found, error);
    }
    xp_demos_destroy(given.demos);
    const double tasks = (double)shape.tasks, fits = unit.expert->own_context ? tasks : 1;
    self->seconds[kind] = fits * (shown + found.fit) + tasks * found.acting;
    return status;
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    (void)finished;
    (void)done;
    const pilots *self = context;
    return self->options->tell(self->options->context, error);
}

/* What travels: the seconds. */
static size_t length(void *context, size_t kind) {
    (void)context;
    (void)kind;
    return sizeof(double);
}

static void pack(void *context, size_t kind, unsigned char *bytes) {
    const pilots *self = context;
    memcpy(bytes, &self->seconds[kind], sizeof(double));
}

static void unpack(void *context, size_t kind, const unsigned char *bytes) {
    const pilots *self = context;
    memcpy(&self->seconds[kind], bytes, sizeof(double));
}

xp_status xp__pilot_run(xp__forecast *forecast, const xp__pilot_options *options, xp_error *error) {
    const size_t kinds = xp__forecast_kinds(forecast);
    pilots self = {
        .forecast = forecast, .options = options, .seconds = xp__alloc(kinds, sizeof(double))};
    size_t *order = xp__alloc(kinds, sizeof *order), count = 0;
    xp_error own = {.status = XP_OK};
    xp_status status = (self.seconds == NULL || order == NULL) && kinds > 0
                           ? xp__no_memory(&own)
                           : xp__forecast_unknown(forecast, order, &count, &own);
    if (status == XP_OK) {
        status = xp__crew_run(&(xp__crew_job){.units = kinds,
                                              .order = order,
                                              .order_count = count,
                                              .threads = options->threads,
                                              .peers = options->peers,
                                              .plan = options->plan,
                                              .run = run_pilot,
                                              .tick = tick,
                                              .length = length,
                                              .pack = pack,
                                              .unpack = unpack,
                                              .context = &self},
                              &own);
    } else {
        xp__crew_fail(options->peers, &own);
    }
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        xp__forecast_tried(forecast, order[i], self.seconds[order[i]]);
    }
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    xp__free(self.seconds);
    xp__free(order);
    return status;
}
