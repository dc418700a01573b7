/* help.c: --help, made from the option tables and the library's parameter tables. */
#include "help.h"

#include "output.h"

#include <string.h>

enum { INDENT = 28 };

static void heading(FILE *stream, const char *text, const char *more) {
    (void)fprintf(stream, "\n%s%s%s:%s\n", cli_bold(stream), text, more, cli_plain_style(stream));
}

/* A term in the left column and its explanation in the right one. */
static void entry(FILE *stream, const char *term, const char *summary, const char *range) {
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s%s%s", summary, *range != '\0' ? " (" : "", range,
                   *range != '\0' ? ")" : "");
    (void)fputs(term, stream);
    size_t column = cli_columns(term);
    if (column + 2 > INDENT) {
        (void)fputc('\n', stream);
        column = 0;
    }
    (void)fprintf(stream, "%*s", (int)(INDENT - column), "");
    cli_wrap(stream, INDENT, text);
}

const char *cli_dashed(const char *name, char *buffer, size_t size) {
    cli_copy(buffer, size, name, strlen(name));
    for (char *at = buffer; *at != '\0'; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    return buffer;
}

const char *cli_option_range(const cli_option *option, char *buffer, size_t size) {
    int used = 0;
    buffer[0] = '\0';
    const char *separator = "";
    if (option->standard != NULL) {
        used = snprintf(buffer, size, "default %s", option->standard);
        separator = "; ";
    }
    if (option->kind == CLI_CHOICE) {
        (void)snprintf(buffer + used, size - (size_t)used, "%sone of %s", separator,
                       option->choices);
    } else if (option->low != option->high) {
        (void)snprintf(buffer + used, size - (size_t)used, "%s%.10g to %.10g", separator,
                       option->low, option->high);
    } else if (option->repeatable) {
        (void)snprintf(buffer + used, size - (size_t)used, "%smay be repeated", separator);
    }
    return buffer;
}

void cli_help_usage(FILE *stream, const cli_command *command) {
    for (const cli_positional *at = command->positionals; at->name != NULL; at++) {
        (void)fprintf(stream, at->required ? " %s" : " [%s]", at->name);
    }
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (option->required) {
            (void)fprintf(stream, " --%s %s", option->name, option->value);
        }
    }
    (void)fprintf(stream, " [options]");
}

static void print_options(FILE *stream, const cli_command *command) {
    heading(stream, "Options", "");
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        char term[96], range[160];
        char letter[8] = "    ";
        if (option->letter != 0) {
            (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
        }
        (void)snprintf(term, sizeof term, "  %s--%s%s%s", letter, option->name,
                       option->kind != CLI_FLAG ? " " : "",
                       option->kind != CLI_FLAG ? option->value : "");
        entry(stream, term, option->summary, cli_option_range(option, range, sizeof range));
    }
    entry(stream, "  -h, --help", "print this", "");
}

static void print_parameters(FILE *stream, const cli_command *command) {
    for (const cli_stage_use *use = command->stages; use->stage != NULL; use++) {
        for (size_t type = 0; type < cli_stage_count(use->stage); type++) {
            const xp_catalogue_entry listed = cli_stage_at(use->stage, type);
            if (listed.param_count == 0) {
                continue;
            }
            char title[96];
            (void)snprintf(title, sizeof title, "Parameters with --%s ", use->option);
            heading(stream, title, listed.name);
            for (size_t i = 0; i < listed.param_count; i++) {
                if (cli_is_option(command, listed.params[i].name)) {
                    continue;
                }
                char term[96], dashed[64], range[256];
                (void)snprintf(term, sizeof term, "      --%s %s",
                               cli_dashed(listed.params[i].name, dashed, sizeof dashed),
                               listed.params[i].kind == XP_PARAM_CHOICE ? "WORD" : "NUMBER");
                entry(stream, term, listed.params[i].summary,
                      cli_param_range(&listed.params[i], range, sizeof range));
            }
        }
    }
}

void cli_help_command(FILE *stream, const cli_command *command) {
    (void)fprintf(stream, "%sUsage:%s experior %s", cli_bold(stream), cli_plain_style(stream),
                  command->name);
    cli_help_usage(stream, command);
    (void)fputs("\n\n", stream);
    cli_wrap(stream, 0, command->description);
    if (command->positionals[0].name != NULL) {
        heading(stream, "Arguments", "");
        for (const cli_positional *at = command->positionals; at->name != NULL; at++) {
            char term[64];
            (void)snprintf(term, sizeof term, "  %s", at->name);
            entry(stream, term, at->summary, at->required ? "" : "optional");
        }
    }
    print_options(stream, command);
    print_parameters(stream, command);
    heading(stream, command->examples[1].command != NULL ? "Examples" : "Example", "");
    for (const cli_example *example = command->examples; example->command != NULL; example++) {
        (void)fprintf(stream, "  $ %s\n      ", example->command);
        cli_wrap(stream, 6, example->summary);
    }
}

static bool comes_before(const cli_command *left, const cli_command *right) {
    /* 0, which is last, becomes the largest. */
    const unsigned a = left->order - 1, b = right->order - 1;
    return a != b ? a < b : strcmp(left->name, right->name) < 0;
}

const cli_command *cli_command_at(size_t index) {
    for (size_t i = 0; i < cli_registry_count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < cli_registry_count; j++) {
            before += comes_before(cli_registry[j], cli_registry[i]);
        }
        if (before == index) {
            return cli_registry[i];
        }
    }
    return NULL;
}

void cli_help_overview(FILE *stream) {
    (void)fprintf(stream, "%sUsage:%s experior SUBCOMMAND [options]\n\n", cli_bold(stream),
                  cli_plain_style(stream));
    cli_wrap(stream, 0,
             "ExPerior turns what experts did into a prior over what they knew, and acts on it by "
             "posterior sampling.");
    heading(stream, "Subcommands", "");
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden) {
            char term[64];
            (void)snprintf(term, sizeof term, "  %s", command->name);
            entry(stream, term, command->summary, "");
        }
    }
    heading(stream, "Options", "");
    entry(stream, "      --version", "print the version", "");
    entry(stream, "  -h, --help", "print this; after a subcommand, its own help", "");
    heading(stream, "Example", "");
    (void)fputs("  $ experior demos --arms 5 --count 500 -o demos.csv\n"
                "  $ experior fit demos.csv -o model.json\n"
                "  $ experior decide model.json\n"
                "      experts' choices, the prior they imply, and what to do first\n",
                stream);
    (void)fputs("\nExit status: 0 done; 1 it ran and the answer is no, or it was interrupted;\n2 "
                "bad usage, input or file; 75 a study or sweep was interrupted: the same "
                "command\nresumes it.\n",
                stream);
}
