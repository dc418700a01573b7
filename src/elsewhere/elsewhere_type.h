/* elsewhere_type.h: tasks on which no agent was developed first: one file per task with a
 * `const xp__elsewhere_type xp__elsewhere_<name>`, found by the build.
 *
 * All of them are environments of a caller's (xp_env_create_custom): what holds here holds for a
 * user's own. A task has a form for each half of the suite. On the selection half settings may be
 * chosen; the reporting half is for a last look. Forms differ in their size, their contexts and
 * their experts, so that a setting that fits one form only does not fit the other. Some tasks are
 * in the reporting half alone. */
#ifndef XP_ELSEWHERE_ELSEWHERE_TYPE_H
#define XP_ELSEWHERE_ELSEWHERE_TYPE_H

#include "experior/env.h"

#include <math.h>

typedef enum xp__half { XP__SELECTION, XP__REPORTING, XP__HALVES } xp__half;
extern const char *const xp__half_name[XP__HALVES];

/* What rewards are multiplied by. */
enum { XP__REWARD_SCALES = 3 };
extern const double xp__reward_scale[XP__REWARD_SCALES]; /* 1 first */

/* The numbers of a form; what they mean, the task's file says. `size` 0: it has no such form. */
typedef struct xp__form {
    size_t size, contexts;
    double slip;
    double beta; /* competence of its experts at scale 1; INFINITY: optimal, ties at random */
} xp__form;

struct xp__elsewhere_type;
/* A task in one of its forms, at one scale. */
typedef struct xp__place {
    const struct xp__elsewhere_type *type;
    xp__half half;
    size_t scale; /* index in xp__reward_scale */
} xp__place;

typedef struct xp__elsewhere_type {
    const char *name;
    const char *summary;
    xp__form form[XP__HALVES];
    xp__place place[XP__HALVES][XP__REWARD_SCALES];
    /* Fills in actions, states, horizon and functions (zeroed otherwise), which get the place as
     * their context. `categories` has room for XP__ELSEWHERE_NUMBERS entries. */
    void (*describe)(const xp__place *place, xp_env_custom *custom, size_t *categories);
    const struct xp__finite_type *finite; /* finite.h; NULL for tasks with real-valued states */
} xp__elsewhere_type;

enum { XP__ELSEWHERE_NUMBERS = 8 };

#define XP__PLACES(type)                                                                           \
    {                                                                                              \
        {{&(type), XP__SELECTION, 0}, {&(type), XP__SELECTION, 1}, {&(type), XP__SELECTION, 2}},   \
            {{&(type), XP__REPORTING, 0},                                                          \
             {&(type), XP__REPORTING, 1},                                                          \
             {&(type), XP__REPORTING, 2}},                                                         \
    }

extern const xp__elsewhere_type *const xp__elsewhere_types[];
extern const size_t xp__elsewhere_type_count;

static inline const xp__form *xp__place_form(const xp__place *place) {
    return &place->type->form[place->half];
}

/* A task of `size` bytes, all zero, whose first field is its place; NULL if there is no memory. */
void *xp__place_task(size_t size, const xp__place *place);

/* The environment of a place, whose form must exist. */
xp_status xp__elsewhere_create(const xp__place *place, xp_env **env, xp_error *error);

#endif
