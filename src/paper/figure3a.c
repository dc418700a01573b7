/* figure3a.c: Figure 3a of the paper: regret against the number of arms, the entropy of the optimal
 * action, and the number of episodes.
 *
 * Entropy and episodes use the stratified problems of Figure 2 and Table 2. Arms use the first
 * problems of each K: those of K + 1 arms extend those of K, so the curve is paired along K. */
#include "paper/agents.h"
#include "paper/findings.h"
#include "paper/paper.h"
#include "study/study_type.h"
#include "study/summary.h"

#include "base/text/text.h"

#include <math.h>
#include <stdio.h>

static const size_t agents[] = {
    XP__ORACLE, XP__MAXENT, XP__MAXENT_AUTHORS_SGLD, XP__NAIVE, XP__NAIVE_SGLD,
};
enum { AGENTS = sizeof agents / sizeof agents[0], OWN = 1, LEAST_ARMS = 2, MOST_ARMS = 10 };

static const double paper_problems = 256; /* its spread is a standard deviation over these */

/* The stratified problems first, then the first ones of each number of arms. */
static xp_status plan(xp__grid *grid, xp_error *error) {
    static const size_t firsts[XP__SCALES] = {2, 6, 32};
    xp_status status = xp__agents_compare(grid, agents, AGENTS, error);
    for (size_t arms = LEAST_ARMS; status == XP_OK && arms <= MOST_ARMS; arms++) {
        const xp__selection selection = {.arms = arms,
                                         .first = firsts[grid->scale],
                                         .demonstrations = grid->shape.demonstrations};
        size_t set;
        status = xp__grid_select(grid, &selection, &set, error);
        for (size_t i = 0; status == XP_OK && i < AGENTS; i++) {
            (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &xp__agents[agents[i]]);
        }
    }
    return status;
}

static size_t block_of(size_t arms, size_t agent) {
    return AGENTS * (1 + arms - LEAST_ARMS) + agent;
}

