/* records.c: splits records in place, in one pass over the bytes.
 *
 * Offsets count from the start of the record, so they stay right when the buffer moves. Quotes only
 * ever shrink a field, so unescaping writes behind the reader. Invariant: start <= next <= filled
 * <= room, and the buffer has one byte more, for the zero behind a last field. */
#include "table/records.h"

#include "base/grow.h"
#include "base/text/lines.h"
#include "base/text/text.h"
#include "table/values.h"

#include <stdarg.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

xp_status xp__records_open(xp__records *records, xp__source *source, char delimiter, char end,
                           xp_error *error) {
    *records = (xp__records){.source = source, .delimiter = delimiter, .end = end, .room = CHUNK};
    records->buffer = xp__realloc(NULL, CHUNK + 1, 1);
    return records->buffer != NULL ? XP_OK : xp__no_memory(error);
}

void xp__records_close(xp__records *records) {
    xp__free(records->buffer);
    xp__free(records->fields);
    *records = (xp__records){.source = NULL};
}

xp_status xp__records_fail(const xp__records *records, xp_error *error, const char *format, ...) {
    char sentence[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)xp__vformat(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const xp__lines place = {.name = records->source->name, .line = records->line};
    return xp__lines_fail(&place, error, "%s", sentence);
}

/* Reads more behind the current record. */
static xp_status fill(xp__records *records, xp_error *error) {
    if (records->filled - records->start > XP__RECORD_MAX) {
        return xp__records_fail(records, error,
                                "is longer than %d bytes; a quote may have been left open",
                                XP__RECORD_MAX);
    }
    if (records->start > 0) {
        memmove(records->buffer, records->buffer + records->start,
                records->filled - records->start);
        records->filled -= records->start;
        records->next -= records->start;
        records->start = 0;
    }
    if (records->filled + CHUNK / 2 > records->room) {
        char *moved = xp__realloc(records->buffer, 2 * records->room + 1, 1);
        if (moved == NULL) {
            return xp__no_memory(error);
        }
        records->buffer = moved;
        records->room *= 2;
    }
    size_t got;
    const xp_status status = xp__source_read(records->source, records->buffer + records->filled,
                                             records->room - records->filled, &got, error);
    if (status == XP_OK) {
        records->exhausted = got == 0;
        records->filled += got;
    }
    return status;
}

/* Whether there is a byte at `at`, counted from the start of the record. */
static inline xp_status at_byte(xp__records *records, size_t at, bool *there, xp_error *error) {
    while (records->start + at >= records->filled && !records->exhausted) {
        const xp_status status = fill(records, error);
        if (status != XP_OK) {
            *there = false;
            return status;
        }
    }
    *there = records->start + at < records->filled;
    return XP_OK;
}

static inline bool is_blank(const xp__records *records, char byte) {
    return (byte == ' ' || byte == '\t') && byte != records->delimiter;
}

typedef struct cursor {
    size_t at;
    bool ended; /* the record, at `at` */
} cursor;

/* What stands at the cursor behind a field: a delimiter, the end of the record (which is passed),
 * or something else (`*other`). */
static xp_status end_field(xp__records *records, cursor *here, bool *other, xp_error *error) {
    bool there, second = false;
    xp_status status = at_byte(records, here->at, &there, error);
    *other = false;
    here->ended = false;
    if (status != XP_OK) {
        return status;
    }
    const char byte = there ? records->buffer[records->start + here->at] : records->end;
    if (byte == records->delimiter && byte != '\0') {
        here->at++;
        return XP_OK;
    }
    if (there && byte == '\r' && records->end == '\n') {
        status = at_byte(records, here->at + 1, &second, error);
        if (status != XP_OK) {
            return status;
        }
        if (second && records->buffer[records->start + here->at + 1] != '\n') {
            return xp__records_fail(records, error,
                                    "has a carriage return inside a field; lines end in LF, in "
                                    "CRLF, or all in CR");
        }
    } else if (byte != records->end) {
        *other = true;
        return XP_OK;
    }
    here->ended = true;
    here->at += (there ? 1 : 0) + (second ? 1 : 0);
    return XP_OK;
}

/* An unquoted field: up to the delimiter or the end. */
static xp_status plain(xp__records *records, cursor *here, xp__field *field, xp_error *error) {
    const size_t from = here->at;
    const char delimiter = records->delimiter != '\0' ? records->delimiter : '\n';
    bool there = true;
    for (;;) {
        const char *text = records->buffer + records->start;
        const size_t limit = records->filled - records->start;
        size_t at = here->at;
        while (at < limit && text[at] != delimiter && text[at] != '\n' && text[at] != '\r') {
            at++;
        }
        here->at = at;
        if (at < limit || !there) {
            break;
        }
        const xp_status status = at_byte(records, at, &there, error);
        if (status != XP_OK) {
            return status;
        }
    }
    const char *text = records->buffer + records->start;
    *field = (xp__field){from, here->at - from, false};
    xp__trim(text, &field->offset, &field->length);
    return XP_OK;
}

/* A line break inside quotes: CRLF is LF. */
static xp_status quoted_break(xp__records *records, cursor *here, size_t *write, xp_error *error) {
    bool second;
    const char byte = records->buffer[records->start + here->at];
    const xp_status status = at_byte(records, here->at + 1, &second, error);
    if (status == XP_OK) {
        char *text = records->buffer + records->start;
        const bool pair = byte == '\r' && second && text[here->at + 1] == '\n';
        records->passed += byte == '\n' || pair || records->end == '\r';
        text[(*write)++] = '\n';
        here->at += pair ? 2 : 1;
    }
    return status;
}

/* A quoted field; the cursor is on the opening quote. */
static xp_status quoted(xp__records *records, cursor *here, xp__field *field, xp_error *error) {
    const size_t from = ++here->at;
    size_t write = from;
    for (;;) {
        bool there;
        xp_status status = at_byte(records, here->at + 1, &there, error);
        char *text = records->buffer + records->start;
        const bool last = !there;
        if (status == XP_OK && last && records->start + here->at >= records->filled) {
            return xp__records_fail(records, error, "opens a quote that is never closed");
        }
        if (status != XP_OK) {
            return status;
        }
        if (text[here->at] == '"' && (last || text[here->at + 1] != '"')) {
            break;
        }
        if (text[here->at] == '\n' || text[here->at] == '\r') {
            status = quoted_break(records, here, &write, error);
            if (status != XP_OK) {
                return status;
            }
        } else {
            here->at += text[here->at] == '"';
            text[write++] = text[here->at++];
        }
    }
    *field = (xp__field){from, write - from, true};
    here->at++;
    bool there = true;
    xp_status status = at_byte(records, here->at, &there, error);
    while (status == XP_OK && there &&
           is_blank(records, records->buffer[records->start + here->at])) {
        here->at++;
        status = at_byte(records, here->at, &there, error);
    }
    return status;
}

static xp_status read_field(xp__records *records, cursor *here, xp_error *error) {
    xp__field *moved =
        xp__reserve(records->fields, &records->field_room, records->count + 1, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    records->fields = moved;
    bool there;
    xp_status status = at_byte(records, here->at, &there, error);
    while (status == XP_OK && there &&
           is_blank(records, records->buffer[records->start + here->at])) {
        here->at++;
        status = at_byte(records, here->at, &there, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp__field field = {0, 0, false};
    const bool quotes = there && records->buffer[records->start + here->at] == '"';
    status = quotes ? quoted(records, here, &field, error) : plain(records, here, &field, error);
    if (status != XP_OK) {
        return status;
    }
    bool other;
    status = end_field(records, here, &other, error);
    if (status == XP_OK && other) {
        return xp__records_fail(records, error,
                                quotes
                                    ? "has text after a closing quote; double a quote that "
                                      "belongs to the text, or name the delimiter with --delimiter"
                                    : "mixes line ends: LF inside lines that end in CR");
    }
    records->fields[records->count++] = field;
    return status;
}

xp_status xp__records_next(xp__records *records, xp_error *error) {
    uint64_t blanks = 0;
    for (;;) {
        records->start = records->next;
        records->count = 0;
        records->line = records->passed + 1;
        bool there;
        xp_status status = at_byte(records, 0, &there, error);
        if (status != XP_OK || !there) {
            return status;
        }
        cursor here = {.at = 0};
        while (status == XP_OK && !here.ended) {
            status = read_field(records, &here, error);
        }
        if (status != XP_OK) {
            records->count = 0;
            return status;
        }
        records->next = records->start + here.at;
        records->passed++;
        if (records->count > 1 || records->fields[0].length > 0 || records->fields[0].quoted) {
            break;
        }
        blanks++;
    }
    records->blanks += blanks;
    for (size_t i = 0; i < records->count; i++) {
        const xp__field *field = &records->fields[i];
        records->buffer[records->start + field->offset + field->length] = '\0';
    }
    return XP_OK;
}
