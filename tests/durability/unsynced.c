/* unsynced.c: a machine that loses power when the process ends, as a library for LD_PRELOAD.
 *
 * What a program writes into the files of one folder, $UNSYNCED_AREA, goes to side files in
 * $UNSYNCED_SIDE, whatever call it is written by. It reaches the real files when the program syncs
 * them: what was not synced when the process ends, however it ends, is lost. Files that are made,
 * cut to nothing and (by default) renamed are so at once: a name that survives without its bytes is
 * the nastier case.
 *
 *     UNSYNCED_RENAME=late   a rename happens when its folder is synced, not at once
 *     UNSYNCED_TORN=1        the first half of what was not synced survives
 *     UNSYNCED_DEAF=file     syncing files does nothing, as if the program did not;
 *                  =folder   likewise for folders
 *     UNSYNCED_DIE_AT=N      kill the process before its N-th call of interest, or as it ends
 *
 * Calls of interest are open, fsync, rename, unlink, flock, close, and the end of the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 64, PATH = 1024 };

typedef struct file {
    int descriptor; /* of the side file, -1 once it is closed */
    bool synced;
    char real[PATH], side[PATH];
} file;

typedef struct renaming {
    char from[PATH], to[PATH];
} renaming;

static file files[FILES];
static size_t file_count, calls;
static renaming renamings[FILES];
static size_t renaming_count;

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_fsync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_flock)(int, int);

static bool is(const char *variable, const char *value) {
    const char *text = getenv(variable);
    return text != NULL && strcmp(text, value) == 0;
}

static void give_up(const char *why) {
    dprintf(2, "unsynced.c: %s\n", why);
    abort();
}

static void *find(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        give_up(name);
    }
    return found;
}

__attribute__((constructor)) static void start(void) {
    if (real_open == NULL) {
        *(void **)&real_open = find("open");
        *(void **)&real_close = find("close");
        *(void **)&real_fsync = find("fsync");
        *(void **)&real_rename = find("rename");
        *(void **)&real_unlink = find("unlink");
        *(void **)&real_flock = find("flock");
    }
}

/* The first `share` of a file's bytes, into another that is there. */
static void copy(const char *from, const char *to, double share) {
    const int in = real_open(from, O_RDONLY), out = real_open(to, O_WRONLY | O_TRUNC);
    struct stat info;
    if (in < 0 || out < 0 || fstat(in, &info) != 0) {
        give_up("cannot copy");
    }
    for (off_t left = (off_t)((double)info.st_size * share); left > 0;) {
        char block[4096];
        const ssize_t got =
            read(in, block, left < (off_t)sizeof block ? (size_t)left : sizeof block);
        if (got <= 0 || write(out, block, (size_t)got) != got) {
            give_up("cannot copy");
        }
        left -= got;
    }
    (void)fchmod(out, info.st_mode & 0777);
    (void)real_close(in);
    (void)real_close(out);
}

static void step(void) {
    const char *at = getenv("UNSYNCED_DIE_AT");
    calls++;
    if (at == NULL || calls != strtoul(at, NULL, 10)) {
        return;
    }
    for (size_t i = 0; i < file_count; i++) {
        if (is("UNSYNCED_TORN", "1") && !files[i].synced && access(files[i].real, F_OK) == 0) {
            copy(files[i].side, files[i].real, 0.5);
        }
    }
    (void)raise(SIGKILL);
}

__attribute__((destructor)) static void finish(void) {
    step();
}

/* Whether a file is in the area, its whole path going to `whole`. */
static bool in_area(const char *path, char whole[PATH]) {
    const char *area = getenv("UNSYNCED_AREA"), *slash = strrchr(path, '/');
    if (area == NULL) {
        return false;
    }
    char folder[PATH], resolved[4096];
    (void)snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path + 1),
                   slash == NULL ? "." : path);
    if (realpath(folder, resolved) == NULL || strcmp(resolved, area) != 0) {
        return false;
    }
    const int length = snprintf(whole, PATH, "%s/%s", resolved, slash == NULL ? path : slash + 1);
    if (length >= PATH) {
        give_up("a path is too long");
    }
    return true;
}

/* A descriptor that is given out is no longer that of a file that was closed behind our back. */
static int given(int descriptor) {
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].descriptor == descriptor) {
            files[i].descriptor = -1;
        }
    }
    return descriptor;
}

