/* sweep_file.c: reading a sweep file, with a list of everything that is wrong with it.
 *
 * A mistake does not end the reading: what can still be checked is. What follows from a mistake is
 * not told as another one: agents are tried in an environment only if both are good by themselves.
 */
#include "study/sweep/sweep_type.h"

#include "base/check.h"
#include "base/file.h"
#include "base/grow.h"
#include "agent/agent_type.h"
#include "env/create.h"
#include "experior/catalogue.h"
#include "expert/expert_type.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)1 << 24)
enum { MOST_AGENTS = 10000, MOST_SETTINGS = 10000, MOST_VALUES = 16 };
static const size_t most_units = 2000000;

typedef struct reader {
    xp_sweep *sweep;
    const char *path;
    xp_notice fault;
    void *context;
    size_t faults;
    bool no_memory;
    const char *folder; /* of demonstrations, as the file says; NULL: beside it */
} reader;

__attribute__((format(printf, 2, 3))) static void complain(reader *self, const char *format, ...) {
    char sentence[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    self->faults++;
    if (self->fault != NULL) {
        self->fault(self->context, sentence);
    }
}

/* A mistake that another part of the library has found; that memory ran out is none. */
static void blame(reader *self, const xp_error *error, const char *what, size_t i) {
    if (error->status == XP_ERR_MEMORY) {
        self->no_memory = true;
    } else {
        complain(self, "%s[%zu]: %s", what, i, error->message);
    }
}

/* Room for one more; NULL when memory ran out. */
static void *grow(reader *self, void **block, size_t count, size_t *room, size_t size) {
    void *grown = xp__reserve(*block, room, count + 1, size);
    self->no_memory = self->no_memory || grown == NULL;
    *block = grown != NULL ? grown : *block;
    return grown != NULL ? (char *)grown + count * size : NULL;
}

/* A list, or one value that stands for a list of one; NULL and told if it is missing or empty. */
static json_t *list_of(reader *self, const json_t *file, const char *key, bool required) {
    json_t *value = json_object_get(file, key);
    if (value == NULL) {
        if (required) {
            complain(self, "'%s' is missing", key);
        }
        return NULL;
    }
    if (json_is_array(value) && json_array_size(value) == 0) {
        complain(self, "'%s' is an empty list", key);
        return NULL;
    }
    return value;
}

static size_t list_size(const json_t *list) {
    return list == NULL ? 0 : json_is_array(list) ? json_array_size(list) : 1;
}

static json_t *list_at(json_t *list, size_t i) {
    return json_is_array(list) ? json_array_get(list, i) : list;
}

/* A spec that fits its room; NULL and told if it is none. */
static const char *spec_at(reader *self, json_t *list, size_t i, const char *key) {
    const char *spec = json_string_value(list_at(list, i));
    if (spec == NULL || spec[0] == '\0') {
        complain(self, "%s[%zu] is not a text like \"name:key=value\"", key, i);
        return NULL;
    }
    if (strlen(spec) >= XP__SWEEP_SPEC) {
        complain(self, "%s[%zu] is longer than %d characters", key, i, (int)XP__SWEEP_SPEC - 1);
        return NULL;
    }
    return spec;
}

static void read_envs(reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = list_of(self, file, "environments", true);
    for (size_t i = 0; i < list_size(list); i++) {
        const char *spec = spec_at(self, list, i, "environments");
        xp_error error;
        xp__sweep_env env = {.spec = ""};
        if (spec == NULL) {
            continue;
        }
        if (xp__env_params_read(spec, &env.params, &error) != XP_OK) {
            blame(self, &error, "environments", i);
            continue;
        }
        for (size_t j = 0; j < sweep->env_count; j++) {
            if (strcmp(sweep->envs[j].spec, spec) == 0) {
                complain(self, "environments[%zu]: '%s' is there twice", i, spec);
            }
        }
        strcpy(env.spec, spec);
        xp__sweep_env *place = grow(self, (void **)&sweep->envs, sweep->env_count, &sweep->env_room,
                                    sizeof *sweep->envs);
        if (place != NULL) {
            *place = env;
            sweep->env_count++;
        }
    }
}

static void read_experts(reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = list_of(self, file, "experts", true);
    for (size_t i = 0; i < list_size(list); i++) {
        const char *spec = spec_at(self, list, i, "experts");
        xp_error error;
        xp__params params;
        if (spec == NULL) {
            continue;
        }
        if (xp__expert_params_read(spec, &params, &error) != XP_OK) {
            blame(self, &error, "experts", i);
            continue;
        }
        for (size_t j = 0; j < sweep->expert_count; j++) {
            if (strcmp(sweep->experts[j].spec, spec) == 0) {
                complain(self, "experts[%zu]: '%s' is there twice", i, spec);
            }
        }
        xp__sweep_expert *place = grow(self, (void **)&sweep->experts, sweep->expert_count,
                                       &sweep->expert_room, sizeof *sweep->experts);
        if (place != NULL) {
            *place = (xp__sweep_expert){.entry = {.name = params.owner}};
            strcpy(place->spec, spec);
            sweep->expert_count++;
        }
    }
}

/* A whole number from low to high into *value; false and told if it is none. */
static bool whole(reader *self, const json_t *value, const char *name, size_t low, size_t high,
                  size_t *number) {
    if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)low ||
        (uint64_t)json_integer_value(value) > high) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        complain(self, "%s = %.40s is not a whole number in [%zu, %zu]", name,
                 text != NULL ? text : "?", low, high);
        free(text);
        return false;
    }
    *number = (size_t)json_integer_value(value);
    return true;
}

