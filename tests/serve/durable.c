/* durable.c: keeps what a loss of power would leave of a database, as a library for LD_PRELOAD.
 *
 * The process works on its files as always. Beside them, in $DURABLE_COPY, each file of the folder
 * $DURABLE_AREA has a copy that gets only what was synced: writes are remembered, and fsync or
 * fdatasync of a file carries them over. When the process is killed, the copies are what a machine
 * that lost its power at that moment would have kept. (Files are made and removed at once. Maps of
 * the index beside SQLite's log need no copy: it is made anew.)
 *
 * Unlike tests/durability/unsynced.c, files may be open several times and only what was written is
 * carried, so that a database under load can be watched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, FILES = 16, RANGES = 65536 };

typedef struct file {
    char name[256]; /* within the area; "" if the place is free */
    struct {
        off_t start, length;
    } range[RANGES];
    size_t ranges;
    off_t cut; /* the least size it was cut to since the last sync; -1: it was not */
} file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static file files[FILES];
static file *opened[DESCRIPTORS];

#define REAL(name) ((__typeof__(&(name)))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        dprintf(2, "durable.c: there is no %s\n", name);
        abort();
    }
    return found;
}

static void copy_path(const file *one, char *path) {
    (void)snprintf(path, PATH_MAX, "%s/%s", getenv("DURABLE_COPY"), one->name);
}

/* The name of a file of the area, or NULL. SQLite's index is left out. */
static const char *name_in_area(const char *path) {
    const char *area = getenv("DURABLE_AREA");
    const size_t length = area != NULL ? strlen(area) : 0;
    if (length == 0 || strncmp(path, area, length) != 0 || path[length] != '/' ||
        strchr(path + length + 1, '/') != NULL) {
        return NULL;
    }
    const size_t end = strlen(path);
    return end > 4 && strcmp(path + end - 4, "-shm") == 0 ? NULL : path + length + 1;
}

static file *find_file(const char *name, bool make) {
    file *free_place = NULL;
    for (size_t i = 0; i < FILES; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return &files[i];
        }
        free_place = free_place == NULL && files[i].name[0] == '\0' ? &files[i] : free_place;
    }
    if (!make || free_place == NULL) {
        return NULL;
    }
    (void)snprintf(free_place->name, sizeof free_place->name, "%s", name);
    free_place->ranges = 0;
    free_place->cut = -1;
    return free_place;
}

static int watch(const char *path, int flags, int descriptor) {
    const char *name = name_in_area(path);
    if (descriptor < 0 || descriptor >= DESCRIPTORS) {
        return descriptor;
    }
    (void)pthread_mutex_lock(&lock);
    opened[descriptor] = NULL;
    if (name != NULL && (flags & (O_WRONLY | O_RDWR)) != 0) {
        char copy[PATH_MAX];
        file *one = find_file(name, true);
        opened[descriptor] = one;
        if (one != NULL) { /* made at once */
            copy_path(one, copy);
            const int made = REAL(open)(copy, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            (void)REAL(close)(made);
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return watch(path, flags, REAL(open)(path, flags, mode));
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return watch(path, flags, REAL(open)(path, flags, mode));
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        (void)pthread_mutex_lock(&lock);
        opened[descriptor] = NULL;
        (void)pthread_mutex_unlock(&lock);
    }
    return REAL(close)(descriptor);
}

static ssize_t wrote(int descriptor, off_t start, ssize_t length) {
    if (length > 0 && descriptor < DESCRIPTORS) {
        (void)pthread_mutex_lock(&lock);
        file *one = opened[descriptor];
        if (one != NULL) {
            if (one->ranges == RANGES) {
                dprintf(2, "durable.c: too many writes without a sync\n");
                one->ranges--; /* what is not synced is lost anyway */
            }
            one->range[one->ranges].start = start;
            one->range[one->ranges++].length = length;
        }
        (void)pthread_mutex_unlock(&lock);
    }
    return length;
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t start) {
    return wrote(descriptor, start, REAL(pwrite)(descriptor, data, bytes, start));
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off_t start) {
    return wrote(descriptor, start, REAL(pwrite)(descriptor, data, bytes, start));
}

ssize_t write(int descriptor, const void *data, size_t bytes) {
    const off_t start = lseek(descriptor, 0, SEEK_CUR);
    return wrote(descriptor, start, REAL(write)(descriptor, data, bytes));
}

static int cut(int descriptor, off_t size, int result) {
    if (result == 0 && descriptor < DESCRIPTORS) {
        (void)pthread_mutex_lock(&lock);
        file *one = opened[descriptor];
        if (one != NULL && (one->cut < 0 || size < one->cut)) {
            one->cut = size;
        }
        (void)pthread_mutex_unlock(&lock);
    }
    return result;
}

int ftruncate(int descriptor, off_t size) {
    return cut(descriptor, size, REAL(ftruncate)(descriptor, size));
}

int ftruncate64(int descriptor, off_t size) {
    return cut(descriptor, size, REAL(ftruncate)(descriptor, size));
}

/* What was written since the last sync, from the file to its copy. */
static void carry(file *one, int descriptor) {
    char path[PATH_MAX], block[65536];
    struct stat info;
    copy_path(one, path);
    const int copy = REAL(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (copy < 0 || fstat(descriptor, &info) != 0) {
        abort();
    }
    if (one->cut >= 0 && REAL(ftruncate)(copy, one->cut) != 0) {
        abort();
    }
    for (size_t i = 0; i < one->ranges; i++) {
        off_t at = one->range[i].start;
        const off_t end = at + one->range[i].length;
        while (at < end) {
            const size_t want = end - at < (off_t)sizeof block ? (size_t)(end - at) : sizeof block;
            const ssize_t got = pread(descriptor, block, want, at);
            if (got <= 0 || REAL(pwrite)(copy, block, (size_t)got, at) != got) {
                break; /* it was cut off since */
            }
            at += got;
        }
    }
    one->ranges = 0;
    one->cut = -1;
    (void)REAL(close)(copy);
}

static int sync_file(int descriptor) {
    (void)pthread_mutex_lock(&lock);
    if (descriptor >= 0 && descriptor < DESCRIPTORS && opened[descriptor] != NULL) {
        carry(opened[descriptor], descriptor);
    }
    (void)pthread_mutex_unlock(&lock);
    return 0; /* the disk itself need not know */
}

int fsync(int descriptor) {
    return sync_file(descriptor);
}

int fdatasync(int descriptor) {
    return sync_file(descriptor);
}

int unlink(const char *path) {
    const char *name = name_in_area(path);
    const int result = REAL(unlink)(path);
    if (result == 0 && name != NULL) {
        char copy[PATH_MAX];
        (void)pthread_mutex_lock(&lock);
        file *one = find_file(name, false);
        if (one != NULL) {
            copy_path(one, copy);
            (void)REAL(unlink)(copy);
            one->name[0] = '\0';
        }
        (void)pthread_mutex_unlock(&lock);
    }
    return result;
}
