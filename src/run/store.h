/* store.h: finished units on disk, in DIR/study.sqlite.
 *
 * A unit is filed under what determines it: its key, the seed, the revision of what computed it and
 * the library's version. Studies that need the same unit share it. One process at a time writes a
 * store; others may read it meanwhile. A store is used by one thread. */
#ifndef XP_RUN_STORE_H
#define XP_RUN_STORE_H

#include "run/unit.h"

typedef struct xp__store xp__store;

/* Numbers of its tasks that a unit may keep: SQLite files a row of up to 1 GB. */
enum { XP__STORE_NUMBERS = 100000000 };

/* What is filed under a key and a seed: the best that there is. */
typedef enum xp__filed {
    XP__FILED_NONE,
    XP__FILED_OTHER,   /* only what another revision or version computed, which is not used */
    XP__FILED_DAMAGED, /* one that was changed since it was filed, which is not used either */
    XP__FILED
} xp__filed;

/* Opens the file; to write, makes it and the directory if need be, and refuses if another process
 * writes already. To read, a file that is not there is an empty store. */
xp_status xp__store_open(const char *directory, uint64_t seed, bool writable, xp__store **store,
                         xp_error *error);
void xp__store_close(xp__store *store); /* NULL is fine; what was not committed is dropped */
/* Fails once the file is no longer where it was opened. */
xp_status xp__store_check(const xp__store *store, xp_error *error);

/* Units are filed and found under this seed from now on. */
void xp__store_choose_seed(xp__store *store, uint64_t seed);

/* Looks a unit up: its result and the `count` numbers kept of its tasks (NULL if 0), if *filed is
 * XP__FILED. */
xp_status xp__store_get(xp__store *store, const char *key, const char *revision, xp__filed *filed,
                        xp__unit_result *result, double *numbers, size_t count, xp_error *error);
/* Whether a unit is filed that xp__store_get would take. */
xp_status xp__store_has(xp__store *store, const char *key, const char *revision, size_t count,
                        bool *has, xp_error *error);
/* A unit as it is filed, by whatever revision and version; valid during the visit. */
typedef struct xp__stored {
    const char *key, *revision, *version;
    bool agrees; /* units of this version hold in ours */
    uint64_t seed;
    xp__unit_result result;
    const double *numbers;
    size_t count;
} xp__stored;
/* Visits all units, of each version and revision after those before it; a failure ends it. Damaged
 * ones are passed over. */
xp_status xp__store_each(xp__store *store,
                         xp_status (*visit)(void *context, const xp__stored *stored,
                                            xp_error *error),
                         void *context, xp_error *error);
/* How many damaged units the last such round passed over. */
size_t xp__store_damaged(const xp__store *store);
/* Takes note of a study that is begun here. Stores of earlier programs have no room for that, and
 * are left as they are. */
xp_status xp__store_note_study(xp__store *store, const char *study, const char *scale,
                               uint64_t seed, xp_error *error);
/* Visits the studies that were begun here; *known is false if the store does not know them. */
xp_status xp__store_each_study(xp__store *store, bool *known,
                               xp_status (*visit)(void *context, const char *study,
                                                  const char *scale, uint64_t seed,
                                                  xp_error *error),
                               void *context, xp_error *error);
/* Between begin and commit all is read as of one moment, and written whole or not at all. */
xp_status xp__store_begin(xp__store *store, xp_error *error);
xp_status xp__store_put(xp__store *store, const char *key, const char *revision,
                        const xp__unit_result *result, const double *numbers, size_t count,
                        xp_error *error);
/* Removes a unit, whatever computed it. */
xp_status xp__store_remove(xp__store *store, const char *key, xp_error *error);
xp_status xp__store_commit(xp__store *store, xp_error *error);
/* Instead of commit: as if nothing had happened since begin. */
void xp__store_drop(xp__store *store);

#endif
