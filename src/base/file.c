/* file.c: atomic whole-file writes, bounded reads, and numbers as text.
 *
 * A file is written beside its place and renamed over it, so that a reader, a crash or a full disk
 * never meets half of one. Its bytes are on the disk before it is renamed, and the new name is
 * there before the caller is told: a machine that loses power has the old file or, once the write
 * was reported, the new one. Pipes, terminals and devices cannot be renamed over: they are written
 * to directly.
 *
 * A process that is killed leaves its temporary file behind. Writers hold a lock on theirs, which
 * the kernel frees when they die: a temporary file that nobody locks has no writer. */
#include "base/file.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = ".experior-"; /* then "PID-NUMBER.tmp": a temporary file of ours */

/* Waits until the file, or the names in a folder, are on the disk. The tests of durability build
 * this file without, to see that they would notice (tests/durability/). */
static bool sync_descriptor(int descriptor) {
#ifdef XP_WITHOUT_SYNC
    return descriptor >= 0;
#else
    return fsync(descriptor) == 0;
#endif
}

/* Waits until the name of a file is on the disk. A folder that may be written to but not read
 * cannot be opened: then everything is written out. File systems without such a call say EINVAL.
 * The path is as before when this returns. */
static bool sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL && slash != path) {
        *slash = '\0';
    }
    const char *folder = slash == NULL ? "." : slash == path ? "/" : path;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = descriptor >= 0 && (sync_descriptor(descriptor) || errno == EINVAL);
    if (descriptor < 0 && errno == EACCES) {
        sync();
        good = true;
    }
    const int reason = errno;
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    if (slash != NULL) {
        *slash = '/';
    }
    errno = reason;
    return good;
}

static xp_status failed(xp_error *error, const char *what, const char *path) {
    return xp_error_set(error, XP_ERR_FILE, "cannot %s '%s': %s", what, path, strerror(errno));
}

