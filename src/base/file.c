/* file.c: atomic whole-file writes, bounded reads, and numbers as text.
 *
 * A file is written beside its place and renamed over it, so that a reader, a crash or a full disk
 * never meets half of one. Pipes, terminals and devices cannot be renamed over: they are written to
 * directly. */
#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static xp_status failed(xp_error *error, const char *what, const char *path) {
    return xp_error_set(error, XP_ERR_FILE, "cannot %s '%s': %s", what, path, strerror(errno));
}

xp_status xp__file_writer_open(xp__file_writer *writer, const char *path, xp_error *error) {
    *writer = (xp__file_writer){.stream = NULL};
    struct stat status;
    const bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (direct && S_ISDIR(status.st_mode)) {
        return xp_error_set(error, XP_ERR_FILE, "cannot write '%s': it is a directory", path);
    }
    writer->path = xp__strdup(path);
    if (!direct) {
        const size_t bytes = strlen(path) + sizeof ".XXXXXX";
        writer->temporary = xp__alloc(bytes, 1);
        if (writer->temporary != NULL) {
            (void)snprintf(writer->temporary, bytes, "%s.XXXXXX", path);
        }
    }
    if (writer->path == NULL || (!direct && writer->temporary == NULL)) {
        xp__file_writer_abandon(writer);
        return xp__no_memory(error);
    }
    if (direct) {
        writer->stream = fopen(path, "wb");
    } else {
        const int descriptor = mkstemp(writer->temporary);
        if (descriptor >= 0) {
            const mode_t mask = umask(0);
            (void)umask(mask);
            (void)fchmod(descriptor, 0666 & ~mask); /* mkstemp made it private */
            writer->stream = fdopen(descriptor, "wb");
            if (writer->stream == NULL) {
                (void)close(descriptor);
                (void)unlink(writer->temporary);
            }
        }
    }
    if (writer->stream == NULL) {
        const xp_status result = failed(error, "write", path);
        xp__free(writer->temporary);
        writer->temporary = NULL;
        xp__file_writer_abandon(writer);
        return result;
    }
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
    bool good = ferror(writer->stream) == 0 && fflush(writer->stream) == 0;
    if (good && writer->temporary != NULL) {
        good = fsync(fileno(writer->stream)) == 0;
    }
    const int kept = errno;
    const bool closed = fclose(writer->stream) == 0;
    writer->stream = NULL;
    if (!good) {
        errno = kept;
    }
    if (good && closed && writer->temporary != NULL) {
        good = rename(writer->temporary, writer->path) == 0;
        if (good) {
            xp__free(writer->temporary);
            writer->temporary = NULL;
        }
    }
    xp_status status = XP_OK;
    if (!good || !closed) {
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
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    char *comma = strchr(buffer, ',');
    if (comma != NULL) {
        *comma = '.';
    }
    return (size_t)length;
}

bool xp__parse_double(const char *text, double *value) {
    char copy[64];
    const size_t length = strlen(text);
    if (length == 0 || length >= sizeof copy || text[0] == ' ') {
        return false;
    }
    memcpy(copy, text, length + 1);
    char *end;
    double parsed = strtod(copy, &end);
    if (*end == '.') { /* a locale whose decimal sign is a comma */
        *end = ',';
        parsed = strtod(copy, &end);
    }
    if (*end != '\0') {
        return false;
    }
    *value = parsed;
    return true;
}
