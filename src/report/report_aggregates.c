/* report_aggregates.c: aggregates over runs as RFC 4180. */
#include "report/report_parts.h"

#include "base/check.h"
#include "base/memory.h"
#include "experior/aggregate.h"

#include <math.h>

xp_status xp_report_aggregates(const xp_aggregates *aggregates, const char *study,
                               const char *directory, xp_error *error) {
    XP__NOT_NULL(aggregates, error);
    XP__NOT_NULL(study, error);
    XP__NOT_NULL(directory, error);
    xp__text text = {.data = NULL};
    xp__text_append(&text, "agent,measure,groups,problems,runs,iqm,iqm_low,iqm_high,improvement,"
                           "improvement_low,improvement_high,failures,failure_runs,failure_low,"
                           "failure_high\r\n");
    for (size_t i = 0; i < aggregates->count; i++) {
        const xp_aggregate *row = &aggregates->rows[i];
        xp__text_csv(&text, row->agent);
        xp__text_append(&text, ",");
        xp__text_csv(&text, row->measure);
        xp__text_format(&text, ",%zu,%zu,%zu", row->groups, row->problems, row->runs);
        const bool counts = row->failures != SIZE_MAX;
        const double numbers[] = {row->iqm,
                                  row->iqm_low,
                                  row->iqm_high,
                                  row->improvement,
                                  row->improvement_low,
                                  row->improvement_high,
                                  counts ? (double)row->failures : NAN,
                                  counts ? (double)row->failure_runs : NAN,
                                  row->failure_low,
                                  row->failure_high};
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            xp__text_append(&text, ",");
            xp__text_double(&text, numbers[j], "");
        }
        xp__text_append(&text, "\r\n");
    }
    const xp_status status = text.failed
                                 ? xp__no_memory(error)
                                 : xp__report_file_write(directory, study, "-aggregates.csv",
                                                         text.data, text.length, error);
    xp__text_deinit(&text);
    return status;
}
