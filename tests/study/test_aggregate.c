/* Aggregates over runs, and a unit that is computed in parts. */
#include "claim.h"

#include "base/params.h"
#include "env/create.h"
#include "run/unit.h"
#include "study/aggregate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

CLAIM(an_interquartile_mean_is_that_of_the_middle_half) {
    double eight[] = {100, 1, 2, 3, 4, 5, 6, -50}; /* sorted: −50 1 | 2 3 4 5 | 6 100 */
    EXPECT_NEAR(xp__interquartile_mean(eight, 8), 3.5, 1e-15);
    double five[] = {9, 1, 2, 3, -7}; /* one is cut from each end, as scipy's trim_mean does */
    EXPECT_NEAR(xp__interquartile_mean(five, 5), 2, 1e-15);
    double one[] = {4};
    EXPECT(xp__interquartile_mean(one, 1) == 4);
    EXPECT(isnan(xp__interquartile_mean(one, 0)));
}

CLAIM(a_probability_of_improvement_counts_pairs) {
    const double x[] = {1, 2, 3}, y[] = {2, 0};
    /* 1: >0; 2: =2, >0; 3: both */
    EXPECT_NEAR(xp__probability_of_improvement(x, 3, y, 2), (1 + 1.5 + 2) / 6, 1e-15);
    EXPECT_NEAR(xp__probability_of_improvement(x, 3, x, 3), 0.5, 1e-15);
}

CLAIM(exact_intervals_are_those_of_clopper_and_pearson) {
    double low, high;
    for (size_t trials = 1; trials <= 60; trials += 7) {
        for (size_t failures = 0; failures <= trials; failures += 3) {
            xp__clopper_pearson(failures, trials, &low, &high);
            /* Their definition: 2.5 % of the binomial lies at or beyond what was seen. */
            const unsigned k = (unsigned)failures, n = (unsigned)trials;
            EXPECT(failures == 0 ? low == 0
                                 : fabs(gsl_cdf_binomial_Q(k - 1, low, n) - 0.025) < 1e-9);
            EXPECT(failures == trials ? high == 1
                                      : fabs(gsl_cdf_binomial_P(k, high, n) - 0.025) < 1e-9);
        }
    }
}

/* Two groups of two problems with two runs each; agent "b" is "a" and 1 more. */
static const char *const agents[] = {"a", "b"}, *const groups[] = {"left", "right"};
static size_t fill(xp_study_value *values, const char *measure, bool solved) {
    size_t count = 0;
    for (size_t agent = 0; agent < 2; agent++) {
        for (size_t group = 0; group < 2; group++) {
            for (size_t problem = 0; problem < 2; problem++) {
                for (size_t run = 1; run <= 2; run++) {
                    const double number = (double)(4 * group + 2 * problem + run);
                    values[count++] =
                        (xp_study_value){.key = groups[group],
                                         .agent = agents[agent],
                                         .group = groups[group],
                                         .measure = measure,
                                         .problem = problem,
                                         .run = run,
                                         .value = solved ? (agent == 0 && number < 4 ? 0 : 1)
                                                         : number + (double)agent};
                }
            }
        }
    }
    return count;
}

CLAIM(aggregates_are_over_groups_problems_and_runs) {
    xp_study_value values[32];
    const size_t half = fill(values, "return", false);
    const size_t all = half + fill(values + half, "solved", true);
    const xp_study_result result = {.reference = "a", .values = values, .value_count = all};
    xp_aggregates *made;
    EXPECT(xp_aggregates_create(&result, NULL, &made, NULL) == XP_OK);
    EXPECT(made->count == 4);
    const xp_aggregate *a = &made->rows[0], *b = &made->rows[1], *solved = &made->rows[2];
    EXPECT(strcmp(a->agent, "a") == 0 && strcmp(b->agent, "b") == 0 && a->groups == 2);
    EXPECT(a->problems == 2 && a->runs == 8);
    EXPECT_NEAR(a->iqm, 4.5, 1e-15); /* 3 4 5 6 of 1 … 8 */
    EXPECT_NEAR(b->iqm, 5.5, 1e-15);
    EXPECT(isnan(a->improvement) && a->failures == SIZE_MAX);
    /* In a group y = 1 2 3 4 and x = 2 3 4 5: of 16 pairs 1 + 2 + 3 + 4 exceed and 3 are equal. */
    EXPECT_NEAR(b->improvement, (10 + 1.5) / 16, 1e-15);
    /* Two problems have no interval. */
    EXPECT(isnan(b->improvement_low) && isnan(b->improvement_high));
    EXPECT(isnan(a->iqm_low) && isnan(a->iqm_high));
    EXPECT(solved->failures == 3 && made->rows[3].failures == 0 && made->rows[3].failure_low == 0);
    EXPECT_NEAR(made->rows[3].failure_high, 1 - pow(0.025, 1.0 / 8), 1e-12); /* closed form */
    xp_aggregates_destroy(made);
}

