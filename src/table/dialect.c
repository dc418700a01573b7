/* dialect.c: see dialect.h. The sample is split as records.c splits, but only counted. */
#include "table/dialect.h"

#include "base/text/lines.h"
#include "base/text/scan.h"
#include "table/values.h"

#include <string.h>

static const char candidates[] = {',', ';', '\t', '|'};
enum { CANDIDATES = sizeof candidates };

const char *xp__delimiter_name(char delimiter) {
    switch (delimiter) {
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '\t':
        return "tab";
    case '|':
        return "bar";
    case ' ':
        return "space";
    default:
        return delimiter == '\0' ? "none" : "other";
    }
}

typedef struct sample {
    const char *text;
    size_t bytes;
    bool all;
    char end;
} sample;

/* The record that begins at `*at` split at `delimiter`; `*at` goes behind it. Calls `visit` for
 * each field. Returns the number of fields; 0 if the record is blank or not whole. */
typedef void visitor(void *context, size_t index, const char *text, size_t length);
static size_t split(const sample *self, char delimiter, size_t *at, visitor *visit, void *context) {
    size_t fields = 0, from = *at, here = *at;
    bool in_quotes = false, fresh = true, quoted = false;
    for (;; here++) {
        const bool over = here == self->bytes;
        const char byte = over ? self->end : self->text[here];
        if (over && (in_quotes || !self->all)) {
            *at = self->bytes;
            return 0;
        }
        if (in_quotes) {
            in_quotes = byte != '"'; /* a doubled quote closes and opens again */
            fresh = !in_quotes;
            continue;
        }
        if (byte == delimiter || byte == self->end) {
            size_t offset = from, length = here - from;
            length -= length > 0 && byte == self->end && self->text[here - 1] == '\r';
            xp__trim(self->text, &offset, &length);
            if (fields == 0 && length == 0 && byte == self->end) {
                *at = over ? here : here + 1;
                return 0;
            }
            if (quoted && length >= 2 && self->text[offset] == '"') {
                offset++;
                length -= 2;
            }
            if (visit != NULL) {
                visit(context, fields, self->text + offset, length);
            }
            fields++;
            from = here + 1;
            fresh = true;
            quoted = false;
            if (byte == self->end) {
                *at = over ? here : here + 1;
                return fields;
            }
        } else if (byte == '"' && fresh) {
            in_quotes = quoted = true;
        } else if (byte != ' ' && byte != '\t') {
            fresh = false;
        }
    }
}

typedef struct header_match {
    const xp__dialect_wish *wish;
    size_t found;
} header_match;

static void match_name(void *context, size_t index, const char *text, size_t length) {
    header_match *match = context;
    (void)index;
    for (size_t i = 0; i < match->wish->name_count; i++) {
        const char *name = match->wish->names[i];
        size_t same = 0;
        while (same < length && name[same] != '\0' && (name[same] | 32) == (text[same] | 32)) {
            same++;
        }
        match->found += same == length && name[same] == '\0';
    }
}

/* What a delimiter makes of the sample. */
typedef struct reading {
    size_t header; /* fields of the first record */
    bool even;     /* all records have as many */
    bool wanted;   /* the header has all wanted columns */
} reading;

static reading read_with(const sample *self, size_t from, char delimiter,
                         const xp__dialect_wish *wish) {
    reading made = {.even = true};
    header_match match = {.wish = wish};
    for (size_t at = from; at < self->bytes;) {
        const size_t fields =
            split(self, delimiter, &at, made.header == 0 ? match_name : NULL, &match);
        if (fields != 0 && made.header == 0) {
            made.header = fields;
        }
        made.even = made.even && (fields == 0 || fields == made.header);
    }
    made.wanted = wish->name_count > 0 && match.found >= wish->name_count;
    return made;
}

static xp_status choose(const sample *self, size_t from, const xp__dialect_wish *wish,
                        const char *name, xp__dialect *dialect, xp_error *error) {
    const xp__lines place = {.name = name};
    reading made[CANDIDATES];
    size_t even = 0, wanted = 0, split_header = 0, best = 0, first = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        made[i] = read_with(self, from, candidates[i], wish);
        const bool several = made[i].header > 1;
        made[i].even = made[i].even && several;
        made[i].wanted = made[i].wanted && several;
        split_header += several;
        if (made[i].wanted) {
            wanted++;
            best = i;
        }
        if (made[i].even) {
            first = even++ == 0 ? i : first;
        }
    }
    if (wanted == 1) {
        dialect->delimiter = candidates[best];
        return XP_OK;
    }
    if (even == 1) {
        dialect->delimiter = candidates[first];
        return XP_OK;
    }
    if (made[0].header == 0 && !self->all) {
        return xp__lines_fail_file(&place, error,
                                   "its first line is too long to find the delimiter; name it with "
                                   "--delimiter");
    }
    if (even == 0 && split_header == 0) {
        dialect->delimiter = '\0';
        return XP_OK;
    }
    return xp__lines_fail_file(
        &place, error,
        even > 1 ? "can be split in several ways; name the delimiter with --delimiter, and the "
                   "column of choices with --action"
                 : "has lines with different numbers of fields, whatever the delimiter; name it "
                   "with --delimiter, or quote fields that hold it");
}

