/* history.c: reads the actions and rewards of one task. Rewards are finite, actions in range.
 *
 * Decisions that are alike are kept once, with their number: a row of trials and successes is two
 * entries at most, or three for a sum that is not whole. */
#include "experior/history.h"

#include "base/check.h"
#include "base/grow.h"
#include "base/text/lines.h"
#include "base/text/scan.h"
#include "demos/action.h"
#include "table/table.h"
#include "table/values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Decisions first .. first + times - 1 of the history. */
typedef struct run {
    double reward;
    uint64_t line;
    size_t action, first;
} run;

struct xp_history {
    char *name; /* the file, for messages */
    run *runs;
    size_t run_count, room;
    size_t count; /* decisions */
    uint64_t pending;
    bool summed;
};

enum { ACTION, REWARD, TRIALS, SUCCESSES, SUM, KNOWN };
enum { DECISIONS_MAX = 1000000000 }; /* whoever replays a history takes them one by one */
static const char *const known[KNOWN] = {"action", "reward", "trials", "successes", "sum"};

typedef struct reader {
    xp__table table;
    xp__tokens names; /* empty when actions are numbers */
    size_t actions;
    size_t column[KNOWN];
    size_t count;            /* a column that may say how often each row occurred; SIZE_MAX: none */
    uint64_t last;           /* of it */
    bool whole, rises, ones; /* all of it so far */
    xp_history *history;
} reader;

static xp_status find_columns(reader *self, xp_error *error) {
    static const char shape[] =
        "the header of a history is action,reward or action,trials,successes or action,trials,sum";
    for (size_t which = 0; which < KNOWN; which++) {
        self->column[which] = SIZE_MAX;
        for (size_t i = 0; i < self->table.columns; i++) {
            if (!xp__scan_same(xp__table_name(&self->table, i), known[which])) {
                continue;
            }
            if (self->column[which] != SIZE_MAX) {
                return xp__table_fail(&self->table, error, "column '%s' appears twice",
                                      known[which]);
            }
            self->column[which] = i;
        }
    }
    const size_t *column = self->column;
    const bool counted = column[TRIALS] != SIZE_MAX;
    const size_t outcome = counted ? (column[SUCCESSES] != SIZE_MAX ? SUCCESSES : SUM) : REWARD;
    if (column[ACTION] == SIZE_MAX || column[outcome] == SIZE_MAX) {
        return xp__table_fail(&self->table, error, "column '%s' is missing; %s",
                              column[ACTION] == SIZE_MAX ? known[ACTION]
                              : counted                  ? "successes' or 'sum"
                                                         : known[REWARD],
                              shape);
    }
    if (counted && (column[REWARD] != SIZE_MAX ||
                    (column[SUCCESSES] != SIZE_MAX && column[SUM] != SIZE_MAX))) {
        return xp__table_fail(&self->table, error, "has more than one column of outcomes; %s",
                              shape);
    }
    return XP_OK;
}

/* A column of counts beside rewards: rows that each stand for several decisions. */
static void find_count(reader *self) {
    static const char *const words[] = {"count", "counts", "n", "cnt", "freq", "frequency"};
    self->count = SIZE_MAX;
    self->whole = self->rises = self->ones = true;
    for (size_t i = 0; i < self->table.columns && self->column[TRIALS] == SIZE_MAX; i++) {
        for (size_t j = 0; j < sizeof words / sizeof words[0]; j++) {
            self->count =
                xp__scan_same(xp__table_name(&self->table, i), words[j]) ? i : self->count;
        }
    }
}

/* Numbers that rise from row to row are no counts. */
static void watch_count(reader *self) {
    uint64_t value = 0;
    if (self->count == SIZE_MAX) {
        return;
    }
    const xp__cell *cell = &self->table.cells[self->count];
    self->whole = self->whole && !cell->nested && xp__read_count(cell->text, cell->length, &value);
    self->rises = self->rises && (self->table.rows < 2 || value > self->last);
    self->ones = self->ones && value == 1;
    self->last = value;
}

static xp_status check_count(const reader *self, xp_error *error) {
    const bool counts = self->count != SIZE_MAX && self->whole && !self->ones &&
                        (!self->rises || self->table.rows < 2);
    return counts && self->table.rows > 0
               ? xp__table_fail_file(&self->table, error,
                                     "column '%.60s' may say how often each row occurred; write "
                                     "action,trials,successes or action,trials,sum, or leave the "
                                     "column out",
                                     xp__table_name(&self->table, self->count))
               : XP_OK;
}

static xp_status fail_cell(const reader *self, size_t which, const char *what, xp_error *error) {
    const xp__cell *cell = &self->table.cells[self->column[which]];
    char shown[XP__SHOWN];
    const char *hint = cell->nested ? NULL : xp__number_hint(cell->text);
    return xp__table_fail(&self->table, error, "%s = '%s' %s%s%s", known[which],
                          cell->nested ? "..." : xp__show(shown, cell->text, cell->length), what,
                          hint != NULL ? ": it " : "", hint != NULL ? hint : "");
}

