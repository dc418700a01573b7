/* token.c: experior token: who may use the service. */
#include "output.h"
#include "service.h"

#include <string.h>

static int run(const cli_arguments *arguments) {
    const char *action = cli_positional_text(arguments, 0);
    const char *id = cli_text(arguments, "id");
    if (strcmp(action, "create") != 0 && strcmp(action, "list") != 0 &&
        strcmp(action, "revoke") != 0) {
        cli_complain("there is no action '%.80s'; it is create, list or revoke", action);
        return CLI_BAD;
    }
    if ((strcmp(action, "revoke") == 0) != (id != NULL)) {
        cli_complain(id != NULL ? "--id goes with revoke only"
                                : "revoke needs --id, the id that 'experior token list' shows");
        return CLI_BAD;
    }
    return cli_service_run(arguments, action);
}

const cli_command cli_command_token = {
    .name = "token",
    .order = 22,
    .summary = "create, list and revoke the tokens of a service",
    .description =
        "A token lets a client use the service: Authorization: Bearer TOKEN. It is shown "
        "once, when it is created; the store keeps only its hash. A running service "
        "notices changes within a second or two.",
    .positionals = {{.name = "ACTION", .required = true, .summary = "create, list or revoke"}},
    .options =
        {{.name = "store",
          .kind = CLI_TEXT,
          .value = "PLACE",
          .required = true,
          .summary = "the store of the service"},
         {.name = "scope",
          .kind = CLI_TEXT,
          .value = "LIST",
          .standard = "decide",
          .summary =
              "with create: what the token may do: read, decide (and send rewards), admin (all)"},
         {.name = "name",
          .kind = CLI_TEXT,
          .value = "NAME",
          .standard = "unnamed",
          .summary = "with create: a name for people"},
         {.name = "id",
          .kind = CLI_TEXT,
          .value = "ID",
          .summary = "with revoke: the id of the token"}},
    .examples = {{"experior token create --store decisions.db --scope admin --name ops",
                  "prints a token that may do everything"},
                 {"experior token revoke --store decisions.db --id 0q2w…",
                  "the service refuses it from now on"}},
    .run = run,
};
