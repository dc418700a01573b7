/* choices.h: a table of choices: how often experts chose each arm, in each segment.
 *
 * A choice is a demonstration of one action without states. A table of choices holds counts and
 * names, nothing per row: ten million rows take no more memory than ten. Segments are the parts of
 * the table that differ in one of its columns (the age group, the shop); without such a column
 * there is one segment, whose name is NULL.
 *
 * Two numbers are kept for each arm of each segment. The count is the number of choices: rows, or
 * the sum of a column of counts. The effective count is the number of independent choices that
 * would tell as much: choices of unequal weight, or by a few experts with habits, tell less than as
 * many independent ones. Without weights and experts the two are the same number.
 *
 * A table never changes: any number of threads may read it. */
#ifndef EXPERIOR_CHOICES_H
#define EXPERIOR_CHOICES_H

#include "experior/demos.h"

typedef struct xp_choices xp_choices;

#define XP_ALL_SEGMENTS SIZE_MAX

/* How to read a table. A column is named by its header, or, without one, by its number from 1. */
typedef struct xp_choices_options {
    size_t size;         /* sizeof(xp_choices_options), set by xp_choices_options_default */
    const char *action;  /* column of the choices; NULL: "action" */
    const char *segment; /* column of the segments; NULL: none */
    const char *expert;  /* column of who chose; NULL: none */
    const char *weight;  /* column of weights; NULL: none; "none": one that looks so is ignored */
    const char *count;   /* column of counts; NULL: "count" where nothing else could be meant */
    size_t arms;    /* number of arms, which are the numbers from 0; 0: as the table has them */
    char delimiter; /* 0: found out */
    bool no_header; /* the first line is data */
    bool exact;     /* labels that differ only in case, blanks or the like are different arms */
    xp_progress progress; /* may be NULL; a total of 0: rows were read, of unknown many */
    void *progress_context;
    const char *missing; /* labels for no value, with commas between them, instead of NA, None, ...;
                          * "": empty cells only; NULL: those that docs/data.md names */
} xp_choices_options;

/* Every column as above, nothing else given, no progress. */
XP_API void xp_choices_options_init(xp_choices_options *options, size_t size);
static inline xp_choices_options xp_choices_options_default(void) {
    xp_choices_options options;
    xp_choices_options_init(&options, sizeof options);
    return options;
}

/* Reads a table (docs/data.md has every shape): text with any delimiter, JSON or JSON lines, plain
 * or gzip, UTF-8 or UTF-16; "-" is standard input. It is read right or refused: where two readings
 * would differ, the error says how to choose. A file may hold trajectories instead (demos.h): then
 * `*choices` is NULL and `*trajectories` has them; with `trajectories` NULL they are refused.
 * `options` may be NULL. Fails with XP_ERR_INPUT, at file and line, XP_ERR_FILE, XP_ERR_MEMORY,
 * XP_ERR_INTERRUPTED. */
XP_API xp_status xp_choices_load(const char *path, const xp_choices_options *options,
                                 xp_choices **choices, xp_demos **trajectories, xp_error *error);
/* Reads from memory (`name` stands for the file in messages). */
XP_API xp_status xp_choices_parse(const char *text, size_t bytes, const char *name,
                                  const xp_choices_options *options, xp_choices **choices,
                                  xp_demos **trajectories, xp_error *error);

/* A table from counts that the caller has: counts[segment × arms + arm], at most 2^53 in all.
 * `arm_names` may be NULL: arms are numbers from 0; `segment_names` may be NULL if there is one
 * segment. Names are copied; they must be distinct and not empty. */
XP_API xp_status xp_choices_create(size_t segments, const char *const *segment_names, size_t arms,
                                   const char *const *arm_names, const uint64_t *counts,
                                   xp_choices **choices, xp_error *error);
/* Frees the table and the names that it handed out; NULL is fine. */
XP_API void xp_choices_destroy(xp_choices *choices);

