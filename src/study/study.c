/* study.c: running a study: plan, take what is finished from the store, compute the rest, report.
 * Of several processes only the leader has a store and reports. */
#include "study/study_type.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "study/compute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct session {
    const xp__study_type *type;
    xp__grid *grid;
    const xp_study_options *options;
    xp__source source;
} session;

void xp_study_options_init(xp_study_options *options, size_t size) {
    const xp_study_options own = {
        .size = sizeof own, .scale = "paper", .directory = "out", .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

/* Seconds of each agent, and of all. */
static void add_times(const xp__grid *grid, xp__builder *builder) {
    for (size_t i = 0; i < grid->distinct_count; i++) {
        const xp__unit_result *result = &grid->results[i];
        if (!isnan(result->regret)) {
            xp__builder_time(builder, grid->units[grid->distinct[i]].agent->label,
                             result->fit_seconds, result->seconds);
        }
        builder->result->seconds += result->seconds;
        builder->result->agent_steps += (uint64_t)result->steps;
    }
}

static xp_status report(const session *run, xp_study_result **result, xp_error *error) {
    const xp__study_type *type = run->type;
    const xp__grid *grid = run->grid;
    const xp_study_options *options = run->options;
    const size_t missing = run->source.absent;
    xp__builder builder;
    const xp_status status =
        xp__builder_init(&builder, type->name, type->title, options->scale, options->seed, error);
    if (status != XP_OK) {
        return status;
    }
    builder.result->reference = type->reference;
    builder.partial = missing > 0;
    builder.wants_values = options->runs;
    if (builder.partial) {
        xp__builder_note(&builder,
                         "So far %zu of %zu units are finished. Findings and rows with missing "
                         "units are left out; notes describe the whole study.",
                         grid->distinct_count - missing, grid->distinct_count);
    }
    type->report(grid, &builder);
    add_times(grid, &builder);
    builder.result->units_total = grid->distinct_count;
    builder.result->units_done = grid->distinct_count - missing;
    return xp__builder_finish(&builder, result, error);
}

const xp__study_type *xp__study_find(const char *name) {
    for (size_t i = 0; i < xp__study_type_count; i++) {
        if (strcmp(xp__study_types[i]->name, name) == 0) {
            return xp__study_types[i];
        }
    }
    return NULL;
}

static xp__scale find_scale(const char *name) {
    xp__scale scale = 0;
    while (scale < XP__SCALES && (name == NULL || strcmp(xp__scale_name[scale], name) != 0)) {
        scale++;
    }
    return scale;
}

static xp_status check(const char *name, const xp_study_options *options, xp_error *error) {
    if (xp__study_find(name) == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no study '%.80s'", name);
    }
    if (find_scale(options->scale) == XP__SCALES) {
        return xp_error_set(error, XP_ERR_INPUT, "scale '%.80s' is not one of smoke, quick, paper",
                            options->scale != NULL ? options->scale : "");
    }
    if (options->directory == NULL || options->directory[0] == '\0') {
        return xp_error_set(error, XP_ERR_INPUT, "a study needs a directory for its files");
    }
    if (options->fresh && options->so_far) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "fresh and so_far exclude each other, because a fresh start leaves "
                            "nothing to report: choose one of the two");
    }
    const xp_status status = xp__crew_check(options->peers, error);
    return status == XP_OK ? xp__pool_threads_check(options->threads, error) : status;
}

/* Of several studies, bandit ones are computed as a whole; where there are no others, a limit to
 * the problems is a mistake. */
static xp_status check_problems(const char *const *names, size_t count,
                                const xp_study_options *options, xp_error *error) {
    bool states = options->problems == 0;
    for (size_t i = 0; i < count; i++) {
        states = states || xp__study_find(names[i])->has_states;
    }
    return states ? XP_OK
                  : xp_error_set(error, XP_ERR_INPUT,
                                 "problems is only for studies with states; '%.80s' is a study of "
                                 "bandits, which draws its problems by group",
                                 names[0]);
}

/* A session's grid, planned. */
static xp_status plan(session *run, const char *name, xp_error *error) {
    run->type = xp__study_find(name);
    run->grid = xp__alloc(1, sizeof *run->grid);
    if (run->grid == NULL) {
        return xp__no_memory(error);
    }
    run->grid->seed = run->options->seed;
    run->grid->scale = find_scale(run->options->scale);
    run->grid->most = run->type->has_states ? run->options->problems : 0;
    run->source = (xp__source){.grid = run->grid, .revision = run->type->revision};
    const xp_status status = run->type->plan(run->grid, error);
    return status == XP_OK ? xp__grid_complete(run->grid, error) : status;
}

