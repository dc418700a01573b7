/* rows.c: adds up the rows of a table of choices, one by one. */
#include "demos/choices/choices_type.h"

#include "base/grow.h"
#include "base/text/scan.h"
#include "table/values.h"

#include <math.h>
#include <string.h>

enum { EXPERT_CELLS = 1000000, BETWEEN_PROGRESS = 1 << 15 };

static const char *const role_names[XP__ROLES] = {"action", "segment", "expert", "weight", "count"};

/* "column = 'value'" in front of a sentence about a cell. */
static xp_status fail_cell(const xp__choices_reader *reader, xp__choice_role role,
                           const char *sentence, xp_error *error) {
    const size_t column = reader->role[role];
    const xp__cell *cell = &reader->table.cells[column];
    char name[XP__SHOWN], shown[XP__SHOWN];
    const char *own = reader->header ? xp__table_name(&reader->table, column) : role_names[role];
    return xp__table_fail(&reader->table, error, "%s = '%s' %s", xp__show(name, own, strlen(own)),
                          xp__show(shown, cell->text, cell->length), sentence);
}

static const char *too_many(xp__choice_role role) {
    return role == XP__ROLE_ACTION
               ? "is one label of more than 4096; if this column holds ids, numbers or free text, "
                 "name the column of choices with --action"
           : role == XP__ROLE_SEGMENT
               ? "is one segment of more than 10000; if this column holds ids, choose another one "
                 "for --by"
               : "is one expert of more than 1000000; if this column holds ids of rows, choose "
                 "another one for --expert";
}

bool xp__choices_is_missing(const xp__choices_reader *reader, const char *text, size_t length) {
    const char *list = reader->options.missing;
    if (list == NULL) {
        return xp__is_missing(text, length);
    }
    for (; *list != '\0'; list += *list == ',') {
        const size_t word = strcspn(list, ",");
        if (word == length && memcmp(list, text, length) == 0) {
            return true;
        }
        list += word;
    }
    return length == 0;
}

/* Whether all cells of the row that say something are names of columns: the header of another file,
 * whose columns are in another order. */
static bool is_other_header(const xp__choices_reader *reader) {
    const xp__table *table = &reader->table;
    size_t names = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const char *text = table->cells[i].text;
        bool known = text[0] == '\0';
        names += !known;
        for (size_t j = 0; !known && j < table->columns; j++) {
            known = strcmp(text, xp__table_name(table, j)) == 0;
        }
        if (!known) {
            return false;
        }
    }
    return names > 1;
}

/* What no label is, and what nobody can tell to be one. */
static xp_status check_label(const xp__choices_reader *reader, xp__choice_role role,
                             const xp__cell *cell, xp_error *error) {
    if (role == XP__ROLE_EXPERT || xp__choices_is_missing(reader, cell->text, cell->length)) {
        return XP_OK;
    }
    if (xp__is_odd(cell->text, cell->length)) {
        return fail_cell(reader, role,
                         "may be no label: a comment, a formula, a list, a shortened number, text "
                         "with a lost character, or what a program draws around a table; leave it "
                         "out, or write it otherwise",
                         error);
    }
    if (reader->options.missing == NULL &&
        (xp__is_doubtful(cell->text, cell->length) ||
         (role == XP__ROLE_ACTION && xp__is_unsaid(cell->text, cell->length)))) {
        return fail_cell(reader, role,
                         "may be a missing value or a label; leave it empty, or list all words for "
                         "missing values with --missing",
                         error);
    }
    return role == XP__ROLE_ACTION && reader->header && !reader->table.objects &&
                   reader->table.columns > 1 && is_other_header(reader)
               ? xp__table_fail(&reader->table, error,
                                "has the names of columns in another order; if files were joined, "
                                "give them the same columns and one header")
               : XP_OK;
}

