/* file.c: atomic whole-file writes, bounded reads, and numbers as text.
 *
 * A file is written beside its place and renamed over it, so that a reader, a crash or a full disk
 * never meets half of one. Pipes, terminals and devices cannot be renamed over: they are written to
 * directly. */
#include "base/file.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static xp_status failed(xp_error *error, const char *what, const char *path) {
    return xp_error_set(error, XP_ERR_FILE, "cannot %s '%s': %s", what, path, strerror(errno));
}

/* A new file beside `path`, whose name goes to `name`. Opened with mode 0666, so that the process's
 * mask applies without being read: reading it means setting it, which other threads would see. */
static int create_neighbour(const char *path, char *name, size_t bytes) {
    int descriptor = -1;
    for (unsigned attempt = 0; descriptor < 0 && attempt < 1000; attempt++) {
        (void)snprintf(name, bytes, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

/* Opens the stream of a regular file's replacement; NULL with errno on failure. */
static FILE *open_neighbour(const char *path, char *name, size_t bytes, const struct stat *old) {
    const int descriptor = create_neighbour(path, name, bytes);
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

xp_status xp__file_writer_open(xp__file_writer *writer, const char *path, xp_error *error) {
    enum { SUFFIX = 48 }; /* room for two integers and the rest of the neighbour's name */
    *writer = (xp__file_writer){.stream = NULL};
    struct stat status;
    const bool exists = stat(path, &status) == 0, device = strncmp(path, "/dev/", 5) == 0;
    const bool direct = device || (exists && !S_ISREG(status.st_mode));
    if (exists && S_ISDIR(status.st_mode)) {
        return xp_error_set(error, XP_ERR_FILE, "cannot write '%s': it is a directory", path);
    }
    writer->path = direct ? xp__strdup(path) : resolve(path);
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
        writer->stream = open_neighbour(writer->path, temporary, bytes, exists ? &status : NULL);
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

xp_status xp__file_writer_commit(xp__file_writer *writer, xp_error *error) {
    errno = 0;
    bool good = fflush(writer->stream) == 0 && ferror(writer->stream) == 0;
    if (good && writer->temporary != NULL) {
        good = fsync(fileno(writer->stream)) == 0;
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
        }
    }
    xp_status status = XP_OK;
    if (!good) {
        errno = reason != 0 ? reason : EIO; /* an earlier write failed and left only its flag */
        status = failed(error, "write", writer->path);
    }
    xp__file_writer_abandon(writer);
    return status;
}

xp_status xp__file_write(const char *path, const void *data, size_t bytes, xp_error *error) {
    xp__file_writer writer;
    const xp_status status = xp__file_writer_open(&writer, path, error);
    if (status != XP_OK) {
        return status;
    }
    (void)fwrite(data, 1, bytes, writer.stream);
    return xp__file_writer_commit(&writer, error);
}

xp_status xp__file_read(const char *path, size_t limit, char **data, size_t *bytes,
                        xp_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *stream = standard_input ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        return failed(error, "read", path);
    }
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
    if (!standard_input) {
        (void)fclose(stream);
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
