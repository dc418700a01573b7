/* history.c: reads the actions and rewards of one task. Rewards are finite, actions in range. */
#include "experior/history.h"

#include "base/check.h"
#include "base/text/csv.h"
#include "base/grow.h"
#include "base/text/jsonl.h"
#include "base/text/scan.h"
#include "demos/action.h"

#include <math.h>
#include <string.h>

typedef struct decision {
    double reward;
    uint64_t line;
    size_t action;
} decision;

struct xp_history {
    char *name; /* the file, for messages */
    decision *decisions;
    size_t count, room;
};

typedef struct reader {
    xp__lines lines;
    xp__tokens names; /* empty when actions are numbers */
    size_t actions;
    xp_history *history;
} reader;

static xp_status add(reader *self, const char *action, size_t length, double reward,
                     xp_error *error) {
    xp_history *history = self->history;
    decision *moved =
        xp__reserve(history->decisions, &history->room, history->count + 1, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    history->decisions = moved;
    decision made = {.reward = reward + 0.0, .line = self->lines.line};
    xp_error inner;
    if (xp__action_find(&self->names, self->actions, action, length, &made.action, &inner) !=
        XP_OK) {
        return xp__lines_fail(&self->lines, error, "%s", inner.message);
    }
    history->decisions[history->count++] = made;
    return XP_OK;
}

static xp_status read_header(const xp__csv *csv, size_t *action, size_t *reward, xp_error *error) {
    size_t seen[2] = {0, 0}; /* column + 1 */
    static const char *const known[2] = {"action", "reward"};
    for (size_t i = 0; i < csv->count; i++) {
        const char *name = xp__csv_text(csv, i);
        const size_t which = xp__scan_same(name, known[0]) ? 0 : 1;
        if (!xp__scan_same(name, known[which])) {
            char shown[XP__SHOWN];
            return xp__lines_fail(csv->lines, error,
                                  "unknown column '%s'; the header of a history is action,reward",
                                  xp__show(shown, name, xp__csv_length(csv, i)));
        }
        if (seen[which] != 0) {
            return xp__lines_fail(csv->lines, error, "column '%s' appears twice", known[which]);
        }
        seen[which] = i + 1;
    }
    for (size_t which = 0; which < 2; which++) {
        if (seen[which] == 0) {
            return xp__lines_fail(csv->lines, error, "column '%s' is missing", known[which]);
        }
    }
    *action = seen[0] - 1;
    *reward = seen[1] - 1;
    return XP_OK;
}

static xp_status read_row(reader *self, const xp__csv *csv, size_t action_column,
                          size_t reward_column, xp_error *error) {
    double reward;
    if (!xp__scan_finite(xp__csv_text(csv, reward_column), &reward)) {
        char shown[XP__SHOWN];
        return xp__lines_fail(
            csv->lines, error, "reward = '%s' is not a finite number",
            xp__show(shown, xp__csv_text(csv, reward_column), xp__csv_length(csv, reward_column)));
    }
    return add(self, xp__csv_text(csv, action_column), xp__csv_length(csv, action_column), reward,
               error);
}

static xp_status read_csv(reader *self, xp_error *error) {
    xp__csv csv = xp__csv_over(&self->lines);
    size_t action = 0, reward = 0;
    xp_status status = xp__csv_next(&csv, error);
    if (status == XP_OK) {
        status = read_header(&csv, &action, &reward, error);
    }
    while (status == XP_OK) {
        status = xp__csv_next(&csv, error);
        if (status != XP_OK || csv.count == 0) {
            break;
        }
        status = xp__csv_expect(&csv, 2, error);
        if (status == XP_OK) {
            status = read_row(self, &csv, action, reward, error);
        }
    }
    xp__csv_deinit(&csv);
    return status;
}

static xp_status read_object(reader *self, json_t *object, xp_error *error) {
    const json_t *action = json_object_get(object, "action");
    const json_t *reward = json_object_get(object, "reward");
    if (action == NULL || reward == NULL || json_object_size(object) != 2) {
        return xp__lines_fail(&self->lines, error,
                              "is not an object with the keys 'action' and 'reward' and no other");
    }
    if (!json_is_number(reward)) { /* jansson has no infinite numbers */
        char shown[XP__SHOWN];
        return xp__lines_fail(&self->lines, error, "reward = %s is not a finite number",
                              xp__jsonl_show(shown, reward));
    }
    char digits[XP__JSONL_NUMBER];
    const char *text;
    size_t length;
    const xp_status status =
        xp__jsonl_action(&self->lines, action, "action", digits, &text, &length, error);
    return status == XP_OK ? add(self, text, length, json_number_value(reward), error) : status;
}

static xp_status read_jsonl(reader *self, xp_error *error) {
    xp_status status = xp__lines_next(&self->lines, error);
    while (status == XP_OK && self->lines.text != NULL) {
        json_t *object;
        status = xp__jsonl_object(&self->lines, &object, error);
        if (status == XP_OK) {
            status = read_object(self, object, error);
            json_decref(object);
        }
        if (status == XP_OK) {
            status = xp__lines_next(&self->lines, error);
        }
    }
    return status;
}

static xp_status prepare(reader *self, const char *const *names, xp_error *error) {
    self->history = xp__alloc(1, sizeof *self->history);
    if (self->history == NULL) {
        return xp__no_memory(error);
    }
    self->history->name = xp__strdup(self->lines.name);
    if (self->history->name == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && names != NULL && i < self->actions; i++) {
        status = xp__tokens_add(&self->names, names[i], strlen(names[i]), error);
    }
    return status;
}

static xp_status check(const reader *self, const char *const *names, xp_error *error) {
    if (self->actions == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "a history needs at least one action");
    }
    for (size_t i = 0; names != NULL && i < self->actions; i++) {
        if (names[i] == NULL) {
            return xp_error_set(error, XP_ERR_INPUT, "the name of action %zu is NULL", i);
        }
    }
    return XP_OK;
}

