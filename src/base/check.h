/* check.h: what public functions do with arguments that they cannot use. Internal code calls the
 * unchecked functions behind them. */
#ifndef XP_BASE_CHECK_H
#define XP_BASE_CHECK_H

#include "experior/base.h"

#include <string.h>

/* Ends the calling function with XP_ERR_INPUT and "… is NULL" if the pointer is. */
#define XP__NOT_NULL(pointer, error)                                                               \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return xp_error_set((error), XP_ERR_INPUT, "%s is NULL", #pointer);                    \
        }                                                                                          \
    } while (0)

/* The largest numbers that options may ask for: of things that are kept or laid out one by one, and
 * of draws and repetitions, which only take time. */
#define XP__MOST_THINGS ((size_t)1 << 24)
#define XP__MOST_DRAWS  ((size_t)1 << 30)

/* A number of an option and the sentence about it. */
static inline xp_status xp__count_check(const char *name, size_t value, size_t least, size_t most,
                                        xp_error *error) {
    return value >= least && value <= most
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT, "%s = %zu is outside [%zu, %zu]", name, value,
                              least, most);
}

/* Options as their caller's header knew them, copied over the defaults in `into`, which has `size`
 * bytes: what that header did not have keeps its default. Both begin with their size. */
static inline xp_status xp__options_take(void *into, size_t size, const void *given,
                                         const char *what, xp_error *error) {
    size_t known;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known || known > size) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s.size = %zu is not from this library's headers, where it is %zu; "
                            "start from %s_default()",
                            what, known, size, what);
    }
    memcpy(into, given, known);
    memcpy(into, &size, sizeof size);
    return XP_OK;
}

/* Writes the defaults as far as the caller's header knows them; `own` has `size` bytes. */
static inline void xp__options_give(void *options, size_t known, const void *own, size_t size) {
    if (options != NULL && known >= sizeof known) {
        memset(options, 0, known);
        memcpy(options, own, known < size ? known : size);
        memcpy(options, &known, sizeof known);
    }
}

#endif
