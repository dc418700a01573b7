/* problem.c: drawing problems and choosing among them.
 *
 * Groups are told from the demonstrations of optimal experts, whatever experts a study uses, so
 * that all experts of Table 1 meet the same problems. With U(0, 4) parameters low entropy is rare:
 * a stratified set draws problems until each group has its quota. Group frequencies are counted
 * without the draw that filled the last quota: a count that stops at a success is too high by
 * about one (Haldane 1945). */
#include "run/problem.h"

#include "base/file.h"
#include "base/memory.h"
#include "demos/demos_type.h"
#include "env/create.h"
#include "expert/expert_type.h"
#include "run/episode.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STREAM_ENV, STREAM_DEMOS, STREAM_TASKS, STREAM_FIT };
enum { MAX_DRAWS = 100000, MIN_DRAWS = 200 };

const char *const xp__group_name[XP__GROUPS] = {"low", "mid", "high"};

static const double low_below = 0.8, high_above = 1.6; /* bits; paper, section 4 */

double xp__entropy_bits(const uint64_t *counts, size_t n) {
    double total = 0, entropy = 0;
    for (size_t i = 0; i < n; i++) {
        total += (double)counts[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (counts[i] > 0) {
            const double p = (double)counts[i] / total;
            entropy -= p * log2(p);
        }
    }
    return entropy;
}

size_t xp__entropy_group(double bits) {
    return bits < low_below ? XP__LOW : bits > high_above ? XP__HIGH : XP__MID;
}

/* Parameters that are left at their defaults are not named: a new parameter whose default changes
 * nothing leaves the names of the problems as they are. */
static void describe(char setting[XP__SETTING], const char *env, const xp__params *params) {
    size_t used = (size_t)snprintf(setting, XP__SETTING, "%s", env);
    const char *mark = ":";
    for (size_t i = 0; params != NULL && i < params->count; i++) {
        if (params->given[i]) {
            const xp_param *param = &params->table[i];
            char text[64];
            if (param->kind == XP_PARAM_CHOICE) {
                (void)xp__params_choice(params, param->name, text, sizeof text);
            } else {
                (void)xp__format_double(text, params->value[i]);
            }
            used += (size_t)snprintf(setting + used, XP__SETTING - used, "%s%s=%s", mark,
                                     param->name, text);
            assert(used < XP__SETTING);
            mark = ",";
        }
    }
}

xp_status xp__problem_init(xp__problem *problem, uint64_t seed, size_t index, const char *env,
                           const xp__params *params, xp_error *error) {
    const xp_rng root = xp_rng_seed(seed);
    *problem = (xp__problem){
        .seed = seed, .index = index, .stream = xp_rng_fork(&root, index), .entropy = NAN};
    describe(problem->setting, env, params);
    xp_rng rng = xp_rng_fork(&problem->stream, STREAM_ENV);
    const xp_status status = xp__env_create(env, params, &rng, &problem->own_env, error);
    problem->env = problem->own_env;
    return status;
}

xp_status xp__problem_borrow(xp__problem *problem, uint64_t seed, size_t index, const xp_env *env) {
    const xp_rng root = xp_rng_seed(seed);
    *problem = (xp__problem){.seed = seed,
                             .index = index,
                             .stream = xp_rng_fork(&root, index),
                             .env = env,
                             .entropy = NAN};
    describe(problem->setting, xp_env_describe(env).name, NULL);
    return XP_OK;
}

void xp__problem_adopt(xp__problem *problem, uint64_t seed, size_t index, const char *setting,
                       xp_env *env) {
    const xp_rng root = xp_rng_seed(seed);
    *problem = (xp__problem){.seed = seed,
                             .index = index,
                             .stream = xp_rng_fork(&root, index),
                             .env = env,
                             .own_env = env,
                             .entropy = NAN};
    assert(strlen(setting) < XP__SETTING);
    strcpy(problem->setting, setting);
}

void xp__problem_deinit(xp__problem *problem) {
    xp_env_destroy(problem->own_env);
    problem->own_env = NULL;
    problem->env = NULL;
}

static xp_status draw_demos(const xp__problem *problem, const xp_rng *context, const char *expert,
                            const xp__params *params, uint64_t count, xp_demos **demos,
                            xp_error *error) {
    *demos = NULL;
    xp_expert *made;
    xp_status status = xp__expert_create(expert, params, &made, error);
    if (status == XP_OK) {
        xp_rng rng = xp_rng_fork(&problem->stream, STREAM_DEMOS);
        status = xp__demos_draw_from(problem->env, made, count, context, &rng, demos, error);
    }
    xp_expert_destroy(made);
    return status;
}

xp_status xp__problem_demos_of(const xp__problem *problem, const xp_expert *expert, uint64_t count,
                               xp_demos **demos, xp_error *error) {
    xp_rng rng = xp_rng_fork(&problem->stream, STREAM_DEMOS);
    return xp_demos_draw(problem->env, expert, count, &rng, demos, error);
}

xp_status xp__problem_demos(const xp__problem *problem, const char *expert,
                            const xp__params *params, uint64_t count, xp_demos **demos,
                            xp_error *error) {
    return draw_demos(problem, NULL, expert, params, count, demos, error);
}

xp_status xp__problem_own_demos(const xp__problem *problem, size_t task, const char *expert,
                                const xp__params *params, uint64_t count, xp_demos **demos,
                                xp_error *error) {
    const xp_rng tasks = xp__problem_tasks(problem);
    const xp_rng context = xp__task_context(&tasks, task);
    return draw_demos(problem, &context, expert, params, count, demos, error);
}

xp_rng xp__problem_tasks(const xp__problem *problem) {
    return xp_rng_fork(&problem->stream, STREAM_TASKS);
}

xp_rng xp__problem_fit(const xp__problem *problem, uint64_t name) {
    const xp_rng fits = xp_rng_fork(&problem->stream, STREAM_FIT);
    return xp_rng_fork(&fits, name);
}

static xp_status measure_entropy(xp__problem *problem, uint64_t demonstrations, uint64_t *counts,
                                 xp_error *error) {
    xp_demos *demos;
    const xp_status status =
        xp__problem_demos(problem, "optimal", NULL, demonstrations, &demos, error);
    if (status == XP_OK) {
        xp_demos_action_counts(demos, counts);
        problem->entropy = xp__entropy_bits(counts, xp_demos_actions(demos));
        problem->group = xp__entropy_group(problem->entropy);
    }
    xp_demos_destroy(demos);
    return status;
}

/* How many problems of a group are still wanted. */
static size_t wanted(const xp__problem_set *set, const xp__selection *selection, size_t group) {
    if (!set->stratified) {
        return selection->first - set->count;
    }
    return selection->quota[group] - xp__problem_set_size(set, group);
}

static bool is_full(const xp__problem_set *set, const xp__selection *selection) {
    bool full = true;
    for (size_t group = 0; group < XP__GROUPS; group++) {
        full = full && wanted(set, selection, group) == 0;
    }
    return full;
}

/* Draws problem `index` and keeps it if it is wanted. `counts` is scratch, one an arm. */
static xp_status consider(xp__problem_set *set, uint64_t seed, size_t index,
                          const xp__selection *selection, const xp__params *params,
                          uint64_t *counts, size_t *group, xp_error *error) {
    xp__problem problem;
    xp_status status = xp__problem_init(&problem, seed, index, "bernoulli_bandit", params, error);
    if (status == XP_OK) {
        status = measure_entropy(&problem, selection->demonstrations, counts, error);
    }
    if (status == XP_OK && wanted(set, selection, problem.group) > 0) {
        set->problems[set->count++] = problem;
    } else {
        xp__problem_deinit(&problem);
    }
    *group = problem.group;
    return status;
}

static xp_status select_problems(xp__problem_set *set, uint64_t seed,
                                 const xp__selection *selection, const xp__params *params,
                                 uint64_t *counts, xp_error *error) {
    const size_t least = set->stratified ? MIN_DRAWS : 0;
    size_t drawn_in[XP__GROUPS] = {0}, group = 0;
    while (set->drawn < least || !is_full(set, selection)) {
        if (set->drawn == MAX_DRAWS) {
            return xp_error_set(error, XP_ERR_NUMERIC,
                                "%d problems of %zu arms did not fill every group", (int)MAX_DRAWS,
                                set->arms);
        }
        const xp_status status =
            consider(set, seed, set->drawn, selection, params, counts, &group, error);
        if (status != XP_OK) {
            return status;
        }
        drawn_in[group]++;
        set->drawn++;
    }
    const bool stopped_by_quota = set->stratified && set->drawn > least;
    drawn_in[group] -= stopped_by_quota ? 1 : 0;
    for (size_t i = 0; i < XP__GROUPS; i++) {
        set->frequency[i] = (double)drawn_in[i] / (double)(set->drawn - (stopped_by_quota ? 1 : 0));
    }
    return XP_OK;
}

xp_status xp__problem_set_init(xp__problem_set *set, uint64_t seed, const xp__selection *selection,
                               xp_error *error) {
    *set = (xp__problem_set){.arms = selection->arms};
    size_t total = 0;
    for (size_t group = 0; group < XP__GROUPS; group++) {
        total += selection->quota[group];
    }
    set->stratified = total > 0;
    total = set->stratified ? total : selection->first;
    xp__params params;
    xp_status status = xp__env_params_default("bernoulli_bandit", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "arms", (double)selection->arms, error);
    }
    if (status != XP_OK) {
        return status;
    }
    set->problems = xp__alloc(total, sizeof *set->problems);
    uint64_t *counts = xp__alloc(selection->arms, sizeof *counts);
    status = set->problems != NULL && counts != NULL
                 ? select_problems(set, seed, selection, &params, counts, error)
                 : xp__no_memory(error);
    xp__free(counts);
    if (status != XP_OK) {
        xp__problem_set_deinit(set);
    }
    return status;
}

