/* load.c: reads demonstrations from text in a file or in memory, in one pass and flat memory.
 *
 * Whether actions are numbers or names is only known at the end, so the readers intern them and
 * store token numbers; finish() turns these into arm numbers, or keeps the tokens as names. */
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/grow.h"
#include "base/text/scan.h"
#include "table/source.h"

#include <string.h>

xp_status xp__demos_loader_action(xp__demos_loader *loader, const char *text, size_t length,
                                  xp_error *error) {
    uint32_t *moved =
        xp__reserve(loader->action, &loader->action_room, loader->length + 1, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    loader->action = moved;
    size_t number;
    if (!xp__tokens_find(&loader->tokens, text, length, &number)) {
        uint64_t whole;
        if (length == 0) {
            return xp__lines_fail(&loader->lines, error, "action is empty");
        }
        if (length > XP__ACTION_NAME_LENGTH) {
            return xp__lines_fail(&loader->lines, error, "action is longer than %d bytes",
                                  XP__ACTION_NAME_LENGTH);
        }
        if (!xp__scan_utf8(text, length)) {
            char shown[XP__SHOWN];
            return xp__lines_fail(&loader->lines, error, "action = '%s' is not valid UTF-8",
                                  xp__show(shown, text, length));
        }
        if (loader->env != NULL) {
            xp_error inner;
            if (xp__env_check_action(loader->env, text, length, &inner) != XP_OK) {
                return xp__lines_fail(&loader->lines, error, "%s", inner.message);
            }
        }
        loader->named = loader->named || !xp__scan_whole(text, length, XP__ACTION_MAX - 1, &whole);
        if (loader->named && loader->tokens.count >= XP__ACTION_NAMES) {
            return xp__lines_fail(&loader->lines, error, "has more than %d distinct action names",
                                  XP__ACTION_NAMES);
        }
        number = loader->tokens.count;
        const xp_status status = xp__tokens_add(&loader->tokens, text, length, error);
        if (status != XP_OK) {
            return status;
        }
    }
    loader->action[loader->length++] = (uint32_t)number;
    return XP_OK;
}

xp_status xp__demos_loader_states(xp__demos_loader *loader, size_t state_size, size_t steps,
                                  xp_error *error) {
    double *moved =
        steps <= SIZE_MAX / (state_size + 1)
            ? xp__reserve(loader->state, &loader->state_room, steps * state_size, sizeof *moved)
            : NULL;
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    loader->state = moved;
    return XP_OK;
}

xp_status xp__demos_loader_check_size(const xp__demos_loader *loader, size_t state_size,
                                      xp_error *error) {
    xp_error inner;
    return loader->env == NULL || xp__env_check_size(loader->env, state_size, &inner) == XP_OK
               ? XP_OK
               : xp__lines_fail(&loader->lines, error, "%s", inner.message);
}

xp_status xp__demos_loader_check_state(const xp__demos_loader *loader, size_t state_size,
                                       size_t step, xp_error *error) {
    xp_error inner;
    return loader->env == NULL ||
                   xp__env_check_state(loader->env, loader->state + step * state_size, step,
                                       &inner) == XP_OK
               ? XP_OK
               : xp__lines_fail(&loader->lines, error, "%s", inner.message);
}

xp_status xp__demos_loader_end(xp__demos_loader *loader, size_t state_size, uint64_t count,
                               xp_error *error) {
    xp_status status = XP_OK;
    if (count != 0 && loader->demos == NULL) {
        status = xp_demos_create(state_size, 0, &loader->demos, error);
    } else if (count != 0 && loader->demos->state_size != state_size) {
        status = xp__lines_fail(&loader->lines, error,
                                "has states of %zu numbers, earlier ones have %zu", state_size,
                                loader->demos->state_size);
    }
    if (status == XP_OK && count != 0) {
        xp_error inner;
        status = xp_demos_add(loader->demos, loader->state, loader->action, loader->length, count,
                              &inner);
        if (status == XP_ERR_INPUT) {
            status = xp__lines_fail(&loader->lines, error, "%s", inner.message);
        } else if (status != XP_OK && error != NULL) {
            *error = inner;
        }
    }
    loader->length = 0;
    return status;
}

/* Token numbers become arm numbers, or the tokens become the names. */
static xp_status finish(xp__demos_loader *loader, xp_error *error) {
    if (loader->demos == NULL) {
        return xp__lines_fail_file(&loader->lines, error, "holds no demonstrations");
    }
    xp__tokens *tokens = &loader->tokens;
    if (loader->named) {
        loader->demos->actions = tokens->count;
        loader->demos->names = *tokens;
        *tokens = (xp__tokens){.count = 0};
        return XP_OK;
    }
    uint32_t *map = xp__alloc(tokens->count, sizeof *map);
    if (map == NULL) {
        return xp__no_memory(error);
    }
    uint64_t largest = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        uint64_t whole = 0;
        (void)xp__scan_whole(xp__tokens_text(tokens, i), xp__tokens_length(tokens, i),
                             XP__ACTION_MAX - 1, &whole);
        map[i] = (uint32_t)whole;
        largest = whole > largest ? whole : largest;
    }
    xp__demos_relabel(loader->demos, map,
                      loader->env != NULL ? loader->env->actions : (size_t)largest + 1);
    xp__free(map);
    return XP_OK;
}

