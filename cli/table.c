/* table.c: text tables. */
#include "options.h"
#include "output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 12, MAX_ROW = 1024 };

static void append(cli_table *table, const char *row) {
    if (table->row_count == table->row_room) {
        const size_t room = table->row_room != 0 ? 2 * table->row_room : 16;
        char **moved = cli_alloc(room, sizeof *moved);
        if (table->row_count != 0) {
            memcpy(moved, table->rows, table->row_count * sizeof *moved);
        }
        free(table->rows);
        table->rows = moved;
        table->row_room = room;
    }
    const size_t bytes = strlen(row) + 1;
    char *copy = cli_alloc(bytes, 1);
    memcpy(copy, row, bytes);
    table->rows[table->row_count++] = copy;
}

cli_table cli_table_start(const char *alignment, const char *headings) {
    cli_table table = {.alignment = alignment};
    append(&table, headings);
    return table;
}

void cli_table_add(cli_table *table, const char *format, ...) {
    char row[MAX_ROW];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(row, sizeof row, format, values);
    va_end(values);
    append(table, row);
}

/* Splits a row at its tabs, in place. */
static size_t split(char *row, char **cells) {
    size_t count = 0;
    for (char *at = row; at != NULL && count < MAX_COLUMNS;) {
        cells[count++] = at;
        at = strchr(at, '\t');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    for (size_t i = 0; i < count; i++) {
        (void)cli_plain(cells[i]);
    }
    return count;
}

static void print_row(const cli_table *table, char *const *cells, size_t count,
                      const size_t *width) {
    for (size_t c = 0; c < count; c++) {
        const int space = (int)(width[c] - cli_columns(cells[c]));
        const bool right = table->alignment[c] == 'r', last = c + 1 == count;
        (void)printf("%s%*s%s%*s", c != 0 ? "  " : "", right ? space : 0, "", cells[c],
                     right || last ? 0 : space, "");
    }
    (void)putchar('\n');
}

void cli_table_print(cli_table *table) {
    size_t width[MAX_COLUMNS] = {0};
    char *(*cells)[MAX_COLUMNS] = cli_alloc(table->row_count, sizeof *cells);
    size_t *counts = cli_alloc(table->row_count, sizeof *counts);
    for (size_t r = 0; r < table->row_count; r++) {
        counts[r] = split(table->rows[r], cells[r]);
        for (size_t c = 0; c < counts[r]; c++) {
            const size_t columns = cli_columns(cells[r][c]);
            width[c] = columns > width[c] ? columns : width[c];
        }
    }
    for (size_t r = 0; r < table->row_count; r++) {
        (void)fputs(r == 0 ? cli_bold(stdout) : "", stdout);
        print_row(table, cells[r], counts[r], width);
        (void)fputs(r == 0 ? cli_plain_style(stdout) : "", stdout);
    }
    free(cells);
    free(counts);
    cli_table_free(table);
}

void cli_table_free(cli_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r]);
    }
    free(table->rows);
    *table = (cli_table){.rows = NULL};
}