/* Locks a temporary file. False if it is another's, or was removed before the lock was taken. */
static bool lock_temporary(int descriptor) {
    struct stat status;
    return (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/* A new file beside `path`, whose name goes to `name`. Opened with mode 0666, so that the process's
 * mask applies without being read: reading it means setting it, which other threads would see. One
 * who is alone uses one name, so that what killed writers leave behind does not add up. */
static int create_neighbour(const char *path, char *name, size_t bytes, bool alone) {
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (alone ? O_TRUNC : O_EXCL);
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        (void)snprintf(name, bytes, "%s%s%ld-%u.tmp", path, mark, alone ? 0 : (long)getpid(),
                       alone ? 0 : attempt);
        const int descriptor = open(name, flags, 0666);
        if (descriptor >= 0 && lock_temporary(descriptor)) {
            return descriptor;
        }
        if (descriptor >= 0) {
            (void)close(descriptor);
        } else if (errno != EEXIST) {
            break;
        }
    }
    return -1;
}

/* Opens the stream of a regular file's replacement; NULL with errno on failure. */
static FILE *open_neighbour(const char *path, char *name, size_t bytes, bool alone,
                            const struct stat *old) {
    const int descriptor = create_neighbour(path, name, bytes, alone);
    if (descriptor < 0) {
        return NULL;
    }
    if (old != NULL) {
        (void)fchmod(descriptor, old->st_mode & 0777); /* who could read it still can */
    }
    FILE *stream = fdopen(descriptor, "wb");
    if (stream == NULL) {
        const int kept = errno;
        (void)close(descriptor);
        (void)unlink(name);
        errno = kept;
    }
    return stream;
}

/* Where `path` leads, so that the file behind a link is replaced and not the link. */
static char *resolve(const char *path) {
    char *real = realpath(path, NULL);
    char *copy = xp__strdup(real != NULL ? real : path);
    free(real);
    return copy;
}

/* What is special about a file. In the place of one with a trait a pipe or a device is refused. */
enum {
    ALONE = 1,  /* it has only one writer at a time */
    NO_LINK = 2 /* others may write in its directory: a link in its place is refused too */
};

static xp_status open_writer(xp__file_writer *writer, const char *path, unsigned traits,
                             xp_error *error) {
    enum { SUFFIX = 64 }; /* room for two integers and the rest of the neighbour's name */
    *writer = (xp__file_writer){.stream = NULL};
    struct stat status;
    const bool alone = (traits & ALONE) != 0, no_link = (traits & NO_LINK) != 0;
    const bool exists = (no_link ? lstat(path, &status) : stat(path, &status)) == 0;
    const bool other = exists && !S_ISREG(status.st_mode);
    const bool direct = traits == 0 && (other || strncmp(path, "/dev/", 5) == 0);
    if (other && (traits != 0 || S_ISDIR(status.st_mode))) {
        return xp_error_set(error, XP_ERR_FILE, "cannot write '%s': it is %s", path,
                            traits != 0 ? "not a regular file" : "a directory");
    }
    /* A link that was put there since is replaced, not followed. */
    writer->path = direct || no_link ? xp__strdup(path) : resolve(path);
    const size_t bytes = (writer->path != NULL ? strlen(writer->path) : 0) + SUFFIX;
    char *temporary = direct ? NULL : xp__alloc(bytes, 1);
    if (writer->path == NULL || (!direct && temporary == NULL)) {
        xp__free(temporary);
        xp__file_writer_abandon(writer);
        return xp__no_memory(error);
    }
    if (direct) {
        writer->stream = fopen(path, "wb");
    } else {
        writer->stream =
            open_neighbour(writer->path, temporary, bytes, alone, exists ? &status : NULL);
    }
    if (writer->stream == NULL) {
        const xp_status result = failed(error, "write", path);
        xp__free(temporary);
        xp__file_writer_abandon(writer);
        return result;
    }
    writer->temporary = temporary; /* from here on there is a file to remove */
    return XP_OK;
}

xp_status xp__file_writer_open(xp__file_writer *writer, const char *path, xp_error *error) {
    return open_writer(writer, path, 0, error);
}

xp_status xp__file_writer_open_regular(xp__file_writer *writer, const char *path, xp_error *error) {
    return open_writer(writer, path, NO_LINK, error);
}

void xp__file_writer_abandon(xp__file_writer *writer) {
    if (writer->stream != NULL) {
        (void)fclose(writer->stream);
    }
    if (writer->temporary != NULL) {
        (void)unlink(writer->temporary);
    }
    xp__free(writer->temporary);
    xp__free(writer->path);
    *writer = (xp__file_writer){.stream = NULL};
}

/* Why an earlier write failed, of which the stream has kept only a flag: the next one, to a file
 * that is not wanted any more, fails likewise. */
static int reason_of_failure(const xp__file_writer *writer) {
    errno = 0;
    return writer->temporary != NULL && write(fileno(writer->stream), "", 1) < 0 ? errno : EIO;
}

xp_status xp__file_writer_commit(xp__file_writer *writer, xp_error *error) {
    errno = 0;
    bool good = fflush(writer->stream) == 0;
    if (good && ferror(writer->stream) != 0) {
        good = false;
        errno = reason_of_failure(writer);
    }
    if (good && writer->temporary != NULL) {
        good = sync_descriptor(fileno(writer->stream));
    }
    int reason = good ? 0 : errno;
    errno = 0;
    if (fclose(writer->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    writer->stream = NULL;
    if (good && writer->temporary != NULL) {
        good = rename(writer->temporary, writer->path) == 0;
        reason = errno;
        if (good) {
            xp__free(writer->temporary);
            writer->temporary = NULL;
            good = sync_folder(writer->path);
            reason = errno;
        }
    }
    xp_status status = XP_OK;
    if (!good) {
        errno = reason != 0 ? reason : EIO;
        status = failed(error, "write", writer->path);
    }
    xp__file_writer_abandon(writer);
    return status;
}

static xp_status write_file(const char *path, unsigned traits, const void *data, size_t bytes,
                            xp_error *error) {
    xp__file_writer writer;
    const xp_status status = open_writer(&writer, path, traits, error);
    if (status != XP_OK) {
        return status;
    }
    (void)fwrite(data, 1, bytes, writer.stream);
    return xp__file_writer_commit(&writer, error);
}

xp_status xp__file_write(const char *path, const void *data, size_t bytes, xp_error *error) {
    return write_file(path, 0, data, bytes, error);
}

xp_status xp__file_write_regular(const char *path, const void *data, size_t bytes,
                                 xp_error *error) {
    return write_file(path, NO_LINK, data, bytes, error);
}

xp_status xp__file_write_alone(const char *path, const void *data, size_t bytes, xp_error *error) {
    return write_file(path, ALONE, data, bytes, error);
}

/* Reads a stream to its end. */
static xp_status read_all(FILE *stream, const char *path, size_t limit, char **data, size_t *bytes,
                          xp_error *error) {
    char *block = NULL;
    size_t used = 0, room = 0;
    xp_status status = XP_OK;
    for (;;) {
        if (room - used < 2) {
            const size_t larger = room != 0 ? 2 * room : 1 << 14;
            char *moved = xp__realloc(block, larger, 1);
            if (moved == NULL) {
                status = xp__no_memory(error);
                break;
            }
            block = moved;
            room = larger;
        }
        const size_t got = fread(block + used, 1, room - used - 1, stream);
        used += got;
        if (used > limit) {
            status =
                xp_error_set(error, XP_ERR_INPUT, "'%s' is larger than %zu bytes", path, limit);
            break;
        }
        if (got == 0) {
            if (ferror(stream)) {
                status = failed(error, "read", path);
            }
            break;
        }
    }
    if (status != XP_OK) {
        xp__free(block);
        return status;
    }
    block[used] = '\0';
    *data = block;
    *bytes = used;
    return XP_OK;
}

xp_status xp__file_read(const char *path, size_t limit, char **data, size_t *bytes,
                        xp_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *stream = standard_input ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        return failed(error, "read", path);
    }
    const xp_status status = read_all(stream, path, limit, data, bytes, error);
    if (!standard_input) {
        (void)fclose(stream);
    }
    return status;
}

xp_status xp__file_read_regular(const char *path, size_t limit, char **data, size_t *bytes,
                                xp_error *error) {
    /* O_NONBLOCK: opening a pipe that nobody writes to would wait for ever. */
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info;
    if ((descriptor < 0 && errno == ELOOP) ||
        (descriptor >= 0 && fstat(descriptor, &info) == 0 && !S_ISREG(info.st_mode))) {
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return xp_error_set(error, XP_ERR_FILE, "'%s' is not a regular file", path);
    }
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (stream == NULL) {
        const xp_status status = failed(error, "read", path);
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return status;
    }
    const xp_status status = read_all(stream, path, limit, data, bytes, error);
    (void)fclose(stream);
    return status;
}

/* NAME.experior-PID-NUMBER.tmp */
static bool is_temporary(const char *name) {
    const char *at = NULL;
    for (const char *p = strstr(name, mark); p != NULL; p = strstr(p + 1, mark)) {
        at = p;
    }
    if (at == NULL || at == name) {
        return false;
    }
    static const char digits[] = "0123456789";
    at += strlen(mark);
    const size_t process = strspn(at, digits);
    const size_t number = at[process] == '-' ? strspn(at + process + 1, digits) : 0;
    return process > 0 && number > 0 && strcmp(at + process + 1 + number, ".tmp") == 0;
}

void xp__directory_clean(const char *path) {
    DIR *stream = opendir(path);
    if (stream == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (!is_temporary(entry->d_name)) {
            continue;
        }
        const int file = openat(dirfd(stream), entry->d_name,
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        struct stat info;
        if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
            flock(file, LOCK_EX | LOCK_NB) == 0) {
            (void)unlinkat(dirfd(stream), entry->d_name, 0);
        }
        if (file >= 0) {
            (void)close(file);
        }
    }
    (void)closedir(stream);
}

xp_status xp__directory_create(const char *path, xp_error *error) {
    char *prefix = xp__strdup(path);
    if (prefix == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    for (char *slash = prefix; status == XP_OK && slash != NULL;) {
        slash = strchr(slash + (*slash != '\0' ? 1 : 0), '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        if (*prefix != '\0' && mkdir(prefix, 0777) != 0 && errno != EEXIST) {
            status = failed(error, "make the directory", prefix);
        }
        if (slash != NULL) {
            *slash = '/';
        }
    }
    struct stat info;
    if (status == XP_OK && stat(path, &info) != 0) {
        status = failed(error, "make the directory", path);
    } else if (status == XP_OK && !S_ISDIR(info.st_mode)) {
        status = xp_error_set(error, XP_ERR_FILE, "'%s' is not a directory", path);
    }
    xp__free(prefix);
    return status;
}

size_t xp__format_double(char *buffer, double value) {
    if (isnan(value)) {
        return (size_t)sprintf(buffer, "nan");
    }
    if (isinf(value)) {
        return (size_t)sprintf(buffer, value > 0 ? "inf" : "-inf");
    }
    int length = 0; /* 15 digits always survive, but for subnormal numbers */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        length = xp__format(buffer, 32, "%.*g", digits, value);
        if (xp__read_number(buffer, NULL) == value) {
            break;
        }
    }
    return (size_t)length;
}

/* What a run of decimal digits is followed by; NULL if there is none. */
static const char *skip_digits(const char *text) {
    const char *end = text + strspn(text, "0123456789");
    return end != text ? end : NULL;
}

/* True for [sign] digits [. digits] [e [sign] digits] with digits on at least one side of the
 * point: what strtod reads less white space, hexadecimals, "infinity" and "nan(...)". */
static bool is_decimal(const char *text) {
    text += *text == '-' || *text == '+';
    const char *whole = skip_digits(text);
    text = whole != NULL ? whole : text;
    if (*text == '.') {
        const char *part = skip_digits(text + 1);
        if (part == NULL && whole == NULL) {
            return false;
        }
        text = part != NULL ? part : text + 1;
    } else if (whole == NULL) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        text = skip_digits(text);
    }
    return text != NULL && *text == '\0';
}

bool xp__parse_double(const char *text, double *value) {
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *value = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (strcmp(text, "nan") == 0) {
        *value = NAN;
        return true;
    }
    enum { MOST = 64 };
    if (strlen(text) >= MOST || !is_decimal(text)) {
        return false;
    }
    const double parsed = xp__read_number(text, NULL);
    if (isinf(parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}
