/* base.h: what every other header needs: export, version, status, error, allocator.
 *
 * The library never prints, exits, aborts or reads the environment. A caller's bug is an assert;
 * bad input, a file or memory is an xp_status plus a sentence in a nullable xp_error. */
#ifndef EXPERIOR_BASE_H
#define EXPERIOR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define XP_API extern "C" __attribute__((visibility("default")))
#else
#define XP_API extern __attribute__((visibility("default")))
#endif

#define XP_VERSION_MAJOR 0
#define XP_VERSION_MINOR 2
#define XP_VERSION_PATCH 0

/* The version of the library that is linked in, as "major.minor.patch". */
XP_API const char *xp_version(void);

/* Every way a call can end: name, and what it means in a few words. */
#define XP_STATUS_LIST(X)                                                                          \
    X(XP_OK, "done")                                                                               \
    X(XP_ERR_INPUT, "bad input")                                                                   \
    X(XP_ERR_FILE, "file cannot be read or written")                                               \
    X(XP_ERR_MEMORY, "out of memory")                                                              \
    X(XP_ERR_NUMERIC, "the problem has no solution that can be computed")                          \
    X(XP_ERR_INTERRUPTED, "interrupted")                                                           \
    X(XP_ERR_PROGRAM, "another program that is needed failed")

typedef enum xp_status {
#define XP_STATUS_NAME(name, summary) name,
    XP_STATUS_LIST(XP_STATUS_NAME)
#undef XP_STATUS_NAME
} xp_status;

/* What a status means, in a few words. Never NULL, never freed. */
XP_API const char *xp_status_summary(xp_status status);

/* A sentence that names the value at fault: "bernoulli_bandit.arms = 1 is outside [2, 1024]".
 * Callers own it, may pass NULL wherever one is taken, and read it only after a failure. */
typedef struct xp_error {
    xp_status status;
    char message[512];
} xp_error;

/* Fills `error` (if not NULL) and returns `status`, so that a failing function ends in one line. */
XP_API xp_status xp_error_set(xp_error *error, xp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Called now and then from the calling thread with the work done and in all; a nonzero return asks
 * a long call to stop cleanly, with XP_ERR_INTERRUPTED. */
typedef int (*xp_progress)(void *context, size_t done, size_t total);

/* Frees what the library allocated and handed over (strings of xp_…_to_json). NULL is fine. */
XP_API void xp_release(void *block);

#endif
