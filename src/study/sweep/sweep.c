/* sweep.c: running a sweep: the search, if there is one, then what is reported.
 *
 * Successive halving (Jamieson and Talwalkar 2016): each round tries the agents that are left on
 * twice as many problems as the one before and keeps the better share. Agents are ranked in each
 * setting by their mean, and their ranks are averaged, so that no setting counts more because its
 * numbers are larger. Problems that select have numbers from XP__SWEEP_SELECTING on, and a file
 * cannot ask for so many to report: the two never meet.
 *
 * A process that does not lead cannot know who is left. It plans for all agents in every round; the
 * leader hands out only what is wanted. */
#include "study/sweep/sweep_type.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "study/compute.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Raised by hand whenever units of sweeps come to be computed differently. */
enum { REVISION = 1 };

size_t xp__sweep_settings(const xp_sweep *sweep) {
    return sweep->env_count * sweep->expert_count * sweep->demos_count;
}

xp__sweep_setting xp__sweep_setting_at(const xp_sweep *sweep, size_t index) {
    return (xp__sweep_setting){.env = index / (sweep->expert_count * sweep->demos_count),
                               .expert = index / sweep->demos_count % sweep->expert_count,
                               .demos = index % sweep->demos_count};
}

size_t xp__sweep_block(const xp_sweep *sweep, size_t setting, size_t agent, size_t seed) {
    return (setting * sweep->agent_count + agent) * sweep->seed_count + seed;
}

size_t xp__sweep_agent_of(const xp_sweep *sweep, size_t block) {
    assert(sweep->seed_count > 0 && sweep->agent_count > 0);
    return block / sweep->seed_count % sweep->agent_count;
}

/* How many of `left` agents a round keeps, at least one: `keep` of them, rounded up. A share such
 * as 0.14 is a binary number a little above it, which must not make 7 of 50 into 8. */
static size_t kept_of(const xp_sweep *sweep, size_t left) {
    const double share = sweep->search.keep * (double)left, whole = round(share);
    const double count = fabs(share - whole) < 1e-14 * share ? whole : ceil(share);
    return count > 1 ? (size_t)count : 1;
}

static size_t searched(const xp_sweep *sweep) {
    size_t units = 0, problems = sweep->search.problems, agents = sweep->agent_count;
    for (size_t round = 0; round < sweep->search.rounds; round++, problems *= 2) {
        units += xp__sweep_settings(sweep) * agents * sweep->seed_count * problems;
        agents = kept_of(sweep, agents);
    }
    return units;
}

xp_sweep_info xp_sweep_describe(const xp_sweep *sweep) {
    if (sweep == NULL) {
        return (xp_sweep_info){.name = NULL};
    }
    return (xp_sweep_info){.name = sweep->name,
                           .text = sweep->text,
                           .settings = xp__sweep_settings(sweep),
                           .agents = sweep->agent_count,
                           .seeds = sweep->seed_count,
                           .problems = sweep->problems,
                           .tasks = sweep->tasks,
                           .episodes = sweep->episodes,
                           .units = xp__sweep_settings(sweep) * sweep->agent_count *
                                    sweep->seed_count * sweep->problems,
                           .rounds = sweep->search.rounds,
                           .searched = searched(sweep)};
}

xp_status xp__sweep_plan(const xp_sweep *sweep, size_t first, size_t count, xp__grid *grid,
                         xp_error *error) {
    *grid = (xp__grid){.shape = {.tasks = sweep->tasks,
                                 .episodes = sweep->episodes,
                                 .returns = sweep->has_states}};
    xp_status status = XP_OK;
    for (size_t env = 0; status == XP_OK && env < sweep->env_count; env++) {
        const xp__params *params = &sweep->envs[env].params;
        for (size_t seed = 0; status == XP_OK && seed < sweep->seed_count; seed++) {
            size_t set; /* env × seed_count + seed */
            grid->seed = sweep->seeds[seed];
            status = xp__grid_list(grid, params->owner, params, first, count, &set, error);
        }
    }
    for (size_t i = 0; status == XP_OK && i < xp__sweep_settings(sweep); i++) {
        const xp__sweep_setting at = xp__sweep_setting_at(sweep, i);
        const xp__sweep_demos *demos = &sweep->demos[at.demos];
        for (size_t agent = 0; agent < sweep->agent_count; agent++) {
            for (size_t seed = 0; seed < sweep->seed_count; seed++) {
                const size_t block =
                    xp__grid_block(grid, at.env * sweep->seed_count + seed,
                                   &sweep->experts[at.expert].entry, &sweep->agents[agent].entry);
                if (!grid->failed) {
                    grid->blocks[block].demonstrations = demos->count;
                    grid->blocks[block].given = xp__sweep_given(demos, sweep->envs[at.env].actions);
                }
            }
        }
    }
    return status == XP_OK ? xp__grid_complete(grid, error) : status;
}

