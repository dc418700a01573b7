/* values.c: see values.h. */
#include "table/values.h"

#include "base/text/scan.h"

#include <math.h>
#include <string.h>

/* Bytes of the blank at the start of text[0 .. length), or 0. */
static size_t blank_at(const char *text, size_t length) {
    static const char *const wide[] = {"\xc2\xa0",     "\xe2\x80\x8b", "\xe2\x80\xaf",
                                       "\xe2\x80\x89", "\xe3\x80\x80", "\xef\xbb\xbf"};
    if (length == 0 || (text[0] > ' ' && text[0] < 0x7f)) {
        return 0;
    }
    if (text[0] == ' ' || text[0] == '\t') {
        return 1;
    }
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        const size_t bytes = strlen(wide[i]);
        if (length >= bytes && memcmp(text, wide[i], bytes) == 0) {
            return bytes;
        }
    }
    return 0;
}

void xp__trim(const char *text, size_t *offset, size_t *length) {
    size_t blank;
    while ((blank = blank_at(text + *offset, *length)) != 0) {
        *offset += blank;
        *length -= blank;
    }
    for (bool trimmed = true; trimmed && *length > 0;) {
        trimmed = false;
        const char *end = text + *offset + *length;
        if (end[-1] > ' ' && end[-1] < 0x7f) {
            break;
        }
        for (size_t bytes = 1; bytes <= 3 && bytes <= *length && !trimmed; bytes++) {
            if (blank_at(end - bytes, bytes) == bytes) {
                *length -= bytes;
                trimmed = true;
            }
        }
    }
}

static bool among(const char *text, size_t length, const char *const *words, size_t count,
                  bool any_case) {
    char copy[16];
    if (length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (any_case ? xp__scan_same(copy, words[i]) : strcmp(copy, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool xp__is_missing(const char *text, size_t length) {
    static const char *const any_case[] = {"nan", "na",   "n/a",    "null",     "#n/a",
                                           "#na", "<na>", "-nan",   "#n/a n/a", "nat",
                                           "nil", "\\n",  "(null)", "1.#qnan",  "-1.#ind"};
    static const char *const exact[] = {"None"};
    return length == 0 ||
           among(text, length, any_case, sizeof any_case / sizeof any_case[0], true) ||
           among(text, length, exact, 1, false);
}

bool xp__is_doubtful(const char *text, size_t length) {
    static const char *const words[] = {"?",       ".",       "-",      "--",    "#ref!",
                                        "#value!", "#div/0!", "#name?", "#num!", "#null!"};
    return among(text, length, words, sizeof words / sizeof words[0], true);
}

bool xp__read_real(const char *text, double *value) {
    return text[0] != '\0' && xp__scan_finite(text, value);
}

bool xp__read_count(const char *text, size_t length, uint64_t *value) {
    const uint64_t most = UINT64_C(1) << 53;
    double real;
    if (xp__scan_whole(text, length, most, value)) {
        return true;
    }
    if (!xp__read_real(text, &real) || !(real >= 0 && real <= (double)most) ||
        real != floor(real)) {
        return false;
    }
    *value = (uint64_t)real;
    return true;
}

bool xp__has_comma_number(const char *text) {
    return text[strspn(text, "0123456789+-., ")] == '\0' && strchr(text, ',') != NULL &&
           text[strcspn(text, "0123456789")] != '\0';
}

bool xp__is_date(const char *text) {
    size_t run = 0, groups = 0, longest = 0;
    char mark = '\0';
    const char *at = text;
    for (; groups < 3; at++) {
        if (*at >= '0' && *at <= '9') {
            run++;
            continue;
        }
        if (run == 0 || run > 4 || run == 3) {
            return false;
        }
        longest = run > longest ? run : longest;
        groups++;
        run = 0;
        if (groups < 3) {
            if ((*at != '-' && *at != '/' && *at != '.') || (mark != '\0' && *at != mark)) {
                return false;
            }
            mark = *at;
        } else if (*at != '\0' && *at != ' ' && *at != 'T') {
            return false;
        }
    }
    /* 1.2.3 is a version; a date has a year of four digits, or marks that versions do not have. */
    return longest == 4 || mark == '/';
}

size_t xp__label_key(const char *text, size_t length, char *key) {
    size_t from = 0, rest = length, used = 0;
    xp__trim(text, &from, &rest);
    for (size_t at = from; at < from + rest;) {
        const size_t blank = blank_at(text + at, from + rest - at);
        if (blank != 0 || text[at] == '\n') {
            if (used > 0 && key[used - 1] != ' ') {
                key[used++] = ' ';
            }
            at += blank != 0 ? blank : 1;
        } else {
            const char byte = text[at++];
            key[used++] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
        }
    }
    key[used] = '\0';
    double value;
    if (used > 0 && used < 17 && xp__read_real(key, &value)) {
        /* 007, 7.0 and +7 are the same number; its digits, without what does not count. */
        const bool minus = key[0] == '-';
        size_t begin = key[0] == '-' || key[0] == '+' ? 1 : 0, end = used;
        if (memchr(key, 'e', used) != NULL) {
            return used;
        }
        while (begin + 1 < end && key[begin] == '0' && key[begin + 1] != '.') {
            begin++;
        }
        if (memchr(key + begin, '.', end - begin) != NULL) {
            while (key[end - 1] == '0') {
                end--;
            }
            end -= key[end - 1] == '.';
        }
        if (minus && begin > 0) {
            key[--begin] = '-';
        }
        memmove(key, key + begin, end - begin);
        used = end - begin;
        key[used] = '\0';
    }
    return used;
}
