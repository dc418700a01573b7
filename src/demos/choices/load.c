/* load.c: a table of choices from a file or from memory, and what was understood of it. */
#include "demos/choices/choices_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/text/scan.h"

#include <math.h>
#include <string.h>

void xp_choices_options_init(xp_choices_options *options, size_t size) {
    const xp_choices_options own = {.size = sizeof own};
    xp__options_give(options, size, &own, sizeof own);
}

static void deinit(xp__choices_reader *reader) {
    xp__table_close(&reader->table);
    xp__tokens_deinit(&reader->actions);
    xp__tokens_deinit(&reader->segments);
    xp__tokens_deinit(&reader->experts);
    for (size_t i = 0; i < 3; i++) {
        xp__free(reader->missing[i]);
    }
    xp__free(reader->order);
    xp__choice_cells_deinit(&reader->cells);
    xp__choice_cells_deinit(&reader->expert_cells);
}

/* The segments that have choices, numbered in the order of appearance; `map` from labels. */
static xp_status map_segments(const xp__choices_reader *reader, uint32_t *map, xp__tokens *names,
                              xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < reader->segments.count; i++) {
        map[i] = (uint32_t)names->count;
        if (!reader->missing[1][i]) {
            status = xp__tokens_add(names, xp__tokens_text(&reader->segments, i),
                                    xp__tokens_length(&reader->segments, i), error);
        }
    }
    return status;
}

static void add_cells(const xp__choices_reader *reader, const uint32_t *arm,
                      const uint32_t *segment, xp_choices *choices) {
    for (size_t i = 0; i < reader->cells.count; i++) {
        const xp__choice_cell *cell = &reader->cells.cells[i];
        const size_t at = segment[cell->segment] * choices->arms + arm[cell->arm];
        choices->count[at] += cell->count;
        if (choices->weight != NULL) {
            choices->weight[at] += cell->weight;
        }
    }
}

/* Effective choices per weight (Kish: (Σw)² / Σw² of them), and divided by what experts cost. */
static xp_status set_worth(const xp__choices_reader *reader, const uint32_t *segment,
                           const double *effect, xp_choices *choices, xp_error *error) {
    const size_t all = choices->segments;
    double *sums = xp__alloc(2 * (all + 1), sizeof *sums), *squares = sums + all + 1;
    if (sums == NULL) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < reader->cells.count; i++) {
        const xp__choice_cell *cell = &reader->cells.cells[i];
        sums[segment[cell->segment]] += cell->weight;
        squares[segment[cell->segment]] += cell->square;
        sums[all] += cell->weight;
        squares[all] += cell->square;
    }
    for (size_t s = 0; s <= all; s++) {
        choices->worth[s] = squares[s] > 0 ? sums[s] / squares[s] / effect[s] : 0;
    }
    const bool good = sums[all] > 0 && isfinite(squares[all]);
    xp__free(sums);
    return good ? XP_OK
                : xp__table_fail_file(&reader->table, error,
                                      "its weights add up to nothing, or to more than can be "
                                      "counted");
}

static xp_status keep_columns(const xp__choices_reader *reader, xp_choices *choices,
                              xp_error *error) {
    const xp__table *table = &reader->table;
    const size_t columns = choices->info.columns, digits = 24;
    size_t room = 1;
    for (size_t i = 0; i < columns; i++) {
        room += reader->header ? strlen(xp__table_name(table, i)) + 1 : digits;
    }
    choices->columns = xp__alloc(room, 1);
    choices->column_at = xp__alloc(columns + 1, sizeof *choices->column_at);
    if (choices->columns == NULL || choices->column_at == NULL) {
        return xp__no_memory(error);
    }
    size_t used = 0;
    for (size_t i = 0; i < columns; i++) {
        choices->column_at[i] = used;
        used += 1 + (reader->header
                         ? (size_t)snprintf(choices->columns + used, room - used, "%s",
                                            xp__table_name(table, i))
                         : (size_t)snprintf(choices->columns + used, room - used, "%zu", i + 1));
    }
    memcpy(choices->role, reader->role, sizeof reader->role);
    memcpy(choices->dropped, reader->dropped, sizeof reader->dropped);
    return XP_OK;
}

