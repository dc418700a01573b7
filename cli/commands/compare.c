/* compare.c: experior compare: what changed between two directories of finished units. */
#include "json.h"
#include "options.h"
#include "output.h"

static void print_json(const xp_comparison *comparison) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "units_in_both", comparison->both);
    cli_json_integer(&json, "units_only_before", comparison->only_before);
    cli_json_integer(&json, "units_only_after", comparison->only_after);
    cli_json_integer(&json, "units_damaged", comparison->damaged);
    cli_json_array(&json, "rows");
    for (size_t i = 0; i < comparison->count; i++) {
        const xp_store_change *row = &comparison->rows[i];
        cli_json_object(&json, NULL);
        cli_json_text(&json, "setting", row->setting);
        cli_json_text(&json, "agent", row->agent);
        cli_json_text(&json, "measure", row->measure);
        cli_json_integer(&json, "problems", row->problems);
        cli_json_integer(&json, "identical", row->identical);
        cli_json_number(&json, "before", row->before);
        cli_json_number(&json, "after", row->after);
        cli_json_number(&json, "difference", row->difference);
        cli_json_number(&json, "low", row->low);
        cli_json_number(&json, "high", row->high);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_text(const xp_comparison *comparison, bool all) {
    cli_table table =
        cli_table_start("lllrrrr", "setting\tagent\tmeasure\tproblems\tbefore\tafter\tdifference");
    size_t shown = 0, changed = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const xp_store_change *row = &comparison->rows[i];
        changed += row->identical != row->problems;
        if (row->identical == row->problems && !all) {
            continue;
        }
        char a[32], b[32], c[32], d[32], e[32];
        const bool clear = row->low > 0 || row->high < 0;
        cli_table_add(&table, "%s\t%s\t%s\t%zu\t%s\t%s\t%s [%s, %s]%s", row->setting, row->agent,
                      row->measure, row->problems, cli_number(a, row->before),
                      cli_number(b, row->after), cli_number(c, row->difference),
                      cli_number(d, row->low), cli_number(e, row->high), clear ? " *" : "");
        shown++;
    }
    if (shown > 0) {
        cli_table_print(&table);
        (void)printf(
            "difference: after - before, paired by problem, with its 95 %% interval; *: the "
            "interval excludes 0. Intervals are not corrected for the number of rows.\n");
    } else {
        cli_table_free(&table);
    }
    (void)printf("%zu of %zu rows changed; %zu units in both, %zu only before, %zu only after\n",
                 changed, comparison->count, comparison->both, comparison->only_before,
                 comparison->only_after);
}

static int run(const cli_arguments *arguments) {
    xp_comparison *comparison = NULL;
    xp_error error;
    if (xp_comparison_create(cli_positional_text(arguments, 0), cli_positional_text(arguments, 1),
                             &comparison, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const bool any = comparison->both > 0;
    if (cli_flag(arguments, "json")) {
        print_json(comparison);
    } else {
        print_text(comparison, cli_flag(arguments, "all"));
    }
    if (comparison->damaged > 0) {
        cli_complain("%zu damaged units are left out", comparison->damaged);
    }
    xp_comparison_destroy(comparison);
    if (!any) {
        cli_complain("there is nothing to compare: the directories have no unit in common, because "
                     "their settings, agents, scales or seeds differ");
    }
    return any ? CLI_DONE : CLI_NO;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .order = 13,
    .once = true,
    .summary = "what changed between two directories of finished units",
    .description =
        "Pairs the finished units of two directories, whatever version computed them, and "
        "shows for each agent in each setting how its mean changed, with a 95 % interval. "
        "Rows that are the same to the last bit are only counted.",
    .positionals =
        {{.name = "BEFORE", .required = true, .summary = "directory with finished units"},
         {.name = "AFTER", .required = true, .summary = "the directory to compare it with"}},
    .options = {{.name = "all", .kind = CLI_FLAG, .summary = "also show rows that are the same"},
                CLI_OPTION_JSON},
    .examples = {{"experior compare out/v1 out/v2",
                  "did a change of an agent change its results?"}},
    .run = run,
};
