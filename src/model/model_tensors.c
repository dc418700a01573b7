/* model_tensors.c: a model with states as tensors: the prior's networks, and the demonstrations as
 *
 *     demos.start   [trajectories + 1]     where each distinct trajectory begins
 *     demos.count   [trajectories]         how often it was demonstrated
 *     demos.action  [steps]
 *     demos.state   [steps, state_size]
 *
 * and texts on the space, the agent and where the model came from. What follows from these (the
 * steps that demonstrations show, the density of a prior) is made anew when it is read. */
#include "model/model_type.h"

#include "base/memory.h"
#include "base/text/json.h"
#include "agent/agent_type.h"
#include "demos/demos_type.h"
#include "env/task_distribution.h"
#include "prior/states/states_prior_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "experior-model", file_version[] = "1";

static void note_whole(xp__tensors *file, const char *key, uint64_t value) {
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    xp__tensors_note(file, key, text);
}

/* A list of texts as one: JSON. */
static void note_names(xp__tensors *file, const char *const *names, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        file->failed |= json_array_append_new(list, json_string(names[i])) != 0;
    }
    char *text = json_dumps(list, JSON_COMPACT);
    file->failed |= text == NULL;
    xp__tensors_note(file, "action_names", text != NULL ? text : "[]");
    free(text);
    json_decref(list);
}

static void write_demos(const xp_demos *demos, xp__tensors *file) {
    const size_t distinct = xp_demos_distinct(demos), size = xp_demos_state_size(demos);
    uint64_t *start = xp__tensors_block(file, (distinct + 1) * sizeof *start);
    uint64_t *count = xp__tensors_block(file, (distinct + 1) * sizeof *count);
    size_t steps = 0;
    for (size_t i = 0; i < distinct; i++) {
        steps += xp_demos_trajectory(demos, i).length;
    }
    uint32_t *action = xp__tensors_block(file, (steps + 1) * sizeof *action);
    double *state = xp__tensors_block(file, (steps * size + 1) * sizeof *state);
    if (file->failed) {
        return;
    }
    size_t at = 0;
    for (size_t i = 0; i < distinct; i++) {
        const xp_trajectory each = xp_demos_trajectory(demos, i);
        start[i] = at;
        count[i] = each.count;
        memcpy(action + at, each.actions, each.length * sizeof *action);
        if (size > 0) {
            memcpy(state + at * size, each.states, each.length * size * sizeof *state);
        }
        at += each.length;
    }
    start[distinct] = at;
    xp__tensors_add(file, "demos.start", XP__U64, distinct + 1, 0, start);
    xp__tensors_add(file, "demos.count", XP__U64, distinct, 0, count);
    xp__tensors_add(file, "demos.action", XP__U32, steps, 0, action);
    if (size > 0) {
        xp__tensors_add(file, "demos.state", XP__F64, steps, size, state);
    }
}

xp_status xp__model_to_tensors(const xp_model *model, void **data, size_t *bytes, xp_error *error) {
    xp__tensors file = {.list = NULL};
    const xp_env_info *info = &model->info;
    xp__tensors_note(&file, "format", format_name);
    xp__tensors_note(&file, "version", file_version);
    xp__tensors_note(&file, "agent", model->agent);
    note_whole(&file, "seed", model->seed);
    xp__tensors_note(&file, "library", model->version);
    xp__tensors_note(&file, "machine", model->machine);
    note_whole(&file, "actions", info->actions);
    note_whole(&file, "horizon", info->horizon);
    if (model->environment != NULL) {
        xp__tensors_note(&file, "environment", model->environment);
    }
    if (model->names != NULL) {
        note_names(&file, model->names, info->actions);
    }
    uint64_t *categories = xp__tensors_block(&file, info->state_size * sizeof *categories);
    for (size_t j = 0; categories != NULL && j < info->state_size; j++) {
        categories[j] = info->categories[j];
    }
    xp__tensors_add(&file, "categories", XP__U64, info->state_size, 0, categories);
    if (model->demos != NULL && xp_demos_count(model->demos) > 0) {
        write_demos(model->demos, &file);
    }
    if (model->states_prior != NULL) {
        xp__states_prior_write(model->states_prior, &file);
    }
    const xp_status status = xp__tensors_write(&file, data, bytes, error);
    xp__tensors_deinit(&file);
    return status;
}

/* A text that is a whole number in [low, high]. */
static xp_status need_whole(const xp__tensor_file *file, const char *key, uint64_t low,
                            uint64_t high, uint64_t *value, xp_error *error) {
    const char *text = xp__tensor_file_note(file, key);
    char *end = NULL;
    *value = text != NULL ? strtoull(text, &end, 10) : 0;
    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || *value < low ||
        *value > high) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: the text '%s' is '%.40s', not a whole number from %" PRIu64
                            " to %" PRIu64,
                            file->name, key, text != NULL ? text : "", low, high);
    }
    return XP_OK;
}

