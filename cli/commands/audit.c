/* audit.c: experior audit: every decision of a store, computed again. */
#include "service.h"

static int run(const cli_arguments *arguments) {
    return cli_service_run(arguments, NULL);
}

const cli_command cli_command_audit = {
    .name = "audit",
    .order = 23,
    .summary = "recompute every decision in a service's store",
    .description =
        "A decision is a function of the model, the rewards seen by then, the experiment's seed "
        "and the decision's number. This recomputes all decisions, compares their actions and "
        "probabilities bit for bit, and compares the stored counts with the rewards. The exit "
        "status is 1 if anything differs. The service may be running.",
    .options = {{.name = "store",
                 .kind = CLI_TEXT,
                 .value = "PLACE",
                 .required = true,
                 .summary = "the store of the service"}},
    .examples = {{"experior audit --store decisions.db", "the last line counts what differs"}},
    .run = run,
};
