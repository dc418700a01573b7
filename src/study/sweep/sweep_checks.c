/* sweep_checks.c: whether what a sweep file asks for fits together, and into memory. */
#include "study/sweep/sweep_reader.h"

#include "agent/agent_type.h"
#include "base/bytes/checksum.h"
#include "env/create.h"
#include "experior/session.h"
#include "model/model_type.h"
#include "run/store.h"

#include <math.h>

/* All units of a round, and the returns that are kept of them, are in memory at once; so are the
 * values of all tasks for the report. At these limits they are some 2, 32 and 16 GB. */
static const double most_settings = 10000, most_units = 2e6, most_returns = 4e9, most_tasks = 2e7;

/* A problem of the environment, as far as a check needs it. */
static bool make_env(xp__sweep_reader *self, const xp__params *params, const char *spec,
                     xp_env **env) {
    xp_rng rng = xp_rng_seed(1);
    xp_error error;
    if (xp__env_create(params->owner, params, &rng, env, &error) == XP_OK) {
        return true;
    }
    if (error.status == XP_ERR_MEMORY) {
        self->no_memory = true;
    } else {
        xp__sweep_complain(self, "environment '%s': %s", spec, error.message);
    }
    return false;
}

/* A small bandit like environment i, to try agents in; NULL if an earlier environment has led to
 * the same one: those that differ in the number of arms do. */
static xp_env *make_trial(xp__sweep_reader *self, size_t i) {
    static const char arms[] = "arms";
    xp__sweep_env *envs = self->sweep->envs;
    xp__params params = envs[i].params;
    xp_env *env = NULL;
    if (xp__params_has(&params, arms)) {
        (void)xp__params_set(&params, arms, 2, NULL);
    }
    envs[i].kind = xp__sweep_meaning(self, &params, XP__CHECKSUM_START);
    for (size_t j = 0; j < i; j++) {
        if (envs[j].kind == envs[i].kind) {
            return NULL;
        }
    }
    (void)make_env(self, &params, envs[i].spec, &env);
    return env;
}

/* Whether an agent can act in a bandit: whether it takes such rewards, and its sampler draws from
 * its prior. That a fit has no solution is a result. */
static xp_status try_agent(const char *spec, const xp_env *env, xp_error *error) {
    const xp_env_info info = xp_env_describe(env);
    xp_session_options options = xp_session_options_default();
    xp_rng rng = xp_rng_seed(1);
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    xp_session *session = NULL;
    xp_status status = xp_demos_create(0, info.actions, &demos, error);
    for (uint32_t action = 0; status == XP_OK && action < info.actions; action++) {
        status = xp_demos_add(demos, NULL, &action, 1, 1, error);
    }
    if (status == XP_OK) {
        status = xp__model_fit(spec, &info, env, demos, NULL, &rng, &model, error);
    }
    if (status == XP_OK) {
        options.agent = spec;
        status = xp_session_create(model, &options, &session, error);
    }
    xp_session_destroy(session);
    xp_model_destroy(model);
    xp_demos_destroy(demos);
    return status == XP_ERR_NUMERIC ? XP_OK : status;
}

/* All agents in environment i; in `trial` too, unless it is NULL. A trial takes up to some
 * milliseconds: none is held for mistakes that would not be told. */
static void check_agents(xp__sweep_reader *self, size_t i, const xp_env_info *info,
                         const xp_env *trial) {
    const xp_sweep *sweep = self->sweep;
    for (size_t j = 0; j < sweep->agent_count; j++) {
        xp__agent_spec parsed;
        xp_error error;
        xp_status status = xp__agent_spec_parse(sweep->agents[j].spec, info, &parsed, &error);
        if (status == XP_OK) {
            status = xp__agent_check_env(xp__agent_find(parsed.name, info->state_size > 0), info,
                                         &error);
        }
        if (status == XP_OK && trial != NULL && self->faults < XP__SWEEP_TOLD) {
            status = try_agent(sweep->agents[j].spec, trial, &error);
        }
        if (status == XP_ERR_MEMORY) {
            self->no_memory = true;
        } else if (status != XP_OK) {
            xp__sweep_complain(self, "agent '%s' in '%s': %s", sweep->agents[j].spec,
                               sweep->envs[i].spec, error.message);
        }
    }
}

/* Agents that say the same in other words are one agent. */
static void check_twins(xp__sweep_reader *self) {
    xp_sweep *sweep = self->sweep;
    const xp_env_info kind = {.state_size = sweep->has_states};
    for (size_t j = 0; j < sweep->agent_count; j++) {
        xp__sweep_agent *agent = &sweep->agents[j];
        xp__agent_spec parsed;
        xp_error error;
        if (xp__agent_spec_parse(agent->spec, &kind, &parsed, &error) != XP_OK) {
            continue; /* told already: it fits no environment */
        }
        agent->meaning = xp__sweep_meaning(self, &parsed.agent_params, XP__CHECKSUM_START);
        agent->meaning = xp__sweep_meaning(self, &parsed.prior_params, agent->meaning);
        agent->meaning = xp__sweep_meaning(self, &parsed.sampler_params, agent->meaning);
        for (size_t k = 0; k < j; k++) {
            if (sweep->agents[k].meaning == agent->meaning) {
                xp__sweep_complain_twice(self, "agents", agent->spec, sweep->agents[k].spec);
                break;
            }
        }
    }
}

