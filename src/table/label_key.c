/* label_key.c: what labels are compared by. Case, blanks, hyphens, quotes, accents, characters that
 * cannot be seen, letters of other scripts that look alike, and the spelling of a number do not
 * count. A key is not longer than its label, unless it is a short number. */
#include "table/values.h"

#include <stdio.h>
#include <string.h>

/* The Latin letter that a small or large Greek or Cyrillic one looks like; '.': none. */
static char latin_look(unsigned code) {
    static const char cyrillic[] = "a.b..e....k.mho.pcty.x.........."; /* U+0430 .. U+044F */
    static const char greek[] = "ab..ezh.ik.mn.o.p..ty.x..";           /* U+03B1 .. U+03C9 */
    return code >= 0x430 && code < 0x450   ? cyrillic[code - 0x430]
           : code >= 0x3b1 && code < 0x3ca ? greek[code - 0x3b1]
           : code == 0x456                 ? 'i'
                                           : '.';
}

/* A character of two bytes. */
static size_t fold_two(unsigned code, char *to) {
    static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
                                "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjJjKkkLlLlLlL"
                                "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
    if ((code >= 0x300 && code < 0x370) || code == 0xad) { /* an accent by itself; a soft hyphen */
        return 0;
    }
    if (code >= 0xc0 && code < 0x180) {
        const char byte = latin[code - 0xc0];
        to[0] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
        return 1;
    }
    const bool capital = (code >= 0x391 && code < 0x3aa) || (code >= 0x410 && code < 0x430);
    const unsigned small = capital ? code + 0x20 : code == 0x406 ? 0x456 : code;
    const char look = latin_look(small);
    to[0] = look != '.' ? look : (char)(0xc0 | small >> 6);
    to[1] = (char)(0x80 | (small & 0x3f));
    return look != '.' ? 1 : 2;
}

/* A character of three bytes. */
static size_t fold_three(const char *text, unsigned code, char *to) {
    const bool unseen = (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
                        (code >= 0x2060 && code <= 0x2064) || code == 0xfeff;
    const bool quote = code >= 0x2018 && code <= 0x201f;
    if (unseen || quote) {
        return 0;
    }
    if ((code >= 0x2010 && code <= 0x2015) || code == 0x2212) {
        to[0] = '-';
        return 1;
    }
    if (code >= 0xff01 && code <= 0xff5e) { /* as wide as Chinese */
        const char byte = (char)(code - 0xff01 + '!');
        to[0] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
        return 1;
    }
    memcpy(to, text, 3);
    return 3;
}

/* Bytes of the character at `at`, as far as they are there. */
static size_t wide_length(const char *text, size_t left) {
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return bytes <= left ? bytes : left;
}

/* What the character at text[0 .. bytes) counts as; returns how many bytes it wrote. */
static size_t fold(const char *text, size_t bytes, char *to) {
    const unsigned first = (unsigned char)text[0];
    if (bytes == 2) {
        return fold_two((first & 0x1fu) << 6 | ((unsigned char)text[1] & 0x3fu), to);
    }
    if (bytes == 3) {
        return fold_three(text,
                          (first & 0xfu) << 12 | ((unsigned char)text[1] & 0x3fu) << 6 |
                              ((unsigned char)text[2] & 0x3fu),
                          to);
    }
    memcpy(to, text, bytes);
    if (bytes == 1) {
        to[0] = text[0] >= 'A' && text[0] <= 'Z' ? (char)(text[0] + 32) : text[0];
        return text[0] != '\'' && text[0] != '"';
    }
    return bytes;
}

static bool is_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (unsigned char)byte >= 0x80;
}

/* Hyphens, underscores and blanks between words are one blank; a full stop behind a word is none.
 * A decimal comma is a point. Signs of numbers stay. */
static size_t settle_marks(char *key, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const char before = i > 0 ? key[i - 1] : '\0', after = i + 1 < length ? key[i + 1] : '\0';
        const bool digits = before >= '0' && before <= '9' && after >= '0' && after <= '9';
        const bool joins = key[i] == '_' || (key[i] == '-' && i > 0 && after != '\0' &&
                                             before != ' ' && (is_word(before) || is_word(after)));
        char byte = joins ? ' ' : key[i] == ',' && digits ? '.' : key[i];
        if ((byte == ' ' && (used == 0 || key[used - 1] == ' ')) ||
            (byte == '.' && after == '\0' && is_word(before))) {
            continue;
        }
        key[used++] = byte;
    }
    used -= used > 0 && key[used - 1] == ' ';
    key[used] = '\0';
    return used;
}

/* 007, 7.0 and +7 are the same number: its digits, without what does not count. */
static size_t settle_number(char *key, size_t length) {
    double value;
    if (length == 0 || length >= 17 || !xp__read_real(key, &value)) {
        return length;
    }
    if (memchr(key, 'e', length) != NULL) { /* 1e3 */
        return (size_t)snprintf(key, XP__LABEL_KEY, "%.15g", value);
    }
    const bool minus = key[0] == '-' && value != 0;
    size_t begin = key[0] == '-' || key[0] == '+' ? 1 : 0, end = length;
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
    key[end - begin] = '\0';
    return end - begin;
}

size_t xp__label_key(const char *text, size_t length, char *key) {
    size_t from = 0, rest = length, used = 0;
    xp__trim(text, &from, &rest);
    for (size_t at = from; at < from + rest;) {
        const size_t bytes = wide_length(text + at, from + rest - at);
        const size_t blank = xp__blank_at(text + at, from + rest - at);
        const size_t wrote = fold(text + at, bytes, key + used);
        const bool space = blank != 0 && wrote > 0; /* some blanks cannot be seen */
        key[used] = space ? ' ' : key[used];
        used += space ? 1 : wrote;
        at += blank != 0 ? blank : bytes;
    }
    key[used] = '\0';
    return settle_number(key, settle_marks(key, used));
}
