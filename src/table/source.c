/* source.c: file, gzip and UTF-16, one over the other; see source.h.
 *
 * Three levels read from each other: raw bytes of the file, plain bytes (unpacked if the file is
 * gzip), and text. The first bytes of the lower two are looked at before anybody asks. */
#include "table/source.h"

#include "base/memory.h"
#include "base/text/lines.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { PACKED = 1 << 16 };

static xp_status fail(const xp__source *source, const char *sentence, xp_error *error) {
    const xp__lines place = {.name = source->name};
    return xp__lines_fail_file(&place, error, sentence);
}

static size_t take_head(xp__source_head *head, char *to, size_t most) {
    const size_t left = head->length - head->at, bytes = left < most ? left : most;
    memcpy(to, head->bytes + head->at, bytes);
    head->at += bytes;
    return bytes;
}

static xp_status read_raw(xp__source *source, char *to, size_t most, size_t *got, xp_error *error) {
    *got = take_head(&source->raw, to, most);
    if (*got != 0) {
        return XP_OK;
    }
    if (source->stream != NULL) {
        *got = fread(to, 1, most, source->stream);
        if (*got == 0 && ferror(source->stream)) {
            return xp_error_set(error, XP_ERR_FILE, "cannot read '%.300s': %s", source->name,
                                strerror(errno));
        }
    } else {
        *got = most < source->memory_left ? most : source->memory_left;
        if (*got != 0) {
            memcpy(to, source->memory, *got);
            source->memory += *got;
            source->memory_left -= *got;
        }
    }
    source->taken += *got;
    return XP_OK;
}

/* Packed bytes for the inflater when it has none; `*any` is false at the end of the file. */
static xp_status feed(xp__source *source, bool *any, xp_error *error) {
    size_t got = source->inflater->avail_in;
    if (got == 0) {
        const xp_status status = read_raw(source, (char *)source->packed, PACKED, &got, error);
        if (status != XP_OK) {
            *any = false;
            return status;
        }
        source->inflater->next_in = source->packed;
        source->inflater->avail_in = (uInt)got;
    }
    *any = got != 0;
    return XP_OK;
}

/* Behind a member there may be another, or zeros that pad the file, or its end. */
static xp_status begin_member(xp__source *source, bool *ended, xp_error *error) {
    bool any;
    xp_status status;
    do {
        status = feed(source, &any, error);
        while (status == XP_OK && source->inflater->avail_in > 0 &&
               source->inflater->next_in[0] == 0) {
            source->inflater->next_in++;
            source->inflater->avail_in--;
        }
    } while (status == XP_OK && any && source->inflater->avail_in == 0);
    *ended = !any;
    if (status == XP_OK && any) {
        if (source->inflater->next_in[0] != 0x1f) {
            return fail(source, "is gzip with other bytes behind its end", error);
        }
        source->member_ended = false;
        (void)inflateReset(source->inflater);
    }
    return status;
}

static xp_status read_gzip(xp__source *source, char *to, size_t most, size_t *got,
                           xp_error *error) {
    z_stream *inflater = source->inflater;
    *got = 0;
    while (*got == 0) {
        bool ended = false, any;
        xp_status status = source->member_ended ? begin_member(source, &ended, error) : XP_OK;
        if (status != XP_OK || ended) {
            return status;
        }
        status = feed(source, &any, error);
        if (status != XP_OK) {
            return status;
        }
        if (!any) {
            return fail(source, "is cut off: its gzip data ends too early", error);
        }
        inflater->next_out = (Bytef *)to;
        inflater->avail_out = (uInt)most;
        const int result = inflate(inflater, Z_NO_FLUSH);
        *got = most - inflater->avail_out;
        source->member_ended = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR) {
            return xp__no_memory(error);
        }
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            return fail(source, "is damaged: its gzip data cannot be unpacked", error);
        }
    }
    return XP_OK;
}

static xp_status read_plain(xp__source *source, char *to, size_t most, size_t *got,
                            xp_error *error) {
    *got = take_head(&source->plain, to, most);
    return *got != 0      ? XP_OK
           : source->gzip ? read_gzip(source, to, most, got, error)
                          : read_raw(source, to, most, got, error);
}

