/* runs.c: statistics over runs and problems.
 *
 * With R runs per problem, the variance of a problem's mean is var_problems + var_runs / R; the
 * mean square within problems estimates var_runs without bias. The difference can come out below 0:
 * it is then shown as 0, which is what the likelihood says too. */
#include "study/runs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Priors seen so far: their means, and the squares of the runs around them. */
typedef struct groups {
    xp__moments between;
    double within;
    size_t runs;
} groups;

static void add_group(groups *sum, const xp__moments *runs) {
    xp__moments_add(&sum->between, runs->mean);
    sum->within += runs->squares;
    sum->runs = runs->n;
}

static xp__spread conclude(const groups *sum) {
    const double problems = (double)sum->between.n, runs = (double)sum->runs;
    xp__spread spread = {.mean = xp__moments_mean(&sum->between),
                         .runs = sum->runs,
                         .sd_problems = NAN,
                         .sd_runs = NAN};
    if (sum->runs > 1) {
        const double variance = sum->within / (problems * (runs - 1));
        spread.sd_runs = sqrt(variance);
        if (sum->between.n > 1) {
            const double rest = sum->between.squares / (problems - 1) - variance / runs;
            spread.sd_problems = rest > 0 || isnan(rest) ? sqrt(rest) : 0;
        }
    }
    return spread;
}

xp__spread xp__spread_of(const double *values, size_t problems, size_t runs) {
    groups sum = {.runs = runs};
    for (size_t problem = 0; problem < problems; problem++) {
        xp__moments own = {.n = 0};
        for (size_t run = 0; run < runs; run++) {
            xp__moments_add(&own, values[problem * runs + run]);
        }
        add_group(&sum, &own);
    }
    return conclude(&sum);
}

double xp__window_mean(const double *returns, xp__window window) {
    assert(window.first >= 1 && window.first <= window.last);
    double sum = 0;
    for (size_t t = window.first; t <= window.last; t++) {
        sum += returns[t - 1];
    }
    return sum / (double)(window.last - window.first + 1);
}

double xp__moving_average(const double *returns, size_t episode) {
    return xp__window_mean(returns, (xp__window){episode - XP__AVERAGED + 1, episode});
}

size_t xp__average_reaches(const double *returns, size_t episodes, double level) {
    for (size_t t = XP__AVERAGED; t <= episodes; t++) {
        if (xp__moving_average(returns, t) >= level) {
            return t;
        }
    }
    return 0;
}

size_t xp__average_stays(const double *returns, size_t episodes, double level) {
    size_t from = 0;
    for (size_t t = episodes; t >= XP__AVERAGED && xp__moving_average(returns, t) >= level; t--) {
        from = t;
    }
    return from;
}

double xp__ask_window(const xp__shape *shape, const double *numbers, const xp__question *self) {
    assert(shape->returns && self->window.last <= shape->episodes);
    (void)shape;
    return xp__window_mean(numbers, self->window);
}

double xp__ask_solved(const xp__shape *shape, const double *numbers, const xp__question *self) {
    assert(shape->returns && shape->episodes >= XP__AVERAGED);
    const double average = xp__moving_average(numbers, shape->episodes);
    return isnan(average) ? NAN : average >= self->level ? 1 : 0;
}

static xp__evaluation evaluation_of(const xp__shape *shape, const double *numbers) {
    assert(shape->evaluation > 0);
    xp__evaluation evaluation;
    memcpy(&evaluation, numbers + (shape->returns ? shape->episodes : 0), sizeof evaluation);
    return evaluation;
}

double xp__ask_evaluation(const xp__shape *shape, const double *numbers, const xp__question *self) {
    assert(self->field < XP__EVALUATION_NUMBERS);
    return numbers[(shape->returns ? shape->episodes : 0) + self->field];
}

double xp__ask_shortfall(const xp__shape *shape, const double *numbers, const xp__question *self) {
    (void)self;
    const xp__evaluation evaluation = evaluation_of(shape, numbers);
    return evaluation.optimal - evaluation.exact;
}