/* The space; `categories` is for xp__free. */
static xp_status read_space(const xp__tensor_file *file, xp_env_info *info, size_t **categories,
                            xp_error *error) {
    uint64_t actions = 0, horizon = 0;
    const xp__tensor *tensor = NULL;
    xp_status status = need_whole(file, "actions", 1, XP__SPACE_ACTIONS, &actions, error);
    if (status == XP_OK) {
        status = need_whole(file, "horizon", 1, XP__SPACE_STEPS, &horizon, error);
    }
    if (status == XP_OK) {
        status = xp__tensor_file_need(file, "categories", XP__U64, SIZE_MAX, 0, &tensor, error);
    }
    if (status == XP_OK && tensor->rows > XP__SPACE_NUMBERS) {
        status = xp_error_set(error, XP_ERR_INPUT, "%s: a state of %zu numbers", file->name,
                              tensor->rows);
    }
    if (status != XP_OK) {
        return status;
    }
    *categories = xp__alloc(tensor->rows + 1, sizeof **categories);
    if (*categories == NULL) {
        return xp__no_memory(error);
    }
    for (size_t j = 0; j < tensor->rows; j++) {
        uint64_t value;
        memcpy(&value, (const unsigned char *)tensor->data + j * sizeof value, sizeof value);
        if (value > UINT32_MAX) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "%s: state number %zu has %" PRIu64 " categories", file->name, j,
                                value);
        }
        (*categories)[j] = (size_t)value;
    }
    *info = (xp_env_info){.actions = (size_t)actions,
                          .state_size = tensor->rows,
                          .horizon = (size_t)horizon,
                          .categories = *categories};
    return XP_OK;
}

/* Adds one trajectory after another; `state` and `action` are scratch of the longest. */
static xp_status add_demos(const xp__tensor_file *file, const xp_env_info *info,
                           const xp__tensor *starts, const xp__tensor *counts,
                           const xp__tensor *actions, const xp__tensor *states, xp_demos *demos,
                           xp_error *error) {
    const unsigned char *start = starts->data, *count = counts->data;
    uint32_t *action = xp__alloc(actions->rows + 1, sizeof *action);
    const size_t size = info->state_size;
    double *state = xp__alloc(actions->rows + 1, (size > 0 ? size : 1) * sizeof *state);
    xp_status status = action != NULL && state != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK) {
        memcpy(action, actions->data, actions->rows * sizeof *action);
        if (size > 0 && states != NULL) {
            memcpy(state, states->data, states->rows * size * sizeof *state);
        }
    }
    uint64_t from = 0;
    for (size_t i = 0; status == XP_OK && i < counts->rows; i++) {
        uint64_t begin, end, times;
        memcpy(&begin, start + i * sizeof begin, sizeof begin);
        memcpy(&end, start + (i + 1) * sizeof end, sizeof end);
        memcpy(&times, count + i * sizeof times, sizeof times);
        if (begin != from || end <= begin || end > actions->rows || times < 1) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "%s: distinct demonstration %zu, seen %" PRIu64
                                  " times, takes steps %" PRIu64 " to %" PRIu64,
                                  file->name, i, times, begin, end);
        }
        if (status == XP_OK) {
            status = xp_demos_add(demos, size > 0 ? state + begin * size : NULL, action + begin,
                                  (size_t)(end - begin), times, error);
        }
        from = end;
    }
    if (status == XP_OK && (from != actions->rows || xp_demos_distinct(demos) != counts->rows)) {
        status =
            xp_error_set(error, XP_ERR_INPUT,
                         "%s: its demonstrations are not distinct or leave steps over", file->name);
    }
    xp__free(action);
    xp__free(state);
    return status;
}

static xp_status read_demos(const xp__tensor_file *file, const xp_env_info *info, xp_demos **demos,
                            xp_error *error) {
    *demos = NULL;
    const xp__tensor *start = NULL, *count = NULL, *action = NULL, *state = NULL;
    xp_status status =
        xp__tensor_file_need(file, "demos.count", XP__U64, SIZE_MAX, 0, &count, error);
    if (status == XP_OK) {
        status =
            xp__tensor_file_need(file, "demos.start", XP__U64, count->rows + 1, 0, &start, error);
    }
    if (status == XP_OK) {
        status = xp__tensor_file_need(file, "demos.action", XP__U32, SIZE_MAX, 0, &action, error);
    }
    if (status == XP_OK && info->state_size > 0) {
        status = xp__tensor_file_need(file, "demos.state", XP__F64, action->rows, info->state_size,
                                      &state, error);
    }
    if (status == XP_OK) {
        status = xp_demos_create(info->state_size, info->actions, demos, error);
    }
    return status == XP_OK ? add_demos(file, info, start, count, action, state, *demos, error)
                           : status;
}

