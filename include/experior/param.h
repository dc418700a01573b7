/* param.h: named numbers with ranges.
 *
 * Every environment, expert, prior, sampler and agent lists its parameters in one const table; the
 * command line, the error messages and the documentation are made from it. */
#ifndef EXPERIOR_PARAM_H
#define EXPERIOR_PARAM_H

#include "experior/base.h"

enum { XP_PARAM_MAX = 24 }; /* the longest table */

typedef enum xp_param_kind { XP_PARAM_REAL, XP_PARAM_INTEGER, XP_PARAM_CHOICE } xp_param_kind;

typedef struct xp_param {
    const char *name;
    const char *summary;
    xp_param_kind kind;
    double low, high;    /* allowed range, ends included; an infinite end allows "inf" */
    double standard;     /* the default; NAN means "not given": the summary says what then */
    const char *choices; /* XP_PARAM_CHOICE: "first|second|third"; the value is the index */
} xp_param;

/* Values for one table. Start from xp_params_default(), change, pass by pointer. */
typedef struct xp_params {
    const char *owner; /* name of the type, for messages */
    const xp_param *table;
    size_t count;
    double value[XP_PARAM_MAX];
    bool given[XP_PARAM_MAX];
} xp_params;

/* The defaults of a table of `count` parameters that belongs to the type named `owner`. */
XP_API xp_params xp_params_default(const char *owner, const xp_param *table, size_t count);
/* True when the table has a parameter of that name. */
XP_API bool xp_params_has(const xp_params *params, const char *name);
/* Sets a parameter from text ("10", "inf", a choice's word); checks kind and range. */
XP_API xp_status xp_params_set_text(xp_params *params, const char *name, const char *text,
                                    xp_error *error);
/* Sets a parameter from a number; checks kind and range. */
XP_API xp_status xp_params_set(xp_params *params, const char *name, double value, xp_error *error);
/* The value (a choice's index for choices). The name must be in the table: a wrong one is a bug. */
XP_API double xp_params_get(const xp_params *params, const char *name);
/* The chosen word of a choice. Points into `buffer`, which has room for `size` bytes. */
XP_API const char *xp_params_choice(const xp_params *params, const char *name, char *buffer,
                                    size_t size);

#endif
