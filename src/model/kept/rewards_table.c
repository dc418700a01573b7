/* rewards_table.c: rewards of pending decisions from a table: CSV with the columns decision,reward,
 * or JSONL. The whole table is read before any reward counts. */
#include "model/kept/decisions_type.h"

#include "base/check.h"
#include "base/grow.h"
#include "base/text/csv.h"
#include "base/text/jsonl.h"
#include "base/text/scan.h"

#include <inttypes.h>
#include <string.h>

typedef struct table {
    xp__lines lines;
    uint64_t *ids, *line; /* of each reward: its decision, and where it stands */
    double *rewards;
    size_t count, room, id_room, line_room;
} table;

static xp_status add(table *self, uint64_t id, double reward, xp_error *error) {
    if (self->count == XP__PENDING_MOST) {
        return xp__lines_fail(&self->lines, error, "has more than %d rewards, the most at once",
                              (int)XP__PENDING_MOST);
    }
    const size_t need = self->count + 1;
    uint64_t *ids = xp__reserve(self->ids, &self->id_room, need, sizeof *ids);
    self->ids = ids != NULL ? ids : self->ids;
    uint64_t *line = xp__reserve(self->line, &self->line_room, need, sizeof *line);
    self->line = line != NULL ? line : self->line;
    double *rewards = xp__reserve(self->rewards, &self->room, need, sizeof *rewards);
    self->rewards = rewards != NULL ? rewards : self->rewards;
    if (ids == NULL || line == NULL || rewards == NULL) {
        return xp__no_memory(error);
    }
    ids[self->count] = id;
    line[self->count] = self->lines.line;
    rewards[self->count++] = reward;
    return XP_OK;
}

/* A text as the number of a decision. */
static xp_status read_id(const table *self, const char *text, size_t length, uint64_t *id,
                         xp_error *error) {
    char shown[XP__SHOWN];
    return xp__scan_whole(text, length, UINT64_MAX, id)
               ? XP_OK
               : xp__lines_fail(&self->lines, error,
                                "decision = '%s' is not the number of a decision",
                                xp__show(shown, text, length));
}

static xp_status read_header(const xp__csv *csv, size_t *decision, size_t *reward,
                             xp_error *error) {
    size_t found[2] = {0, 0}; /* column + 1 */
    static const char *const known[2] = {"decision", "reward"};
    for (size_t i = 0; i < csv->count; i++) {
        for (size_t which = 0; which < 2; which++) {
            if (xp__scan_same(xp__csv_text(csv, i), known[which])) {
                if (found[which] != 0) {
                    return xp__lines_fail(csv->lines, error, "column '%s' appears twice",
                                          known[which]);
                }
                found[which] = i + 1;
            }
        }
    }
    if (csv->count != 2 || found[0] == 0 || found[1] == 0) {
        return xp__lines_fail(csv->lines, error,
                              "the header of a table of rewards is decision,reward");
    }
    *decision = found[0] - 1;
    *reward = found[1] - 1;
    return XP_OK;
}

static xp_status read_csv(table *self, xp_error *error) {
    xp__csv csv = xp__csv_over(&self->lines);
    size_t decision = 0, reward = 0;
    xp_status status = xp__csv_next(&csv, error);
    if (status == XP_OK) {
        status = read_header(&csv, &decision, &reward, error);
    }
    while (status == XP_OK) {
        status = xp__csv_next(&csv, error);
        if (status != XP_OK || csv.count == 0) {
            break;
        }
        uint64_t id = 0;
        double value = 0;
        status = xp__csv_expect(&csv, 2, error);
        if (status == XP_OK) {
            status = read_id(self, xp__csv_text(&csv, decision), xp__csv_length(&csv, decision),
                             &id, error);
        }
        if (status == XP_OK && !xp__scan_finite(xp__csv_text(&csv, reward), &value)) {
            char shown[XP__SHOWN];
            status = xp__lines_fail(
                csv.lines, error, "reward = '%s' is not a finite number",
                xp__show(shown, xp__csv_text(&csv, reward), xp__csv_length(&csv, reward)));
        }
        if (status == XP_OK) {
            status = add(self, id, value, error);
        }
    }
    xp__csv_deinit(&csv);
    return status;
}

static xp_status read_object(table *self, const json_t *object, xp_error *error) {
    const json_t *decision = json_object_get(object, "decision");
    const json_t *reward = json_object_get(object, "reward");
    if (decision == NULL || reward == NULL || json_object_size(object) != 2) {
        return xp__lines_fail(
            &self->lines, error,
            "is not an object with the keys 'decision' and 'reward' and no other");
    }
    char shown[XP__SHOWN];
    if (!json_is_number(reward)) { /* jansson has no infinite numbers */
        return xp__lines_fail(&self->lines, error, "reward = %s is not a finite number",
                              xp__jsonl_show(shown, reward));
    }
    if (!json_is_integer(decision) || json_integer_value(decision) < 0) {
        return xp__lines_fail(&self->lines, error, "decision = %s is not the number of a decision",
                              xp__jsonl_show(shown, decision));
    }
    return add(self, (uint64_t)json_integer_value(decision), json_number_value(reward), error);
}

static xp_status read_jsonl(table *self, xp_error *error) {
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

static xp_status read_table(table *self, xp_error *error) {
    xp_status status = xp__lines_next(&self->lines, error);
    const char *text = self->lines.text;
    if (status == XP_OK && text != NULL) {
        const bool json = text[strspn(text, " \t")] == '{';
        xp__lines_unread(&self->lines);
        status = json ? read_jsonl(self, error) : read_csv(self, error);
    }
    return status;
}

xp_status xp_decisions_observe_table(xp_decisions *decisions, const char *text, size_t bytes,
                                     const char *name, size_t *count, xp_error *error) {
    XP__NOT_NULL(decisions, error);
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(name, error);
    table self = {.count = 0};
    xp_status status = xp__lines_open_memory(&self.lines, text, bytes, name, error);
    if (status != XP_OK) {
        return status;
    }
    status = read_table(&self, error);
    size_t at = 0;
    if (status == XP_OK && self.count > 0) {
        xp_error inner;
        status = xp__decisions_observe(decisions, self.ids, self.rewards, self.count, &at, &inner);
        if (status != XP_OK) {
            (void)xp_error_set(error, status, "%.120s:%" PRIu64 ": %.350s", name, self.line[at],
                               inner.message);
        }
    }
    if (status == XP_OK && count != NULL) {
        *count = self.count;
    }
    xp__lines_close(&self.lines);
    xp__free(self.ids);
    xp__free(self.line);
    xp__free(self.rewards);
    return status;
}
