/* figure4_findings.c: sentences on Figure 4, made from the numbers of the grid and of the paper.
 *
 * "Ahead" and "behind" are said only when the 95 % interval of the paired difference over problems
 * lies on that side of 0. */
#include "paper/agreement.h"
#include "paper/figure4.h"

#include "paper/findings.h"

#include <math.h>
#include <stdio.h>

static xp__window window_to(const xp__grid *grid, size_t last) {
    return (xp__window){1, last < grid->shape.episodes ? last : grid->shape.episodes};
}

/* How the agents that the authors ran stand to the authors' own runs: windows that do not overlap,
 * and a margin of a tenth of what the goal pays. */
static void find_agreement(const xp__grid *grid, xp__builder *builder, size_t agent) {
    static const xp__window windows[] = {{1, 200}, {201, 500}, {501, 1000}, {1001, 2000}};
    xp__agreement all = {.margin = 0.1, .digit = 0.00005};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
            double paper, se;
            if (windows[i].last <= grid->shape.episodes &&
                xp__sea_paper(grid, goal, agent, windows[i], &paper, &se)) {
                const xp__mean here =
                    xp__sea_return(grid, goal, agent, XP__SEA_AGENTS, windows[i]).mean;
                char cell[XP__MEAN_TEXT];
                (void)snprintf(cell, sizeof cell, "%s, %zu-%zu", xp__sea_goal_name[goal],
                               windows[i].first, windows[i].last);
                xp__agreement_add(&all, cell, &here, paper, se);
            }
        }
    }
    xp__agreement_report(&all, xp__sea_label(agent), "the authors' runs", builder);
}

/* One agent less another in each distribution of the goal. */
static void find_order(const xp__grid *grid, xp__builder *builder, size_t agent, size_t other,
                       xp__window window) {
    char list[XP__LIST_TEXT] = "", text[XP__MEAN_TEXT];
    size_t ahead = 0, behind = 0;
    for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
        const xp__mean gap = xp__sea_return(grid, goal, agent, other, window).mean;
        ahead += xp__mean_sign(&gap) > 0;
        behind += xp__mean_sign(&gap) < 0;
        xp__list_add(list, "%s %s", xp__sea_goal_name[goal], xp__mean_text(&gap, text));
    }
    xp__builder_finding(builder,
                        "%s minus %s, mean return of episodes %zu-%zu: %s. Ahead (95 %% interval) "
                        "in %zu of %d distributions of the goal, behind in %zu.",
                        xp__sea_label(agent), xp__sea_label(other), window.first, window.last, list,
                        ahead, (int)XP__SEA_GOALS, behind);
}

/* The authors' Param starts behind Naive where the goal may be anywhere. */
static void find_param_behind(const xp__grid *grid, xp__builder *builder) {
    const xp__window window = window_to(grid, 200);
    double param, naive, se;
    if (!xp__sea_paper(grid, XP__SEA_ANY, XP__SEA_PARAM, window, &param, &se) ||
        !xp__sea_paper(grid, XP__SEA_ANY, XP__SEA_NAIVE, window, &naive, &se)) {
        return;
    }
    const xp__mean gap =
        xp__sea_return(grid, XP__SEA_ANY, XP__SEA_PARAM, XP__SEA_NAIVE, window).mean;
    char text[XP__MEAN_TEXT];
    xp__builder_finding(builder,
                        "%s: with the goal in any column the authors' ExPerior-Param is behind "
                        "Naive Boot-DQN in episodes %zu-%zu (%.2f against %.2f). Here the "
                        "difference is %s.",
                        xp__mean_sign(&gap) < 0   ? "Reproduced"
                        : xp__mean_sign(&gap) > 0 ? "Overturned"
                                                  : "Not told apart",
                        window.first, window.last, param, naive, xp__mean_text(&gap, text));
}

/* The last episode that returned less than half, over all runs. */
static size_t last_failure(const xp__grid *grid, size_t goal, size_t agent) {
    const size_t block = xp__sea_block(grid, goal, agent), episodes = grid->shape.episodes;
    const size_t each = xp__shape_numbers(&grid->shape);
    size_t last = 0;
    for (size_t problem = 0; problem < xp__grid_set(grid, block)->count; problem++) {
        for (size_t run = 0; run < grid->shape.tasks; run++) {
            const double *returns = xp__grid_numbers(grid, block, problem) + run * each;
            for (size_t t = episodes; t > last; t--) {
                if (returns[t - 1] < 0.5) {
                    last = t;
                }
            }
        }
    }
    return last;
}

static void find_posterior(const xp__grid *grid, xp__builder *builder) {
    const size_t horizon =
        xp_env_describe(xp__grid_set(grid, 0)->problems[0].env).horizon; /* columns, too */
    const size_t columns[XP__SEA_GOALS] = {1, (horizon + 3) / 4, (horizon + 1) / 2, horizon};
    char list[XP__LIST_TEXT] = "";
    for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
        xp__list_add(list, "%s %zu (%zu column%s)", xp__sea_goal_name[goal],
                     last_failure(grid, goal, XP__SEA_POSTERIOR), columns[goal],
                     columns[goal] == 1 ? "" : "s");
    }
    xp__builder_finding(builder,
                        "%s: the last episode in which any run missed the goal, and in how many "
                        "columns it may be: %s.",
                        xp__sea_label(XP__SEA_POSTERIOR), list);
}