static void keep_info(const xp__choices_reader *reader, xp_choices *choices) {
    static const char *const formats[] = {"text", "JSON lines", "JSON array"};
    const xp__table *table = &reader->table;
    choices->info = (xp_choices_info){
        .format = formats[table->dialect.format],
        .encoding = table->source.encoding == XP__UTF8 ? "UTF-8" : "UTF-16",
        .compression = table->source.gzip ? "gzip" : NULL,
        .delimiter = table->dialect.format == XP__DELIMITED && table->columns > 1
                         ? table->dialect.delimiter
                         : '\0',
        .header = reader->header && !table->objects,
        .rows = table->rows,
        .columns = table->columns - (table->spare && !reader->count_seen),
        .comments = table->dialect.comments,
    };
    for (size_t i = 0; i < XP__DROPPED_REASONS; i++) {
        choices->info.dropped += reader->dropped[i];
    }
}

/* Everything but the names, which `arms` and `segments` hold. */
static xp_status fill(const xp__choices_reader *reader, const uint32_t *arm,
                      const uint32_t *segment, xp_choices *choices, xp_error *error) {
    const bool experts = reader->role[XP__ROLE_EXPERT] != SIZE_MAX;
    double *effect = xp__alloc(choices->segments + 1, sizeof *effect);
    keep_info(reader, choices);
    xp_status status = effect != NULL ? keep_columns(reader, choices, error) : xp__no_memory(error);
    if (status == XP_OK) {
        add_cells(reader, arm, segment, choices);
        status = xp__choices_find_drift(reader, arm, segment, choices, error);
        for (size_t s = 0; s <= choices->segments; s++) {
            effect[s] = 1;
        }
        if (status == XP_OK && experts) {
            status = xp__choices_compare_experts(reader, arm, segment, choices, effect, error);
        }
    }
    if (status == XP_OK && choices->weight != NULL) {
        status = set_worth(reader, segment, effect, choices, error);
    }
    for (size_t a = 0; status == XP_OK && a < choices->arms; a++) {
        choices->info.choices += xp_choices_count(choices, XP_ALL_SEGMENTS, a);
        choices->info.effective += xp_choices_effective(choices, XP_ALL_SEGMENTS, a);
    }
    xp__free(effect);
    return status;
}

/* The table that the rows amount to. */
static xp_status finish(xp__choices_reader *reader, xp_choices **choices, xp_error *error) {
    const bool weighted =
        reader->role[XP__ROLE_WEIGHT] != SIZE_MAX || reader->role[XP__ROLE_EXPERT] != SIZE_MAX;
    xp__tokens names = {.count = 0}, segments = {.count = 0};
    uint32_t *arm = xp__alloc(reader->actions.count + 1, sizeof *arm);
    uint32_t *segment = xp__alloc(reader->segments.count + 1, sizeof *segment);
    size_t arms = 0;
    xp_choices *made = NULL;
    xp_status status =
        arm != NULL && segment != NULL ? xp__choices_check(reader, error) : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp__choices_map_arms(reader, arm, &names, &arms, error);
    }
    if (status == XP_OK) {
        status = map_segments(reader, segment, &segments, error);
    }
    if (status == XP_OK) {
        status = xp__choices_create(segments.count > 0 ? segments.count : 1, arms, weighted, &made,
                                    error);
    }
    if (status == XP_OK) {
        status = fill(reader, arm, segment, made, error);
    }
    if (status == XP_OK) {
        made->arm_names = names;
        made->segment_names = segments;
        made->expert_names = reader->experts;
        names = segments = reader->experts = (xp__tokens){.count = 0};
    } else {
        xp_choices_destroy(made);
        made = NULL;
    }
    xp__tokens_deinit(&names);
    xp__tokens_deinit(&segments);
    xp__free(arm);
    xp__free(segment);
    *choices = made;
    return status;
}

static bool has_column(const xp__table *table, const char *name, bool prefix) {
    for (size_t i = 0; i < table->columns; i++) {
        const char *own = xp__table_name(table, i);
        if (prefix ? strncmp(own, name, strlen(name)) == 0 : xp__scan_same(own, name)) {
            return true;
        }
    }
    return false;
}

