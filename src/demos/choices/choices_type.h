/* choices_type.h: what a table of choices holds, and how it is read.
 *
 * Invariants: at least one segment and one arm; names are distinct; the counts of all segments
 * together are at most 2^53; a weight is finite, at least 0, and 0 wherever the count is. */
#ifndef XP_DEMOS_CHOICES_CHOICES_TYPE_H
#define XP_DEMOS_CHOICES_CHOICES_TYPE_H

#include "experior/choices.h"

#include "demos/choices/cells.h"
#include "demos/demos_type.h"
#include "table/table.h"

typedef enum xp__choice_role {
    XP__ROLE_ACTION,
    XP__ROLE_SEGMENT,
    XP__ROLE_EXPERT,
    XP__ROLE_WEIGHT,
    XP__ROLE_COUNT,
    XP__ROLES
} xp__choice_role;

/* Rows are dropped where a role's cell is missing, or as blank lines of a file with one column. */
enum { XP__DROPPED_BLANK = XP__ROLES, XP__DROPPED_REASONS, XP__DIFFERING = 100 };

struct xp_choices {
    size_t segments, arms;
    xp__tokens segment_names, arm_names; /* empty: one segment; arms are numbers */
    uint64_t *count;                     /* segments × arms */
    double *weight;                      /* segments × arms; NULL: the counts */
    double *worth; /* segments, and one for all: effective choices per weight; NULL: 1 */
    xp_choices_info info;
    uint64_t dropped[XP__DROPPED_REASONS];
    char *columns; /* names, each with its final zero */
    size_t *column_at;
    size_t role[XP__ROLES]; /* column of each, or SIZE_MAX */
    xp_agreement agreement;
    xp_drift drift;
    xp__tokens expert_names;
    struct xp__differing {
        uint32_t expert;
        uint64_t choices;
        size_t arm;
        double p_value;
    } differing[XP__DIFFERING];
};

/* A table without choices and names; room for both numbers of each arm of each segment. */
xp_status xp__choices_create(size_t segments, size_t arms, bool weighted, xp_choices **choices,
                             xp_error *error);

/* A column that looks like counts, weights or marks of the chosen rows but was not asked for: if
 * all of it are numbers, not all 1, two readings differ. */
typedef enum xp__watched_kind {
    XP__WATCHED_COUNT,
    XP__WATCHED_WEIGHT,
    XP__WATCHED_MARK
} xp__watched_kind;
typedef struct xp__watched_column {
    size_t column;
    xp__watched_kind kind;
    bool numbers, ones; /* so far */
} xp__watched_column;

/* What is known of a segment while its rows go by. */
typedef struct xp__segment_order {
    uint64_t rows;
    uint64_t changes; /* rows whose action is not the one before */
    uint32_t last;    /* action */
} xp__segment_order;

/* What the first rows say of a column that is not used. */
typedef struct xp__column_look {
    size_t cells, numbers_after; /* that are not missing; numbers below the first row */
    bool first_is_text;          /* the first row's is no number */
    bool whole, rises, constant; /* all so far are whole numbers; rise from row to row; are equal */
    double last;
} xp__column_look;

enum { XP__LOOKS = 64, XP__LOOKED_AT = 1000 };
enum { XP__LABELS_MAX = 4096, XP__ARMS_MAX = 1024, XP__SEGMENTS_MAX = 10000, XP__WATCHED = 8 };

/* A table on its way into an xp_choices. */
typedef struct xp__choices_reader {
    xp_choices_options options;
    xp__table table;
    size_t role[XP__ROLES];
    bool count_seen;          /* a row had one */
    bool header, count_found; /* the column of counts was not asked for */
    bool first_may_be_header; /* a list without a header that is known */
    xp__watched_column watched[XP__WATCHED];
    size_t watched_count;
    xp__column_look looks[XP__LOOKS]; /* of the first columns, by their first rows */
    size_t look_count;
    bool ends_in_total;               /* the last row begins with "Total" */
    bool index_unnamed, index_labels; /* the first column has no name; it holds labels */
    xp__tokens actions, segments, experts;
    bool *missing[3]; /* whether a token of these says that there is no value */
    size_t missing_room[3];
    uint64_t total;           /* choices so far */
    xp__segment_order *order; /* one per label of a segment */
    size_t order_count, order_room;
    xp__choice_cells cells, expert_cells;
    uint64_t dropped[XP__DROPPED_REASONS];
    bool none_missing;    /* a cell said "None" */
    uint32_t last_action; /* label of the last row */
} xp__choices_reader;

/* Finds the columns of all roles, and whether there is a header. */
xp_status xp__choices_find_columns(xp__choices_reader *reader, xp_error *error);
/* Whether two names are the same but for the case of ASCII letters. */
bool xp__choices_same_name(const char *a, const char *b);
/* Whether a name is one of counts, of weights, or of marks of what was chosen, more often than not.
 */
bool xp__choices_counts_name(const char *name);
bool xp__choices_weights_name(const char *name);
bool xp__choices_marks_name(const char *name);
/* Whether the cell says that there is no value, as the options have it. */
bool xp__choices_is_missing(const xp__choices_reader *reader, const char *text, size_t length);
/* Reads all rows. */
xp_status xp__choices_read_rows(xp__choices_reader *reader, xp_error *error);
/* What can only be told once all rows are read: refuses tables with two readings. */
xp_status xp__choices_check(const xp__choices_reader *reader, xp_error *error);
/* The part of it that concerns labels; `counts` has the choices of each. */
xp_status xp__choices_check_labels(const xp__choices_reader *reader, const uint64_t *counts,
                                   xp_error *error);
/* Labels become arms: `map` (one per label of reader->actions) and their names or number. */
xp_status xp__choices_map_arms(const xp__choices_reader *reader, uint32_t *map, xp__tokens *names,
                               size_t *arms, xp_error *error);
/* Whether experts choose alike: fills choices->agreement, ->differing, and `effect`, the design
 * effect of each segment and, last, of the whole table. */
xp_status xp__choices_compare_experts(const xp__choices_reader *reader, const uint32_t *map,
                                      const uint32_t *segment, xp_choices *choices, double *effect,
                                      xp_error *error);
/* Whether choices change along the file: fills choices->drift. */
xp_status xp__choices_find_drift(const xp__choices_reader *reader, const uint32_t *map,
                                 const uint32_t *segment, xp_choices *choices, xp_error *error);

#endif
