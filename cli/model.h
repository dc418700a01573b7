/* model.h: a model file and the agent that acts on it, as the subcommands set them up. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "options.h"

/* Loads the model named by the first positional, and says on standard error where it may act
 * differently here. For a command with the option --segment it is the model of that segment,
 * but for one with --state, where it is all of it.
 * Returns an exit code; prints a sentence unless it is CLI_DONE. */
int cli_model_load(const cli_arguments *arguments, xp_model **model);

/* Puts the model of the segment that --segment names in the place of the model, if there is one and
 * the option was typed; not with --state, which keeps the decisions of all segments. `path` is for
 * messages. Returns an exit code. */
int cli_model_segment(const cli_arguments *arguments, const char *path, xp_model **model);

/* The spec `agent`, with sampler=NAME if --sampler was typed and with every typed parameter that is
 * not one of the type `others` (may be NULL), as text for free(). */
char *cli_agent_spec(const cli_arguments *arguments, const char *agent,
                     const xp_catalogue_entry *others);

/* The agent for choices without states unless one was asked for: the scale of rewards is learned,
 * or known if --mean was typed, and a typed --beta is relative to it. */
const char *cli_choice_agent(const cli_arguments *arguments);

/* An action's name, or its number as text in `buffer`. */
const char *cli_model_label(const xp_model *model, size_t action, char buffer[32]);
/* The same for a line of text: without control characters and at most 40 columns wide. */
enum { CLI_LABEL_SHOWN = 192 };
const char *cli_label_shown(const char *label, char buffer[CLI_LABEL_SHOWN]);

#define CLI_OPTION_HISTORY                                                                         \
    {                                                                                              \
        .name = "history", .kind = CLI_TEXT, .value = "FILE",                                      \
        .summary = "actions and rewards so far (0 or 1, or of the model's family): CSV with "      \
                   "the columns action,reward or "                                                 \
                   "JSONL; - for standard input; without it, nothing is observed yet"              \
    }

#define CLI_OPTION_SAMPLER                                                                         \
    {                                                                                              \
        .name = "sampler", .kind = CLI_TEXT, .value = "NAME", .standard = "auto",                  \
        .summary =                                                                                 \
            "posterior sampler; auto is the fastest one for the prior that is not approximate"     \
    }

#endif
