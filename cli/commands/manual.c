/* manual.c: experior manual: the manual page in mdoc, from the same tables as --help. */
#include "help.h"
#include "output.h"

#include <ctype.h>
#include <string.h>

/* Text as roff reads it: backslashes and minus signs escaped, no line that looks like a request. */
static void roff(const char *text) {
    if (*text == '.' || *text == '\'') {
        (void)fputs("\\&", stdout);
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\\') {
            (void)fputs("\\e", stdout);
        } else if (*at == '-') {
            (void)fputs("\\-", stdout);
        } else {
            (void)putchar(*at);
        }
    }
}

/* Running text in lines of moderate length, a new line after a sentence, as mdoc asks for. */
static void paragraph(const char *text) {
    size_t column = 0;
    char word[256];
    while (cli_next_word(&text, word, sizeof word)) {
        const size_t length = strlen(word);
        (void)fputs(column == 0 ? "" : " ", stdout);
        if (column == 0 || strcmp(word, ".") != 0) {
            roff(word);
        }
        column += length + 1;
        const char last = length > 0 ? word[length - 1] : ' ';
        const bool sentence = last == '.' && isupper((unsigned char)text[strspn(text, " ")]);
        if (column > 70 || sentence || *text == '\0') {
            (void)putchar('\n');
            column = 0;
        }
    }
}

static void item(const char *summary, const char *range) {
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s%s%s", summary, *range != '\0' ? " (" : "", range,
                   *range != '\0' ? ")." : ".");
    paragraph(text);
}

/* "Fl -name Ar VALUE" of an option. */
static void print_flag(const char *name, const char *value) {
    char dashed[64];
    (void)fputs("Fl \\-", stdout);
    roff(cli_dashed(name, dashed, sizeof dashed));
    if (value != NULL) {
        (void)printf(" Ar %s", value);
    }
}

static void print_options(const cli_command *command) {
    if (command->positionals[0].name == NULL && command->options[0].name == NULL) {
        return;
    }
    (void)fputs(".Bl -tag -width Ds\n", stdout);
    for (const cli_positional *at = command->positionals; at->name != NULL; at++) {
        (void)printf(".It Ar %s\n", at->name);
        item(at->summary, at->required ? "" : "optional");
    }
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        char range[160];
        (void)fputs(".It ", stdout);
        if (option->letter != 0) {
            (void)printf("Fl %c , ", option->letter);
        }
        print_flag(option->name, option->kind != CLI_FLAG ? option->value : NULL);
        (void)putchar('\n');
        item(option->summary, cli_option_range(option, range, sizeof range));
    }
    (void)fputs(".El\n", stdout);
}

static void print_parameters(const cli_command *command) {
    for (const cli_stage_use *use = command->stages; use->stage != NULL; use++) {
        for (size_t type = 0; type < cli_stage_count(use->stage); type++) {
            const xp_catalogue_entry entry = cli_stage_at(use->stage, type);
            if (entry.param_count == 0) {
                continue;
            }
            (void)printf(".Pp\nWith\n.Fl \\-%s Cm %s :\n.Bl -tag -width Ds\n", use->option,
                         entry.name);
            for (size_t i = 0; i < entry.param_count; i++) {
                const xp_param *param = &entry.params[i];
                if (cli_is_option(command, param->name)) {
                    continue;
                }
                char range[256];
                (void)fputs(".It ", stdout);
                print_flag(param->name, param->kind == XP_PARAM_CHOICE ? "WORD" : "NUMBER");
                (void)putchar('\n');
                item(param->summary, cli_param_range(param, range, sizeof range));
            }
            (void)fputs(".El\n", stdout);
        }
    }
}

static void print_command(const cli_command *command) {
    (void)printf(".Ss %s\n.Nm\n.Cm %s\n", command->name, command->name);
    for (const cli_positional *at = command->positionals; at->name != NULL; at++) {
        (void)printf(at->required ? ".Ar %s\n" : ".Op Ar %s\n", at->name);
    }
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        (void)fputs(option->required ? "." : ".Op ", stdout);
        if (option->letter != 0) {
            (void)printf("Fl %c", option->letter);
            (void)printf(" Ar %s", option->value);
        } else {
            print_flag(option->name, option->kind != CLI_FLAG ? option->value : NULL);
        }
        (void)putchar('\n');
    }
    (void)fputs(".Pp\n", stdout);
    paragraph(command->description);
    print_options(command);
    print_parameters(command);
}

static void print_examples(void) {
    (void)fputs(".Sh EXAMPLES\nEach subcommand at work.\n", stdout);
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        for (const cli_example *at = command->examples; !command->hidden && at->command != NULL;
             at++) {
            char summary[256];
            (void)snprintf(summary, sizeof summary, "%c%s:", toupper((unsigned char)at->summary[0]),
                           at->summary + 1);
            (void)fputs(".Pp\n", stdout);
            paragraph(summary);
            (void)fputs(".Pp\n.Dl $ ", stdout);
            roff(at->command);
            (void)putchar('\n');
        }
    }
}

/* Readers of a table stop at an empty row. */
static bool tables_end(const cli_command *command) {
    return command->positionals[CLI_POSITIONAL_MAX].name == NULL &&
           command->options[CLI_OPTION_MAX].name == NULL &&
           command->stages[CLI_STAGE_MAX].stage == NULL &&
           command->examples[CLI_EXAMPLE_MAX].command == NULL;
}

/* The build makes the manual: a table that is too long never gets past it. */
static int run(const cli_arguments *arguments) {
    (void)arguments;
    for (size_t i = 0; i < cli_registry_count; i++) {
        if (!tables_end(cli_registry[i])) {
            (void)fprintf(stderr, "experior: a table of '%s' is longer than cli/options.h allows\n",
                          cli_registry[i]->name);
            return CLI_BAD;
        }
    }
    (void)fputs(".\\\" Made by `experior manual` from the program's own tables.\n"
                ".Dd $Mdocdate$\n"
                ".Dt EXPERIOR 1\n"
                ".Os\n"
                ".Sh NAME\n"
                ".Nm experior\n"
                ".Nd act well from what experts did\n"
                ".Sh SYNOPSIS\n"
                ".Nm\n.Ar subcommand\n.Op Ar options\n"
                ".Nm\n.Cm help\n.Op Ar subcommand\n"
                ".Nm\n.Fl \\-version\n"
                ".Sh DESCRIPTION\n",
                stdout);
    paragraph("Experts who saw what is hidden from us left demonstrations: states and actions, no "
              "rewards. The program infers the prior over hidden contexts that explains them and "
              "acts on it by posterior sampling. Data goes to standard output and messages to "
              "standard error. Long options are written with a space or an equals sign before the "
              "value.");
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden) {
            print_command(command);
        }
    }
    (void)fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n.It Ev NO_COLOR\n"
                "If set and not empty, nothing is coloured.\n.El\n"
                ".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
                ".It 0\nDone.\n"
                ".It 1\nIt ran and the answer is no, or it was interrupted.\n"
                "A study that was interrupted resumes when the same command is run again.\n"
                ".It 2\nBad usage, bad input, or a file that cannot be read or written.\n.El\n",
                stdout);
    print_examples();
    return CLI_DONE;
}

const cli_command cli_command_manual = {
    .name = "manual",
    .order = 16,
    .summary = "print the manual page",
    .description = "Prints the manual page in mdoc; 'experior manual | man -l -' shows it.",
    .hidden = true,
    .examples = {{"experior manual > experior.1", "the page that is installed"}},
    .run = run,
};