/* Scores of two agents in three groups of eight problems, with ties, and what rliable 1.2.0 makes
 * of them (with scipy 1.17.1, arch 7.2.0 and numpy 2.4.6; x and y as arrays of 8 runs × 3 tasks):
 *
 *     metrics.aggregate_iqm(x), metrics.aggregate_iqm(y), metrics.probability_of_improvement(x, y)
 *     library.get_interval_estimates({"a": x[:, :1]}, lambda s:
 * np.array([metrics.aggregate_iqm(s)]), reps=200000, confidence_interval_size=1 - 2 * tail)
 *
 * where tail = stats.norm.cdf(-(8 / 7) ** 0.5 * stats.t.ppf(0.975, 7)) = 0.0057375, that of an
 * expanded interval. rliable draws runs in each task anew, and x apart from y; with one task and
 * one run per problem that is what is done here. Where groups and agents are drawn together,
 * intervals are numpy's: the same percentiles of 400,000 resamples of the eight, each the same in
 * all groups.
 */
static const double peer_x[3][8] = {{7.6, 5.3, 7.4, 6.8, 3.5, 7.6, 9.0, 7.7},
                                    {3.7, 7.1, 5.9, 5.8, 1.1, 3.8, 3.8, 1.1},
                                    {5.8, 7.8, 7.1, 3.7, 7.7, 9.0, 7.6, 3.5}};
static const double peer_y[3][8] = {{1.7, 9.9, 8.5, 7.6, 7.2, 7.3, 7.9, 9.0},
                                    {0.5, 2.6, 5.2, 8.3, 1.8, 5.9, 0.4, 5.5},
                                    {1.0, 7.1, 3.6, 0.6, 8.2, 6.2, 4.7, 3.7}};

/* y and x in the first groups. */
static size_t fill_peers(xp_study_value values[48], size_t group_count) {
    static const char *const names[] = {"first", "second", "third"};
    size_t count = 0;
    for (size_t agent = 0; agent < 2; agent++) {
        for (size_t i = 0; i < 8 * group_count; i++) {
            values[count++] =
                (xp_study_value){.key = names[i / 8],
                                 .agent = agent == 0 ? "y" : "x",
                                 .group = names[i / 8],
                                 .measure = "return",
                                 .problem = i % 8,
                                 .run = 1,
                                 .value = (agent == 0 ? peer_y : peer_x)[i / 8][i % 8]};
        }
    }
    return count;
}

static xp_aggregates *aggregates_of(const xp_study_value *values, size_t count,
                                    const char *reference, size_t resamples) {
    const xp_study_result result = {
        .reference = reference, .values = (xp_study_value *)values, .value_count = count};
    xp_aggregate_options options = xp_aggregate_options_default();
    options.resamples = resamples;
    xp_aggregates *made = NULL;
    EXPECT(xp_aggregates_create(&result, &options, &made, NULL) == XP_OK);
    return made;
}

CLAIM(aggregates_are_those_of_rliable) {
    xp_study_value values[48];
    const size_t resamples = claim_instrumented() ? 5000 : 20000;
    xp_aggregates *made = aggregates_of(values, fill_peers(values, 3), "y", resamples);
    const xp_aggregate *y = &made->rows[0], *x = &made->rows[1];
    EXPECT_NEAR(y->iqm, 5.550000000000001, 1e-12);
    EXPECT_NEAR(x->iqm, 6.166666666666665, 1e-12);
    EXPECT_NEAR(x->improvement, 0.546875, 1e-12);
    /* Standard errors of percentiles of 5,000 resamples, from those of numpy: 0.03, 0.013, 0.007
     * and 0.005. */
    EXPECT(fabs(x->iqm_low - 4.9) < 0.1 && fabs(x->iqm_high - 7.0) < 0.05);
    EXPECT(fabs(x->improvement_low - 0.3177) < 0.03 && fabs(x->improvement_high - 0.7656) < 0.02);
    xp_aggregates_destroy(made);
    made = aggregates_of(values, fill_peers(values, 1), "y", resamples);
    y = &made->rows[0];
    x = &made->rows[1];
    EXPECT_NEAR(y->iqm, 7.825, 1e-12);
    EXPECT_NEAR(x->iqm, 7.35, 1e-12);
    EXPECT(fabs(x->iqm_low - 4.925) < 0.15 && fabs(x->iqm_high - 8.3) < 0.1);
    EXPECT(fabs(y->iqm_low - 4.575) < 0.2 && fabs(y->iqm_high - 9.175) < 0.1);
    xp_aggregates_destroy(made);
}

