/* study.c: running a study: plan, take what is finished from the store, compute the rest, report.
 *
 * Workers write results of distinct units, each to its own place; the calling thread alone uses the
 * store. It files finished units at every tick of the pool, five times a second, so that a killed
 * process loses less than half a second of finished work. */
#include "study/study_type.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct session {
    const xp__study_type *type;
    xp__grid *grid;
    const xp_study_options *options;
    xp__store *store;
    size_t kept;    /* numbers kept of the tasks of a unit */
    size_t *open;   /* distinct units that are left to compute */
    size_t *absent; /* and those that are to be left open */
    size_t open_count, absent_count;
    size_t outdated; /* of those two, units that another revision has computed */
    size_t filed;    /* of the pool's finished units, those in the store */
    bool stopping;   /* the caller has asked for an end */
} session;

void xp_study_options_init(xp_study_options *options, size_t size) {
    const xp_study_options own = {
        .size = sizeof own, .scale = "paper", .directory = "out", .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

static void key_of(const session *run, size_t distinct, char *key) {
    const xp__grid *grid = run->grid;
    xp__unit_key(&grid->units[grid->distinct[distinct]], &grid->shape, key);
}

static void revision_of(const session *run, size_t distinct, char *revision) {
    const xp__grid *grid = run->grid;
    xp__unit_revision(&grid->units[grid->distinct[distinct]], run->type->revision, revision);
}

/* Where the numbers of its tasks go; NULL if none are kept. */
static double *numbers_of(const session *run, size_t distinct) {
    return run->kept > 0 ? run->grid->numbers + run->kept * distinct : NULL;
}

/* Whether a unit is one of those asked for: its key has every one of the words. */
static bool has_words(const char *key, const char *words) {
    char word[XP__UNIT_KEY];
    for (const char *at = words + strspn(words, " "); *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length >= sizeof word) {
            return false;
        }
        memcpy(word, at, length);
        word[length] = '\0';
        if (strstr(key, word) == NULL) {
            return false;
        }
        at += length;
    }
    return true;
}

/* Takes a unit from the store, or drops it there if a fresh start is asked for. */
static xp_status recall_unit(session *run, size_t place, bool asked, xp_error *error) {
    const xp_study_options *options = run->options;
    char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
    key_of(run, place, key);
    revision_of(run, place, revision);
    xp__filed filed = XP__FILED_NONE;
    const xp_status status =
        options->fresh && asked
            ? xp__store_remove(run->store, key, error)
            : xp__store_get(run->store, key, revision, &filed, &run->grid->results[place],
                            numbers_of(run, place), run->kept, error);
    if (status == XP_OK && filed != XP__FILED) {
        run->outdated += filed == XP__FILED_OTHER;
        if (asked && !options->so_far) {
            run->open[run->open_count++] = place;
        } else {
            run->absent[run->absent_count++] = place;
        }
    }
    return status;
}

/* Says that there are units which are not used. */
static void tell_outdated(const session *run) {
    const xp_study_options *options = run->options;
    if (run->outdated > 0 && options->notice != NULL) {
        char sentence[160];
        (void)snprintf(sentence, sizeof sentence,
                       "%zu finished unit%s of another version or revision and %s %s",
                       run->outdated, run->outdated == 1 ? " is" : "s are",
                       run->outdated == 1 ? "is" : "are",
                       options->so_far ? "left out" : "computed again");
        options->notice(options->notice_context, sentence);
    }
}

/* Sorts the units into those that the store has, those to compute and those to leave open. */
static xp_status recall(session *run, xp_error *error) {
    xp__grid *grid = run->grid;
    const xp_study_options *options = run->options;
    size_t asked_for = 0;
    run->kept = grid->shape.tasks * xp__shape_numbers(&grid->shape);
    run->open = xp__alloc(grid->distinct_count, sizeof *run->open);
    run->absent = xp__alloc(grid->distinct_count, sizeof *run->absent);
    if (run->open == NULL || run->absent == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = xp__store_begin(run->store, error);
    for (size_t i = 0; status == XP_OK && i < grid->distinct_count; i++) {
        char key[XP__UNIT_KEY];
        key_of(run, i, key);
        const bool asked = options->only == NULL || has_words(key, options->only);
        asked_for += asked;
        status = recall_unit(run, i, asked, error);
    }
    if (status == XP_OK) {
        status = xp__store_commit(run->store, error);
    }
    if (status == XP_OK && asked_for == 0) {
        char key[XP__UNIT_KEY];
        key_of(run, 0, key);
        return xp_error_set(error, XP_ERR_INPUT,
                            "no unit of the study has all of '%.80s'; the first one is '%.300s'",
                            options->only, key);
    }
    if (status == XP_OK) {
        tell_outdated(run);
    }
    return status;
}

static xp_status compute(void *context, size_t number, const xp__pool *pool, xp_error *error) {
    session *run = context;
    xp__grid *grid = run->grid;
    const size_t place = run->open[number];
    return xp__unit_run(&grid->units[grid->distinct[place]], &grid->shape, pool,
                        &grid->results[place], numbers_of(run, place), error);
}

/* Files what has finished since the last time. */
static xp_status file_away(session *run, const size_t *finished, size_t done, xp_error *error) {
    if (run->filed == done) {
        return XP_OK;
    }
    xp_status status = xp__store_begin(run->store, error);
    for (size_t i = run->filed; status == XP_OK && i < done; i++) {
        const size_t place = run->open[finished[i]];
        char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
        key_of(run, place, key);
        revision_of(run, place, revision);
        status = xp__store_put(run->store, key, revision, &run->grid->results[place],
                               numbers_of(run, place), run->kept, error);
    }
    if (status == XP_OK) {
        status = xp__store_commit(run->store, error);
    }
    if (status == XP_OK) {
        run->filed = done;
    } else {
        xp__store_drop(run->store);
    }
    return status;
}

static xp_status tell(session *run, size_t done, xp_error *error) {
    const xp_study_options *options = run->options;
    const size_t total = run->grid->distinct_count;
    if (options->progress != NULL &&
        options->progress(options->progress_context,
                          total - run->open_count - run->absent_count + done,
                          total - run->absent_count) != 0) {
        run->stopping = true;
        return xp_error_set(error, XP_ERR_INTERRUPTED,
                            "interrupted; the same command goes on from here");
    }
    return XP_OK;
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    session *run = context;
    xp_status status = xp__store_check(run->store, error);
    if (status == XP_OK) {
        status = file_away(run, finished, done, error);
    }
    return status == XP_OK && !run->stopping ? tell(run, done, error) : status;
}

/* Leaves undefined what is neither finished nor to be computed. */
static xp_status do_without_absent(session *run, xp_error *error) {
    xp__grid *grid = run->grid;
    if (run->absent_count == grid->distinct_count) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is nothing to report so far: none of %zu units is finished",
                            grid->distinct_count);
    }
    for (size_t i = 0; i < run->absent_count; i++) {
        const size_t place = run->absent[i];
        xp__unit_result *result = &grid->results[place];
        *result = (xp__unit_result){.regret = NAN, .regret_se = NAN, .over_t = NAN};
        for (size_t checkpoint = 0; checkpoint < XP__CHECKPOINTS; checkpoint++) {
            result->at[checkpoint] = NAN;
        }
        for (size_t j = 0; j < run->kept; j++) {
            numbers_of(run, place)[j] = NAN;
        }
    }
    return XP_OK;
}

