/* json.c: a JSON writer of one object at a time. */
#include "json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at `text`, 0 if it is not one. */
static size_t character_bytes(const unsigned char *text) {
    const unsigned char c = text[0];
    const size_t bytes = c < 0x80   ? 1
                         : c < 0xc2 ? 0
                         : c < 0xe0 ? 2
                         : c < 0xf0 ? 3
                         : c < 0xf5 ? 4
                                    : 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    const bool outside = (c == 0xed && text[1] > 0x9f) || (c == 0xf4 && text[1] > 0x8f);
    return overlong || outside ? 0 : bytes;
}

static void print_text(const char *value) {
    (void)putchar('"');
    for (const unsigned char *at = (const unsigned char *)value; *at != '\0';) {
        const size_t bytes = character_bytes(at);
        if (*at == '"' || *at == '\\') {
            (void)printf("\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            (void)printf("\\u%04x", *at);
        } else if (bytes == 0) {
            (void)fputs("\\ufffd", stdout);
        } else {
            (void)fwrite(at, 1, bytes, stdout);
        }
        at += bytes != 0 ? bytes : 1;
    }
    (void)putchar('"');
}

static void print_number(double value) {
    if (isnan(value)) {
        (void)fputs("null", stdout);
    } else if (isinf(value)) {
        (void)fputs(value > 0 ? "\"inf\"" : "\"-inf\"", stdout);
    } else {
        char text[32];
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) {
                break;
            }
        }
        (void)fputs(text, stdout);
    }
}

/* The comma, line and key that come before a value. */
static void before(cli_json *json, const char *key) {
    if (json->depth > 0) {
        const size_t level = json->depth - 1;
        (void)printf("%s\n%*s", json->started[level] ? "," : "", (int)(2 * json->depth), "");
        json->started[level] = true;
    }
    if (key != NULL) {
        print_text(key);
        (void)fputs(": ", stdout);
    }
}

static void open_bracket(cli_json *json, const char *key, char opening, char closing) {
    assert(json->depth < CLI_JSON_DEPTH);
    before(json, key);
    (void)putchar(opening);
    json->started[json->depth] = false;
    json->closing[json->depth++] = closing;
}

void cli_json_object(cli_json *json, const char *key) {
    open_bracket(json, key, '{', '}');
}

void cli_json_array(cli_json *json, const char *key) {
    open_bracket(json, key, '[', ']');
}

void cli_json_end(cli_json *json) {
    assert(json->depth > 0);
    json->depth--;
    if (json->started[json->depth]) {
        (void)printf("\n%*s", (int)(2 * json->depth), "");
    }
    (void)putchar(json->closing[json->depth]);
    if (json->depth == 0) {
        (void)putchar('\n');
    }
}

void cli_json_number(cli_json *json, const char *key, double value) {
    before(json, key);
    print_number(value);
}

void cli_json_integer(cli_json *json, const char *key, uint64_t value) {
    before(json, key);
    (void)printf("%llu", (unsigned long long)value);
}

void cli_json_bool(cli_json *json, const char *key, bool value) {
    before(json, key);
    (void)fputs(value ? "true" : "false", stdout);
}

void cli_json_text(cli_json *json, const char *key, const char *value) {
    before(json, key);
    if (value == NULL) {
        (void)fputs("null", stdout);
    } else {
        print_text(value);
    }
}

void cli_json_numbers(cli_json *json, const char *key, const double *value, size_t n) {
    before(json, key);
    (void)putchar('[');
    for (size_t i = 0; i < n; i++) {
        (void)fputs(i != 0 ? ", " : "", stdout);
        print_number(value[i]);
    }
    (void)putchar(']');
}

void cli_json_integers(cli_json *json, const char *key, const uint64_t *value, size_t n) {
    before(json, key);
    (void)putchar('[');
    for (size_t i = 0; i < n; i++) {
        (void)printf("%s%llu", i != 0 ? ", " : "", (unsigned long long)value[i]);
    }
    (void)putchar(']');
}
