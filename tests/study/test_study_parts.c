/* The parts that studies are made of: pool, problems, statistics, the paper's numbers. */
#include "claim.h"

#include "paper/paper.h"
#include "study/study_type.h"
#include "study/summary.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counting {
    atomic_size_t runs[64];
    size_t fail_at[2]; /* units that fail; none: 64 */
    size_t stop_after; /* ticks; 0: never */
    size_t ticks, told;
} counting;

static xp_status count_unit(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    (void)pool;
    counting *counts = context;
    atomic_fetch_add(&counts->runs[unit], 1);
    if (unit == counts->fail_at[0] || unit == counts->fail_at[1]) {
        return xp_error_set(error, XP_ERR_NUMERIC, "unit %zu", unit);
    }
    return XP_OK;
}

static xp_status count_tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    counting *counts = context;
    counts->ticks++;
    counts->told = done;
    for (size_t i = 0; i < done; i++) {
        EXPECT(finished[i] < 64);
    }
    if (counts->ticks == counts->stop_after) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "stopped");
    }
    return XP_OK;
}

CLAIM(the_pool_runs_every_unit_once_for_any_number_of_threads) {
    for (size_t threads = 0; threads <= 5; threads++) {
        counting counts = {.fail_at = {64, 64}};
        const xp__pool_job job = {.units = 64,
                                  .threads = threads,
                                  .run = count_unit,
                                  .tick = count_tick,
                                  .context = &counts};
        EXPECT(xp__pool_run(&job, NULL) == XP_OK);
        for (size_t i = 0; i < 64; i++) {
            EXPECT(atomic_load(&counts.runs[i]) == 1);
        }
        EXPECT(counts.told == 64);
    }
}

CLAIM(the_failure_of_the_lowest_unit_is_reported) {
    for (size_t threads = 1; threads <= 4; threads++) {
        counting counts = {.fail_at = {17, 11}};
        const xp__pool_job job = {
            .units = 64, .threads = threads, .run = count_unit, .tick = NULL, .context = &counts};
        xp_error error;
        EXPECT(xp__pool_run(&job, &error) == XP_ERR_NUMERIC);
        EXPECT_TEXT(error.message, "unit 11");
    }
}

static xp_status wait_for_cancel(void *context, size_t unit, const xp__pool *pool,
                                 xp_error *error) {
    (void)context;
    (void)unit;
    while (!xp__pool_cancelled(pool)) {
    }
    return xp_error_set(error, XP_ERR_INTERRUPTED, "a unit gave up");
}

CLAIM(a_failing_tick_cancels_running_units_and_its_status_is_returned) {
    counting counts = {.fail_at = {64, 64}, .stop_after = 1};
    const xp__pool_job job = {
        .units = 8, .threads = 2, .run = wait_for_cancel, .tick = count_tick, .context = &counts};
    xp_error error;
    EXPECT(xp__pool_run(&job, &error) == XP_ERR_INTERRUPTED);
    EXPECT_TEXT(error.message, "stopped");
    EXPECT(counts.ticks == 2); /* once more at the end */
}

CLAIM(entropy_is_in_bits_and_groups_are_those_of_the_paper) {
    const uint64_t even[4] = {5, 5, 5, 5}, one[3] = {0, 9, 0};
    EXPECT_NEAR(xp__entropy_bits(even, 4), 2, 1e-15);
    EXPECT(xp__entropy_bits(one, 3) == 0);
    EXPECT(xp__entropy_group(0.79) == XP__LOW && xp__entropy_group(0.8) == XP__MID);
    EXPECT(xp__entropy_group(1.6) == XP__MID && xp__entropy_group(1.61) == XP__HIGH);
}

CLAIM(a_stratified_set_fills_its_quotas_with_the_first_of_each_group) {
    const xp__selection few = {.arms = 10, .quota = {2, 1, 3}, .demonstrations = 1000};
    const xp__selection more = {.arms = 10, .quota = {3, 4, 5}, .demonstrations = 1000};
    xp__problem_set small, large;
    EXPECT(xp__problem_set_init(&small, 5, &few, NULL) == XP_OK);
    EXPECT(xp__problem_set_init(&large, 5, &more, NULL) == XP_OK);
    EXPECT(small.count == 6 && large.count == 12);
    for (size_t group = 0; group < XP__GROUPS; group++) {
        EXPECT(xp__problem_set_size(&small, group) == few.quota[group]);
        EXPECT(xp__problem_set_size(&large, group) == more.quota[group]);
    }
    /* The smaller set is contained in the larger one, and both are in order of the draw. */
    for (size_t i = 0; i < small.count; i++) {
        size_t found = 0;
        for (size_t j = 0; j < large.count; j++) {
            found += large.problems[j].index == small.problems[i].index &&
                     large.problems[j].entropy == small.problems[i].entropy;
        }
        EXPECT(found == 1);
        EXPECT(i == 0 || small.problems[i - 1].index < small.problems[i].index);
        EXPECT(small.problems[i].group == xp__entropy_group(small.problems[i].entropy));
    }
    /* About 10 / 34 / 56 % of problems fall in the groups; 200 draws, five standard deviations. */
    EXPECT(large.drawn >= 200);
    EXPECT_NEAR(large.frequency[XP__LOW], 0.10, 0.11);
    EXPECT_NEAR(large.frequency[XP__MID], 0.34, 0.17);
    EXPECT_NEAR(large.frequency[XP__HIGH], 0.56, 0.18);
    xp__problem_set_deinit(&small);
    xp__problem_set_deinit(&large);
}

