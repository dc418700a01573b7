/* choices.c: see choices.h. */
#include "choices/choices.h"

#include "model.h"
#include "output.h"
#include "progress.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    char delimiter;
} delimiters[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'},
                  {"bar", '|'},   {"pipe", '|'},      {"space", ' '}};
enum { DELIMITERS = sizeof delimiters / sizeof delimiters[0] };

/* The delimiter that was typed; false after a complaint. */
static bool read_delimiter(const char *text, char *delimiter) {
    *delimiter = '\0';
    if (text == NULL) {
        return true;
    }
    for (size_t i = 0; i < DELIMITERS; i++) {
        if (strcmp(text, delimiters[i].name) == 0) {
            *delimiter = delimiters[i].delimiter;
            return true;
        }
    }
    if (strlen(text) != 1) {
        cli_complain("--delimiter = '%s' is neither one character nor comma, semicolon, tab, bar "
                     "or space",
                     text);
        return false;
    }
    *delimiter = text[0];
    return true;
}

static const char *delimiter_name(char delimiter, char buffer[2]) {
    for (size_t i = 0; i < DELIMITERS; i++) {
        if (delimiters[i].delimiter == delimiter) {
            return delimiters[i].name;
        }
    }
    buffer[0] = delimiter;
    buffer[1] = '\0';
    return buffer;
}

/* An option that not every command with tables has. */
static const char *optional(const cli_arguments *arguments, const char *name) {
    return cli_is_option(arguments->command, name) ? cli_text(arguments, name) : NULL;
}

bool cli_choices_options_given(const cli_arguments *arguments) {
    static const char *const names[] = {"action",    "by",        "expert", "weight", "count",
                                        "delimiter", "no-header", "exact",  "missing"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (cli_is_option(arguments->command, names[i]) && cli_was_given(arguments, names[i])) {
            return true;
        }
    }
    return false;
}

int cli_choices_load(const cli_arguments *arguments, xp_choices **choices,
                     xp_demos **trajectories) {
    xp_choices_options options = xp_choices_options_default();
    cli_progress progress = cli_progress_start("reading");
    xp_error error;
    options.action = cli_text(arguments, "action");
    options.segment = optional(arguments, "by");
    options.expert = optional(arguments, "expert");
    options.weight = optional(arguments, "weight");
    options.count = optional(arguments, "count");
    options.missing = optional(arguments, "missing");
    options.no_header = cli_flag(arguments, "no-header");
    options.exact = cli_flag(arguments, "exact");
    options.arms = cli_is_option(arguments->command, "arms") && cli_was_given(arguments, "arms")
                       ? cli_integer(arguments, "arms")
                       : 0;
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    *choices = NULL;
    *trajectories = NULL;
    if (!read_delimiter(cli_text(arguments, "delimiter"), &options.delimiter)) {
        return CLI_BAD;
    }
    const xp_status status =
        xp_choices_load(cli_positional_text(arguments, 0), &options, choices, trajectories, &error);
    cli_progress_end(&progress);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; nothing was written: run the command again");
        return CLI_NO;
    }
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

