/* labels.c: labels that nobody can choose the reading of: dates, sums, codes for missing values,
 * several choices in one cell, two spellings of one label. Each is refused with the way out. */
#include "demos/choices/choices_type.h"

#include "base/memory.h"
#include "base/text/scan.h"
#include "table/values.h"

#include <math.h>
#include <string.h>

static xp_status check_dates(const xp__choices_reader *reader, xp_error *error) {
    size_t dates = 0, others = 0, first = 0;
    for (size_t i = 0; i < reader->actions.count; i++) {
        if (!reader->missing[0][i]) {
            const bool date = xp__is_date(xp__tokens_text(&reader->actions, i));
            first = date && dates == 0 ? i : first;
            dates += date;
            others += !date;
        }
    }
    return dates > 0 && others == 0 && reader->options.arms == 0
               ? xp__table_fail_file(
                     &reader->table, error,
                     "the column of choices holds dates or times, such as '%.40s'; name "
                     "another one with --action, or say --arms %zu if these are "
                     "the arms",
                     xp__tokens_text(&reader->actions, first), dates)
               : XP_OK;
}

/* "None" is missing and "none" may be an arm: not in one table. */
static xp_status check_none(const xp__choices_reader *reader, xp_error *error) {
    for (size_t i = 0; reader->none_missing && i < reader->actions.count; i++) {
        const char *text = xp__tokens_text(&reader->actions, i);
        if (!reader->missing[0][i] && xp__scan_same(text, "none")) {
            return xp__table_fail_file(&reader->table, error,
                                       "has both 'None', which is a missing value, and '%.10s'; "
                                       "write them alike, or leave missing values empty",
                                       text);
        }
    }
    return XP_OK;
}

/* A row whose label stands for all others: the sum of a sheet. */
static xp_status fail_total(const xp__choices_reader *reader, const char *text, xp_error *error) {
    char shown[XP__SHOWN];
    return xp__table_fail_file(&reader->table, error,
                               "'%s' may be the sum of all other arms; leave that row out, or give "
                               "the arm another name",
                               xp__show(shown, text, strlen(text)));
}

/* The last row of a sheet is sometimes the sum of the others: by its name or, if it has one that
 * nobody knows, by its number. */
static xp_status check_total(const xp__choices_reader *reader, const uint64_t *counts,
                             xp_error *error) {
    enum { FEW = 3, SMALL = 100 };
    const xp__tokens *labels = &reader->actions;
    const bool counted = reader->role[XP__ROLE_COUNT] != SIZE_MAX;
    const size_t last = reader->last_action;
    for (size_t i = 0; i < labels->count; i++) {
        const char *text = xp__tokens_text(labels, i);
        const bool sum = counted ? 2 * counts[i] == reader->total : i == last && counts[i] == 1;
        if (sum && !reader->missing[0][i] &&
            (xp__is_total(text) || (counted && xp__scan_same(text, "all")))) {
            return fail_total(reader, text, error);
        }
    }
    const bool unknown = counted && reader->options.arms == 0 && last + 1 == labels->count &&
                         labels->count > FEW && counts[last] >= SMALL &&
                         2 * counts[last] == reader->total;
    return unknown ? fail_total(reader, xp__tokens_text(labels, last), error) : XP_OK;
}

/* A segment that is the sum of the others. */
static xp_status check_segment_total(const xp__choices_reader *reader, xp_error *error) {
    for (size_t i = 0; i < reader->segments.count; i++) {
        const char *text = xp__tokens_text(&reader->segments, i);
        uint64_t own = 0;
        if (reader->missing[XP__ROLE_SEGMENT][i] || !xp__is_total(text)) {
            continue;
        }
        for (size_t j = 0; j < reader->cells.count; j++) {
            own += reader->cells.cells[j].segment == i ? reader->cells.cells[j].count : 0;
        }
        if (2 * own == reader->total) {
            return xp__table_fail_file(&reader->table, error,
                                       "segment '%.20s' is the sum of all others; leave its rows "
                                       "out, or give it another name",
                                       text);
        }
    }
    return XP_OK;
}

/* -999 among small numbers, or -1 below 0, 1, 2: programs write these for missing values. */
static xp_status check_codes(const xp__choices_reader *reader, xp_error *error) {
    static const double codes[] = {-9, -99, -999, -9999, -99999, 999, 9999, 99999};
    const xp__tokens *labels = &reader->actions;
    double low = INFINITY, high = -INFINITY, value = 0;
    const char *code = NULL;
    size_t others = 0;
    if (reader->options.missing != NULL) {
        return XP_OK;
    }
    for (size_t i = 0; i < labels->count; i++) {
        const char *text = xp__tokens_text(labels, i);
        if (reader->missing[0][i]) {
            continue;
        }
        if (!xp__read_real(text, &value)) {
            return XP_OK;
        }
        bool is_code = value == -1 && code == NULL;
        for (size_t j = 0; j < sizeof codes / sizeof codes[0]; j++) {
            is_code = is_code || value == codes[j];
        }
        code = is_code ? text : code;
        low = is_code ? low : fmin(low, value);
        high = is_code ? high : fmax(high, value);
        others += !is_code;
    }
    /* Buy, hold and sell are 1, 0 and -1. */
    const bool few = code != NULL && strcmp(code, "-1") == 0 && (others < 3 || low != 0);
    return code == NULL || others < 2 || low < 0 || high >= 100 || few
               ? XP_OK
               : xp__table_fail_file(&reader->table, error,
                                     "label %s may be a code for a missing value; say --missing %s "
                                     "if it is, or --missing '' if it is an arm",
                                     code, code);
}

