/* settings.c: see settings.h. */
#include "base/settings.h"

#include "base/check.h"

#include <math.h>
#include <string.h>

bool xp__setting_next(const char **cursor, xp__setting *setting, const char *what,
                      xp_status *status, xp_error *error) {
    if (**cursor == '\0') {
        return false;
    }
    const size_t length = strcspn(*cursor, ",");
    const char *equals = memchr(*cursor, '=', length);
    const size_t key_length = equals != NULL ? (size_t)(equals - *cursor) : 0;
    const size_t value_length = equals != NULL ? length - key_length - 1 : 0;
    if (key_length == 0 || key_length >= XP__SETTING_KEY || value_length == 0 ||
        value_length >= XP__SETTING_VALUE) {
        *status = xp_error_set(error, XP_ERR_INPUT, "%.140s: '%.*s' is not key=value", what,
                               (int)(length < 80 ? length : 80), *cursor);
        return false;
    }
    memcpy(setting->key, *cursor, key_length);
    setting->key[key_length] = '\0';
    memcpy(setting->value, equals + 1, value_length);
    setting->value[value_length] = '\0';
    *cursor += length + ((*cursor)[length] == ',' ? 1 : 0);
    return true;
}

void xp__settings_write(const xp__params *params, bool given_only, xp__text *text) {
    const char *mark = "";
    for (size_t i = 0; i < params->count; i++) {
        const xp_param *param = &params->table[i];
        if ((given_only && !params->given[i]) || isnan(params->value[i]) ||
            (!given_only && xp__params_unsaid(params, i))) {
            continue;
        }
        char word[XP__SETTING_VALUE];
        xp__text_format(text, "%s%s=", mark, param->name);
        if (param->kind == XP_PARAM_CHOICE) {
            xp__text_append(text, xp__params_choice(params, param->name, word, sizeof word));
        } else {
            xp__text_double(text, params->value[i], params->value[i] > 0 ? "inf" : "-inf");
        }
        mark = ",";
    }
}

const char *xp__spec_name(const char *spec, char name[XP__SETTING_KEY]) {
    const size_t length = strcspn(spec, ":");
    const size_t kept = length < XP__SETTING_KEY ? length : XP__SETTING_KEY - 1;
    memcpy(name, spec, kept);
    name[kept] = '\0';
    return spec + length + (spec[length] == ':' ? 1 : 0);
}

xp_status xp__settings_read(xp__params *params, const char *text, xp_error *error) {
    xp_status status = XP_OK;
    xp__setting each;
    while (xp__setting_next(&text, &each, params->owner, &status, error)) {
        status = xp__params_set_text(params, each.key, each.value, error);
        if (status != XP_OK) {
            return status;
        }
    }
    return status;
}

xp_status xp__spec_read(const char *spec, xp__params_of *defaults, xp__params *params,
                        xp_error *error) {
    XP__NOT_NULL(spec, error);
    char name[XP__SETTING_KEY];
    const char *settings = xp__spec_name(spec, name);
    const xp_status status = defaults(name, params, error);
    return status == XP_OK ? xp__settings_read(params, settings, error) : status;
}
