/* options.h: the command line as data.
 *
 * A subcommand is one const table: its positionals, its options, the stages whose parameter tables
 * become options as well (`--arms`, `--beta`), and worked examples. Parsing, `--help` and the
 * manual page all read the same table, so that they cannot disagree. Values are checked for kind
 * and range while parsing; getters therefore cannot fail. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "stages.h"

enum { CLI_OPTION_MAX = 24, CLI_STAGE_MAX = 3, CLI_POSITIONAL_MAX = 2, CLI_EXAMPLE_MAX = 6 };

/* How a program run ends. */
enum { CLI_DONE = 0, CLI_NO = 1, CLI_BAD = 2 };
/* Interrupted, and the same command goes on from there: EX_TEMPFAIL of sysexits.h, so that a script
 * can tell it from an answer. */
enum { CLI_AGAIN = 75 };

typedef enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_CHOICE, CLI_INTEGER, CLI_REAL } cli_kind;

typedef struct cli_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    cli_kind kind;
    const char *value;    /* what stands for the value in the help: "FILE" */
    const char *standard; /* default, as it would be typed; NULL: none */
    const char *choices;  /* CLI_CHOICE: "csv|jsonl" */
    double low, high;     /* numbers: allowed range, ends included; unchecked if low == high */
    bool repeatable, required;
    const char *summary;
} cli_option;

typedef struct cli_positional {
    const char *name; /* "DEMOS"; NULL ends a table */
    bool required;
    const char *summary;
} cli_positional;

typedef struct cli_example {
    const char *command; /* NULL ends a table */
    const char *summary;
} cli_example;

/* A stage whose types' parameters are options; `option` names the option that picks the type. */
typedef struct cli_stage_use {
    const cli_stage *stage;
    const char *option;
} cli_stage_use;

typedef struct cli_arguments cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *summary;     /* a few words for the list of subcommands */
    const char *description; /* a sentence or two */
    unsigned order;          /* its place in the help, from 1; 0: after those, by name */
    bool together;           /* may be run by several processes at once (cli/peers.h) */
    bool once;               /* of several processes the first does it, for all */
    bool hidden;             /* left out of the list and the manual */
    const char *moved;       /* it is gone: a sentence that says where; NULL: it is here */
    cli_positional positionals[CLI_POSITIONAL_MAX + 1];
    cli_option options[CLI_OPTION_MAX + 1];
    cli_stage_use stages[CLI_STAGE_MAX + 1];
    cli_example examples[CLI_EXAMPLE_MAX + 1];
    int (*run)(const cli_arguments *arguments);
} cli_command;

typedef struct cli_given {
    const cli_option *option; /* NULL: a parameter of a stage */
    const char *name, *value;
} cli_given;

struct cli_arguments {
    const cli_command *command;
    bool help;
    cli_given *given; /* in the order typed */
    size_t given_count;
    const char *positional[CLI_POSITIONAL_MAX];
    size_t positional_count;
};

#define CLI_OPTION_JSON                                                                            \
    { .name = "json", .kind = CLI_FLAG, .summary = "print JSON, for programs" }
#define CLI_OPTION_SEED                                                                            \
    {                                                                                              \
        .name = "seed", .kind = CLI_INTEGER, .value = "SEED", .standard = "1",                     \
        .summary = "the same seed gives the same results"                                          \
    }
#define CLI_OPTION_ENV                                                                             \
    {                                                                                              \
        .name = "env", .kind = CLI_TEXT, .value = "NAME", .standard = "bernoulli_bandit",          \
        .summary = "environment; see 'experior list environments'"                                 \
    }
#define CLI_OPTION_EXPERT(who)                                                                     \
    {                                                                                              \
        .name = "expert", .kind = CLI_TEXT, .value = "NAME", .standard = "optimal",                \
        .summary = who "; see 'experior list experts'"                                             \
    }
#define CLI_OPTION_THREADS                                                                         \
    {                                                                                              \
        .name = "threads", .kind = CLI_INTEGER, .value = "N", .standard = "0", .high = 1024,       \
        .summary = "worker threads, 0 for one per core; results do not depend on it"               \
    }

/* All subcommands, as the build found them (cmake/registry.cmake). */
extern const cli_command *const cli_registry[];
extern const size_t cli_registry_count;
/* The subcommand with that place in the order of the help; NULL past the last. */
const cli_command *cli_command_at(size_t index);

/* Parses the arguments after the subcommand's name. On failure prints a sentence and returns false.
 * Free with cli_arguments_deinit. */
bool cli_arguments_parse(cli_arguments *arguments, const cli_command *command, int count,
                         char *const *words);
void cli_arguments_deinit(cli_arguments *arguments);

bool cli_flag(const cli_arguments *arguments, const char *name);
/* True when the option was typed, as against defaulted. */
bool cli_was_given(const cli_arguments *arguments, const char *name);
/* The value typed or the default; NULL if there is neither. */
const char *cli_text(const cli_arguments *arguments, const char *name);
uint64_t cli_integer(const cli_arguments *arguments, const char *name);
double cli_real(const cli_arguments *arguments, const char *name);
/* Values of a repeatable option into `values` (room for given_count + 1): those typed, else the
 * default. Returns their number. */
size_t cli_values(const cli_arguments *arguments, const char *name, const char **values);
/* The positional, or NULL. */
const char *cli_positional_text(const cli_arguments *arguments, size_t index);

/* True when an option of the command has the name: the parameter cannot be typed there. */
bool cli_is_option(const cli_command *command, const char *name);
/* Specs, "name:key=value,…", of the chosen type of each stage of the command, in its order, with
 * the parameters that were typed; the caller frees them. Prints a sentence and returns false if a
 * typed parameter fits none of the chosen types or its value is out of range. */
bool cli_specs(const cli_arguments *arguments, const char *const *types, char **specs);

/* The spec of one type, with the parameters that were typed for it, as text for free(). */
char *cli_spec(const cli_arguments *arguments, const xp_catalogue_entry *type);

/* The nearest of a list of words, for "did you mean"; NULL if none is near. */
typedef struct cli_nearest {
    const char *wanted, *best;
    size_t distance;
} cli_nearest;
cli_nearest cli_nearest_start(const char *wanted);
void cli_nearest_try(cli_nearest *nearest, const char *candidate);

#endif
