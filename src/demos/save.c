/* save.c: demonstrations as text that reads back as the same multiset, names and numbering
 * included.
 *
 * CSV writes every demonstration, one step a line; it cannot tell of an action that nobody took.
 * JSONL writes each distinct trajectory once, with its count, and names untaken actions with a
 * count of 0. */
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/text/csv.h"
#include "base/file.h"

#include <inttypes.h>
#include <string.h>

/* More lines than any disk wants: a count that large was meant for JSONL. */
#define CSV_STEPS_MAX UINT64_C(1000000000)

typedef struct output {
    FILE *stream;
    size_t line; /* bytes since the last line break */
    bool too_long;
} output;

static void put(output *out, const char *text, size_t length) {
    (void)fwrite(text, 1, length, out->stream);
    out->line += length;
    out->too_long = out->too_long || out->line > XP__LINE_MAX;
}

static void put_text(output *out, const char *text) {
    put(out, text, strlen(text));
}

static void put_whole(output *out, uint64_t value) {
    char digits[24];
    put(out, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value));
}

static void put_real(output *out, double value) {
    char text[32];
    if (value >= 0 && value < 10 && value == (double)(int)value) { /* most states are one digit */
        text[0] = (char)('0' + (int)value);
        put(out, text, 1);
    } else {
        put(out, text, xp__format_double(text, value));
    }
}

static void end_line(output *out) {
    put(out, "\n", 1);
    out->line = 0;
}

static void put_csv_field(output *out, const char *text) {
    if (!xp__csv_needs_quotes(text)) {
        put_text(out, text);
        return;
    }
    put(out, "\"", 1);
    for (; *text != '\0'; text++) {
        put(out, "\"\"", *text == '"' ? 1 : 0);
        put(out, text, 1);
    }
    put(out, "\"", 1);
}

static void put_csv_demonstration(output *out, const xp_demos *demos,
                                  const xp_trajectory *trajectory, uint64_t number) {
    for (size_t step = 0; step < trajectory->length; step++) {
        put_whole(out, number);
        put(out, ",", 1);
        put_whole(out, step);
        put(out, ",", 1);
        for (size_t i = 0; i < demos->state_size; i++) {
            put_real(out, trajectory->states[step * demos->state_size + i]);
            put(out, ",", 1);
        }
        const uint32_t action = trajectory->actions[step];
        if (demos->names.count != 0) {
            put_csv_field(out, xp_demos_action_name(demos, action));
        } else {
            put_whole(out, action);
        }
        end_line(out);
    }
}

/* Whether reading the trajectories in order meets the names in the order of their numbers: not so
 * if a name was given before anybody took the action, or nobody did. */
static bool names_appear_in_order(const xp_demos *demos) {
    size_t next = 0;
    for (size_t i = 0; i < demos->used && next < demos->names.count; i++) {
        if (demos->action[i] > next) {
            return false;
        }
        next += demos->action[i] == next ? 1 : 0;
    }
    return next == demos->names.count;
}

static xp_status write_csv(const xp_demos *demos, output *out, xp_error *error) {
    if (demos->steps > CSV_STEPS_MAX) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%" PRIu64 " steps are too many for CSV, one a line; JSONL counts them",
                            demos->steps);
    }
    if (!names_appear_in_order(demos)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "CSV cannot keep an action that was named before any demonstration "
                            "took it; JSONL can");
    }
    put_text(out, "demonstration,step,");
    for (size_t i = 0; i < demos->state_size; i++) {
        put_text(out, "state_");
        put_whole(out, i);
        put(out, ",", 1);
    }
    put_text(out, "action");
    end_line(out);
    uint64_t number = 0;
    for (size_t i = 0; i < demos->distinct; i++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, i);
        for (uint64_t copy = 0; copy < trajectory.count && !out->too_long; copy++) {
            put_csv_demonstration(out, demos, &trajectory, number++);
        }
    }
    return XP_OK;
}