/* White space from `at`. */
static size_t blanks(const char *text, size_t at, size_t bytes) {
    size_t count = 0;
    while (at + count < bytes && (text[at + count] == ' ' || text[at + count] == '\t' ||
                                  text[at + count] == '\r' || text[at + count] == '\n')) {
        count++;
    }
    return count;
}

/* Whether a text of JSON lines between quotes is a key, of such a name. */
static bool is_key(const char *text, size_t from, size_t to, size_t bytes, const char *name) {
    const size_t after = to + 1 + blanks(text, to + 1, bytes);
    return after < bytes && text[after] == ':' &&
           (name == NULL ||
            (strlen(name) == to - from && memcmp(text + from, name, to - from) == 0));
}

/* Whether JSON lines are trajectories. A line may be longer than what can be looked at, so only
 * keys are. Lines of `action` and `count` alone may come first: they name actions that nobody took.
 */
static bool begins_with_trajectory(const char *text, size_t bytes) {
    size_t depth = 0, from = 0;
    bool in_string = false, other = false;
    for (size_t i = 0; i < bytes; i++) {
        const char byte = text[i];
        if (in_string) {
            if (byte == '\\') {
                i++;
            } else if (byte == '"') {
                in_string = false;
                if (depth != 1 || !is_key(text, from, i, bytes, NULL)) {
                    continue;
                }
                if (is_key(text, from, i, bytes, "actions") ||
                    is_key(text, from, i, bytes, "states")) {
                    return true;
                }
                other = other || (!is_key(text, from, i, bytes, "action") &&
                                  !is_key(text, from, i, bytes, "count"));
            }
        } else if (byte == '"') {
            in_string = true;
            from = i + 1;
        } else if (byte == '{' || byte == '[') {
            depth++;
        } else if (byte == '}' || byte == ']') {
            depth -= depth > 0 ? 1 : 0;
            if (depth == 0 && other) {
                return false;
            }
        }
    }
    return false;
}

/* Whether the columns are those of trajectories. Columns that only remind of them are refused,
 * unless the column of choices is named. */
static xp_status look(const xp__choices_reader *reader, bool *trajectories, xp_error *error) {
    const xp__table *table = &reader->table;
    *trajectories = false;
    if (reader->options.action != NULL || reader->options.no_header || table->columns < 2 ||
        !has_column(table, "action", false) || table->objects) {
        return XP_OK;
    }
    const bool demonstration = has_column(table, "demonstration", false);
    const bool step = has_column(table, "step", false);
    *trajectories = demonstration && step;
    return *trajectories || (!demonstration && !step && !has_column(table, "state", true))
               ? XP_OK
               : xp__table_fail_file(table, error,
                                     "has some columns of trajectories (demonstration, step, "
                                     "state...) and not all; if it is a table of choices, say so "
                                     "with --action, else add those that are missing");
}

/* Options about columns would be ignored without a word. */
static xp_status check_no_columns(const char *name, const xp_choices_options *options,
                                  xp_error *error) {
    const xp__lines place = {.name = name};
    return options->segment == NULL && options->expert == NULL && options->weight == NULL &&
                   options->count == NULL && options->action == NULL
               ? XP_OK
               : xp__lines_fail_file(&place, error,
                                     "holds trajectories, and the columns that options name are of "
                                     "tables of choices; if it is one, name its column with "
                                     "--action");
}

static xp_status load_trajectories(xp__source *source, const xp_choices_options *options,
                                   xp_demos **trajectories, xp_error *error) {
    const xp__lines place = {.name = source->name};
    if (trajectories == NULL) {
        return xp__lines_fail_file(&place, error, "holds trajectories, not a table of choices");
    }
    const xp_status status = check_no_columns(source->name, options, error);
    if (status != XP_OK) {
        return status;
    }
    return xp__source_rewind(source)
               ? xp__demos_load_source(source, NULL, trajectories, error)
               : xp__lines_fail_file(&place, error, "has a header that is too long");
}