/* The distinct units of the agents that are kept; NULL when memory ran out. */
static bool *wanted_units(const xp_sweep *sweep, const xp__grid *grid, const bool *kept) {
    bool *wanted = xp__alloc(grid->distinct_count, sizeof *wanted);
    for (size_t block = 0; wanted != NULL && block < grid->block_count; block++) {
        const size_t count = xp__grid_set(grid, block)->count;
        for (size_t i = 0; i < count && kept[xp__sweep_agent_of(sweep, block)]; i++) {
            wanted[grid->slot[grid->blocks[block].first + i]] = true;
        }
    }
    return wanted;
}

/* Removes what earlier runs have filed of problems first .. first + count - 1. */
static xp_status forget(const xp_sweep *sweep, xp__store *store, size_t first, size_t count,
                        xp_error *error) {
    xp__grid grid = {.seed = 0};
    xp_status status = xp__sweep_plan(sweep, first, count, &grid, error);
    if (status == XP_OK) {
        status = xp__store_begin(store, error);
    }
    for (size_t i = 0; status == XP_OK && i < grid.distinct_count; i++) {
        const xp__unit *unit = &grid.units[grid.distinct[i]];
        char key[XP__UNIT_KEY];
        xp__unit_key(unit, &grid.shape, key);
        xp__store_choose_seed(store, unit->problem->seed);
        status = xp__store_remove(store, key, error);
    }
    if (status == XP_OK) {
        status = xp__store_commit(store, error);
    }
    xp__grid_deinit(&grid);
    return status;
}

/* A fresh start, once and before all: the problems of a round are also in those after it, which
 * must find them. */
static xp_status start_afresh(const xp_sweep *sweep, xp__store *store, xp_error *error) {
    const size_t rounds = sweep->search.rounds;
    xp_status status = XP_OK;
    if (rounds > 0) {
        status = forget(sweep, store, XP__SWEEP_SELECTING, sweep->search.problems << (rounds - 1),
                        error);
    }
    return status == XP_OK ? forget(sweep, store, 0, sweep->problems, error) : status;
}

/* A sweep that runs. */
typedef struct run {
    const xp_sweep *sweep;
    const xp_study_options *options;
    xp__store *store;       /* NULL in a process that does not lead */
    xp__forecast *forecast; /* of all rounds; NULL: nothing is computed */
    bool *kept;             /* agents that are not dropped */
} run;

static xp_peers *peers_of(const run *self) {
    return self->options->so_far ? NULL : self->options->peers;
}

/* Plans problems first .. first + count - 1 and computes those of the agents that are kept. */
static xp_status compute(const run *self, size_t first, size_t count, xp__grid *grid,
                         size_t *absent, xp_error *error) {
    xp__store *store = self->store;
    xp_status status = xp__sweep_plan(self->sweep, first, count, grid, error);
    xp__source source = {.grid = grid, .revision = REVISION};
    bool *wanted = NULL;
    if (status == XP_OK && store != NULL) {
        wanted = wanted_units(self->sweep, grid, self->kept);
        source.wanted = wanted;
        status = wanted != NULL ? XP_OK : xp__no_memory(error);
    }
    if (status != XP_OK) {
        xp__crew_fail(peers_of(self), error);
    } else if (store != NULL || !self->options->so_far) {
        status = xp__compute(&source, 1, self->options, store, self->forecast, error);
    }
    *absent = 0;
    for (size_t i = 0; status == XP_OK && wanted != NULL && i < grid->distinct_count; i++) {
        const xp__unit_result *unit = &grid->results[i];
        *absent += wanted[i] && isnan(unit->over_t) && unit->fallback != XP__UNIT_FAILED;
    }
    xp__free(wanted);
    return status;
}

/* Mean ranks over settings, 1 for the best; equals share theirs. Places are halves, whose sums are
 * exact: agents of equal rank stay equal. */
