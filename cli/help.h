/* help.h: the option tables as text for people: --help and the manual page. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

#include <stdio.h>

/* The list of subcommands. */
void cli_help_overview(FILE *stream);
void cli_help_command(FILE *stream, const cli_command *command);
/* The words after the subcommand's name in its usage line: "DEMOS [options]". */
void cli_help_usage(FILE *stream, const cli_command *command);
/* "default 10; 2 to 1024" of an option; "" if there is nothing to say. */
const char *cli_option_range(const cli_option *option, char *buffer, size_t size);
/* An option's parameter name as it is typed: '_' becomes '-'. */
const char *cli_dashed(const char *name, char *buffer, size_t size);

#endif
