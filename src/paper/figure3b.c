/* figure3b.c: Figure 3b of the paper: the bound of Theorem 1 against the entropy of the optimal
 * action, for two arms and T = 100, and beside it what successive elimination with expert sampling
 * really loses.
 *
 * The authors draw each p_a from Beta(1, 10) or Beta(10, 1), with equal chances, and normalise. */
#include "agent/agent.h"
#include "paper/agents.h"
#include "paper/findings.h"
#include "paper/paper.h"
#include "study/study_type.h"
#include "study/summary.h"

#include "base/text/text.h"

#include <math.h>
#include <stdio.h>

enum { ARMS = 2, EPISODES = 100, DRAWS = 500 };

static xp_status plan(xp__grid *grid, xp_error *error) {
    static const size_t tasks[XP__SCALES] = {8, 128, 1024}, firsts[XP__SCALES] = {4, 16, 64};
    grid->shape =
        (xp__shape){.tasks = tasks[grid->scale], .episodes = EPISODES, .demonstrations = 1000};
    const xp__selection selection = {
        .arms = ARMS, .first = firsts[grid->scale], .demonstrations = grid->shape.demonstrations};
    size_t set;
    const xp_status status = xp__grid_select(grid, &selection, &set, error);
    if (status == XP_OK) {
        (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &xp__agents[XP__ELIMINATION]);
        (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &xp__agents[XP__ORACLE]);
    }
    return status;
}

static double entropy_of(double p) {
    double entropy = 0;
    entropy -= p > 0 ? p * log2(p) : 0;
    entropy -= p < 1 ? (1 - p) * log2(1 - p) : 0;
    return entropy;
}

static double bound_of(double p) {
    const double policy[ARMS] = {p, 1 - p};
    return xp__successive_elimination_bound(policy, ARMS, EPISODES);
}

/* The bound at an entropy: with two arms the entropy fixes the policy up to the order of arms. */
static double bound_at(double entropy) {
    double low = 0, high = 0.5;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (entropy_of(middle) < entropy) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return bound_of(0.5 * (low + high));
}

static double draw_weight(xp_rng *rng) {
    const bool small = xp_rng_bernoulli(rng, 0.5);
    return small ? xp_rng_beta(rng, 1, 10) : xp_rng_beta(rng, 10, 1);
}

/* The paper's picture: 500 draws. */
static void report_bound(const xp__grid *grid, xp__builder *builder) {
    static const char file[] = "freq_bound";
    const xp_series labels = {.agent = "bound of Theorem 1",
                              .panel = "bound",
                              .x_label = "entropy of the optimal action (bits)",
                              .y_label = "bound on the regret",
                              .scatter = true,
                              .n = DRAWS,
                              .paper_n = xp__paper_lines(file)};
    xp_series *series = xp__builder_series(builder, &labels, false);
    if (series == NULL) {
        return;
    }
    const xp_rng root = xp_rng_seed(grid->seed);
    xp_rng rng = xp_rng_fork(&root, xp__text_hash("figure3b"));
    for (size_t i = 0; i < DRAWS; i++) {
        const double first = draw_weight(&rng), second = draw_weight(&rng);
        const double p = first / (first + second);
        series->x[i] = entropy_of(p);
        series->y[i] = bound_of(p);
    }
    double worst = 0;
    for (size_t i = 0; i < series->paper_n; i++) {
        series->paper_x[i] = xp__paper_number(file, i, "entropy_bits");
        series->paper_y[i] = xp__paper_number(file, i, "bound_plotted");
        worst = fmax(worst, fabs(bound_at(series->paper_x[i]) / series->paper_y[i] - 1));
    }
    const xp__line line = xp__line_fit(series->x, series->y, series->n);
    const xp__line paper = xp__line_fit(series->paper_x, series->paper_y, series->paper_n);
    xp__builder_finding(
        builder,
        "The bound is close to linear in the entropy: slope %.1f per bit, R² = %.3f "
        "over %d draws; the paper's %zu points: slope %.1f, R² = %.3f. Each of "
        "those lies within %.2f %% of the formula at its entropy.",
        line.slope, line.r2, (int)DRAWS, series->paper_n, paper.slope, paper.r2, 100 * worst);
}

