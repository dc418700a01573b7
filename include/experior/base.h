/* base.h: export, version, status, error and parameters; and the rules that hold for every function
 * of the library, so that descriptions need not repeat them.
 *
 * Failure. The library never prints, exits, aborts or reads the environment. A function that can
 * fail returns an xp_status; its last argument is an xp_error, which may be NULL, for a sentence
 * that names the value at fault. After a failure there is nothing to free: the object that would
 * have been made is NULL, and everything else is unchanged.
 *
 * Arguments are checked in every build. A pointer must not be NULL unless its description allows
 * it, and a number must be in the range that its description gives; anything else is XP_ERR_INPUT.
 * A function without a status then returns NULL, 0, false or NAN (or what its description says),
 * and one without a result does nothing.
 *
 * Memory. What xp_..._create, fit, load, parse or draw makes belongs to the caller, who frees it
 * with the matching xp_..._destroy, which accepts NULL. Blocks of text and bytes are freed with
 * xp_release. Strings and arrays that are returned as const belong to the object that returned
 * them, and live as long as it does. Arguments are copied or only read, unless their description
 * says that they must outlive what is made from them.
 *
 * Threads. There is no global state. Objects that never change may be used by any number of threads
 * at once: environments, experts, priors, models, the catalogue. Objects that change belong to one
 * thread at a time: generators, tasks, samplers, sessions, and demonstrations that are added to.
 *
 * Options begin with their size, and come from their xp_..._default(), which is compiled into the
 * caller, so the library knows which fields its caller knows. (Other languages call xp_..._init
 * with the size of the struct as they know it.) Fields that an older header does not have get their
 * defaults; options of a newer header are refused. Structs that are returned by value may grow with
 * the minor version, which is part of the library's file name (SOVERSION). */
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

/* What a status means, in a few words; never NULL. */
XP_API const char *xp_status_summary(xp_status status);

/* A sentence that names the value at fault: "bernoulli_bandit.arms = 1 is outside [2, 1024]". It is
 * the caller's, and is written only by a function that fails. */
typedef struct xp_error {
    xp_status status;
    char message[512];
} xp_error;

/* Fills `error`, unless it is NULL, and returns `status`; for callbacks of the caller's that fail.
 */
XP_API xp_status xp_error_set(xp_error *error, xp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Called now and then from the calling thread with the work done so far and in total; a nonzero
 * return asks a long call to stop cleanly, with XP_ERR_INTERRUPTED. */
typedef int (*xp_progress)(void *context, size_t done, size_t total);

/* Frees a block of text or bytes that the library handed over. NULL is fine. */
XP_API void xp_release(void *block);

/* Parameters. Every environment, expert, prior, sampler and agent lists its parameters in one const
 * table (catalogue.h shows them). Programs give parameters as text, in a spec: a name, or a name
 * with settings,
 *
 *     deep_sea        deep_sea:size=10,goal=any        noisily_rational:beta=2.5
 *
 * What a spec leaves out has its default; an unknown name or a value out of range is XP_ERR_INPUT
 * with a sentence that names it. */
typedef enum xp_param_kind { XP_PARAM_REAL, XP_PARAM_INTEGER, XP_PARAM_CHOICE } xp_param_kind;

/* One row of a table of parameters: what it is called and which values it takes. */
typedef struct xp_param {
    const char *name;
    const char *summary;
    xp_param_kind kind;
    double low, high;    /* allowed range, ends included; an infinite end allows "inf" */
    double standard;     /* the default; NAN means "not given": the summary says what then */
    const char *choices; /* XP_PARAM_CHOICE: "first|second|third"; the default is an index */
    bool unsaid;         /* not written to files and descriptions while it has its default */
} xp_param;

#endif
