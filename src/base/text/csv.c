/* csv.c: splits a record in place.
 *
 * Fields are offsets into the current line, which may move while a quoted field is extended over a
 * line break. Quotes only ever shrink a field, so unescaping writes behind the reader. */
#include "base/text/csv.h"

#include "base/grow.h"

#include <string.h>

/* Where the splitter is in lines->text; `end` leaves out the line break. */
typedef struct cursor {
    xp__csv *csv;
    size_t here, end;
} cursor;

void xp__csv_deinit(xp__csv *csv) {
    xp__free(csv->fields);
    *csv = (xp__csv){.lines = NULL};
}

static size_t end_of_record(const xp__lines *lines) {
    return lines->length > 0 && lines->text[lines->length - 1] == '\r' ? lines->length - 1
                                                                       : lines->length;
}

static bool blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* An unquoted field: up to the comma or the end. */
static xp_status plain(cursor *at, xp__csv_field *field, xp_error *error) {
    const xp__lines *lines = at->csv->lines;
    const char *text = lines->text;
    size_t comma = at->here;
    for (; comma < at->end && text[comma] != ','; comma++) {
        if (text[comma] == '"') {
            return xp__lines_fail(lines, error, "has a quote inside a field that is not quoted");
        }
        if (text[comma] == '\r') {
            return xp__lines_fail(lines, error,
                                  "has a carriage return inside a field; lines end in LF or CRLF");
        }
    }
    size_t stop = comma;
    while (stop > at->here && blank(text[stop - 1])) {
        stop--;
    }
    *field = (xp__csv_field){at->here, stop - at->here};
    at->here = comma;
    return XP_OK;
}

/* A quoted field; the cursor is on the opening quote. */
static xp_status quoted(cursor *at, xp__csv_field *field, xp_error *error) {
    xp__lines *lines = at->csv->lines;
    size_t read = at->here + 1, write = read;
    *field = (xp__csv_field){.offset = read};
    for (;;) {
        if (read == lines->length) { /* the line break, and a CR before it, belong to the field */
            bool extended;
            const xp_status status = xp__lines_extend(lines, &extended, error);
            if (status != XP_OK) {
                return status;
            }
            if (!extended) {
                return xp__lines_fail(lines, error, "opens a quote that is never closed");
            }
            lines->text[write++] = '\n';
            read++;
        } else if (lines->text[read] != '"') {
            lines->text[write++] = lines->text[read++];
        } else if (read + 1 < lines->length && lines->text[read + 1] == '"') {
            lines->text[write++] = '"';
            read += 2;
        } else {
            break;
        }
    }
    field->length = write - field->offset;
    at->here = read + 1;
    at->end = end_of_record(lines);
    while (at->here < at->end && blank(lines->text[at->here])) {
        at->here++;
    }
    if (at->here < at->end && lines->text[at->here] != ',') {
        return xp__lines_fail(lines, error, "has text after a closing quote");
    }
    return XP_OK;
}

xp_status xp__csv_next(xp__csv *csv, xp_error *error) {
    xp__lines *lines = csv->lines;
    csv->count = 0;
    xp_status status = xp__lines_next(lines, error);
    if (status != XP_OK || lines->text == NULL) {
        return status;
    }
    cursor at = {.csv = csv, .here = 0, .end = end_of_record(lines)};
    for (;;) {
        xp__csv_field *moved = xp__reserve(csv->fields, &csv->room, csv->count + 1, sizeof *moved);
        if (moved == NULL) {
            return xp__no_memory(error);
        }
        csv->fields = moved;
        while (at.here < at.end && blank(lines->text[at.here])) {
            at.here++;
        }
        xp__csv_field field;
        const bool quotes = at.here < at.end && lines->text[at.here] == '"';
        status = quotes ? quoted(&at, &field, error) : plain(&at, &field, error);
        if (status != XP_OK) {
            return status;
        }
        const bool last = at.here == at.end;
        lines->text[field.offset + field.length] = '\0';
        csv->fields[csv->count++] = field;
        if (last) {
            return XP_OK;
        }
        at.here++;
    }
}

xp_status xp__csv_expect(const xp__csv *csv, size_t wanted, xp_error *error) {
    return csv->count == wanted
               ? XP_OK
               : xp__lines_fail(csv->lines, error, "expected %zu field%s, found %zu", wanted,
                                wanted == 1 ? "" : "s", csv->count);
}

bool xp__csv_needs_quotes(const char *text) {
    const size_t length = strlen(text);
    return length == 0 || text[strcspn(text, "\",\r\n")] != '\0' || blank(text[0]) ||
           blank(text[length - 1]);
}
