/* choices.c: the table itself: made from counts, asked for counts, turned into demonstrations. */
#include "demos/choices/choices_type.h"

#include "base/budget.h"
#include "base/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

xp_status xp__choices_create(size_t segments, size_t arms, bool weighted, xp_choices **choices,
                             xp_error *error) {
    *choices = NULL;
    const size_t cells = arms <= SIZE_MAX / segments ? segments * arms : SIZE_MAX;
    const xp_status status = xp__budget_check(cells, sizeof(uint64_t) + sizeof(double),
                                              "a table with a count per segment and arm",
                                              "use a column with fewer segments", error);
    if (status != XP_OK) {
        return status;
    }
    xp_choices *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->segments = segments;
    made->arms = arms;
    made->drift = (xp_drift){
        .statistic = NAN, .degrees = NAN, .p_value = NAN, .stickiness = NAN, .position = NAN};
    made->agreement =
        (xp_agreement){.statistic = NAN, .p_value = NAN, .correlation = NAN, .design_effect = NAN};
    made->count = xp__alloc(cells, sizeof *made->count);
    bool good = made->count != NULL;
    if (weighted && good) {
        made->weight = xp__alloc(cells, sizeof *made->weight);
        made->worth = xp__alloc(segments + 1, sizeof *made->worth);
        good = made->weight != NULL && made->worth != NULL;
    }
    if (!good) {
        xp_choices_destroy(made);
        return xp__no_memory(error);
    }
    *choices = made;
    return XP_OK;
}

void xp_choices_destroy(xp_choices *choices) {
    if (choices != NULL) {
        xp__tokens_deinit(&choices->segment_names);
        xp__tokens_deinit(&choices->arm_names);
        xp__free(choices->count);
        xp__free(choices->weight);
        xp__free(choices->worth);
        xp__free(choices->columns);
        xp__free(choices->column_at);
        xp__tokens_deinit(&choices->expert_names);
        xp__free(choices);
    }
}

/* Copies `count` names of `what`. */
static xp_status take_names(xp__tokens *into, const char *const *names, size_t count,
                            const char *what, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        const size_t length = names[i] != NULL ? strlen(names[i]) : 0;
        size_t twin;
        if (length == 0 || length > XP__ACTION_NAME_LENGTH) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "the name of %s %zu is missing, empty or longer than %d bytes",
                                  what, i, (int)XP__ACTION_NAME_LENGTH);
        } else if (xp__tokens_find(into, names[i], length, &twin)) {
            status = xp_error_set(error, XP_ERR_INPUT, "%ss %zu and %zu are both named '%.80s'",
                                  what, twin, i, names[i]);
        } else {
            status = xp__tokens_add(into, names[i], length, error);
        }
    }
    return status;
}

static xp_status take_counts(xp_choices *choices, const uint64_t *counts, xp_error *error) {
    uint64_t left = XP__COUNT_MAX;
    for (size_t cell = 0; cell < choices->segments * choices->arms; cell++) {
        if (counts[cell] > left) {
            return xp_error_set(error, XP_ERR_INPUT, "there are more than 2^53 choices in all");
        }
        left -= counts[cell];
        choices->count[cell] = counts[cell];
    }
    choices->info.choices = XP__COUNT_MAX - left;
    choices->info.effective = (double)choices->info.choices;
    return XP_OK;
}

xp_status xp_choices_create(size_t segments, const char *const *segment_names, size_t arms,
                            const char *const *arm_names, const uint64_t *counts,
                            xp_choices **choices, xp_error *error) {
    XP__NOT_NULL(choices, error);
    *choices = NULL;
    XP__NOT_NULL(counts, error);
    if (segments == 0 || arms == 0 || arms > XP__ACTION_MAX) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a table of choices has at least one segment and 1 to %d arms, not %zu "
                            "and %zu",
                            (int)XP__ACTION_MAX, segments, arms);
    }
    if (segments > 1 && segment_names == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "segment_names is NULL, and there are %zu segments", segments);
    }
    xp_choices *made;
    xp_status status = xp__choices_create(segments, arms, false, &made, error);
    if (status == XP_OK && segment_names != NULL) {
        status = take_names(&made->segment_names, segment_names, segments, "segment", error);
    }
    if (status == XP_OK && arm_names != NULL) {
        status = take_names(&made->arm_names, arm_names, arms, "arm", error);
    }
    if (status == XP_OK) {
        status = take_counts(made, counts, error);
    }
    if (status != XP_OK) {
        xp_choices_destroy(made);
        return status;
    }
    *choices = made;
    return XP_OK;
}

