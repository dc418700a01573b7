/* figure2.c: Figure 2 of the paper: ExPerior and the baselines by entropy group.
 *
 * The paper's bars are the mean over problems and over t of the cumulative regret; that and the
 * final regret are both given, and the curves in between. */
#include "paper/agents.h"
#include "paper/findings.h"
#include "paper/paper.h"
#include "study/study_type.h"

#include <math.h>

static const size_t agents[] = {
    XP__ORACLE,      XP__MAXENT,  XP__MAXENT_10,   XP__MAXENT_AUTHORS_SGLD,
    XP__PARAM,       XP__NAIVE,   XP__NAIVE_SGLD,  XP__UCB,
    XP__UCB_EXPLORE, XP__CLONING, XP__ELIMINATION,
};
enum { AGENTS = sizeof agents / sizeof agents[0] };

static void lookup(const xp__agent_entry *agent, const char *subset, xp__measure measure,
                   double *mean, double *se) {
    *mean = *se = NAN;
    if (agent->in_figures == NULL) {
        return;
    }
    const xp__paper_where where[] = {
        {"algorithm", agent->in_figures}, {"entropy_class", subset}, {NULL, NULL}};
    if (measure == XP__REGRET_OVER_T) {
        *mean = xp__paper_find("bandit_baselines", "regret_mean_over_t", where);
    } else {
        *mean = xp__paper_find("bandit_baselines", "final_regret", where);
        *se = xp__paper_find("bandit_baselines", "se_over_priors", where);
    }
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    return xp__agents_compare(grid, agents, AGENTS, error);
}

static void add_curve(const xp__grid *grid, xp__builder *builder, size_t block, size_t group) {
    static const char *const panels[XP__GROUPS] = {"low entropy", "mid entropy", "high entropy"};
    const xp_series labels = {.agent = grid->blocks[block].agent->label,
                              .panel = panels[group],
                              .x_label = "episode",
                              .y_label = "cumulative regret",
                              .n = XP__CHECKPOINTS};
    xp_series *series = xp__builder_series(builder, &labels, true);
    for (size_t i = 0; series != NULL && i < XP__CHECKPOINTS; i++) {
        const xp__mean mean = xp__checkpoint_mean(grid, block, i, group);
        series->x[i] = (double)xp__checkpoint[i];
        series->y[i] = mean.mean;
        series->se[i] = mean.se;
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    static const size_t levels[] = {XP__ORACLE, XP__MAXENT, XP__NAIVE, XP__CLONING};
    static const xp__ordering orderings[] = {
        {XP__ORACLE, XP__MAXENT_AUTHORS_SGLD, XP__ORACLE, XP__MAXENT,
         "The gap was the authors' approximations of the prior and of the posterior.", true},
        {XP__MAXENT_AUTHORS_SGLD, XP__NAIVE_SGLD, XP__MAXENT, XP__NAIVE, NULL, false},
        {XP__MAXENT_AUTHORS_SGLD, XP__CLONING, XP__MAXENT, XP__CLONING, NULL, false},
        {XP__NAIVE_SGLD, XP__UCB, XP__NAIVE, XP__UCB, NULL, false},
        {XP__UCB, XP__UCB_EXPLORE, 0, 0, NULL, false},
    };
    const size_t reference = xp__agents_block(grid, XP__ORACLE);
    xp__rows_by_subset(builder, grid, AGENTS, XP__GROUPS, reference, XP__REGRET_OVER_T, lookup);
    xp__rows_by_subset(builder, grid, AGENTS, XP__SUBSETS, reference, XP__FINAL_REGRET, lookup);
    for (size_t group = 0; group < XP__GROUPS; group++) {
        for (size_t block = 0; block < AGENTS; block++) {
            add_curve(grid, builder, block, group);
        }
    }
    xp__notes_on_protocol(builder, grid, 0);
    xp__builder_note(builder,
                     "The paper's values come from the data of its published plot: 256 problems, "
                     "N = 500. Its ExPerior and Naive-TS sampled by SGLD, so they stand beside "
                     "\"%s\" and \"%s\".",
                     xp__agents[XP__MAXENT_AUTHORS_SGLD].label, xp__agents[XP__NAIVE_SGLD].label);
    xp__finding_on_levels(builder, grid, levels, sizeof levels / sizeof levels[0],
                          XP__FINAL_REGRET);
    xp__finding_on_gap(builder, grid, XP__MAXENT, XP__ORACLE, XP__REGRET_OVER_T);
    xp__finding_on_gap(builder, grid, XP__PARAM, XP__ORACLE, XP__REGRET_OVER_T);
    xp__finding_on_agreement(builder, grid, AGENTS, XP__FINAL_REGRET, lookup);
    xp__findings_on_orderings(builder, grid, orderings, sizeof orderings / sizeof orderings[0],
                              XP__REGRET_OVER_T, lookup);
}

const xp__study_type xp__study_figure2 = {
    .name = "figure2",
    .summary = "ExPerior and the baselines by entropy group (Figure 2)",
    .title = "Figure 2: ExPerior and the baselines",
    .question = "How much regret does ExPerior have, compared with agents that ignore the experts, "
                "copy them or know the true problem?",
    .reading = "Bars show regret averaged over the episodes, curves the regret up to each "
               "episode. " XP__READ_REGRET XP__READ_GROUPS,
    .order = 1,
    .in_paper = true,
    .reference = "Oracle-TS",
    .plan = plan,
    .report = report,
};