/* A label that was not seen before. */
static xp_status add_label(xp__choices_reader *reader, xp__choice_role role, xp__tokens *tokens,
                           const xp__cell *cell, size_t *number, xp_error *error) {
    static const size_t most[] = {XP__LABELS_MAX, XP__SEGMENTS_MAX, EXPERT_CELLS};
    if (cell->nested) {
        return xp__table_fail(&reader->table, error,
                              "%s is a list or an object; rows are objects such as "
                              "{\"action\": \"A\"} (in pandas: to_json(orient='records'))",
                              role_names[role]);
    }
    if (cell->length > XP__ACTION_NAME_LENGTH) {
        return xp__table_fail(&reader->table, error, "%s is longer than %d bytes", role_names[role],
                              XP__ACTION_NAME_LENGTH);
    }
    if (!xp__scan_utf8(cell->text, cell->length)) {
        return fail_cell(reader, role,
                         "is not UTF-8; convert the file, for example with iconv -f WINDOWS-1252 "
                         "-t UTF-8",
                         error);
    }
    const xp_status status = check_label(reader, role, cell, error);
    if (status != XP_OK) {
        return status;
    }
    if (tokens->count >= most[role]) {
        return fail_cell(reader, role, too_many(role), error);
    }
    bool *moved =
        xp__reserve(reader->missing[role], &reader->missing_room[role], tokens->count + 1, 1);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    reader->missing[role] = moved;
    moved[tokens->count] = xp__choices_is_missing(reader, cell->text, cell->length);
    *number = tokens->count;
    return xp__tokens_add(tokens, cell->text, cell->length, error);
}

/* The number of a label; `*missing`: it stands for no value. */
static xp_status take_label(xp__choices_reader *reader, xp__choice_role role, xp__tokens *tokens,
                            uint32_t *label, bool *missing, xp_error *error) {
    const xp__cell *cell = &reader->table.cells[reader->role[role]];
    size_t number = 0;
    if (!xp__tokens_find(tokens, cell->text, cell->length, &number) || cell->nested) {
        const xp_status status = add_label(reader, role, tokens, cell, &number, error);
        if (status != XP_OK) {
            return status;
        }
    }
    *label = (uint32_t)number;
    *missing = reader->missing[role][number];
    return XP_OK;
}

static const char *number_sentence(const xp__cell *cell, const char *otherwise) {
    const char *hint = cell->nested ? NULL : xp__number_hint(cell->text);
    return hint != NULL ? hint : otherwise;
}

static xp_status take_count(xp__choices_reader *reader, uint64_t *count, bool *missing,
                            xp_error *error) {
    const xp__cell *cell = &reader->table.cells[reader->role[XP__ROLE_COUNT]];
    if (cell->absent && reader->count_found) { /* {"action": "A"} is one choice */
        return XP_OK;
    }
    reader->count_seen = true;
    *missing = !cell->nested && xp__choices_is_missing(reader, cell->text, cell->length);
    return *missing || (!cell->nested && (xp__read_count(cell->text, cell->length, count) ||
                                          xp__read_flag(cell->text, count)))
               ? XP_OK
               : fail_cell(reader, XP__ROLE_COUNT,
                           number_sentence(cell, "is not a whole number from 0 to 2^53"), error);
}

static xp_status take_weight(xp__choices_reader *reader, double *weight, bool *missing,
                             xp_error *error) {
    const xp__cell *cell = &reader->table.cells[reader->role[XP__ROLE_WEIGHT]];
    *missing = !cell->nested && xp__choices_is_missing(reader, cell->text, cell->length);
    return *missing || (!cell->nested && xp__read_real(cell->text, weight) && *weight >= 0 &&
                        *weight <= 1e100)
               ? XP_OK
               : fail_cell(reader, XP__ROLE_WEIGHT,
                           number_sentence(cell, "is not a number from 0 to 1e100"), error);
}

/* Rows of another file's header, where files were joined. */
static bool repeats_header(const xp__choices_reader *reader) {
    const xp__table *table = &reader->table;
    const size_t action = reader->role[XP__ROLE_ACTION];
    if (!reader->header || table->objects ||
        strcmp(table->cells[action].text, xp__table_name(table, action)) != 0) {
        return false;
    }
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->cells[i].text, xp__table_name(table, i)) != 0) {
            return false;
        }
    }
    return true;
}

