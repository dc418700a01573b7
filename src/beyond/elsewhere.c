/* elsewhere.c: agents with states on tasks on which none was developed first (src/elsewhere/).
 *
 * Scores have random actions at 0 and the experts whose demonstrations agents saw at 1: a run's
 * mean return over a window of episodes, less that of random actions in the same task, divided by
 * the mean difference between experts and random actions over all problems of the task. Episodes
 * are the same number for every task, fixed beforehand.
 *
 * Settings may be chosen on the selection half alone (--only selection). Problems of the reporting
 * half are others of the seed, in other forms of the tasks, and in tasks that are there alone. */
#include "beyond/elsewhere_levels.h"
#include "elsewhere/elsewhere_type.h"
#include "study/runs.h"
#include "study/study_type.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first two are also run with rewards at other scales; the first is what is compared. */
enum { MAXENT, BOOT, REPLAY, REPLAY_WIDE, CLONING, PARAM, PRIOR_ALONE, AGENTS, SCALED = 2 };
static const struct {
    const char *label, *spec, *smoke;
} agents[AGENTS] = {
    [MAXENT] = {"ExPerior-MaxEnt", "experior_maxent", "members=5,batch=16,draws=5,fit_steps=50"},
    [BOOT] = {"Naive Boot-DQN", "boot_dqn", "members=5,batch=16"},
    [REPLAY] = {"Replay", "replay", NULL},
    [REPLAY_WIDE] = {"Replay, ten at a time", "replay:fresh=10", NULL},
    [CLONING] = {"Behaviour cloning", "behaviour_cloning", "networks=5,pretrain_steps=50"},
    [PARAM] = {"ExPerior-Param", "experior_param",
               "members=5,batch=16,networks=5,pretrain_steps=50"},
    [PRIOR_ALONE] = {"ExPerior-MaxEnt, prior alone", "experior_maxent:warmup=1000000000",
                     "members=5,batch=16,draws=5,fit_steps=50"},
};

static const struct {
    size_t problems, episodes;
    uint64_t demonstrations;
} amount[XP__SCALES] = {
    [XP__SMOKE] = {2, 60, 20},
    [XP__QUICK] = {8, 200, 100},
    [XP__PAPER] = {30, 200, 100},
};

enum { FIRST_10, FIRST_50, LAST_50, WINDOWS, FAILED = WINDOWS, MEASURES };
static const char *const measure_name[MEASURES] = {
    "score, episodes 1 to 10", "score, episodes 1 to 50", "score, last 50 episodes",
    "share of runs below 0.5 in the last 50"};

static xp__window window_of(const xp__grid *grid, size_t measure) {
    const size_t last = grid->shape.episodes;
    return measure == FIRST_10   ? (xp__window){1, 10}
           : measure == FIRST_50 ? (xp__window){1, 50}
                                 : (xp__window){last - 49, last};
}

/* A task in one form at one scale: a set of problems and its blocks. */
typedef struct cell {
    const xp__place *place;
    size_t set, block, agents; /* block: the first one */
} cell;

enum { MOST_CELLS = 96 };

/* To see that it runs, other scales in one task of each half are enough. */
static size_t list_cells(xp__scale amounts, cell *cells) {
    size_t count = 0, block = 0;
    for (size_t half = 0; half < XP__HALVES; half++) {
        for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
            const xp__elsewhere_type *type = xp__elsewhere_types[i];
            const size_t scales = type->form[half].size == 0      ? 0
                                  : amounts == XP__SMOKE && i > 0 ? 1
                                                                  : XP__REWARD_SCALES;
            for (size_t scale = 0; scale < scales; scale++) {
                const size_t own = scale == 0 ? AGENTS : SCALED;
                assert(count < MOST_CELLS);
                cells[count] = (cell){&type->place[half][scale], count, block, own};
                count++;
                block += own;
            }
        }
    }
    return count;
}

static void name_cell(const cell *at, char text[XP__SETTING]) {
    const double scale = xp__reward_scale[at->place->scale];
    (void)xp__format(text, XP__SETTING, scale == 1 ? "%s, %s" : "%s, %s, rewards × %g",
                     at->place->type->name, xp__half_name[at->place->half], scale);
}

static xp_status create(const void *context, xp_env **env, xp_error *error) {
    return xp__elsewhere_create(context, env, error);
}

