/* sweep_axes.c: the axes of a sweep: environments, experts, demonstrations and seeds; agents have a
 * file of their own (sweep_agents.c). */
#include "study/sweep/sweep_reader.h"

#include "base/file.h"
#include "base/memory.h"
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

static void read_demos_file(xp__sweep_reader *self, const char *name, size_t i,
                            xp__sweep_demos *into) {
    char *path = xp__sweep_path(self, name), *data = NULL;
    size_t bytes = 0;
    xp_error error;
    xp_status status = path != NULL ? XP_OK : xp__no_memory(&error);
    if (status == XP_OK) {
        status = xp_demos_load(path, &into->given.demos, &error);
    }
    if (status == XP_OK) {
        status = xp__file_read(path, (size_t)1 << 30, &data, &bytes, &error);
    }
    if (status != XP_OK) {
        xp__sweep_blame(self, "demonstrations", i, &error);
    } else {
        (void)snprintf(into->given.name, sizeof into->given.name, "file-%016llx",
                       (unsigned long long)xp__text_hash(data));
    }
    xp__free(data);
    xp__free(path);
}

void xp__sweep_read_demos(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = xp__sweep_list(self, file, "demonstrations", true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        json_t *value = xp__sweep_list_at(list, i);
        xp__sweep_demos made = {.count = 0};
        const size_t before = self->faults;
        if (json_is_string(value)) {
            const char *name = xp__sweep_spec_at(self, list, i, "demonstrations");
            if (name != NULL) {
                strcpy(made.text, name);
                read_demos_file(self, name, i, &made);
            }
        } else {
            char name[48];
            size_t count = 0;
            (void)snprintf(name, sizeof name, "demonstrations[%zu]", i);
            if (xp__sweep_whole(self, value, name, 1, 1000000000, &count)) {
                made.count = count;
                (void)snprintf(made.text, sizeof made.text, "%zu", count);
            }
        }
        for (size_t j = 0; self->faults == before && j < sweep->demos_count; j++) {
            if (strcmp(sweep->demos[j].text, made.text) == 0) {
                xp__sweep_complain(self, "demonstrations[%zu]: '%s' is there twice", i, made.text);
            }
        }
        xp__sweep_demos *place =
            self->faults == before && !self->no_memory
                ? xp__sweep_grow(self, (void **)&sweep->demos, sweep->demos_count,
                                 &sweep->demos_room, sizeof *sweep->demos)
                : NULL;
        if (place != NULL) {
            *place = made;
            sweep->demos_count++;
        } else {
            xp_demos_destroy(made.given.demos);
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