static size_t write_utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    const size_t bytes = code < 0x10000 ? 3 : 4;
    to[0] = (char)(bytes == 3 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
    for (size_t i = 1; i < bytes; i++) {
        to[i] = (char)(0x80 | (code >> (6 * (bytes - 1 - i)) & 0x3f));
    }
    return bytes;
}

static uint32_t unit_at(const xp__source *source, const unsigned char *at) {
    return source->encoding == XP__UTF16_LE ? (uint32_t)at[0] | (uint32_t)at[1] << 8
                                            : (uint32_t)at[1] | (uint32_t)at[0] << 8;
}

/* One character from source->unit, once it is whole, to `to`; `*wrote` is its length or 0. */
static xp_status take_unit(xp__source *source, char *to, size_t *wrote, xp_error *error) {
    *wrote = 0;
    if (source->unit_length % 2 != 0) {
        return XP_OK;
    }
    uint32_t code = unit_at(source, source->unit);
    const bool high = code >= 0xd800 && code < 0xdc00;
    if (high && source->unit_length < 4) {
        return XP_OK;
    }
    if (high) {
        const uint32_t low = unit_at(source, source->unit + 2);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                                             : 0xdc00;
    }
    if (code >= 0xdc00 && code < 0xe000) {
        return fail(source, "is UTF-16 with half a character; it may be cut or damaged", error);
    }
    *wrote = write_utf8(to, code);
    source->unit_length = 0;
    return XP_OK;
}

static xp_status read_utf16(xp__source *source, char *to, size_t most, size_t *got,
                            xp_error *error) {
    char units[1024];
    *got = 0;
    while (*got == 0) {
        const size_t want = most / 4 < sizeof units ? most / 4 : sizeof units;
        size_t bytes;
        const xp_status status = read_plain(source, units, want, &bytes, error);
        if (status != XP_OK) {
            return status;
        }
        if (bytes == 0) {
            return source->unit_length == 0
                       ? XP_OK
                       : fail(source, "is UTF-16 with half a character at its end", error);
        }
        for (size_t i = 0; i < bytes; i++) {
            source->unit[source->unit_length++] = (unsigned char)units[i];
            size_t wrote;
            const xp_status taken = take_unit(source, to + *got, &wrote, error);
            if (taken != XP_OK) {
                return taken;
            }
            *got += wrote;
        }
    }
    return XP_OK;
}

static xp_status read_text(xp__source *source, char *to, size_t most, size_t *got,
                           xp_error *error) {
    const xp_status status = source->encoding == XP__UTF8
                                 ? read_plain(source, to, most, got, error)
                                 : read_utf16(source, to, most, got, error);
    if (status == XP_OK && *got > 0 && memchr(to, '\0', *got) != NULL) {
        return fail(source, "holds a zero byte, so it is not text; save it as UTF-8", error);
    }
    return status;
}

static xp_status fill_head(xp__source *source, xp__source_head *head, bool gzip, xp_error *error) {
    char bytes[XP__SOURCE_HEAD];
    size_t length = 0, got = 1;
    xp_status status = XP_OK;
    while (status == XP_OK && got > 0 && length < sizeof bytes) {
        status = gzip ? read_gzip(source, bytes + length, sizeof bytes - length, &got, error)
                      : read_raw(source, bytes + length, sizeof bytes - length, &got, error);
        length += status == XP_OK ? got : 0;
    }
    memcpy(head->bytes, bytes, length);
    head->length = length;
    head->at = 0;
    return status;
}

static voidpf zlib_alloc(voidpf context, uInt count, uInt size) {
    (void)context;
    return xp__alloc(count, size);
}

static void zlib_free(voidpf context, voidpf block) {
    (void)context;
    xp__free(block);
}

static xp_status start_inflater(xp__source *source, xp_error *error) {
    enum { GZIP_WINDOW = 15 + 16 };
    z_stream *inflater = xp__alloc(1, sizeof *inflater);
    source->packed = xp__alloc(PACKED, 1);
    if (inflater == NULL || source->packed == NULL) {
        xp__free(inflater);
        return xp__no_memory(error);
    }
    inflater->zalloc = zlib_alloc;
    inflater->zfree = zlib_free;
    if (inflateInit2(inflater, GZIP_WINDOW) != Z_OK) {
        xp__free(inflater);
        return xp__no_memory(error);
    }
    source->inflater = inflater;
    source->gzip = true;
    return XP_OK;
}

