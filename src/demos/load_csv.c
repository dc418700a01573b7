/* load_csv.c: the three shapes of a CSV file of demonstrations.
 *
 *     action                              one demonstration of one action a line, header or not
 *     action,count                        the same, counted; a count of 0 only names an action
 *     demonstration,step,state…,action    one step a line
 *
 * Columns may stand in any order. The rows of a demonstration stand together and its steps count up
 * from 0, or from 1, the same in the whole file: so rows that were shuffled or interleaved are
 * found out without remembering every demonstration. */
#include "demos/demos_type.h"

#include "base/text/csv.h"
#include "base/grow.h"
#include "base/text/scan.h"

#include <inttypes.h>
#include <string.h>

enum { ACTION, COUNT, DEMONSTRATION, STEP, KNOWN_COLUMNS };
static const char *const known[KNOWN_COLUMNS] = {"action", "count", "demonstration", "step"};
static const size_t absent = SIZE_MAX;

typedef struct reader {
    xp__demos_loader *loader;
    xp__csv csv;
    xp__tokens header; /* column names; empty if there is no header */
    size_t columns, column[KNOWN_COLUMNS];
    size_t *state; /* the columns of a state, state_size of them */
    size_t state_size, state_room;
    char *id; /* the demonstration that is being read */
    size_t id_length, id_room;
    uint64_t step, first_step;
    bool begun;
} reader;

static xp_status unknown_column(const reader *self, const char *name, size_t length,
                                xp_error *error) {
    if (xp__scan_same(name, "reward") || xp__scan_same(name, "rewards")) {
        return xp__lines_fail(self->csv.lines, error,
                              "column '%s': demonstrations have no rewards, only states and "
                              "actions; leave it out",
                              name);
    }
    char shown[XP__SHOWN];
    return xp__lines_fail(self->csv.lines, error,
                          "unknown column '%s'; columns are demonstration, step, state..., action, "
                          "or action, count",
                          xp__show(shown, name, length));
}

