/* json.c: reading fields and writing text.
 *
 * The writer is our own because the same value must give the same bytes after a round trip, in any
 * locale, and because shortest numbers are easier on the eye than seventeen digits. */
#include "base/text/json.h"

#include "base/file.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *xp__json_number(double value) {
    if (!isfinite(value)) {
        return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
    return json_real(value + 0.0); /* a negative zero would be read back as a positive one */
}

json_t *xp__json_numbers(const double *value, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < n; i++) {
        if (json_array_append_new(array, xp__json_number(value[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

bool xp__json_as_number(const json_t *value, double *out) {
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        if (strcmp(text, "inf") == 0) {
            *out = INFINITY;
        } else if (strcmp(text, "-inf") == 0) {
            *out = -INFINITY;
        } else if (strcmp(text, "nan") == 0) {
            *out = NAN;
        } else {
            return false;
        }
        return true;
    }
    return false;
}

const char *xp__json_describe(const json_t *value, char *buffer, size_t size) {
    double number;
    char text[32];
    if (json_is_string(value)) {
        (void)snprintf(buffer, size, "\"%.60s\"", json_string_value(value));
    } else if (xp__json_as_number(value, &number)) {
        (void)xp__format_double(text, number);
        (void)snprintf(buffer, size, "%s", text);
    } else {
        const char *kind = json_is_object(value)  ? "an object"
                           : json_is_array(value) ? "an array"
                           : json_is_null(value)  ? "null"
                           : json_is_true(value)  ? "true"
                                                  : "false";
        (void)snprintf(buffer, size, "%s", kind);
    }
    return buffer;
}

static xp_status unexpected(const char *field, const json_t *value, const char *wanted,
                            xp_error *error) {
    char found[80];
    return xp_error_set(error, XP_ERR_INPUT, "field '%s' is %s; it must be %s", field,
                        xp__json_describe(value, found, sizeof found), wanted);
}

xp_status xp__json_read_field(const json_t *object, const char *field, const json_t **value,
                              xp_error *error) {
    *value = json_object_get(object, field);
    if (*value == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "field '%s' is missing", field);
    }
    return XP_OK;
}

xp_status xp__json_read_number(const json_t *object, const char *field, double *out,
                               xp_error *error) {
    const json_t *value;
    const xp_status status = xp__json_read_field(object, field, &value, error);
    if (status == XP_OK && !xp__json_as_number(value, out)) {
        return unexpected(field, value, "a number", error);
    }
    return status;
}

xp_status xp__json_read_numbers(const json_t *object, const char *field, size_t n, double *out,
                                xp_error *error) {
    const json_t *array;
    const xp_status status = xp__json_read_field(object, field, &array, error);
    if (status != XP_OK) {
        return status;
    }
    if (!json_is_array(array)) {
        return unexpected(field, array, "an array of numbers", error);
    }
    if (json_array_size(array) != n) {
        return xp_error_set(error, XP_ERR_INPUT, "field '%s' has %zu numbers; it must have %zu",
                            field, json_array_size(array), n);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        if (!xp__json_as_number(value, &out[i])) {
            char found[80];
            return xp_error_set(error, XP_ERR_INPUT,
                                "field '%s', entry %zu is %s; it must be a "
                                "number",
                                field, i, xp__json_describe(value, found, sizeof found));
        }
    }
    return XP_OK;
}

xp_status xp__json_read_whole(const json_t *object, const char *field, uint64_t low, uint64_t high,
                              uint64_t *out, xp_error *error) {
    const json_t *value;
    const xp_status status = xp__json_read_field(object, field, &value, error);
    if (status != XP_OK) {
        return status;
    }
    const double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(number >= (double)low && number <= (double)high && number == floor(number))) {
        char found[80];
        return xp_error_set(error, XP_ERR_INPUT,
                            "field '%s' is %s; it must be a whole number in [%llu, %llu]", field,
                            xp__json_describe(value, found, sizeof found), (unsigned long long)low,
                            (unsigned long long)high);
    }
    *out = (uint64_t)number;
    return XP_OK;
}

xp_status xp__json_read_text(const json_t *object, const char *field, const char **out,
                             xp_error *error) {
    const json_t *value;
    const xp_status status = xp__json_read_field(object, field, &value, error);
    if (status == XP_OK && !json_is_string(value)) {
        return unexpected(field, value, "a string", error);
    }
    *out = json_string_value(value);
    return status;
}

/* What a mark outside strings costs in jansson, with room to spare: an object has a table of its
 * own, an array eight places; a comma stands for a value, a colon for a key, a quote for half a
 * string. Any byte may be part of a text that is copied while it grows. */
size_t xp__json_memory(const char *data, size_t bytes) {
    static const size_t cost[UCHAR_MAX + 1] = {
        ['{'] = 256, ['['] = 160, [','] = 56, [':'] = 128, ['"'] = 40};
    size_t total = 4096 + 4 * bytes;
    bool inside = false;
    for (size_t i = 0; i < bytes; i++) {
        const char byte = data[i];
        total += !inside || byte == '"' ? cost[(unsigned char)byte] : 0;
        inside = inside != (byte == '"');
        i += inside && byte == '\\'; /* what is escaped is no mark */
    }
    return total;
}

xp_status xp__json_parse(const char *data, size_t bytes, const char *name, size_t most,
                         json_t **value, xp_error *error) {
    json_error_t problem;
    const size_t needed = xp__json_memory(data, bytes);
    *value = NULL;
    if (needed > most) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: its %zu bytes of JSON would take up to %zu MiB of memory, and at "
                            "most %zu are allowed: no file of this kind needs as much",
                            name, bytes, needed >> 20, most >> 20);
    }
    *value = json_loadb(data, bytes, JSON_REJECT_DUPLICATES, &problem);
    if (*value == NULL) {
        if (json_error_code(&problem) == json_error_out_of_memory) {
            return xp__no_memory(error);
        }
        if (json_error_code(&problem) == json_error_null_character) {
            return xp_error_set(error, XP_ERR_INPUT, "%s: line %d: a text has a zero character",
                                name, problem.line);
        }
        return xp_error_set(error, XP_ERR_INPUT, "%s: line %d, column %d is not JSON: %s", name,
                            problem.line, problem.column, problem.text);
    }
    if (!json_is_object(*value)) {
        json_decref(*value);
        *value = NULL;
        return xp_error_set(error, XP_ERR_INPUT, "%s: not a JSON object", name);
    }
    return XP_OK;
}

