/* sweep_report.c: what a sweep came to: all its numbers, and their means by agent and setting. */
#include "study/sweep/sweep_type.h"

#include "base/memory.h"
#include "study/runs.h"
#include "study/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A measure: of a unit, or of each run. */
typedef struct measure {
    const char *name;
    bool of_runs;
    double (*ask)(const xp__unit_result *result, const xp__shape *shape, const double *numbers);
} measure;

static double final_regret(const xp__unit_result *result, const xp__shape *shape,
                           const double *numbers) {
    (void)shape;
    (void)numbers;
    return result->regret;
}

static double regret_over_t(const xp__unit_result *result, const xp__shape *shape,
                            const double *numbers) {
    (void)shape;
    (void)numbers;
    return result->over_t;
}

/* 1 where the agent's fit has no solution, else 0. */
static double failed(const xp__unit_result *result, const xp__shape *shape, const double *numbers) {
    (void)shape;
    (void)numbers;
    return result->fallback == XP__UNIT_FAILED ? 1 : isnan(result->over_t) ? NAN : 0;
}

static double mean_return(const xp__unit_result *result, const xp__shape *shape,
                          const double *numbers) {
    (void)result;
    return xp__window_mean(numbers, (xp__window){1, shape->episodes});
}

/* Of the last tenth of the episodes. */
static double last_return(const xp__unit_result *result, const xp__shape *shape,
                          const double *numbers) {
    (void)result;
    const size_t count = shape->episodes >= 10 ? shape->episodes / 10 : 1;
    return xp__window_mean(numbers, (xp__window){shape->episodes - count + 1, shape->episodes});
}

enum { RETURN = 3, BANDIT_MEASURES = 3, MEASURES = 5 };
static const measure measures[MEASURES] = {{"final regret", false, final_regret},
                                           {"regret averaged over t", false, regret_over_t},
                                           {"share without a solution", false, failed},
                                           {"mean return", true, mean_return},
                                           {"mean return, last tenth", true, last_return}};

static size_t measures_of(const xp_sweep *sweep) {
    return sweep->has_states ? MEASURES : BANDIT_MEASURES;
}

/* The measure of one problem: its mean over runs where it is of runs. */
static double of_problem(const xp__grid *grid, size_t block, size_t i, const measure *what) {
    const xp__unit_result *result = xp__grid_result(grid, block, i);
    if (!what->of_runs) {
        return what->ask(result, &grid->shape, NULL);
    }
    const double *numbers = xp__grid_numbers(grid, block, i);
    const size_t each = xp__shape_numbers(&grid->shape);
    double sum = 0;
    for (size_t run = 0; run < grid->shape.tasks; run++) {
        sum += what->ask(result, &grid->shape, numbers + run * each);
    }
    return sum / (double)grid->shape.tasks;
}

/* Over problems and seeds of an agent in a setting, less those of agent `minus` (SIZE_MAX: none).
 */
static xp__mean mean_of(const xp_sweep *sweep, const xp__grid *grid, size_t setting, size_t agent,
                        size_t minus, const measure *what) {
    xp__moments sum = {.n = 0};
    for (size_t seed = 0; seed < sweep->seed_count; seed++) {
        const size_t block = xp__sweep_block(sweep, setting, agent, seed);
        for (size_t i = 0; i < xp__grid_set(grid, block)->count; i++) {
            const double less =
                minus != SIZE_MAX
                    ? of_problem(grid, xp__sweep_block(sweep, setting, minus, seed), i, what)
                    : 0;
            xp__moments_add(&sum, of_problem(grid, block, i, what) - less);
        }
    }
    return xp__moments_mean(&sum);
}

double xp__sweep_score(const xp_sweep *sweep, const xp__grid *grid, size_t setting, size_t agent) {
    const measure *what = &measures[sweep->search.by_return ? RETURN : 0];
    const double mean = mean_of(sweep, grid, setting, agent, SIZE_MAX, what).mean;
    return isnan(mean) ? INFINITY : sweep->search.by_return ? -mean : mean;
}

static void setting_text(const xp_sweep *sweep, xp__sweep_setting at, char *text, size_t room) {
    (void)snprintf(text, room, "%s, %s, %s", sweep->envs[at.env].spec,
                   sweep->experts[at.expert].spec, sweep->demos[at.demos].text);
}