static bool is_missing(const reader *self, size_t which) {
    const xp__cell *cell = &self->table.cells[self->column[which]];
    return !cell->nested && xp__is_missing(cell->text, cell->length);
}

/* A number; true and false are 1 and 0. */
static xp_status read_real(const reader *self, size_t which, double *value, xp_error *error) {
    const char *text = self->table.cells[self->column[which]].text;
    if (xp__scan_same(text, "true") || xp__scan_same(text, "false")) {
        *value = xp__scan_same(text, "true");
        return XP_OK;
    }
    return xp__read_real(text, value) ? XP_OK
                                      : fail_cell(self, which, "is not a finite number", error);
}

static xp_status read_whole(const reader *self, size_t which, uint64_t *value, xp_error *error) {
    const xp__cell *cell = &self->table.cells[self->column[which]];
    return !cell->nested && xp__read_count(cell->text, cell->length, value)
               ? XP_OK
               : fail_cell(self, which, "is not a whole number from 0 to 2^53", error);
}

/* The action as it is written, or as the whole number that it is (3.0). */
static xp_status read_action(const reader *self, size_t *action, xp_error *error) {
    const xp__cell *cell = &self->table.cells[self->column[ACTION]];
    xp_error inner;
    if (cell->nested || is_missing(self, ACTION)) {
        return xp__table_fail(&self->table, error, "action is %s",
                              cell->nested ? "a list or an object" : "missing");
    }
    if (xp__action_find(&self->names, self->actions, cell->text, cell->length, action, &inner) ==
        XP_OK) {
        return XP_OK;
    }
    char digits[24];
    uint64_t whole;
    if (!xp__is_code(cell->text) && xp__read_count(cell->text, cell->length, &whole)) {
        const int length = snprintf(digits, sizeof digits, "%" PRIu64, whole);
        if (xp__action_find(&self->names, self->actions, digits, (size_t)length, action, NULL) ==
            XP_OK) {
            return XP_OK;
        }
    }
    return xp__table_fail(&self->table, error, "%s", inner.message);
}

static xp_status add(reader *self, size_t action, double reward, uint64_t times, xp_error *error) {
    xp_history *history = self->history;
    if (times == 0) {
        return XP_OK;
    }
    if (times > DECISIONS_MAX - history->count) {
        return xp__table_fail(&self->table, error, "makes more than 10^9 decisions in all");
    }
    run *moved = xp__reserve(history->runs, &history->room, history->run_count + 1, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    history->runs = moved;
    moved[history->run_count++] = (run){.reward = reward + 0.0, /* no -0 */
                                        .line = self->table.line,
                                        .action = action,
                                        .first = history->count};
    history->count += times;
    return XP_OK;
}

/* So many trials with this sum, told as rewards that are as equal as whole numbers can be (and one
 * that is not whole, if the sum is not): in [0, 1] they are zeros and ones. */
static xp_status add_sum(reader *self, size_t action, double sum, uint64_t trials,
                         xp_error *error) {
    self->history->summed = true;
    if (trials == 0) {
        return sum == 0 ? XP_OK : fail_cell(self, SUM, "is the sum of no trials", error);
    }
    const double base = floor(sum / (double)trials);
    const double rest = fmin(fmax(sum - base * (double)trials, 0), (double)trials);
    const uint64_t more = (uint64_t)rest;
    const double part = more < trials ? rest - (double)more : 0;
    xp_status status = add(self, action, base + 1, more, error);
    if (status == XP_OK) {
        status = add(self, action, base + part, part > 0, error);
    }
    return status == XP_OK ? add(self, action, base, trials - more - (part > 0), error) : status;
}

static xp_status read_counted(reader *self, size_t action, xp_error *error) {
    uint64_t trials, successes;
    xp_status status = read_whole(self, TRIALS, &trials, error);
    if (status != XP_OK) {
        return status;
    }
    if (self->column[SUM] != SIZE_MAX) {
        double sum;
        status = read_real(self, SUM, &sum, error);
        return status == XP_OK ? add_sum(self, action, sum, trials, error) : status;
    }
    status = read_whole(self, SUCCESSES, &successes, error);
    if (status == XP_OK && successes > trials) {
        return fail_cell(self, SUCCESSES, "is more than the trials", error);
    }
    if (status == XP_OK) {
        status = add(self, action, 1, successes, error);
    }
    return status == XP_OK ? add(self, action, 0, trials - successes, error) : status;
}

/* A row; one without an outcome is pending, one without anything is nothing. */
static xp_status read_row(reader *self, xp_error *error) {
    const size_t *column = self->column;
    const size_t outcome = column[TRIALS] == SIZE_MAX      ? REWARD
                           : column[SUCCESSES] != SIZE_MAX ? SUCCESSES
                                                           : SUM;
    const bool waits = is_missing(self, outcome);
    size_t action = 0;
    if (waits && is_missing(self, ACTION)) {
        return XP_OK;
    }
    xp_status status = read_action(self, &action, error);
    if (status != XP_OK || waits) {
        self->history->pending += status == XP_OK;
        return status;
    }
    if (outcome != REWARD) {
        return read_counted(self, action, error);
    }
    double reward;
    status = read_real(self, REWARD, &reward, error);
    return status == XP_OK ? add(self, action, reward, 1, error) : status;
}

static xp_status prepare(reader *self, const char *const *names, xp_error *error) {
    self->history = xp__alloc(1, sizeof *self->history);
    if (self->history == NULL) {
        return xp__no_memory(error);
    }
    self->history->name = xp__strdup(self->table.source.name);
    if (self->history->name == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && names != NULL && i < self->actions; i++) {
        status = xp__tokens_add(&self->names, names[i], strlen(names[i]), error);
    }
    return status;
}

static xp_status check(size_t actions, const char *const *names, xp_error *error) {
    if (actions == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "a history needs at least one action");
    }
    for (size_t i = 0; names != NULL && i < actions; i++) {
        if (names[i] == NULL) {
            return xp_error_set(error, XP_ERR_INPUT, "the name of action %zu is NULL", i);
        }
    }
    return XP_OK;
}

