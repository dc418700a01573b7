/* state.h: decisions kept in a file (experior/decisions.h), as the subcommands set them up. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "options.h"

#define CLI_OPTION_STATE                                                                           \
    {                                                                                              \
        .name = "state", .kind = CLI_TEXT, .value = "FILE",                                        \
        .summary = "file that keeps what was learned and which decisions wait for their reward; "  \
                   "the first --draw creates it; FILE.lock beside it is never removed"             \
    }

/* Opens --state. Returns an exit code; prints a sentence unless it is CLI_DONE. */
int cli_state_open(const cli_arguments *arguments, const xp_model *model,
                   const xp_decisions_options *options, xp_decisions **state);
/* Seconds since 1970. */
double cli_now(void);
/* A fresh seed of 53 bits, which every reader of JSON takes without rounding; false, with a
 * sentence, if the system has no random numbers. */
bool cli_fresh_seed(uint64_t *seed);
/* A file, or standard input for "-", as text for free(). Returns an exit code. */
int cli_read(const char *path, char **text, size_t *bytes);

#endif