static xp_status compute_all(session *run, xp_error *error) {
    xp_status status = recall(run, error);
    if (status == XP_OK) {
        status = do_without_absent(run, error);
    }
    if (status == XP_OK && !run->options->so_far) {
        status = tell(run, 0, error);
    }
    if (status == XP_OK && !run->options->so_far) {
        const xp__pool_job job = {.units = run->open_count,
                                  .threads = run->options->threads,
                                  .run = compute,
                                  .tick = tick,
                                  .context = run};
        status = xp__pool_run(&job, error);
    }
    return status == XP_OK ? xp__store_check(run->store, error) : status;
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
    const size_t missing = run->absent_count;
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
        xp__builder_note(
            &builder,
            "So far %zu of %zu units are finished. Rows of which a unit is missing, and "
            "findings, are left out; notes speak of the whole study.",
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
                            "a fresh start leaves nothing to report so far: choose one of the two");
    }
    return xp__pool_threads_check(options->threads, error);
}

xp_status xp_study_run(const char *name, const xp_study_options *options, xp_study_result **result,
                       xp_error *error) {
    XP__NOT_NULL(result, error);
    *result = NULL;
    XP__NOT_NULL(name, error);
    xp_study_options chosen = xp_study_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_study_options", error);
    }
    options = &chosen;
    if (status == XP_OK) {
        status = check(name, options, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp__grid *grid = xp__alloc(1, sizeof *grid);
    if (grid == NULL) {
        return xp__no_memory(error);
    }
    grid->seed = options->seed;
    grid->scale = find_scale(options->scale);
    session run = {.type = xp__study_find(name), .grid = grid, .options = options};
    /* The store first: a directory that cannot be used is known before any work. */
    status = xp__store_open(options->directory, options->seed, !options->so_far, &run.store, error);
    if (status == XP_OK) {
        xp__directory_clean(options->directory);
        status = run.type->plan(grid, error);
    }
    if (status == XP_OK) {
        status = xp__grid_complete(grid, error);
    }
    if (status == XP_OK) {
        status = compute_all(&run, error);
    }
    if (status == XP_OK) {
        status = report(&run, result, error);
    }
    xp__store_close(run.store);
    xp__free(run.open);
    xp__free(run.absent);
    xp__grid_deinit(grid);
    xp__free(grid);
    return status;
}
