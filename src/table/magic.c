/* magic.c: kinds of file that are brought by mistake, told by their first bytes. */
#include "table/source.h"

#include "base/text/lines.h"
#include "base/text/scan.h"

#include <string.h>

typedef struct kind {
    const char *magic;
    size_t length;
    const char *sentence;
} kind;

#define KIND(text, sentence)                                                                       \
    { text, sizeof text - 1, sentence }
static const kind kinds[] = {
    KIND("PK\x03\x04", "is a zip archive, as Excel's .xlsx and LibreOffice's .ods are, not a text "
                       "table; save the sheet as CSV, or unpack the archive"),
    KIND("PK\x05\x06", "is an empty zip archive, not a text table"),
    KIND("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
         "is an old Office file, such as Excel's .xls, not a text table; save the sheet as CSV"),
    KIND("PAR1", "is Parquet, not a text table; write it as CSV, in pandas with to_csv"),
    KIND("ARROW1", "is Arrow or Feather, not a text table; write it as CSV, in pandas with to_csv"),
    KIND("FEA1", "is Feather, not a text table; write it as CSV, in pandas with to_csv"),
    KIND("Obj\x01", "is Avro, not a text table; write it as CSV"),
    KIND("ORC", "is ORC, not a text table; write it as CSV"),
    KIND("\x89HDF\r\n\x1a\n", "is HDF5, which can be read from a plain file only"),
    KIND("SQLite format 3", "is an SQLite database, not a text table; export the query as CSV"),
    KIND("\x93NUMPY", "is a NumPy array, not a text table; write it with numpy.savetxt"),
    KIND("\x80\x02", "is a Python pickle, not a text table; write it as CSV"),
    KIND("\x80\x03", "is a Python pickle, not a text table; write it as CSV"),
    KIND("\x80\x04", "is a Python pickle, not a text table; write it as CSV"),
    KIND("\x80\x05", "is a Python pickle, not a text table; write it as CSV"),
    KIND("RDX2\n", "is R data, not a text table; write it with write.csv(row.names = FALSE)"),
    KIND("RDX3\n", "is R data, not a text table; write it with write.csv(row.names = FALSE)"),
    KIND("X\n\0\0\0", "is R data, not a text table; write it with write.csv(row.names = FALSE)"),
    KIND("$FL2", "is SPSS data, not a text table; export it as CSV"),
    KIND("<stata_dta>", "is Stata data, not a text table; export it as CSV"),
    KIND("%PDF", "is a PDF document, not a text table"),
    KIND("{\\rtf", "is an RTF document, not a text table; save it as CSV"),
    KIND("\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first: zstd -dc FILE | "
                             "experior fit -"),
    KIND("BZh", "is compressed with bzip2; unpack it first: bzip2 -dc FILE | experior fit -"),
    KIND("\xfd"
         "7zXZ",
         "is compressed with xz; unpack it first: xz -dc FILE | experior fit -"),
    KIND("7z\xbc\xaf", "is a 7z archive, not a text table; unpack it first"),
    KIND("Rar!", "is a RAR archive, not a text table; unpack it first"),
    KIND("\x89PNG", "is a picture, not a text table"),
    KIND("\xff\xd8\xff", "is a picture, not a text table"),
    KIND("GIF8", "is a picture, not a text table"),
    KIND("\x7f"
         "ELF",
         "is a program, not a text table"),
    KIND("\xff\xfe\0\0", "is UTF-32 text; save it as UTF-8"),
    KIND("\0\0\xfe\xff", "is UTF-32 text; save it as UTF-8"),
};

static const char *const tags[] = {"<!doctype", "<html", "<head", "<body",
                                   "<table",    "<?xml", "<svg",  "<!--"};

static bool begins_with_tag(const char *head, size_t bytes) {
    size_t at = bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < bytes &&
           (head[at] == ' ' || head[at] == '\t' || head[at] == '\r' || head[at] == '\n')) {
        at++;
    }
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        char word[16];
        const size_t length = strlen(tags[i]);
        if (bytes - at >= length) {
            memcpy(word, head + at, length);
            word[length] = '\0';
            if (xp__scan_same(word, tags[i])) {
                return true;
            }
        }
    }
    return false;
}

/* UTF-16 without its mark: ASCII letters have a zero byte beside them. */
static bool looks_like_utf16(const char *head, size_t bytes) {
    size_t zeros[2] = {0, 0};
    const size_t pairs = bytes / 2;
    for (size_t i = 0; i < 2 * pairs; i++) {
        zeros[i % 2] += head[i] == '\0';
    }
    return pairs >= 2 && (zeros[0] > pairs / 2) != (zeros[1] > pairs / 2);
}

xp_status xp__magic_check(const char *head, size_t bytes, const char *name, xp_error *error) {
    const xp__lines place = {.name = name};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const kind *one = &kinds[i];
        if (bytes >= one->length && memcmp(head, one->magic, one->length) == 0) {
            return xp__lines_fail_file(&place, error, one->sentence);
        }
    }
    if (begins_with_tag(head, bytes)) {
        return xp__lines_fail_file(&place, error,
                                   "is HTML or XML, not a text table; a download may have given an "
                                   "error page, or save the table as CSV");
    }
    const bool marked =
        bytes >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0);
    if (!marked && looks_like_utf16(head, bytes)) {
        return xp__lines_fail_file(&place, error,
                                   "looks like UTF-16 text without its byte order mark; save it as "
                                   "UTF-8");
    }
    return XP_OK;
}