static void rank(const xp_sweep *sweep, const xp__grid *grid, const bool *kept, double *score,
                 double *ranks) {
    const size_t settings = xp__sweep_settings(sweep);
    memset(ranks, 0, sweep->agent_count * sizeof *ranks);
    for (size_t setting = 0; setting < settings; setting++) {
        for (size_t a = 0; a < sweep->agent_count; a++) {
            score[a] = kept[a] ? xp__sweep_score(sweep, grid, setting, a) : NAN;
        }
        for (size_t a = 0; a < sweep->agent_count; a++) {
            double place = 1;
            for (size_t b = 0; kept[a] && b < sweep->agent_count; b++) {
                place += b == a || !kept[b]     ? 0
                         : score[b] < score[a]  ? 1
                         : score[b] == score[a] ? 0.5
                                                : 0;
            }
            ranks[a] += place;
        }
    }
    for (size_t a = 0; a < sweep->agent_count; a++) {
        ranks[a] /= (double)settings;
    }
}

/* Keeps the better share of those that are left; the earlier in the file of equals. */
static void keep_best(const xp_sweep *sweep, const double *ranks, bool *kept) {
    size_t left = 0;
    for (size_t a = 0; a < sweep->agent_count; a++) {
        left += kept[a];
    }
    for (size_t surplus = left - kept_of(sweep, left); surplus > 0; surplus--) {
        size_t worst = SIZE_MAX;
        for (size_t a = 0; a < sweep->agent_count; a++) {
            if (kept[a] && (worst == SIZE_MAX || ranks[a] >= ranks[worst])) {
                worst = a;
            }
        }
        kept[worst] = false;
    }
}

/* One round; the candidates of the round go into the result. */
static xp_status search_round(const run *self, size_t round, xp_sweep_result *result,
                              xp_error *error) {
    const xp_sweep *sweep = self->sweep;
    bool *kept = self->kept;
    const size_t problems = sweep->search.problems << round;
    xp__grid grid = {.seed = 0};
    double *ranks = xp__alloc(2 * sweep->agent_count, sizeof *ranks);
    size_t absent = 0;
    xp_status status = XP_OK;
    if (ranks != NULL) {
        status = compute(self, XP__SWEEP_SELECTING, problems, &grid, &absent, error);
    } else {
        status = xp__no_memory(error);
        xp__crew_fail(peers_of(self), error);
    }
    if (status == XP_OK && self->store != NULL && absent > 0) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "the search is not finished: %zu units of round %zu are missing",
                              absent, round + 1);
        xp__crew_fail(peers_of(self), error);
    }
    if (status == XP_OK && self->store != NULL) {
        rank(sweep, &grid, kept, ranks + sweep->agent_count, ranks);
        const size_t first = result->candidate_count;
        for (size_t a = 0; a < sweep->agent_count; a++) {
            if (kept[a]) {
                result->candidates[result->candidate_count++] =
                    (xp_sweep_candidate){.agent = sweep->agents[a].spec,
                                         .round = round + 1,
                                         .problems = problems,
                                         .rank = ranks[a]};
            }
        }
        keep_best(sweep, ranks, kept);
        for (size_t i = first, a = 0; i < result->candidate_count; a++) {
            if (sweep->agents[a].spec == result->candidates[i].agent) {
                result->candidates[i++].kept = kept[a];
            }
        }
    }
    xp__free(ranks);
    xp__grid_deinit(&grid);
    return status;
}

static xp_status run_all(const run *self, xp_sweep_result *result, xp_error *error) {
    const xp_sweep *sweep = self->sweep;
    xp_status status = XP_OK;
    for (size_t round = 0; status == XP_OK && round < sweep->search.rounds; round++) {
        status = search_round(self, round, result, error);
    }
    xp__grid grid = {.seed = 0};
    size_t absent = 0;
    if (status == XP_OK) {
        status = compute(self, 0, sweep->problems, &grid, &absent, error);
    }
    if (status == XP_OK && self->store != NULL) {
        status = xp__sweep_report(sweep, &grid, self->kept, absent > 0, result, error);
    }
    xp__grid_deinit(&grid);
    return status;
}

/* Says if the copy that is kept there differs, for example because two sweeps both have the default
 * name. */