/* Opens the table with the columns that are wanted. */
static xp_status open_table(xp__choices_reader *reader, xp__source *source, xp_error *error) {
    const xp_choices_options *options = &reader->options;
    const char *const asked[] = {options->action != NULL ? options->action : "action",
                                 options->segment, options->expert};
    const char *wanted[3];
    size_t count = 0;
    for (size_t i = 0; i < 3 && !options->no_header; i++) {
        if (asked[i] != NULL) {
            wanted[count++] = asked[i];
        }
    }
    const xp__dialect_wish wish = {options->delimiter, wanted, count};
    return xp__table_open(&reader->table, source, &wish, error);
}

static xp_status read_table(xp__choices_reader *reader, xp_choices **choices,
                            xp_demos **trajectories, xp_error *error) {
    bool walks = false;
    xp_status status = reader->table.cells != NULL
                           ? look(reader, &walks, error)
                           : xp__table_fail_file(&reader->table, error, "is empty");
    if (status == XP_OK && walks) {
        return load_trajectories(&reader->table.source, &reader->options, trajectories, error);
    }
    if (status == XP_OK) {
        status = xp__choices_find_columns(reader, error);
    }
    if (status == XP_OK) {
        status = xp__choices_read_rows(reader, error);
    }
    return status == XP_OK ? finish(reader, choices, error) : status;
}

/* Reads a source that is open, and closes it. */
static xp_status load(xp__source *source, const xp_choices_options *given, xp_choices **choices,
                      xp_demos **trajectories, xp_error *error) {
    xp__choices_reader reader = {.options = xp_choices_options_default()};
    const char *text = NULL;
    size_t bytes = 0;
    bool all;
    xp_status status = given != NULL ? xp__options_take(&reader.options, sizeof reader.options,
                                                        given, "xp_choices_options", error)
                                     : XP_OK;
    if (status == XP_OK && strchr("\"\r\n", reader.options.delimiter) != NULL &&
        reader.options.delimiter != '\0') {
        status = xp_error_set(error, XP_ERR_INPUT, "a delimiter is no quote and no line end");
    }
    if (status == XP_OK) {
        status = xp__source_sample(source, &text, &bytes, &all, error);
    }
    const size_t first = status == XP_OK ? blanks(text, 0, bytes) : 0;
    const bool walks = status == XP_OK && first < bytes && text[first] == '{' &&
                       reader.options.action == NULL && begins_with_trajectory(text, bytes);
    if (walks) {
        status = load_trajectories(source, &reader.options, trajectories, error);
    }
    if (walks || status != XP_OK) {
        xp__source_close(source);
        return status;
    }
    status = open_table(&reader, source, error);
    if (status == XP_OK) {
        status = read_table(&reader, choices, trajectories, error);
        deinit(&reader);
    }
    return status;
}

xp_status xp_choices_load(const char *path, const xp_choices_options *options, xp_choices **choices,
                          xp_demos **trajectories, xp_error *error) {
    XP__NOT_NULL(choices, error);
    *choices = NULL;
    if (trajectories != NULL) {
        *trajectories = NULL;
    }
    XP__NOT_NULL(path, error);
    if (trajectories != NULL && xp__demos_is_dataset(path)) {
        xp_choices_options own = xp_choices_options_default();
        xp_status known = options != NULL ? xp__options_take(&own, sizeof own, options,
                                                             "xp_choices_options", error)
                                          : XP_OK;
        known = known == XP_OK ? check_no_columns(path, &own, error) : known;
        return known == XP_OK ? xp_demos_load(path, trajectories, error) : known;
    }
    xp__source source;
    const xp_status status = xp__source_open(&source, path, error);
    return status == XP_OK ? load(&source, options, choices, trajectories, error) : status;
}

xp_status xp_choices_parse(const char *text, size_t bytes, const char *name,
                           const xp_choices_options *options, xp_choices **choices,
                           xp_demos **trajectories, xp_error *error) {
    XP__NOT_NULL(choices, error);
    *choices = NULL;
    if (trajectories != NULL) {
        *trajectories = NULL;
    }
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(name, error);
    xp__source source;
    const xp_status status = xp__source_open_memory(&source, text, bytes, name, error);
    return status == XP_OK ? load(&source, options, choices, trajectories, error) : status;
}