static xp_status read_rows(reader *self, xp_error *error) {
    xp__table *table = &self->table;
    if (table->cells == NULL) { /* nothing yet */
        return XP_OK;
    }
    if (!table->objects && table->dialect.format != XP__DELIMITED) {
        return xp__table_fail(table, error,
                              "is not an object such as {\"action\": \"A\", \"reward\": 1}");
    }
    xp_status status = find_columns(self, error);
    if (status == XP_OK) {
        find_count(self);
        status = xp__table_next(table, error);
    }
    while (status == XP_OK && table->cells != NULL) {
        watch_count(self);
        status = read_row(self, error);
        if (status == XP_OK) {
            status = xp__table_next(table, error);
        }
    }
    return status == XP_OK ? check_count(self, error) : status;
}

/* Reads a source that is open, and closes it. */
static xp_status load(xp__source *source, size_t actions, const char *const *names,
                      xp_history **history, xp_error *error) {
    static const char *const wanted[] = {"action"};
    const xp__dialect_wish wish = {'\0', wanted, 1};
    reader self = {.actions = actions};
    xp_status status = xp__table_open(&self.table, source, &wish, error);
    if (status != XP_OK) {
        return status;
    }
    status = prepare(&self, names, error);
    if (status == XP_OK) {
        status = read_rows(&self, error);
    }
    xp__table_close(&self.table);
    xp__tokens_deinit(&self.names);
    if (status != XP_OK) {
        xp_history_destroy(self.history);
        return status;
    }
    *history = self.history;
    return XP_OK;
}

xp_status xp_history_load(const char *path, size_t actions, const char *const *names,
                          xp_history **history, xp_error *error) {
    XP__NOT_NULL(history, error);
    *history = NULL;
    XP__NOT_NULL(path, error);
    xp__source source;
    xp_status status = check(actions, names, error);
    if (status == XP_OK) {
        status = xp__source_open(&source, path, error);
    }
    return status == XP_OK ? load(&source, actions, names, history, error) : status;
}

xp_status xp_history_parse(const char *text, size_t bytes, const char *name, size_t actions,
                           const char *const *names, xp_history **history, xp_error *error) {
    XP__NOT_NULL(history, error);
    *history = NULL;
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(name, error);
    xp__source source;
    xp_status status = check(actions, names, error);
    if (status == XP_OK) {
        status = xp__source_open_memory(&source, text, bytes, name, error);
    }
    return status == XP_OK ? load(&source, actions, names, history, error) : status;
}

void xp_history_destroy(xp_history *history) {
    if (history != NULL) {
        xp__free(history->name);
        xp__free(history->runs);
        xp__free(history);
    }
}

size_t xp_history_count(const xp_history *history) {
    return history != NULL ? history->count : 0;
}

/* The run that holds a decision: the last that begins at it or before. */
static const run *find(const xp_history *history, size_t index) {
    size_t low = 0, high = history->run_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(history->runs[middle].first <= index ? &low : &high) = middle;
    }
    return &history->runs[low];
}

size_t xp_history_action(const xp_history *history, size_t index) {
    return index < xp_history_count(history) ? find(history, index)->action : SIZE_MAX;
}

double xp_history_reward(const xp_history *history, size_t index) {
    return index < xp_history_count(history) ? find(history, index)->reward : NAN;
}

uint64_t xp_history_pending(const xp_history *history) {
    return history != NULL ? history->pending : 0;
}

bool xp_history_summed(const xp_history *history) {
    return history != NULL && history->summed;
}

xp_status xp_history_require_binary(const xp_history *history, xp_error *error) {
    XP__NOT_NULL(history, error);
    for (size_t i = 0; i < history->run_count; i++) {
        const run *one = &history->runs[i];
        if (one->reward != 0 && one->reward != 1) {
            const xp__lines place = {.name = history->name, .line = one->line};
            return xp__lines_fail(&place, error, "reward = %g is not 0 or 1", one->reward);
        }
    }
    return XP_OK;
}
