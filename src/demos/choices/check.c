/* check.c: what only the whole table tells: readings that nobody can choose between are refused,
 * with the way out. */
#include "demos/choices/choices_type.h"

#include "base/memory.h"
#include "base/text/scan.h"
#include "table/values.h"

#include <inttypes.h>
#include <string.h>

/* Choices of each label, over all segments. */
static uint64_t *count_labels(const xp__choices_reader *reader) {
    uint64_t *counts = xp__alloc(reader->actions.count + 1, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < reader->cells.count; i++) {
        counts[reader->cells.cells[i].arm] += reader->cells.cells[i].count;
    }
    return counts;
}

static bool is_number(const xp__tokens *tokens, size_t label) {
    double value;
    return xp__read_real(xp__tokens_text(tokens, label), &value);
}

/* Words that name a column more often than an arm. */
static bool is_header_word(const char *text) {
    static const char *const words[] = {
        "action", "actions",  "arm",      "arms",   "choice",    "choices", "chosen", "label",
        "labels", "decision", "option",   "value",  "values",    "name",    "id",     "x",
        "y",      "column",   "selected", "target", "treatment", "variant", "class",  "category"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (xp__scan_same(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* A list whose first line may be the name of its column. */
static xp_status check_first_line(const xp__choices_reader *reader, const uint64_t *counts,
                                  xp_error *error) {
    const xp__tokens *labels = &reader->actions;
    if (!reader->first_may_be_header || labels->count == 0 || reader->missing[0][0]) {
        return XP_OK;
    }
    bool others_are_numbers = true, others_recur = labels->count > 1;
    for (size_t i = 1; i < labels->count; i++) {
        others_are_numbers = others_are_numbers && (reader->missing[0][i] || is_number(labels, i));
        others_recur = others_recur && counts[i] > 1;
    }
    const char *first = xp__tokens_text(labels, 0);
    const bool once = counts[0] == 1;
    /* A list of numbers has no header, except the "0" that pandas writes for a nameless one. */
    const bool fine = is_number(labels, 0) && others_are_numbers
                          ? !(once && strcmp(first, "0") == 0 && others_recur)
                          : !once && !is_header_word(first);
    char shown[XP__SHOWN];
    (void)xp__show(shown, first, xp__tokens_length(labels, 0));
    const bool blanks = strpbrk(first, " :;,|~^&\x01\x1f") != NULL;
    return fine ? XP_OK
                : xp__table_fail_file(&reader->table, error,
                                      "its first line '%s' may be the name of the column or an "
                                      "arm; for a name say --action '%s', for an arm --no-header%s",
                                      shown, shown,
                                      blanks ? "; if there are several columns, name their "
                                               "delimiter with --delimiter"
                                             : "");
}

/* Columns of counts or weights that nobody asked for. */
static xp_status check_watched(const xp__choices_reader *reader, xp_error *error) {
    for (size_t i = 0; i < reader->watched_count; i++) {
        const xp__watched_column *own = &reader->watched[i];
        if (own->numbers && !own->ones) {
            const char *name = xp__table_name(&reader->table, own->column);
            const char *option = own->kind == XP__WATCHED_WEIGHT ? "--weight" : "--count";
            return xp__table_fail_file(&reader->table, error,
                                       "column '%.60s' may %s; use it with %s '%.60s', or ignore "
                                       "it with %s none",
                                       name,
                                       own->kind == XP__WATCHED_WEIGHT  ? "hold weights"
                                       : own->kind == XP__WATCHED_COUNT ? "hold counts"
                                                                        : "mark the rows that were "
                                                                          "chosen",
                                       option, name, option);
        }
    }
    return XP_OK;
}

/* pandas' value_counts of old: labels in a column without a name, counts under the name. */
static xp_status check_index(const xp__choices_reader *reader, xp_error *error) {
    bool numbers = true;
    for (size_t i = 0; i < reader->actions.count; i++) {
        numbers = numbers && (reader->missing[0][i] || is_number(&reader->actions, i));
    }
    return reader->index_labels && numbers && reader->table.columns == 2 &&
                   reader->role[XP__ROLE_COUNT] == SIZE_MAX && reader->options.count == NULL
               ? xp__table_fail_file(
                     &reader->table, error,
                     "the first column has labels and no name, and the column of "
                     "choices has numbers, which may be counts; write a header that "
                     "says so, such as action,count, or say --count none if they are labels")
               : XP_OK;
}

/* Labels that hardly ever recur are no arms. */
static xp_status check_ids(const xp__choices_reader *reader, size_t labels, xp_error *error) {
    enum { MANY = 50, FEW_ROWS = 2 };
    const uint64_t rows = reader->table.rows;
    const bool counted = reader->role[XP__ROLE_COUNT] != SIZE_MAX;
    const bool all_differ = labels == rows && rows >= FEW_ROWS && reader->table.columns > 1;
    if (reader->options.arms != 0 || counted ||
        (!all_differ && (labels < MANY || labels <= rows / 2))) {
        return XP_OK;
    }
    return xp__table_fail_file(
        &reader->table, error,
        "has %zu labels in %" PRIu64 " rows: if they are ids, name the column of choices with "
        "--action; if rows are counted, name that column with --count; if they are arms, say "
        "--arms %zu",
        labels, rows, labels);
}

/* Rows that are counted under a name that nobody knows: each arm occurs as often as the others, and
 * beside them stand whole numbers that are no ids. */
static xp_status check_balance(const xp__choices_reader *reader, const uint64_t *counts,
                               xp_error *error) {
    uint64_t each = 0;
    if (reader->role[XP__ROLE_COUNT] != SIZE_MAX || reader->options.count != NULL ||
        reader->table.rows > XP__LOOKED_AT) {
        return XP_OK;
    }
    for (size_t i = 0; i < reader->actions.count; i++) {
        if (!reader->missing[0][i]) {
            each = each == 0 ? counts[i] : each;
            if (counts[i] != each) {
                return XP_OK;
            }
        }
    }
    for (size_t i = 0; i < reader->look_count; i++) {
        const xp__column_look *own = &reader->looks[i];
        if (own->whole && own->cells > 1 && !own->rises && !own->constant) {
            const char *name = xp__table_name(&reader->table, i);
            return xp__table_fail_file(&reader->table, error,
                                       "every arm has %" PRIu64 " rows, and column '%.60s' may say "
                                       "how often each occurred; use it with --count '%.60s', or "
                                       "say --count none",
                                       each, name, name);
        }
    }
    return XP_OK;
}

/* A title in the place of the header: the column of choices alone has a name, and the columns
 * behind it are not empty. */
static bool begins_with_title(const xp__choices_reader *reader) {
    bool filled = false;
    if (!reader->header || reader->table.objects || reader->role[XP__ROLE_ACTION] != 0) {
        return false;
    }
    for (size_t i = 1; i < reader->look_count; i++) {
        if (xp__table_name(&reader->table, i)[0] != '\0') {
            return false;
        }
        filled = filled || reader->looks[i].cells > 0;
    }
    return filled;
}

/* A title, a row of types or units below the header, or a row of sums at the end. */
static xp_status check_edges(const xp__choices_reader *reader, xp_error *error) {
    if (begins_with_title(reader)) {
        return xp__table_fail_file(&reader->table, error,
                                   "its first line names one column and there are more; if it is a "
                                   "title, leave it out, else name all columns");
    }
    for (size_t i = 0; i < reader->look_count; i++) {
        const xp__column_look *own = &reader->looks[i];
        if (reader->header && own->first_is_text && own->numbers_after > 1 &&
            own->numbers_after + 1 == own->cells) {
            return xp__table_fail_file(&reader->table, error,
                                       "its first row looks like a second header: column '%.60s' "
                                       "has numbers below; leave that row out",
                                       xp__table_name(&reader->table, i));
        }
    }
    return reader->ends_in_total
               ? xp__table_fail_file(&reader->table, error,
                                     "its last row looks like a sum of the others; leave it out")
               : XP_OK;
}

xp_status xp__choices_check(const xp__choices_reader *reader, xp_error *error) {
    size_t labels = 0;
    for (size_t i = 0; i < reader->actions.count; i++) {
        labels += !reader->missing[0][i];
    }
    if (reader->total == 0) {
        return xp__table_fail_file(&reader->table, error,
                                   reader->table.rows == 0 ? "has a header but no rows"
                                                           : "holds no choices");
    }
    uint64_t *counts = count_labels(reader);
    xp_status status =
        counts != NULL ? check_first_line(reader, counts, error) : xp__no_memory(error);
    if (status == XP_OK) {
        status = check_index(reader, error);
    }
    if (status == XP_OK) {
        status = check_watched(reader, error);
    }
    if (status == XP_OK) {
        status = check_edges(reader, error);
    }
    if (status == XP_OK) {
        status = xp__choices_check_labels(reader, counts, error);
    }
    if (status == XP_OK) {
        status = check_ids(reader, labels, error);
    }
    if (status == XP_OK) {
        status = check_balance(reader, counts, error);
    }
    xp__free(counts);
    return status;
}
