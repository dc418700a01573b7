/* sweep_reader.c: mistakes of a sweep file, and its values. */
#include "study/sweep/sweep_reader.h"

#include "base/bytes/checksum.h"
#include "base/grow.h"
#include "base/settings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xp__sweep_complain(xp__sweep_reader *self, const char *format, ...) {
    char sentence[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    const uint64_t sum = xp__checksum(XP__CHECKSUM_START, sentence, strlen(sentence));
    for (size_t i = 0; i < self->faults && i < XP__SWEEP_TOLD; i++) {
        if (self->told[i] == sum) {
            return;
        }
    }
    if (self->faults < XP__SWEEP_TOLD) {
        self->told[self->faults] = sum;
        if (self->fault != NULL) {
            self->fault(self->context, sentence);
        }
    }
    self->faults++;
}

void xp__sweep_complain_rest(const xp__sweep_reader *self) {
    if (self->faults > XP__SWEEP_TOLD && self->fault != NULL) {
        char sentence[64];
        (void)snprintf(sentence, sizeof sentence, "... and %zu more",
                       self->faults - XP__SWEEP_TOLD);
        self->fault(self->context, sentence);
    }
}

void xp__sweep_blame(xp__sweep_reader *self, const char *list, size_t i, const xp_error *error) {
    if (error->status == XP_ERR_MEMORY) {
        self->no_memory = true;
    } else {
        xp__sweep_complain(self, "%s[%zu]: %s", list, i, error->message);
    }
}

void *xp__sweep_grow(xp__sweep_reader *self, void **block, size_t count, size_t *room,
                     size_t size) {
    void *grown = xp__reserve(*block, room, count + 1, size);
    self->no_memory = self->no_memory || grown == NULL;
    *block = grown != NULL ? grown : *block;
    return grown != NULL ? (char *)grown + count * size : NULL;
}

const char *xp__sweep_show(const json_t *value, char buffer[XP__SHOWN]) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    xp__show(buffer, text != NULL ? text : "?", text != NULL ? strlen(text) : 1);
    free(text);
    return buffer;
}

json_t *xp__sweep_list(xp__sweep_reader *self, const json_t *file, const char *key, bool required) {
    json_t *value = json_object_get(file, key);
    if (value == NULL) {
        if (required) {
            xp__sweep_complain(self, "'%s' is missing", key);
        }
        return NULL;
    }
    if (json_is_array(value) && json_array_size(value) == 0) {
        xp__sweep_complain(self, "'%s' is an empty list", key);
        return NULL;
    }
    if (json_is_array(value) && json_array_size(value) > XP__SWEEP_LIST) {
        xp__sweep_complain(self, "'%s' has %zu entries, more than %d", key, json_array_size(value),
                           (int)XP__SWEEP_LIST);
        return NULL;
    }
    return value;
}

size_t xp__sweep_list_size(const json_t *list) {
    return list == NULL ? 0 : json_is_array(list) ? json_array_size(list) : 1;
}

json_t *xp__sweep_list_at(json_t *list, size_t i) {
    return json_is_array(list) ? json_array_get(list, i) : list;
}

const char *xp__sweep_spec_at(xp__sweep_reader *self, json_t *list, size_t i, const char *key) {
    const json_t *value = xp__sweep_list_at(list, i);
    const char *spec = json_string_value(value);
    char shown[XP__SHOWN];
    if (spec == NULL || spec[0] == '\0') {
        xp__sweep_complain(self, "%s[%zu] = %s is not a text like \"name:key=value\"", key, i,
                           xp__sweep_show(value, shown));
        return NULL;
    }
    if (strlen(spec) >= XP__SWEEP_SPEC) {
        xp__sweep_complain(self, "%s[%zu] = %s is longer than %d bytes", key, i,
                           xp__sweep_show(value, shown), (int)XP__SWEEP_SPEC - 1);
        return NULL;
    }
    return spec;
}

bool xp__sweep_repeats(xp__sweep_reader *self, const char *key, size_t i, const char *spec) {
    char name[XP__SETTING_KEY];
    const char *at = xp__spec_name(spec, name);
    xp__setting one, other;
    xp_status status = XP_OK;
    while (xp__setting_next(&at, &one, spec, &status, NULL)) {
        const char *after = at;
        while (xp__setting_next(&after, &other, spec, &status, NULL)) {
            if (strcmp(one.key, other.key) == 0) {
                xp__sweep_complain(self, "%s[%zu]: %s sets '%s' twice", key, i, name, one.key);
                return true;
            }
        }
    }
    return false;
}

uint64_t xp__sweep_meaning(xp__sweep_reader *self, const xp__params *params, uint64_t sum) {
    xp__text text = {.data = NULL};
    xp__text_append(&text, params->owner != NULL ? params->owner : "");
    xp__text_append(&text, ":");
    xp__settings_write(params, true, &text);
    self->no_memory = self->no_memory || text.failed;
    sum = xp__checksum(sum, text.data, text.failed ? 0 : text.length);
    xp__text_deinit(&text);
    return sum;
}

void xp__sweep_complain_twice(xp__sweep_reader *self, const char *key, const char *spec,
                              const char *earlier) {
    if (strcmp(spec, earlier) == 0) {
        xp__sweep_complain(self, "%s: '%s' is listed twice", key, spec);
    } else {
        xp__sweep_complain(self, "%s: '%s' and '%s' are the same", key, earlier, spec);
    }
}

bool xp__sweep_whole(xp__sweep_reader *self, const json_t *value, const char *name, size_t low,
                     size_t high, size_t *number) {
    static const double most = 1e15; /* up to there a real number is exact */
    const double real = json_is_real(value) ? json_real_value(value) : NAN;
    const json_int_t whole =
        fabs(real) <= most && real == floor(real) ? (json_int_t)real : json_integer_value(value);
    if ((!json_is_integer(value) && (double)whole != real) || whole < (json_int_t)low ||
        (uint64_t)whole > high) {
        char shown[XP__SHOWN];
        xp__sweep_complain(self, "%s = %s is not a whole number in [%zu, %zu]", name,
                           xp__sweep_show(value, shown), low, high);
        return false;
    }
    *number = (size_t)whole;
    return true;
}

/* In the sweep's folder, and that beside the file, unless a path begins at the root. */
char *xp__sweep_path(const xp__sweep_reader *self, const char *name) {
    const char *slash = strrchr(self->path, '/');
    const char *folder = name[0] != '/' && self->folder != NULL ? self->folder : "";
    const bool rooted = name[0] == '/' || folder[0] == '/';
    const int beside = !rooted && slash != NULL ? (int)(slash - self->path + 1) : 0;
    const size_t bytes = (size_t)beside + strlen(folder) + strlen(name) + 2;
    char *path = xp__alloc(bytes, 1);
    if (path != NULL) {
        (void)snprintf(path, bytes, "%.*s%s%s%s", beside, self->path, folder,
                       folder[0] != '\0' ? "/" : "", name);
    }
    return path;
}
