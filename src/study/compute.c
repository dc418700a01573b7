/* compute.c: recall, compute, file.
 *
 * Places of all grids are numbered one after the other. A place has one number for the unit as a
 * whole and, where it may be divided, one more for each of its tasks: these numbers are the units
 * of the crew. Workers write results of distinct units, each to its own place; the calling thread
 * of the leader alone uses the store. It files finished units five times a second, so that a killed
 * process loses less than half a second of finished work.
 *
 * A unit is divided if it would bound the total: if it takes more than half of what each worker has
 * to do, or, where times are not known, if there are fewer than two units for each. Each part fits
 * the prior anew, so that division costs work, but its bits are the same (xp__unit_join). */
#include "study/compute.h"

#include "base/bytes/checksum.h"
#include "base/memory.h"
#include "study/pilot.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units of more tasks are short; grids of more units have enough for all. */
enum { MOST_PARTS = 16, MOST_DIVISIBLE = 20000 };

typedef enum state { FINISHED, OPEN, ABSENT } state;

typedef struct place {
    xp__source *source;
    size_t index; /* among the distinct units of the grid */
    size_t first; /* its first number */
    size_t left;  /* parts to come */
    size_t kind;  /* of its time */
    state state;
    xp__filed filed; /* what the store had of it, if it is wanted */
} place;

typedef struct computation {
    const xp_study_options *options;
    xp__store *store;
    place *places;
    size_t place_count;
    size_t *owner;          /* numbers: the place of each */
    xp__unit_result *parts; /* numbers: what a task came to */
    size_t numbers;
    size_t *order; /* numbers to compute */
    size_t order_count;
    size_t open, absent; /* places */
    size_t repeated;     /* places of units that another place has as well */
    size_t seen;         /* of the crew's finished numbers */
    size_t filed;        /* places in the store since the start */
    size_t *complete;    /* places in the order of their end */
    size_t complete_count;
    xp__forecast *forecast; /* NULL: nobody asks */
    size_t workers;
    /* What units took here, in microseconds: of the clock, and of the processor. */
    atomic_ullong waited, worked;
    bool stopping; /* the caller has asked for an end */
} computation;

static const xp__unit *unit_of(const place *at) {
    const xp__grid *grid = at->source->grid;
    return &grid->units[grid->distinct[at->index]];
}

static const xp__shape *shape_of(const place *at) {
    return &at->source->grid->shape;
}

static void name(const place *at, char *key, char *revision) {
    xp__unit_key(unit_of(at), shape_of(at), key);
    xp__unit_revision(unit_of(at), at->source->revision, revision);
}

static xp__unit_result *result_of(const place *at) {
    return &at->source->grid->results[at->index];
}

static size_t kept_of(const place *at) {
    return shape_of(at)->tasks * xp__shape_numbers(shape_of(at));
}

/* Where the numbers of its tasks go; NULL if none are kept. */
static double *numbers_of(const place *at) {
    const size_t kept = kept_of(at);
    return kept > 0 ? at->source->grid->numbers + kept * at->index : NULL;
}

