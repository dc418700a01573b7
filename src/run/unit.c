/* unit.c: computing a unit: demonstrations, fit, tasks. */
#include "run/unit.h"

#include "agent/agent_type.h"
#include "base/file.h"
#include "expert/expert_type.h"
#include "model/model_type.h"
#include "run/evaluate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double xp__clock(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double xp__work_clock(void) {
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Puts the problem and the spec before a message that does not know them. */
static xp_status blame(xp_status status, const xp__problem *problem, const char *spec,
                       xp_error *error) {
    if (status != XP_OK && status != XP_ERR_INTERRUPTED && status != XP_ERR_MEMORY &&
        error != NULL) {
        const xp_error inner = *error;
        return xp_error_set(error, status, "agent '%.120s' in '%.200s' on problem %zu: %.300s",
                            spec, problem->setting, problem->index, inner.message);
    }
    return status;
}

/* The spec as it is run. */
enum { RUN_TEXT = 512 };
static const char *with_settings(const char *spec, const char *settings, char text[RUN_TEXT]) {
    if (settings == NULL) {
        return spec;
    }
    const int used =
        snprintf(text, RUN_TEXT, "%s%c%s", spec, strchr(spec, ':') != NULL ? ',' : ':', settings);
    assert(used > 0 && used < RUN_TEXT);
    (void)used;
    return text;
}

/* Told by a fit: whether nobody wants it any more. */
static int look_at_pool(void *context, size_t done, size_t total) {
    (void)done, (void)total;
    return xp__pool_cancelled(context);
}

xp_status xp__fitted_init(xp__fitted *fitted, const char *spec, const char *settings,
                          const xp__problem *problem, const xp_demos *demos, const xp__pool *pool,
                          xp_error *error) {
    char text[RUN_TEXT];
    *fitted = (xp__fitted){.settings = settings};
    const double start = xp__work_clock();
    const xp_env_info info = xp_env_describe(problem->env);
    xp_rng rng = xp__problem_fit(problem, xp__text_hash(spec));
    const xp__fit_watch watch = {.progress = look_at_pool, .context = (void *)pool};
    const xp_status status =
        xp__model_fit(with_settings(spec, settings, text), &info, problem->env, demos,
                      pool != NULL ? &watch : NULL, &rng, &fitted->own, error);
    fitted->model = fitted->own;
    fitted->seconds = xp__work_clock() - start;
    return blame(status, problem, spec, error);
}

void xp__fitted_deinit(xp__fitted *fitted) {
    xp_model_destroy(fitted->own);
    fitted->own = NULL;
    fitted->model = NULL;
}

xp_status xp__fitted_session(const xp__fitted *fitted, const char *spec, size_t episodes,
                             xp_session **session, xp_error *error) {
    char text[RUN_TEXT];
    xp_session_options options = xp_session_options_default();
    options.agent = with_settings(spec, fitted->settings, text);
    options.episodes = episodes;
    return xp_session_create(fitted->model, &options, session, error);
}

xp_status xp__fitted_run(const xp__fitted *fitted, const char *spec, const xp__problem *problem,
                         const xp__shape *shape, size_t first, size_t count, const xp__pool *pool,
                         xp__tally *tally, xp_error *error) {
    xp_session *session = NULL;
    xp_status status = xp__fitted_session(
        fitted, spec, shape->steps > 0 ? shape->steps : shape->episodes, &session, error);
    if (status == XP_OK) {
        const xp__tasks tasks = {.env = problem->env,
                                 .stream = xp__problem_tasks(problem),
                                 .episodes = shape->episodes,
                                 .steps = shape->steps,
                                 .evaluation = shape->evaluation};
        status = xp__episodes_run(&tasks, session, xp__text_hash(spec), first, count, pool, tally,
                                  error);
    }
    xp_session_destroy(session);
    return blame(status, problem, spec, error);
}

size_t xp__shape_numbers(const xp__shape *shape) {
    return (shape->returns ? shape->episodes : 0) +
           (shape->evaluation > 0 ? XP__EVALUATION_NUMBERS : 0);
}

/* Demonstrations for all tasks of the problem, or for the one of number `task` alone. */
xp_status xp__unit_demos(const xp__unit *unit, uint64_t count, size_t task, xp_demos **demos,
                         xp_error *error) {
    *demos = NULL;
    const xp__expert_entry *expert = unit->expert;
    xp__params params;
    xp_status status = expert->spec != NULL
                           ? xp__expert_params_read(expert->spec, &params, error)
                           : xp__expert_params_default(expert->name, &params, error);
    if (status == XP_OK && expert->parameter != NULL) {
        status = xp__params_set(&params, expert->parameter, expert->value, error);
    }
    if (status != XP_OK) {
        return status;
    }
    return expert->own_context
               ? xp__problem_own_demos(unit->problem, task, expert->name, &params, count, demos,
                                       error)
               : xp__problem_demos(unit->problem, expert->name, &params, count, demos, error);
}

