/* store.h: finished units on disk, in DIR/study.sqlite.
 *
 * A unit is filed under what determines it: library version, seed and key. Studies that need the
 * same unit share it. A store is open in one process at a time and used by one thread. */
#ifndef XP_STUDY_STORE_H
#define XP_STUDY_STORE_H

#include "study/unit.h"

typedef struct xp__store xp__store;

/* Opens or creates the file, making the directory if need be. */
xp_status xp__store_open(const char *directory, uint64_t seed, xp__store **store, xp_error *error);
void xp__store_close(xp__store *store); /* NULL is fine; what was not committed is dropped */

/* Looks a unit up: its result and the `count` numbers kept of its tasks (NULL if 0). */
xp_status xp__store_get(xp__store *store, const char *key, bool *found, xp__unit_result *result,
                        double *numbers, size_t count, xp_error *error);
/* Everything between begin and commit is kept whole or not at all. */
xp_status xp__store_begin(xp__store *store, xp_error *error);
xp_status xp__store_put(xp__store *store, const char *key, const xp__unit_result *result,
                        const double *numbers, size_t count, xp_error *error);
xp_status xp__store_remove(xp__store *store, const char *key, xp_error *error);
xp_status xp__store_commit(xp__store *store, xp_error *error);

#endif