static bool divisible(const xp__grid *grid) {
    return grid->shape.tasks > 1 && grid->shape.tasks <= MOST_PARTS &&
           grid->distinct_count <= MOST_DIVISIBLE;
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

xp_status xp__compute_check(const xp__grid *grid, const char *only, xp_error *error) {
    char key[XP__UNIT_KEY];
    for (size_t i = 0; i < grid->distinct_count; i++) {
        xp__unit_key(&grid->units[grid->distinct[i]], &grid->shape, key);
        if (has_words(key, only)) {
            return XP_OK;
        }
    }
    xp__unit_key(&grid->units[grid->distinct[0]], &grid->shape, key);
    return xp_error_set(
        error, XP_ERR_INPUT,
        "no unit of the study has all of '%.80s' in its key; the first key is '%.300s'", only, key);
}

/* Takes a unit from the store, or drops it there if a fresh start is asked for. */
static xp_status recall_unit(computation *run, place *at, xp_error *error) {
    const xp_study_options *options = run->options;
    char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
    name(at, key, revision);
    xp__store_choose_seed(run->store, unit_of(at)->problem->seed);
    const bool wanted = at->source->wanted == NULL || at->source->wanted[at->index];
    const bool asked = wanted && (options->only == NULL || has_words(key, options->only));
    xp__filed filed = XP__FILED_NONE;
    const xp_status status = options->fresh && asked
                                 ? xp__store_remove(run->store, key, error)
                                 : xp__store_get(run->store, key, revision, &filed, result_of(at),
                                                 numbers_of(at), kept_of(at), error);
    at->filed = wanted ? filed : XP__FILED_NONE;
    if (status == XP_OK && filed != XP__FILED) {
        at->state = asked && !options->so_far ? OPEN : ABSENT;
        run->open += at->state == OPEN;
        run->absent += at->state == ABSENT;
        at->source->absent += at->state == ABSENT;
    }
    return status;
}

/* Sorts the units into those that the store has, those to compute and those to leave open. */
static xp_status recall(computation *run, xp_error *error) {
    xp_status status = xp__store_begin(run->store, error);
    for (size_t i = 0; status == XP_OK && i < run->place_count; i++) {
        status = recall_unit(run, &run->places[i], error);
    }
    return status == XP_OK ? xp__store_commit(run->store, error) : status;
}

/* A place by what it is filed under, for sorting. */
typedef struct named {
    char key[XP__UNIT_KEY + XP__UNIT_REVISION];
    uint64_t seed;
    size_t place;
} named;

static int compare_names(const void *left, const void *right) {
    const named *a = left, *b = right;
    const int order = strcmp(a->key, b->key);
    return order != 0           ? order
           : a->seed != b->seed ? (a->seed > b->seed) - (a->seed < b->seed)
                                : (a->place > b->place) - (a->place < b->place);
}

/* Of open units that several studies need, only the first stays open. */
static xp_status close_duplicates(computation *run, xp_error *error) {
    named *names = xp__alloc(run->open, sizeof *names);
    if (names == NULL && run->open > 0) {
        return xp__no_memory(error);
    }
    size_t count = 0;
    for (size_t i = 0; i < run->place_count; i++) {
        const place *at = &run->places[i];
        if (at->state == OPEN) {
            char revision[XP__UNIT_REVISION];
            name(at, names[count].key, revision);
            strcat(strcat(names[count].key, "\n"), revision);
            names[count].seed = unit_of(at)->problem->seed;
            names[count++].place = i;
        }
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (names[i].seed == names[i - 1].seed && strcmp(names[i].key, names[i - 1].key) == 0) {
            run->places[names[i].place].state = FINISHED; /* once the first is */
            run->repeated++;
            run->open--;
        }
    }
    xp__free(names);
    return XP_OK;
}

static xp_status compute(void *context, size_t number, const xp__pool *pool, xp_error *error) {
    computation *run = context;
    const place *at = &run->places[run->owner[number]];
    const size_t part = number - at->first;
    const double begun = xp__clock(), before = xp__work_clock();
    const xp_status status =
        part == 0
            ? xp__unit_run(unit_of(at), shape_of(at), pool, result_of(at), numbers_of(at), error)
            : xp__unit_run_task(unit_of(at), shape_of(at), part - 1, pool, &run->parts[number],
                                numbers_of(at), error);
    atomic_fetch_add(&run->waited, (unsigned long long)(1e6 * (xp__clock() - begun)));
    atomic_fetch_add(&run->worked, (unsigned long long)(1e6 * (xp__work_clock() - before)));
    return status;
}

/* Seconds of the clock for one of the processor: more than 1 where others use the machine too. */
static double pace(computation *run) {
    static const double least = 1e6; /* of work to tell it from */
    const double waited = (double)atomic_load(&run->waited);
    const double worked = (double)atomic_load(&run->worked);
    return worked > least && waited > worked ? waited / worked : 1;
}

/* What travels: a result and the numbers of the tasks, all of them or those of one. */
typedef struct luggage {
    xp__unit_result *result;
    double *numbers;
    size_t count;
} luggage;

static luggage luggage_of(const computation *run, size_t number) {
    const place *at = &run->places[run->owner[number]];
    const size_t part = number - at->first, each = xp__shape_numbers(shape_of(at));
    if (part == 0) {
        return (luggage){result_of(at), numbers_of(at), kept_of(at)};
    }
    return (luggage){&run->parts[number], each > 0 ? numbers_of(at) + (part - 1) * each : NULL,
                     each};
}

static size_t length(void *context, size_t number) {
    return sizeof(xp__unit_result) + sizeof(double) * luggage_of(context, number).count;
}

static void pack(void *context, size_t number, unsigned char *bytes) {
    const luggage all = luggage_of(context, number);
    memcpy(bytes, all.result, sizeof *all.result);
    if (all.count > 0 && all.numbers != NULL) {
        memcpy(bytes + sizeof *all.result, all.numbers, all.count * sizeof *all.numbers);
    }
}

static void unpack(void *context, size_t number, const unsigned char *bytes) {
    const luggage all = luggage_of(context, number);
    memcpy(all.result, bytes, sizeof *all.result);
    if (all.count > 0 && all.numbers != NULL) {
        memcpy(all.numbers, bytes + sizeof *all.result, all.count * sizeof *all.numbers);
    }
}

/* Takes note of a number that has finished, and of its unit if that was the last part. */
static void note_finished(computation *run, size_t number) {
    const size_t which = run->owner[number];
    place *at = &run->places[which];
    if (number > at->first && --at->left > 0) {
        return;
    }
    if (number > at->first) {
        xp__unit_join(&run->parts[at->first + 1], shape_of(at)->tasks, result_of(at));
    }
    run->complete[run->complete_count++] = which;
    if (run->forecast != NULL) {
        xp__forecast_took(run->forecast, at->kind, result_of(at)->seconds);
        xp__forecast_drop(run->forecast, at->kind);
    }
}

/* Files what has finished since the last time. */
static xp_status file_away(computation *run, xp_error *error) {
    if (run->filed == run->complete_count) {
        return XP_OK;
    }
    xp_status status = xp__store_begin(run->store, error);
    for (size_t i = run->filed; status == XP_OK && i < run->complete_count; i++) {
        const place *at = &run->places[run->complete[i]];
        char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
        name(at, key, revision);
        xp__store_choose_seed(run->store, unit_of(at)->problem->seed);
        status = xp__store_put(run->store, key, revision, result_of(at), numbers_of(at),
                               kept_of(at), error);
    }
    if (status == XP_OK) {
        status = xp__store_commit(run->store, error);
    }
    if (status == XP_OK) {
        run->filed = run->complete_count;
    } else {
        xp__store_drop(run->store);
    }
    return status;
}

static void tell_forecast(computation *run) {
    const xp_study_options *options = run->options;
    if (options->forecast != NULL) {
        const xp_study_forecast left = xp__forecast_left(run->forecast, run->workers, pace(run));
        options->forecast(options->forecast_context, &left);
    }
}

static xp_status tell(void *context, xp_error *error) {
    computation *run = context;
    const xp_study_options *options = run->options;
    if (run->stopping) { /* who has asked for an end is not called again */
        return xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
    }
    const size_t asked = run->place_count - run->absent - run->repeated;
    if (options->progress != NULL &&
        options->progress(options->progress_context, asked - run->open + run->complete_count,
                          asked) != 0) {
        run->stopping = true;
        return xp_error_set(error, XP_ERR_INTERRUPTED,
                            "interrupted; the same command resumes from here");
    }
    return XP_OK;
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    computation *run = context;
    xp_status status = xp__store_check(run->store, error);
    for (; run->seen < done; run->seen++) {
        note_finished(run, finished[run->seen]);
    }
    if (status == XP_OK) {
        status = file_away(run, error);
    }
    if (status == XP_OK) {
        tell_forecast(run);
    }
    return status == XP_OK && !run->stopping ? tell(run, error) : status;
}

/* Sets to NAN the results that are neither finished nor to be computed. */
static void do_without_absent(const computation *run) {
    for (size_t i = 0; i < run->place_count; i++) {
        const place *at = &run->places[i];
        if (at->state == ABSENT) {
            xp__unit_result *result = result_of(at);
            *result = (xp__unit_result){.regret = NAN, .regret_se = NAN, .over_t = NAN};
            for (size_t checkpoint = 0; checkpoint < XP__CHECKPOINTS; checkpoint++) {
                result->at[checkpoint] = NAN;
            }
            for (size_t j = 0; j < kept_of(at); j++) {
                numbers_of(at)[j] = NAN;
            }
        }
    }
}

/* Numbers the places and their parts: the same in every process. */
static xp_status lay_out(computation *run, xp__source *sources, size_t count, xp_error *error) {
    for (size_t i = 0; i < count; i++) {
        const xp__grid *grid = sources[i].grid;
        sources[i].absent = 0;
        run->place_count += grid->distinct_count;
        run->numbers += grid->distinct_count * (divisible(grid) ? 1 + grid->shape.tasks : 1);
    }
    run->places = xp__alloc(run->place_count, sizeof *run->places);
    run->complete = xp__alloc(run->place_count, sizeof *run->complete);
    run->owner = xp__alloc(run->numbers, sizeof *run->owner);
    run->order = xp__alloc(run->numbers, sizeof *run->order);
    if (run->numbers > run->place_count) {
        run->parts = xp__alloc(run->numbers, sizeof *run->parts);
    }
    if (run->places == NULL || run->complete == NULL || run->owner == NULL || run->order == NULL ||
        (run->numbers > run->place_count && run->parts == NULL)) {
        return xp__no_memory(error);
    }
    size_t next = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        const xp__grid *grid = sources[i].grid;
        for (size_t index = 0; index < grid->distinct_count; index++, next++) {
            run->places[next] = (place){.source = &sources[i], .index = index, .first = number};
            const size_t numbers = divisible(grid) ? 1 + grid->shape.tasks : 1;
            for (size_t k = 0; k < numbers; k++) {
                run->owner[number++] = next;
            }
        }
    }
    return XP_OK;
}

