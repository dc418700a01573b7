/* report_csv.c: the rows of a result, and the values of its runs, as RFC 4180: comma-separated,
 * CRLF, quoted where needed. Numbers read back as the same doubles; one that does not apply is an
 * empty field. */
#include "report/report_parts.h"

#include <math.h>

void xp__report_csv(const xp_study_result *result, xp__text *text) {
    xp__text_append(text, "agent,spec,group,measure,priors,mean,se,difference,difference_se,"
                          "difference_low,difference_high,paper_mean,paper_se");
    const bool runs = xp__rows_have_runs(result, NULL);
    xp__text_append(text, runs ? ",runs,sd_priors,sd_runs\r\n" : "\r\n");
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        const char *const labels[] = {row->agent, row->spec, row->group, row->measure};
        for (size_t j = 0; j < sizeof labels / sizeof labels[0]; j++) {
            xp__text_csv(text, labels[j]);
            xp__text_append(text, ",");
        }
        xp__text_format(text, "%zu", row->problems);
        double low, high;
        (void)xp__row_interval(row, &low, &high);
        const double numbers[] = {row->mean, row->se, row->difference, row->difference_se,
                                  low,       high,    row->paper_mean, row->paper_se};
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            xp__text_append(text, ",");
            xp__text_double(text, numbers[j], "");
        }
        if (runs) {
            xp__text_format(text, ",%zu,", row->runs);
            xp__text_double(text, row->runs > 0 ? row->sd_problems : NAN, "");
            xp__text_append(text, ",");
            xp__text_double(text, row->runs > 0 ? row->sd_runs : NAN, "");
        }
        xp__text_append(text, "\r\n");
    }
}

void xp__report_runs(const xp_study_result *result, xp__text *text) {
    xp__text_append(text, "key,agent,group,measure,prior,run,value\r\n");
    for (size_t i = 0; i < result->value_count; i++) {
        const xp_study_value *value = &result->values[i];
        const char *const labels[] = {value->key, value->agent, value->group, value->measure};
        for (size_t j = 0; j < sizeof labels / sizeof labels[0]; j++) {
            xp__text_csv(text, labels[j]);
            xp__text_append(text, ",");
        }
        xp__text_format(text, "%zu,", value->problem);
        if (value->run > 0) {
            xp__text_format(text, "%zu", value->run);
        }
        xp__text_append(text, ",");
        xp__text_double(text, value->value, "");
        xp__text_append(text, "\r\n");
    }
}
