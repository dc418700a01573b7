/* store_lock.c: the lock of the process that writes to a store. */
#include "run/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT = 2000 }; /* milliseconds: a killed process may still be dying */

static void pause_briefly(void) {
    (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Whether the lock is still the one that others would find. */
static bool is_named(int lock, const char *path) {
    struct stat held, named;
    return fstat(lock, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

/* The file is removed at the end by who holds the lock, so a lock on a file that has lost its name
 * counts for nothing. */
xp_status xp__store_lock(const char *lock_path, const char *path, int *lock, xp_error *error) {
    for (int waited = 0; waited < WAIT;) {
        const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        const int file = open(lock_path, flags, 0666);
        if (file < 0) {
            return xp_error_set(error, XP_ERR_FILE, "cannot write '%s': %s", lock_path,
                                strerror(errno));
        }
        if (flock(file, LOCK_EX | LOCK_NB) == 0) {
            if (is_named(file, lock_path)) {
                *lock = file;
                return XP_OK;
            }
        } else if (errno != EWOULDBLOCK) {
            const int reason = errno;
            (void)close(file);
            return xp_error_set(error, XP_ERR_FILE, "cannot lock '%s': %s", lock_path,
                                strerror(reason));
        } else {
            pause_briefly();
            waited += 20;
        }
        (void)close(file);
    }
    return xp_error_set(
        error, XP_ERR_FILE,
        "'%s' is in use by another running study or sweep; wait for it, report what "
        "it has so far, or choose another directory",
        path);
}

void xp__store_unlock(int lock, const char *lock_path) {
    if (lock >= 0) {
        if (is_named(lock, lock_path)) {
            (void)unlink(lock_path);
        }
        (void)close(lock);
    }
}