/* Whether every part of the label, split at `mark`, is a label by itself. */
static bool joins_labels(const xp__tokens *labels, const char *text, char mark) {
    size_t parts = 0, number;
    for (const char *at = text;; parts++) {
        const char *end = strchr(at, mark);
        size_t offset = 0, length = end != NULL ? (size_t)(end - at) : strlen(at);
        xp__trim(at, &offset, &length);
        if (length == 0 || !xp__tokens_find(labels, at + offset, length, &number)) {
            return false;
        }
        if (end == NULL) {
            return parts > 0;
        }
        at = end + 1;
    }
}

/* Several choices in one cell: 'A;B' where 'A' and 'B' are labels too. */
static xp_status check_several(const xp__choices_reader *reader, xp_error *error) {
    static const char marks[] = ",;|/+&\n";
    for (size_t i = 0; !reader->options.exact && i < reader->actions.count; i++) {
        const char *text = xp__tokens_text(&reader->actions, i);
        for (const char *mark = marks; *mark != '\0'; mark++) {
            char shown[XP__SHOWN];
            if (!reader->missing[0][i] && joins_labels(&reader->actions, text, *mark)) {
                return xp__table_fail_file(&reader->table, error,
                                           "'%s' may be several choices in one cell; give each a "
                                           "row of its own, or say --exact if it is one arm",
                                           xp__show(shown, text, strlen(text)));
            }
        }
    }
    return XP_OK;
}

/* A list as YAML and Markdown have it. */
static xp_status check_dashes(const xp__choices_reader *reader, xp_error *error) {
    for (size_t i = 0; i < reader->actions.count; i++) {
        if (strncmp(xp__tokens_text(&reader->actions, i), "- ", 2) != 0) {
            return XP_OK;
        }
    }
    return xp__table_fail_file(&reader->table, error,
                               "every label begins with '- ', as in YAML or Markdown; leave that "
                               "out");
}

/* Labels of one column that are the same but for case, blanks or zeros. */
static xp_status check_alike(const xp__choices_reader *reader, const xp__tokens *labels,
                             const bool *missing, const char *what, xp_error *error) {
    xp__tokens keys = {.count = 0};
    size_t *owner = xp__alloc(labels->count + 1, sizeof *owner);
    xp_status status = owner != NULL ? XP_OK : xp__no_memory(error);
    for (size_t i = 0; status == XP_OK && i < labels->count; i++) {
        char key[XP__ACTION_NAME_LENGTH + 1];
        size_t twin;
        if (missing[i]) {
            continue;
        }
        const size_t length =
            xp__label_key(xp__tokens_text(labels, i), xp__tokens_length(labels, i), key);
        if (!xp__tokens_find(&keys, key, length, &twin)) {
            owner[keys.count] = i;
            status = xp__tokens_add(&keys, key, length, error);
            continue;
        }
        char one[XP__SHOWN], other[XP__SHOWN];
        const size_t first = owner[twin];
        (void)xp__show(one, xp__tokens_text(labels, first), xp__tokens_length(labels, first));
        (void)xp__show(other, xp__tokens_text(labels, i), xp__tokens_length(labels, i));
        status =
            xp__table_fail_file(&reader->table, error,
                                "%ss '%s' and '%s' differ only in case, blanks, hyphens, accents, "
                                "look-alike letters or zeros; write them alike, or say --exact if "
                                "they are different",
                                what, one, other);
    }
    xp__tokens_deinit(&keys);
    xp__free(owner);
    return status;
}

/* Whether all labels are whole numbers, however written: those are compared as numbers. */
static bool are_whole(const xp__choices_reader *reader) {
    for (size_t i = 0; i < reader->actions.count; i++) {
        const char *text = xp__tokens_text(&reader->actions, i);
        uint64_t whole;
        if (!reader->missing[0][i] &&
            (!xp__read_count(text, xp__tokens_length(&reader->actions, i), &whole) ||
             xp__is_code(text) || xp__is_date(text))) {
            return false;
        }
    }
    return true;
}

xp_status xp__choices_check_labels(const xp__choices_reader *reader, const uint64_t *counts,
                                   xp_error *error) {
    xp_status status = check_dashes(reader, error);
    if (status == XP_OK) {
        status = check_dates(reader, error);
    }
    if (status == XP_OK) {
        status = check_none(reader, error);
    }
    if (status == XP_OK) {
        status = check_codes(reader, error);
    }
    if (status == XP_OK) {
        status = check_several(reader, error);
    }
    if (status == XP_OK && !reader->options.exact && !are_whole(reader)) {
        status = check_alike(reader, &reader->actions, reader->missing[0], "label", error);
    }
    if (status == XP_OK) {
        status = check_total(reader, counts, error);
    }
    if (status == XP_OK) {
        status = check_segment_total(reader, error);
    }
    if (status == XP_OK && !reader->options.exact) {
        status = check_alike(reader, &reader->segments, reader->missing[1], "segment", error);
    }
    if (status == XP_OK && !reader->options.exact) {
        status = check_alike(reader, &reader->experts, reader->missing[2], "expert", error);
    }
    return status;
}