/* A file named in the sweep file lies in its folder, and that beside it, unless the path begins at
 * the root. */
static char *path_beside(const reader *self, const char *name) {
    const char *slash = strrchr(self->path, '/');
    const char *folder = name[0] != '/' && self->folder != NULL ? self->folder : "";
    const bool rooted = name[0] == '/' || folder[0] == '/';
    const int beside = !rooted && slash != NULL ? (int)(slash - self->path + 1) : 0;
    const size_t bytes = (size_t)beside + strlen(folder) + strlen(name) + 2;
    char *path = xp__alloc(bytes, 1);
    if (path != NULL) {
        (void)snprintf(path, bytes, "%.*s%s%s%s", beside, self->path, folder,
                       folder[0] != '\0' ? "/" : "", name);
    }
    return path;
}

static void read_demos_file(reader *self, const char *name, size_t i, xp__sweep_demos *into) {
    char *path = path_beside(self, name), *data = NULL;
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
        blame(self, &error, "demonstrations", i);
    } else {
        (void)snprintf(into->given.name, sizeof into->given.name, "file-%016llx",
                       (unsigned long long)xp__text_hash(data));
    }
    xp__free(data);
    xp__free(path);
}

static void read_folder(reader *self, const json_t *file) {
    const json_t *value = json_object_get(file, "folder");
    self->folder = json_string_value(value);
    if (value != NULL && (self->folder == NULL || self->folder[0] == '\0')) {
        complain(self, "folder is not the name of a directory");
        self->folder = NULL;
    }
}

