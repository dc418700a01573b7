/* unit.c: computing a unit: demonstrations, fit, tasks. */
#include "study/unit.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double xp__clock(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Puts the problem and the spec before a message that does not know them. */
static xp_status blame(xp_status status, const xp__problem *problem, const char *spec,
                       xp_error *error) {
    if (status != XP_OK && status != XP_ERR_INTERRUPTED && status != XP_ERR_MEMORY &&
        error != NULL) {
        const xp_error inner = *error;
        return xp_error_set(error, status, "agent '%.120s' on task distribution %zu: %.300s", spec,
                            problem->index, inner.message);
    }
    return status;
}

xp_status xp__fitted_init(xp__fitted *fitted, const char *spec, const xp__problem *problem,
                          const xp_demos *demos, xp_error *error) {
    *fitted = (xp__fitted){.prior = NULL};
    const double start = xp__clock();
    const xp_env_info env = xp_env_describe(problem->env);
    xp_status status = xp_agent_spec_parse(spec, &env, &fitted->spec, error);
    if (status == XP_OK) {
        xp_rng rng = xp__problem_fit(problem, xp__text_hash(spec));
        status =
            xp_agent_prior_fit(&fitted->spec, problem->env, demos, &rng, &fitted->prior, error);
        if (status == XP_OK) {
            status = xp_agent_q_prior_fit(&fitted->spec, problem->env, demos, &rng,
                                          &fitted->q_prior, error);
        }
        status = blame(status, problem, spec, error);
    }
    fitted->seconds = xp__clock() - start;
    return status;
}

void xp__fitted_deinit(xp__fitted *fitted) {
    xp_prior_destroy(fitted->prior);
    xp_q_prior_destroy(fitted->q_prior);
    fitted->prior = NULL;
    fitted->q_prior = NULL;
}

xp_status xp__fitted_run(const xp__fitted *fitted, const char *spec, const xp__problem *problem,
                         const xp_demos *demos, size_t episodes, size_t first, size_t count,
                         const xp__pool *pool, xp__tally *tally, xp_error *error) {
    const xp_env_info env = xp_env_describe(problem->env);
    const xp_agent_setup setup = {.actions = env.actions,
                                  .episodes = episodes,
                                  .demos = demos,
                                  .prior = fitted->prior,
                                  .q_prior = fitted->q_prior,
                                  .env = env,
                                  .model = problem->env};
    xp_agent *agent = NULL;
    xp_status status = xp_agent_create(&fitted->spec, &setup, &agent, error);
    if (status == XP_OK) {
        const xp__tasks tasks = {
            .env = problem->env, .stream = xp__problem_tasks(problem), .episodes = episodes};
        status =
            xp__episodes_run(&tasks, agent, xp__text_hash(spec), first, count, pool, tally, error);
    }
    xp_agent_destroy(agent);
    return blame(status, problem, spec, error);
}

static xp_status unit_demos(const xp__unit *unit, uint64_t count, xp_demos **demos,
                            xp_error *error) {
    *demos = NULL;
    const xp__expert_entry *expert = unit->expert;
    xp_params params;
    xp_status status = xp_expert_params_default(expert->name, &params, error);
    if (status == XP_OK && expert->parameter != NULL) {
        status = xp_params_set(&params, expert->parameter, expert->value, error);
    }
    return status == XP_OK
               ? xp__problem_demos(unit->problem, expert->name, &params, count, demos, error)
               : status;
}

xp_status xp__unit_run(const xp__unit *unit, const xp__shape *shape, const xp__pool *pool,
                       xp__unit_result *result, xp_error *error) {
    const double start = xp__clock();
    xp_demos *demos;
    xp_status status = unit_demos(unit, shape->demonstrations, &demos, error);
    if (status != XP_OK) {
        return status;
    }
    *result = (xp__unit_result){.regret = 0};
    const char *spec = unit->agent->spec;
    xp__fitted fitted;
    status = xp__fitted_init(&fitted, spec, unit->problem, demos, error);
    if (status == XP_ERR_NUMERIC && unit->agent->fallback != NULL) {
        xp__fitted_deinit(&fitted);
        spec = unit->agent->fallback;
        result->fallback = 1;
        status = xp__fitted_init(&fitted, spec, unit->problem, demos, error);
    }
    xp__tally tally = {.tasks = 0};
    if (status == XP_OK) {
        status = xp__fitted_run(&fitted, spec, unit->problem, demos, shape->episodes, 0,
                                shape->tasks, pool, &tally, error);
    }
    if (status == XP_OK) {
        const double tasks = (double)tally.tasks;
        result->regret = tally.mean;
        result->regret_se = xp__tally_se(&tally);
        result->over_t = tally.over_t / tasks;
        for (size_t i = 0; i < XP__CHECKPOINTS; i++) {
            result->at[i] = tally.at[i] / tasks;
        }
        result->steps = (double)tally.steps;
        result->fit_seconds = fitted.seconds;
        result->seconds = xp__clock() - start;
    }
    xp__fitted_deinit(&fitted);
    xp_demos_destroy(demos);
    return status;
}

void xp__unit_key(const xp__unit *unit, const xp__shape *shape, char *key) {
    const xp_env_info env = xp_env_describe(unit->problem->env);
    const xp__expert_entry *expert = unit->expert;
    const char *fallback = unit->agent->fallback;
    char value[32] = "";
    if (expert->parameter != NULL) {
        (void)xp__format_double(value, expert->value);
    }
    (void)snprintf(
        key, XP__UNIT_KEY, "%s:arms=%zu/%zu/%s%s%s%s%s/n=%llu,tasks=%zu,t=%zu/%s%s%s", env.name,
        env.actions, unit->problem->index, expert->name, expert->parameter != NULL ? ":" : "",
        expert->parameter != NULL ? expert->parameter : "", expert->parameter != NULL ? "=" : "",
        value, (unsigned long long)shape->demonstrations, shape->tasks, shape->episodes,
        unit->agent->spec, fallback != NULL ? "|" : "", fallback != NULL ? fallback : "");
}