double xp__ask_near_optimal(const xp__shape *shape, const double *numbers,
                            const xp__question *self) {
    const xp__evaluation evaluation = evaluation_of(shape, numbers);
    const double value = xp__ask_evaluation(shape, numbers, self);
    if (isnan(value)) {
        return NAN;
    }
    return value >= evaluation.optimal - self->level ? 1 : 0;
}

xp__spread xp__block_spread(const xp__grid *grid, size_t block, size_t minus,
                            const xp__question *question) {
    const xp__shape *shape = &grid->shape;
    const size_t each = xp__shape_numbers(shape), problems = xp__grid_set(grid, block)->count;
    groups sum = {.runs = shape->tasks};
    for (size_t problem = 0; problem < problems; problem++) {
        const double *numbers = xp__grid_numbers(grid, block, problem);
        const double *other = minus != XP__NO_BLOCK ? xp__grid_numbers(grid, minus, problem) : NULL;
        xp__moments own = {.n = 0};
        for (size_t run = 0; run < shape->tasks; run++) {
            const double value = question->ask(shape, numbers + run * each, question);
            const double less =
                other != NULL ? question->ask(shape, other + run * each, question) : 0;
            xp__moments_add(&own, value - less);
        }
        add_group(&sum, &own);
    }
    return conclude(&sum);
}

void xp__count_zeros(const xp__grid *grid, size_t block, const xp__question *question,
                     size_t *zeros, size_t *known) {
    const xp__shape *shape = &grid->shape;
    const size_t each = xp__shape_numbers(shape), problems = xp__grid_set(grid, block)->count;
    for (size_t problem = 0; problem < problems; problem++) {
        const size_t unit = grid->blocks[block].first + problem;
        const double *numbers = xp__grid_numbers(grid, block, problem);
        for (size_t run = 0; grid->distinct[grid->slot[unit]] == unit && run < shape->tasks;
             run++) {
            const double value = question->ask(shape, numbers + run * each, question);
            *known += !isnan(value);
            *zeros += value == 0;
        }
    }
}

void xp__runs_add(xp__builder *builder, const xp__grid *grid, size_t block,
                  const xp__question *question, const char *agent, const char *group,
                  const char *measure) {
    const xp__shape *shape = &grid->shape;
    const size_t each = xp__shape_numbers(shape), problems = xp__grid_set(grid, block)->count;
    for (size_t problem = 0; builder->wants_values && problem < problems; problem++) {
        const xp__unit *unit = &grid->units[grid->blocks[block].first + problem];
        const double *numbers = xp__grid_numbers(grid, block, problem);
        char key[XP__UNIT_KEY];
        xp__unit_key(unit, shape, key);
        for (size_t run = 0; run < shape->tasks; run++) {
            const xp_study_value value = {.key = key,
                                          .agent = agent,
                                          .group = group,
                                          .measure = measure,
                                          .problem = unit->problem->index,
                                          .run = run + 1,
                                          .value =
                                              question->ask(shape, numbers + run * each, question)};
            xp__builder_value(builder, &value);
        }
    }
}

void xp__block_curve(const xp__grid *grid, size_t block, double *curve) {
    const xp__shape *shape = &grid->shape;
    const size_t each = xp__shape_numbers(shape), problems = xp__grid_set(grid, block)->count;
    for (size_t t = 0; t < shape->episodes; t++) {
        double sum = 0;
        for (size_t problem = 0; problem < problems; problem++) {
            for (size_t run = 0; run < shape->tasks; run++) {
                sum += xp__grid_numbers(grid, block, problem)[run * each + t];
            }
        }
        curve[t] = sum / (double)(problems * shape->tasks);
    }
}

xp_study_row xp__spread_row(const char *agent, const char *spec, const char *group,
                            const char *measure, const xp__spread *spread, const xp__mean *gap) {
    xp_study_row row = xp__study_row(agent, spec, group, measure, &spread->mean);
    row.runs = spread->runs > 1 ? spread->runs : 0; /* one tells of no spread */
    row.sd_problems = spread->sd_problems;
    row.sd_runs = spread->sd_runs;
    if (gap != NULL) {
        xp__study_row_compare(&row, gap);
    }
    return row;
}
