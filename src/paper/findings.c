/* findings.c: sentences made from the numbers. An ordering is said to hold only when the 95 %
 * interval of the paired difference over all problems lies above zero. */
#include "paper/findings.h"

#include "paper/agreement.h"

#include "base/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Adds text to a list that is cut at its end. */
static void append(char *list, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *list, size_t size, const char *format, ...) {
    const size_t used = strlen(list);
    va_list arguments;
    va_start(arguments, format);
    (void)xp__vformat(list + used, size - used, format, arguments);
    va_end(arguments);
}

static size_t paper_groups_above(const xp__ordering *ordering, xp__measure measure,
                                 xp__paper_lookup lookup) {
    size_t above = 0;
    for (size_t group = 0; group < XP__GROUPS; group++) {
        double lower = NAN, upper = NAN, se;
        lookup(&xp__agents[ordering->lower], xp__group_name[group], measure, &lower, &se);
        lookup(&xp__agents[ordering->upper], xp__group_name[group], measure, &upper, &se);
        above += upper > lower;
    }
    return above;
}

/* What the paper calls an agent. */
static const char *paper_name(size_t agent) {
    const xp__agent_entry *entry = &xp__agents[agent];
    return entry->in_tables != NULL    ? entry->in_tables
           : entry->in_figures != NULL ? entry->in_figures
                                       : entry->label;
}

/* "Holds" if both the paper's way and, where there is one, the exact way have the paper's order;
 * "Overturned by exact inference" if only the first has; "Not reproduced" if not even that. */
static void finding_on_ordering(xp__builder *builder, const xp__grid *grid,
                                const xp__ordering *ordering, xp__measure measure,
                                xp__paper_lookup lookup) {
    static const char overturned[] = "Overturned by exact inference";
    const bool has_exact = ordering->exact_lower != ordering->exact_upper;
    const xp__mean gap = xp__block_mean(grid, xp__agents_block(grid, ordering->upper),
                                        xp__agents_block(grid, ordering->lower), measure, XP__ALL);
    const char *verdict = xp__mean_sign(&gap) > 0 ? "Holds" : "Not reproduced";
    char text[XP__MEAN_TEXT], exact_part[XP__MEAN_TEXT + 64] = "";
    if (has_exact) {
        const xp__mean exact =
            xp__block_mean(grid, xp__agents_block(grid, ordering->exact_upper),
                           xp__agents_block(grid, ordering->exact_lower), measure, XP__ALL);
        if (xp__mean_sign(&gap) > 0 && xp__mean_sign(&exact) <= 0) {
            verdict = overturned;
        }
        (void)snprintf(exact_part, sizeof exact_part, "; with exact inference %s",
                       xp__mean_text(&exact, text));
    }
    const bool said = ordering->why != NULL && strcmp(verdict, "Holds") != 0 &&
                      (!ordering->why_exact || strcmp(verdict, overturned) == 0);
    xp__builder_finding(builder,
                        "%s: %s has more regret than %s (in the paper in %zu of %d groups). The "
                        "difference here is %s%s.%s%s",
                        verdict, paper_name(ordering->upper), paper_name(ordering->lower),
                        paper_groups_above(ordering, measure, lookup), (int)XP__GROUPS,
                        xp__mean_text(&gap, text), exact_part, said ? " " : "",
                        said ? ordering->why : "");
}

void xp__findings_on_orderings(xp__builder *builder, const xp__grid *grid,
                               const xp__ordering *orderings, size_t count, xp__measure measure,
                               xp__paper_lookup lookup) {
    for (size_t i = 0; i < count; i++) {
        finding_on_ordering(builder, grid, &orderings[i], measure, lookup);
    }
}

void xp__finding_on_levels(xp__builder *builder, const xp__grid *grid, const size_t *agents,
                           size_t n, xp__measure measure) {
    char list[640] = "";
    size_t problems = 0;
    for (size_t i = 0; i < n; i++) {
        const xp__mean mean =
            xp__block_mean(grid, xp__agents_block(grid, agents[i]), XP__NO_BLOCK, measure, XP__ALL);
        append(list, sizeof list, "%s%s %.1f ± %.1f", i > 0 ? "; " : "",
               xp__agents[agents[i]].label, mean.mean, mean.se);
        problems = mean.n;
    }
    xp__builder_finding(builder, "In %s over %zu problems, ± one standard error: %s.",
                        xp__measure_name[measure], problems, list);
}