/* Numbers the kinds of units, the same in every process, and notes the times that the leader's
 * store knows and what is left. */
static xp_status note_kinds(computation *run, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < run->place_count; i++) {
        place *at = &run->places[i];
        status = xp__forecast_kind(run->forecast, unit_of(at), shape_of(at), &at->kind, error);
        if (status == XP_OK && at->state == OPEN) {
            xp__forecast_add(run->forecast, at->kind);
        } else if (status == XP_OK && at->state == FINISHED && result_of(at)->seconds > 0) {
            xp__forecast_took(run->forecast, at->kind, result_of(at)->seconds);
        }
    }
    return status;
}

/* An open place and its expected seconds, for sorting. */
typedef struct expected {
    double seconds;
    size_t place;
} expected;

static int compare_seconds(const void *left, const void *right) {
    const expected *a = left, *b = right;
    return a->seconds != b->seconds ? (a->seconds < b->seconds) - (a->seconds > b->seconds)
                                    : (a->place > b->place) - (a->place < b->place);
}

static void add_to_order(computation *run, const expected *of, double total) {
    place *at = &run->places[of->place];
    const double share = total / (double)run->workers;
    const bool bounds = isnan(share) ? run->open < 2 * run->workers : of->seconds > share / 2;
    if (run->workers > 1 && bounds && divisible(at->source->grid)) {
        at->left = shape_of(at)->tasks;
        for (size_t part = 1; part <= at->left; part++) {
            run->order[run->order_count++] = at->first + part;
        }
    } else {
        run->order[run->order_count++] = at->first;
    }
}

