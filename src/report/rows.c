/* rows.c: what the parts of a report ask about rows: which labels there are, where the interval of
 * a paired difference lies, and how numbers look to a person. */
#include "report/report_parts.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

bool xp__labels_measures(xp__labels *labels, const xp_study_result *result) {
    bool good = true;
    for (size_t i = 0; good && i < result->row_count; i++) {
        good = xp__labels_add(labels, result->rows[i].measure);
    }
    return good;
}

bool xp__labels_groups(xp__labels *labels, const xp_study_result *result, const char *measure) {
    bool good = true;
    for (size_t i = 0; good && i < result->row_count; i++) {
        if (measure == NULL || strcmp(result->rows[i].measure, measure) == 0) {
            good = xp__labels_add(labels, result->rows[i].group);
        }
    }
    return good;
}

bool xp__labels_agents(xp__labels *labels, const xp_study_result *result, const char *measure) {
    bool good = true;
    for (size_t i = 0; good && i < result->row_count; i++) {
        if (measure == NULL || strcmp(result->rows[i].measure, measure) == 0) {
            good = xp__labels_add(labels, result->rows[i].agent);
        }
    }
    return good;
}

const xp_study_row *xp__row_find(const xp_study_result *result, const char *agent,
                                 const char *group, const char *measure) {
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        if (strcmp(row->agent, agent) == 0 && strcmp(row->group, group) == 0 &&
            strcmp(row->measure, measure) == 0) {
            return row;
        }
    }
    return NULL;
}

bool xp__rows_have_runs(const xp_study_result *result, const char *measure) {
    bool found = false;
    for (size_t i = 0; i < result->row_count; i++) {
        found |= result->rows[i].runs > 0 &&
                 (measure == NULL || strcmp(result->rows[i].measure, measure) == 0);
    }
    return found;
}

const char *xp__reference(const xp_study_result *result) {
    return result->reference != NULL ? result->reference : "the reference";
}

bool xp__measure_has_paper(const xp_study_result *result, const char *measure) {
    for (size_t i = 0; i < result->row_count; i++) {
        if (strcmp(result->rows[i].measure, measure) == 0 && isfinite(result->rows[i].paper_mean)) {
            return true;
        }
    }
    return false;
}

bool xp__row_interval(const xp_study_row *row, double *low, double *high) {
    *low = *high = NAN;
    if (!(row->degrees > 0) || !isfinite(row->difference) || !isfinite(row->difference_se)) {
        return false;
    }
    const double half = xp__student_95(row->degrees) * row->difference_se;
    *low = row->difference - half;
    *high = row->difference + half;
    return true;
}

int xp__row_side(const xp_study_row *row) {
    double low, high;
    if (!xp__row_interval(row, &low, &high)) {
        return 0;
    }
    return low > 0 ? 1 : high < 0 ? -1 : 0;
}

/* Two places below 100, as regrets are a few units apart with errors of tenths; fewer above. */
static int places(double value) {
    const double size = fabs(value);
    return size < 99.995 ? 2 : size < 9999.95 ? 1 : 0;
}

static void number(xp__text *text, double value, int decimals) {
    if (isfinite(value)) {
        xp__text_fixed(text, value, decimals, "−");
    } else {
        xp__text_append(text, isnan(value) ? "–" : value > 0 ? "∞" : "−∞");
    }
}

void xp__text_mean(xp__text *text, double mean, double se) {
    number(text, mean, places(mean));
    if (isfinite(mean) && isfinite(se)) {
        xp__text_append(text, " ± ");
        number(text, se, places(mean));
    }
}

void xp__text_paper(xp__text *text, double mean, double se) {
    /* The paper's tables have one place, its plots more. */
    const bool one = fabs(mean * 10 - round(mean * 10)) < 1e-9;
    const int decimals = fabs(mean) >= 99.995 || one ? 1 : 2;
    number(text, mean, decimals);
    if (isfinite(mean) && isfinite(se)) {
        xp__text_append(text, " ± ");
        number(text, se, decimals);
    }
}

void xp__text_difference(xp__text *text, double difference) {
    if (difference > 0) {
        xp__text_append(text, "+");
    }
    number(text, difference, places(difference));
}

xp__chart xp__report_chart(const xp_study_result *result, xp__chart_row *rows) {
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        rows[i] = (xp__chart_row){.agent = row->agent,
                                  .group = row->group,
                                  .measure = row->measure,
                                  .mean = row->mean,
                                  .se = row->se,
                                  .paper_mean = row->paper_mean,
                                  .paper_se = row->paper_se};
    }
    return (xp__chart){.title = result->title,
                       .rows = rows,
                       .row_count = result->row_count,
                       .series = result->series,
                       .series_count = result->series_count};
}