/* Experts of a competence: it has the unit of rewards, so that a scale changes it. */
static xp__expert_entry expert_of(const xp__place *place) {
    const double beta = xp__place_form(place)->beta;
    return isinf(beta) ? (xp__expert_entry){.name = "optimal", .parameter = "ties", .value = 1}
                       : (xp__expert_entry){.name = "noisily_rational",
                                            .parameter = "beta",
                                            .value = beta / xp__reward_scale[place->scale]};
}

static xp_status plan_cell(xp__grid *grid, const cell *at, xp_error *error) {
    enum { REPORTED_FROM = 1000 };
    char setting[XP__SETTING];
    (void)xp__format(setting, sizeof setting, "%s:half=%s,scale=%g", at->place->type->name,
                     xp__half_name[at->place->half], xp__reward_scale[at->place->scale]);
    size_t set;
    const xp_status status = xp__grid_make(grid, setting, create, at->place,
                                           at->place->half == XP__REPORTING ? REPORTED_FROM : 0,
                                           amount[grid->scale].problems, &set, error);
    if (status != XP_OK) {
        return status;
    }
    const xp__expert_entry wanted = expert_of(at->place);
    const xp__expert_entry *expert = xp__grid_expert(grid, &wanted);
    if (expert == NULL) {
        return xp__no_memory(error);
    }
    for (size_t agent = 0; agent < at->agents; agent++) {
        char spec[XP__AGENT_TEXT];
        (void)snprintf(spec, sizeof spec, "%s", agents[agent].spec);
        xp__spec_extend(spec, grid->scale == XP__SMOKE ? agents[agent].smoke : NULL);
        const xp__agent_entry entry = {.label = agents[agent].label, .spec = spec};
        const xp__agent_entry *made = xp__grid_agent(grid, &entry);
        if (made == NULL) {
            return xp__no_memory(error);
        }
        const size_t block = xp__grid_block(grid, set, expert, made);
        assert(grid->failed || block == at->block + agent);
        (void)block;
    }
    return XP_OK;
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    cell cells[MOST_CELLS];
    const size_t count = list_cells(grid->scale, cells);
    grid->shape = (xp__shape){.tasks = 1,
                              .episodes = amount[grid->scale].episodes,
                              .demonstrations = amount[grid->scale].demonstrations,
                              .returns = true};
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        status = plan_cell(grid, &cells[i], error);
    }
    return status;
}

enum { MOST_PROBLEMS = 64 };
/* Scores of every agent of a cell on each of its problems. */
typedef struct scores {
    size_t problems;
    double of[AGENTS][MEASURES][MOST_PROBLEMS];
} scores;

static bool is_finished(const xp__grid *grid, const cell *at) {
    for (size_t agent = 0; agent < at->agents; agent++) {
        for (size_t i = 0; i < grid->sets[at->set].count; i++) {
            if (!isnan(xp__grid_numbers(grid, at->block + agent, i)[0])) {
                return true;
            }
        }
    }
    return false;
}

/* False if experts could not be played. */
static bool score_cell(const xp__grid *grid, const cell *at, scores *all) {
    xp__levels levels[MOST_PROBLEMS];
    double range = 0;
    all->problems = grid->sets[at->set].count;
    assert(all->problems <= MOST_PROBLEMS);
    for (size_t i = 0; i < all->problems; i++) {
        const xp__unit *unit = &grid->units[grid->blocks[at->block].first + i];
        if (xp__levels_measure(unit, 0, &levels[i], NULL) != XP_OK) {
            return false;
        }
        range += (levels[i].expert - levels[i].random) / (double)all->problems;
    }
    for (size_t agent = 0; agent < at->agents; agent++) {
        for (size_t i = 0; i < all->problems; i++) {
            const double *returns = xp__grid_numbers(grid, at->block + agent, i);
            for (size_t m = 0; m < WINDOWS; m++) {
                all->of[agent][m][i] =
                    (xp__window_mean(returns, window_of(grid, m)) - levels[i].random) / range;
            }
            const double end = all->of[agent][LAST_50][i];
            all->of[agent][FAILED][i] = isnan(end) ? NAN : end < 0.5 ? 1 : 0;
        }
    }
    return true;
}

static xp__mean gap_of(const scores *all, size_t agent, size_t minus, size_t measure) {
    double gap[MOST_PROBLEMS];
    for (size_t i = 0; i < all->problems; i++) {
        gap[i] = all->of[agent][measure][i] - all->of[minus][measure][i];
    }
    return xp__mean_of(gap, all->problems);
}

