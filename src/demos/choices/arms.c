/* arms.c: labels become arms.
 *
 * Whole numbers are one number however they are written (3, 3.0). The numbers 0 .. K-1, all there,
 * are arms without names, as are numbers below K when K is given. Other numbers are labels, in
 * their order; names are in the order of their first appearance. */
#include "demos/choices/choices_type.h"

#include "base/memory.h"
#include "base/text/scan.h"
#include "table/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct label {
    double value;
    size_t token;
} label;

static int by_value(const void *a, const void *b) {
    const label *x = a, *y = b;
    return x->value < y->value   ? -1
           : x->value > y->value ? 1
           : x->token < y->token ? -1
                                 : x->token > y->token;
}

/* The labels that are values, and whether all are numbers, and whole ones. */
static size_t gather(const xp__choices_reader *reader, label *labels, bool *numbers, bool *whole) {
    size_t count = 0;
    *numbers = *whole = true;
    for (size_t i = 0; i < reader->actions.count; i++) {
        const char *text = xp__tokens_text(&reader->actions, i);
        uint64_t number;
        if (reader->missing[0][i]) {
            continue;
        }
        labels[count] = (label){.token = i};
        *numbers = *numbers && !xp__is_code(text) && xp__read_real(text, &labels[count].value);
        *whole = *whole && *numbers && !xp__is_date(text) && /* 20240105 */
                 xp__read_count(text, xp__tokens_length(&reader->actions, i), &number);
        count++;
    }
    return count;
}

/* Numbers below the number of arms that was given. */
static xp_status map_given(const xp__choices_reader *reader, const label *labels, size_t count,
                           uint32_t *map, xp_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!(labels[i].value < (double)reader->options.arms)) {
            return xp__table_fail_file(&reader->table, error,
                                       "action %.17g is outside 0 .. %zu, which --arms %zu allows; "
                                       "without --arms, numbers are labels",
                                       labels[i].value, reader->options.arms - 1,
                                       reader->options.arms);
        }
        map[labels[i].token] = (uint32_t)labels[i].value;
    }
    return XP_OK;
}

/* Distinct labels in their order, each with a name. */
static xp_status map_named(const xp__choices_reader *reader, const label *labels, size_t count,
                           bool whole, uint32_t *map, xp__tokens *names, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        char digits[24];
        const char *text = xp__tokens_text(&reader->actions, labels[i].token);
        if (whole) {
            (void)snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)labels[i].value);
            text = digits;
        }
        if (whole && i > 0 && labels[i].value == labels[i - 1].value) {
            map[labels[i].token] = (uint32_t)(names->count - 1);
            continue;
        }
        map[labels[i].token] = (uint32_t)names->count;
        status = xp__tokens_add(names, text, strlen(text), error);
    }
    return status;
}

static xp_status check_number(const xp__choices_reader *reader, size_t arms, bool named,
                              xp_error *error) {
    const size_t given = reader->options.arms;
    if (arms > XP__ARMS_MAX) {
        return xp__table_fail_file(&reader->table, error,
                                   "has %zu labels, and at most %d arms are supported; if the "
                                   "column holds ids, numbers or free text, name the column of "
                                   "choices with --action",
                                   arms, (int)XP__ARMS_MAX);
    }
    return !named || given == 0 || given == arms
               ? XP_OK
               : xp__table_fail_file(&reader->table, error,
                                     "there cannot be %zu actions: the demonstrations name %zu, "
                                     "and one that they do not name has no name; name it in a row "
                                     "with count 0",
                                     given, arms);
}

xp_status xp__choices_map_arms(const xp__choices_reader *reader, uint32_t *map, xp__tokens *names,
                               size_t *arms, xp_error *error) {
    label *labels = xp__alloc(reader->actions.count + 1, sizeof *labels);
    if (labels == NULL) {
        return xp__no_memory(error);
    }
    bool numbers, whole;
    const size_t count = gather(reader, labels, &numbers, &whole);
    xp_status status;
    if (numbers) {
        qsort(labels, count, sizeof *labels, by_value);
    }
    if (whole && reader->options.arms != 0) {
        *arms = reader->options.arms;
        status = map_given(reader, labels, count, map, error);
    } else {
        status = map_named(reader, labels, count, whole, map, names, error);
        *arms = names->count;
        const bool from_zero =
            whole && labels[0].value == 0 && labels[count - 1].value == (double)(names->count - 1);
        if (status == XP_OK) {
            status = check_number(reader, *arms, !from_zero, error);
        }
        if (status == XP_OK && from_zero) {
            xp__tokens_deinit(names);
        }
    }
    xp__free(labels);
    return status;
}