CLAIM(a_group_in_which_an_agent_lacks_runs_is_left_out) {
    xp_study_value values[48];
    size_t count = fill_peers(values, 3);
    values[count - 9].agent = "z"; /* x lacks a run in "second", z has nothing but this one */
    xp_aggregates *made = aggregates_of(values, count, "y", 100);
    EXPECT(made->count == 2);
    const xp_aggregate *y = &made->rows[0], *x = &made->rows[1];
    EXPECT(y->groups == 3 && y->runs == 24 && x->groups == 2 && x->runs == 16);
    double both[16];
    memcpy(both, peer_x[0], sizeof peer_x[0]);
    memcpy(both + 8, peer_x[2], sizeof peer_x[2]);
    EXPECT(x->iqm == xp__interquartile_mean(both, 16));
    /* Compared where both are whole. */
    EXPECT_NEAR(x->improvement,
                (xp__probability_of_improvement(peer_x[0], 8, peer_y[0], 8) +
                 xp__probability_of_improvement(peer_x[2], 8, peer_y[2], 8)) /
                    2,
                1e-15);
    EXPECT(x->improvement_low < x->improvement && x->improvement < x->improvement_high);
    xp_aggregates_destroy(made);
}

CLAIM(returns_that_happen_to_be_zero_are_no_failures) {
    xp_study_value values[48];
    const size_t count = fill_peers(values, 3);
    for (size_t i = count / 2; i < count; i++) {
        values[i].value = 0;
    }
    xp_aggregates *made = aggregates_of(values, count, "y", 100);
    EXPECT(made->count == 2);
    EXPECT(made->rows[1].failures == SIZE_MAX && isnan(made->rows[1].failure_low));
    xp_aggregates_destroy(made);
}

CLAIM(the_same_runs_in_more_groups_are_no_more_evidence) {
    static const char *const names[] = {"a", "b", "c", "d"};
    enum { PROBLEMS = 8, GROUPS = 4 };
    xp_study_value values[GROUPS * PROBLEMS];
    for (size_t i = 0; i < GROUPS * PROBLEMS; i++) {
        values[i] = (xp_study_value){.key = "of the unit",
                                     .agent = "naive",
                                     .group = names[i / PROBLEMS],
                                     .measure = "solved",
                                     .problem = i % PROBLEMS,
                                     .run = 1,
                                     .value = i % PROBLEMS < 3};
    }
    xp_study_result result = {.values = values};
    xp_aggregates *once, *often;
    result.value_count = PROBLEMS;
    EXPECT(xp_aggregates_create(&result, NULL, &once, NULL) == XP_OK);
    result.value_count = GROUPS * PROBLEMS;
    EXPECT(xp_aggregates_create(&result, NULL, &often, NULL) == XP_OK);
    EXPECT(once->rows[0].runs == 8 && often->rows[0].runs == 32);
    EXPECT(often->rows[0].iqm == once->rows[0].iqm);
    EXPECT(often->rows[0].iqm_low == once->rows[0].iqm_low);
    EXPECT(often->rows[0].iqm_high == once->rows[0].iqm_high);
    EXPECT(often->rows[0].iqm_low < often->rows[0].iqm_high);
    EXPECT(often->rows[0].failures == 5 && often->rows[0].failure_runs == 8);
    EXPECT(often->rows[0].failure_high == once->rows[0].failure_high);
    xp_aggregates_destroy(once);
    xp_aggregates_destroy(often);
}