static void watch(xp__choices_reader *reader) {
    for (size_t i = 0; i < reader->watched_count; i++) {
        xp__watched_column *own = &reader->watched[i];
        const xp__cell *cell = &reader->table.cells[own->column];
        double value = 1;
        uint64_t whole = 1;
        if (!own->numbers || xp__is_missing(cell->text, cell->length)) {
            continue;
        }
        if (own->kind == XP__WATCHED_WEIGHT) {
            own->numbers = !cell->nested && xp__read_real(cell->text, &value) && value >= 0;
        } else {
            own->numbers = !cell->nested &&
                           (xp__read_count(cell->text, cell->length, &whole) ||
                            (own->kind == XP__WATCHED_MARK && xp__read_flag(cell->text, &whole)));
            own->numbers = own->numbers && (own->kind != XP__WATCHED_MARK || whole <= 1);
            value = (double)whole;
        }
        own->ones = own->ones && value == 1;
    }
    if (reader->index_unnamed && !reader->index_labels) {
        const xp__cell *cell = &reader->table.cells[0];
        double value;
        reader->index_labels = cell->length > 0 && !xp__read_real(cell->text, &value);
    }
}

/* Looks at the cells that are not used, in the first rows. */
static void look(xp__choices_reader *reader) {
    const xp__table *table = &reader->table;
    reader->ends_in_total = table->columns > 1 && reader->role[XP__ROLE_ACTION] != 0 &&
                            table->cells[0].length < 32 && !table->cells[0].nested &&
                            xp__is_total(table->cells[0].text);
    if (table->rows > XP__LOOKED_AT || table->columns == 1) {
        return;
    }
    reader->look_count = table->columns < XP__LOOKS ? table->columns : XP__LOOKS;
    for (size_t i = 0; i < reader->look_count; i++) {
        xp__column_look *own = &reader->looks[i];
        const xp__cell *cell = &table->cells[i];
        double value = 0;
        uint64_t whole;
        bool used = false;
        for (size_t role = 0; role < XP__ROLES; role++) {
            used = used || reader->role[role] == i;
        }
        if (used || cell->nested || xp__is_missing(cell->text, cell->length)) {
            continue;
        }
        const bool number = xp__read_real(cell->text, &value);
        if (own->cells == 0) {
            *own = (xp__column_look){.first_is_text = !number && table->rows == 1,
                                     .whole = true,
                                     .rises = true,
                                     .constant = true};
        } else {
            own->rises = own->rises && value > own->last;
            own->constant = own->constant && value == own->last;
            own->numbers_after += number;
        }
        own->whole = own->whole && xp__read_count(cell->text, cell->length, &whole);
        own->last = value;
        own->cells++;
    }
}

typedef struct choice {
    uint32_t action, segment, expert;
    uint64_t count;
    double weight;
} choice;

/* The order of the choice's segment, with this row; NULL: out of memory. */
static const xp__segment_order *follow(xp__choices_reader *reader, const choice *made) {
    xp__segment_order *order =
        xp__reserve(reader->order, &reader->order_room, (size_t)made->segment + 1, sizeof *order);
    if (order == NULL) {
        return NULL;
    }
    reader->order = order;
    while (reader->order_count <= made->segment) {
        order[reader->order_count++] = (xp__segment_order){.rows = 0};
    }
    order += made->segment;
    order->changes += order->rows > 0 && order->last != made->action;
    order->last = made->action;
    order->rows++;
    return order;
}

static xp_status add(xp__choices_reader *reader, const choice *made, xp_error *error) {
    if (made->count > XP__COUNT_MAX - reader->total) {
        return fail_cell(reader, XP__ROLE_ACTION, "makes more than 2^53 choices in all", error);
    }
    reader->total += made->count;
    reader->last_action = made->action;
    const xp__segment_order *order = follow(reader, made);
    if (order == NULL) {
        return xp__no_memory(error);
    }
    const bool experts = reader->role[XP__ROLE_EXPERT] != SIZE_MAX;
    for (int i = 0; i < (experts ? 2 : 1); i++) {
        xp__choice_cells *cells = i == 0 ? &reader->cells : &reader->expert_cells;
        if (cells->count >= EXPERT_CELLS && i == 1) {
            return fail_cell(reader, XP__ROLE_EXPERT, too_many(XP__ROLE_EXPERT), error);
        }
        if (cells->count >= 16 * EXPERT_CELLS) {
            return fail_cell(reader, XP__ROLE_SEGMENT, too_many(XP__ROLE_SEGMENT), error);
        }
        xp__choice_cell *cell =
            xp__choice_cells_at(cells, made->segment, made->action, i == 0 ? 0 : made->expert);
        if (cell == NULL) {
            return xp__no_memory(error);
        }
        cell->count += made->count;
        cell->place += (double)order->rows;
        cell->weight += (double)made->count * made->weight;
        cell->square += (double)made->count * made->weight * made->weight;
    }
    return XP_OK;
}

