/* values.c: see values.h. */
#include "table/values.h"

#include "base/text/scan.h"

#include <math.h>
#include <string.h>

size_t xp__blank_at(const char *text, size_t length) {
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
    while ((blank = xp__blank_at(text + *offset, *length)) != 0) {
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
            if (xp__blank_at(end - bytes, bytes) == bytes) {
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
    static const char *const words[] = {"?",
                                        ".",
                                        "-",
                                        "#ref!",
                                        "#value!",
                                        "#div/0!",
                                        "#name?",
                                        "#num!",
                                        "#null!",
                                        "inf",
                                        "-inf",
                                        "+inf",
                                        "infinity",
                                        "n.a.",
                                        "n.a",
                                        "n. a.",
                                        "n/d",
                                        "k.a.",
                                        "k. a.",
                                        "(blank)",
                                        "(empty)",
                                        "(leer)",
                                        "...",
                                        "*",
                                        "\xe2\x80\x94",
                                        "\xe2\x80\x93",
                                        "\xe2\x80\xa6",
                                        "\xe2\x88\x92"}; /* dashes, dots, minus */
    return among(text, length, words, sizeof words / sizeof words[0], true);
}

bool xp__is_unsaid(const char *text, size_t length) {
    static const char *const words[] = {"unknown",       "undefined",     "missing", "not recorded",
                                        "not available", "not specified", "no data", "tbd"};
    return among(text, length, words, sizeof words / sizeof words[0], true);
}

/* "(3 rows)", "3 rows in set": what clients of databases write below a table. */
static bool is_row_total(const char *text) {
    text += text[0] == '(';
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && strncmp(text + digits, " row", 4) == 0 &&
           strchr("s )", text[digits + 4]) != NULL;
}

/* 1.23457E+12: a spreadsheet made this of a longer number. */
static bool is_shortened(const char *text) {
    const size_t mantissa = strspn(text, "0123456789.,");
    return mantissa > 0 && strncmp(text + mantissa, "E+", 2) == 0 &&
           strspn(text + mantissa + 2, "0123456789") >= 2 &&
           text[mantissa + 2 + strspn(text + mantissa + 2, "0123456789")] == '\0';
}

bool xp__is_odd(const char *text, size_t length) {
    static const char *const starts[] = {
        "['", "[\"", "{'", "{\"",      "=\"",     "# ",
        "//", "* ",  "##", "\xe2\x94", "\xe2\x95"}; /* the last two begin the characters that frames
                                                       are drawn with */
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (length >= 2 && strncmp(text, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    const bool formula = text[0] == '=' &&
                         ((text[1] >= 'A' && text[1] <= 'Z') || (text[1] >= 'a' && text[1] <= 'z'));
    const bool rule = length > 1 && strspn(text, "-=+:") == length; /* ----, ====, +--+ */
    return formula || rule || is_row_total(text) || is_shortened(text) ||
           strstr(text, "\xef\xbf\xbd") != NULL; /* a character that was lost */
}

bool xp__is_listed(const char *text, const char *list) {
    const size_t length = strlen(text);
    for (; *list != '\0'; list += *list == '|') {
        const size_t word = strcspn(list, "|");
        size_t same = 0;
        while (same < word && same < length &&
               (text[same] >= 'A' && text[same] <= 'Z' ? text[same] + 32 : text[same]) ==
                   list[same]) {
            same++;
        }
        if (same == word && same == length) {
            return true;
        }
        list += word;
    }
    return false;
}

bool xp__is_total(const char *text) {
    /* The last ones are Russian, twice in each case, Japanese and Chinese. */
    static const char words[] =
        "total|totals|total:|grand total|grand totals|sub-total|subtotal|sum|sum:|sums|overall|"
        "summe|gesamt|gesamtsumme|insgesamt|gesamtergebnis|somme|ensemble|totale|suma|soma|totaal|"
        "toplam|razem|summa|totalt|i alt|celkem|total g\xc3\xa9n\xc3\xa9ral|"
        "\xd0\x98\xd1\x82\xd0\xbe\xd0\xb3\xd0\xbe|\xd0\xb8\xd1\x82\xd0\xbe\xd0\xb3\xd0\xbe|"
        "\xd0\x92\xd1\x81\xd0\xb5\xd0\xb3\xd0\xbe|\xd0\xb2\xd1\x81\xd0\xb5\xd0\xb3\xd0\xbe|"
        "\xe5\x90\x88\xe8\xa8\x88|\xe5\x90\x88\xe8\xae\xa1|\xe6\x80\xbb\xe8\xae\xa1";
    /* Every row is asked, and most are told by one byte. */
    const bool possible =
        strchr("tgsoeirc", text[0] | 32) != NULL || (unsigned char)text[0] >= 0x80;
    return possible && xp__is_listed(text, words);
}

bool xp__read_real(const char *text, double *value) {
    return text[0] != '\0' && xp__scan_finite(text, value);
}

/* 1.000 is one, or a thousand in half of Europe. */
static bool may_be_thousands(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    return digits >= 1 && digits <= 3 && text[0] != '0' && strcmp(text + digits, ".000") == 0;
}

bool xp__read_count(const char *text, size_t length, uint64_t *value) {
    const uint64_t most = UINT64_C(1) << 53;
    double real;
    if (may_be_thousands(text)) {
        return false;
    }
    if (xp__scan_whole(text, length, most, value)) {
        return true;
    }
    if (!xp__read_real(text, &real) || !(real >= 0 && real < (double)most) || real != floor(real)) {
        return false;
    }
    *value = (uint64_t)real;
    return true;
}

bool xp__read_flag(const char *text, uint64_t *value) {
    const bool truth = xp__scan_same(text, "true");
    *value = truth;
    return truth || xp__scan_same(text, "false");
}

bool xp__is_code(const char *text) {
    if (text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        return true;
    }
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && (text[digits] == 'e' || text[digits] == 'E') && text[digits + 1] != '+' &&
           text[digits + 1] != '-';
}

const char *xp__number_hint(const char *text) {
    const size_t span = strspn(text, "0123456789+-.,' \xc2\xa0\xe2\x80\xaf\x99");
    if (text[strcspn(text, "0123456789")] == '\0') {
        return NULL;
    }
    if (strcmp(text + span, "%") == 0) {
        return "is a percentage; write a plain number";
    }
    if (text[span] != '\0') {
        return NULL;
    }
    if (strchr(text, ',') != NULL) {
        return "has a comma; write numbers with a decimal point and nothing between thousands";
    }
    if (may_be_thousands(text)) {
        return "may have a point between thousands; write 1 or 1000, not 1.000";
    }
    const char *mark = strpbrk(text + strcspn(text, "0123456789"), "' \xc2\xe2");
    return mark != NULL && strpbrk(mark, "0123456789") != NULL
               ? "has a mark between thousands; write 1000, not 1 000"
               : NULL;
}
