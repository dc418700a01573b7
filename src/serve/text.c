/* text.c: a text that grows. */
#include "serve/text.h"

#include "base/text/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_ROOM = 200, KNOWN = 256 }; /* bytes: an answer of one decision; numbers */

static bool make_room(serve_text *text, size_t more) {
    if (text->failed || more > SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    const size_t wanted = text->length + more + 1;
    if (wanted > text->room) {
        const size_t room = wanted > 2 * text->room ? wanted + FIRST_ROOM : 2 * text->room;
        char *data = realloc(text->data, room);
        if (data == NULL) {
            text->failed = true;
            return false;
        }
        text->data = data;
        text->room = room;
    }
    return true;
}

void serve_text_add_bytes(serve_text *text, const char *bytes, size_t count) {
    if (make_room(text, count)) {
        memcpy(text->data + text->length, bytes, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void serve_text_add(serve_text *text, const char *words) {
    serve_text_add_bytes(text, words, strlen(words));
}

void serve_text_format(serve_text *text, const char *format, ...) {
    char words[1024];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(words, sizeof words, format, values);
    va_end(values);
    if (length < 0 || length >= (int)sizeof words) {
        text->failed = true;
    } else {
        serve_text_add_bytes(text, words, (size_t)length);
    }
}

/* Bytes of the next character, if it stands in a JSON string as it is; else 0. */
static size_t plain_bytes(const char *text) {
    const unsigned char lead = (unsigned char)*text;
    if (lead < 0x80) {
        return lead >= 0x20 && strchr("\"\\<>&\x7f", *text) == NULL;
    }
    const size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return strnlen(text, bytes) == bytes && xp__scan_utf8(text, bytes) ? bytes : 0;
}

void serve_text_json(serve_text *text, const char *words) {
    serve_text_add_bytes(text, "\"", 1);
    for (const char *rest = words; *rest != '\0';) {
        size_t plain = 0, bytes;
        while ((bytes = plain_bytes(rest + plain)) > 0) {
            plain += bytes;
        }
        serve_text_add_bytes(text, rest, plain);
        rest += plain;
        if (*rest != '\0') {
            const unsigned char odd = (unsigned char)*rest;
            serve_text_format(text, "\\u%04x", odd < 0x80 ? (unsigned)odd : 0xfffdU);
            rest++;
        }
    }
    serve_text_add_bytes(text, "\"", 1);
}

/* Numbers that this thread wrote lately: probabilities repeat until a reward changes them, and to
 * find the digits takes longer than the rest of an answer. */
typedef struct known_number {
    uint64_t bits;
    char words[32]; /* "": none */
} known_number;
static _Thread_local known_number known_numbers[KNOWN];

void serve_text_number(serve_text *text, double number) {
    if (!isfinite(number)) {
        serve_text_add(text, "null");
        return;
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    known_number *known = &known_numbers[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    if (known->bits != bits || known->words[0] == '\0') {
        known->bits = bits;
        for (int digits = 15; digits <= 17; digits++) { /* the shortest that reads back the same */
            (void)snprintf(known->words, sizeof known->words, "%.*g", digits, number);
            if (strtod(known->words, NULL) == number) {
                break;
            }
        }
    }
    serve_text_add(text, known->words);
}

void serve_text_csv(serve_text *text, const char *words) {
    if (words[0] != '\0' && strchr("=+-@", words[0]) != NULL) {
        serve_text_add(text, "\"'");
    } else if (strpbrk(words, ",\"\r\n") == NULL) {
        serve_text_add(text, words);
        return;
    } else {
        serve_text_add(text, "\"");
    }
    for (; *words != '\0'; words++) {
        serve_text_add_bytes(text, *words == '"' ? "\"\"" : words, *words == '"' ? 2 : 1);
    }
    serve_text_add(text, "\"");
}

void serve_text_time(serve_text *text, int64_t milliseconds, bool quoted) {
    const time_t seconds = (time_t)(milliseconds / 1000);
    struct tm parts;
    char words[40];
    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S", &parts) == 0) {
        words[0] = '\0';
    }
    serve_text_format(text, "%s%s.%03dZ%s", quoted ? "\"" : "", words, (int)(milliseconds % 1000),
                      quoted ? "\"" : "");
}

void serve_text_free(serve_text *text) {
    free(text->data);
    *text = (serve_text){.data = NULL};
}