/* What one setting for all distributions is to reach in the first 50 episodes. */
static void find_targets(const xp__grid *grid, xp__builder *builder) {
    static const double wanted[XP__SEA_GOALS] = {NAN, 0.85, 0.75, 0.6};
    const xp__window window = window_to(grid, 50);
    char list[XP__LIST_TEXT] = "";
    size_t met = 0;
    for (size_t goal = XP__SEA_QUARTER; goal < XP__SEA_GOALS; goal++) {
        const xp__mean mean =
            xp__sea_return(grid, goal, XP__SEA_MAXENT, XP__SEA_AGENTS, window).mean;
        const xp__mean exact =
            xp__sea_return(grid, goal, XP__SEA_POSTERIOR, XP__SEA_AGENTS, window).mean;
        char text[XP__MEAN_TEXT];
        met += mean.mean >= wanted[goal];
        xp__list_add(list, "%s %s ± %.2f (%.2f; %.2f)", xp__sea_goal_name[goal],
                     xp__number_text("%.2f", mean.mean, text), mean.se, wanted[goal], exact.mean);
    }
    xp__builder_finding(
        builder,
        "%s with the same parameters for all distributions, mean return of episodes "
        "%zu-%zu (the aim; exact posterior sampling): %s. The aim is met in %zu of "
        "3.",
        xp__sea_label(XP__SEA_MAXENT), window.first, window.last, list, met);
}

/* How many runs failed: a mean near the optimum may hide one. */
static void find_failures(const xp__grid *grid, xp__builder *builder) {
    const xp__question question = {.ask = xp__ask_solved, .level = 0.5};
    char list[XP__LIST_TEXT] = "", count[XP__MEAN_TEXT];
    for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
        size_t failed = 0, known = 0;
        for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
            xp__count_zeros(grid, xp__sea_block(grid, goal, agent), &question, &failed, &known);
        }
        xp__list_add(list, "%s %s", xp__sea_label(agent), xp__count_text(failed, known, count));
    }
    xp__builder_finding(builder,
                        "Runs not solved in the end, over the four distributions, with exact 95 %% "
                        "intervals as if runs were independent: %s.",
                        list);
}

static void add_notes(const xp__grid *grid, xp__builder *builder) {
    const size_t problems = xp__grid_set(grid, 0)->count;
    const xp__shape *shape = &grid->shape;
    xp__note_settings(builder, grid);
    xp__builder_note(builder,
                     "Deep Sea of size %zu, %zu problems for each distribution of the goal: %llu "
                     "demonstrations by optimal experts and, for agents that have one, a prior "
                     "fitted to them; %zu run%s of %zu episodes from each, every run with its own "
                     "goal. Every agent meets the same demonstrations and goals.",
                     xp_env_describe(xp__grid_set(grid, 0)->problems[0].env).horizon, problems,
                     (unsigned long long)shape->demonstrations, shape->tasks,
                     shape->tasks == 1 ? "" : "s", shape->episodes);
    xp__builder_note(
        builder, "± is the standard error over problems, each of which counts with the mean over "
                 "its runs. The two "
                 "standard deviations are those of the one-way random-effects model, between "
                 "problems and between the runs of one problem (which differ by the goal, too); an "
                 "estimate below 0 is shown as 0. Differences are paired by run and averaged "
                 "over problems; brackets are 95 %% intervals, Student's t over problems; none is "
                 "corrected for their number.");
    xp__builder_note(
        builder,
        "The authors' numbers are their 30 published runs per method, mean ± standard error over "
        "seeds. Theirs share one fitted prior, so a lucky prior lifts all 30, and their standard "
        "errors do not include how much fitted priors differ. A run is "
        "solved if the moving average of its last %d returns is at least 0.5. An "
        "episode returns 0.99 at most.",
        (int)XP__AVERAGED);
    xp__builder_note(
        builder,
        "ExPLORe is modified (docs/method/agent.md) and written from its description; the "
        "authors' parameters are not public. Ours were chosen on other problems, where "
        "only a small target entropy lets it complete the dive: with a larger one, or more "
        "novelty, it stays as low as the authors' curves.");
}

void xp__sea_findings(const xp__grid *grid, xp__builder *builder) {
    const xp__window early = window_to(grid, 500), all = window_to(grid, SIZE_MAX);
    add_notes(grid, builder);
    find_order(grid, builder, XP__SEA_MAXENT, XP__SEA_NAIVE, early);
    find_order(grid, builder, XP__SEA_MAXENT, XP__SEA_PARAM, early);
    find_order(grid, builder, XP__SEA_MAXENT, XP__SEA_MAXENT_AUTHORS, early);
    find_targets(grid, builder);
    find_posterior(grid, builder);
    find_failures(grid, builder);
    for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
        find_agreement(grid, builder, agent);
    }
    find_param_behind(grid, builder);
    find_order(grid, builder, XP__SEA_EXPLORE, XP__SEA_NAIVE, all);
    find_order(grid, builder, XP__SEA_EXPLORE, XP__SEA_MAXENT, all);
    find_order(grid, builder, XP__SEA_EXPLORE, XP__SEA_MAXENT_AUTHORS, early);
}
