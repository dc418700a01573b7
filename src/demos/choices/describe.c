/* describe.c: what was understood of a table. */
#include "demos/choices/choices_type.h"

#include <math.h>

xp_choices_info xp_choices_describe(const xp_choices *choices) {
    return choices != NULL ? choices->info : (xp_choices_info){.format = NULL};
}

const char *xp_choices_column(const xp_choices *choices, size_t column) {
    return choices != NULL && column < choices->info.columns
               ? choices->columns + choices->column_at[column]
               : NULL;
}

const char *xp_choices_role(const xp_choices *choices, size_t column) {
    static const char *const names[XP__ROLES] = {"action", "segment", "expert", "weight", "count"};
    for (size_t role = 0; choices != NULL && column < choices->info.columns && role < XP__ROLES;
         role++) {
        if (choices->role[role] == column) {
            return names[role];
        }
    }
    return NULL;
}

const char *xp_choices_dropped(const xp_choices *choices, size_t index, uint64_t *rows) {
    static const char *const reasons[XP__DROPPED_REASONS] = {
        "no action", "no segment", "no expert", "no weight", "no count", "blank line"};
    for (size_t i = 0; choices != NULL && i < XP__DROPPED_REASONS; i++) {
        if (choices->dropped[i] > 0 && index-- == 0) {
            if (rows != NULL) {
                *rows = choices->dropped[i];
            }
            return reasons[i];
        }
    }
    return NULL;
}

xp_agreement xp_choices_agreement(const xp_choices *choices) {
    return choices != NULL
               ? choices->agreement
               : (xp_agreement){
                     .statistic = NAN, .p_value = NAN, .correlation = NAN, .design_effect = NAN};
}

xp_drift xp_choices_drift(const xp_choices *choices) {
    return choices != NULL ? choices->drift
                           : (xp_drift){.statistic = NAN,
                                        .degrees = NAN,
                                        .p_value = NAN,
                                        .stickiness = NAN,
                                        .position = NAN};
}

xp_choices_expert xp_choices_differing(const xp_choices *choices, size_t index) {
    if (choices == NULL || index >= choices->agreement.differing || index >= XP__DIFFERING) {
        return (xp_choices_expert){.name = NULL};
    }
    const struct xp__differing *own = &choices->differing[index];
    return (xp_choices_expert){.name = xp__tokens_text(&choices->expert_names, own->expert),
                               .choices = own->choices,
                               .arm = own->arm,
                               .p_value = own->p_value};
}
