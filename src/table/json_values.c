/* json_values.c: finds where a value ends by counting brackets outside strings; jansson reads it.
 */
#include "table/json_values.h"

#include "base/memory.h"
#include "base/text/lines.h"
#include "base/text/scan.h"

#include <string.h>

enum { CHUNK = 1 << 16, VALUE_MAX = 1 << 20 };

xp_status xp__json_values_open(xp__json_values *values, xp__source *source, bool array,
                               xp_error *error) {
    *values = (xp__json_values){.source = source, .array = array, .room = CHUNK, .line = 1};
    values->buffer = xp__realloc(NULL, CHUNK, 1);
    return values->buffer != NULL ? XP_OK : xp__no_memory(error);
}

void xp__json_values_close(xp__json_values *values) {
    xp__free(values->buffer);
    *values = (xp__json_values){.source = NULL};
}

static xp_status fail(const xp__json_values *values, const char *sentence, xp_error *error) {
    const xp__lines place = {.name = values->source->name, .line = values->line};
    return xp__lines_fail(&place, error, "%s", sentence);
}

/* Whether there is a byte at `next + ahead`; reads more if need be. */
static xp_status at_byte(xp__json_values *values, size_t ahead, bool *there, xp_error *error) {
    while (values->next + ahead >= values->filled && !values->exhausted) {
        if (ahead > VALUE_MAX) {
            return fail(values, "begins a value that is longer than 1048576 bytes", error);
        }
        memmove(values->buffer, values->buffer + values->next, values->filled - values->next);
        values->filled -= values->next;
        values->next = 0;
        if (values->filled + CHUNK / 2 > values->room) {
            char *moved = xp__realloc(values->buffer, 2 * values->room, 1);
            if (moved == NULL) {
                return xp__no_memory(error);
            }
            values->buffer = moved;
            values->room *= 2;
        }
        size_t got;
        const xp_status status = xp__source_read(values->source, values->buffer + values->filled,
                                                 values->room - values->filled, &got, error);
        if (status != XP_OK) {
            return status;
        }
        values->exhausted = got == 0;
        values->filled += got;
    }
    *there = values->next + ahead < values->filled;
    return XP_OK;
}

/* Passes over white space; `*byte` is what follows, or 0 at the end. */
static xp_status skip(xp__json_values *values, char *byte, xp_error *error) {
    for (;;) {
        bool there = false;
        const xp_status status = at_byte(values, 0, &there, error);
        *byte = status == XP_OK && there ? values->buffer[values->next] : '\0';
        if (*byte != ' ' && *byte != '\t' && *byte != '\r' && *byte != '\n') {
            values->line = values->passed + 1;
            return status;
        }
        values->passed += *byte == '\n';
        values->next++;
    }
}

/* Goes to the next value: past the bracket or comma before it. `*ended`: there is none. */
static xp_status approach(xp__json_values *values, bool *ended, xp_error *error) {
    char byte;
    xp_status status = skip(values, &byte, error);
    *ended = false;
    if (status != XP_OK || !values->array) {
        *ended = byte == '\0';
        return status;
    }
    if (!values->opened) { /* the bracket that told that it is an array */
        values->opened = true;
        values->next++;
        status = skip(values, &byte, error);
    } else if (!values->closed && byte == ',' && values->any) {
        values->next++;
        status = skip(values, &byte, error);
        if (status == XP_OK && byte == ']') {
            return fail(values, "has a comma before the end of the array", error);
        }
    } else if (!values->closed && byte != ']') {
        return fail(values,
                    byte == '\0' ? "ends inside the array: the file may be cut"
                                 : "has no comma between two values of the array",
                    error);
    }
    if (status == XP_OK && byte == ']' && !values->closed) {
        values->closed = true;
        values->next++;
        status = skip(values, &byte, error);
    }
    if (status == XP_OK && values->closed) {
        *ended = true;
        return byte == '\0' ? XP_OK : fail(values, "has text behind the end of the array", error);
    }
    return status;
}

/* Length of the value at `next`: to the bracket that closes it, or to what cannot be its own. */
static xp_status measure(xp__json_values *values, size_t *length, xp_error *error) {
    size_t at = 0, depth = 0;
    bool in_string = false, there = true;
    for (;; at++) {
        const xp_status status = at_byte(values, at, &there, error);
        if (status != XP_OK || !there) {
            *length = at;
            return status;
        }
        const char byte = values->buffer[values->next + at];
        if (in_string) {
            if (byte == '\\') {
                at++;
            } else if (byte == '"') {
                in_string = false;
                if (depth == 0) {
                    break;
                }
            }
        } else if (byte == '"') {
            in_string = true;
        } else if (byte == '{' || byte == '[') {
            depth++;
        } else if (byte == '}' || byte == ']') {
            if (depth <= 1) {
                at -= depth == 0;
                break;
            }
            depth--;
        } else if (depth == 0 &&
                   (byte == ',' || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')) {
            at--;
            break;
        }
    }
    *length = at + 1;
    return XP_OK;
}

/* What to do about text that is not JSON. */
static const char *hint(const char *text, size_t length, bool any) {
    const char *quote = memchr(text, '\'', length), *twice = memchr(text, '"', length);
    bool nan = false;
    for (size_t i = 0; i + 3 <= length && !nan; i++) {
        nan = memcmp(text + i, "NaN", 3) == 0;
    }
    return nan && !(quote != NULL && twice == NULL) ? "; write null for missing values"
           : quote != NULL && twice == NULL
               ? "; JSON has double quotes, as Python's json.dumps writes them"
           : any ? ""
                 : "; if it is text with a delimiter, name that with --delimiter";
}

xp_status xp__json_values_next(xp__json_values *values, json_t **value, xp_error *error) {
    bool ended;
    size_t length = 0;
    *value = NULL;
    xp_status status = approach(values, &ended, error);
    if (status != XP_OK || ended) {
        return status;
    }
    status = measure(values, &length, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t most = values->filled - values->next;
    length = length < most ? length : most;
    json_error_t problem;
    *value = json_loadb(values->buffer + values->next, length,
                        JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    if (*value == NULL) {
        char shown[XP__SHOWN], sentence[240];
        if (json_error_code(&problem) == json_error_out_of_memory) {
            return xp__no_memory(error);
        }
        (void)snprintf(sentence, sizeof sentence, "is not JSON: %s%s",
                       xp__show(shown, problem.text, strlen(problem.text)),
                       hint(values->buffer + values->next, length, values->any));
        return fail(values, sentence, error);
    }
    for (size_t i = 0; i < length; i++) {
        values->passed += values->buffer[values->next + i] == '\n';
    }
    values->next += length;
    values->any = true;
    return XP_OK;
}
