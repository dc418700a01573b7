/* scan.c: numbers, UTF-8 and safe quoting. */
#include "base/text/scan.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

bool xp__scan_whole(const char *text, size_t length, uint64_t high, uint64_t *value) {
    if (length == 0 || length > 20 || (text[0] == '0' && length > 1)) {
        return false;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9 || digit > high || number > (high - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool xp__scan_finite(const char *text, double *value) {
    if (text[0] != '\0' && text[1] == '\0') { /* most states are one digit */
        *value = (double)(text[0] - '0');
        return text[0] >= '0' && text[0] <= '9';
    }
    return text[strspn(text, "0123456789+-.eE")] == '\0' && xp__parse_double(text, value) &&
           isfinite(*value);
}

/* Bytes of the character at the start of `text`, or 0 if there is no whole, valid one. */
static size_t character(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) {
        return 1;
    }
    const size_t bytes = at[0] < 0xc2   ? 0
                         : at[0] < 0xe0 ? 2
                         : at[0] < 0xf0 ? 3
                         : at[0] < 0xf5 ? 4
                                        : 0;
    if (bytes == 0 || bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool surrogate = at[0] == 0xed && at[1] >= 0xa0;
    const bool beyond = at[0] == 0xf4 && at[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : bytes;
}

bool xp__scan_utf8(const char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        const size_t bytes = character(text + at, length - at);
        if (bytes == 0) {
            return false;
        }
        at += bytes;
    }
    return true;
}

bool xp__scan_same(const char *text, const char *word) {
    size_t i = 0;
    for (; text[i] != '\0' && word[i] != '\0'; i++) {
        const char letter = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        if (letter != word[i]) {
            return false;
        }
    }
    return text[i] == word[i];
}

const char *xp__show(char *buffer, const char *text, size_t length) {
    enum { KEPT = 40 };
    size_t at = 0, written = 0;
    while (at < length) {
        size_t bytes = character(text + at, length - at);
        const bool plain = bytes > 1 || (bytes == 1 && text[at] >= ' ' && text[at] != 0x7f);
        bytes = bytes > 0 ? bytes : 1;
        if (written + bytes > KEPT) {
            memcpy(buffer + written, "...", 3);
            written += 3;
            break;
        }
        if (plain) {
            memcpy(buffer + written, text + at, bytes);
            written += bytes;
        } else {
            buffer[written++] = '?';
        }
        at += bytes;
    }
    buffer[written] = '\0';
    return buffer;
}