/* Looks at the first bytes: gzip, other kinds of file, byte order marks. */
static xp_status look(xp__source *source, xp_error *error) {
    xp_status status = fill_head(source, &source->raw, false, error);
    if (status != XP_OK) {
        return status;
    }
    xp__source_head *head = &source->raw;
    if (head->length >= 2 && memcmp(head->bytes, "\x1f\x8b", 2) == 0) {
        status = start_inflater(source, error);
        if (status == XP_OK) {
            status = fill_head(source, &source->plain, true, error);
        }
        head = &source->plain;
    }
    if (status == XP_OK) {
        status = xp__magic_check(head->bytes, head->length, source->name, error);
    }
    if (status == XP_OK && head->length >= 2 && memcmp(head->bytes, "\xff\xfe", 2) == 0) {
        source->encoding = XP__UTF16_LE;
        head->at = 2;
    } else if (status == XP_OK && head->length >= 2 && memcmp(head->bytes, "\xfe\xff", 2) == 0) {
        source->encoding = XP__UTF16_BE;
        head->at = 2;
    } else if (status == XP_OK && head->length >= 3 &&
               memcmp(head->bytes, "\xef\xbb\xbf", 3) == 0) {
        head->at = 3;
    }
    return status;
}

static xp_status start(xp__source *source, xp_error *error) {
    source->sample = xp__alloc(XP__SOURCE_SAMPLE, 1);
    const xp_status status = source->sample != NULL ? look(source, error) : xp__no_memory(error);
    if (status != XP_OK) {
        xp__source_close(source);
    }
    return status;
}

xp_status xp__source_open(xp__source *source, const char *path, xp_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    *source = (xp__source){.name = standard_input ? "standard input" : path};
    source->stream = standard_input ? stdin : fopen(path, "rb");
    if (source->stream == NULL) {
        return xp_error_set(error, XP_ERR_FILE, "cannot read '%.300s': %s", path, strerror(errno));
    }
    struct stat found;
    if (fstat(fileno(source->stream), &found) == 0 && S_ISREG(found.st_mode)) {
        source->total = (uint64_t)found.st_size;
    }
    return start(source, error);
}

xp_status xp__source_open_memory(xp__source *source, const char *text, size_t bytes,
                                 const char *name, xp_error *error) {
    *source = (xp__source){.name = name, .memory = text, .memory_left = bytes, .total = bytes};
    return start(source, error);
}

void xp__source_close(xp__source *source) {
    if (source->stream != NULL && source->stream != stdin) {
        (void)fclose(source->stream);
    }
    if (source->inflater != NULL) {
        (void)inflateEnd(source->inflater);
        xp__free(source->inflater);
    }
    xp__free(source->packed);
    xp__free(source->sample);
    *source = (xp__source){.name = NULL};
}

xp_status xp__source_sample(xp__source *source, const char **text, size_t *bytes, bool *all,
                            xp_error *error) {
    enum { LEAST = 16 };
    size_t got = 1;
    xp_status status = XP_OK;
    while (status == XP_OK && got > 0 && source->sample_length + LEAST <= XP__SOURCE_SAMPLE) {
        status = read_text(source, source->sample + source->sample_length,
                           XP__SOURCE_SAMPLE - source->sample_length, &got, error);
        source->sample_length += status == XP_OK ? got : 0;
    }
    *text = source->sample;
    *bytes = source->sample_length;
    *all = got == 0;
    return status;
}

xp_status xp__source_read(xp__source *source, char *to, size_t most, size_t *got, xp_error *error) {
    const size_t left = source->sample_length - source->sample_at;
    if (left == 0) {
        source->beyond = true;
        return read_text(source, to, most, got, error);
    }
    *got = left < most ? left : most;
    memcpy(to, source->sample + source->sample_at, *got);
    source->sample_at += *got;
    return XP_OK;
}

bool xp__source_rewind(xp__source *source) {
    source->sample_at = source->beyond ? source->sample_at : 0;
    return !source->beyond;
}
