/* param.h: what a parameter is called and which values it takes.
 *
 * Every environment, expert, prior, sampler and agent lists its parameters in one const table
 * (catalogue.h shows them). Programs give parameters as text, in a spec: a name, or a name with
 * settings,
 *
 *     deep_sea        deep_sea:size=10,goal=any        noisily_rational:beta=2.5
 *
 * What a spec leaves out has its default; an unknown name or a value out of range is XP_ERR_INPUT
 * with a sentence that names it. */
#ifndef EXPERIOR_PARAM_H
#define EXPERIOR_PARAM_H

#include "experior/base.h"

typedef enum xp_param_kind { XP_PARAM_REAL, XP_PARAM_INTEGER, XP_PARAM_CHOICE } xp_param_kind;

/* One row of a table. */
typedef struct xp_param {
    const char *name;
    const char *summary;
    xp_param_kind kind;
    double low, high;    /* allowed range, ends included; an infinite end allows "inf" */
    double standard;     /* the default; NAN means "not given": the summary says what then */
    const char *choices; /* XP_PARAM_CHOICE: "first|second|third"; the default is an index */
    bool unsaid;         /* not written to files and descriptions while it has its default */
} xp_param;

#endif