/* In the order of the places; after a pilot the longest first. */
static xp_status put_in_order(computation *run, xp_error *error) {
    expected *all = xp__alloc(run->open, sizeof *all);
    if (all == NULL && run->open > 0) {
        return xp__no_memory(error);
    }
    size_t count = 0;
    double total = 0;
    for (size_t i = 0; i < run->place_count; i++) {
        if (run->places[i].state == OPEN) {
            const double seconds = run->forecast != NULL
                                       ? xp__forecast_seconds(run->forecast, run->places[i].kind)
                                       : NAN;
            total += seconds;
            all[count++] = (expected){.seconds = seconds, .place = i};
        }
    }
    if (run->options->pilot && !isnan(total)) {
        qsort(all, count, sizeof *all, compare_seconds);
    }
    for (size_t i = 0; i < count; i++) {
        add_to_order(run, &all[i], total);
    }
    xp__free(all);
    return XP_OK;
}

/* Says that there are units in the store which are not used. */
static void tell_unused(const computation *run) {
    static const struct {
        xp__filed filed;
        const char *unit, *reason;
    } kinds[] = {{XP__FILED_OTHER, "finished unit", "of another version or revision"},
                 {XP__FILED_DAMAGED, "unit", "damaged"}};
    static const struct {
        state state;
        const char *becomes;
    } ends[] = {{OPEN, "computed again"}, {ABSENT, "left out"}};
    const xp_study_options *options = run->options;
    for (size_t pair = 0; pair < 4 && options->notice != NULL; pair++) {
        const size_t kind = pair / 2, end = pair % 2;
        size_t count = 0;
        for (size_t i = 0; i < run->place_count; i++) {
            const place *at = &run->places[i];
            count += at->filed == kinds[kind].filed && at->state == ends[end].state;
        }
        if (count > 0) {
            char sentence[160];
            const char *verb = count == 1 ? "is" : "are";
            (void)snprintf(sentence, sizeof sentence, "%zu %s%s %s %s and %s %s", count,
                           kinds[kind].unit, count == 1 ? "" : "s", verb, kinds[kind].reason, verb,
                           ends[end].becomes);
            options->notice(options->notice_context, sentence);
        }
    }
}

