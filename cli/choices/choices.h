/* choices.h: tables of choices on the command line: the options that say how to read one, reading
 * it, and saying what was understood. */
#ifndef CLI_CHOICES_CHOICES_H
#define CLI_CHOICES_CHOICES_H

#include "json.h"
#include "options.h"

#define CLI_TABLE_ACTION                                                                           \
    {                                                                                              \
        .name = "action", .kind = CLI_TEXT, .value = "COLUMN",                                     \
        .summary = "column of the choices, by its name, or by its number if there is no header "   \
                   "(default 'action'); columns that no option names are ignored"                  \
    }
#define CLI_TABLE_EXPERT                                                                           \
    {                                                                                              \
        .name = "expert", .kind = CLI_TEXT, .value = "COLUMN",                                     \
        .summary = "column that says who chose: several choices by one expert count for less, "    \
                   "and experts who differ from the rest are named"                                \
    }
#define CLI_TABLE_WEIGHT                                                                           \
    {                                                                                              \
        .name = "weight", .kind = CLI_TEXT, .value = "COLUMN",                                     \
        .summary = "column of weights; 'none' ignores a column that looks like one"                \
    }
#define CLI_TABLE_COUNT                                                                            \
    {                                                                                              \
        .name = "count", .kind = CLI_TEXT, .value = "COLUMN",                                      \
        .summary = "column that says how often each row occurred; 'none' ignores a column that "   \
                   "looks like one"                                                                \
    }
#define CLI_TABLE_DELIMITER                                                                        \
    {                                                                                              \
        .name = "delimiter", .kind = CLI_TEXT, .value = "CHARACTER",                               \
        .summary = "what separates columns, as one character or as comma, semicolon, tab, bar or " \
                   "space; detected if not given"                                                  \
    }
#define CLI_TABLE_NO_HEADER                                                                        \
    { .name = "no-header", .kind = CLI_FLAG, .summary = "the first line of the table is data" }
#define CLI_TABLE_EXACT                                                                            \
    {                                                                                              \
        .name = "exact", .kind = CLI_FLAG,                                                         \
        .summary = "labels that differ only in case, blanks, hyphens, accents or zeros are "       \
                   "different"                                                                     \
    }
#define CLI_TABLE_MISSING                                                                          \
    {                                                                                              \
        .name = "missing", .kind = CLI_TEXT, .value = "WORDS",                                     \
        .summary = "what stands for a missing value, with commas between words; '' for empty "     \
                   "cells only (default NA, NaN, None, null and the like)"                         \
    }

/* Whether any of these options was typed. */
bool cli_choices_options_given(const cli_arguments *arguments);

/* Reads the first positional as the options say: choices, or trajectories (the other is NULL).
 * Returns CLI_DONE, or another code after a complaint. */
int cli_choices_load(const cli_arguments *arguments, xp_choices **choices, xp_demos **trajectories);

/* The same as demonstrations, whatever the file holds; `*choices` is NULL unless it is a table. */
int cli_choices_demos(const cli_arguments *arguments, xp_choices **choices, xp_demos **demos);

/* What was understood, as lines on standard output; or as fields of the object that is open. */
void cli_choices_print(const xp_choices *choices);
void cli_choices_json(cli_json *json, const xp_choices *choices);

#endif