static double units_of(const xp_sweep *sweep, size_t problems) {
    return (double)xp__sweep_settings(sweep) * (double)sweep->agent_count *
           (double)sweep->seed_count * (double)problems;
}

/* Problems of the last round of the search, which has the most; 0: there is no search. Every
 * process plans them for all agents. */
static size_t last_round(const xp_sweep *sweep) {
    const xp__sweep_search *search = &sweep->search;
    return search->rounds > 0 ? search->problems << (search->rounds - 1) : 0;
}

/* Whether there are not too many units, which is told. */
static bool check_units(xp__sweep_reader *self) {
    const xp_sweep *sweep = self->sweep;
    const double settings = (double)xp__sweep_settings(sweep);
    const double units = units_of(sweep, sweep->problems);
    const double searched = units_of(sweep, last_round(sweep));
    if (settings > most_settings) {
        xp__sweep_complain(self,
                           "%.0f settings (environments x experts x demonstrations) are more than "
                           "%.0f",
                           settings, most_settings);
    } else if (units > most_units) {
        xp__sweep_complain(self,
                           "%.0f units (settings x agents x seeds x problems) are more than %.0f",
                           units, most_units);
    } else if (searched > most_units) {
        xp__sweep_complain(self,
                           "%.0f units in the last round of the search (%zu problems for all "
                           "agents, settings and seeds) are more than %.0f",
                           searched, last_round(sweep), most_units);
    } else {
        return true;
    }
    return false;
}

/* The same of what is kept of each task, where there are states. */
static void check_returns(xp__sweep_reader *self) {
    const xp_sweep *sweep = self->sweep;
    const double tasks = units_of(sweep, sweep->problems) * (double)sweep->tasks;
    const double returns = fmax(tasks, units_of(sweep, last_round(sweep)) * (double)sweep->tasks) *
                           (double)sweep->episodes;
    const double of_unit = (double)sweep->tasks * (double)sweep->episodes;
    if (returns > most_returns) {
        xp__sweep_complain(self,
                           "%.0f returns of episodes (units x tasks x episodes) to keep in memory "
                           "are more than %.0f",
                           returns, most_returns);
    } else if (of_unit > XP__STORE_NUMBERS) {
        xp__sweep_complain(
            self,
            "%.0f returns of episodes (tasks x episodes) in one unit, which is filed "
            "as a whole, are more than %d",
            of_unit, (int)XP__STORE_NUMBERS);
    } else if (tasks > most_tasks) {
        xp__sweep_complain(self, "%.0f tasks (units x tasks) to report on are more than %.0f",
                           tasks, most_tasks);
    }
}

static void check_env(xp__sweep_reader *self, size_t i, size_t *with_states) {
    xp__sweep_env *made = &self->sweep->envs[i];
    xp_env *env = NULL;
    if (!make_env(self, &made->params, made->spec, &env)) {
        return;
    }
    const xp_env_info info = xp_env_describe(env);
    xp_env *trial = info.state_size == 0 ? make_trial(self, i) : NULL;
    made->actions = info.actions;
    *with_states += info.state_size > 0;
    xp__sweep_check_demos(self, i, &info);
    check_agents(self, i, &info, trial);
    xp_env_destroy(trial);
    xp_env_destroy(env);
}

/* Experts show what is drawn; settings of a file that differ in the expert alone are the same. */
static void check_experts(xp__sweep_reader *self) {
    const xp_sweep *sweep = self->sweep;
    bool drawn = sweep->demos_count == 0;
    for (size_t i = 0; i < sweep->demos_count; i++) {
        drawn = drawn || sweep->demos[i].given == NULL;
    }
    if (!drawn && sweep->expert_count > 1) {
        xp__sweep_complain(self,
                           "%zu experts, but all demonstrations are from files: the settings would "
                           "differ only in the expert's name; give one expert",
                           sweep->expert_count);
    }
}

void xp__sweep_check_together(xp__sweep_reader *self) {
    xp_sweep *sweep = self->sweep;
    size_t with_states = 0;
    if (!check_units(self)) {
        return;
    }
    for (size_t i = 0; i < sweep->env_count; i++) {
        check_env(self, i, &with_states);
    }
    sweep->has_states = with_states > 0;
    if (with_states > 0 && with_states < sweep->env_count) {
        xp__sweep_complain(self, "environments with and without states cannot be in one sweep: "
                                 "write one file for each kind");
    }
    if (sweep->search.by_return && !sweep->has_states && sweep->env_count > 0) {
        xp__sweep_complain(self, "search.measure = 'mean return' needs environments with states");
    }
    check_experts(self);
    check_twins(self);
    if (sweep->has_states) {
        check_returns(self);
    }
}