/* What the leader does first: looks into the store. */
static xp_status look_up(computation *run, bool several, xp_error *error) {
    xp_status status = recall(run, error);
    if (status == XP_OK && several) {
        status = close_duplicates(run, error);
    }
    if (status == XP_OK) {
        do_without_absent(run);
        tell_unused(run);
    }
    return status == XP_OK && !run->options->so_far ? tell(run, error) : status;
}

/* What all processes must agree on: the units, by what they are filed under. */
static uint64_t plan_of(const computation *run) {
    const unsigned char pilot = run->options->pilot;
    uint64_t sum = xp__checksum(XP__CHECKSUM_START, &pilot, sizeof pilot);
    for (size_t i = 0; i < run->place_count; i++) {
        char key[XP__UNIT_KEY], revision[XP__UNIT_REVISION];
        name(&run->places[i], key, revision);
        const uint64_t seed = unit_of(&run->places[i])->problem->seed;
        sum = xp__checksum(sum, key, strlen(key) + 1);
        sum = xp__checksum(sum, revision, strlen(revision) + 1);
        sum = xp__checksum(sum, &seed, sizeof seed);
    }
    return sum;
}

/* Pilots, and in the leader the order of the units. Whoever fails here tells the others. */
static xp_status schedule(computation *run, uint64_t plan, xp_error *error) {
    const xp_study_options *options = run->options;
    xp_status status = XP_OK;
    if (options->pilot) {
        const xp__pilot_options pilot = {.threads = options->threads,
                                         .peers = options->peers,
                                         .plan = plan,
                                         .tell = tell,
                                         .context = run};
        status = xp__pilot_run(run->forecast, &pilot, error);
    }
    if (status == XP_OK && run->store != NULL) {
        tell_forecast(run);
        status = put_in_order(run, error);
        if (status != XP_OK) {
            xp__crew_fail(options->peers, error);
        }
    }
    return status;
}

/* Units in all processes. */
static xp_status work(computation *run, xp_error *error) {
    const xp_study_options *options = run->options;
    const uint64_t plan = options->peers != NULL ? plan_of(run) : 0;
    const xp_status status = schedule(run, plan, error);
    const xp__crew_job job = {.units = run->numbers,
                              .order = run->order,
                              .order_count = run->order_count,
                              .threads = options->threads,
                              .peers = options->peers,
                              .plan = plan,
                              .run = compute,
                              .tick = tick,
                              .length = length,
                              .pack = pack,
                              .unpack = unpack,
                              .context = run};
    return status == XP_OK ? xp__crew_run(&job, error) : status;
}

xp_status xp__compute(xp__source *sources, size_t count, const xp_study_options *options,
                      xp__store *store, xp__forecast *forecast, xp_error *error) {
    computation run = {.options = options,
                       .store = store,
                       .workers = xp__crew_workers(options->peers, options->threads)};
    const bool forecasts = !options->so_far && (options->forecast != NULL || options->pilot);
    xp__forecast *own_forecast = forecasts && forecast == NULL ? xp__forecast_create() : NULL;
    xp_error own = {.status = XP_OK};
    run.forecast = forecasts ? (forecast != NULL ? forecast : own_forecast) : NULL;
    xp_status status = forecasts && run.forecast == NULL ? xp__no_memory(&own)
                                                         : lay_out(&run, sources, count, &own);
    if (status == XP_OK && store != NULL) {
        status = look_up(&run, count > 1, &own);
    }
    if (status == XP_OK && forecasts) {
        status = note_kinds(&run, &own);
    }
    if (status == XP_OK && !options->so_far) {
        status = work(&run, &own);
    } else if (!options->so_far) {
        xp__crew_fail(options->peers, &own);
    }
    if (status == XP_OK && store != NULL && (options->so_far || run.open == 0)) {
        status = xp__store_check(store, &own); /* else the last tick has looked */
    }
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    xp__forecast_destroy(own_forecast);
    xp__free(run.places);
    xp__free(run.complete);
    xp__free(run.owner);
    xp__free(run.order);
    xp__free(run.parts);
    return status;
}
