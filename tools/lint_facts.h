/* lint_facts.h: what clang-tidy cannot see from one source file alone, told to it by `-include`: a
 * function that reports an error returns that error. Never part of a build. */
#include "base/lines.h"
#include "base/memory.h"
#include "experior/base.h"

#define xp_error_set(error, status, ...) ((void)xp_error_set(error, status, __VA_ARGS__), status)
#define xp__no_memory(error)             ((void)xp__no_memory(error), XP_ERR_MEMORY)
#define xp__lines_fail(lines, error, ...)                                                          \
    ((void)xp__lines_fail(lines, error, __VA_ARGS__), XP_ERR_INPUT)
#define xp__lines_fail_file(lines, error, sentence)                                                \
    ((void)xp__lines_fail_file(lines, error, sentence), XP_ERR_INPUT)