CLAIM(exact_intervals_are_those_of_scipy) {
    /* scipy.stats.binomtest(k, n).proportion_ci(0.95, method="exact"), scipy 1.17 */
    static const struct {
        size_t failures, trials;
        double low, high;
    } peers[] = {{3, 8, 0.08523341413759308, 0.7551367836335001},
                 {0, 30, 0, 0.11570330822202743},
                 {7, 30, 0.09933786495802023, 0.42283652297821944},
                 {30, 30, 0.8842966917779725, 1},
                 {1, 100, 0.00025314603268189283, 0.054459385392080666}};
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        double low, high;
        xp__clopper_pearson(peers[i].failures, peers[i].trials, &low, &high);
        EXPECT_NEAR(low, peers[i].low, 1e-10);
        EXPECT_NEAR(high, peers[i].high, 1e-10);
    }
}

/* How often the interval of the interquartile mean holds the true one, 0, over samples of normal
 * problems of standard deviation 1 with two runs each, of standard deviation 1. */
static double coverage(size_t problems, size_t samples) {
    xp_study_value values[2 * 15];
    xp_rng rng = xp_rng_seed(9);
    size_t covered = 0;
    for (size_t sample = 0; sample < samples; sample++) {
        double problem = 0;
        for (size_t i = 0; i < 2 * problems; i++) {
            problem = i % 2 == 0 ? xp_rng_normal(&rng) : problem;
            values[i] = (xp_study_value){.key = "",
                                         .agent = "a",
                                         .group = "all",
                                         .measure = "return",
                                         .problem = i / 2,
                                         .run = 1 + i % 2,
                                         .value = problem + xp_rng_normal(&rng)};
        }
        xp_aggregates *made = aggregates_of(values, 2 * problems, NULL, 1000);
        covered += made->rows[0].iqm_low <= 0 && made->rows[0].iqm_high >= 0;
        xp_aggregates_destroy(made);
    }
    return (double)covered / (double)samples;
}

CLAIM(a_bootstrap_interval_covers_as_often_as_it_says) {
    /* Plain percentile intervals cover in 0.87, 0.92 and 0.93. The standard error of a share of
     * 1,000 is 0.007. */
    static const size_t problems[] = {5, 8, 15};
    static const double least[] = {0.90, 0.92, 0.93};
    for (size_t i = 0; i < 3; i++) {
        const double share = coverage(problems[i], claim_instrumented() ? 200 : 1000);
        printf("  %zu problems of two runs: the 95 %% interval covers in %.3f\n", problems[i],
               share);
        EXPECT(share > least[i] - (claim_instrumented() ? 0.04 : 0) && share < 0.98);
    }
    EXPECT(coverage(4, 1) == 0); /* there is none */
}

CLAIM(a_unit_joined_from_its_tasks_has_the_same_bits) {
    const xp__expert_entry experts[] = {{.name = "optimal"},
                                        {.name = "optimal", .own_context = true}};
    const xp__agent_entry dqn = {.label = "x", .spec = "boot_dqn:members=3,hidden=8,batch=16"};
    const xp__agent_entry ts = {.label = "y", .spec = "experior_maxent:beta=100"};
    for (size_t i = 0; i < 3; i++) {
        const bool states = i < 2;
        const xp__shape shape = {
            .tasks = 5, .episodes = 30, .demonstrations = 40, .returns = states};
        xp__params params;
        const char *env = states ? "deep_sea" : "bernoulli_bandit";
        EXPECT(xp__env_params_default(env, &params, NULL) == XP_OK);
        EXPECT(xp__params_set_text(&params, states ? "size" : "arms", "4", NULL) == XP_OK);
        xp__problem problem;
        EXPECT(xp__problem_init(&problem, 3, 1, env, &params, NULL) == XP_OK);
        const xp__unit unit = {
            .problem = &problem, .expert = &experts[i % 2], .agent = states ? &dqn : &ts};
        double whole_numbers[5 * 30], part_numbers[5 * 30];
        xp__unit_result whole, joined, parts[5];
        EXPECT(xp__unit_run(&unit, &shape, NULL, &whole, whole_numbers, NULL) == XP_OK);
        for (size_t task = 5; task-- > 0;) {
            EXPECT(xp__unit_run_task(&unit, &shape, task, NULL, &parts[task], part_numbers, NULL) ==
                   XP_OK);
        }
        xp__unit_join(parts, 5, &joined);
        joined.seconds = whole.seconds;
        joined.fit_seconds = whole.fit_seconds;
        EXPECT(memcmp(&whole, &joined, sizeof whole) == 0);
        EXPECT(!states || memcmp(whole_numbers, part_numbers, sizeof whole_numbers) == 0);
        xp__problem_deinit(&problem);
    }
}
