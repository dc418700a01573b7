/* load_jsonl.c: demonstrations as JSON objects, one a line:
 *
 *     {"actions": [1, 0], "states": [[0.5], [1]], "count": 3}
 *     {"action": "left", "count": 3}
 *
 * "states" and "count" may be left out; a count of 0 only names the actions. */
#include "demos/demos_type.h"

#include "base/text/jsonl.h"
#include "base/text/scan.h"

#include <string.h>

typedef struct parts {
    const json_t *action, *actions, *states, *count;
} parts;

static xp_status find_parts(const xp__lines *lines, json_t *object, parts *found, xp_error *error) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (strcmp(key, "action") == 0) {
            found->action = value;
        } else if (strcmp(key, "actions") == 0) {
            found->actions = value;
        } else if (strcmp(key, "states") == 0) {
            found->states = value;
        } else if (strcmp(key, "count") == 0) {
            found->count = value;
        } else if (strcmp(key, "reward") == 0 || strcmp(key, "rewards") == 0) {
            return xp__lines_fail(lines, error,
                                  "key '%s': demonstrations have no rewards, only states and "
                                  "actions; leave it out",
                                  key);
        } else {
            char shown[XP__SHOWN];
            return xp__lines_fail(lines, error,
                                  "unknown key '%s'; keys are actions, states, count, or action, "
                                  "count",
                                  xp__show(shown, key, strlen(key)));
        }
    }
    if ((found->action != NULL) == (found->actions != NULL)) {
        return xp__lines_fail(lines, error, "needs one of 'action' and 'actions'");
    }
    if (found->action != NULL && found->states != NULL) {
        return xp__lines_fail(lines, error, "has 'states', which go with 'actions'");
    }
    if (found->actions != NULL && json_array_size(found->actions) == 0) {
        return xp__lines_fail(lines, error, "'actions' is not a list of at least one action");
    }
    return XP_OK;
}

static xp_status read_action(xp__demos_loader *loader, const json_t *value, const char *key,
                             xp_error *error) {
    char digits[XP__JSONL_NUMBER];
    const char *text;
    size_t length;
    const xp_status status =
        xp__jsonl_action(&loader->lines, value, key, digits, &text, &length, error);
    return status == XP_OK ? xp__demos_loader_action(loader, text, length, error) : status;
}

static xp_status read_actions(xp__demos_loader *loader, const json_t *actions, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < json_array_size(actions); i++) {
        char key[40];
        (void)snprintf(key, sizeof key, "action of step %zu", i);
        status = read_action(loader, json_array_get(actions, i), key, error);
    }
    return status;
}

/* Fills loader->state; the states of all steps have the size of the first. */
static xp_status read_states(xp__demos_loader *loader, const json_t *states, size_t *state_size,
                             xp_error *error) {
    const size_t steps = json_array_size(states);
    if (!json_is_array(states) || steps != loader->length) {
        return xp__lines_fail(&loader->lines, error,
                              "'states' is not a list of %zu states, one for each action",
                              loader->length);
    }
    *state_size = json_array_size(json_array_get(states, 0));
    xp_status status = xp__demos_loader_check_size(loader, *state_size, error);
    if (status == XP_OK) {
        status = xp__demos_loader_states(loader, *state_size, steps, error);
    }
    for (size_t step = 0; status == XP_OK && step < steps; step++) {
        const json_t *state = json_array_get(states, step);
        if (!json_is_array(state) || json_array_size(state) != *state_size) {
            return xp__lines_fail(&loader->lines, error,
                                  "state of step %zu is not a list of %zu numbers", step,
                                  *state_size);
        }
        for (size_t i = 0; i < *state_size; i++) {
            const json_t *number = json_array_get(state, i);
            if (!json_is_number(number)) { /* jansson has no infinite numbers */
                char shown[XP__SHOWN];
                return xp__lines_fail(&loader->lines, error,
                                      "state %zu of step %zu = %s is not a finite number", i, step,
                                      xp__jsonl_show(shown, number));
            }
            loader->state[step * *state_size + i] = json_number_value(number);
        }
    }
    for (size_t step = 0; status == XP_OK && step < steps; step++) {
        status = xp__demos_loader_check_state(loader, *state_size, step, error);
    }
    return status;
}

static xp_status read_object(xp__demos_loader *loader, json_t *object, xp_error *error) {
    parts found = {.count = NULL};
    xp_status status = find_parts(&loader->lines, object, &found, error);
    if (status != XP_OK) {
        return status;
    }
    uint64_t count = 1;
    if (found.count != NULL) {
        const json_int_t given = json_integer_value(found.count);
        if (!json_is_integer(found.count) || given < 0 || (uint64_t)given > XP__COUNT_MAX) {
            char shown[XP__SHOWN];
            return xp__lines_fail(&loader->lines, error,
                                  "count = %s is not a whole number from 0 to 2^53",
                                  xp__jsonl_show(shown, found.count));
        }
        count = (uint64_t)given;
    }
    size_t state_size = 0;
    status = found.action != NULL ? read_action(loader, found.action, "action", error)
                                  : read_actions(loader, found.actions, error);
    if (status == XP_OK && found.states != NULL) {
        status = read_states(loader, found.states, &state_size, error);
    } else if (status == XP_OK && count != 0) {
        status = xp__demos_loader_check_size(loader, 0, error);
    }
    return status == XP_OK ? xp__demos_loader_end(loader, state_size, count, error) : status;
}

xp_status xp__demos_read_jsonl(xp__demos_loader *loader, xp_error *error) {
    xp_status status = xp__lines_next(&loader->lines, error);
    while (status == XP_OK && loader->lines.text != NULL) {
        json_t *object;
        status = xp__jsonl_object(&loader->lines, &object, error);
        if (status == XP_OK) {
            status = read_object(loader, object, error);
            json_decref(object);
        }
        if (status == XP_OK) {
            status = xp__lines_next(&loader->lines, error);
        }
    }
    return status;
}
