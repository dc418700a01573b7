/* reward_scale.c: what a prior is worth when rewards are rare, and what it costs when they are not.
 *
 * The paper's prior is the one nearest to the uniform distribution: half of everything pays. Here
 * means are between 0.002 and 0.02, and beside it stand the reference that learns the scale from
 * rewards and the one that is told the base rate (docs/method/prior.md). The same agents on the
 * paper's own tasks show what learning the scale costs where the uniform reference is right; that
 * difference is small, so that the two agents it is between meet more problems than the
 * others. */
#include "paper/agents.h"
#include "paper/findings.h"
#include "study/study_type.h"
#include "study/summary.h"

#include "env/create.h"

#include <math.h>
#include <stdio.h>

static const xp__agent_entry learned = {.label = "ExPerior-MaxEnt, scale learned",
                                        .spec = "experior_maxent:reference=learned"};
static const xp__agent_entry uniform = {.label = "ExPerior-MaxEnt, uniform reference",
                                        .spec = "experior_maxent"};
/* The mean of all means: the middle of the range, since A and B have the same distribution. */
static const xp__agent_entry known = {.label = "ExPerior-MaxEnt, base rate known",
                                      .spec = "experior_maxent:reference=beta,mean=0.011"};
static const xp__agent_entry naive_learned = {.label = "Naive-TS, scale learned",
                                              .spec = "naive_ts:reference=learned"};

/* The first is what differences are from. `known` is the uniform reference on the paper's tasks. */
static const xp__agent_entry *const agents[] = {
    &uniform,
    &learned,
    &naive_learned,
    &xp__agents[XP__NAIVE],
    &xp__agents[XP__CLONING],
    &xp__agents[XP__ORACLE],
    &known,
};
enum {
    AGENTS = sizeof agents / sizeof agents[0],
    UNIFORM = 0,
    LEARNED = 1,
    NAIVE_LEARNED = 2,
    CLONING = 4,
    KNOWN = 6,
    BOTH = 2, /* the first two are in every setting */
    LOW = 0,
    PAPER = 1,
    MORE = 4,
    SETTINGS = 7,
    LOW_ARMS = 30
};

static const size_t arms_of[SETTINGS] = {LOW_ARMS, 2, 5, 10, 2, 5, 10};
static const char *const group_of[SETTINGS] = {"means 0.002 to 0.02, K = 30",
                                               "paper's tasks, K = 2",
                                               "paper's tasks, K = 5",
                                               "paper's tasks, K = 10",
                                               "more of the paper's tasks, K = 2",
                                               "more of the paper's tasks, K = 5",
                                               "more of the paper's tasks, K = 10"};
static const size_t low_episodes[XP__SCALES] = {200, 10000, 10000};

static size_t agents_in(size_t setting) {
    return setting == LOW ? AGENTS : setting < MORE ? KNOWN : BOTH;
}

static size_t block_of(size_t setting, size_t agent) {
    size_t first = 0;
    for (size_t i = 0; i < setting; i++) {
        first += agents_in(i);
    }
    return first + agent;
}

static xp_status select_low(xp__grid *grid, size_t count, size_t *set, xp_error *error) {
    xp__params params;
    xp_status status = xp__env_params_default("bernoulli_bandit", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "arms", LOW_ARMS, error);
    }
    if (status == XP_OK) {
        status = xp__params_set(&params, "low", 0.002, error);
    }
    if (status == XP_OK) {
        status = xp__params_set(&params, "high", 0.02, error);
    }
    return status == XP_OK ? xp__grid_list(grid, "bernoulli_bandit", &params, 0, count, set, error)
                           : status;
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    static const size_t tasks[XP__SCALES] = {2, 16, 64};
    static const size_t low_problems[XP__SCALES] = {2, 6, 40};
    static const size_t problems[XP__SCALES] = {2, 16, 80}, more[XP__SCALES] = {3, 32, 1200};
    grid->shape =
        (xp__shape){.tasks = tasks[grid->scale], .episodes = 1500, .demonstrations = 1000};
    xp_status status = XP_OK;
    for (size_t setting = 0; status == XP_OK && setting < SETTINGS; setting++) {
        size_t set = 0;
        if (setting == LOW) {
            status = select_low(grid, low_problems[grid->scale], &set, error);
        } else {
            const xp__selection selection = {.arms = arms_of[setting],
                                             .first = setting < MORE ? problems[grid->scale]
                                                                     : more[grid->scale],
                                             .demonstrations = grid->shape.demonstrations};
            status = xp__grid_select(grid, &selection, &set, error);
        }
        for (size_t i = 0; status == XP_OK && i < agents_in(setting); i++) {
            const size_t block = xp__grid_block(grid, set, &xp__expert_optimal_entry, agents[i]);
            grid->blocks[block].episodes = setting == LOW ? low_episodes[grid->scale] : 0;
        }
    }
    return status;
}

static xp__mean gap(const xp__grid *grid, size_t setting, size_t agent, size_t minus) {
    return xp__block_mean(grid, block_of(setting, agent), block_of(setting, minus),
                          XP__FINAL_REGRET, XP__ALL);
}

