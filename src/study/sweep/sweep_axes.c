/* sweep_axes.c: the axes of a sweep: environments, experts and seeds; demonstrations and agents
 * have files of their own (sweep_demos.c, sweep_agents.c). */
#include "study/sweep/sweep_reader.h"

#include "base/bytes/checksum.h"
#include "env/create.h"
#include "expert/expert_type.h"

#include <stdio.h>
#include <string.h>

static void add_env(xp__sweep_reader *self, const char *spec, const xp__params *params) {
    xp_sweep *sweep = self->sweep;
    const uint64_t meaning = xp__sweep_meaning(self, params, XP__CHECKSUM_START);
    for (size_t j = 0; j < sweep->env_count; j++) {
        if (sweep->envs[j].meaning == meaning) {
            xp__sweep_complain_twice(self, "environments", spec, sweep->envs[j].spec);
            return;
        }
    }
    xp__sweep_env *place = xp__sweep_grow(self, (void **)&sweep->envs, sweep->env_count,
                                          &sweep->env_room, sizeof *sweep->envs);
    if (place != NULL) {
        *place = (xp__sweep_env){.params = *params, .meaning = meaning};
        strcpy(place->spec, spec);
        sweep->env_count++;
    }
}

static void add_expert(xp__sweep_reader *self, const char *spec, const xp__params *params) {
    xp_sweep *sweep = self->sweep;
    const uint64_t meaning = xp__sweep_meaning(self, params, XP__CHECKSUM_START);
    for (size_t j = 0; j < sweep->expert_count; j++) {
        if (sweep->experts[j].meaning == meaning) {
            xp__sweep_complain_twice(self, "experts", spec, sweep->experts[j].spec);
            return;
        }
    }
    xp__sweep_expert *place = xp__sweep_grow(self, (void **)&sweep->experts, sweep->expert_count,
                                             &sweep->expert_room, sizeof *sweep->experts);
    if (place != NULL) {
        *place = (xp__sweep_expert){.entry = {.name = params->owner}, .meaning = meaning};
        strcpy(place->spec, spec);
        sweep->expert_count++;
    }
}

/* Reads a list of specs and adds those that are good. */
static void read_specs(xp__sweep_reader *self, const json_t *file, const char *key,
                       xp_status (*read)(const char *spec, xp__params *params, xp_error *error),
                       void (*add)(xp__sweep_reader *self, const char *spec,
                                   const xp__params *params)) {
    json_t *list = xp__sweep_list(self, file, key, true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        const char *spec = xp__sweep_spec_at(self, list, i, key);
        xp_error error;
        xp__params params;
        if (spec != NULL && read(spec, &params, &error) != XP_OK) {
            xp__sweep_blame(self, key, i, &error);
        } else if (spec != NULL && !xp__sweep_repeats(self, key, i, spec)) {
            add(self, spec, &params);
        }
    }
}

void xp__sweep_read_envs(xp__sweep_reader *self, const json_t *file) {
    read_specs(self, file, "environments", xp__env_params_read, add_env);
}

void xp__sweep_read_experts(xp__sweep_reader *self, const json_t *file) {
    read_specs(self, file, "experts", xp__expert_params_read, add_expert);
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
                xp__sweep_complain(self, "%s: %zu is listed twice", name, seed);
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
