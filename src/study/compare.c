/* compare.c: two stores side by side: units with the same key and seed are pairs. */
#include "experior/aggregate.h"

#include "base/check.h"
#include "base/grow.h"
#include "run/evaluate.h"
#include "run/store.h"
#include "study/summary.h"
#include "study/sweep/sweep_type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGRET, RETURN, EXACT, FAILURE, MEASURES };
static const char *const measure_name[MEASURES] = {"final regret", "mean return", "exact return",
                                                   "share without a solution"};
enum { ORDER = 5 };

/* A unit, told apart by setting, agent, problem and seed. */
typedef struct entry {
    char *setting, *agent; /* in one block */
    unsigned long long problem;
    uint64_t seed;
    double value[MEASURES]; /* NAN: it has none */
    /* The numbers of its version and revision: later ones are of later units. */
    unsigned long order[ORDER];
} entry;

typedef struct entries {
    const char *directory;
    entry *all;
    size_t count, room;
    size_t damaged; /* units that were passed over */
} entries;

static void entries_deinit(entries *self) {
    for (size_t i = 0; i < self->count; i++) {
        xp__free(self->all[i].setting);
    }
    xp__free(self->all);
}

/* The whole numbers of two texts such as "0.2.1" and "1.3". */
static void read_order(const char *version, const char *revision, unsigned long *order) {
    const char *const texts[] = {version, revision};
    const size_t most[] = {3, ORDER};
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = texts[i]; *at != '\0' && count < most[i];) {
            char *end;
            order[count++] = strtoul(at, &end, 10);
            at = *end == '.' ? end + 1 : "";
        }
        count = most[0];
    }
}

/* Cuts "setting/problem/expert/shape/agent": the setting becomes "setting/expert/shape". Problems
 * on which a sweep searched are a setting of their own: agents met different numbers of them. */
static xp_status cut_key(const char *directory, const char *key, entry *into, xp_error *error) {
    const char *problem = strchr(key, '/');
    const char *expert = problem != NULL ? strchr(problem + 1, '/') : NULL;
    const char *shape = expert != NULL ? strchr(expert + 1, '/') : NULL;
    const char *agent = shape != NULL ? strchr(shape + 1, '/') : NULL;
    if (agent == NULL) {
        return xp_error_set(error, XP_ERR_FILE, "'%s': '%.200s' is not the key of a unit",
                            directory, key);
    }
    into->problem = strtoull(problem + 1, NULL, 10);
    const char *search = into->problem >= XP__SWEEP_SELECTING ? ",search" : "";
    const size_t head = (size_t)(problem - key), rest = (size_t)(agent - expert);
    into->setting = xp__alloc(strlen(key) + strlen(search) + 2, 1);
    if (into->setting == NULL) {
        return xp__no_memory(error);
    }
    memcpy(into->setting, key, head);
    memcpy(into->setting + head, expert, rest);
    strcpy(into->setting + head + rest, search);
    into->agent = into->setting + head + rest + strlen(search) + 1;
    strcpy(into->agent, agent + 1);
    return XP_OK;
}

/* A whole number behind a word of the shape; 0 if the word is not there. */
static size_t number_in(const char *setting, const char *word) {
    const char *shape = strrchr(setting, '/');
    const char *at = shape != NULL ? strstr(shape, word) : NULL;
    return at != NULL ? (size_t)strtoull(at + strlen(word), NULL, 10) : 0;
}

/* What was kept of the tasks: returns of all episodes, then an evaluation. */
static void read_numbers(entry *into, const double *numbers, size_t count) {
    const char *shape = strrchr(into->setting, '/');
    const size_t tasks = number_in(into->setting, ",tasks=");
    const bool returns = shape != NULL && strstr(shape, ",returns") != NULL;
    const size_t episodes = returns ? number_in(into->setting, ",t=") : 0;
    const bool evaluated = number_in(into->setting, ",evaluation=") > 0;
    /* Evaluations of earlier versions were shorter; the exact value is the first in all. */
    const size_t each = tasks > 0 ? count / tasks : 0;
    if (each == 0 || count != tasks * each || each < episodes + (evaluated ? 1 : 0)) {
        return;
    }
    double sum = 0, exact = 0;
    for (size_t task = 0; task < tasks; task++) {
        for (size_t t = 0; t < episodes; t++) {
            sum += numbers[task * each + t];
        }
        exact += evaluated ? numbers[task * each + episodes] : 0;
    }
    into->value[RETURN] = episodes > 0 ? sum / (double)(tasks * episodes) : NAN;
    into->value[EXACT] = evaluated ? exact / (double)tasks : NAN;
}

static xp_status add(void *context, const xp__stored *stored, xp_error *error) {
    entries *self = context;
    entry *grown = xp__reserve(self->all, &self->room, self->count + 1, sizeof *self->all);
    if (grown == NULL) {
        return xp__no_memory(error);
    }
    self->all = grown;
    const double failed = stored->result.fallback == XP__UNIT_FAILED;
    entry made = {.seed = stored->seed, .value = {stored->result.regret, NAN, NAN, failed}};
    const xp_status status = cut_key(self->directory, stored->key, &made, error);
    if (status != XP_OK) {
        return status;
    }
    read_order(stored->version, stored->revision, made.order);
    read_numbers(&made, stored->numbers, stored->count);
    self->all[self->count++] = made;
    return XP_OK;
}