static xp__mean level(const xp__grid *grid, size_t setting, size_t agent) {
    return xp__block_mean(grid, block_of(setting, agent), XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
}

/* Regret up to each checkpoint; the last is the paper's T. */
static void add_curve(const xp__grid *grid, xp__builder *builder, size_t setting, size_t agent) {
    const size_t last = setting == LOW ? low_episodes[grid->scale] : grid->shape.episodes;
    size_t n = 0;
    while (n < XP__CHECKPOINTS && xp__checkpoint[n] <= last) {
        n++;
    }
    const xp_series labels = {.agent = agents[agent]->label,
                              .panel = group_of[setting],
                              .x_label = "episode",
                              .y_label = "cumulative regret",
                              .n = n};
    xp_series *series = xp__builder_series(builder, &labels, true);
    for (size_t i = 0; series != NULL && i < n; i++) {
        const xp__mean mean = xp__checkpoint_mean(grid, block_of(setting, agent), i, XP__ALL);
        series->x[i] = (double)xp__checkpoint[i];
        series->y[i] = mean.mean;
        series->se[i] = mean.se;
    }
}

static void add_row(const xp__grid *grid, xp__builder *builder, size_t setting, size_t agent) {
    const xp__agent_entry *entry = agents[agent];
    const xp__mean mean = level(grid, setting, agent), less = gap(grid, setting, agent, UNIFORM);
    xp_study_row row = xp__study_row(entry->label, entry->spec, group_of[setting],
                                     xp__measure_name[XP__FINAL_REGRET], &mean);
    if (agent != UNIFORM) {
        xp__study_row_compare(&row, &less);
    }
    xp__values_add(builder, grid, block_of(setting, agent), XP__FINAL_REGRET, group_of[setting]);
    xp__builder_row(builder, &row);
}

static void find_low(const xp__grid *grid, xp__builder *builder) {
    const xp__mean own = level(grid, LOW, LEARNED), other = level(grid, LOW, UNIFORM);
    char text[XP__MEAN_TEXT];
    const xp__mean less = gap(grid, LOW, LEARNED, UNIFORM);
    xp__builder_finding(
        builder,
        "With means of 0.002 to 0.02 the learned scale has %.0f %% of the regret of "
        "the uniform reference, %.1f ± %.1f against %.1f ± %.1f; difference %s.",
        100 * own.mean / other.mean, own.mean, own.se, other.mean, other.se,
        xp__mean_text(&less, text));
    static const size_t beside[] = {NAIVE_LEARNED, CLONING, KNOWN};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        const xp__mean from = gap(grid, LOW, LEARNED, beside[i]);
        const xp__mean theirs = level(grid, LOW, beside[i]);
        xp__builder_finding(
            builder,
            "On the same problems, learned minus %s: %s (that agent's own regret is %.1f ± %.1f).",
            agents[beside[i]]->label, xp__mean_text(&from, text), theirs.mean, theirs.se);
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    for (size_t setting = 0; setting < SETTINGS; setting++) {
        for (size_t agent = 0; agent < agents_in(setting); agent++) {
            add_row(grid, builder, setting, agent);
        }
    }
    for (size_t setting = 0; setting < MORE; setting++) {
        for (size_t agent = 0; agent < agents_in(setting); agent++) {
            add_curve(grid, builder, setting, agent);
        }
    }
    find_low(grid, builder);
    for (size_t setting = MORE; setting < SETTINGS; setting++) {
        char text[XP__MEAN_TEXT];
        const xp__mean more = gap(grid, setting, LEARNED, UNIFORM);
        const xp__mean other = level(grid, setting, UNIFORM);
        xp__builder_finding(
            builder,
            "On the paper's tasks with K = %zu, learned minus uniform reference: %s of %.2f.",
            arms_of[setting], xp__mean_text(&more, text), other.mean);
    }
    xp__builder_note(
        builder,
        "Low rates: %zu problems of %d arms whose means are 0.002 + 0.018 Beta(A, B), "
        "T = %zu. The paper's tasks: the first %zu problems of each K, and %zu for the "
        "difference between the two references, means Beta(A, B), T = %zu. In both A and B are "
        "U(0, 4); %zu tasks from each, N = %llu choices of optimal "
        "experts. Every agent meets the same tasks, demonstrations and reward noise. Curves "
        "show the first %zu episodes.",
        grid->sets[LOW].count, (int)LOW_ARMS, low_episodes[grid->scale], grid->sets[PAPER].count,
        grid->sets[MORE].count, grid->shape.episodes, grid->shape.tasks,
        (unsigned long long)grid->shape.demonstrations, grid->shape.episodes);
    xp__builder_note(
        builder,
        "Oracle-TS knows each arm's distribution. The known base rate is the mean over all "
        "problems, "
        "0.011. ± is the standard error over problems; differences are paired by "
        "them, and brackets are 95 %% intervals, Student's t; none is corrected for their number.");
}

const xp__study_type xp__study_reward_scale = {
    .name = "reward_scale",
    .summary = "references that learn the scale of rewards, on rare rewards and the paper's tasks",
    .title = "Rewards on any scale",
    .question = "When rewards are rare, what does learning their scale gain, and what does it cost "
                "where the uniform reference is right?",
    .reading = XP__READ_REGRET "Differences are from the uniform reference.",
    .reference = "ExPerior-MaxEnt, uniform reference",
    .plan = plan,
    .report = report,
};
