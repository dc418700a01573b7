/* text.c: a string that grows, the escapes of the formats that a report is written in, and the C
 * library's formatting in the C locale. */
#include "base/text/text.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text/scan.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;
static pthread_once_t c_locale_made = PTHREAD_ONCE_INIT;

static void make_c_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The calling thread's locale becomes "C"; returns what it was. */
static locale_t enter_c_locale(void) {
    (void)pthread_once(&c_locale_made, make_c_locale);
    return uselocale(c_locale);
}

int xp__vformat(char *buffer, size_t size, const char *format, va_list arguments) {
    const locale_t before = enter_c_locale();
    const int length = vsnprintf(buffer, size, format, arguments);
    (void)uselocale(before);
    return length;
}

int xp__format(char *buffer, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = xp__vformat(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

double xp__read_number(const char *text, char **end) {
    const locale_t before = enter_c_locale();
    const double value = strtod(text, end);
    (void)uselocale(before);
    return value;
}

/* Room for `more` bytes and the final zero. */
static bool reserve(xp__text *text, size_t more) {
    if (text->failed || more >= SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    const size_t needed = text->length + more + 1;
    if (needed > text->room) {
        const size_t room = needed < 128 ? 256 : 2 * needed;
        char *data = xp__realloc(text->data, room, 1);
        if (data == NULL) {
            text->failed = true;
            return false;
        }
        text->data = data;
        text->room = room;
    }
    return true;
}

void xp__text_bytes(xp__text *text, const char *bytes, size_t count) {
    if (reserve(text, count)) {
        memcpy(text->data + text->length, bytes, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void xp__text_append(xp__text *text, const char *piece) {
    xp__text_bytes(text, piece, strlen(piece));
}

void xp__text_fill(xp__text *text, char byte, size_t count) {
    if (reserve(text, count)) {
        memset(text->data + text->length, byte, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void xp__text_format(xp__text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = xp__vformat(NULL, 0, format, arguments);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        (void)xp__vformat(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void xp__text_double(xp__text *text, double value, const char *absent) {
    char buffer[32];
    if (isfinite(value)) {
        xp__text_bytes(text, buffer, xp__format_double(buffer, value));
    } else {
        xp__text_append(text, absent);
    }
}

void xp__text_fixed(xp__text *text, double value, int decimals, const char *minus) {
    char buffer[352]; /* the largest double has 309 digits before the point */
    (void)xp__format(buffer, sizeof buffer, "%.*f", decimals, fabs(value));
    /* A value that rounds to nothing has no sign worth showing. */
    if (value < 0 && strspn(buffer, "0.") != strlen(buffer)) {
        xp__text_append(text, minus);
    }
    xp__text_append(text, buffer);
}

static bool is_control(char byte) {
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

void xp__text_html(xp__text *text, const char *piece) {
    for (const char *p = piece; *p != '\0'; p++) {
        switch (*p) {
        case '&':
            xp__text_append(text, "&amp;");
            break;
        case '<':
            xp__text_append(text, "&lt;");
            break;
        case '>':
            xp__text_append(text, "&gt;");
            break;
        case '"':
            xp__text_append(text, "&quot;");
            break;
        case '\'':
            xp__text_append(text, "&#39;");
            break;
        default:
            xp__text_bytes(text, is_control(*p) ? " " : p, 1);
        }
    }
}

void xp__text_csv(xp__text *text, const char *piece) {
    if (piece[strcspn(piece, "\",\r\n")] == '\0') {
        xp__text_append(text, piece);
        return;
    }
    xp__text_append(text, "\"");
    for (const char *p = piece; *p != '\0'; p++) {
        xp__text_bytes(text, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    }
    xp__text_append(text, "\"");
}

/* Bytes of the code point at `p`, or 0 if these bytes are not UTF-8. */
static size_t code_point(const char *p) {
    const unsigned char lead = (unsigned char)p[0];
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return strnlen(p, bytes) == bytes && xp__scan_utf8(p, bytes) ? bytes : 0;
}

void xp__text_line(xp__text *text, const char *piece, size_t limit, char quote) {
    const bool cut = xp__text_width(piece) > limit;
    size_t written = 0;
    for (const char *p = piece; *p != '\0'; written++) {
        if (cut && written + 1 == limit) {
            xp__text_append(text, "…");
            return;
        }
        const size_t bytes = code_point(p);
        if (bytes == 0) {
            xp__text_append(text, "\xef\xbf\xbd");
        } else if (is_control(*p)) {
            xp__text_append(text, " ");
        } else {
            xp__text_bytes(text, p, bytes);
            if (*p == quote) {
                xp__text_bytes(text, &quote, 1);
            }
        }
        p += bytes != 0 ? bytes : 1;
    }
}

size_t xp__text_width(const char *piece) {
    size_t width = 0;
    for (const char *p = piece; *p != '\0'; width++) {
        const size_t bytes = code_point(p);
        p += bytes != 0 ? bytes : 1;
    }
    return width;
}

xp_status xp__text_take(xp__text *text, char **data, size_t *length, xp_error *error) {
    if (!reserve(text, 0)) {
        xp__text_deinit(text);
        return xp__no_memory(error);
    }
    text->data[text->length] = '\0';
    *data = text->data;
    if (length != NULL) {
        *length = text->length;
    }
    *text = (xp__text){.data = NULL};
    return XP_OK;
}

void xp__text_deinit(xp__text *text) {
    xp__free(text->data);
    *text = (xp__text){.data = NULL};
}