static void unplan(session *run) {
    if (run->grid != NULL) {
        xp__grid_deinit(run->grid);
        xp__free(run->grid);
    }
}

/* Before any work, so that a directory that cannot be used is known. *store stays NULL in a process
 * that does not lead. */
static xp_status open_store(const xp_study_options *options, xp__store **store, xp_error *error) {
    if (!xp__crew_leads(options->peers)) {
        return XP_OK;
    }
    const xp_status status =
        xp__store_open(options->directory, options->seed, !options->so_far, store, error);
    if (status == XP_OK) {
        xp__directory_clean(options->directory);
    }
    return status;
}

static xp_status take_options(xp_study_options *chosen, const xp_study_options *options,
                              xp_error *error) {
    *chosen = xp_study_options_default();
    return options != NULL
               ? xp__options_take(chosen, sizeof *chosen, options, "xp_study_options", error)
               : XP_OK;
}

xp_status xp_study_run(const char *name, const xp_study_options *options, xp_study_result **result,
                       xp_error *error) {
    XP__NOT_NULL(result, error);
    *result = NULL;
    XP__NOT_NULL(name, error);
    xp_study_options chosen;
    xp_status status = take_options(&chosen, options, error);
    if (status == XP_OK) {
        status = check(name, &chosen, error);
    }
    if (status == XP_OK) {
        status = check_problems(&name, 1, &chosen, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const bool leads = xp__crew_leads(chosen.peers);
    xp_error own = {.status = XP_OK};
    session run = {.options = &chosen};
    xp__store *store = NULL;
    status = plan(&run, name, &own);
    if (status == XP_OK && chosen.only != NULL && leads) { /* the others hear of it */
        status = xp__compute_check(run.grid, chosen.only, &own);
    }
    if (status == XP_OK) {
        status = open_store(&chosen, &store, &own);
    }
    if (status == XP_OK && store != NULL && !chosen.so_far) {
        status = xp__store_note_study(store, name, chosen.scale, chosen.seed, &own);
    }
    if (status != XP_OK && !chosen.so_far) {
        xp__crew_fail(chosen.peers, &own);
    }
    if (status == XP_OK && (leads || !chosen.so_far)) {
        status = xp__compute(&run.source, 1, &chosen, store, NULL, &own);
    }
    if (status == XP_OK && leads && run.source.absent == run.grid->distinct_count) {
        status = xp_error_set(&own, XP_ERR_INPUT,
                              "there is nothing to report so far: none of %zu units is finished",
                              run.grid->distinct_count);
    }
    if (status == XP_OK && leads) {
        status = report(&run, result, &own);
    }
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    xp__store_close(store);
    unplan(&run);
    return status;
}

xp_status xp_study_compute(const char *const *names, size_t count, const xp_study_options *options,
                           xp_error *error) {
    XP__NOT_NULL(names, error);
    xp_study_options chosen;
    xp_status status = take_options(&chosen, options, error);
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        XP__NOT_NULL(names[i], error);
        status = check(names[i], &chosen, error);
    }
    if (status == XP_OK && (chosen.so_far || chosen.only != NULL || count == 0)) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              count == 0 ? "there are no studies to compute"
                                         : "so_far and only work with one study at a time");
    }
    if (status == XP_OK) {
        status = check_problems(names, count, &chosen, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp_error own = {.status = XP_OK};
    session *runs = xp__alloc(count, sizeof *runs);
    xp__source *sources = xp__alloc(count, sizeof *sources);
    xp__store *store = NULL;
    status =
        runs != NULL && sources != NULL ? open_store(&chosen, &store, &own) : xp__no_memory(&own);
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        runs[i].options = &chosen;
        status = plan(&runs[i], names[i], &own);
        sources[i] = runs[i].source;
        if (status == XP_OK && store != NULL) {
            status = xp__store_note_study(store, names[i], chosen.scale, chosen.seed, &own);
        }
    }
    if (status == XP_OK) {
        status = xp__compute(sources, count, &chosen, store, NULL, &own);
    } else {
        xp__crew_fail(chosen.peers, &own);
    }
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    xp__store_close(store);
    for (size_t i = 0; runs != NULL && i < count; i++) {
        unplan(&runs[i]);
    }
    xp__free(runs);
    xp__free(sources);
    return status;
}
