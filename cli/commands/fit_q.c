/* fit_q.c: experior fit-q, which says where it went. */
#include "options.h"

const cli_command cli_command_fit_q = {
    .name = "fit-q",
    .order = 4,
    .summary = "now part of fit",
    .description = "Now part of fit.",
    .hidden = true,
    .moved = "fit-q is now part of fit: 'experior fit DEMOS -o MODEL' takes trajectories as "
             "well as choices; networks for other tools are in its model",
};
