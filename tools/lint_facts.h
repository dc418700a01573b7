/* lint_facts.h: what clang-tidy cannot see from one source file alone, told to it by `-include`: a
 * function that reports an error returns it and fills it in; the library's allocation touches
 * nothing else; json_null() is never NULL. Never part of a build. */
#include "base/text/lines.h"
#include "base/memory.h"
#include "experior/base.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static inline xp_status lint_failed(xp_error *error, xp_status status) {
    if (status == XP_OK) {
        __builtin_unreachable();
    }
    if (error != NULL) {
        error->status = status;
    }
    return status;
}

static inline json_t *lint_null(void) {
    static json_t value;
    return &value;
}

#define xp_error_set(error, status, ...)                                                           \
    (xp_error_set(error, status, __VA_ARGS__), lint_failed(error, status))
#define xp__no_memory(error) (xp__no_memory(error), lint_failed(error, XP_ERR_MEMORY))
#define xp__lines_fail(lines, error, ...)                                                          \
    (xp__lines_fail(lines, error, __VA_ARGS__), lint_failed(error, XP_ERR_INPUT))
#define xp__lines_fail_file(lines, error, sentence)                                                \
    (xp__lines_fail_file(lines, error, sentence), lint_failed(error, XP_ERR_INPUT))

#define xp__alloc(count, size)          calloc(count, size)
#define xp__realloc(block, count, size) realloc(block, (count) * (size))
#define xp__strdup(text)                strdup(text)
#define xp__free(block)                 free(block)
#define json_null()                     lint_null()
