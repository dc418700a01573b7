/* settings.h: "key=value,key=value": parameters as one line of text, read and written. */
#ifndef XP_BASE_SETTINGS_H
#define XP_BASE_SETTINGS_H

#include "base/params.h"
#include "base/text/text.h"

enum { XP__SETTING_KEY = 64, XP__SETTING_VALUE = 64 };

/* One "key=value" cut out of a text. */
typedef struct xp__setting {
    char key[XP__SETTING_KEY], value[XP__SETTING_VALUE];
} xp__setting;

/* Cuts the next setting off *cursor; false at the end or, with a status, on bad text. `what` stands
 * before the sentence: "agent 'ucb:x'". */
bool xp__setting_next(const char **cursor, xp__setting *setting, const char *what,
                      xp_status *status, xp_error *error);

/* Appends all values, or those that were given, in the order of the table; a value that is NAN, not
 * given, is left out. */
void xp__settings_write(const xp__params *params, bool given_only, xp__text *text);
/* Sets the values that a text names; an unknown name is an error. */
xp_status xp__settings_read(xp__params *params, const char *text, xp_error *error);
/* Default parameters of the type that is so called. */
typedef xp_status xp__params_of(const char *name, xp__params *params, xp_error *error);
/* The parameters of a spec: the defaults of the type that it names, and what it sets. */
xp_status xp__spec_read(const char *spec, xp__params_of *defaults, xp__params *params,
                        xp_error *error);
/* Cuts the name off a spec "name:key=value,…" and returns where its settings begin. A name that is
 * too long for any type is cut short, and so belongs to none. */
const char *xp__spec_name(const char *spec, char name[XP__SETTING_KEY]);

#endif
