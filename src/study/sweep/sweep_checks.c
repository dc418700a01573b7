/* sweep_checks.c: whether what a sweep file asks for fits together. */
#include "study/sweep/sweep_reader.h"

#include "agent/agent_type.h"
#include "env/create.h"

enum { MOST_SETTINGS = 10000 };
static const size_t most_units = 2000000;

/* A problem of the environment, as far as a check needs it. */
static bool make_env(xp__sweep_reader *self, size_t i, xp_env **env) {
    const xp__sweep_env *made = &self->sweep->envs[i];
    xp_rng rng = xp_rng_seed(1);
    xp_error error;
    if (xp__env_create(made->params.owner, &made->params, &rng, env, &error) == XP_OK) {
        return true;
    }
    if (error.status == XP_ERR_MEMORY) {
        self->no_memory = true;
    } else {
        xp__sweep_complain(self, "environment '%s': %s", made->spec, error.message);
    }
    return false;
}

void xp__sweep_check_together(xp__sweep_reader *self) {
    xp_sweep *sweep = self->sweep;
    size_t with_states = 0;
    for (size_t i = 0; i < sweep->env_count; i++) {
        xp_env *env = NULL;
        if (!make_env(self, i, &env)) {
            continue;
        }
        const xp_env_info info = xp_env_describe(env);
        with_states += info.state_size > 0;
        sweep->envs[i].actions = info.actions;
        xp__sweep_check_demos(self, i, &info);
        for (size_t j = 0; j < sweep->agent_count; j++) {
            xp__agent_spec parsed;
            xp_error error;
            xp_status status = xp__agent_spec_parse(sweep->agents[j].spec, &info, &parsed, &error);
            if (status == XP_OK) {
                status = xp__agent_check_env(xp__agent_find(parsed.name, info.state_size > 0),
                                             &info, &error);
            }
            if (status != XP_OK) {
                xp__sweep_complain(self, "agent '%s' in '%s': %s", sweep->agents[j].spec,
                                   sweep->envs[i].spec, error.message);
            }
        }
        xp_env_destroy(env);
    }
    sweep->has_states = with_states > 0;
    if (with_states > 0 && with_states < sweep->env_count) {
        xp__sweep_complain(self, "environments with and without states do not go into one sweep");
    }
    if (sweep->search.by_return && !sweep->has_states && sweep->env_count > 0) {
        xp__sweep_complain(self, "search.measure = 'mean return' needs environments with states");
    }
    const double settings =
        (double)sweep->env_count * (double)sweep->expert_count * (double)sweep->demos_count;
    const double units =
        settings * (double)sweep->agent_count * (double)sweep->seed_count * (double)sweep->problems;
    if (settings > MOST_SETTINGS || units > (double)most_units) {
        xp__sweep_complain(self, "%.0f settings and %.0f units are more than %d and %zu", settings,
                           units, (int)MOST_SETTINGS, most_units);
    }
}
