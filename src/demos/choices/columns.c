/* columns.c: which column of a table is which, and whether its first line is a header. */
#include "demos/choices/choices_type.h"

#include "base/text/scan.h"
#include "base/text/text.h"

#include <string.h>

static const char *const option_names[XP__ROLES] = {"--action", "--by", "--expert", "--weight",
                                                    "--count"};

bool xp__choices_same_name(const char *a, const char *b) {
    size_t i = 0;
    for (; a[i] != '\0' && b[i] != '\0'; i++) {
        const char x = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] + 32) : a[i];
        const char y = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] + 32) : b[i];
        if (x != y) {
            return false;
        }
    }
    return a[i] == b[i];
}

/* Columns called `name`, in any case or in just this one; the last of them. */
static size_t count_columns(const xp__table *table, const char *name, bool any_case,
                            size_t *column) {
    size_t found = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const char *own = xp__table_name(table, i);
        if (any_case ? xp__choices_same_name(own, name) : strcmp(own, name) == 0) {
            *column = i;
            found++;
        }
    }
    return found;
}

/* "a, b, c, ...", as a message may carry it. */
static const char *list_columns(const xp__table *table, char *list, size_t size) {
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < table->columns; i++) {
        char shown[XP__SHOWN];
        const char *name = xp__table_name(table, i);
        const int wrote = xp__format(list + used, size - used, "%s'%s'", i > 0 ? ", " : "",
                                     xp__show(shown, name, strlen(name)));
        if (wrote < 0 || used + (size_t)wrote + 6 >= size) {
            (void)strcpy(list + used, ", ...");
            break;
        }
        used += (size_t)wrote;
    }
    return list;
}

enum { LIST = 240 };

/* What to do where no column has the name. */
static const char *way_out(const xp__table *table) {
    size_t nested = 0, nameless = 0;
    for (size_t i = 0; i < table->columns; i++) {
        nested += table->objects && table->cells != NULL && table->cells[i].nested;
        nameless += xp__table_name(table, i)[0] == '\0';
    }
    if (table->objects) {
        return nested > 0 ? "; rows are objects without others inside, such as {\"action\": "
                            "\"A\"}: in pandas to_json(orient='records'), with jq "
                            "'.rows[] | {action: .event.action}'"
                          : "; the first object must have it, as null if it has no value";
    }
    return nameless > 1 ? "; if the first line is a title, leave it out"
                        : "; if the first line is data, say --no-header and give the column's "
                          "number";
}

static xp_status by_number(xp__choices_reader *reader, xp__choice_role role, const char *name,
                           xp_error *error) {
    uint64_t number;
    if (!xp__scan_whole(name, strlen(name), reader->table.columns, &number) || number == 0) {
        return xp__table_fail_file(&reader->table, error,
                                   "%s = '%.60s' is not the number of a column: without a header "
                                   "columns are 1 to %zu",
                                   option_names[role], name, reader->table.columns);
    }
    reader->role[role] = (size_t)number - 1;
    return XP_OK;
}

/* The column that an option names: as it is written, else in any case if that is one. */
static xp_status by_name(xp__choices_reader *reader, xp__choice_role role, const char *name,
                         xp_error *error) {
    const xp__table *table = &reader->table;
    char list[LIST];
    size_t found = count_columns(table, name, false, &reader->role[role]);
    found = found != 0 ? found : count_columns(table, name, true, &reader->role[role]);
    for (size_t i = 0; found == 0 && i < table->columns; i++) {
        const char *own = xp__table_name(table, i);
        if (!xp__scan_utf8(own, strlen(own))) {
            return xp__table_fail_file(table, error,
                                       "its header is not UTF-8; convert the file, for example "
                                       "with iconv -f WINDOWS-1252 -t UTF-8");
        }
    }
    if (found == 0) {
        return xp__table_fail_file(
            table, error, "%s = '%.60s' names no column; the columns are %s%s", option_names[role],
            name, list_columns(table, list, LIST), way_out(table));
    }
    return found == 1 ? XP_OK
                      : xp__table_fail_file(
                            table, error, "column '%.60s' appears twice; rename one of them", name);
}

static const char *wanted(const xp_choices_options *options, xp__choice_role role) {
    const char *const names[XP__ROLES] = {options->action, options->segment, options->expert,
                                          options->weight, options->count};
    const bool none = names[role] != NULL && strcmp(names[role], "none") == 0 &&
                      (role == XP__ROLE_WEIGHT || role == XP__ROLE_COUNT);
    return none ? NULL : names[role];
}

/* The column of choices where nobody named it. */
static xp_status find_action(xp__choices_reader *reader, xp_error *error) {
    const xp__table *table = &reader->table;
    char list[LIST];
    const size_t found = count_columns(table, "action", true, &reader->role[XP__ROLE_ACTION]);
    if (found == 1) {
        return XP_OK;
    }
    if (found > 1) {
        return xp__table_fail_file(table, error,
                                   "column 'action' appears twice; rename one of "
                                   "them");
    }
    return xp__table_fail_file(
        table, error,
        "no column is called 'action'; name the column of choices with --action, of %s%s",
        list_columns(table, list, LIST), way_out(table));
}