static int compare_place(const entry *a, const entry *b) {
    const int setting = strcmp(a->setting, b->setting);
    const int agent = setting != 0 ? setting : strcmp(a->agent, b->agent);
    return agent != 0                 ? agent
           : a->problem != b->problem ? (a->problem > b->problem) - (a->problem < b->problem)
                                      : (a->seed > b->seed) - (a->seed < b->seed);
}

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    const int place = compare_place(a, b);
    for (size_t i = 0; place == 0 && i < ORDER; i++) {
        if (a->order[i] != b->order[i]) {
            return a->order[i] > b->order[i] ? 1 : -1;
        }
    }
    return place;
}

/* Sorted, and of the same unit only the latest. */
static xp_status load(const char *directory, entries *self, xp_error *error) {
    xp__store *store = NULL;
    self->directory = directory;
    xp_status status = xp__store_open(directory, 1, false, &store, error);
    if (status == XP_OK) {
        status = xp__store_each(store, add, self, error);
        self->damaged = xp__store_damaged(store);
    }
    xp__store_close(store);
    if (status != XP_OK) {
        return status;
    }
    if (self->count == 0 || self->all == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "'%s' has no finished units", directory);
    }
    qsort(self->all, self->count, sizeof *self->all, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        const bool later =
            i + 1 < self->count && compare_place(&self->all[i], &self->all[i + 1]) == 0;
        if (later) {
            xp__free(self->all[i].setting);
        } else {
            self->all[kept++] = self->all[i];
        }
    }
    self->count = kept;
    return status;
}

/* Sums over the pairs of one agent in one setting. */
typedef struct pairs {
    const entry *of;
    xp__moments before[MEASURES], after[MEASURES], gap[MEASURES];
    size_t identical[MEASURES];
} pairs;

static void add_pair(pairs *sums, const entry *a, const entry *b) {
    for (size_t m = 0; m < MEASURES; m++) {
        if (!isnan(a->value[m]) && !isnan(b->value[m])) {
            xp__moments_add(&sums->before[m], a->value[m]);
            xp__moments_add(&sums->after[m], b->value[m]);
            xp__moments_add(&sums->gap[m], b->value[m] - a->value[m]);
            sums->identical[m] += a->value[m] == b->value[m];
        }
    }
}

static xp_status conclude(const pairs *sums, xp_comparison *made, size_t *room, xp_error *error) {
    for (size_t m = 0; sums->of != NULL && m < MEASURES; m++) {
        const bool none_failed =
            m == FAILURE && sums->before[m].mean == 0 && sums->after[m].mean == 0;
        if (sums->gap[m].n == 0 || none_failed) {
            continue;
        }
        xp_store_change *grown = xp__reserve(made->rows, room, made->count + 1, sizeof *made->rows);
        if (grown == NULL) {
            return xp__no_memory(error);
        }
        made->rows = grown;
        const xp__mean gap = xp__moments_mean(&sums->gap[m]);
        const bool same = sums->identical[m] == gap.n;
        const double margin = same ? 0 : xp__mean_margin(&gap);
        made->rows[made->count++] = (xp_store_change){.setting = sums->of->setting,
                                                      .agent = sums->of->agent,
                                                      .measure = measure_name[m],
                                                      .problems = gap.n,
                                                      .identical = sums->identical[m],
                                                      .before = sums->before[m].mean,
                                                      .after = sums->after[m].mean,
                                                      .difference = gap.mean,
                                                      .low = gap.mean - margin,
                                                      .high = gap.mean + margin};
    }
    return XP_OK;
}

/* Walks both lists in their common order. */
static xp_status pair_up(const entries *a, const entries *b, xp_comparison *made, xp_error *error) {
    pairs sums = {.of = NULL};
    size_t i = 0, j = 0, room = 0;
    xp_status status = XP_OK;
    while (status == XP_OK && i < a->count && j < b->count) {
        const int order = compare_place(&a->all[i], &b->all[j]);
        if (order == 0) {
            const entry *of = &a->all[i];
            if (sums.of == NULL || strcmp(sums.of->setting, of->setting) != 0 ||
                strcmp(sums.of->agent, of->agent) != 0) {
                status = conclude(&sums, made, &room, error);
                sums = (pairs){.of = of};
            }
            add_pair(&sums, of, &b->all[j]);
            made->both++;
        }
        made->only_before += order < 0;
        made->only_after += order > 0;
        i += order <= 0;
        j += order >= 0;
    }
    made->only_before += a->count - i;
    made->only_after += b->count - j;
    return status == XP_OK ? conclude(&sums, made, &room, error) : status;
}

xp_status xp_comparison_create(const char *before, const char *after, xp_comparison **comparison,
                               xp_error *error) {
    XP__NOT_NULL(comparison, error);
    *comparison = NULL;
    XP__NOT_NULL(before, error);
    XP__NOT_NULL(after, error);
    xp_comparison *made = xp__alloc(1, sizeof *made);
    entries *kept = xp__alloc(1, sizeof *kept); /* rows borrow their texts */
    entries other = {.count = 0};
    xp_status status = made != NULL && kept != NULL ? XP_OK : xp__no_memory(error);
    if (made != NULL) {
        made->arena = kept;
    } else {
        xp__free(kept);
    }
    if (status == XP_OK) {
        status = load(before, kept, error);
    }
    if (status == XP_OK) {
        status = load(after, &other, error);
    }
    if (status == XP_OK) {
        made->damaged = kept->damaged + other.damaged;
        status = pair_up(kept, &other, made, error);
    }
    entries_deinit(&other);
    if (status != XP_OK) {
        xp_comparison_destroy(made);
        return status;
    }
    *comparison = made;
    return XP_OK;
}

void xp_comparison_destroy(xp_comparison *comparison) {
    if (comparison != NULL) {
        if (comparison->arena != NULL) {
            entries_deinit(comparison->arena);
            xp__free(comparison->arena);
        }
        xp__free(comparison->rows);
        xp__free(comparison);
    }
}
