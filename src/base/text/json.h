/* json.h: JSON glue: fields read with errors that name them, and text that round-trips.
 *
 * Numbers are written in their shortest form that reads back as the same double; infinite and NaN
 * numbers, which JSON lacks, are the strings "inf", "-inf" and "nan". */
#ifndef XP_BASE_TEXT_JSON_H
#define XP_BASE_TEXT_JSON_H

#include "experior/base.h"

#include <jansson.h>

/* New values, or NULL when memory runs out. */
json_t *xp__json_number(double value);
json_t *xp__json_numbers(const double *value, size_t n);

/* A field that must be there; the error names it and says what was found instead. */
xp_status xp__json_read_field(const json_t *object, const char *field, const json_t **value,
                              xp_error *error);
xp_status xp__json_read_number(const json_t *object, const char *field, double *out,
                               xp_error *error);
/* An array of exactly n numbers read into `out`. */
xp_status xp__json_read_numbers(const json_t *object, const char *field, size_t n, double *out,
                                xp_error *error);
/* A whole number in [low, high]. */
xp_status xp__json_read_whole(const json_t *object, const char *field, uint64_t low, uint64_t high,
                              uint64_t *out, xp_error *error);
/* A string; it belongs to the object. */
xp_status xp__json_read_text(const json_t *object, const char *field, const char **out,
                             xp_error *error);
/* The number that a value stands for ("inf" included); false if it stands for none. */
bool xp__json_as_number(const json_t *value, double *out);
/* The fields "format", which must be `format` (or `old`, if it is not NULL), and "version". */
xp_status xp__json_check_format(const json_t *object, const char *format, const char *old,
                                uint64_t version, xp_error *error);
/* The value in a few words, for messages: its text if it is short, else its kind. */
const char *xp__json_describe(const json_t *value, char *buffer, size_t size);

/* An upper bound of the memory that reading a text takes, from its length and the marks in it. */
size_t xp__json_memory(const char *data, size_t bytes);
/* The object whose text is data[0 .. bytes); errors name `name` and the line. A text that would
 * take more than `most` bytes of memory is refused before it is read. Release the object with
 * json_decref. */
xp_status xp__json_parse(const char *data, size_t bytes, const char *name, size_t most,
                         json_t **value, xp_error *error);
/* The same, and `read` makes something of the object; the name goes before its sentence too. */
xp_status xp__json_read(const char *data, size_t bytes, const char *name, size_t most,
                        xp_status (*read)(const json_t *object, void *made, xp_error *error),
                        void *made, xp_error *error);
/* Text of a value, one field a line, ending in a newline; for xp__free. */
xp_status xp__json_text(const json_t *value, char **text, xp_error *error);

#endif
