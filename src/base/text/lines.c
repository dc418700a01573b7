/* lines.c: the buffer behind lines.h.
 *
 * Invariant: start <= next <= end <= room, and the buffer has one byte more than `room`, so that a
 * last line without LF can be zero-terminated like any other. */
#include "base/text/lines.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { CHUNK = 1 << 16, LEAST = 16 };

static xp_status open_source(xp__lines *lines, xp_error *error) {
    lines->buffer = xp__realloc(NULL, CHUNK + 1, 1);
    lines->room = CHUNK;
    return lines->buffer != NULL ? XP_OK : xp__no_memory(error);
}

xp_status xp__lines_open(xp__lines *lines, const char *path, xp_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    *lines = (xp__lines){.name = standard_input ? "standard input" : path};
    lines->stream = standard_input ? stdin : fopen(path, "rb");
    if (lines->stream == NULL) {
        return xp_error_set(error, XP_ERR_FILE, "cannot read '%.300s': %s", path, strerror(errno));
    }
    const xp_status status = open_source(lines, error);
    if (status != XP_OK) {
        xp__lines_close(lines);
    }
    return status;
}

xp_status xp__lines_open_memory(xp__lines *lines, const char *text, size_t bytes, const char *name,
                                xp_error *error) {
    *lines = (xp__lines){.name = name, .memory = text, .memory_left = bytes};
    return open_source(lines, error);
}

xp_status xp__lines_open_over(xp__lines *lines, xp__lines_read *read, void *context,
                              const char *name, xp_error *error) {
    *lines = (xp__lines){.name = name, .read = read, .context = context};
    return open_source(lines, error);
}

void xp__lines_close(xp__lines *lines) {
    if (lines->stream != NULL && lines->stream != stdin) {
        (void)fclose(lines->stream);
    }
    xp__free(lines->buffer);
    *lines = (xp__lines){.name = NULL};
}

static xp_status read_source(xp__lines *lines, char *to, size_t most, size_t *got,
                             xp_error *error) {
    if (lines->read != NULL) {
        return lines->read(lines->context, to, most, got, error);
    }
    if (lines->stream != NULL) {
        *got = fread(to, 1, most, lines->stream);
        return *got > 0 || !ferror(lines->stream)
                   ? XP_OK
                   : xp_error_set(error, XP_ERR_FILE, "cannot read '%.300s': %s", lines->name,
                                  strerror(errno));
    }
    *got = most < lines->memory_left ? most : lines->memory_left;
    if (*got != 0) {
        memcpy(to, lines->memory, *got);
        lines->memory += *got;
        lines->memory_left -= *got;
    }
    return XP_OK;
}

/* Reads more behind the current line, moving it to the front or enlarging the buffer if need be. */
static xp_status fill(xp__lines *lines, xp_error *error) {
    if (lines->start > 0) {
        memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
        lines->end -= lines->start;
        lines->next -= lines->start;
        lines->start = 0;
    }
    if (lines->room - lines->end < LEAST) {
        char *moved = xp__realloc(lines->buffer, 2 * lines->room + 1, 1);
        if (moved == NULL) {
            return xp__no_memory(error);
        }
        lines->buffer = moved;
        lines->room *= 2;
    }
    char *fresh = lines->buffer + lines->end;
    size_t bytes;
    const xp_status status = read_source(lines, fresh, lines->room - lines->end, &bytes, error);
    if (status != XP_OK) {
        return status;
    }
    lines->exhausted = bytes == 0;
    lines->has_zero = lines->has_zero || memchr(fresh, '\0', bytes) != NULL;
    lines->end += bytes;
    return XP_OK;
}

/* Moves `next` behind the first LF at or after it; the line is then [start, next). */
static xp_status find_end(xp__lines *lines, xp_error *error) {
    const size_t begin = lines->next - lines->start;
    size_t seen = begin;
    for (;;) {
        const size_t from = lines->start + seen;
        const char *found = memchr(lines->buffer + from, '\n', lines->end - from);
        seen = lines->end - lines->start;
        if (found != NULL) {
            lines->next = (size_t)(found - lines->buffer) + 1;
            lines->length = lines->next - 1 - lines->start;
            break;
        }
        if (lines->exhausted) {
            lines->next = lines->end;
            lines->length = seen;
            break;
        }
        if (seen > XP__LINE_MAX) {
            lines->length = seen;
            break;
        }
        const xp_status status = fill(lines, error);
        if (status != XP_OK) {
            return status;
        }
    }
    lines->text = lines->buffer + lines->start;
    if (lines->length > XP__LINE_MAX) {
        return xp__lines_fail(lines, error, "is longer than %d bytes", XP__LINE_MAX);
    }
    if (lines->has_zero && memchr(lines->text + begin, '\0', lines->length - begin) != NULL) {
        return xp__lines_fail(lines, error, "holds a zero byte, so it is not UTF-8 text");
    }
    return XP_OK;
}

static bool is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') {
            return false;
        }
    }
    return true;
}

xp_status xp__lines_next(xp__lines *lines, xp_error *error) {
    uint64_t blank = 0;
    for (;;) {
        lines->start = lines->next;
        lines->line = ++lines->passed;
        const xp_status status = find_end(lines, error);
        if (status != XP_OK) {
            return status;
        }
        if (lines->next == lines->start) { /* nothing left, not even an LF */
            lines->text = NULL;
            return XP_OK;
        }
        const bool mark =
            !lines->looked && lines->length >= 3 && memcmp(lines->text, "\xef\xbb\xbf", 3) == 0;
        lines->looked = true;
        if (mark) {
            lines->start += 3;
            lines->text += 3;
            lines->length -= 3;
        }
        if (!is_blank(lines->text, lines->length)) {
            break;
        }
        blank = lines->line;
    }
    if (blank != 0 && lines->begun) {
        lines->line = blank;
        return xp__lines_fail(lines, error, "is a blank line inside the data");
    }
    lines->begun = true;
    return XP_OK;
}

void xp__lines_unread(xp__lines *lines) {
    if (lines->text != NULL) {
        lines->next = lines->start;
        lines->passed = lines->line - 1;
        lines->begun = false;
    }
}

xp_status xp__lines_extend(xp__lines *lines, bool *extended, xp_error *error) {
    const size_t before = lines->next - lines->start;
    const xp_status status = find_end(lines, error);
    *extended = lines->next - lines->start > before;
    lines->passed += *extended ? 1 : 0;
    return status;
}

/* A long path is cut at its front: what matters stands at its end. */
static const char *shown_name(const xp__lines *lines) {
    enum { KEPT = 160 };
    const size_t length = strlen(lines->name);
    return length > KEPT ? lines->name + length - KEPT : lines->name;
}

xp_status xp__lines_fail(const xp__lines *lines, xp_error *error, const char *format, ...) {
    char sentence[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)xp__vformat(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return xp_error_set(error, XP_ERR_INPUT, "%s:%" PRIu64 ": %s", shown_name(lines), lines->line,
                        sentence);
}

xp_status xp__lines_fail_file(const xp__lines *lines, xp_error *error, const char *sentence) {
    return xp_error_set(error, XP_ERR_INPUT, "%s: %s", shown_name(lines), sentence);
}