static void add_values(const xp__grid *grid, xp__builder *builder, const cell *at,
                       const scores *all, const char *group) {
    for (size_t agent = 0; builder->wants_values && agent < at->agents; agent++) {
        for (size_t i = 0; i < all->problems; i++) {
            char key[XP__UNIT_KEY];
            const xp__unit *unit = &grid->units[grid->blocks[at->block + agent].first + i];
            xp__unit_key(unit, &grid->shape, key);
            for (size_t m = 0; m < WINDOWS; m++) {
                const xp_study_value value = {.key = key,
                                              .agent = agents[agent].label,
                                              .group = group,
                                              .measure = measure_name[m],
                                              .problem = unit->problem->index,
                                              .run = 1,
                                              .value = all->of[agent][m][i]};
                xp__builder_value(builder, &value);
            }
        }
    }
}

static void add_rows(const xp__grid *grid, xp__builder *builder, const cell *at,
                     const scores *all) {
    char group[XP__SETTING];
    name_cell(at, group);
    add_values(grid, builder, at, all, group);
    for (size_t m = 0; m < MEASURES; m++) {
        for (size_t agent = 0; agent < at->agents; agent++) {
            const xp__mean mean = xp__mean_of(all->of[agent][m], all->problems);
            const xp__mean gap = gap_of(all, agent, MAXENT, m);
            const xp__agent_entry *entry = grid->blocks[at->block + agent].agent;
            xp_study_row row =
                xp__study_row(entry->label, entry->spec, group, measure_name[m], &mean);
            if (agent != MAXENT) {
                xp__study_row_compare(&row, &gap);
            }
            xp__builder_row(builder, &row);
        }
    }
}

/* The best of the agents that are no part of the first, over a window. */
static size_t best_rival(const scores *all, size_t measure) {
    static const size_t rivals[] = {REPLAY, REPLAY_WIDE, CLONING, BOOT, PARAM};
    size_t best = rivals[0];
    double most = -INFINITY;
    for (size_t i = 0; i < sizeof rivals / sizeof rivals[0]; i++) {
        const double mean = xp__mean_of(all->of[rivals[i]][measure], all->problems).mean;
        best = mean > most ? rivals[i] : best;
        most = fmax(most, mean);
    }
    return best;
}

/* Counts over the cells of a half at scale 1. */
typedef struct verdict {
    size_t tasks, ahead, behind, good, failures[AGENTS], runs;
    char gaps[XP__LIST_TEXT], ends[XP__LIST_TEXT];
    char scaled[XP__REWARD_SCALES][XP__LIST_TEXT];
} verdict;

static void judge(const cell *at, const scores *all, verdict *half) {
    char text[XP__MEAN_TEXT];
    const size_t rival = best_rival(all, FIRST_50);
    const xp__mean gap = gap_of(all, MAXENT, rival, FIRST_50);
    const double end = xp__mean_of(all->of[MAXENT][LAST_50], all->problems).mean;
    const double other =
        xp__mean_of(all->of[best_rival(all, LAST_50)][LAST_50], all->problems).mean;
    half->tasks++;
    half->ahead += xp__mean_sign(&gap) > 0;
    half->behind += xp__mean_sign(&gap) < 0;
    xp__list_add(half->gaps, "%s %s (%s)", at->place->type->name, xp__mean_text(&gap, text),
                 agents[rival].label);
    if (end >= 0.95 * fmin(1, fmax(end, other))) {
        half->good++;
    } else {
        xp__list_add(half->ends, "%s %.2f against %.2f", at->place->type->name, end, other);
    }
    half->runs += all->problems;
    for (size_t agent = 0; agent < AGENTS; agent++) {
        for (size_t i = 0; i < all->problems; i++) {
            half->failures[agent] += all->of[agent][FAILED][i] == 1;
        }
    }
}

/* Rewards at another scale against the same runs at scale 1, for the agent in question. */
static void judge_scale(const cell *at, const scores *all, const scores *plain, verdict *half) {
    double gap[MOST_PROBLEMS];
    char text[XP__MEAN_TEXT];
    for (size_t i = 0; i < all->problems; i++) {
        gap[i] = all->of[MAXENT][FIRST_50][i] - plain->of[MAXENT][FIRST_50][i];
    }
    const xp__mean mean = xp__mean_of(gap, all->problems);
    xp__list_add(half->scaled[at->place->scale], "%s %s", at->place->type->name,
                 xp__mean_text(&mean, text));
}

