/* fit_q.c: experior fit-q: where it went. */
#include "options.h"
#include "output.h"

static int run(const cli_arguments *arguments) {
    (void)arguments;
    cli_complain("fit-q is now part of fit: 'experior fit DEMOS -o MODEL' takes walks through "
                 "states as well as choices; networks for other tools are in its model");
    return CLI_BAD;
}

const cli_command cli_command_fit_q = {
    .name = "fit-q",
    .summary = "now part of fit",
    .description = "Now part of fit.",
    .hidden = true,
    .positionals = {{.name = "DEMOS", .summary = "see 'experior fit'"}},
    .options = {{.name = "output", .letter = 'o', .kind = CLI_TEXT, .value = "FILE"},
                {.name = "method", .kind = CLI_TEXT, .value = "NAME"},
                {.name = "env", .kind = CLI_TEXT, .value = "NAME"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_states_priors, "method"}, {&cli_environments, "env"}},
    .run = run,
};