/* The paper's point nearest to an entropy. */
static double paper_near(double entropy) {
    static const char file[] = "freq_bound";
    double best = NAN, nearest = INFINITY;
    for (size_t i = 0; i < xp__paper_lines(file); i++) {
        const double gap = fabs(xp__paper_number(file, i, "entropy_bits") - entropy);
        if (gap < nearest) {
            nearest = gap;
            best = xp__paper_number(file, i, "bound_plotted");
        }
    }
    return best;
}

static void report_rows(const xp__grid *grid, xp__builder *builder) {
    static const double entropies[] = {0.1, 0.5, 1};
    for (size_t i = 0; i < sizeof entropies / sizeof entropies[0]; i++) {
        char group[32];
        (void)xp__format(group, sizeof group, "entropy %g", entropies[i]);
        const xp__mean bound = {.mean = bound_at(entropies[i]), .se = NAN};
        xp_study_row row = xp__study_row("bound of Theorem 1", "", group, "bound", &bound);
        row.paper_mean = paper_near(entropies[i]);
        xp__builder_row(builder, &row);
    }
    for (size_t block = 0; block < grid->block_count; block++) {
        const xp__agent_entry *agent = grid->blocks[block].agent;
        const xp__mean mean = xp__block_mean(grid, block, XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
        const xp__mean gap = xp__block_mean(grid, block, 1, XP__FINAL_REGRET, XP__ALL);
        xp_study_row row = xp__study_row(agent->label, agent->spec, "all",
                                         xp__measure_name[XP__FINAL_REGRET], &mean);
        xp__values_add(builder, grid, block, XP__FINAL_REGRET, row.group);
        if (block != 1) {
            xp__study_row_compare(&row, &gap);
        }
        xp__builder_row(builder, &row);
    }
}

/* Simulated regret of each problem against its entropy, and how far below the bound it stays. */
static void report_simulated(const xp__grid *grid, xp__builder *builder) {
    const xp__problem_set *set = xp__grid_set(grid, 0);
    for (size_t block = 0; block < grid->block_count; block++) {
        const xp_series labels = {.agent = grid->blocks[block].agent->label,
                                  .panel = "simulated",
                                  .x_label = "entropy of the optimal action (bits)",
                                  .y_label = "final regret",
                                  .scatter = true,
                                  .n = set->count};
        xp_series *series = xp__builder_series(builder, &labels, true);
        if (series == NULL) {
            return;
        }
        double largest = 0;
        size_t below = 0;
        for (size_t i = 0; i < set->count; i++) {
            const xp__unit_result *result = xp__grid_result(grid, block, i);
            const double bound = bound_at(set->problems[i].entropy);
            series->x[i] = set->problems[i].entropy;
            series->y[i] = result->regret;
            series->se[i] = result->regret_se;
            below += result->regret <= bound;
            largest = bound > 1 ? fmax(largest, result->regret / bound) : largest;
        }
        const xp__line line = xp__line_fit(series->x, series->y, series->n);
        xp__builder_finding(
            builder,
            "%s, simulated: below the bound for %zu of %zu problems, and at most "
            "%.0f %% of it where it is above 1; slope %.2f per bit of entropy, R² = "
            "%.2f.",
            labels.agent, below, set->count, 100 * largest, line.slope, line.r2);
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    report_rows(grid, builder);
    report_bound(grid, builder);
    report_simulated(grid, builder);
    xp__builder_note(builder,
                     "Bound: 2 sqrt(T ln T) times the sum over ordered pairs of arms, K = %d, T = "
                     "%d, as the authors plot it; policies are %d draws of two weights, each "
                     "Beta(1, 10) or Beta(10, 1), normalised.",
                     (int)ARMS, (int)EPISODES, (int)DRAWS);
    xp__notes_on_protocol(builder, grid, 0);
    xp__builder_note(builder, "± of a simulated point is the standard error over its tasks. In the "
                              "rows the paper's value is its point nearest to that entropy.");
}

const xp__study_type xp__study_figure3b = {
    .name = "figure3b",
    .summary = "the bound of Theorem 1 against entropy, and the simulated regret (Figure 3b)",
    .title = "Figure 3b: the bound of Theorem 1",
    .question = "How does the bound of Theorem 1 grow with the entropy of the optimal action, and "
                "how much regret is there in fact?",
    .reading = "Each point is one problem. " XP__READ_REGRET
               "Entropy, in bits, says how widely the optimal action is spread over the arms.",
    .order = 3,
    .in_paper = true,
    .reference = "Oracle-TS",
    .plan = plan,
    .report = report,
};