CLAIM(an_impossible_quota_is_an_error) {
    /* Two arms have at most one bit of entropy. Few demonstrations keep it quick. */
    const xp__selection selection = {.arms = 2, .quota = {1, 1, 1}, .demonstrations = 1};
    xp__problem_set set;
    xp_error error;
    EXPECT(xp__problem_set_init(&set, 1, &selection, &error) == XP_ERR_NUMERIC);
    EXPECT_TEXT(error.message, "did not fill every group");
}

CLAIM(intervals_use_the_t_quantile) {
    const double values[] = {1.0, 2.5, 2.0, 4.0, 0.5};
    const xp__mean mean = xp__mean_of(values, 5);
    EXPECT_NEAR(mean.mean, 2.0, 1e-15);
    EXPECT_NEAR(mean.se, sqrt(7.5 / 4 / 5), 1e-14); /* closed form: squares add up to 7.5 */
    EXPECT_NEAR(xp__mean_margin(&mean), gsl_cdf_tdist_Pinv(0.975, 4) * mean.se, 1e-10);
    EXPECT(xp__mean_sign(&mean) == 1); /* 2 ± 1.70 */
    const xp__mean one = xp__mean_of(values, 1);
    EXPECT(isnan(one.se) && xp__mean_sign(&one) == 0);
}

CLAIM(a_line_is_the_least_squares_line) {
    const double x[] = {0.1, 0.4, 0.5, 0.9, 1.3, 2.0}, y[] = {1.0, 2.1, 1.9, 3.3, 5.0, 6.2};
    double intercept, slope, c00, c01, c11, squares;
    (void)gsl_fit_linear(x, 1, y, 1, 6, &intercept, &slope, &c00, &c01, &c11, &squares);
    const xp__line line = xp__line_fit(x, y, 6);
    EXPECT_NEAR(line.slope, slope, 1e-12);
    EXPECT_NEAR(line.intercept, intercept, 1e-12);
    EXPECT_NEAR(line.slope_se, sqrt(c11), 1e-10);
    EXPECT(line.r2 > 0.9 && line.r2 < 1);
}

CLAIM(the_papers_numbers_are_built_in) {
    const xp__paper_where low[] = {
        {"agent", "ExPerior-MaxEnt"}, {"entropy_group", "low"}, {NULL, NULL}};
    EXPECT(xp__paper_find("table2_priors", "regret", low) == 11.6); /* Table 2 */
    EXPECT(xp__paper_find("table2_priors", "standard_error", low) == 1.3);
    const xp__paper_where optimal[] = {
        {"agent", "Oracle-TS"}, {"expert", "optimal"}, {"expert_parameter", ""}, {NULL, NULL}};
    EXPECT(xp__paper_find("table1_experts", "regret", optimal) == 8.5); /* Table 1 */
    EXPECT(xp__paper_lines("freq_bound") == 500);
    EXPECT(xp__paper_number("freq_bound", 499, "entropy_bits") <= 1);
    const xp__paper_where nobody[] = {{"agent", "nobody"}, {NULL, NULL}};
    EXPECT(isnan(xp__paper_find("table2_priors", "regret", nobody)));
}

/* A grid with two blocks over five problems, filled by hand. */
typedef struct hand_made {
    xp__grid grid;
    xp__problem_set sets[1];
    xp__block blocks[2];
    xp__problem problems[5];
    xp__unit_result results[10];
    size_t slot[10];
} hand_made;

static void fill(hand_made *made) {
    static const double first[] = {1, 3, 10, 20, 24}, second[] = {2, 5, 9, 21, 26};
    static const size_t group[] = {XP__LOW, XP__LOW, XP__MID, XP__HIGH, XP__HIGH};
    *made = (hand_made){.grid = {.set_count = 1, .block_count = 2, .unit_count = 10}};
    made->grid.sets = made->sets;
    made->grid.blocks = made->blocks;
    made->grid.sets[0] = (xp__problem_set){.arms = 10,
                                           .problems = made->problems,
                                           .count = 5,
                                           .stratified = true,
                                           .frequency = {0.25, 0.25, 0.5}};
    made->grid.blocks[1].first = 5;
    made->grid.slot = made->slot;
    made->grid.results = made->results;
    for (size_t i = 0; i < 5; i++) {
        made->problems[i].group = group[i];
        made->results[i].regret = first[i];
        made->results[5 + i].regret = second[i];
        made->results[i].at[3] = first[i] / 2;
        made->slot[i] = i;
        made->slot[5 + i] = 5 + i;
    }
}