xp_status xp__problem_set_list(xp__problem_set *set, uint64_t seed, const char *env,
                               const xp__params *params, size_t first, size_t count,
                               xp_error *error) {
    *set = (xp__problem_set){.problems = xp__alloc(count, sizeof *set->problems)};
    xp_status status = set->problems != NULL ? XP_OK : xp__no_memory(error);
    while (status == XP_OK && set->count < count) {
        status = xp__problem_init(&set->problems[set->count], seed, first + set->count, env, params,
                                  error);
        set->count += status == XP_OK;
    }
    set->drawn = set->count;
    if (status != XP_OK) {
        xp__problem_set_deinit(set);
    }
    return status;
}

xp_status xp__problem_set_make(xp__problem_set *set, uint64_t seed, const char *setting,
                               xp__env_maker *create, const void *context, size_t first,
                               size_t count, xp_error *error) {
    *set = (xp__problem_set){.problems = xp__alloc(count, sizeof *set->problems)};
    xp_status status = set->problems != NULL ? XP_OK : xp__no_memory(error);
    while (status == XP_OK && set->count < count) {
        xp_env *env = NULL;
        status = create(context, &env, error);
        if (status == XP_OK) {
            xp__problem_adopt(&set->problems[set->count], seed, first + set->count, setting, env);
            set->count++;
        }
    }
    set->drawn = set->count;
    if (status != XP_OK) {
        xp__problem_set_deinit(set);
    }
    return status;
}

void xp__problem_set_deinit(xp__problem_set *set) {
    for (size_t i = 0; set->problems != NULL && i < set->count; i++) {
        xp__problem_deinit(&set->problems[i]);
    }
    xp__free(set->problems);
    *set = (xp__problem_set){.arms = 0};
}

size_t xp__problem_set_size(const xp__problem_set *set, size_t group) {
    size_t size = 0;
    for (size_t i = 0; i < set->count; i++) {
        size += set->problems[i].group == group;
    }
    return size;
}