/* Reads all of loader->lines, and closes it. */
static xp_status load(xp__demos_loader *loader, xp_demos **demos, xp_error *error) {
    xp__lines *lines = &loader->lines;
    xp_status status = xp__lines_next(lines, error);
    if (status == XP_OK && lines->text == NULL) {
        status = xp__lines_fail_file(lines, error, "is empty");
    }
    if (status == XP_OK) {
        size_t first = 0;
        while (lines->text[first] == ' ' || lines->text[first] == '\t') {
            first++;
        }
        const bool json = lines->text[first] == '{';
        if (lines->length == 5 && memcmp(lines->text, "\x89HDF\r", 5) == 0) { /* its signature */
            status = xp__lines_fail_file(lines, error,
                                         "is HDF5, which can be read from a plain file only");
        } else {
            xp__lines_unread(lines);
            status = json ? xp__demos_read_jsonl(loader, error) : xp__demos_read_csv(loader, error);
        }
    }
    if (status == XP_OK) {
        status = finish(loader, error);
    }
    xp__lines_close(lines);
    xp__tokens_deinit(&loader->tokens);
    xp__free(loader->action);
    xp__free(loader->state);
    if (status != XP_OK) {
        xp_demos_destroy(loader->demos);
        loader->demos = NULL;
    }
    *demos = loader->demos;
    return status;
}

static xp_status read_source(void *context, char *to, size_t most, size_t *got, xp_error *error) {
    return xp__source_read(context, to, most, got, error);
}

xp_status xp__demos_load_source(struct xp__source *source, const xp_env_info *env, xp_demos **demos,
                                xp_error *error) {
    *demos = NULL;
    xp__demos_loader loader = {.env = env};
    const xp_status status =
        xp__lines_open_over(&loader.lines, read_source, source, source->name, error);
    return status == XP_OK ? load(&loader, demos, error) : status;
}

xp_status xp__demos_load_text(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error) {
    *demos = NULL;
    xp__source source;
    xp_status status = xp__source_open(&source, path, error);
    if (status == XP_OK) {
        status = xp__demos_load_source(&source, env, demos, error);
        xp__source_close(&source);
    }
    return status;
}

xp_status xp_demos_parse(const char *text, size_t bytes, const char *name, xp_demos **demos,
                         xp_error *error) {
    XP__NOT_NULL(demos, error);
    *demos = NULL;
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(name, error);
    xp__demos_loader loader = {.demos = NULL};
    const xp_status status = xp__lines_open_memory(&loader.lines, text, bytes, name, error);
    return status == XP_OK ? load(&loader, demos, error) : status;
}