/* A run as studies have it, of which aggregates are made. */
static void add_run(const xp__grid *grid, size_t block, size_t i, size_t run, const xp_sweep *sweep,
                    size_t setting, const measure *what, double number, xp__builder *builder) {
    const xp__unit *unit = &grid->units[grid->blocks[block].first + i];
    char key[XP__UNIT_KEY], group[3 * XP__SWEEP_SPEC + 8];
    xp__unit_key(unit, &grid->shape, key);
    setting_text(sweep, xp__sweep_setting_at(sweep, setting), group, sizeof group);
    const xp_study_value value = {.key = key,
                                  .agent = unit->agent->label,
                                  .group = group,
                                  .measure = what->name,
                                  .problem = unit->problem->index,
                                  .run = run + 1,
                                  .value = number};
    xp__builder_value(builder, &value);
}

/* Values of one agent in one setting. */
static void add_values(const xp_sweep *sweep, const xp__grid *grid, size_t setting, size_t agent,
                       const measure *what, xp_sweep_result *result, xp__builder *builder) {
    const xp__sweep_setting at = xp__sweep_setting_at(sweep, setting);
    const size_t each = xp__shape_numbers(&grid->shape);
    for (size_t seed = 0; seed < sweep->seed_count; seed++) {
        const size_t block = xp__sweep_block(sweep, setting, agent, seed);
        const xp__problem_set *set = xp__grid_set(grid, block);
        for (size_t i = 0; i < set->count; i++) {
            const xp__unit_result *unit = xp__grid_result(grid, block, i);
            for (size_t run = 0; run < (what->of_runs ? grid->shape.tasks : 1); run++) {
                const double *numbers =
                    what->of_runs ? xp__grid_numbers(grid, block, i) + run * each : NULL;
                const double value = what->ask(unit, &grid->shape, numbers);
                if (what->of_runs) {
                    add_run(grid, block, i, run, sweep, setting, what, value, builder);
                }
                if (!isnan(value)) {
                    result->values[result->value_count++] =
                        (xp_sweep_value){.environment = sweep->envs[at.env].spec,
                                         .expert = sweep->experts[at.expert].spec,
                                         .demonstrations = sweep->demos[at.demos].text,
                                         .agent = sweep->agents[agent].spec,
                                         .measure = what->name,
                                         .seed = sweep->seeds[seed],
                                         .problem = set->problems[i].index,
                                         .run = what->of_runs ? run + 1 : 0,
                                         .value = value};
                }
            }
        }
    }
}