/* Fits the agent's prior; by the fallback where the spec's own has no solution. */
static xp_status unit_fit(const xp__unit *unit, const xp_demos *demos, const xp__pool *pool,
                          xp__fitted *fitted, const char **spec, xp_error *error) {
    const xp__agent_entry *agent = unit->agent;
    *spec = agent->spec;
    xp_status status =
        xp__fitted_init(fitted, *spec, agent->settings, unit->problem, demos, pool, error);
    if (status == XP_ERR_NUMERIC && agent->fallback != NULL) {
        xp__fitted_deinit(fitted);
        *spec = agent->fallback;
        status = xp__fitted_init(fitted, *spec, agent->settings, unit->problem, demos, pool, error);
    }
    return status;
}

/* Runs tasks first .. first + count - 1. Where numbers of each task are kept they run one by one,
 * each with an agent of its own; the agents are equal when they begin. */
static xp_status run_tasks(const xp__fitted *fitted, const char *spec, const xp__unit *unit,
                           const xp__shape *shape, size_t first, size_t count, const xp__pool *pool,
                           double *numbers, xp__tally *tally, xp_error *error) {
    const size_t each = xp__shape_numbers(shape);
    if (each == 0) {
        return xp__fitted_run(fitted, spec, unit->problem, shape, first, count, pool, tally, error);
    }
    xp_status status = XP_OK;
    for (size_t task = first; status == XP_OK && task < first + count; task++) {
        double *own = numbers + task * each;
        xp__tally one = {.returns = shape->returns ? own : NULL,
                         .evaluation = shape->evaluation > 0
                                           ? own + (shape->returns ? shape->episodes : 0)
                                           : NULL};
        status = xp__fitted_run(fitted, spec, unit->problem, shape, task, 1, pool, &one, error);
        if (status == XP_OK) {
            xp__tally_merge(tally, &one);
        }
    }
    return status;
}