xp_status xp__json_read(const char *data, size_t bytes, const char *name, size_t most,
                        xp_status (*read)(const json_t *object, void *made, xp_error *error),
                        void *made, xp_error *error) {
    json_t *object;
    xp_status status = xp__json_parse(data, bytes, name, most, &object, error);
    if (status != XP_OK) {
        return status;
    }
    xp_error problem;
    status = read(object, made, &problem);
    json_decref(object);
    return status == XP_OK ? XP_OK : xp_error_set(error, status, "%s: %s", name, problem.message);
}

xp_status xp__json_check_format(const json_t *object, const char *format, const char *old,
                                uint64_t version, xp_error *error) {
    const char *found = "";
    const xp_status status = xp__json_read_text(object, "format", &found, error);
    if (status != XP_OK) {
        return status;
    }
    if (strcmp(found, format) != 0 && (old == NULL || strcmp(found, old) != 0)) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'format' is \"%.60s\"; it must be \"%s\"",
                            found, format);
    }
    return xp__json_read_whole(object, "version", version, version, &version, error);
}

/* Text being made; `failed` sticks, so that callers check once. */
typedef struct text_buffer {
    char *data;
    size_t used, room;
    bool failed;
} text_buffer;

static void put(text_buffer *out, const char *text, size_t bytes) {
    if (out->failed) {
        return;
    }
    if (out->room - out->used < bytes + 1) {
        const size_t room = 2 * (out->room + bytes + 64);
        char *moved = xp__realloc(out->data, room, 1);
        if (moved == NULL) {
            out->failed = true;
            return;
        }
        out->data = moved;
        out->room = room;
    }
    memcpy(out->data + out->used, text, bytes);
    out->used += bytes;
    out->data[out->used] = '\0';
}

static void put_text(text_buffer *out, const char *text) {
    put(out, text, strlen(text));
}

static void put_string(text_buffer *out, const char *text) {
    put(out, "\"", 1);
    for (const char *c = text; *c != '\0'; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\') {
            (void)snprintf(escaped, sizeof escaped, "\\%c", *c);
            put_text(out, escaped);
        } else if ((unsigned char)*c < 0x20) {
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*c);
            put_text(out, escaped);
        } else {
            put(out, c, 1);
        }
    }
    put(out, "\"", 1);
}

static void put_scalar(text_buffer *out, const json_t *value) {
    char number[32];
    if (json_is_string(value)) {
        put_string(out, json_string_value(value));
    } else if (json_is_integer(value)) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        put_text(out, number);
    } else if (json_is_real(value)) {
        (void)xp__format_double(number, json_real_value(value));
        put_text(out, number);
    } else {
        put_text(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

static void put_indent(text_buffer *out, int depth) {
    put(out, "\n", 1);
    for (int i = 0; i < depth; i++) {
        put(out, "  ", 2);
    }
}

/* Values nest a few levels only: whoever builds them decides the depth. */
static void put_value(text_buffer *out, const json_t *value, int depth) {
    if (json_is_object(value)) {
        const char *separator = "{";
        for (void *entry = json_object_iter((json_t *)value); entry != NULL;
             entry = json_object_iter_next((json_t *)value, entry)) {
            put_text(out, separator);
            put_indent(out, depth + 1);
            put_string(out, json_object_iter_key(entry));
            put(out, ": ", 2);
            put_value(out, json_object_iter_value(entry), depth + 1);
            separator = ",";
        }
        if (*separator == '{') {
            put_text(out, "{}");
            return;
        }
        put_indent(out, depth);
        put(out, "}", 1);
    } else if (json_is_array(value)) {
        put(out, "[", 1);
        for (size_t i = 0; i < json_array_size(value); i++) {
            put_text(out, i != 0 ? ", " : "");
            put_value(out, json_array_get(value, i), depth + 1);
        }
        put(out, "]", 1);
    } else {
        put_scalar(out, value);
    }
}

xp_status xp__json_text(const json_t *value, char **text, xp_error *error) {
    text_buffer out = {.data = NULL};
    put_value(&out, value, 0);
    put(&out, "\n", 1);
    if (out.failed) {
        xp__free(out.data);
        *text = NULL;
        return xp__no_memory(error);
    }
    *text = out.data;
    return XP_OK;
}
