/* paper.c: looking numbers up in the built-in tables. They are small: every search is linear. */
#include "paper/paper.h"

#include "base/file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const xp__paper_file *find_file(const char *name) {
    for (size_t i = 0; i < xp__paper_file_count; i++) {
        if (strcmp(xp__paper_files[i].name, name) == 0) {
            return &xp__paper_files[i];
        }
    }
    assert(!"the file is not among those built in");
    return NULL;
}

/* The cell with the given number: where it begins, and its length; NULL past the last. */
static const char *cell(const char *line, size_t number, size_t *length) {
    for (; number > 0; number--) {
        line = strchr(line, ',');
        if (line == NULL) {
            return NULL;
        }
        line++;
    }
    *length = strcspn(line, ",");
    return line;
}

static const char *find_cell(const xp__paper_file *file, size_t line, const char *column,
                             size_t *length) {
    const size_t wanted = strlen(column);
    for (size_t number = 0;; number++) {
        const char *heading = cell(file->lines[0], number, length);
        assert(heading != NULL);
        if (*length == wanted && strncmp(heading, column, wanted) == 0) {
            return cell(file->lines[line + 1], number, length);
        }
    }
}

size_t xp__paper_lines(const char *file) {
    return find_file(file)->count - 1;
}

int xp__paper_is(const char *file, size_t line, const char *column, const char *text) {
    size_t length;
    const char *found = find_cell(find_file(file), line, column, &length);
    return found != NULL && length == strlen(text) && strncmp(found, text, length) == 0;
}

double xp__paper_number(const char *file, size_t line, const char *column) {
    size_t length;
    const char *found = find_cell(find_file(file), line, column, &length);
    char text[32];
    double value;
    if (found == NULL || length == 0 || length >= sizeof text) {
        return NAN;
    }
    memcpy(text, found, length);
    text[length] = '\0';
    return xp__parse_double(text, &value) ? value : NAN;
}

double xp__paper_find(const char *file, const char *column, const xp__paper_where *where) {
    const size_t lines = xp__paper_lines(file);
    for (size_t line = 0; line < lines; line++) {
        int meets = 1;
        for (const xp__paper_where *each = where; meets && each->column != NULL; each++) {
            meets = xp__paper_is(file, line, each->column, each->text);
        }
        if (meets) {
            return xp__paper_number(file, line, column);
        }
    }
    return NAN;
}
