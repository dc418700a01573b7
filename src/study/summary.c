/* summary.c: statistics over problems. The problem is the unit of replication: standard errors are
 * over problems, and differences between agents are paired, since agents meet the same problems. */
#include "study/summary.h"

#include "base/text/text.h"
#include "math/special.h"
#include "study/aggregate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const xp__measure_name[] = {"final regret", "regret averaged over t"};
const char *const xp__subset_name[XP__SUBSETS] = {"low", "mid", "high", "all", "all (natural mix)"};

void xp__moments_add(xp__moments *sum, double value) {
    sum->n++;
    const double gap = value - sum->mean;
    sum->mean += gap / (double)sum->n;
    sum->squares += gap * (value - sum->mean);
}

xp__mean xp__moments_mean(const xp__moments *sum) {
    const double n = (double)sum->n;
    return (xp__mean){.n = sum->n,
                      .mean = sum->n > 0 ? sum->mean : NAN,
                      .se = sum->n > 1 ? sqrt(sum->squares / (n - 1) / n) : NAN,
                      .degrees = n - 1};
}

xp__mean xp__mean_of(const double *value, size_t n) {
    xp__moments sum = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        xp__moments_add(&sum, value[i]);
    }
    return xp__moments_mean(&sum);
}

double xp__mean_margin(const xp__mean *mean) {
    if (!(mean->degrees > 0) || isnan(mean->se)) {
        return NAN;
    }
    return xp__student_95(mean->degrees) * mean->se;
}

int xp__mean_sign(const xp__mean *mean) {
    const double margin = xp__mean_margin(mean);
    return mean->mean - margin > 0 ? 1 : mean->mean + margin < 0 ? -1 : 0;
}

/* Copies text with minus signs for hyphens. */
static const char *with_minus(const char *plain, char *buffer) {
    size_t used = 0;
    for (const char *c = plain; *c != '\0' && used + 4 < XP__MEAN_TEXT; c++) {
        if (*c == '-') {
            memcpy(buffer + used, "−", 3);
            used += 3;
        } else {
            buffer[used++] = *c;
        }
    }
    buffer[used] = '\0';
    return buffer;
}

const char *xp__number_text(const char *format, double value, char *buffer) {
    char plain[64];
    (void)xp__format(plain, sizeof plain, format, value);
    const bool is_zero = plain[0] == '-' && strspn(plain + 1, "0.") == strlen(plain + 1);
    return with_minus(plain + (is_zero ? 1 : 0), buffer);
}

