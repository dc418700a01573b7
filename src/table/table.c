/* table.c: see table.h. */
#include "table/table.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/text/lines.h"
#include "base/text/scan.h"
#include "base/text/text.h"

#include <stdarg.h>
#include <string.h>

xp_status xp__table_fail(const xp__table *table, xp_error *error, const char *format, ...) {
    char sentence[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)xp__vformat(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const xp__lines place = {.name = table->source.name, .line = table->line};
    return xp__lines_fail(&place, error, "%s", sentence);
}

xp_status xp__table_fail_file(const xp__table *table, xp_error *error, const char *format, ...) {
    char sentence[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)xp__vformat(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const xp__lines place = {.name = table->source.name};
    return xp__lines_fail_file(&place, error, sentence);
}

const char *xp__table_name(const xp__table *table, size_t column) {
    return table->names + table->name_at[column];
}

static xp_status add_name(xp__table *table, size_t column, const char *text, size_t length,
                          xp_error *error) {
    char *moved = xp__reserve(table->names, &table->names_room, table->names_used + length + 1, 1);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    table->names = moved;
    memcpy(moved + table->names_used, text, length);
    moved[table->names_used + length] = '\0';
    table->name_at[column] = table->names_used;
    table->names_used += length + 1;
    return XP_OK;
}

/* Room for the cells of a row, once the number of columns is known. */
static xp_status make_columns(xp__table *table, size_t columns, xp_error *error) {
    if (columns > XP__COLUMNS_MAX) {
        return xp__table_fail(table, error, "has %zu columns; at most %d are read", columns,
                              (int)XP__COLUMNS_MAX);
    }
    table->columns = columns;
    const size_t room = columns > 0 ? columns : 1;
    table->cell_block = xp__alloc(room, sizeof *table->cell_block);
    table->name_at = xp__alloc(room, sizeof *table->name_at);
    table->digits = xp__alloc(room, sizeof *table->digits);
    return table->cell_block != NULL && table->name_at != NULL && table->digits != NULL
               ? XP_OK
               : xp__no_memory(error);
}

/* The text of a plain JSON value. */
static void take_value(xp__table *table, size_t column, const json_t *value) {
    xp__cell *cell = &table->cell_block[column];
    char *digits = table->digits[column];
    *cell = (xp__cell){.text = "", .absent = value == NULL};
    switch (value != NULL ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        cell->text = json_string_value(value);
        cell->length = json_string_length(value);
        return;
    case JSON_INTEGER:
        cell->length = (size_t)snprintf(digits, XP__CELL_NUMBER, "%" JSON_INTEGER_FORMAT,
                                        json_integer_value(value));
        cell->text = digits;
        return;
    case JSON_REAL:
        cell->length = xp__format_double(digits, json_real_value(value));
        cell->text = digits;
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        cell->text = json_is_true(value) ? "true" : "false";
        cell->length = strlen(cell->text);
        return;
    case JSON_NULL:
        return;
    default:
        cell->nested = true;
    }
}

static xp_status take_json(xp__table *table, xp_error *error) {
    if (json_is_object(table->value) != table->objects || json_is_array(table->value)) {
        return xp__table_fail(table, error,
                              "is neither an object nor, in all places alike, a plain value; rows "
                              "are objects such as {\"action\": \"A\"}, or plain values");
    }
    for (size_t i = 0; i < table->columns; i++) {
        take_value(table, i,
                   table->objects ? json_object_get(table->value, xp__table_name(table, i))
                                  : table->value);
    }
    table->cells = table->cell_block;
    return XP_OK;
}

static xp_status next_json(xp__table *table, xp_error *error) {
    json_decref(table->value);
    table->value = NULL;
    const xp_status status = xp__json_values_next(&table->values, &table->value, error);
    table->line = table->values.line;
    table->cells = NULL;
    return status == XP_OK && table->value != NULL && table->cell_block != NULL
               ? take_json(table, error)
               : status;
}

static xp_status first_json(xp__table *table, xp_error *error) {
    xp_status status = next_json(table, error);
    if (status != XP_OK || table->value == NULL) {
        return status;
    }
    table->objects = json_is_object(table->value);
    table->spare = table->objects && json_object_size(table->value) == 1 &&
                   json_object_get(table->value, "action") != NULL;
    status = make_columns(table, table->objects ? json_object_size(table->value) + table->spare : 1,
                          error);
    size_t column = 0;
    if (table->objects) {
        const char *key;
        json_t *value;
        json_object_foreach(table->value, key, value) {
            if (status == XP_OK) {
                status = add_name(table, column++, key, strlen(key), error);
            }
        }
        if (status == XP_OK && table->spare) {
            status = add_name(table, column, "count", 5, error);
        }
    } else if (status == XP_OK) {
        status = add_name(table, 0, "1", 1, error);
    }
    return status == XP_OK ? take_json(table, error) : status;
}

/* A field of a file with one column that holds what could be a delimiter. */
static xp_status check_single(const xp__table *table, xp_error *error) {
    const xp__field *field = &table->records.fields[0];
    const char *text = xp__records_text(&table->records, 0);
    const size_t plain = strcspn(text, ",;\t|");
    char shown[XP__SHOWN];
    return table->sure || field->quoted || text[plain] == '\0'
               ? XP_OK
               : xp__table_fail(table, error,
                                "'%s' holds a %s, but the first line is one field; if that is a "
                                "title, leave it out, else put the label in quotes or name the "
                                "delimiter with --delimiter",
                                xp__show(shown, text, field->length),
                                xp__delimiter_name(text[plain]));
}

static xp_status uneven(const xp__table *table, xp_error *error) {
    const size_t found = table->records.count;
    return xp__table_fail(
        table, error, "expected %zu field%s, found %zu%s", table->columns,
        table->columns == 1 ? "" : "s", found,
        found == table->columns + 1
            ? "; quote fields that hold the delimiter; if the first holds row names, give it a "
              "name "
              "in the header, and if lines end in a delimiter, let the header do so too"
            : "; quote fields that hold the delimiter, or line breaks, and leave out notes");
}

static xp_status next_record(xp__table *table, xp_error *error) {
    const xp_status status = xp__records_next(&table->records, error);
    table->line = table->records.line;
    table->cells = NULL;
    if (status != XP_OK || table->records.count == 0 || table->cell_block == NULL) {
        return status;
    }
    if (table->records.count != table->columns) {
        return uneven(table, error);
    }
    for (size_t i = 0; i < table->columns; i++) {
        table->cell_block[i] = (xp__cell){.text = xp__records_text(&table->records, i),
                                          .length = table->records.fields[i].length};
    }
    table->cells = table->cell_block;
    return table->dialect.delimiter == '\0' ? check_single(table, error) : XP_OK;
}

static xp_status first_record(xp__table *table, xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i <= table->dialect.skipped; i++) {
        status = next_record(table, error);
    }
    if (status != XP_OK || table->records.count == 0) {
        return status;
    }
    table->records.blanks = 0; /* before the table there may be blank lines */
    status = make_columns(table, table->records.count, error);
    for (size_t i = 0; status == XP_OK && i < table->columns; i++) {
        const xp__field *field = &table->records.fields[i];
        const char *text = xp__records_text(&table->records, i);
        table->cell_block[i] = (xp__cell){.text = text, .length = field->length};
        status = add_name(table, i, text, field->length, error);
    }
    table->cells = table->cell_block;
    return status;
}

xp_status xp__table_open(xp__table *table, xp__source *source, const xp__dialect_wish *wish,
                         xp_error *error) {
    *table = (xp__table){.source = *source, .sure = wish->delimiter != '\0'};
    *source = (xp__source){.name = NULL};
    const char *text;
    size_t bytes;
    bool all;
    xp_status status = xp__source_sample(&table->source, &text, &bytes, &all, error);
    if (status == XP_OK) {
        status =
            xp__dialect_find(text, bytes, all, wish, table->source.name, &table->dialect, error);
    }
    if (status == XP_OK && table->dialect.format == XP__DELIMITED) {
        status = xp__records_open(&table->records, &table->source, table->dialect.delimiter,
                                  table->dialect.end, error);
        if (status == XP_OK) {
            status = first_record(table, error);
        }
    } else if (status == XP_OK) {
        status = xp__json_values_open(&table->values, &table->source,
                                      table->dialect.format == XP__JSON_ARRAY, error);
        if (status == XP_OK) {
            status = first_json(table, error);
            table->again = true; /* keys are the names: the first object is data */
            table->rows = 0;
        }
    }
    if (status != XP_OK) {
        xp__table_close(table);
    }
    return status;
}

void xp__table_close(xp__table *table) {
    xp__records_close(&table->records);
    xp__json_values_close(&table->values);
    json_decref(table->value);
    xp__free(table->cell_block);
    xp__free(table->digits);
    xp__free(table->names);
    xp__free(table->name_at);
    xp__source_close(&table->source);
    *table = (xp__table){.columns = 0};
}

void xp__table_keep_first(xp__table *table) {
    table->again = true;
}

xp_status xp__table_next(xp__table *table, xp_error *error) {
    xp_status status = XP_OK;
    if (!table->again) {
        status = table->dialect.format == XP__DELIMITED ? next_record(table, error)
                                                        : next_json(table, error);
    } else if (table->columns == 1 && table->cells != NULL &&
               table->dialect.format == XP__DELIMITED && table->dialect.delimiter == '\0') {
        status = check_single(table, error);
    }
    table->again = false;
    table->blanks = table->records.blanks;
    table->rows += status == XP_OK && table->cells != NULL;
    return status;
}

const char *xp__table_new_key(const xp__table *table) {
    size_t present = 0;
    const char *key;
    json_t *value;
    if (!table->objects || table->value == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < table->columns; i++) {
        present += !table->cell_block[i].absent;
    }
    if (present == json_object_size(table->value)) {
        return NULL;
    }
    json_object_foreach(table->value, key, value) {
        size_t i = 0;
        while (i < table->columns && strcmp(key, xp__table_name(table, i)) != 0) {
            i++;
        }
        if (i == table->columns) {
            return key;
        }
    }
    return NULL;
}
