/* main.c: the program: finds the subcommand, parses, runs, and makes sure that output arrived. */
#include "help.h"
#include "options.h"
#include "output.h"
#include "peers.h"

#include <string.h>

static const cli_command *find_command(const char *name) {
    cli_nearest nearest = cli_nearest_start(name);
    for (size_t i = 0; i < cli_registry_count; i++) {
        const cli_command *command = cli_registry[i];
        if (strcmp(command->name, name) == 0) {
            return command;
        }
        if (!command->hidden) {
            cli_nearest_try(&nearest, command->name);
        }
    }
    if (nearest.best != NULL) {
        cli_complain("there is no subcommand '%.80s'; did you mean '%s'?", name, nearest.best);
    } else {
        cli_complain("there is no subcommand '%.80s'; 'experior help' lists them", name);
    }
    return NULL;
}

static int help(int count, char *const *words) {
    if (count == 0) {
        cli_help_overview(stdout);
        return CLI_DONE;
    }
    const cli_command *command = find_command(words[0]);
    if (command == NULL) {
        return CLI_BAD;
    }
    cli_help_command(stdout, command);
    return CLI_DONE;
}

static int run(const char *name, int count, char *const *words) {
    const cli_command *command = find_command(name);
    if (command == NULL) {
        return CLI_BAD;
    }
    cli_output_name(command->name);
    if (command->moved != NULL) {
        cli_complain("%s", command->moved);
        return CLI_BAD;
    }
    if (command->once && !cli_peers_first()) {
        return CLI_DONE;
    }
    if (command->together && !cli_peers_start()) {
        return CLI_BAD;
    }
    cli_arguments arguments;
    int code = CLI_BAD;
    if (cli_arguments_parse(&arguments, command, count, words)) {
        if (arguments.help) {
            cli_help_command(stdout, command);
            code = CLI_DONE;
        } else {
            code = command->run(&arguments);
        }
    }
    cli_arguments_deinit(&arguments);
    return code;
}

int main(int count, char **words) {
    cli_output_start();
    if (count < 2) {
        cli_help_overview(stderr);
        return CLI_BAD;
    }
    const char *name = words[1];
    int code = CLI_DONE;
    if (strcmp(name, "--version") == 0) {
        (void)printf("experior %s\n", xp_version());
    } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        code = help(0, NULL);
    } else if (strcmp(name, "help") == 0) {
        code = help(count - 2, words + 2);
    } else if (name[0] == '-') {
        cli_complain("a subcommand comes first, not '%.80s'; 'experior help' lists them", name);
        code = CLI_BAD;
    } else {
        code = run(name, count - 2, words + 2);
    }
    return cli_peers_end(cli_finish(code));
}
