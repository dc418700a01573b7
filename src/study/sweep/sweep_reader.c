/* sweep_reader.c: mistakes of a sweep file, and its values. */
#include "study/sweep/sweep_reader.h"

#include "base/grow.h"

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
    self->faults++;
    if (self->fault != NULL) {
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
    return value;
}

size_t xp__sweep_list_size(const json_t *list) {
    return list == NULL ? 0 : json_is_array(list) ? json_array_size(list) : 1;
}

json_t *xp__sweep_list_at(json_t *list, size_t i) {
    return json_is_array(list) ? json_array_get(list, i) : list;
}

const char *xp__sweep_spec_at(xp__sweep_reader *self, json_t *list, size_t i, const char *key) {
    const char *spec = json_string_value(xp__sweep_list_at(list, i));
    if (spec == NULL || spec[0] == '\0') {
        xp__sweep_complain(self, "%s[%zu] is not a text like \"name:key=value\"", key, i);
        return NULL;
    }
    if (strlen(spec) >= XP__SWEEP_SPEC) {
        xp__sweep_complain(self, "%s[%zu] is longer than %d characters", key, i,
                           (int)XP__SWEEP_SPEC - 1);
        return NULL;
    }
    return spec;
}

bool xp__sweep_whole(xp__sweep_reader *self, const json_t *value, const char *name, size_t low,
                     size_t high, size_t *number) {
    if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)low ||
        (uint64_t)json_integer_value(value) > high) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        xp__sweep_complain(self, "%s = %.40s is not a whole number in [%zu, %zu]", name,
                           text != NULL ? text : "?", low, high);
        free(text);
        return false;
    }
    *number = (size_t)json_integer_value(value);
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