static void conclude(xp__builder *builder, size_t half, const verdict *found) {
    char failed[XP__LIST_TEXT] = "";
    xp__builder_finding(builder,
                        "%s half, episodes 1 to 50: ExPerior-MaxEnt minus the best of Replay, "
                        "cloning, Boot-DQN and Param (95 %% intervals): ahead in %zu of %zu tasks, "
                        "behind in %zu. %s.",
                        half == XP__SELECTION ? "Selection" : "Reporting", found->ahead,
                        found->tasks, found->behind, found->gaps);
    xp__builder_finding(builder,
                        "Last 50 episodes: at least 0.95 of the experts' score, or of the best "
                        "agent's if that is lower, in %zu of %zu tasks.%s%s%s",
                        found->good, found->tasks, found->good < found->tasks ? " Not: " : "",
                        found->ends, found->good < found->tasks ? "." : "");
    for (size_t agent = 0; agent < AGENTS; agent++) {
        char text[XP__MEAN_TEXT];
        xp__list_add(failed, "%s %s", agents[agent].label,
                     xp__count_text(found->failures[agent], found->runs, text));
    }
    xp__builder_finding(builder, "Runs that end below 0.5: %s.", failed);
    for (size_t scale = 1; scale < XP__REWARD_SCALES; scale++) {
        xp__builder_finding(builder,
                            "ExPerior-MaxEnt with rewards × %g minus the same runs without, "
                            "episodes 1 to 50: %s.",
                            xp__reward_scale[scale], found->scaled[scale]);
    }
}

static void add_notes(const xp__grid *grid, xp__builder *builder) {
    for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
        xp__builder_note(builder, "%s: %s.", xp__elsewhere_types[i]->name,
                         xp__elsewhere_types[i]->summary);
    }
    xp__builder_note(
        builder,
        "%zu problems per task, each with %llu demonstrations, a prior of its own and one run of "
        "%zu episodes; every agent meets the same demonstrations, contexts and random events. "
        "Experts "
        "take the best action, ties at random, or are noisily rational. A score is (return − "
        "random actions) / (experts − random actions), with %d episodes of each per problem; the "
        "range is the mean over problems. All agents have their default parameters.",
        amount[grid->scale].problems, (unsigned long long)grid->shape.demonstrations,
        grid->shape.episodes, (int)XP__LEVEL_EPISODES);
    xp__builder_note(builder,
                     "± is the standard error over problems; differences are paired by problem, "
                     "and brackets are 95 %% intervals, Student's t (exact ones for shares); none "
                     "is corrected for their number.");
}

static void report(const xp__grid *grid, xp__builder *builder) {
    cell cells[MOST_CELLS];
    const size_t count = list_cells(grid->scale, cells);
    verdict found[XP__HALVES] = {{.tasks = 0}};
    scores *all = xp__alloc(2, sizeof *all);
    builder->failed = builder->failed || all == NULL;
    for (size_t i = 0; all != NULL && i < count; i++) {
        const bool plain = cells[i].place->scale == 0;
        scores *here = &all[plain ? 0 : 1];
        if (!is_finished(grid, &cells[i])) {
            continue;
        }
        if (!score_cell(grid, &cells[i], here)) {
            builder->failed = true;
            break;
        }
        add_rows(grid, builder, &cells[i], here);
        if (plain) {
            judge(&cells[i], here, &found[cells[i].place->half]);
        } else {
            judge_scale(&cells[i], here, &all[0], &found[cells[i].place->half]);
        }
    }
    xp__free(all);
    for (size_t half = 0; half < XP__HALVES; half++) {
        conclude(builder, half, &found[half]);
    }
    add_notes(grid, builder);
}

const xp__study_type xp__study_elsewhere = {
    .name = "elsewhere",
    .summary = "agents with states on tasks on which none of them was developed",
    .title = "Elsewhere: tasks nobody tuned for",
    .question = "How well do agents with states do, with the same parameters everywhere, on tasks "
                "on which they were not developed?",
    .reading =
        "A score of 1 is what the experts return, 0 what random actions return. The selection half "
        "is for choosing parameters, the reporting half for the final measurement. Differences are "
        "from ExPerior-MaxEnt: above 0, the agent scores more than it.",
    .has_states = true,
    .revision = 1, /* networks see real numbers of states in units of the demonstrations */
    .reference = "ExPerior-MaxEnt",
    .plan = plan,
    .report = report,
};