int cli_choices_demos(const cli_arguments *arguments, xp_choices **choices, xp_demos **demos) {
    xp_error error;
    int code = cli_choices_load(arguments, choices, demos);
    if (code == CLI_DONE && *choices != NULL) {
        code = xp_choices_demos(*choices, XP_ALL_SEGMENTS, demos, &error) == XP_OK
                   ? CLI_DONE
                   : cli_failed_on(cli_positional_text(arguments, 0), &error);
    } else if (code == CLI_DONE && cli_is_option(arguments->command, "by") &&
               cli_text(arguments, "by") != NULL) {
        cli_complain("--by is for tables of choices; '%s' has trajectories",
                     cli_positional_text(arguments, 0));
        code = CLI_BAD;
    } else if (code == CLI_DONE && cli_is_option(arguments->command, "arms") &&
               cli_was_given(arguments, "arms") &&
               xp_demos_declare_actions(*demos, cli_integer(arguments, "arms"), &error) != XP_OK) {
        code = cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    if (code != CLI_DONE) {
        xp_choices_destroy(*choices);
        xp_demos_destroy(*demos);
        *choices = NULL;
        *demos = NULL;
    }
    return code;
}

static void print_source(const xp_choices_info *info) {
    char buffer[2];
    (void)printf("%-16s %llu row%s, %s", "table", (unsigned long long)info->rows,
                 info->rows == 1 ? "" : "s", info->format);
    if (strcmp(info->format, "text") == 0) {
        if (info->delimiter != '\0') {
            (void)printf(", %s-separated", delimiter_name(info->delimiter, buffer));
        } else {
            (void)printf(", one column");
        }
        (void)printf(info->header ? ", with a header" : ", no header");
    }
    if (strcmp(info->encoding, "UTF-8") != 0) {
        (void)printf(", %s", info->encoding);
    }
    if (info->compression != NULL) {
        (void)printf(", %s", info->compression);
    }
    if (info->comments > 0) {
        (void)printf(", %zu comment line%s", info->comments, info->comments == 1 ? "" : "s");
    }
    (void)printf("\n");
}

/* "treatment (action), age (segment); ignored: id, date" */
static void print_columns(const xp_choices *choices, size_t columns) {
    enum { LISTED = 20 };
    size_t ignored = 0;
    (void)printf("%-16s ", "columns");
    for (size_t i = 0, used = 0; i < columns; i++) {
        char shown[CLI_LABEL_SHOWN];
        const char *role = xp_choices_role(choices, i);
        if (role != NULL) {
            (void)printf("%s%s (%s)", used++ > 0 ? ", " : "",
                         cli_label_shown(xp_choices_column(choices, i), shown), role);
        }
    }
    for (size_t i = 0; i < columns; i++) {
        char shown[CLI_LABEL_SHOWN];
        const char *name = xp_choices_column(choices, i);
        if (xp_choices_role(choices, i) == NULL && ignored++ < LISTED) {
            (void)printf("%s%s", ignored == 1 ? "; ignored: " : ", ",
                         name[0] != '\0' ? cli_label_shown(name, shown) : "(no name)");
        }
    }
    if (ignored > LISTED) {
        (void)printf(" and %zu more", ignored - LISTED);
    }
    (void)printf("\n");
}

static void print_dropped(const xp_choices *choices, uint64_t dropped) {
    uint64_t rows;
    const char *reason;
    (void)printf("%-16s %llu row%s", "dropped", (unsigned long long)dropped,
                 dropped == 1 ? "" : "s");
    for (size_t i = 0; (reason = xp_choices_dropped(choices, i, &rows)) != NULL; i++) {
        (void)printf("%s%s in %llu", i == 0 ? ": " : ", ", reason, (unsigned long long)rows);
    }
    (void)printf("\n");
}

static const char *arm_label(const xp_choices *choices, size_t arm, char shown[CLI_LABEL_SHOWN]) {
    const char *name = xp_choices_arm_name(choices, arm);
    if (name == NULL) {
        (void)snprintf(shown, CLI_LABEL_SHOWN, "%zu", arm);
        return shown;
    }
    return cli_label_shown(name, shown);
}

static void print_arms(const xp_choices *choices) {
    enum { LISTED = 20 };
    const size_t arms = xp_choices_arms(choices);
    (void)printf("%-16s ", "arms");
    for (size_t arm = 0; arm < arms && arm < LISTED; arm++) {
        char shown[CLI_LABEL_SHOWN];
        (void)printf("%s%s: %llu", arm > 0 ? ", " : "", arm_label(choices, arm, shown),
                     (unsigned long long)xp_choices_count(choices, XP_ALL_SEGMENTS, arm));
    }
    if (arms > LISTED) {
        (void)printf(" and %zu more", arms - LISTED);
    }
    (void)printf("\n");
}

static void print_experts(const xp_choices *choices) {
    enum { LISTED = 5 };
    const xp_agreement experts = xp_choices_agreement(choices);
    char p[32], correlation[32], effect[32];
    if (experts.experts == 0) {
        return;
    }
    (void)printf("%-16s %zu, %s (p = %s); correlation of an expert's choices %s, design effect "
                 "%s\n",
                 "experts", experts.experts,
                 experts.p_value < 0.01 ? "who do not choose alike" : "who may choose alike",
                 cli_number(p, experts.p_value), cli_number(correlation, experts.correlation),
                 cli_number(effect, experts.design_effect));
    for (size_t i = 0; i < experts.differing && i < LISTED; i++) {
        const xp_choices_expert one = xp_choices_differing(choices, i);
        char name[CLI_LABEL_SHOWN], arm[CLI_LABEL_SHOWN];
        (void)printf("%-16s %s prefers %s (%llu choices, p = %s)\n", i == 0 ? "who differ" : "",
                     cli_label_shown(one.name, name), arm_label(choices, one.arm, arm),
                     (unsigned long long)one.choices, cli_number(p, one.p_value));
    }
    if (experts.differing > LISTED) {
        (void)printf("%-16s and %zu more\n", "", experts.differing - LISTED);
    }
}

void cli_choices_print(const xp_choices *choices) {
    const xp_choices_info info = xp_choices_describe(choices);
    print_source(&info);
    print_columns(choices, info.columns);
    if (info.dropped > 0) {
        print_dropped(choices, info.dropped);
    }
    print_arms(choices);
    print_experts(choices);
    if (info.effective != (double)info.choices) {
        char effective[32];
        (void)printf("%-16s %llu, worth %s independent ones\n", "choices",
                     (unsigned long long)info.choices, cli_number(effective, info.effective));
    }
}

static void json_experts(cli_json *json, const xp_choices *choices) {
    const xp_agreement experts = xp_choices_agreement(choices);
    if (experts.experts == 0) {
        return;
    }
    cli_json_object(json, "experts");
    cli_json_integer(json, "count", experts.experts);
    cli_json_number(json, "statistic", experts.statistic);
    cli_json_number(json, "p_value", experts.p_value);
    cli_json_number(json, "correlation", experts.correlation);
    cli_json_number(json, "design_effect", experts.design_effect);
    cli_json_integer(json, "differing", experts.differing);
    cli_json_array(json, "who_differ");
    for (size_t i = 0; xp_choices_differing(choices, i).name != NULL; i++) {
        const xp_choices_expert one = xp_choices_differing(choices, i);
        char arm[CLI_LABEL_SHOWN];
        const char *name = xp_choices_arm_name(choices, one.arm);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", one.name);
        cli_json_integer(json, "choices", one.choices);
        cli_json_text(json, "prefers", name != NULL ? name : arm_label(choices, one.arm, arm));
        cli_json_number(json, "p_value", one.p_value);
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_end(json);
}

void cli_choices_json(cli_json *json, const xp_choices *choices) {
    const xp_choices_info info = xp_choices_describe(choices);
    const char delimiter[2] = {info.delimiter, '\0'};
    uint64_t rows;
    const char *reason;
    cli_json_text(json, "format", info.format);
    cli_json_text(json, "encoding", info.encoding);
    cli_json_text(json, "compression", info.compression);
    cli_json_text(json, "delimiter", info.delimiter != '\0' ? delimiter : NULL);
    cli_json_bool(json, "header", info.header);
    cli_json_array(json, "columns");
    for (size_t i = 0; i < info.columns; i++) {
        cli_json_text(json, NULL, xp_choices_column(choices, i));
    }
    cli_json_end(json);
    cli_json_object(json, "used");
    for (size_t i = 0; i < info.columns; i++) {
        if (xp_choices_role(choices, i) != NULL) {
            cli_json_text(json, xp_choices_role(choices, i), xp_choices_column(choices, i));
        }
    }
    cli_json_end(json);
    cli_json_integer(json, "rows", info.rows);
    cli_json_integer(json, "dropped", info.dropped);
    cli_json_object(json, "dropped_because");
    for (size_t i = 0; (reason = xp_choices_dropped(choices, i, &rows)) != NULL; i++) {
        cli_json_integer(json, reason, rows);
    }
    cli_json_end(json);
    cli_json_integer(json, "choices", info.choices);
    cli_json_number(json, "effective_choices", info.effective);
    json_experts(json, choices);
    cli_json_array(json, "arms");
    for (size_t arm = 0; arm < xp_choices_arms(choices); arm++) {
        char shown[CLI_LABEL_SHOWN];
        const char *name = xp_choices_arm_name(choices, arm);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", name != NULL ? name : arm_label(choices, arm, shown));
        cli_json_integer(json, "count", xp_choices_count(choices, XP_ALL_SEGMENTS, arm));
        cli_json_end(json);
    }
    cli_json_end(json);
}