static xp_status read_names(const xp__tensor_file *file, xp_demos *demos, size_t actions,
                            xp_error *error) {
    const char *text = xp__tensor_file_note(file, "action_names");
    if (text == NULL) {
        return XP_OK;
    }
    /* What a short text unfolds to in memory may be long; names of so many actions are not. */
    const size_t most = (size_t)64 << 20;
    json_t *list = xp__json_memory(text, strlen(text)) <= most ? json_loads(text, 0, NULL) : NULL;
    const char *names[XP__SPACE_ACTIONS];
    bool good = list != NULL && json_array_size(list) == actions;
    for (size_t i = 0; good && i < actions; i++) {
        names[i] = json_string_value(json_array_get(list, i));
        good = names[i] != NULL;
    }
    const xp_status status =
        good ? xp_demos_name_actions(demos, names, error)
             : xp_error_set(error, XP_ERR_INPUT, "%s: 'action_names' are not %zu names", file->name,
                            actions);
    json_decref(list);
    return status;
}

static xp_status copy_note(const xp__tensor_file *file, const char *key, char **text,
                           xp_error *error) {
    const char *note = xp__tensor_file_note(file, key);
    if (note == NULL) {
        return XP_OK;
    }
    xp__free(*text);
    *text = xp__strdup(note);
    return *text != NULL ? XP_OK : xp__no_memory(error);
}

/* The environment that a planner needs, from its text. */
static xp_status restore_env(xp_model *model, const char *spec, xp_error *error) {
    xp_rng unused = xp_rng_seed(0);
    const xp_status status = xp_env_create(spec, &unused, &model->own_env, error);
    if (status != XP_OK) {
        return status;
    }
    model->env = model->own_env;
    const xp_env_info info = xp_env_describe(model->env);
    if (info.actions != model->info.actions || info.state_size != model->info.state_size) {
        return xp_error_set(error, XP_ERR_INPUT, "the environment '%.80s' is of another space",
                            spec);
    }
    model->info.contexts = info.contexts;
    return XP_OK;
}

static xp_status fill(const xp__tensor_file *file, xp_model *model, xp_error *error) {
    xp_status status = copy_note(file, "library", &model->version, error);
    if (status == XP_OK) {
        status = copy_note(file, "machine", &model->machine, error);
    }
    if (status == XP_OK) {
        status = need_whole(file, "seed", 0, UINT64_MAX, &model->seed, error);
    }
    if (status == XP_OK && xp__tensor_file_find(file, "demos.count") != NULL) {
        status = read_demos(file, &model->info, &model->own_demos, error);
    } else if (status == XP_OK && xp__tensor_file_note(file, "action_names") != NULL) {
        status =
            xp_demos_create(model->info.state_size, model->info.actions, &model->own_demos, error);
    }
    model->demos = model->own_demos;
    if (status == XP_OK && model->demos != NULL) {
        status = read_names(file, model->own_demos, model->info.actions, error);
    }
    const char *spec = xp__tensor_file_note(file, "environment");
    const bool planner = xp__agent_find(model->spec.name, model->spec.states)->needs_contexts;
    if (status == XP_OK && spec != NULL && planner) {
        status = restore_env(model, spec, error);
    } else if (status == XP_OK) {
        status = copy_note(file, "environment", &model->environment, error);
    }
    if (status == XP_OK && model->spec.prior_method != NULL) {
        status = model->demos != NULL
                     ? xp__states_prior_read(file, &model->info, model->demos, &model->states_prior,
                                             error)
                     : xp_error_set(error, XP_ERR_INPUT,
                                    "%s: a prior without the demonstrations it was fitted to",
                                    file->name);
    }
    return status == XP_OK ? xp__model_finish(model, error) : status;
}

static xp_status check_format(const xp__tensor_file *file, xp_error *error) {
    const char *format = xp__tensor_file_note(file, "format");
    const char *version = xp__tensor_file_note(file, "version");
    if (format != NULL && strcmp(format, "experior-net") == 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: holds networks alone, as 'fit-q' of version 0.1 wrote them, "
                            "without the demonstrations that an agent needs; fit the "
                            "demonstrations again with 'experior fit'",
                            file->name);
    }
    if (format == NULL || strcmp(format, format_name) != 0 || version == NULL ||
        strcmp(version, file_version) != 0) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: is not a model of version %s", file->name,
                            file_version);
    }
    return XP_OK;
}

xp_status xp__model_from_tensors(const void *data, size_t bytes, const char *name, xp_model **model,
                                 xp_error *error) {
    *model = NULL;
    xp__tensor_file file;
    xp_status status = xp__tensor_file_init(&file, data, bytes, name, error);
    if (status != XP_OK) {
        return status;
    }
    xp_env_info info;
    size_t *categories = NULL;
    status = check_format(&file, error);
    if (status == XP_OK) {
        status = read_space(&file, &info, &categories, error);
    }
    if (status == XP_OK) {
        const char *agent = xp__tensor_file_note(&file, "agent");
        status = xp__model_create(agent != NULL ? agent : "", &info, model, error);
    }
    if (status == XP_OK && !(*model)->spec.states) {
        status = xp_error_set(error, XP_ERR_INPUT, "%s: agent '%.80s' acts in bandits only", name,
                              (*model)->agent);
    }
    if (status == XP_OK) {
        status = fill(&file, *model, error);
    }
    xp__free(categories);
    xp__tensor_file_deinit(&file);
    if (status != XP_OK) {
        xp_model_destroy(*model);
        *model = NULL;
    }
    return status;
}
