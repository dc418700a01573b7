/* same_study.h: results of studies compared bit for bit. */
#ifndef XP_TESTS_STUDY_SAME_STUDY_H
#define XP_TESTS_STUDY_SAME_STUDY_H

#include "experior/study.h"

#include <string.h>

static inline bool same_numbers(const double *a, const double *b, size_t n) {
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, n * sizeof *a) == 0);
}

/* Every number and sentence, bit for bit; not the seconds. */
static inline bool same_study(const xp_study_result *a, const xp_study_result *b) {
    bool equal = a->row_count == b->row_count && a->series_count == b->series_count &&
                 a->note_count == b->note_count && a->finding_count == b->finding_count &&
                 a->agent_steps == b->agent_steps && a->units_total == b->units_total;
    for (size_t i = 0; equal && i < a->row_count; i++) {
        const xp_study_row *x = &a->rows[i], *y = &b->rows[i];
        equal = strcmp(x->agent, y->agent) == 0 && strcmp(x->group, y->group) == 0 &&
                x->problems == y->problems && same_numbers(&x->mean, &y->mean, 1) &&
                same_numbers(&x->se, &y->se, 1) &&
                same_numbers(&x->difference, &y->difference, 1) && x->runs == y->runs &&
                same_numbers(&x->sd_problems, &y->sd_problems, 1) &&
                same_numbers(&x->sd_runs, &y->sd_runs, 1);
    }
    for (size_t i = 0; equal && i < a->series_count; i++) {
        const xp_series *x = &a->series[i], *y = &b->series[i];
        equal = x->n == y->n && same_numbers(x->x, y->x, x->n) && same_numbers(x->y, y->y, x->n) &&
                same_numbers(x->se, y->se, x->n);
    }
    for (size_t i = 0; equal && i < a->finding_count; i++) {
        equal = strcmp(a->findings[i], b->findings[i]) == 0;
    }
    for (size_t i = 0; equal && i < a->note_count; i++) {
        equal = strcmp(a->notes[i], b->notes[i]) == 0;
    }
    return equal;
}

/* Whether there is such a row, with the same mean. */
static inline bool has_row(const xp_study_result *result, const xp_study_row *wanted) {
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        if (strcmp(row->agent, wanted->agent) == 0 && strcmp(row->group, wanted->group) == 0 &&
            strcmp(row->measure, wanted->measure) == 0 &&
            memcmp(&row->mean, &wanted->mean, sizeof row->mean) == 0) {
            return true;
        }
    }
    return false;
}

#endif