/* Number of arms; 0 for NULL. */
XP_API size_t xp_choices_arms(const xp_choices *choices);
/* Number of segments, 1 where the table has no column of them; 0 for NULL. */
XP_API size_t xp_choices_segments(const xp_choices *choices);
/* Name of an arm, or NULL when arms are plain numbers or there is none such. */
XP_API const char *xp_choices_arm_name(const xp_choices *choices, size_t arm);
/* Name of a segment, or NULL when the table has no column of segments or there is none such. */
XP_API const char *xp_choices_segment_name(const xp_choices *choices, size_t segment);
/* Choices of an arm in a segment, or in XP_ALL_SEGMENTS; 0 if there is none such. */
XP_API uint64_t xp_choices_count(const xp_choices *choices, size_t segment, size_t arm);
/* The effective number of them; 0 if there is none such. Of all segments it is not their sum: one
 * expert may have chosen in several. */
XP_API double xp_choices_effective(const xp_choices *choices, size_t segment, size_t arm);

/* What was understood of a table. Strings belong to the table. */
typedef struct xp_choices_info {
    const char *format;      /* "text", "JSON lines", "JSON array"; NULL: made from counts */
    const char *encoding;    /* "UTF-8", "UTF-16" */
    const char *compression; /* "gzip", or NULL */
    char delimiter;          /* 0: none, there is one column */
    bool header;             /* the first line has names */
    uint64_t rows;           /* of the table, without its header */
    uint64_t dropped;        /* of these, left out */
    uint64_t choices;        /* in all: rows, or the sum of their counts */
    double effective;        /* choices that an estimate may rely on */
    size_t columns;
    size_t comments; /* lines before the header that begin with '#' */
} xp_choices_info;
/* How the table was read; all zero for NULL. Strings belong to the table. */
XP_API xp_choices_info xp_choices_describe(const xp_choices *choices);
/* Name of a column; NULL if there is none such. */
XP_API const char *xp_choices_column(const xp_choices *choices, size_t column);
/* What a column is used for: "action", "segment", "expert", "weight", "count"; NULL: nothing. */
XP_API const char *xp_choices_role(const xp_choices *choices, size_t column);
/* The index-th reason for which rows were dropped, in words, and how many; NULL after the last. */
XP_API const char *xp_choices_dropped(const xp_choices *choices, size_t index, uint64_t *rows);

/* Whether the experts choose alike (docs/data.md says how it is computed). NAN and 0 without
 * experts. */
typedef struct xp_agreement {
    size_t experts;
    double statistic;     /* Pearson's, of experts against arms, summed over segments */
    double p_value;       /* that experts who choose alike would differ as much */
    double correlation;   /* of two choices by one expert, 0 to 1 */
    double design_effect; /* of the whole table: choices per effective choice, from experts alone */
    size_t differing;     /* experts who by themselves differ from the others (p < 0.01) */
} xp_agreement;
/* Compares the experts of a table. */
XP_API xp_agreement xp_choices_agreement(const xp_choices *choices);

/* An expert who differs, those with the clearest difference first. */
typedef struct xp_choices_expert {
    const char *name;
    uint64_t choices;
    size_t arm;     /* chosen more often than by the others */
    double p_value; /* corrected for the number of experts */
} xp_choices_expert;
/* One of the first 100; all zero if there is none such. */
XP_API xp_choices_expert xp_choices_differing(const xp_choices *choices, size_t index);

/* Whether choices change along the file: the places of an arm's rows among those of its segment
 * (Kruskal and Wallis), corrected for rows that repeat the choice before them, so that a sorted
 * file is not taken for one that drifts. NAN where rows have no order: counts, or one arm. */
typedef struct xp_drift {
    double statistic, degrees; /* chi-square with so many degrees if nothing changes */
    double p_value;
    double stickiness; /* share of rows that repeat the one before beyond chance: 1 if sorted */
    size_t arm;        /* that moves most clearly */
    double position;   /* mean place of its rows: 0 first, 1 last, 0.5 if nothing changes */
} xp_drift;
/* Compares the places of arms in a table. */
XP_API xp_drift xp_choices_drift(const xp_choices *choices);

/* The choices of a segment, or of XP_ALL_SEGMENTS, as demonstrations with all of the table's arms
 * and their names. Effective counts that are not whole are rounded so that their sum is off by at
 * most a half (the largest remainders are rounded up). */
XP_API xp_status xp_choices_demos(const xp_choices *choices, size_t segment, xp_demos **demos,
                                  xp_error *error);

#endif
