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

static void print_text(FILE *out, const char *value) {
    (void)fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)value; *at != '\0';) {
        const size_t bytes = character_bytes(at);
        if (*at == '"' || *at == '\\') {
            (void)fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            (void)fprintf(out, "\\u%04x", *at);
        } else if (bytes == 0) {
            (void)fputs("\\ufffd", out);
        } else {
            (void)fwrite(at, 1, bytes, out);
        }
        at += bytes != 0 ? bytes : 1;
    }
    (void)fputc('"', out);
}

static void print_number(FILE *out, double value) {
    if (isnan(value)) {
        (void)fputs("null", out);
    } else if (isinf(value)) {
        (void)fputs(value > 0 ? "\"inf\"" : "\"-inf\"", out);
    } else {
        char text[32];
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) {
                break;
            }
        }
        (void)fputs(text, out);
    }
}

static FILE *stream(const cli_json *json) {
    return json->out != NULL ? json->out : stdout;
}

/* The comma, line and key that come before a value. */
static void before(cli_json *json, const char *key) {
    FILE *out = stream(json);
    if (json->depth > 0) {
        const size_t level = json->depth - 1;
        (void)fprintf(out, "%s\n%*s", json->started[level] ? "," : "", (int)(2 * json->depth), "");
        json->started[level] = true;
    }
    if (key != NULL) {
        print_text(out, key);
        (void)fputs(": ", out);
    }
}

static void open_bracket(cli_json *json, const char *key, char opening, char closing) {
    FILE *out = stream(json);
    assert(json->depth < CLI_JSON_DEPTH);
    before(json, key);
    (void)fputc(opening, out);
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
    FILE *out = stream(json);
    assert(json->depth > 0);
    json->depth--;
    if (json->started[json->depth]) {
        (void)fprintf(out, "\n%*s", (int)(2 * json->depth), "");
    }
    (void)fputc(json->closing[json->depth], out);
    if (json->depth == 0) {
        (void)fputc('\n', out);
    }
}

void cli_json_number(cli_json *json, const char *key, double value) {
    FILE *out = stream(json);
    before(json, key);
    print_number(out, value);
}

void cli_json_integer(cli_json *json, const char *key, uint64_t value) {
    FILE *out = stream(json);
    before(json, key);
    (void)fprintf(out, "%llu", (unsigned long long)value);
}

void cli_json_bool(cli_json *json, const char *key, bool value) {
    FILE *out = stream(json);
    before(json, key);
    (void)fputs(value ? "true" : "false", out);
}

void cli_json_text(cli_json *json, const char *key, const char *value) {
    FILE *out = stream(json);
    before(json, key);
    if (value == NULL) {
        (void)fputs("null", out);
    } else {
        print_text(out, value);
    }
}

void cli_json_numbers(cli_json *json, const char *key, const double *value, size_t n) {
    FILE *out = stream(json);
    before(json, key);
    (void)fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        (void)fputs(i != 0 ? ", " : "", out);
        print_number(out, value[i]);
    }
    (void)fputc(']', out);
}

void cli_json_integers(cli_json *json, const char *key, const uint64_t *value, size_t n) {
    FILE *out = stream(json);
    before(json, key);
    (void)fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(out, "%s%llu", i != 0 ? ", " : "", (unsigned long long)value[i]);
    }
    (void)fputc(']', out);
}
