/* lock.c: see lock.h. */
#include "model/kept/lock.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the name still leads to the file behind the descriptor. */
static bool is_current(int descriptor, const char *name) {
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && stat(name, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/* A locked descriptor, or -1 with errno. */
static int take(const char *name) {
    for (;;) {
        /* Reading is enough for flock, and all that another user's file may allow. */
        const int descriptor =
            open(name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            return -1;
        }
        int result;
        do {
            result = flock(descriptor, LOCK_EX);
        } while (result != 0 && errno == EINTR);
        if (result == 0 && is_current(descriptor, name)) {
            return descriptor;
        }
        const int reason = errno;
        (void)close(descriptor);
        if (result != 0) {
            errno = reason;
            return -1;
        }
    }
}

xp_status xp__lock_take(const char *path, int *lock, xp_error *error) {
    *lock = -1;
    const size_t bytes = strlen(path) + sizeof ".lock";
    char *name = xp__alloc(bytes, 1);
    if (name == NULL) {
        return xp__no_memory(error);
    }
    (void)snprintf(name, bytes, "%s.lock", path);
    *lock = take(name);
    const xp_status status = *lock >= 0 ? XP_OK
                                        : xp_error_set(error, XP_ERR_FILE, "cannot lock '%s': %s",
                                                       name, strerror(errno));
    xp__free(name);
    return status;
}

void xp__lock_release(int lock) {
    if (lock >= 0) {
        (void)close(lock); /* the last descriptor of it: the kernel lets go */
    }
}