static void read_demos(reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = list_of(self, file, "demonstrations", true);
    for (size_t i = 0; i < list_size(list); i++) {
        json_t *value = list_at(list, i);
        xp__sweep_demos made = {.count = 0};
        const size_t before = self->faults;
        if (json_is_string(value)) {
            const char *name = spec_at(self, list, i, "demonstrations");
            if (name != NULL) {
                strcpy(made.text, name);
                read_demos_file(self, name, i, &made);
            }
        } else {
            char name[48];
            size_t count = 0;
            (void)snprintf(name, sizeof name, "demonstrations[%zu]", i);
            if (whole(self, value, name, 1, 1000000000, &count)) {
                made.count = count;
                (void)snprintf(made.text, sizeof made.text, "%zu", count);
            }
        }
        for (size_t j = 0; self->faults == before && j < sweep->demos_count; j++) {
            if (strcmp(sweep->demos[j].text, made.text) == 0) {
                complain(self, "demonstrations[%zu]: '%s' is there twice", i, made.text);
            }
        }
        xp__sweep_demos *place = self->faults == before && !self->no_memory
                                     ? grow(self, (void **)&sweep->demos, sweep->demos_count,
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

static void add_agent(reader *self, const char *spec, size_t i) {
    xp_sweep *sweep = self->sweep;
    xp_error error;
    if (strlen(spec) >= XP__SWEEP_SPEC) {
        complain(self, "agents[%zu] is longer than %d characters", i, (int)XP__SWEEP_SPEC - 1);
        return;
    }
    if (xp_catalogue_check(XP_AGENTS, spec, &error) != XP_OK) {
        blame(self, &error, "agents", i);
        return;
    }
    for (size_t j = 0; j < sweep->agent_count; j++) {
        if (strcmp(sweep->agents[j].spec, spec) == 0) {
            complain(self, "agents[%zu]: '%s' is there twice", i, spec);
            return;
        }
    }
    if (sweep->agent_count == MOST_AGENTS) {
        complain(self, "agents[%zu]: there are more than %d agents", i, (int)MOST_AGENTS);
        return;
    }
    xp__sweep_agent *place = grow(self, (void **)&sweep->agents, sweep->agent_count,
                                  &sweep->agent_room, sizeof *sweep->agents);
    if (place != NULL) {
        *place = (xp__sweep_agent){.spec = ""};
        strcpy(place->spec, spec);
        sweep->agent_count++;
    }
}

/* Parameters of {"name": ..., "key": value or list}, as they are multiplied out. */
typedef struct axis {
    const char *key;
    json_t *values;
} axis;

/* Text of a parameter's value; false if it is none. */
static bool value_text(const json_t *value, char *text, size_t room) {
    if (json_is_string(value)) {
        return snprintf(text, room, "%s", json_string_value(value)) < (int)room;
    }
    if (json_is_integer(value)) {
        return snprintf(text, room, "%lld", (long long)json_integer_value(value)) < (int)room;
    }
    if (json_is_real(value)) {
        return xp__format_double(text, json_real_value(value)) < room;
    }
    return false;
}

/* All agents of an object: the last axis turns fastest. */
static void multiply_out(reader *self, const char *name, const axis *axes, size_t count, size_t i) {
    size_t turn[MOST_VALUES] = {0}, k = 0;
    do {
        char spec[2 * XP__SWEEP_SPEC];
        size_t used = (size_t)snprintf(spec, sizeof spec, "%.*s", (int)XP__SWEEP_SPEC, name);
        for (size_t a = 0; a < count; a++) {
            char text[64];
            if (!value_text(list_at(axes[a].values, turn[a]), text, sizeof text)) {
                complain(self, "agents[%zu]: '%.60s' has a value that is no number and no text", i,
                         axes[a].key);
                return;
            }
            const char mark = a > 0 || strchr(name, ':') != NULL ? ',' : ':';
            const int more =
                snprintf(spec + used, sizeof spec - used, "%c%.60s=%s", mark, axes[a].key, text);
            used += (size_t)more < sizeof spec - used ? (size_t)more : 0;
        }
        add_agent(self, spec, i);
        for (k = count; k > 0 && ++turn[k - 1] == list_size(axes[k - 1].values); k--) {
            turn[k - 1] = 0;
        }
    } while (k > 0 && self->sweep->agent_count < MOST_AGENTS);
}

static void read_agent_object(reader *self, json_t *object, size_t i) {
    axis axes[MOST_VALUES];
    size_t count = 0;
    const char *name = json_string_value(json_object_get(object, "name")), *key;
    json_t *value;
    if (name == NULL) {
        complain(self, "agents[%zu] has no 'name'", i);
        return;
    }
    json_object_foreach(object, key, value) {
        if (strcmp(key, "name") == 0) {
            continue;
        }
        if (count == MOST_VALUES || (json_is_array(value) && json_array_size(value) == 0)) {
            complain(self, "agents[%zu]: '%.60s' is %s", i, key,
                     count == MOST_VALUES ? "one parameter too many" : "an empty list");
            return;
        }
        axes[count++] = (axis){key, value};
    }
    multiply_out(self, name, axes, count, i);
}

static void read_agents(reader *self, const json_t *file) {
    json_t *list = list_of(self, file, "agents", true);
    for (size_t i = 0; i < list_size(list); i++) {
        json_t *value = list_at(list, i);
        if (json_is_object(value)) {
            read_agent_object(self, value, i);
        } else {
            const char *spec = spec_at(self, list, i, "agents");
            if (spec != NULL) {
                add_agent(self, spec, i);
            }
        }
    }
}

static void read_seeds(reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = list_of(self, file, "seeds", false);
    for (size_t i = 0; i < list_size(list) || (i == 0 && list == NULL); i++) {
        char name[32];
        size_t seed = 1;
        (void)snprintf(name, sizeof name, "seeds[%zu]", i);
        if (list != NULL && !whole(self, list_at(list, i), name, 0, INT64_MAX, &seed)) {
            continue;
        }
        for (size_t j = 0; j < sweep->seed_count; j++) {
            if (sweep->seeds[j] == seed) {
                complain(self, "%s: %zu is there twice", name, seed);
            }
        }
        uint64_t *place = grow(self, (void **)&sweep->seeds, sweep->seed_count, &sweep->seed_room,
                               sizeof *sweep->seeds);
        if (place != NULL) {
            *place = seed;
            sweep->seed_count++;
        }
    }
}

static void read_counts(reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    const struct {
        const char *key;
        size_t *into, standard, most;
    } counts[] = {{"problems", &sweep->problems, 8, XP__SWEEP_SELECTING},
                  {"tasks", &sweep->tasks, 16, 100000},
                  {"episodes", &sweep->episodes, 500, 1000000}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const json_t *value = json_object_get(file, counts[i].key);
        *counts[i].into = counts[i].standard;
        if (value != NULL) {
            (void)whole(self, value, counts[i].key, 1, counts[i].most, counts[i].into);
        }
    }
    const json_t *name = json_object_get(file, "name");
    const char *text = name != NULL ? json_string_value(name) : "sweep";
    const char *allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (text == NULL || text[0] == '\0' || strlen(text) >= XP__SWEEP_NAME ||
        strspn(text, allowed) != strlen(text)) {
        complain(self, "name is not made of fewer than %d small letters, digits and _",
                 (int)XP__SWEEP_NAME);
    } else {
        strcpy(sweep->name, text);
    }
}

static void read_search(reader *self, const json_t *file) {
    xp__sweep_search *search = &self->sweep->search;
    json_t *object = json_object_get(file, "search"), *value;
    const char *key;
    if (object == NULL) {
        return;
    }
    if (!json_is_object(object)) {
        complain(self, "search is not an object like {\"rounds\": 3, \"keep\": 0.5}");
        return;
    }
    *search = (xp__sweep_search){.rounds = 3, .problems = 4, .keep = 0.5};
    json_object_foreach(object, key, value) {
        const char *text = json_string_value(value);
        if (strcmp(key, "rounds") == 0) {
            (void)whole(self, value, "search.rounds", 1, 10, &search->rounds);
        } else if (strcmp(key, "problems") == 0) {
            (void)whole(self, value, "search.problems", 1, 1000, &search->problems);
        } else if (strcmp(key, "keep") == 0) {
            search->keep = json_is_number(value) ? json_number_value(value) : NAN;
            if (!(search->keep > 0 && search->keep < 1)) {
                complain(self, "search.keep is not a share between 0 and 1");
            }
        } else if (strcmp(key, "measure") == 0) {
            search->by_return = text != NULL && strcmp(text, "mean return") == 0;
            if (text == NULL || (!search->by_return && strcmp(text, "final regret") != 0)) {
                complain(self, "search.measure is not 'final regret' or 'mean return'");
            }
        } else {
            complain(self, "search.%.60s: there is no such key", key);
        }
    }
}

static void check_keys(reader *self, json_t *file) {
    static const char *const known[] = {"name",     "environments", "experts",  "demonstrations",
                                        "agents",   "seeds",        "problems", "tasks",
                                        "episodes", "search",       "folder"};
    const char *key;
    json_t *value;
    json_object_foreach(file, key, value) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            found = found || strcmp(key, known[i]) == 0;
        }
        if (!found) {
            complain(self, "'%.60s': there is no such key", key);
        }
    }
}

/* A problem of the environment, as far as a check needs it. */
static bool make_env(reader *self, size_t i, xp_env **env) {
    const xp__sweep_env *made = &self->sweep->envs[i];
    xp_rng rng = xp_rng_seed(1);
    xp_error error;
    if (xp__env_create(made->params.owner, &made->params, &rng, env, &error) == XP_OK) {
        return true;
    }
    if (error.status == XP_ERR_MEMORY) {
        self->no_memory = true;
    } else {
        complain(self, "environment '%s': %s", made->spec, error.message);
    }
    return false;
}

/* Demonstrations of a file may lack actions that nobody took; they are told of them. */
static void check_demos(reader *self, const xp__sweep_env *env, const xp_env_info *info) {
    for (size_t i = 0; i < self->sweep->demos_count; i++) {
        const xp__sweep_demos *demos = &self->sweep->demos[i];
        if (demos->given.demos != NULL &&
            (xp_demos_state_size(demos->given.demos) != info->state_size ||
             xp_demos_declare_actions(demos->given.demos, info->actions, NULL) != XP_OK ||
             xp_demos_actions(demos->given.demos) != info->actions)) {
            complain(self,
                     "demonstrations '%s' have %zu actions and states of %zu numbers; '%s' has %zu "
                     "and %zu",
                     demos->text, xp_demos_actions(demos->given.demos),
                     xp_demos_state_size(demos->given.demos), env->spec, info->actions,
                     info->state_size);
        }
    }
}

/* What is good by itself may not fit together. */
static void check_together(reader *self) {
    xp_sweep *sweep = self->sweep;
    size_t with_states = 0;
    for (size_t i = 0; i < sweep->env_count; i++) {
        xp_env *env = NULL;
        if (!make_env(self, i, &env)) {
            continue;
        }
        const xp_env_info info = xp_env_describe(env);
        with_states += info.state_size > 0;
        check_demos(self, &sweep->envs[i], &info);
        for (size_t j = 0; j < sweep->agent_count; j++) {
            xp__agent_spec parsed;
            xp_error error;
            xp_status status = xp__agent_spec_parse(sweep->agents[j].spec, &info, &parsed, &error);
            if (status == XP_OK) {
                status = xp__agent_check_env(xp__agent_find(parsed.name, info.state_size > 0),
                                             &info, &error);
            }
            if (status != XP_OK) {
                complain(self, "agent '%s' in '%s': %s", sweep->agents[j].spec, sweep->envs[i].spec,
                         error.message);
            }
        }
        xp_env_destroy(env);
    }
    sweep->has_states = with_states > 0;
    if (with_states > 0 && with_states < sweep->env_count) {
        complain(self, "environments with and without states do not go into one sweep");
    }
    if (sweep->search.by_return && !sweep->has_states && sweep->env_count > 0) {
        complain(self, "search.measure = 'mean return' needs environments with states");
    }
    const double settings =
        (double)sweep->env_count * (double)sweep->expert_count * (double)sweep->demos_count;
    const double units =
        settings * (double)sweep->agent_count * (double)sweep->seed_count * (double)sweep->problems;
    if (settings > MOST_SETTINGS || units > (double)most_units) {
        complain(self, "%.0f settings and %.0f units are more than %d and %zu", settings, units,
                 (int)MOST_SETTINGS, most_units);
    }
}

static void read_all(reader *self, json_t *file) {
    if (!json_is_object(file)) {
        complain(self, "the file does not hold an object: { \"environments\": [...], ... }");
        return;
    }
    check_keys(self, file);
    read_counts(self, file);
    read_envs(self, file);
    read_experts(self, file);
    read_folder(self, file);
    read_demos(self, file);
    read_agents(self, file);
    read_seeds(self, file);
    read_search(self, file);
    check_together(self);
}

/* Entries point into arrays that no longer move. */
static void connect(xp_sweep *sweep) {
    for (size_t i = 0; i < sweep->expert_count; i++) {
        sweep->experts[i].entry.spec = sweep->experts[i].spec;
    }
    for (size_t i = 0; i < sweep->agent_count; i++) {
        sweep->agents[i].entry = (xp__agent_entry){
            .label = sweep->agents[i].spec, .spec = sweep->agents[i].spec, .may_fail = true};
    }
}

/* The file as text, with the full path of its folder if it names files: it is kept elsewhere. */
static xp_status keep_text(const reader *self, json_t *file, xp_error *error) {
    xp_sweep *sweep = self->sweep;
    bool has_files = false;
    for (size_t i = 0; i < sweep->demos_count; i++) {
        has_files = has_files || sweep->demos[i].given.demos != NULL;
    }
    char *folder = has_files ? path_beside(self, ".") : NULL;
    char full[PATH_MAX];
    bool good = !has_files || (folder != NULL && realpath(folder, full) != NULL &&
                               json_object_set_new(file, "folder", json_string(full)) == 0);
    xp__free(folder);
    char *text = good ? json_dumps(file, JSON_INDENT(2)) : NULL;
    xp__free(sweep->text);
    sweep->text = text != NULL ? xp__strdup(text) : NULL;
    free(text);
    return sweep->text != NULL ? XP_OK : xp__no_memory(error);
}

xp_status xp_sweep_load(const char *path, xp_notice fault, void *fault_context, xp_sweep **sweep,
                        xp_error *error) {
    XP__NOT_NULL(sweep, error);
    *sweep = NULL;
    XP__NOT_NULL(path, error);
    xp_sweep *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    size_t bytes = 0;
    xp_status status = xp__file_read(path, LARGEST_FILE, &made->text, &bytes, error);
    json_error_t problem;
    json_t *file = NULL;
    if (status == XP_OK) {
        file = json_loadb(made->text, bytes, JSON_REJECT_DUPLICATES, &problem);
        if (file == NULL) {
            status = xp_error_set(error, XP_ERR_INPUT, "'%s' line %d: %s", path, problem.line,
                                  problem.text);
        }
    }
    reader self = {.sweep = made, .path = path, .fault = fault, .context = fault_context};
    if (status == XP_OK) {
        read_all(&self, file);
        if (self.no_memory) {
            status = xp__no_memory(error);
        } else if (self.faults > 0) {
            status =
                xp_error_set(error, XP_ERR_INPUT, "'%s' has %zu mistake%s; nothing was computed",
                             path, self.faults, self.faults == 1 ? "" : "s");
        }
    }
    if (status == XP_OK) {
        status = keep_text(&self, file, error);
    }
    json_decref(file);
    if (status != XP_OK) {
        xp_sweep_destroy(made);
        return status;
    }
    connect(made);
    *sweep = made;
    return XP_OK;
}

void xp_sweep_destroy(xp_sweep *sweep) {
    if (sweep != NULL) {
        for (size_t i = 0; i < sweep->demos_count; i++) {
            xp_demos_destroy(sweep->demos[i].given.demos);
        }
        xp__free(sweep->text);
        xp__free(sweep->envs);
        xp__free(sweep->experts);
        xp__free(sweep->demos);
        xp__free(sweep->agents);
        xp__free(sweep->seeds);
        xp__free(sweep);
    }
}