/* A file with one column: its first line may be a header that nobody knows. */
static xp_status settle_single(xp__choices_reader *reader, xp_error *error) {
    xp__table *table = &reader->table;
    reader->role[XP__ROLE_ACTION] = 0;
    if (table->dialect.format != XP__DELIMITED || reader->options.no_header) {
        return XP_OK;
    }
    if (reader->options.action != NULL) {
        reader->header = true;
        return by_name(reader, XP__ROLE_ACTION, reader->options.action, error);
    }
    reader->header = xp__choices_same_name(xp__table_name(table, 0), "action");
    reader->first_may_be_header = !reader->header;
    return XP_OK;
}

static bool is_used(const xp__choices_reader *reader, size_t column) {
    for (size_t role = 0; role < XP__ROLES; role++) {
        if (reader->role[role] == column) {
            return true;
        }
    }
    return false;
}

static bool is_index(const xp__table *table, size_t column) {
    const char *name = xp__table_name(table, column);
    return name[0] == '\0' || xp__choices_same_name(name, "unnamed: 0");
}

/* A column "count" is one of counts if every other column is used, or has no name. */
static void find_count(xp__choices_reader *reader) {
    const xp__table *table = &reader->table;
    size_t column = 0;
    if (reader->options.count != NULL || count_columns(table, "count", true, &column) != 1 ||
        is_used(reader, column)) {
        return;
    }
    for (size_t i = 0; i < table->columns; i++) {
        if (i != column && !is_used(reader, i) && !is_index(table, i)) {
            return;
        }
    }
    reader->role[XP__ROLE_COUNT] = column;
    reader->count_found = true;
}

/* Columns that look like counts or weights and are not used. */
static void find_watched(xp__choices_reader *reader) {
    const xp__table *table = &reader->table;
    for (size_t i = 0; i < table->columns && reader->watched_count < XP__WATCHED; i++) {
        const char *name = xp__table_name(table, i);
        const bool counted = reader->options.count != NULL || reader->count_found;
        /* pandas calls the sizes of groups "0", unless all columns have numbers for names */
        const bool size = i > 0 && i + 1 == table->columns && strcmp(name, "0") == 0;
        const bool count = !counted && (size || xp__choices_counts_name(name));
        const bool mark = !counted && xp__choices_marks_name(name);
        const bool weight = reader->options.weight == NULL && xp__choices_weights_name(name);
        if ((count || mark || weight) && !is_used(reader, i)) {
            reader->watched[reader->watched_count++] =
                (xp__watched_column){i,
                                     count  ? XP__WATCHED_COUNT
                                     : mark ? XP__WATCHED_MARK
                                            : XP__WATCHED_WEIGHT,
                                     true, true};
        }
    }
}

static xp_status check_twice(const xp__choices_reader *reader, xp_error *error) {
    for (size_t a = 0; a < XP__ROLES; a++) {
        for (size_t b = 0; b < a; b++) {
            if (reader->role[a] != SIZE_MAX && reader->role[a] == reader->role[b]) {
                return xp__table_fail_file(&reader->table, error, "%s and %s name the same column",
                                           option_names[b], option_names[a]);
            }
        }
    }
    return XP_OK;
}

xp_status xp__choices_find_columns(xp__choices_reader *reader, xp_error *error) {
    xp__table *table = &reader->table;
    const bool values = table->dialect.format != XP__DELIMITED && !table->objects;
    const bool single = table->columns == 1 && !table->objects;
    reader->header = !reader->options.no_header && !values;
    xp_status status = XP_OK;
    for (size_t role = 0; role < XP__ROLES; role++) {
        reader->role[role] = SIZE_MAX;
    }
    for (size_t role = single ? 1 : 0; status == XP_OK && role < XP__ROLES; role++) {
        const char *name = wanted(&reader->options, (xp__choice_role)role);
        if (name != NULL) {
            status = reader->header ? by_name(reader, (xp__choice_role)role, name, error)
                                    : by_number(reader, (xp__choice_role)role, name, error);
        }
    }
    if (status == XP_OK && single) {
        status = settle_single(reader, error);
    } else if (status == XP_OK && reader->role[XP__ROLE_ACTION] == SIZE_MAX) {
        status = reader->header
                     ? find_action(reader, error)
                     : xp__table_fail_file(table, error,
                                           "has %zu columns and no header; give the number of the "
                                           "column of choices with --action",
                                           table->columns);
    }
    if (status == XP_OK && reader->header && !single) {
        find_count(reader);
        find_watched(reader);
        reader->index_unnamed = is_index(table, 0) && !is_used(reader, 0);
    }
    if (status == XP_OK && !reader->header && !table->objects && !values) {
        xp__table_keep_first(table);
    }
    return status == XP_OK ? check_twice(reader, error) : status;
}
