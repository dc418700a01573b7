/* lock.h: a lock on the name of a file, which holds while the file behind the name is replaced.
 *
 * The lock is flock's on an empty neighbour, NAME.lock. The file itself cannot carry it: a rename
 * puts another one in its place, and one who waits for the old one would wake up with nothing. The
 * kernel frees the lock when its holder ends, so there are no stale locks; the neighbour stays,
 * since removing it would let two hold "the" lock on two files of that name. */
#ifndef XP_MODEL_KEPT_LOCK_H
#define XP_MODEL_KEPT_LOCK_H

#include "experior/base.h"

/* Waits for the lock; `*lock` is then for xp__lock_release, and -1 on failure. */
xp_status xp__lock_take(const char *path, int *lock, xp_error *error);
void xp__lock_release(int lock); /* -1 is fine */

#endif
