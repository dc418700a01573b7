/* values.c: see values.h. */
#include "table/values.h"

#include "base/text/scan.h"

#include <math.h>
#include <string.h>

/* Bytes of the blank at the start of text[0 .. length), or 0. */
static size_t blank_at(const char *text, size_t length) {
    static const char *const wide[] = {"\xc2\xa0",     "\xc2\x85",     "\xe2\x80\x8b",
                                       "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\xa8",
                                       "\xe2\x80\xa9", "\xe3\x80\x80", "\xef\xbb\xbf"};
    if (length == 0 || (text[0] > ' ' && text[0] < 0x7f)) {
        return 0;
    }
    if ((unsigned char)text[0] <= ' ') { /* control characters too: a DOS file ends in one */
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
    static const char *const words[] = {"?",       ".",      "#ref!", "#value!",
                                        "#div/0!", "#name?", "#num!", "#null!",
                                        "inf",     "-inf",   "+inf",  "infinity"};
    static const char *const starts[] = {"['", "[\"", "{'", "{\"", "=\""};
    size_t rules = 0; /* lines that a program drew: ----, ====, +--+ */
    while (rules < length && strchr("-=+:", text[rules]) != NULL) {
        rules++;
    }
    if (length > 0 && rules == length && (text[0] == '-' || length > 1)) {
        return true;
    }
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (length >= 2 && memcmp(text, starts[i], 2) == 0) {
            return true;
        }
    }
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
    if (!xp__read_real(text, &real) || !(real >= 0 && real < (double)most) || real != floor(real)) {
        return false;
    }
    *value = (uint64_t)real;
    return true;
}

bool xp__has_comma_number(const char *text) {
    return text[strspn(text, "0123456789+-., ")] == '\0' && strchr(text, ',') != NULL &&
           text[strcspn(text, "0123456789")] != '\0';
}

/* A day with the name of its month: 1-Jan, Jan 24, 5 May 2024. Excel makes such of "1-1". */
static bool is_named_day(const char *text) {
    static const char months[] = "jan feb mar apr may jun jul aug sep oct nov dec ";
    size_t letters = 0, digits = 0;
    char word[5] = "";
    for (const char *at = text; *at != '\0'; at++) {
        const char byte = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
        if (byte >= 'a' && byte <= 'z') {
            if (letters == 3) {
                return false;
            }
            word[letters++] = byte;
        } else if (byte >= '0' && byte <= '9') {
            digits++;
        } else if (strchr("-/. ,", byte) == NULL) {
            return false;
        }
    }
    word[letters] = ' ';
    return letters == 3 && digits > 0 && digits <= 6 && strstr(months, word) != NULL;
}

bool xp__is_date(const char *text) {
    if (is_named_day(text)) {
        return true;
    }
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

/* What a character of several bytes counts as when labels are compared: accents and quotes do not
 * matter, nor does the case of Greek and Cyrillic letters. Writes at most `bytes` bytes. */
static size_t fold_wide(const char *text, size_t bytes, char *to) {
    static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
                                "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjJjKkkLlLlLlL"
                                "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
    const unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    if (bytes == 2) {
        const unsigned code = (first & 0x1fu) << 6 | (second & 0x3fu);
        if (code >= 0x300 && code < 0x370) { /* an accent by itself */
            return 0;
        }
        if (code >= 0xc0 && code < 0x180) {
            const char byte = latin[code - 0xc0];
            to[0] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
            return 1;
        }
        const bool capital = (code >= 0x391 && code < 0x3aa) || (code >= 0x410 && code < 0x430);
        const unsigned small = capital ? code + 0x20 : code;
        to[0] = (char)(0xc0 | small >> 6);
        to[1] = (char)(0x80 | (small & 0x3f));
        return 2;
    }
    if (bytes == 3 && memcmp(text, "\xe2\x80", 2) == 0 && second == 0x80 &&
        (unsigned char)text[2] >= 0x98 && (unsigned char)text[2] <= 0x9f) {
        return 0; /* curly quotes */
    }
    memcpy(to, text, bytes);
    return bytes;
}

/* Bytes of the character at `at`, as far as they are there. */
static size_t wide_length(const char *text, size_t left) {
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return bytes <= left ? bytes : left;
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
            const size_t bytes = wide_length(text + at, from + rest - at);
            const char byte = text[at];
            if (bytes > 1) {
                used += fold_wide(text + at, bytes, key + used);
            } else if (byte != '\'' && byte != '"') {
                key[used++] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
            }
            at += bytes;
        }
    }
    used -= used > 0 && key[used - 1] == ' ';
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
