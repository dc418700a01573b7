/* params.c: reading and checking named parameters. Every message names owner, parameter and value.
 */
#include "base/params.h"

#include "base/file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t find(const xp__params *params, const char *name) {
    size_t index = 0;
    while (index < params->count && strcmp(params->table[index].name, name) != 0) {
        index++;
    }
    return index;
}

xp__params xp__params_default(const char *owner, const xp_param *table, size_t count) {
    assert(count <= XP_PARAM_MAX);
    xp__params params = {.owner = owner, .table = table, .count = count};
    for (size_t i = 0; i < count; i++) {
        params.value[i] = table[i].standard;
    }
    return params;
}

bool xp__params_unsaid(const xp__params *params, size_t index) {
    const double value = params->value[index], standard = params->table[index].standard;
    return params->table[index].unsaid && (value == standard || (isnan(value) && isnan(standard)));
}

bool xp__params_has(const xp__params *params, const char *name) {
    return find(params, name) < params->count;
}

static xp_status unknown(const xp__params *params, const char *name, xp_error *error) {
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < params->count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i > 0 ? ", " : "; it has ", params->table[i].name);
    }
    return xp_error_set(error, XP_ERR_INPUT, "%s has no parameter '%.80s'%s", params->owner, name,
                        list);
}

/* Index of `text` among "first|second|third", or -1. */
static int choice_index(const char *choices, const char *text) {
    const size_t length = strlen(text);
    int index = 0;
    for (const char *word = choices; word != NULL; index++) {
        const char *bar = strchr(word, '|');
        const size_t word_length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (word_length == length && strncmp(word, text, length) == 0) {
            return index;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static int choice_count(const char *choices) {
    int count = 1;
    for (; *choices != '\0'; choices++) {
        count += *choices == '|';
    }
    return count;
}

xp_status xp__params_set(xp__params *params, const char *name, double value, xp_error *error) {
    const size_t index = find(params, name);
    if (index == params->count) {
        return unknown(params, name, error);
    }
    const xp_param *param = &params->table[index];
    char text[32], low[32], high[32];
    (void)xp__format_double(text, value);
    if (param->kind == XP_PARAM_CHOICE && !(value >= 0 && value < choice_count(param->choices))) {
        return xp_error_set(error, XP_ERR_INPUT, "%s.%s = %s is not the index of one of %s",
                            params->owner, name, text, param->choices);
    }
    (void)xp__format_double(low, param->low);
    (void)xp__format_double(high, param->high);
    if (!(value >= param->low && value <= param->high)) { /* also catches NaN */
        return xp_error_set(error, XP_ERR_INPUT, "%s.%s = %s is outside [%s, %s]", params->owner,
                            name, text, low, high);
    }
    if (param->kind != XP_PARAM_REAL && isfinite(value) && value != floor(value)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s.%s = %s is not a whole number", params->owner,
                            name, text);
    }
    params->value[index] = value;
    params->given[index] = true;
    return XP_OK;
}

xp_status xp__params_set_text(xp__params *params, const char *name, const char *text,
                              xp_error *error) {
    const size_t index = find(params, name);
    if (index == params->count) {
        return unknown(params, name, error);
    }
    const xp_param *param = &params->table[index];
    if (param->kind == XP_PARAM_CHOICE) {
        const int choice = choice_index(param->choices, text);
        if (choice < 0) {
            return xp_error_set(error, XP_ERR_INPUT, "%s.%s = '%.80s' is not one of %s",
                                params->owner, name, text, param->choices);
        }
        params->value[index] = choice;
        params->given[index] = true;
        return XP_OK;
    }
    double value;
    if (!xp__parse_double(text, &value)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s.%s = '%.80s' is not a number", params->owner,
                            name, text);
    }
    return xp__params_set(params, name, value, error);
}

double xp__params_get(const xp__params *params, const char *name) {
    const size_t index = find(params, name);
    assert(index < params->count);
    return params->value[index];
}

const char *xp__params_choice(const xp__params *params, const char *name, char *buffer,
                              size_t size) {
    const size_t index = find(params, name);
    assert(index < params->count && params->table[index].kind == XP_PARAM_CHOICE);
    const char *word = params->table[index].choices;
    for (int i = 0; i < (int)params->value[index]; i++) {
        word = strchr(word, '|') + 1;
    }
    (void)snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
    return buffer;
}