static void tell_changed(const xp_sweep *sweep, const char *path, const xp_study_options *options) {
    char *kept = NULL, sentence[512];
    size_t bytes = 0;
    if (options->notice != NULL &&
        xp__file_read_regular(path, (size_t)1 << 25, &kept, &bytes, NULL) == XP_OK &&
        strcmp(kept, sweep->text) != 0) {
        (void)snprintf(sentence, sizeof sentence,
                       "the sweep differs from '%.300s' of an earlier run, whose report is "
                       "replaced; to keep both reports, give one sweep another \"name\"",
                       path);
        options->notice(options->notice_context, sentence);
    }
    xp__free(kept);
}

/* DIR/NAME.sweep, from the start: an interrupted sweep can be reported on too. */
static xp_status keep_file(const xp_sweep *sweep, const xp_study_options *options,
                           xp_error *error) {
    const char *directory = options->directory;
    const size_t bytes = strlen(directory) + strlen(sweep->name) + sizeof "/.sweep";
    char *path = xp__alloc(bytes, 1);
    if (path == NULL) {
        return xp__no_memory(error);
    }
    (void)snprintf(path, bytes, "%s/%s.sweep", directory, sweep->name);
    tell_changed(sweep, path, options);
    const xp_status status = xp__file_write_regular(path, sweep->text, strlen(sweep->text), error);
    xp__free(path);
    return status;
}

static xp_status check(const xp_study_options *options, xp_error *error) {
    if (options->directory == NULL || options->directory[0] == '\0') {
        return xp_error_set(error, XP_ERR_INPUT, "a sweep needs a directory for its files");
    }
    if (options->fresh && options->so_far) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "fresh and so_far exclude each other, because a fresh start leaves "
                            "nothing to report: choose one of the two");
    }
    if (options->only != NULL) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "only does not work with sweeps: list fewer settings or agents in the file");
    }
    const xp_status status = xp__crew_check(options->peers, error);
    return status == XP_OK ? xp__pool_threads_check(options->threads, error) : status;
}

xp_status xp_sweep_run(const xp_sweep *sweep, const xp_study_options *options,
                       xp_sweep_result **result, xp_error *error) {
    XP__NOT_NULL(result, error);
    *result = NULL;
    XP__NOT_NULL(sweep, error);
    xp_study_options chosen = xp_study_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_study_options", error);
    }
    if (status == XP_OK) {
        status = check(&chosen, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp_error own = {.status = XP_OK};
    xp__store *store = NULL;
    xp__forecast *forecast = chosen.so_far ? NULL : xp__forecast_create();
    bool *kept = xp__alloc(sweep->agent_count, sizeof *kept);
    xp_sweep_result *made = xp__alloc(1, sizeof *made);
    if (made != NULL) {
        made->candidates =
            xp__alloc(sweep->agent_count * (sweep->search.rounds + 1), sizeof *made->candidates);
    }
    if (kept == NULL || made == NULL || made->candidates == NULL ||
        (forecast == NULL && !chosen.so_far)) {
        status = xp__no_memory(&own);
    } else if (xp__crew_leads(chosen.peers)) {
        status = xp__sweep_check_inputs(sweep, chosen.directory, &own);
        if (status == XP_OK) {
            status =
                xp__store_open(chosen.directory, sweep->seeds[0], !chosen.so_far, &store, &own);
        }
        if (status == XP_OK && !chosen.so_far) {
            xp__directory_clean(chosen.directory);
            status = keep_file(sweep, &chosen, &own);
        }
        if (status == XP_OK && chosen.fresh) {
            status = start_afresh(sweep, store, &own);
        }
    }
    chosen.fresh = false;
    if (status != XP_OK) {
        xp__crew_fail(chosen.so_far ? NULL : chosen.peers, &own);
    } else {
        memset(kept, true, sweep->agent_count * sizeof *kept);
        const run all = {
            .sweep = sweep, .options = &chosen, .store = store, .forecast = forecast, .kept = kept};
        status = run_all(&all, made, &own);
    }
    xp__store_close(store);
    xp__forecast_destroy(forecast);
    xp__free(kept);
    if (status == XP_OK && xp__crew_leads(chosen.peers)) {
        *result = made;
    } else {
        xp_sweep_result_destroy(made);
    }
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    return status;
}

void xp_sweep_result_destroy(xp_sweep_result *result) {
    if (result != NULL) {
        xp_study_result_destroy(result->study);
        xp__free(result->values);
        xp__free(result->candidates);
        xp__free(result);
    }
}