size_t xp_choices_arms(const xp_choices *choices) {
    return choices != NULL ? choices->arms : 0;
}

size_t xp_choices_segments(const xp_choices *choices) {
    return choices != NULL ? choices->segments : 0;
}

const char *xp_choices_arm_name(const xp_choices *choices, size_t arm) {
    return choices != NULL && arm < choices->arm_names.count
               ? xp__tokens_text(&choices->arm_names, arm)
               : NULL;
}

const char *xp_choices_segment_name(const xp_choices *choices, size_t segment) {
    return choices != NULL && segment < choices->segment_names.count
               ? xp__tokens_text(&choices->segment_names, segment)
               : NULL;
}

/* The segments that are meant, as [first, end); nothing if there are none such. */
static void find_segments(const xp_choices *choices, size_t segment, size_t arm, size_t *first,
                          size_t *end) {
    const bool all = segment == XP_ALL_SEGMENTS;
    *first = all ? 0 : segment;
    *end = choices == NULL || arm >= choices->arms || (!all && segment >= choices->segments)
               ? *first
           : all ? choices->segments
                 : segment + 1;
}

uint64_t xp_choices_count(const xp_choices *choices, size_t segment, size_t arm) {
    size_t first, end;
    uint64_t sum = 0;
    find_segments(choices, segment, arm, &first, &end);
    for (size_t s = first; s < end; s++) {
        sum += choices->count[s * choices->arms + arm];
    }
    return sum;
}

double xp_choices_effective(const xp_choices *choices, size_t segment, size_t arm) {
    if (choices == NULL || choices->weight == NULL) {
        return (double)xp_choices_count(choices, segment, arm);
    }
    size_t first, end;
    double sum = 0;
    find_segments(choices, segment, arm, &first, &end);
    for (size_t s = first; s < end; s++) {
        sum += choices->weight[s * choices->arms + arm];
    }
    return first < end ? sum * choices->worth[end - first > 1 ? choices->segments : first] : 0;
}

/* Whole numbers near `real` with the same sum, but for its rounding: the largest remainders are
 * rounded up, of equal ones the first. */
static void round_all(const double *real, size_t n, uint64_t *whole) {
    double sum = 0, floors = 0;
    for (size_t i = 0; i < n; i++) {
        whole[i] = (uint64_t)floor(real[i]);
        sum += real[i];
        floors += floor(real[i]);
    }
    for (double left = round(sum) - floors; left > 0.5; left--) {
        size_t best = 0;
        double largest = -1;
        for (size_t i = 0; i < n; i++) {
            const double remainder = real[i] - (double)whole[i]; /* negative once rounded up */
            if (remainder > largest) {
                largest = remainder;
                best = i;
            }
        }
        whole[best]++;
    }
}

xp_status xp_choices_demos(const xp_choices *choices, size_t segment, xp_demos **demos,
                           xp_error *error) {
    XP__NOT_NULL(demos, error);
    *demos = NULL;
    XP__NOT_NULL(choices, error);
    if (segment != XP_ALL_SEGMENTS && segment >= choices->segments) {
        return xp_error_set(error, XP_ERR_INPUT, "segment %zu is outside 0 .. %zu", segment,
                            choices->segments - 1);
    }
    const size_t arms = choices->arms;
    double *effective = xp__alloc(arms, sizeof *effective);
    uint64_t *counts = xp__alloc(arms, sizeof *counts);
    xp_demos *made = NULL;
    xp_status status = effective != NULL && counts != NULL ? xp_demos_create(0, arms, &made, error)
                                                           : xp__no_memory(error);
    if (status == XP_OK) {
        for (size_t arm = 0; arm < arms; arm++) {
            effective[arm] = xp_choices_effective(choices, segment, arm);
        }
        round_all(effective, arms, counts);
    }
    for (uint32_t arm = 0; status == XP_OK && arm < arms; arm++) {
        status = xp_demos_add(made, NULL, &arm, 1, counts[arm], error);
    }
    for (size_t i = 0; status == XP_OK && i < choices->arm_names.count; i++) {
        status = xp__tokens_add(&made->names, xp__tokens_text(&choices->arm_names, i),
                                xp__tokens_length(&choices->arm_names, i), error);
    }
    xp__free(effective);
    xp__free(counts);
    if (status != XP_OK) {
        xp_demos_destroy(made);
        return status;
    }
    *demos = made;
    return XP_OK;
}
