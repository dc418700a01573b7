/* scan.h: small readers of text that came from outside, and how such text is shown in messages. */
#ifndef XP_BASE_TEXT_SCAN_H
#define XP_BASE_TEXT_SCAN_H

#include "experior/base.h"

/* A whole number from 0 to `high`, written as a program writes it: digits, no sign, no leading
 * zero. So a number has one spelling, and equal numbers are equal text. */
bool xp__scan_whole(const char *text, size_t length, uint64_t high, uint64_t *value);
/* A finite decimal number; `text` is zero-terminated. No hexadecimal, no "nan", no "inf". */
bool xp__scan_finite(const char *text, double *value);
/* Whether the bytes are UTF-8 (no overlong forms, no surrogates). */
bool xp__scan_utf8(const char *text, size_t length);
/* Whether `text` is `word`, whatever the case of ASCII letters. */
bool xp__scan_same(const char *text, const char *word);

enum { XP__SHOWN = 64 };
/* Text as a message may carry it: at most some 40 bytes, cut between characters, control bytes and
 * what is not UTF-8 replaced by '?'. Returns `buffer`, which has room for XP__SHOWN bytes. */
const char *xp__show(char *buffer, const char *text, size_t length);

#endif