/* Counts the row as dropped if a cell that it needs is missing, else adds it up. */
static xp_status read_row(xp__choices_reader *reader, xp_error *error) {
    xp__tokens *const labels[] = {&reader->actions, &reader->segments, &reader->experts};
    choice made = {.count = 1, .weight = 1};
    uint32_t *const label[] = {&made.action, &made.segment, &made.expert};
    if (repeats_header(reader)) {
        return xp__table_fail(&reader->table, error,
                              "repeats the header; if files were joined, leave out the headers of "
                              "all but the first; if the first line is data, say --no-header");
    }
    const char *key = xp__table_new_key(&reader->table);
    if (key != NULL && (strcmp(key, "actions") == 0 || strcmp(key, "states") == 0 ||
                        xp__choices_counts_name(key) || xp__choices_weights_name(key))) {
        return xp__table_fail(&reader->table, error,
                              "has a key '%.40s' that the first object does not have; give it to "
                              "all of them, or leave it out",
                              key);
    }
    if (key != NULL &&
        xp__choices_same_name(key, xp__table_name(&reader->table, reader->role[XP__ROLE_ACTION]))) {
        return xp__table_fail(&reader->table, error,
                              "has a key '%.40s', which differs from the first object's in case; "
                              "write them alike",
                              key);
    }
    watch(reader);
    look(reader);
    for (size_t role = 0; role < XP__ROLES; role++) {
        bool missing = false;
        xp_status status = XP_OK;
        if (reader->role[role] == SIZE_MAX) {
            continue;
        }
        if (role == XP__ROLE_WEIGHT) {
            status = take_weight(reader, &made.weight, &missing, error);
        } else if (role == XP__ROLE_COUNT) {
            status = take_count(reader, &made.count, &missing, error);
        } else {
            status = take_label(reader, (xp__choice_role)role, labels[role], label[role], &missing,
                                error);
        }
        if (status != XP_OK) {
            return status;
        }
        if (missing) {
            const xp__cell *cell = &reader->table.cells[reader->role[role]];
            reader->dropped[role]++;
            reader->none_missing = reader->none_missing ||
                                   (role == XP__ROLE_ACTION && strcmp(cell->text, "None") == 0);
            return XP_OK;
        }
    }
    return add(reader, &made, error);
}

static xp_status tell(const xp__choices_reader *reader, xp_error *error) {
    enum { SHARES = 1000 };
    const xp__source *source = &reader->table.source;
    const xp_choices_options *options = &reader->options;
    if (options->progress == NULL) {
        return XP_OK;
    }
    const bool known = source->total > 0 && source->taken <= source->total;
    const size_t share =
        known ? (size_t)((double)source->taken / (double)source->total * SHARES) : 0;
    return options->progress(options->progress_context, known ? share : reader->table.rows,
                             known ? SHARES : 0) == 0
               ? XP_OK
               : xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
}

xp_status xp__choices_read_rows(xp__choices_reader *reader, xp_error *error) {
    xp__table *table = &reader->table;
    xp_status status = xp__table_next(table, error);
    while (status == XP_OK && table->cells != NULL) {
        status = read_row(reader, error);
        if (status == XP_OK && table->rows % BETWEEN_PROGRESS == 0) {
            status = tell(reader, error);
        }
        if (status == XP_OK) {
            status = xp__table_next(table, error);
        }
    }
    if (status == XP_OK && table->columns == 1 && table->dialect.format == XP__DELIMITED) {
        reader->dropped[XP__DROPPED_BLANK] = table->blanks; /* each is a missing value */
        table->rows += table->blanks;
    }
    return status == XP_OK ? tell(reader, error) : status;
}
