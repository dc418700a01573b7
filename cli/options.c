/* options.c: parsing of a command line against a subcommand's table. */
#include "options.h"

#include "output.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Option names are written with '-', parameter names with '_'; people may type either. */
static bool same_name(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char x = a[i] == '_' ? '-' : a[i], y = b[i] == '_' ? '-' : b[i];
        if (x != y) {
            return false;
        }
    }
    return b[length] == '\0';
}

static const cli_option *find_option(const cli_command *command, const char *name, size_t length) {
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (same_name(name, option->name, length)) {
            return option;
        }
    }
    return NULL;
}

bool cli_is_option(const cli_command *command, const char *name) {
    return find_option(command, name, strlen(name)) != NULL;
}

/* The table entry of a parameter that some type of the command's stages has, or NULL. */
static const xp_param *find_param(const cli_command *command, const char *name, size_t length) {
    for (const cli_stage_use *use = command->stages; use->stage != NULL; use++) {
        for (size_t type = 0; type < cli_stage_count(use->stage); type++) {
            const xp_catalogue_entry entry = cli_stage_at(use->stage, type);
            for (size_t i = 0; i < entry.param_count; i++) {
                if (same_name(name, entry.params[i].name, length)) {
                    return &entry.params[i];
                }
            }
        }
    }
    return NULL;
}

/* Edit distance of two short words; a word longer than the table is far from everything. */
static size_t edit_distance(const char *a, const char *b) {
    enum { LONGEST = 48 };
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) {
        return SIZE_MAX;
    }
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t replaced = diagonal + !same_name(a + i - 1, (char[]){b[j - 1], '\0'}, 1);
            const size_t moved = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < moved ? replaced : moved;
        }
    }
    return row[m];
}

cli_nearest cli_nearest_start(const char *wanted) {
    const size_t length = strlen(wanted);
    return (cli_nearest){.wanted = wanted, .distance = length < 6 ? 3 : length / 2 + 1};
}

void cli_nearest_try(cli_nearest *nearest, const char *candidate) {
    const size_t distance = edit_distance(nearest->wanted, candidate);
    const bool begins = strlen(nearest->wanted) > 1 &&
                        strncmp(candidate, nearest->wanted, strlen(nearest->wanted)) == 0;
    if (distance < nearest->distance || (begins && nearest->best == NULL)) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

static bool unknown_option(const cli_command *command, const char *name) {
    cli_nearest nearest = cli_nearest_start(name);
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        cli_nearest_try(&nearest, option->name);
    }
    for (const cli_stage_use *use = command->stages; use->stage != NULL; use++) {
        for (size_t type = 0; type < cli_stage_count(use->stage); type++) {
            const xp_catalogue_entry entry = cli_stage_at(use->stage, type);
            for (size_t i = 0; i < entry.param_count; i++) {
                cli_nearest_try(&nearest, entry.params[i].name);
            }
        }
    }
    if (nearest.best != NULL) {
        cli_complain("there is no option '--%.80s'; did you mean '--%s'?", name, nearest.best);
    } else {
        cli_complain("there is no option '--%.80s'; '--help' lists them", name);
    }
    return false;
}

