/* model_file.c: models as files: JSON for bandits, tensors for models with states. Which of the two
 * bytes are is told by their beginning. */
#include "model/model_type.h"

#include "base/budget.h"
#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

xp_status xp_model_to_bytes(const xp_model *model, void **data, size_t *bytes, xp_error *error) {
    XP__NOT_NULL(data, error);
    XP__NOT_NULL(bytes, error);
    *data = NULL;
    *bytes = 0;
    XP__NOT_NULL(model, error);
    if (model->info.state_size > 0 || model->spec.states) {
        return xp__model_to_tensors(model, data, bytes, error);
    }
    char *text;
    const xp_status status = xp__model_to_json(model, &text, error);
    if (status == XP_OK) {
        *data = text;
        *bytes = strlen(text);
    }
    return status;
}

xp_status xp_model_save(const xp_model *model, const char *path, xp_error *error) {
    XP__NOT_NULL(path, error);
    void *data;
    size_t bytes;
    xp_status status = xp_model_to_bytes(model, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp__file_write(path, data, bytes, error);
        xp__free(data);
    }
    return status;
}

/* Bytes that begin like text: a brace, perhaps after white space or a byte-order mark. */
static bool is_json(const unsigned char *data, size_t bytes) {
    size_t at = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < bytes && strchr(" \t\r\n", data[at]) != NULL && data[at] != '\0') {
        at++;
    }
    /* The eight bytes of a length that begin with a brace would be a header of at least 123 bytes
     * whose own brace comes ninth. */
    return at < bytes && data[at] == '{' &&
           !(at == 0 && bytes > 8 && data[8] == '{' && data[7] == 0);
}

/* A table, say, that was taken for a model. As a file of tensors its first eight bytes would be a
 * length beyond all files. */
static bool is_text(const unsigned char *data, size_t bytes) {
    size_t at = 0;
    while (at < bytes && at < 8 &&
           ((data[at] >= ' ' && data[at] <= '~') ||
            (data[at] != '\0' && strchr("\t\r\n", data[at])))) {
        at++;
    }
    return at == bytes || at == 8;
}

xp_status xp_model_parse(const void *data, size_t bytes, const char *name, xp_model **model,
                         xp_error *error) {
    XP__NOT_NULL(model, error);
    *model = NULL;
    XP__NOT_NULL(data, error);
    XP__NOT_NULL(name, error);
    if (is_json(data, bytes)) {
        return xp__model_from_json(data, bytes, name, model, error);
    }
    return !is_text(data, bytes)
               ? xp__model_from_tensors(data, bytes, name, model, error)
               : xp_error_set(error, XP_ERR_INPUT,
                              "%s: is not a model; 'experior fit' makes one from what experts did",
                              name);
}

xp_status xp_model_load(const char *path, xp_model **model, xp_error *error) {
    if (path == NULL || model == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "path or model is NULL");
    }
    *model = NULL;
    char *data;
    size_t bytes;
    xp_status status = xp__file_read(path, XP__BUDGET, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp_model_parse(data, bytes, path, model, error);
        xp__free(data);
    }
    return status;
}
