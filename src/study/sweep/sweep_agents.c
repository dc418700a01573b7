/* sweep_agents.c: the agents of a sweep: specs, or objects whose parameters are multiplied out. */
#include "study/sweep/sweep_reader.h"

#include "base/file.h"
#include "experior/catalogue.h"

#include <stdio.h>
#include <string.h>

enum { MOST_AGENTS = 10000, MOST_VALUES = 16 };

static void add_agent(xp__sweep_reader *self, const char *spec, size_t i) {
    xp_sweep *sweep = self->sweep;
    xp_error error;
    if (strlen(spec) >= XP__SWEEP_SPEC) {
        xp__sweep_complain(self, "agents[%zu] is longer than %d characters", i,
                           (int)XP__SWEEP_SPEC - 1);
        return;
    }
    if (xp_catalogue_check(XP_AGENTS, spec, &error) != XP_OK) {
        xp__sweep_blame(self, "agents", i, &error);
        return;
    }
    for (size_t j = 0; j < sweep->agent_count; j++) {
        if (strcmp(sweep->agents[j].spec, spec) == 0) {
            xp__sweep_complain(self, "agents[%zu]: '%s' is there twice", i, spec);
            return;
        }
    }
    if (sweep->agent_count == MOST_AGENTS) {
        xp__sweep_complain(self, "agents[%zu]: there are more than %d agents", i, (int)MOST_AGENTS);
        return;
    }
    xp__sweep_agent *place = xp__sweep_grow(self, (void **)&sweep->agents, sweep->agent_count,
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
static void multiply_out(xp__sweep_reader *self, const char *name, const axis *axes, size_t count,
                         size_t i) {
    size_t turn[MOST_VALUES] = {0}, k = 0;
    do {
        char spec[2 * XP__SWEEP_SPEC];
        size_t used = (size_t)snprintf(spec, sizeof spec, "%.*s", (int)XP__SWEEP_SPEC, name);
        for (size_t a = 0; a < count; a++) {
            char text[64];
            if (!value_text(xp__sweep_list_at(axes[a].values, turn[a]), text, sizeof text)) {
                xp__sweep_complain(self,
                                   "agents[%zu]: '%.60s' has a value that is no number and no text",
                                   i, axes[a].key);
                return;
            }
            const char mark = a > 0 || strchr(name, ':') != NULL ? ',' : ':';
            const int more =
                snprintf(spec + used, sizeof spec - used, "%c%.60s=%s", mark, axes[a].key, text);
            used += (size_t)more < sizeof spec - used ? (size_t)more : 0;
        }
        add_agent(self, spec, i);
        for (k = count; k > 0 && ++turn[k - 1] == xp__sweep_list_size(axes[k - 1].values); k--) {
            turn[k - 1] = 0;
        }
    } while (k > 0 && self->sweep->agent_count < MOST_AGENTS);
}

static void read_agent_object(xp__sweep_reader *self, json_t *object, size_t i) {
    axis axes[MOST_VALUES];
    size_t count = 0;
    const char *name = json_string_value(json_object_get(object, "name")), *key;
    json_t *value;
    if (name == NULL) {
        xp__sweep_complain(self, "agents[%zu] has no 'name'", i);
        return;
    }
    json_object_foreach(object, key, value) {
        if (strcmp(key, "name") == 0) {
            continue;
        }
        if (count == MOST_VALUES || (json_is_array(value) && json_array_size(value) == 0)) {
            xp__sweep_complain(self, "agents[%zu]: '%.60s' is %s", i, key,
                               count == MOST_VALUES ? "one parameter too many" : "an empty list");
            return;
        }
        axes[count++] = (axis){key, value};
    }
    multiply_out(self, name, axes, count, i);
}

void xp__sweep_read_agents(xp__sweep_reader *self, const json_t *file) {
    json_t *list = xp__sweep_list(self, file, "agents", true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        json_t *value = xp__sweep_list_at(list, i);
        if (json_is_object(value)) {
            read_agent_object(self, value, i);
        } else {
            const char *spec = xp__sweep_spec_at(self, list, i, "agents");
            if (spec != NULL) {
                add_agent(self, spec, i);
            }
        }
    }
}