static bool parse_integer(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static bool parse_real(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && text[0] != ' ' && !isnan(*value);
}

static bool among(const char *choices, const char *text) {
    const size_t length = strlen(text);
    for (const char *word = choices; *word != '\0'; word += strcspn(word, "|")) {
        word += *word == '|';
        if (strcspn(word, "|") == length && strncmp(word, text, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_value(const cli_option *option, const char *text) {
    if (option->kind == CLI_CHOICE && !among(option->choices, text)) {
        cli_complain("--%s = '%.80s' is not one of %s", option->name, text, option->choices);
        return false;
    }
    if (option->kind != CLI_INTEGER && option->kind != CLI_REAL) {
        return true;
    }
    double value = 0;
    uint64_t whole = 0;
    const bool read =
        option->kind == CLI_INTEGER ? parse_integer(text, &whole) : parse_real(text, &value);
    const bool bounded = option->low != option->high;
    if (!read) {
        char range[64] = "0 to 18446744073709551615";
        if (bounded) {
            (void)snprintf(range, sizeof range, "%.10g to %.10g", option->low, option->high);
        }
        cli_complain("--%s = '%.80s' is not a %s%s", option->name, text,
                     option->kind == CLI_INTEGER ? "whole number from " : "number",
                     option->kind == CLI_INTEGER ? range : "");
        return false;
    }
    value = option->kind == CLI_INTEGER ? (double)whole : value;
    if (bounded && !(value >= option->low && value <= option->high)) {
        cli_complain("--%s = %.80s is outside [%.10g, %.10g]", option->name, text, option->low,
                     option->high);
        return false;
    }
    return true;
}

static bool add(cli_arguments *arguments, const cli_option *option, const char *name,
                const char *value) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const bool repeatable = option != NULL && option->repeatable;
        if (!repeatable && strcmp(arguments->given[i].name, name) == 0) {
            cli_complain("--%s is given twice", name);
            return false;
        }
    }
    if (option != NULL && option->kind != CLI_FLAG && !check_value(option, value)) {
        return false;
    }
    arguments->given[arguments->given_count++] = (cli_given){option, name, value};
    return true;
}

/* One option at words[*index]; moves *index over a value that is a word of its own. */
static bool parse_option(cli_arguments *arguments, int count, char *const *words, int *index) {
    const cli_command *command = arguments->command;
    const char *word = words[*index];
    const cli_option *option = NULL;
    const char *name, *value = NULL;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
        option = find_option(command, word + 2, length);
        const xp_param *param = option == NULL ? find_param(command, word + 2, length) : NULL;
        if (option == NULL && param == NULL) {
            char bare[64];
            cli_copy(bare, sizeof bare, word + 2, length);
            return unknown_option(command, bare);
        }
        name = option != NULL ? option->name : param->name;
    } else {
        for (option = command->options; option->name != NULL && option->letter != word[1];) {
            option++;
        }
        if (option->name == NULL) {
            cli_complain("there is no option '%.80s'; '--help' lists them", word);
            return false;
        }
        value = word[2] != '\0' ? word + 2 : NULL;
        name = option->name;
    }
    if (option != NULL && option->kind == CLI_FLAG) {
        if (value != NULL) {
            cli_complain("--%s takes no value", name);
            return false;
        }
        return add(arguments, option, name, "");
    }
    if (value == NULL && *index + 1 < count &&
        !(strncmp(words[*index + 1], "--", 2) == 0)) { /* "-1" and "-" are values */
        value = words[++*index];
    }
    if (value == NULL || *value == '\0') {
        cli_complain("--%s needs a value", name);
        return false;
    }
    return add(arguments, option, name, value);
}

static bool check_complete(const cli_arguments *arguments) {
    const cli_command *command = arguments->command;
    for (size_t i = 0; command->positionals[i].name != NULL; i++) {
        if (command->positionals[i].required && i >= arguments->positional_count) {
            cli_complain("%s is missing: %s", command->positionals[i].name,
                         command->positionals[i].summary);
            return false;
        }
    }
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (option->required && !cli_was_given(arguments, option->name)) {
            cli_complain("--%s is missing: %s", option->name, option->summary);
            return false;
        }
    }
    return true;
}

bool cli_arguments_parse(cli_arguments *arguments, const cli_command *command, int count,
                         char *const *words) {
    *arguments = (cli_arguments){.command = command};
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            arguments->help = true;
            return true;
        }
    }
    size_t places = 0;
    while (command->positionals[places].name != NULL) {
        places++;
    }
    arguments->given = cli_alloc((size_t)count + 1, sizeof *arguments->given);
    bool only_positionals = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!only_positionals && strcmp(word, "--") == 0) {
            only_positionals = true;
        } else if (!only_positionals && word[0] == '-' && word[1] != '\0') {
            if (!parse_option(arguments, count, words, &i)) {
                return false;
            }
        } else if (arguments->positional_count == places) {
            cli_complain("'%.80s' is one argument too many", word);
            return false;
        } else {
            arguments->positional[arguments->positional_count++] = word;
        }
    }
    return check_complete(arguments);
}

void cli_arguments_deinit(cli_arguments *arguments) {
    free(arguments->given);
    *arguments = (cli_arguments){.given = NULL};
}

bool cli_was_given(const cli_arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_flag(const cli_arguments *arguments, const char *name) {
    return cli_was_given(arguments, name);
}

size_t cli_values(const cli_arguments *arguments, const char *name, const char **values) {
    const cli_option *option = find_option(arguments->command, name, strlen(name));
    assert(option != NULL);
    size_t count = 0;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option == option) {
            values[count++] = arguments->given[i].value;
        }
    }
    if (count == 0 && option->standard != NULL) {
        values[count++] = option->standard;
    }
    return count;
}