void xp__list_add(char list[XP__LIST_TEXT], const char *format, ...) {
    static const char more[] = "; …";
    char item[XP__LIST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    const int length = xp__vformat(item, sizeof item, format, arguments);
    va_end(arguments);
    const size_t used = strlen(list), room = XP__LIST_TEXT - sizeof more - used;
    const bool full = used >= sizeof more && strcmp(list + used + 1 - sizeof more, more) == 0;
    if (!full && length >= 0 && (size_t)length + 2 < room) {
        (void)snprintf(list + used, room, "%s%s", used > 0 ? "; " : "", item);
    } else if (!full) {
        memcpy(list + used, more, sizeof more);
    }
}

const char *xp__mean_text(const xp__mean *mean, char *buffer) {
    const double margin = xp__mean_margin(mean);
    char plain[96];
    (void)xp__format(plain, sizeof plain, "%+.2f [%.2f, %.2f]", mean->mean, mean->mean - margin,
                     mean->mean + margin);
    return with_minus(plain, buffer);
}

const char *xp__count_text(size_t count, size_t of, char *buffer) {
    double low, high;
    xp__clopper_pearson(count, of, &low, &high);
    (void)xp__format(buffer, XP__MEAN_TEXT, "%zu of %zu [%.2f, %.2f]", count, of, low, high);
    return buffer;
}

/* What is averaged: a block's number on problem i, or a difference of two blocks'. */
typedef struct quantity {
    const xp__grid *grid;
    size_t block, minus, checkpoint; /* checkpoint XP__CHECKPOINTS: the measure */
    xp__measure measure;
} quantity;

static double number(const quantity *what, size_t block, size_t i) {
    const xp__unit_result *result = xp__grid_result(what->grid, block, i);
    if (what->checkpoint < XP__CHECKPOINTS) {
        return result->at[what->checkpoint];
    }
    return what->measure == XP__FINAL_REGRET ? result->regret : result->over_t;
}

static xp__mean group_mean(const quantity *what, size_t group) {
    const xp__problem_set *set = xp__grid_set(what->grid, what->block);
    xp__moments sum = {.n = 0};
    for (size_t i = 0; i < set->count; i++) {
        if (group == XP__ALL || set->problems[i].group == group) {
            const double other = what->minus != XP__NO_BLOCK ? number(what, what->minus, i) : 0.0;
            xp__moments_add(&sum, number(what, what->block, i) - other);
        }
    }
    return xp__moments_mean(&sum);
}

/* Groups weighted by their frequency; Welch's and Satterthwaite's degrees of freedom. */
static xp__mean natural_mean(const quantity *what) {
    const xp__problem_set *set = xp__grid_set(what->grid, what->block);
    if (!set->stratified) {
        return group_mean(what, XP__ALL);
    }
    xp__mean all = {.n = set->count};
    double variance = 0, spread = 0;
    for (size_t group = 0; group < XP__GROUPS; group++) {
        const xp__mean part = group_mean(what, group);
        const double weight = set->frequency[group];
        const double share = weight * part.se * weight * part.se;
        all.mean += weight * part.mean;
        variance += share;
        spread += share * share / part.degrees;
    }
    all.se = sqrt(variance);
    all.degrees = variance > 0 ? variance * variance / spread : NAN;
    return all;
}

static xp__mean subset_mean(const quantity *what, size_t subset) {
    return subset == XP__NATURAL ? natural_mean(what) : group_mean(what, subset);
}

xp__mean xp__block_mean(const xp__grid *grid, size_t block, size_t minus, xp__measure measure,
                        size_t subset) {
    const quantity what = {.grid = grid,
                           .block = block,
                           .minus = minus,
                           .checkpoint = XP__CHECKPOINTS,
                           .measure = measure};
    return subset_mean(&what, subset);
}

xp__mean xp__checkpoint_mean(const xp__grid *grid, size_t block, size_t checkpoint, size_t subset) {
    const quantity what = {
        .grid = grid, .block = block, .minus = XP__NO_BLOCK, .checkpoint = checkpoint};
    return subset_mean(&what, subset);
}

void xp__values_add(xp__builder *builder, const xp__grid *grid, size_t block, xp__measure measure,
                    const char *group) {
    const quantity what = {
        .grid = grid, .block = block, .checkpoint = XP__CHECKPOINTS, .measure = measure};
    const xp__problem_set *set = xp__grid_set(grid, block);
    for (size_t i = 0; builder->wants_values && i < set->count; i++) {
        const xp__unit *unit = &grid->units[grid->blocks[block].first + i];
        char key[XP__UNIT_KEY];
        xp__unit_key(unit, &grid->shape, key);
        const xp_study_value value = {
            .key = key,
            .agent = unit->agent->label,
            .group = group != NULL ? group : xp__subset_name[unit->problem->group],
            .measure = xp__measure_name[measure],
            .problem = unit->problem->index,
            .value = number(&what, block, i)};
        xp__builder_value(builder, &value);
    }
}

xp__line xp__line_fit(const double *x, const double *y, size_t n) {
    xp__moments mx = {.n = 0}, my = {.n = 0};
    double products = 0;
    for (size_t i = 0; i < n; i++) {
        xp__moments_add(&mx, x[i]);
        const double gap = y[i] - my.mean;
        xp__moments_add(&my, y[i]);
        products += (x[i] - mx.mean) * gap;
    }
    xp__line line = {.slope = products / mx.squares};
    line.intercept = my.mean - line.slope * mx.mean;
    line.r2 = products * products / (mx.squares * my.squares);
    line.slope_se = sqrt((1 - line.r2) * my.squares / ((double)n - 2) / mx.squares);
    return line;
}

xp_study_row xp__study_row(const char *agent, const char *spec, const char *group,
                           const char *measure, const xp__mean *mean) {
    return (xp_study_row){.agent = agent,
                          .spec = spec,
                          .group = group,
                          .measure = measure,
                          .problems = mean->n,
                          .mean = mean->mean,
                          .se = mean->se,
                          .difference = NAN,
                          .difference_se = NAN,
                          .degrees = NAN,
                          .paper_mean = NAN,
                          .paper_se = NAN};
}

void xp__study_row_compare(xp_study_row *row, const xp__mean *gap) {
    row->difference = gap->mean;
    row->difference_se = gap->se;
    row->degrees = gap->degrees;
}

void xp__rows_by_subset(xp__builder *builder, const xp__grid *grid, size_t count, size_t subsets,
                        size_t reference, xp__measure measure, xp__paper_lookup lookup) {
    for (size_t block = 0; block < count; block++) {
        const xp__agent_entry *agent = grid->blocks[block].agent;
        xp__values_add(builder, grid, block, measure, NULL);
        for (size_t subset = 0; subset < subsets; subset++) {
            const xp__mean mean = xp__block_mean(grid, block, XP__NO_BLOCK, measure, subset);
            const xp__mean gap = xp__block_mean(grid, block, reference, measure, subset);
            xp_study_row row = xp__study_row(agent->label, agent->spec, xp__subset_name[subset],
                                             xp__measure_name[measure], &mean);
            if (block != reference) {
                xp__study_row_compare(&row, &gap);
            }
            lookup(agent, xp__subset_name[subset], measure, &row.paper_mean, &row.paper_se);
            xp__builder_row(builder, &row);
        }
    }
}

void xp__notes_on_protocol(xp__builder *builder, const xp__grid *grid, size_t set) {
    const xp__problem_set *problems = &grid->sets[set];
    const xp__shape *shape = &grid->shape;
    xp__builder_note(
        builder,
        "%zu problems (distributions over tasks) of %zu arms, %zu tasks from each, T = %zu "
        "episodes, N = %llu demonstrations per problem; Beta parameters of the arms are "
        "U(0, 4). Every agent meets the same tasks, demonstrations and reward noise.",
        problems->count, problems->arms, shape->tasks, shape->episodes,
        (unsigned long long)shape->demonstrations);
    if (problems->stratified) {
        xp__builder_note(
            builder,
            "Stratified: problems were drawn until the groups low (entropy of the optimal experts' "
            "choices < 0.8 bits), mid and high (> 1.6) had %zu, %zu and %zu; %zu were drawn, of "
            "which %.0f %%, %.0f %% and %.0f %% fall in the groups. \"all\" is the plain mean over "
            "the %zu selected; \"all (natural mix)\" weights the groups by those frequencies.",
            xp__problem_set_size(problems, XP__LOW), xp__problem_set_size(problems, XP__MID),
            xp__problem_set_size(problems, XP__HIGH), problems->drawn,
            100 * problems->frequency[XP__LOW], 100 * problems->frequency[XP__MID],
            100 * problems->frequency[XP__HIGH], problems->count);
    }
    xp__builder_note(builder, "Regret is the sum over episodes of (best mean - mean of the chosen "
                              "arm). ± is the standard error over problems; differences from "
                              "Oracle-TS are paired by problem, and brackets are 95 %% intervals "
                              "(Student's t over problems), not corrected for their number.");
}
