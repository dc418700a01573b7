/* dates.c: whether a label is a date or a time, by its looks. What could also be a version (1.2.3)
 * or a ratio of small numbers is not taken for one. */
#include "table/values.h"

#include "base/text/scan.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Whether the word of `length` letters is `name`, or three or more of its first letters. */
static bool abbreviates(const char *word, size_t length, const char *name) {
    if (length < 3 || length > strlen(name)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((word[i] | 32) != name[i]) {
            return false;
        }
    }
    return true;
}

static bool is_month(const char *word, size_t length) {
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (abbreviates(word, length, names[i])) {
            return true;
        }
    }
    return false;
}

/* Words that stand beside a month: days of the week, ends of ordinals, halves of a day, zones. */
static bool goes_with_month(const char *word, size_t length) {
    static const char *const days[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday"};
    static const char *const words[] = {"st", "nd", "rd",  "th",  "of",  "am", "pm",
                                        "t",  "z",  "utc", "gmt", "cet", "at"};
    char copy[4] = "";
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        if (abbreviates(word, length, days[i])) {
            return true;
        }
    }
    memcpy(copy, word, length < sizeof copy ? length : 0);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (copy[0] != '\0' && xp__scan_same(copy, words[i])) {
            return true;
        }
    }
    return false;
}

/* A day with the name of its month: 1-Jan, Jan 24, 5 May 2024, Friday, January 5, 2024 10:00. Excel
 * makes such of "1-1". */
static bool is_named_day(const char *text) {
    size_t months = 0, numbers = 0;
    while (*text != '\0') {
        size_t length = 0;
        if (is_letter(*text)) {
            while (is_letter(text[length])) {
                length++;
            }
            const bool month = is_month(text, length);
            if (!month && !goes_with_month(text, length)) {
                return false;
            }
            months += month;
        } else if (is_digit(*text)) {
            length = strspn(text, "0123456789");
            numbers++;
            if (length > 4) {
                return false;
            }
        } else if (strchr("-/. ,:+'", *text) != NULL) {
            length = 1;
        } else {
            return false;
        }
        text += length;
    }
    return months == 1 && numbers > 0 && numbers <= 7;
}

/* The `count` digits at `text` as a number from `low` to `high`. */
static bool is_between(const char *text, size_t count, long low, long high) {
    char copy[8] = "";
    if (strspn(text, "0123456789") < count || count >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, count);
    const long value = strtol(copy, NULL, 10);
    return value >= low && value <= high;
}

static bool is_year(const char *text) {
    return is_between(text, 4, 1900, 2100);
}

/* 20240105, 2024-01, 01/2024, 2024-W05, 2024Q1, Q1 2024, and with the signs of China and Japan. */
static bool is_period(const char *text) {
    const size_t length = strlen(text), digits = strspn(text, "0123456789");
    if (digits == 8 && length == 8) {
        return is_year(text) && is_between(text + 4, 2, 1, 12) && is_between(text + 6, 2, 1, 31);
    }
    if (digits == 4 && strncmp(text + 4, "\xe5\xb9\xb4", 3) == 0) {
        return true;
    }
    if (digits == 4 && is_year(text)) {
        const char *rest = text + 4 + (strchr("- /", text[4]) != NULL && text[4] != '\0');
        if ((rest[0] | 32) == 'w' || (rest[0] | 32) == 'q') {
            const size_t part = strspn(rest + 1, "0123456789");
            return part >= 1 && part <= 2 && (rest[1 + part] == '\0' || rest[1 + part] == '-');
        }
        return length == 7 && rest == text + 5 && is_between(rest, 2, 1, 12);
    }
    if ((text[0] | 32) == 'q' && is_between(text + 1, 1, 1, 4)) {
        return length == 7 && strchr("- /", text[2]) != NULL && is_year(text + 3);
    }
    return digits >= 1 && digits <= 2 && length == digits + 5 && text[digits] == '/' &&
           is_between(text, digits, 1, 12) && is_year(text + digits + 1);
}

/* 9:30, 09:30:15, 9:30 pm */
static bool is_time(const char *text) {
    const size_t hours = strspn(text, "0123456789");
    if (hours < 1 || hours > 2 || text[hours] != ':' || !is_between(text, hours, 0, 24)) {
        return false;
    }
    const char *at = text + hours;
    for (size_t parts = 0; *at == ':' && parts < 2; parts++) {
        if (!is_between(at + 1, 2, 0, 59) || is_digit(at[3])) {
            return false;
        }
        at += 3;
    }
    at += *at == '.' ? 1 + strspn(at + 1, "0123456789") : 0;
    at += *at == ' ';
    return *at == '\0' || xp__scan_same(at, "am") || xp__scan_same(at, "pm");
}

/* Three numbers with the same mark between them, and perhaps a time behind. */
static bool is_numbered_day(const char *text) {
    size_t run = 0, groups = 0, longest = 0, shortest = 4;
    char mark = '\0';
    const char *at = text;
    for (; groups < 3; at++) {
        if (is_digit(*at)) {
            run++;
            continue;
        }
        if (run == 0 || run > 4 || run == 3) {
            return false;
        }
        longest = run > longest ? run : longest;
        shortest = run < shortest ? run : shortest;
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
    /* 1.2.3 is a version; a date has a year of four digits, marks that versions do not have, or two
     * digits throughout. */
    return longest == 4 || mark == '/' || (longest == 2 && shortest == 2);
}

bool xp__is_date(const char *text) {
    return is_named_day(text) || is_period(text) || is_time(text) || is_numbered_day(text);
}
