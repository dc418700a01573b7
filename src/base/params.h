/* params.h: values for a table of parameters (experior/base.h). */
#ifndef XP_BASE_PARAMS_H
#define XP_BASE_PARAMS_H

#include "experior/base.h"

enum { XP_PARAM_MAX = 24 }; /* the longest table */

/* Entries of a table. */
#define XP__INTEGER(key, text, least, most, usual)                                                 \
    {                                                                                              \
        .name = (key), .summary = (text), .kind = XP_PARAM_INTEGER, .low = (least),                \
        .high = (most), .standard = (usual)                                                        \
    }
#define XP__REAL(key, text, least, most, usual)                                                    \
    {                                                                                              \
        .name = (key), .summary = (text), .kind = XP_PARAM_REAL, .low = (least), .high = (most),   \
        .standard = (usual)                                                                        \
    }

/* Values for one table. Start from xp__params_default(), change, pass by pointer. */
typedef struct xp__params {
    const char *owner; /* name of the type, for messages */
    const xp_param *table;
    size_t count;
    double value[XP_PARAM_MAX];
    bool given[XP_PARAM_MAX];
} xp__params;

/* The defaults of a table of `count` parameters that belongs to the type named `owner`. */
xp__params xp__params_default(const char *owner, const xp_param *table, size_t count);
/* True when the table has a parameter of that name. */
bool xp__params_has(const xp__params *params, const char *name);
/* Sets a parameter from text ("10", "inf", a choice's word); checks kind and range. */
xp_status xp__params_set_text(xp__params *params, const char *name, const char *text,
                              xp_error *error);
/* Sets a parameter from a number; checks kind and range. */
xp_status xp__params_set(xp__params *params, const char *name, double value, xp_error *error);
/* The value (a choice's index for choices). The name must be in the table: a wrong one is a bug. */
double xp__params_get(const xp__params *params, const char *name);
/* True when the parameter is one that is not mentioned while it has its default, and has it. */
bool xp__params_unsaid(const xp__params *params, size_t index);
/* The chosen word of a choice. Points into `buffer`, which has room for `size` bytes. */
const char *xp__params_choice(const xp__params *params, const char *name, char *buffer,
                              size_t size);

#endif