void xp__finding_on_gap(xp__builder *builder, const xp__grid *grid, size_t agent, size_t reference,
                        xp__measure measure) {
    const size_t block = xp__agents_block(grid, agent), other = xp__agents_block(grid, reference);
    const xp__mean all = xp__block_mean(grid, block, other, measure, XP__ALL);
    const xp__mean natural = xp__block_mean(grid, block, other, measure, XP__NATURAL);
    char all_text[96], natural_text[96];
    xp__builder_finding(builder,
                        "%s minus %s, %s: %s over all %zu problems; %s in the natural mix of "
                        "groups.",
                        xp__agents[agent].label, xp__agents[reference].label,
                        xp__measure_name[measure], xp__mean_text(&all, all_text), all.n,
                        xp__mean_text(&natural, natural_text));
}

void xp__finding_on_causes(xp__builder *builder, const xp__grid *grid, const size_t *agents,
                           size_t n, size_t reference, xp__measure measure) {
    const size_t other = xp__agents_block(grid, reference);
    size_t from = xp__agents_block(grid, agents[0]);
    const xp__mean whole = xp__block_mean(grid, from, other, measure, XP__ALL);
    char text[96], steps[640] = "";
    for (size_t i = 1; i < n; i++) {
        const size_t to = xp__agents_block(grid, agents[i]);
        const xp__mean step = xp__block_mean(grid, to, from, measure, XP__ALL);
        append(steps, sizeof steps, "%s to %s it changes by %s", i > 1 ? ", then" : "",
               xp__agents[agents[i]].label, xp__mean_text(&step, text));
        from = to;
    }
    const xp__mean rest = xp__block_mean(grid, from, other, measure, XP__ALL);
    char rest_text[96];
    xp__builder_finding(builder,
                        "Where the gap comes from: %s minus %s is %s in %s. From there%s. What is "
                        "left against %s: %s.",
                        xp__agents[agents[0]].label, xp__agents[reference].label,
                        xp__mean_text(&whole, text), xp__measure_name[measure], steps,
                        xp__agents[reference].label, xp__mean_text(&rest, rest_text));
}

/* The margin is a fifth of what Naive-TS loses against the oracle. Groups are distinct problems. */
void xp__finding_on_agreement(xp__builder *builder, const xp__grid *grid, size_t count,
                              xp__measure measure, xp__paper_lookup lookup) {
    for (size_t block = 0; block < count; block++) {
        const xp__agent_entry *agent = grid->blocks[block].agent;
        xp__agreement all = {.margin = 2, .digit = 0.05};
        for (size_t group = 0; group < XP__GROUPS; group++) {
            const xp__mean mean = xp__block_mean(grid, block, XP__NO_BLOCK, measure, group);
            double paper, se;
            lookup(agent, xp__group_name[group], measure, &paper, &se);
            xp__agreement_add(&all, xp__group_name[group], &mean, isnan(se) ? NAN : paper, se);
        }
        char whom[XP__MEAN_TEXT];
        (void)snprintf(whom, sizeof whom, "the paper's %s", xp__measure_name[measure]);
        xp__agreement_report(&all, agent->label, whom, builder);
    }
}

void xp__note_settings(xp__builder *builder, const xp__grid *grid) {
    for (size_t block = 0; block < grid->block_count; block++) {
        const xp__agent_entry *agent = grid->blocks[block].agent;
        if (agent->settings != NULL) {
            const size_t name = strcspn(agent->spec, ":");
            xp__builder_note(builder,
                             "Wherever a spec begins with %.*s and names no prior, it is run with "
                             "%s, the default when these numbers were first computed.",
                             (int)name, agent->spec, agent->settings);
            return;
        }
    }
}
