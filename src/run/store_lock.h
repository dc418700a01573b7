/* store_lock.h: who writes to a store: one process, which holds a lock on a file beside the
 * database. The kernel frees the lock if the process is killed. */
#ifndef XP_RUN_STORE_LOCK_H
#define XP_RUN_STORE_LOCK_H

#include "experior/base.h"

/* Makes this process the one that writes to the store at `path`, waiting a moment for one that may
 * still be dying. *lock is for xp__store_unlock. */
xp_status xp__store_lock(const char *lock_path, const char *path, int *lock, xp_error *error);
/* Removes the file and frees the lock; a negative one is none. */
void xp__store_unlock(int lock, const char *lock_path);

#endif
