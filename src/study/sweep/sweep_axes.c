/* sweep_axes.c: the axes of a sweep: environments, experts and seeds; demonstrations and agents
 * have files of their own (sweep_demos.c, sweep_agents.c). */
#include "study/sweep/sweep_reader.h"

#include "env/create.h"
#include "expert/expert_type.h"

#include <stdio.h>
#include <string.h>

void xp__sweep_read_envs(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = xp__sweep_list(self, file, "environments", true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        const char *spec = xp__sweep_spec_at(self, list, i, "environments");
        xp_error error;
        xp__sweep_env env = {.spec = ""};
        if (spec == NULL) {
            continue;
        }
        if (xp__env_params_read(spec, &env.params, &error) != XP_OK) {
            xp__sweep_blame(self, "environments", i, &error);
            continue;
        }
        for (size_t j = 0; j < sweep->env_count; j++) {
            if (strcmp(sweep->envs[j].spec, spec) == 0) {
                xp__sweep_complain(self, "environments[%zu]: '%s' is there twice", i, spec);
            }
        }
        strcpy(env.spec, spec);
        xp__sweep_env *place = xp__sweep_grow(self, (void **)&sweep->envs, sweep->env_count,
                                              &sweep->env_room, sizeof *sweep->envs);
        if (place != NULL) {
            *place = env;
            sweep->env_count++;
        }
    }
}

void xp__sweep_read_experts(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = xp__sweep_list(self, file, "experts", true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        const char *spec = xp__sweep_spec_at(self, list, i, "experts");
        xp_error error;
        xp__params params;
        if (spec == NULL) {
            continue;
        }
        if (xp__expert_params_read(spec, &params, &error) != XP_OK) {
            xp__sweep_blame(self, "experts", i, &error);
            continue;
        }
        for (size_t j = 0; j < sweep->expert_count; j++) {
            if (strcmp(sweep->experts[j].spec, spec) == 0) {
                xp__sweep_complain(self, "experts[%zu]: '%s' is there twice", i, spec);
            }
        }
        xp__sweep_expert *place =
            xp__sweep_grow(self, (void **)&sweep->experts, sweep->expert_count, &sweep->expert_room,
                           sizeof *sweep->experts);
        if (place != NULL) {
            *place = (xp__sweep_expert){.entry = {.name = params.owner}};
            strcpy(place->spec, spec);
            sweep->expert_count++;
        }
    }
}

void xp__sweep_read_seeds(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = xp__sweep_list(self, file, "seeds", false);
    for (size_t i = 0; i < xp__sweep_list_size(list) || (i == 0 && list == NULL); i++) {
        char name[32];
        size_t seed = 1;
        (void)snprintf(name, sizeof name, "seeds[%zu]", i);
        if (list != NULL &&
            !xp__sweep_whole(self, xp__sweep_list_at(list, i), name, 0, INT64_MAX, &seed)) {
            continue;
        }
        for (size_t j = 0; j < sweep->seed_count; j++) {
            if (sweep->seeds[j] == seed) {
                xp__sweep_complain(self, "%s: %zu is there twice", name, seed);
            }
        }
        uint64_t *place = xp__sweep_grow(self, (void **)&sweep->seeds, sweep->seed_count,
                                         &sweep->seed_room, sizeof *sweep->seeds);
        if (place != NULL) {
            *place = seed;
            sweep->seed_count++;
        }
    }
}
