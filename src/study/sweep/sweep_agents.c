/* sweep_agents.c: the agents of a sweep: specs, or objects whose parameters are multiplied out.
 *
 * How many agents the list stands for is known before the first is made. */
#include "study/sweep/sweep_reader.h"

#include "base/file.h"
#include "base/settings.h"
#include "experior/catalogue.h"

#include <stdio.h>
#include <string.h>

enum { MOST_AGENTS = 10000, MOST_AXES = 16 };
static const char list_name[] = "agents", name_key[] = "name";

/* Why a spec is no good, without the spec: combinations of one object have the same mistakes. */
static const char *reason_of(const xp_error *error) {
    static const char begin[] = "agent '", end[] = "': ";
    const char *after = strstr(error->message, end);
    return after != NULL && strncmp(error->message, begin, sizeof begin - 1) == 0
               ? after + sizeof end - 1
               : error->message;
}

static void add_agent(xp__sweep_reader *self, const char *spec, size_t i) {
    xp_sweep *sweep = self->sweep;
    xp_error error;
    if (xp_catalogue_check(XP_AGENTS, spec, &error) != XP_OK) {
        xp__sweep_complain(self, "%s[%zu]: %s", list_name, i, reason_of(&error));
        return;
    }
    if (xp__sweep_repeats(self, list_name, i, spec)) {
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
static bool value_text(const json_t *value, char text[XP__SETTING_VALUE]) {
    int length = 0;
    if (json_is_string(value)) {
        const char *given = json_string_value(value);
        length = strchr(given, ',') == NULL ? snprintf(text, XP__SETTING_VALUE, "%s", given) : 0;
    } else if (json_is_integer(value)) {
        length = snprintf(text, XP__SETTING_VALUE, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        length = (int)xp__format_double(text, json_real_value(value));
    }
    return length > 0 && length < XP__SETTING_VALUE;
}

/* Whether all values can be part of a spec; told if not. */
static bool check_axis(xp__sweep_reader *self, const axis *of, size_t i) {
    char text[XP__SETTING_VALUE], shown[XP__SHOWN];
    const size_t length = strlen(of->key);
    if (length == 0 || length >= XP__SETTING_KEY || strcspn(of->key, ",:=") < length) {
        xp__sweep_complain(self, "%s[%zu]: '%s' is not the name of a parameter", list_name, i,
                           xp__show(shown, of->key, length));
        return false;
    }
    if (xp__sweep_list_size(of->values) == 0) {
        xp__sweep_complain(self, "%s[%zu]: '%s' is an empty list", list_name, i, of->key);
        return false;
    }
    for (size_t j = 0; j < xp__sweep_list_size(of->values); j++) {
        const json_t *value = xp__sweep_list_at(of->values, j);
        if (!value_text(value, text)) {
            xp__sweep_complain(self,
                               "%s[%zu]: '%s' = %s is neither a number nor a text of 1 to %d bytes "
                               "without commas",
                               list_name, i, of->key, xp__sweep_show(value, shown),
                               (int)XP__SETTING_VALUE - 1);
            return false;
        }
    }
    return true;
}

/* The spec of one combination; false if it is too long. */
static bool write_spec(char spec[XP__SWEEP_SPEC], const char *name, const axis *axes, size_t count,
                       const size_t *turn) {
    char text[XP__SETTING_VALUE];
    int used = snprintf(spec, XP__SWEEP_SPEC, "%s", name);
    for (size_t a = 0; used < XP__SWEEP_SPEC && a < count; a++) {
        const char mark = strchr(spec, ':') != NULL ? ',' : ':';
        (void)value_text(xp__sweep_list_at(axes[a].values, turn[a]), text);
        used += snprintf(spec + used, (size_t)(XP__SWEEP_SPEC - used), "%c%s=%s", mark, axes[a].key,
                         text);
    }
    return used < XP__SWEEP_SPEC;
}

/* All agents of an object: the last axis turns fastest. */
static void multiply_out(xp__sweep_reader *self, const char *name, const axis *axes, size_t count,
                         size_t i) {
    size_t turn[MOST_AXES] = {0}, k = 0;
    do {
        char spec[XP__SWEEP_SPEC];
        if (write_spec(spec, name, axes, count, turn)) {
            add_agent(self, spec, i);
        } else {
            xp__sweep_complain(self, "%s[%zu]: with its parameters it is longer than %d bytes",
                               list_name, i, (int)XP__SWEEP_SPEC - 1);
        }
        for (k = count; k > 0 && ++turn[k - 1] == xp__sweep_list_size(axes[k - 1].values); k--) {
            turn[k - 1] = 0;
        }
    } while (k > 0);
}

static void read_agent_object(xp__sweep_reader *self, json_t *object, size_t i) {
    axis axes[MOST_AXES];
    size_t count = 0;
    const char *name = json_string_value(json_object_get(object, name_key)), *key;
    json_t *value;
    char shown[XP__SHOWN];
    if (name == NULL) {
        xp__sweep_complain(self, "%s[%zu] needs a 'name' that is a text: %s", list_name, i,
                           xp__sweep_show(object, shown));
        return;
    }
    json_object_foreach(object, key, value) {
        if (strcmp(key, name_key) == 0) {
            continue;
        }
        if (count == MOST_AXES) {
            xp__sweep_complain(self, "%s[%zu] has %zu parameters, more than %d", list_name, i,
                               json_object_size(object) - 1, (int)MOST_AXES);
            return;
        }
        axes[count] = (axis){key, value};
        if (!check_axis(self, &axes[count++], i)) {
            return;
        }
    }
    multiply_out(self, name, axes, count, i);
}

/* How many agents an entry stands for. */
static double combinations(json_t *entry) {
    double product = 1;
    const char *key;
    json_t *value;
    if (json_is_object(entry)) {
        json_object_foreach(entry, key, value) {
            product *= strcmp(key, name_key) == 0 ? 1 : (double)xp__sweep_list_size(value);
        }
    }
    return product;
}

/* Whether there are too many, which is told. */
static bool too_many(xp__sweep_reader *self, json_t *list) {
    double total = 0;
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        const double own = combinations(xp__sweep_list_at(list, i));
        if (own > MOST_AGENTS) {
            xp__sweep_complain(self, "%s[%zu] stands for %.0f agents, more than %d", list_name, i,
                               own, (int)MOST_AGENTS);
            return true;
        }
        total += own;
    }
    if (total > MOST_AGENTS) {
        xp__sweep_complain(self, "'%s' stands for %.0f agents, more than %d", list_name, total,
                           (int)MOST_AGENTS);
    }
    return total > MOST_AGENTS;
}

void xp__sweep_read_agents(xp__sweep_reader *self, const json_t *file) {
    json_t *list = xp__sweep_list(self, file, list_name, true);
    if (too_many(self, list)) {
        return;
    }
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        json_t *value = xp__sweep_list_at(list, i);
        if (json_is_object(value)) {
            read_agent_object(self, value, i);
        } else {
            const char *spec = xp__sweep_spec_at(self, list, i, list_name);
            if (spec != NULL) {
                add_agent(self, spec, i);
            }
        }
    }
}