/* Finds out what column `index` holds. */
static xp_status read_column(reader *self, size_t index, xp_error *error) {
    const char *name = xp__csv_text(&self->csv, index);
    const size_t length = xp__csv_length(&self->csv, index);
    size_t earlier;
    if (xp__tokens_find(&self->header, name, length, &earlier)) {
        char shown[XP__SHOWN];
        return xp__lines_fail(self->csv.lines, error, "column '%s' appears twice",
                              xp__show(shown, name, length));
    }
    const xp_status status = xp__tokens_add(&self->header, name, length, error);
    if (status != XP_OK) {
        return status;
    }
    for (size_t i = 0; i < KNOWN_COLUMNS; i++) {
        if (xp__scan_same(name, known[i])) {
            if (self->column[i] != absent) {
                return xp__lines_fail(self->csv.lines, error, "column '%s' appears twice",
                                      known[i]);
            }
            self->column[i] = index;
            return XP_OK;
        }
    }
    if (strncmp(name, "state", 5) != 0) {
        return unknown_column(self, name, length, error);
    }
    size_t *moved =
        xp__reserve(self->state, &self->state_room, self->state_size + 1, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    self->state = moved;
    self->state[self->state_size++] = index;
    return XP_OK;
}

static xp_status read_header(reader *self, xp_error *error) {
    self->columns = self->csv.count;
    for (size_t i = 0; i < self->columns; i++) {
        const xp_status status = read_column(self, i, error);
        if (status != XP_OK) {
            return status;
        }
    }
    const bool steps = self->column[DEMONSTRATION] != absent || self->column[STEP] != absent ||
                       self->state_size != 0;
    const bool wanted[KNOWN_COLUMNS] = {true, self->column[COUNT] != absent, steps, steps};
    for (size_t i = 0; i < KNOWN_COLUMNS; i++) {
        if (wanted[i] && self->column[i] == absent) {
            return xp__lines_fail(self->csv.lines, error, "column '%s' is missing", known[i]);
        }
    }
    if (steps && self->column[COUNT] != absent) {
        return xp__lines_fail(self->csv.lines, error,
                              "column 'count' goes with 'action' alone, not with steps");
    }
    return xp__demos_loader_check_size(self->loader, self->state_size, error);
}

static xp_status fail_field(const reader *self, size_t column, const char *what, xp_error *error) {
    char name[XP__SHOWN], shown[XP__SHOWN];
    (void)xp__show(name, xp__tokens_text(&self->header, column),
                   xp__tokens_length(&self->header, column));
    return xp__lines_fail(
        self->csv.lines, error, "%s = '%s' is not %s", name,
        xp__show(shown, xp__csv_text(&self->csv, column), xp__csv_length(&self->csv, column)),
        what);
}

static xp_status read_whole(const reader *self, size_t column, uint64_t *value, xp_error *error) {
    return xp__scan_whole(xp__csv_text(&self->csv, column), xp__csv_length(&self->csv, column),
                          XP__COUNT_MAX, value)
               ? XP_OK
               : fail_field(self, column, "a whole number from 0 to 2^53", error);
}

static xp_status read_action(const reader *self, xp_error *error) {
    const size_t column = self->column[ACTION];
    return xp__demos_loader_action(self->loader, xp__csv_text(&self->csv, column),
                                   xp__csv_length(&self->csv, column), error);
}

/* A row that is a whole demonstration: an action, perhaps with a count. */
static xp_status read_single(reader *self, xp_error *error) {
    uint64_t count = 1;
    xp_status status = read_action(self, error);
    if (status == XP_OK && self->column[COUNT] != absent) {
        status = read_whole(self, self->column[COUNT], &count, error);
    }
    return status == XP_OK ? xp__demos_loader_end(self->loader, 0, count, error) : status;
}

static xp_status end_demonstration(reader *self, xp_error *error) {
    return self->begun ? xp__demos_loader_end(self->loader, self->state_size, 1, error) : XP_OK;
}

/* Ends the demonstration before and notes the name of the one that begins. */
static xp_status begin_demonstration(reader *self, uint64_t step, xp_error *error) {
    const char *id = xp__csv_text(&self->csv, self->column[DEMONSTRATION]);
    const size_t length = xp__csv_length(&self->csv, self->column[DEMONSTRATION]);
    if (length == 0) {
        return xp__lines_fail(self->csv.lines, error, "demonstration is empty");
    }
    if (!self->begun && step > 1) {
        return xp__lines_fail(self->csv.lines, error,
                              "step = '%" PRIu64 "' cannot be the first: steps start at 0 or 1",
                              step);
    }
    self->first_step = self->begun ? self->first_step : step;
    if (step != self->first_step) {
        char shown[XP__SHOWN];
        return xp__lines_fail(self->csv.lines, error,
                              "demonstration '%s' starts at step %" PRIu64 ", expected %" PRIu64
                              " (the rows of a demonstration must stand together)",
                              xp__show(shown, id, length), step, self->first_step);
    }
    char *moved = xp__reserve(self->id, &self->id_room, length, 1);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    self->id = moved;
    const xp_status status = end_demonstration(self, error);
    memcpy(self->id, id, length);
    self->id_length = length;
    self->begun = true;
    return status;
}

static xp_status read_states(reader *self, xp_error *error) {
    xp__demos_loader *loader = self->loader;
    const xp_status status =
        xp__demos_loader_states(loader, self->state_size, loader->length + 1, error);
    for (size_t i = 0; status == XP_OK && i < self->state_size; i++) {
        if (!xp__scan_finite(xp__csv_text(&self->csv, self->state[i]),
                             &loader->state[loader->length * self->state_size + i])) {
            return fail_field(self, self->state[i], "a finite number", error);
        }
    }
    return status == XP_OK
               ? xp__demos_loader_check_state(loader, self->state_size, loader->length, error)
               : status;
}

/* A row that is one step of a demonstration. */
static xp_status read_step(reader *self, xp_error *error) {
    uint64_t step;
    xp_status status = read_whole(self, self->column[STEP], &step, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t column = self->column[DEMONSTRATION];
    const bool goes_on = self->begun && self->id_length == xp__csv_length(&self->csv, column) &&
                         memcmp(self->id, xp__csv_text(&self->csv, column), self->id_length) == 0;
    if (!goes_on) {
        status = begin_demonstration(self, step, error);
    } else if (step != self->step + 1) {
        status = xp__lines_fail(self->csv.lines, error,
                                "step = '%" PRIu64 "' follows step %" PRIu64 ", expected %" PRIu64,
                                step, self->step, self->step + 1);
    }
    self->step = step;
    if (status == XP_OK) {
        status = read_states(self, error);
    }
    return status == XP_OK ? read_action(self, error) : status;
}

/* A list without header whose first line alone is no number most likely has a header of its own:
 * as an action it would be a silent mistake. */
static xp_status check_first_line(const reader *self, xp_error *error) {
    const xp__tokens *tokens = &self->loader->tokens;
    uint64_t whole;
    for (size_t i = 0; i < tokens->count; i++) {
        const bool number = xp__scan_whole(xp__tokens_text(tokens, i), xp__tokens_length(tokens, i),
                                           XP__ACTION_MAX - 1, &whole);
        if (number == (i == 0)) {
            return XP_OK;
        }
    }
    if (tokens->count < 2 || xp_demos_trajectory(self->loader->demos, 0).count != 1) {
        return XP_OK;
    }
    char shown[XP__SHOWN], sentence[160];
    (void)snprintf(sentence, sizeof sentence,
                   "starts with '%s' but all other actions are numbers; if that is a header, write "
                   "'action'",
                   xp__show(shown, xp__tokens_text(tokens, 0), xp__tokens_length(tokens, 0)));
    return xp__lines_fail_file(self->csv.lines, error, sentence);
}

static xp_status read_rows(reader *self, xp_error *error) {
    xp_status status = xp__csv_next(&self->csv, error);
    if (status != XP_OK) {
        return status;
    }
    const bool header = self->csv.count > 1 || xp__scan_same(xp__csv_text(&self->csv, 0), "action");
    if (header) {
        status = read_header(self, error);
        if (status == XP_OK) {
            status = xp__csv_next(&self->csv, error);
        }
        if (status == XP_OK && self->csv.count == 0) {
            return xp__lines_fail_file(self->csv.lines, error,
                                       "has a header but no demonstrations");
        }
    } else {
        self->columns = 1;
        self->column[ACTION] = 0;
        status = xp__demos_loader_check_size(self->loader, 0, error);
    }
    const bool steps = self->column[STEP] != absent;
    while (status == XP_OK && self->csv.count != 0) {
        status = xp__csv_expect(&self->csv, self->columns, error);
        if (status == XP_OK) {
            status = steps ? read_step(self, error) : read_single(self, error);
        }
        if (status == XP_OK) {
            status = xp__csv_next(&self->csv, error);
        }
    }
    if (status == XP_OK) {
        status = steps     ? end_demonstration(self, error)
                 : !header ? check_first_line(self, error)
                           : XP_OK;
    }
    return status;
}

xp_status xp__demos_read_csv(xp__demos_loader *loader, xp_error *error) {
    reader self = {.loader = loader, .csv = xp__csv_over(&loader->lines)};
    for (size_t i = 0; i < KNOWN_COLUMNS; i++) {
        self.column[i] = absent;
    }
    const xp_status status = read_rows(&self, error);
    xp__csv_deinit(&self.csv);
    xp__tokens_deinit(&self.header);
    xp__free(self.state);
    xp__free(self.id);
    return status;
}