/* Rows and curve of one agent against the number of arms. */
static void report_arms(const xp__grid *grid, xp__builder *builder, size_t agent) {
    const xp__agent_entry *entry = &xp__agents[agents[agent]];
    const size_t n = MOST_ARMS - LEAST_ARMS + 1;
    const xp_series labels = {.agent = entry->label,
                              .panel = "arms",
                              .x_label = "number of arms",
                              .y_label = "final regret",
                              .n = n,
                              .paper_n = entry->in_figures != NULL ? n : 0};
    xp_series *series = xp__builder_series(builder, &labels, true);
    for (size_t arms = LEAST_ARMS; arms <= MOST_ARMS; arms++) {
        const size_t block = block_of(arms, agent), i = arms - LEAST_ARMS;
        const xp__mean mean = xp__block_mean(grid, block, XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
        const xp__mean gap =
            xp__block_mean(grid, block, block_of(arms, 0), XP__FINAL_REGRET, XP__ALL);
        char group[16], text[16];
        (void)snprintf(group, sizeof group, "K = %zu", arms);
        (void)snprintf(text, sizeof text, "%zu", arms);
        xp__values_add(builder, grid, block, XP__FINAL_REGRET, group);
        xp_study_row row = xp__study_row(entry->label, entry->spec, group,
                                         xp__measure_name[XP__FINAL_REGRET], &mean);
        if (agent != 0) {
            xp__study_row_compare(&row, &gap);
        }
        if (entry->in_figures != NULL) {
            const xp__paper_where where[] = {
                {"algorithm", entry->in_figures}, {"K", text}, {NULL, NULL}};
            row.paper_mean = xp__paper_find("emp_regret_vs_arms", "mean_final_regret_T1500", where);
            row.paper_se = xp__paper_find("emp_regret_vs_arms", "std_over_256_priors", where) /
                           sqrt(paper_problems);
        }
        xp__builder_row(builder, &row);
        if (series != NULL) {
            series->x[i] = (double)arms;
            series->y[i] = mean.mean;
            series->se[i] = mean.se;
            if (series->paper_n > 0) {
                series->paper_x[i] = (double)arms;
                series->paper_y[i] = row.paper_mean;
                series->paper_se[i] = row.paper_se;
            }
        }
    }
}

/* Scatter and line of one agent against the entropy. Returns the line; the paper's in *paper. */
static xp__line report_entropy(const xp__grid *grid, xp__builder *builder, size_t agent,
                               xp__line *paper) {
    static const char file[] = "emp_regret_vs_entropy";
    const xp__agent_entry *entry = &xp__agents[agents[agent]];
    const xp__problem_set *set = xp__grid_set(grid, agent);
    const xp_series labels = {.agent = entry->label,
                              .panel = "entropy",
                              .x_label = "entropy of the optimal action (bits)",
                              .y_label = "final regret",
                              .scatter = true,
                              .n = set->count,
                              .paper_n = entry->in_figures != NULL ? xp__paper_lines(file) : 0};
    xp__line line = {.slope = NAN, .slope_se = NAN, .intercept = NAN, .r2 = NAN};
    *paper = line;
    xp_series *series = xp__builder_series(builder, &labels, false);
    if (series == NULL) {
        return line;
    }
    xp__values_add(builder, grid, agent, XP__FINAL_REGRET, NULL);
    for (size_t i = 0; i < set->count; i++) {
        series->x[i] = set->problems[i].entropy;
        series->y[i] = xp__grid_result(grid, agent, i)->regret;
    }
    for (size_t i = 0; i < series->paper_n; i++) {
        series->paper_x[i] = xp__paper_number(file, i, "entropy_bits");
        series->paper_y[i] = xp__paper_number(file, i, entry->in_figures);
    }
    line = xp__line_fit(series->x, series->y, series->n);
    if (series->paper_n > 0) {
        *paper = xp__line_fit(series->paper_x, series->paper_y, series->paper_n);
    }
    const xp__mean slope = {.n = set->count, .mean = line.slope, .se = line.slope_se};
    xp_study_row row =
        xp__study_row(entry->label, entry->spec, "slope in entropy", "final regret a bit", &slope);
    row.paper_mean = paper->slope;
    row.paper_se = paper->slope_se;
    xp__builder_row(builder, &row);
    return line;
}

/* Curve of one agent against the number of episodes. */
static void report_episodes(const xp__grid *grid, xp__builder *builder, size_t agent) {
    static const char file[] = "emp_regret_vs_T";
    const xp__agent_entry *entry = &xp__agents[agents[agent]];
    const xp_series labels = {.agent = entry->label,
                              .panel = "episodes",
                              .x_label = "episode",
                              .y_label = "cumulative regret",
                              .n = XP__CHECKPOINTS,
                              .paper_n = entry->in_figures != NULL ? XP__CHECKPOINTS : 0};
    xp_series *series = xp__builder_series(builder, &labels, true);
    for (size_t i = 0; series != NULL && i < XP__CHECKPOINTS; i++) {
        const xp__mean mean = xp__checkpoint_mean(grid, agent, i, XP__NATURAL);
        series->x[i] = (double)xp__checkpoint[i];
        series->y[i] = mean.mean;
        series->se[i] = mean.se;
        if (series->paper_n > 0) {
            char text[16];
            (void)snprintf(text, sizeof text, "%zu", xp__checkpoint[i]);
            const xp__paper_where where[] = {
                {"algorithm", entry->in_figures}, {"T", text}, {NULL, NULL}};
            series->paper_x[i] = (double)xp__checkpoint[i];
            series->paper_y[i] = xp__paper_find(file, "mean_cum_regret", where);
            series->paper_se[i] =
                xp__paper_find(file, "std_over_256_priors", where) / sqrt(paper_problems);
        }
    }
}

/* From few arms to many: how the regret grows, and how it stands to the oracle's. */
static void find_growth(const xp__grid *grid, xp__builder *builder, size_t agent) {
    const xp__mean few =
        xp__block_mean(grid, block_of(LEAST_ARMS, agent), XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
    const xp__mean many =
        xp__block_mean(grid, block_of(MOST_ARMS, agent), XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
    char beside[192] = "";
    if (agent != 0) {
        size_t differs = 0;
        xp__mean gap = {.n = 0};
        for (size_t arms = LEAST_ARMS; arms <= MOST_ARMS; arms++) {
            gap = xp__block_mean(grid, block_of(arms, agent), block_of(arms, 0), XP__FINAL_REGRET,
                                 XP__ALL);
            differs += xp__mean_sign(&gap) != 0;
        }
        char text[96];
        (void)snprintf(beside, sizeof beside,
                       "; minus Oracle-TS at K = %d: %s; clearly different from it at %zu of %d K",
                       (int)MOST_ARMS, xp__mean_text(&gap, text), differs,
                       (int)(MOST_ARMS - LEAST_ARMS + 1));
    }
    xp__builder_finding(builder, "%s: final regret %.1f ± %.1f at K = %d, %.1f ± %.1f at K = %d%s.",
                        xp__agents[agents[agent]].label, few.mean, few.se, (int)LEAST_ARMS,
                        many.mean, many.se, (int)MOST_ARMS, beside);
}

static void find_line(xp__builder *builder, size_t agent, const xp__line *line,
                      const xp__line *paper) {
    char beside[96] = "";
    if (!isnan(paper->slope)) {
        (void)xp__format(beside, sizeof beside, " (the paper's points: %.1f ± %.1f, R² = %.2f)",
                         paper->slope, paper->slope_se, paper->r2);
    }
    xp__builder_finding(builder,
                        "%s: final regret grows by %.1f ± %.1f per bit of entropy; a straight line "
                        "explains R² = %.2f of the variance%s.",
                        xp__agents[agents[agent]].label, line->slope, line->slope_se, line->r2,
                        beside);
}

static void report(const xp__grid *grid, xp__builder *builder) {
    xp__line lines[AGENTS], paper[AGENTS];
    for (size_t agent = 0; agent < AGENTS; agent++) {
        report_arms(grid, builder, agent);
    }
    for (size_t agent = 0; agent < AGENTS; agent++) {
        lines[agent] = report_entropy(grid, builder, agent, &paper[agent]);
    }
    for (size_t agent = 0; agent < AGENTS; agent++) {
        report_episodes(grid, builder, agent);
    }
    xp__notes_on_protocol(builder, grid, 0);
    xp__builder_note(
        builder,
        "Entropy and episodes use those problems (episodes in the natural mix of "
        "groups). Arms use the first %zu problems of each K, not stratified; a problem of "
        "K + 1 arms is the one of K arms and one arm more.",
        grid->sets[1].count);
    xp__builder_note(builder,
                     "The paper's points are the data of its plots (256 problems, N = 500); "
                     "its ± is given as standard deviation over problems / 16. Its ExPerior "
                     "and Naive-TS sampled by SGLD.");
    find_growth(grid, builder, OWN); /* the answer to the question */
    for (size_t agent = 0; agent < AGENTS; agent++) {
        find_line(builder, agent, &lines[agent], &paper[agent]);
    }
    for (size_t agent = 0; agent < AGENTS; agent++) {
        if (agent != OWN) {
            find_growth(grid, builder, agent);
        }
    }
}

const xp__study_type xp__study_figure3a = {
    .name = "figure3a",
    .summary = "regret against arms, entropy and episodes (Figure 3a)",
    .title = "Figure 3a: regret against arms, entropy and episodes",
    .question = "How does regret grow with the number of arms, with the entropy of the experts' "
                "choices, and over time?",
    .reading = XP__READ_REGRET
    "Entropy, in bits, says how widely the choices of optimal experts are spread over the arms.",
    .order = 2,
    .in_paper = true,
    .reference = "Oracle-TS",
    .plan = plan,
    .report = report,
};