CLAIM(means_are_over_groups_all_problems_or_the_natural_mix) {
    static hand_made made;
    fill(&made);
    const xp__grid *grid = &made.grid;
    const xp__mean low = xp__block_mean(grid, 0, XP__NO_BLOCK, XP__FINAL_REGRET, XP__LOW);
    EXPECT(low.n == 2 && low.mean == 2);
    EXPECT_NEAR(low.se, 1, 1e-15); /* sqrt(2 / 2): variance 2, two problems */
    const xp__mean all = xp__block_mean(grid, 0, XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
    EXPECT(all.n == 5);
    EXPECT_NEAR(all.mean, 58.0 / 5, 1e-14);
    const xp__mean natural = xp__block_mean(grid, 0, XP__NO_BLOCK, XP__FINAL_REGRET, XP__NATURAL);
    EXPECT_NEAR(natural.mean, 0.25 * 2 + 0.25 * 10 + 0.5 * 22, 1e-14);
    const xp__mean gap = xp__block_mean(grid, 1, 0, XP__FINAL_REGRET, XP__ALL);
    EXPECT_NEAR(gap.mean, 1.0, 1e-14); /* 1 + 2 - 1 + 1 + 2 over five */
    EXPECT_NEAR(gap.se, sqrt(6.0 / 4 / 5), 1e-14);
    EXPECT_NEAR(xp__checkpoint_mean(grid, 0, 3, XP__HIGH).mean, 11, 1e-14);
}

CLAIM(units_with_the_same_key_are_computed_once_and_settings_are_part_of_it) {
    static const xp__agent_entry one = {.label = "one", .spec = "naive_ucb"},
                                 same = {.label = "same", .spec = "naive_ucb"},
                                 set_up = {.label = "set up",
                                           .spec = "naive_ucb",
                                           .settings = "rho=2"},
                                 other = {.label = "other", .spec = "naive_ts"};
    static xp__grid grid;
    grid = (xp__grid){.seed = 1, .shape = {.tasks = 1, .episodes = 1, .demonstrations = 10}};
    const xp__selection two = {.arms = 3, .first = 2, .demonstrations = 10};
    size_t set;
    EXPECT(xp__grid_select(&grid, &two, &set, NULL) == XP_OK);
    (void)xp__grid_block(&grid, set, &xp__expert_optimal_entry, &one);
    (void)xp__grid_block(&grid, set, &xp__expert_optimal_entry, &other);
    const size_t third = xp__grid_block(&grid, set, &xp__expert_optimal_entry, &same);
    const size_t fourth = xp__grid_block(&grid, set, &xp__expert_optimal_entry, &set_up);
    EXPECT(xp__grid_complete(&grid, NULL) == XP_OK);
    EXPECT(grid.unit_count == 8 && grid.distinct_count == 6);
    for (size_t i = 0; i < 2; i++) {
        EXPECT(xp__grid_result(&grid, third, i) == xp__grid_result(&grid, 0, i));
        EXPECT(xp__grid_result(&grid, 1, i) != xp__grid_result(&grid, 0, i));
        EXPECT(xp__grid_result(&grid, fourth, i) != xp__grid_result(&grid, 0, i));
    }
    xp__grid_deinit(&grid);
}

/* What a unit is filed under: otherwise a store would take one seed's units for another's. */
CLAIM(problems_of_every_study_know_the_seed_they_are_drawn_with) {
    for (size_t i = 0; i < xp__study_type_count; i++) {
        xp__grid *grid = calloc(1, sizeof *grid);
        *grid = (xp__grid){.seed = 4711, .scale = XP__SMOKE};
        EXPECT(xp__study_types[i]->plan(grid, NULL) == XP_OK);
        EXPECT(xp__grid_complete(grid, NULL) == XP_OK && grid->unit_count > 0);
        for (size_t unit = 0; unit < grid->unit_count; unit++) {
            EXPECT(grid->units[unit].problem->seed == 4711);
        }
        xp__grid_deinit(grid);
        free(grid);
    }
}

/* Ends of exact intervals from a table: Clopper and Pearson for 0 of 10, 3 of 30 and 10 of 10. */
CLAIM(counts_have_exact_intervals) {
    char text[XP__MEAN_TEXT];
    EXPECT_TEXT(xp__count_text(0, 10, text), "0 of 10 [0.00, 0.31]");
    EXPECT_TEXT(xp__count_text(3, 30, text), "3 of 30 [0.02, 0.27]");
    EXPECT_TEXT(xp__count_text(10, 10, text), "10 of 10 [0.69, 1.00]");
}