/* Excel's first line: "sep=;". */
static bool is_separator_line(const char *line, size_t length, char *delimiter) {
    size_t offset = 0;
    length -= length > 0 && line[length - 1] == '\r';
    xp__trim(line, &offset, &length);
    line += offset;
    if (length >= 2 && line[0] == '"' && line[length - 1] == '"') {
        line++;
        length -= 2;
    }
    char start[5] = "";
    memcpy(start, line, length >= 4 ? 4 : 0);
    const bool known = xp__scan_same(start, "sep=");
    if (length != 5 || !known) {
        /* A tab behind the sign was trimmed with the blanks. */
        const bool tab = length == 4 && known;
        *delimiter = tab ? '\t' : *delimiter;
        return tab;
    }
    *delimiter = line[4];
    return true;
}

/* The end of lines: LF anywhere outside quotes means LF. */
static char find_end(const char *text, size_t bytes) {
    bool in_quotes = false, returns = false;
    for (size_t i = 0; i < bytes; i++) {
        in_quotes = in_quotes != (text[i] == '"');
        if (text[i] == '\n' && !in_quotes) {
            return '\n';
        }
        returns = returns || (text[i] == '\r' && !in_quotes);
    }
    return returns && memchr(text, '\n', bytes) == NULL ? '\r' : '\n';
}

static size_t line_length(const sample *self, size_t from) {
    size_t at = from;
    while (at < self->bytes && self->text[at] != self->end) {
        at++;
    }
    return at - from;
}

/* Passes over what stands before the table: blank lines, Excel's line, comments. */
static xp_status skip_front(const sample *self, xp__dialect *dialect, const char *name, size_t *at,
                            xp_error *error) {
    uint64_t line = 1;
    for (; *at < self->bytes; line++) {
        const size_t length = line_length(self, *at);
        size_t offset = *at, rest = length;
        rest -= rest > 0 && self->text[offset + rest - 1] == '\r';
        xp__trim(self->text, &offset, &rest);
        const bool comment = rest > 0 && self->text[offset] == '#' &&
                             (rest == 1 || self->text[offset + 1] == ' ' ||
                              self->text[offset + 1] == '\t'); /* "#1" is a label */
        if (rest > 0 && !comment &&
            (dialect->skipped > 0 ||
             !is_separator_line(self->text + *at, length, &dialect->delimiter))) {
            return XP_OK;
        }
        if (comment) {
            for (size_t i = 0; i < rest; i++) {
                if (memchr(candidates, self->text[offset + i], CANDIDATES) != NULL) {
                    const xp__lines place = {.name = name, .line = line};
                    return xp__lines_fail(&place, error,
                                          "begins with '#' and may be a comment or the header; "
                                          "remove the line, or the sign");
                }
            }
        }
        dialect->skipped += rest > 0;
        dialect->comments += comment;
        *at += length < self->bytes - *at ? length + 1 : length;
    }
    return XP_OK;
}

xp_status xp__dialect_find(const char *text, size_t bytes, bool all, const xp__dialect_wish *wish,
                           const char *name, xp__dialect *dialect, xp_error *error) {
    *dialect = (xp__dialect){.format = XP__DELIMITED};
    size_t at = 0;
    while (at < bytes &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) {
        at++;
    }
    if (wish->delimiter == '\0' && at < bytes && (text[at] == '{' || text[at] == '[')) {
        dialect->format = text[at] == '{' ? XP__JSON_LINES : XP__JSON_ARRAY;
        return XP_OK;
    }
    dialect->end = find_end(text, bytes);
    const sample self = {text, bytes, all, dialect->end};
    at = 0;
    const xp_status status = skip_front(&self, dialect, name, &at, error);
    if (status != XP_OK) {
        return status;
    }
    if (wish->delimiter != '\0') {
        dialect->delimiter = wish->delimiter;
        return XP_OK;
    }
    return dialect->delimiter != '\0' ? XP_OK : choose(&self, at, wish, name, dialect, error);
}