static void put_json_action(output *out, const xp_demos *demos, size_t action) {
    if (demos->names.count == 0) {
        put_whole(out, action);
        return;
    }
    put(out, "\"", 1);
    for (const char *at = xp_demos_action_name(demos, action); *at != '\0'; at++) {
        char escape[8];
        if ((unsigned char)*at < 0x20) {
            put(out, escape,
                (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*at));
        } else {
            put(out, "\\", *at == '"' || *at == '\\' ? 1 : 0);
            put(out, at, 1);
        }
    }
    put(out, "\"", 1);
}

static void put_json_untaken(output *out, const xp_demos *demos, size_t action) {
    put_text(out, "{\"action\":");
    put_json_action(out, demos, action);
    put_text(out, ",\"count\":0}");
    end_line(out);
}

static void put_json_trajectory(output *out, const xp_demos *demos,
                                const xp_trajectory *trajectory) {
    const bool single = trajectory->length == 1 && demos->state_size == 0;
    put_text(out, single ? "{\"action\":" : "{\"actions\":[");
    for (size_t step = 0; step < trajectory->length; step++) {
        put(out, ",", step > 0 ? 1 : 0);
        put_json_action(out, demos, trajectory->actions[step]);
    }
    put(out, "]", single ? 0 : 1);
    if (demos->state_size != 0) {
        put_text(out, ",\"states\":[");
        for (size_t step = 0; step < trajectory->length; step++) {
            put_text(out, step > 0 ? ",[" : "[");
            for (size_t i = 0; i < demos->state_size; i++) {
                put(out, ",", i > 0 ? 1 : 0);
                put_real(out, trajectory->states[step * demos->state_size + i]);
            }
            put(out, "]", 1);
        }
        put(out, "]", 1);
    }
    put_text(out, ",\"count\":");
    put_whole(out, trajectory->count);
    put(out, "}", 1);
    end_line(out);
}

/* What trajectories alone would not tell comes first: names in their order; of plain numbers the
 * largest, if nobody took it. */
static void write_jsonl(const xp_demos *demos, output *out) {
    const bool numbered = demos->names.count == 0;
    bool told = numbered ? false : names_appear_in_order(demos);
    for (size_t i = 0; numbered && i < demos->used; i++) {
        told = told || demos->action[i] == demos->actions - 1;
    }
    for (size_t i = numbered ? demos->actions - 1 : 0; !told && i < demos->actions; i++) {
        put_json_untaken(out, demos, i);
    }
    for (size_t i = 0; i < demos->distinct && !out->too_long; i++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, i);
        put_json_trajectory(out, demos, &trajectory);
    }
}

xp_status xp__demos_write(const xp_demos *demos, FILE *stream, xp_demos_format format,
                          xp_error *error) {
    if (demos->count == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there are no demonstrations to save");
    }
    output out = {.stream = stream};
    xp_status status = XP_OK;
    if (format == XP_DEMOS_JSONL) {
        write_jsonl(demos, &out);
    } else {
        status = write_csv(demos, &out, error);
    }
    if (status == XP_OK && out.too_long) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "a line of this file would be longer than the %d bytes that can be "
                              "read back",
                              XP__LINE_MAX);
    }
    return status;
}

xp_status xp_demos_save(const xp_demos *demos, const char *path, xp_demos_format format,
                        xp_error *error) {
    XP__NOT_NULL(demos, error);
    XP__NOT_NULL(path, error);
    if (format != XP_DEMOS_CSV && format != XP_DEMOS_JSONL) {
        return xp_error_set(error, XP_ERR_INPUT, "format = %d is neither CSV nor JSONL",
                            (int)format);
    }
    xp__file_writer writer;
    xp_status status = xp__file_writer_open(&writer, path, error);
    if (status != XP_OK) {
        return status;
    }
    status = xp__demos_write(demos, writer.stream, format, error);
    if (status != XP_OK) {
        xp__file_writer_abandon(&writer);
        return status;
    }
    return xp__file_writer_commit(&writer, error);
}