/* Demonstrations, fit and tasks first .. first + count - 1. */
static xp_status run_part(const xp__unit *unit, const xp__shape *shape, size_t first, size_t count,
                          const xp__pool *pool, xp__unit_result *result, double *numbers,
                          xp__tally *tally, xp_error *error) {
    xp_demos *drawn = NULL;
    xp_status status = XP_OK;
    if (unit->given == NULL) {
        status = xp__unit_demos(unit, shape->demonstrations, first, &drawn, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp__fitted fitted;
    const char *spec;
    status = unit_fit(unit, unit->given != NULL ? unit->given->demos : drawn, pool, &fitted, &spec,
                      error);
    if (status == XP_OK) {
        result->fallback = spec != unit->agent->spec ? 1 : result->fallback;
        result->fit_seconds += fitted.seconds;
        status = run_tasks(&fitted, spec, unit, shape, first, count, pool, numbers, tally, error);
    }
    xp__fitted_deinit(&fitted);
    xp_demos_destroy(drawn);
    return status;
}

static xp__shape shape_of(const xp__unit *unit, const xp__shape *shape) {
    xp__shape own = *shape;
    own.episodes = unit->episodes > 0 ? unit->episodes : own.episodes;
    own.demonstrations = unit->demonstrations > 0 ? unit->demonstrations : own.demonstrations;
    return own;
}

/* What all tasks came to. */
static void conclude(const xp__tally *tally, xp__unit_result *result) {
    const double tasks = (double)tally->tasks;
    result->regret = tally->mean;
    result->regret_se = xp__tally_se(tally);
    result->over_t = tally->over_t / tasks;
    for (size_t i = 0; i < XP__CHECKPOINTS; i++) {
        result->at[i] = tally->at[i] / tasks;
    }
    result->steps = (double)tally->steps;
}

/* Numbers of tasks begin .. end - 1 where no agent could be made. */
static void fail(const xp__shape *shape, size_t begin, size_t end, xp__unit_result *result,
                 double *numbers) {
    const size_t each = xp__shape_numbers(shape);
    *result = (xp__unit_result){.regret = NAN,
                                .regret_se = NAN,
                                .over_t = NAN,
                                .fit_seconds = result->fit_seconds,
                                .fallback = XP__UNIT_FAILED};
    for (size_t i = 0; i < XP__CHECKPOINTS; i++) {
        result->at[i] = NAN;
    }
    for (size_t i = begin * each; i < end * each; i++) {
        numbers[i] = NAN;
    }
}

/* Runs tasks begin .. end - 1. */
static xp_status run_range(const xp__unit *unit, const xp__shape *given, size_t begin, size_t end,
                           const xp__pool *pool, xp__unit_result *result, double *numbers,
                           xp_error *error) {
    const double start = xp__work_clock();
    const xp__shape shape = shape_of(unit, given);
    const size_t part = unit->expert->own_context ? 1 : end - begin;
    *result = (xp__unit_result){.regret = 0};
    xp__tally tally = {.tasks = 0};
    xp_status status = XP_OK;
    for (size_t first = begin; status == XP_OK && first < end; first += part) {
        xp__tally these = {.tasks = 0};
        status = run_part(unit, &shape, first, part, pool, result, numbers, &these, error);
        if (status == XP_OK && part < end - begin) {
            xp__tally_merge(&tally, &these);
        } else {
            tally = these;
        }
    }
    if (status == XP_OK) {
        conclude(&tally, result);
    } else if (status == XP_ERR_NUMERIC && unit->agent->may_fail) {
        fail(&shape, begin, end, result, numbers);
        status = XP_OK;
    }
    result->seconds = xp__work_clock() - start;
    return status;
}

xp_status xp__unit_run(const xp__unit *unit, const xp__shape *shape, const xp__pool *pool,
                       xp__unit_result *result, double *numbers, xp_error *error) {
    return run_range(unit, shape, 0, shape->tasks, pool, result, numbers, error);
}

xp_status xp__unit_run_task(const xp__unit *unit, const xp__shape *shape, size_t task,
                            const xp__pool *pool, xp__unit_result *result, double *numbers,
                            xp_error *error) {
    return run_range(unit, shape, task, task + 1, pool, result, numbers, error);
}

/* Task by task, as they are added up when they run one after the other. */
void xp__unit_join(const xp__unit_result *parts, size_t tasks, xp__unit_result *result) {
    xp__tally tally = {.tasks = 0};
    *result = (xp__unit_result){.regret = 0};
    for (size_t i = 0; i < tasks; i++) {
        xp__tally one = {.tasks = 1,
                         .mean = parts[i].regret,
                         .over_t = parts[i].over_t,
                         .steps = (uint64_t)parts[i].steps};
        memcpy(one.at, parts[i].at, sizeof one.at);
        xp__tally_merge(&tally, &one);
        result->fallback =
            parts[i].fallback > result->fallback ? parts[i].fallback : result->fallback;
        result->fit_seconds += parts[i].fit_seconds;
        result->seconds += parts[i].seconds;
    }
    conclude(&tally, result);
}

void xp__unit_key(const xp__unit *unit, const xp__shape *shape, char *key) {
    const xp__expert_entry *expert = unit->expert;
    const char *spec = unit->agent->spec, *settings = unit->agent->settings;
    const char *fallback = unit->agent->fallback;
    const xp__shape own = shape_of(unit, shape);
    shape = &own;
    char value[32] = "", length[64], kept[64] = "", shown[32];
    (void)snprintf(shown, sizeof shown, "%llu", (unsigned long long)shape->demonstrations);
    if (expert->parameter != NULL) {
        (void)xp__format_double(value, expert->value);
    }
    (void)snprintf(length, sizeof length, "%s=%zu", shape->steps > 0 ? "steps" : "t",
                   shape->steps > 0 ? shape->steps : shape->episodes);
    if (shape->evaluation > 0) {
        (void)snprintf(kept, sizeof kept, ",evaluation=%zu", shape->evaluation);
    }
    const int used = snprintf(
        key, XP__UNIT_KEY, "%s/%zu/%s%s%s%s%s%s/n=%s,tasks=%zu,%s%s%s/%s%s%s%s%s",
        unit->problem->setting, unit->problem->index,
        expert->spec != NULL ? expert->spec : expert->name, expert->parameter != NULL ? ":" : "",
        expert->parameter != NULL ? expert->parameter : "", expert->parameter != NULL ? "=" : "",
        value, expert->own_context ? ",own_context" : "",
        unit->given != NULL ? unit->given->name : shown, shape->tasks, length,
        shape->returns ? ",returns" : "", kept, spec,
        settings == NULL            ? ""
        : strchr(spec, ':') != NULL ? ","
                                    : ":",
        settings != NULL ? settings : "", fallback != NULL ? "|" : "",
        fallback != NULL ? fallback : "");
    assert(used > 0 && used < XP__UNIT_KEY); /* a key cut off could be another unit's too */
    (void)used;
}

void xp__unit_revision(const xp__unit *unit, unsigned study, char *text) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(unit->agent->spec, ":"),
                   unit->agent->spec);
    const bool states = xp_env_describe(unit->problem->env).state_size > 0;
    const xp__agent_type *type = xp__agent_find(name, states);
    (void)snprintf(text, XP__UNIT_REVISION, "%u.%u", study, type != NULL ? type->revision : 0);
}