/* Differences are from the first agent that is reported. */
static void add_row(const xp_sweep *sweep, const xp__grid *grid, size_t setting, size_t agent,
                    size_t reference, const measure *what, xp__builder *builder) {
    char group[3 * XP__SWEEP_SPEC + 8];
    setting_text(sweep, xp__sweep_setting_at(sweep, setting), group, sizeof group);
    const char *spec = sweep->agents[agent].spec;
    const xp__mean mean = mean_of(sweep, grid, setting, agent, SIZE_MAX, what);
    xp_study_row row = xp__study_row(spec, spec, group, what->name, &mean);
    if (agent != reference) {
        const xp__mean gap = mean_of(sweep, grid, setting, agent, reference, what);
        xp__study_row_compare(&row, &gap);
    }
    const bool says_nothing = what->ask == failed && mean.mean == 0;
    if (!isnan(mean.mean) && !says_nothing) {
        xp__builder_row(builder, &row);
    }
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void add_notes(const xp_sweep *sweep, const xp_sweep_result *result, bool partial,
                      xp__builder *builder) {
    if (partial) {
        xp__builder_note(builder, "%s not finished. Rows with missing units are left out.",
                         sweep->search.rounds > 0
                             ? "The search is finished, but the units of the report are"
                             : "The sweep is");
    }
    char seeds[48] = "";
    if (sweep->seed_count > 1) {
        (void)snprintf(seeds, sizeof seeds, " for each of %zu seeds", sweep->seed_count);
    }
    xp__builder_note(builder,
                     "%zu problem%s%s, %zu task%s from each, T = %zu episode%s. Groups are "
                     "environment, expert, demonstrations. Every agent meets the same tasks, "
                     "demonstrations and reward noise.",
                     sweep->problems, plural(sweep->problems), seeds, sweep->tasks,
                     plural(sweep->tasks), sweep->episodes, plural(sweep->episodes));
    xp__builder_note(
        builder,
        "± is the standard error over problems and seeds; differences are paired by problem, and "
        "brackets are 95 %% intervals (Student's t), not corrected for their number.");
    xp__builder_note(builder, "If an agent's fit has no solution on some problem, its means in "
                              "that setting are left out and the share of such problems is shown.");
    if (sweep->search.rounds > 0) {
        xp__builder_note(builder,
                         "%zu agents were compared in %zu round%s of search, by %s, on problems "
                         "numbered from %d on; the report is on problems below that number, which "
                         "had no part in the selection.",
                         sweep->agent_count, sweep->search.rounds, plural(sweep->search.rounds),
                         measures[sweep->search.by_return ? RETURN : 0].name,
                         (int)XP__SWEEP_SELECTING);
        for (size_t i = 0; i < result->candidate_count; i++) {
            const xp_sweep_candidate *of = &result->candidates[i];
            if (of->round == sweep->search.rounds) {
                xp__builder_note(builder, "Last round: %s has mean rank %.2f%s.", of->agent,
                                 of->rank, of->kept ? " and is reported" : "");
            }
        }
    }
}

/* A fit without a solution is finished too. */
static bool is_finished(const xp__unit_result *unit) {
    return !isnan(unit->over_t) || unit->fallback == XP__UNIT_FAILED;
}

/* What units of the agents that are reported took: one that several settings have took it once. */
static void add_times(const xp_sweep *sweep, const xp__grid *grid, const bool *kept,
                      xp__builder *builder) {
    for (size_t block = 0; block < grid->block_count; block++) {
        const size_t agent = xp__sweep_agent_of(sweep, block);
        const size_t count = xp__grid_set(grid, block)->count;
        for (size_t i = 0; kept[agent] && i < count; i++) {
            const size_t index = grid->blocks[block].first + i;
            const xp__unit_result *unit = &grid->results[grid->slot[index]];
            builder->result->units_done += is_finished(unit);
            if (is_finished(unit) && grid->distinct[grid->slot[index]] == index) {
                xp__builder_time(builder, sweep->agents[agent].spec, unit->fit_seconds,
                                 unit->seconds);
                builder->result->seconds += unit->seconds;
                builder->result->agent_steps += (uint64_t)unit->steps;
            }
        }
    }
}

/* Without a search there is then nothing to report; one that is finished can be told of. */
static bool is_empty(const xp_sweep *sweep, const xp__grid *grid) {
    bool empty = sweep->search.rounds == 0;
    for (size_t i = 0; empty && i < grid->distinct_count; i++) {
        empty = !is_finished(&grid->results[i]);
    }
    return empty;
}

xp_status xp__sweep_report(const xp_sweep *sweep, const xp__grid *grid, const bool *kept,
                           bool partial, xp_sweep_result *result, xp_error *error) {
    if (is_empty(sweep, grid)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is nothing to report so far: none of %zu units is finished",
                            grid->distinct_count);
    }
    char title[XP__SWEEP_NAME + 16];
    (void)snprintf(title, sizeof title, "Sweep: %s", sweep->name);
    xp__builder builder;
    const xp_status status =
        xp__builder_init(&builder, sweep->name, title, "sweep", sweep->seeds[0], error);
    if (status != XP_OK) {
        return status;
    }
    builder.partial = partial;
    builder.wants_values = true;
    size_t reference = 0, reported = 0;
    while (!kept[reference]) {
        reference++;
    }
    for (size_t a = 0; a < sweep->agent_count; a++) {
        reported += kept[a];
    }
    const size_t units = xp__sweep_settings(sweep) * reported * sweep->seed_count * sweep->problems;
    const size_t of_runs = measures_of(sweep) - BANDIT_MEASURES;
    const size_t most = units * (BANDIT_MEASURES + of_runs * sweep->tasks);
    builder.result->reference = sweep->agents[reference].spec;
    result->values = xp__alloc(most, sizeof *result->values);
    builder.failed = builder.failed || result->values == NULL;
    for (size_t m = 0; !builder.failed && m < measures_of(sweep); m++) {
        for (size_t setting = 0; setting < xp__sweep_settings(sweep); setting++) {
            for (size_t a = 0; a < sweep->agent_count; a++) {
                if (kept[a]) {
                    add_row(sweep, grid, setting, a, reference, &measures[m], &builder);
                    add_values(sweep, grid, setting, a, &measures[m], result, &builder);
                }
            }
        }
    }
    add_notes(sweep, result, partial, &builder);
    add_times(sweep, grid, kept, &builder);
    builder.result->units_total = units;
    return xp__builder_finish(&builder, &result->study, error);
}