const char *cli_text(const cli_arguments *arguments, const char *name) {
    const cli_option *option = find_option(arguments->command, name, strlen(name));
    assert(option != NULL);
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option == option) {
            return arguments->given[i].value;
        }
    }
    return option->standard;
}

uint64_t cli_integer(const cli_arguments *arguments, const char *name) {
    uint64_t value = 0;
    const char *text = cli_text(arguments, name);
    if (text != NULL) {
        (void)parse_integer(text, &value);
    }
    return value;
}

double cli_real(const cli_arguments *arguments, const char *name) {
    double value = NAN;
    const char *text = cli_text(arguments, name);
    if (text != NULL) {
        (void)parse_real(text, &value);
    }
    return value;
}

const char *cli_positional_text(const cli_arguments *arguments, size_t index) {
    return index < arguments->positional_count ? arguments->positional[index] : NULL;
}

/* Says which types of the command's stages do have the parameter. */
static bool misplaced(const cli_arguments *arguments, const char *name, const char *const *types) {
    for (size_t s = 0; arguments->command->stages[s].stage != NULL; s++) {
        const cli_stage *stage = arguments->command->stages[s].stage;
        for (size_t type = 0; type < cli_stage_count(stage); type++) {
            const xp_catalogue_entry entry = cli_stage_at(stage, type);
            if (cli_has_param(&entry, name)) {
                cli_complain("--%s is a parameter of the %s '%s', not of '%s'", name,
                             stage->singular, entry.name, types[s]);
                return false;
            }
        }
    }
    return false;
}

/* The first of the types that has the parameter, or `count`. */
static size_t owner(const xp_catalogue_entry *types, size_t count, const char *name) {
    size_t i = 0;
    while (i < count && !cli_has_param(&types[i], name)) {
        i++;
    }
    return i;
}

/* The spec of one of several types: "name:key=value,…" of what was typed for it. */
static char *write_spec(const cli_arguments *arguments, const xp_catalogue_entry *types,
                        size_t which) {
    size_t room = strlen(types[which].name) + 1;
    for (size_t i = 0; i < arguments->given_count; i++) {
        room += strlen(arguments->given[i].name) + strlen(arguments->given[i].value) + 2;
    }
    char *spec = cli_alloc(room, 1);
    size_t used = (size_t)snprintf(spec, room, "%s", types[which].name);
    const char *mark = ":";
    for (size_t i = 0; i < arguments->given_count; i++) {
        const cli_given *given = &arguments->given[i];
        if (given->option == NULL && owner(types, which + 1, given->name) == which) {
            used += (size_t)snprintf(spec + used, room - used, "%s%s=%s", mark, given->name,
                                     given->value);
            mark = ",";
        }
    }
    return spec;
}

char *cli_spec(const cli_arguments *arguments, const xp_catalogue_entry *type) {
    return write_spec(arguments, type, 0);
}

bool cli_specs(const cli_arguments *arguments, const char *const *types, char **specs) {
    const cli_stage_use *uses = arguments->command->stages;
    xp_catalogue_entry chosen[CLI_STAGE_MAX];
    size_t stages = 0;
    for (; uses[stages].stage != NULL; stages++) {
        specs[stages] = NULL;
        if (!cli_stage_find(uses[stages].stage, types[stages], &chosen[stages])) {
            return false;
        }
    }
    bool good = true;
    for (size_t i = 0; good && i < arguments->given_count; i++) {
        const cli_given *given = &arguments->given[i];
        if (given->option == NULL && owner(chosen, stages, given->name) == stages) {
            good = misplaced(arguments, given->name, types);
        } else if (given->option == NULL && strchr(given->value, ',') != NULL) {
            cli_complain("--%s = '%.80s' is not one value", given->name, given->value);
            good = false;
        }
    }
    for (size_t s = 0; good && s < stages; s++) {
        xp_error error;
        specs[s] = write_spec(arguments, chosen, s);
        if (xp_catalogue_check(uses[s].stage->kind, specs[s], &error) != XP_OK) {
            (void)cli_failed(&error);
            good = false;
        }
    }
    for (size_t s = 0; !good && s < stages; s++) {
        free(specs[s]);
        specs[s] = NULL;
    }
    return good;
}