/* Reads all of self->lines, and closes it. */
static xp_status load(reader *self, const char *const *names, xp_history **history,
                      xp_error *error) {
    xp_status status = check(self, names, error);
    if (status == XP_OK) {
        status = prepare(self, names, error);
    }
    if (status == XP_OK) {
        status = xp__lines_next(&self->lines, error);
    }
    const char *text = self->lines.text;
    if (status == XP_OK && text != NULL) {
        const bool json = text[strspn(text, " \t")] == '{';
        xp__lines_unread(&self->lines);
        status = json ? read_jsonl(self, error) : read_csv(self, error);
    }
    xp__lines_close(&self->lines);
    xp__tokens_deinit(&self->names);
    if (status != XP_OK) {
        xp_history_destroy(self->history);
        return status;
    }
    *history = self->history;
    return XP_OK;
}

xp_status xp_history_load(const char *path, size_t actions, const char *const *names,
                          xp_history **history, xp_error *error) {
    XP__NOT_NULL(history, error);
    *history = NULL;
    XP__NOT_NULL(path, error);
    reader self = {.actions = actions};
    const xp_status status = xp__lines_open(&self.lines, path, error);
    return status == XP_OK ? load(&self, names, history, error) : status;
}

xp_status xp_history_parse(const char *text, size_t bytes, const char *name, size_t actions,
                           const char *const *names, xp_history **history, xp_error *error) {
    XP__NOT_NULL(history, error);
    *history = NULL;
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(name, error);
    reader self = {.actions = actions};
    const xp_status status = xp__lines_open_memory(&self.lines, text, bytes, name, error);
    return status == XP_OK ? load(&self, names, history, error) : status;
}

void xp_history_destroy(xp_history *history) {
    if (history != NULL) {
        xp__free(history->name);
        xp__free(history->decisions);
        xp__free(history);
    }
}

size_t xp_history_count(const xp_history *history) {
    return history != NULL ? history->count : 0;
}

size_t xp_history_action(const xp_history *history, size_t index) {
    return index < xp_history_count(history) ? history->decisions[index].action : SIZE_MAX;
}

double xp_history_reward(const xp_history *history, size_t index) {
    return index < xp_history_count(history) ? history->decisions[index].reward : NAN;
}

xp_status xp_history_require_binary(const xp_history *history, xp_error *error) {
    XP__NOT_NULL(history, error);
    for (size_t i = 0; i < history->count; i++) {
        const decision *one = &history->decisions[i];
        if (one->reward != 0 && one->reward != 1) {
            const xp__lines place = {.name = history->name, .line = one->line};
            return xp__lines_fail(&place, error, "reward = %g is not 0 or 1", one->reward);
        }
    }
    return XP_OK;
}
