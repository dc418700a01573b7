/* paper.h: the paper's numbers, built into the library from data/paper. */
#ifndef XP_PAPER_PAPER_H
#define XP_PAPER_PAPER_H

#include <stddef.h>

/* A CSV file as lines; the first names the columns. No cell is quoted. */
typedef struct xp__paper_file {
    const char *name; /* "table2_priors" */
    const char *const *lines;
    size_t count;
} xp__paper_file;

extern const xp__paper_file xp__paper_files[];
extern const size_t xp__paper_file_count;

/* A condition on a line: the cell in `column` reads `text`. */
typedef struct xp__paper_where {
    const char *column, *text;
} xp__paper_where;

/* Number of lines below the heading. The name must be one of the files. */
size_t xp__paper_lines(const char *file);
/* Whether the cell of a line (from 0, heading not counted) reads `text`. */
int xp__paper_is(const char *file, size_t line, const char *column, const char *text);
/* The number in a cell; NAN if it is empty. */
double xp__paper_number(const char *file, size_t line, const char *column);
/* The number in `column` of the first line that meets all conditions (as many as come before one
 * whose column is NULL); NAN if there is none. */
double xp__paper_find(const char *file, const char *column, const xp__paper_where *where);

#endif