static int open_side(const char *whole, int flags, mode_t mode) {
    const int made = real_open(whole, flags, mode);
    if (made < 0) {
        return made;
    }
    (void)real_close(made);
    if (file_count == FILES) {
        give_up("too many files");
    }
    file *one = &files[file_count];
    *one = (file){.synced = false};
    (void)snprintf(one->real, PATH, "%s", whole);
    (void)snprintf(one->side, PATH, "%s/%ld-%zu", getenv("UNSYNCED_SIDE"), (long)getpid(),
                   file_count);
    const int empty = real_open(one->side, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (empty < 0) {
        give_up("cannot make a side file");
    }
    (void)real_close(empty);
    copy(whole, one->side, 1);
    const int keep = flags & ~(O_CREAT | O_EXCL | O_TRUNC);
    const int descriptor = given(real_open(one->side, keep));
    one->descriptor = descriptor;
    file_count++;
    return descriptor;
}

static int open_any(const char *path, int flags, mode_t mode) {
    start();
    char whole[PATH];
    if (!in_area(path, whole)) {
        return given(real_open(path, flags, mode));
    }
    step();
    return (flags & O_ACCMODE) == O_RDONLY ? given(real_open(path, flags, mode))
                                           : open_side(whole, flags, mode);
}

#define MODE(flags, mode)                                                                          \
    mode_t mode = 0;                                                                               \
    if (((flags)&O_CREAT) != 0) {                                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_any(path, flags, mode);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) {
    return open_any(path, flags, 0);
}

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) {
    return open_any(path, flags, 0);
}

/* stdio opens and writes by calls of its own, which cannot be seen from here: it may read. */
static FILE *open_stream(const char *path, const char *mode) {
    char whole[PATH];
    FILE *(*real)(const char *, const char *);
    *(void **)&real = find("fopen");
    if (in_area(path, whole) && strpbrk(mode, "wa+") != NULL) {
        give_up("a file in the area is opened for writing by fopen");
    }
    FILE *stream = real(path, mode);
    if (stream != NULL) {
        (void)given(fileno(stream));
    }
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    return open_stream(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    return open_stream(path, mode);
}

/* The folder is synced: what was renamed in it is so from now on. */
static void sync_folder(const struct stat *folder) {
    for (size_t i = 0; i < renaming_count; i++) {
        renaming *one = &renamings[i];
        char parent[PATH];
        struct stat info;
        (void)snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(one->to, '/') - one->to),
                       one->to);
        if (one->from[0] != '\0' && stat(parent, &info) == 0 && info.st_ino == folder->st_ino &&
            info.st_dev == folder->st_dev) {
            (void)real_rename(one->from, one->to);
            one->from[0] = '\0';
        }
    }
}

int fsync(int descriptor) {
    start();
    step();
    struct stat info;
    if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
        if (!is("UNSYNCED_DEAF", "folder")) {
            sync_folder(&info);
        }
        return 0;
    }
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].descriptor == descriptor && !is("UNSYNCED_DEAF", "file")) {
            copy(files[i].side, files[i].real, 1);
            files[i].synced = true;
        }
    }
    return 0;
}

int fdatasync(int descriptor) {
    return fsync(descriptor);
}

int rename(const char *from, const char *to) {
    start();
    char whole_from[PATH], whole_to[PATH];
    if (!in_area(from, whole_from) || !in_area(to, whole_to)) {
        return real_rename(from, to);
    }
    step();
    if (is("UNSYNCED_RENAME", "late")) {
        if (renaming_count == FILES) {
            give_up("too many renames");
        }
        renaming *one = &renamings[renaming_count++];
        memcpy(one->from, whole_from, PATH);
        memcpy(one->to, whole_to, PATH);
        return 0;
    }
    for (size_t i = 0; i < file_count; i++) {
        if (strcmp(files[i].real, whole_from) == 0) {
            memcpy(files[i].real, whole_to, PATH);
        }
    }
    return real_rename(from, to);
}

int unlink(const char *path) {
    start();
    char whole[PATH];
    if (in_area(path, whole)) {
        step();
    }
    return real_unlink(path);
}

int flock(int descriptor, int operation) {
    start();
    step();
    return real_flock(descriptor, operation);
}

int close(int descriptor) {
    start();
    step();
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].descriptor == descriptor) {
            files[i].descriptor = -1;
        }
    }
    return real_close(descriptor);
}
