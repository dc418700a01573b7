/* observe.c: experior observe: rewards of decisions that 'experior decide --state FILE --draw'
 * drew.
 *
 * All that is typed or read counts, or, if one of it is refused, nothing. The last line is printed
 * after the file is on the disk. */
#include "json.h"
#include "model.h"
#include "output.h"
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct observation {
    const xp_model *model;
    uint64_t *ids; /* typed with --decision */
    double *rewards;
    size_t count;
    uint64_t *forgotten; /* typed with --forget */
    size_t forget_count;
    char *table; /* of --rewards */
    size_t table_bytes;
    size_t observed, dropped; /* done */
    xp_decision *pending;     /* what is left, for --list */
    xp_decisions_info info;
} observation;

/* --decision and --reward, in pairs as typed. */
static bool read_pairs(const cli_arguments *arguments, observation *self) {
    self->ids = cli_alloc(arguments->given_count + 1, sizeof *self->ids);
    self->rewards = cli_alloc(arguments->given_count + 1, sizeof *self->rewards);
    bool open = false; /* a decision waits for its reward */
    for (size_t i = 0; i < arguments->given_count; i++) {
        const cli_given *given = &arguments->given[i];
        const bool decision = strcmp(given->name, "decision") == 0;
        if (!decision && strcmp(given->name, "reward") != 0) {
            continue;
        }
        if (decision == open) {
            cli_complain(open ? "--decision %.40s comes before the reward of the decision before "
                                "it; type --decision ID --reward R for each"
                              : "--reward %.40s follows no --decision; type --decision ID "
                                "--reward R for each",
                         given->value);
            return false;
        }
        if (decision) {
            self->ids[self->count] = strtoull(given->value, NULL, 10);
        } else {
            self->rewards[self->count++] = strtod(given->value, NULL);
        }
        open = decision;
    }
    if (open) {
        cli_complain("--decision %llu has no --reward", (unsigned long long)self->ids[self->count]);
    }
    return !open;
}

static int read_arguments(const cli_arguments *arguments, observation *self) {
    if (!read_pairs(arguments, self)) {
        return CLI_BAD;
    }
    const char **texts = cli_alloc(arguments->given_count + 1, sizeof *texts);
    self->forget_count = cli_values(arguments, "forget", texts);
    self->forgotten = cli_alloc(self->forget_count + 1, sizeof *self->forgotten);
    for (size_t i = 0; i < self->forget_count; i++) {
        self->forgotten[i] = strtoull(texts[i], NULL, 10);
    }
    free(texts);
    const char *table = cli_text(arguments, "rewards");
    if (self->count == 0 && self->forget_count == 0 && table == NULL &&
        !cli_was_given(arguments, "forget-older-than-hours") && !cli_flag(arguments, "list")) {
        cli_complain("there is nothing to do: give --decision ID --reward R, --rewards FILE, "
                     "--forget ID or --list");
        return CLI_BAD;
    }
    /* Before the state is locked: whoever writes into the pipe may need it. */
    return table != NULL ? cli_read(table, &self->table, &self->table_bytes) : CLI_DONE;
}

static xp_status apply(const cli_arguments *arguments, observation *self, xp_decisions *state,
                       xp_error *error) {
    const char *table = cli_text(arguments, "rewards");
    xp_status status = xp_decisions_observe(state, self->ids, self->rewards, self->count, error);
    size_t from_table = 0;
    if (status == XP_OK && table != NULL) {
        status = xp_decisions_observe_table(state, self->table, self->table_bytes,
                                            strcmp(table, "-") == 0 ? "standard input" : table,
                                            &from_table, error);
    }
    self->observed = self->count + from_table;
    if (status == XP_OK) {
        status = xp_decisions_forget(state, self->forgotten, self->forget_count, error);
    }
    size_t older = 0;
    if (status == XP_OK && cli_was_given(arguments, "forget-older-than-hours")) {
        const double hours = cli_real(arguments, "forget-older-than-hours");
        status = xp_decisions_forget_older(state, cli_now() - 3600 * hours, &older, error);
    }
    self->dropped = self->forget_count + older;
    return status;
}

static int observe(const cli_arguments *arguments, observation *self) {
    const bool list = cli_flag(arguments, "list");
    xp_decisions_options options = xp_decisions_options_default();
    options.create = false;
    options.read_only = self->count == 0 && self->forget_count == 0 && self->table == NULL &&
                        !cli_was_given(arguments, "forget-older-than-hours");
    xp_decisions *state;
    const int code = cli_state_open(arguments, self->model, &options, &state);
    if (code != CLI_DONE) {
        return code;
    }
    xp_error error;
    xp_status status = apply(arguments, self, state, &error);
    if (status == XP_OK && !options.read_only) {
        status = xp_decisions_save(state, &error);
    }
    if (status == XP_OK) {
        self->info = xp_decisions_describe(state);
        self->info.session.agent = NULL; /* it goes with the state */
    }
    if (status == XP_OK && list) {
        self->pending = cli_alloc(self->info.pending + 1, sizeof *self->pending);
        for (size_t i = 0; i < self->info.pending; i++) {
            self->pending[i] = xp_decisions_pending(state, i);
        }
    }
    xp_decisions_close(state);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

static void print_json(const observation *self) {
    char label[32];
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "observed", self->observed);
    cli_json_integer(&json, "forgotten", self->dropped);
    cli_json_integer(&json, "observations", self->info.rewards);
    cli_json_integer(&json, "pending", self->info.pending);
    cli_json_integer(&json, "next_decision_id", self->info.next);
    if (self->pending != NULL) {
        const double now = cli_now();
        cli_json_array(&json, "pending_decisions");
        for (size_t i = 0; i < self->info.pending; i++) {
            const xp_decision *one = &self->pending[i];
            cli_json_object(&json, NULL);
            cli_json_integer(&json, "decision_id", one->id);
            cli_json_text(&json, "action", cli_model_label(self->model, one->action, label));
            cli_json_integer(&json, "action_index", one->action);
            cli_json_number(&json, "probability", one->probability);
            if (one->segment != NULL) {
                cli_json_text(&json, "segment", one->segment);
            }
            cli_json_number(&json, "age_seconds", now - one->time);
            cli_json_end(&json);
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
}

static void print_text(const observation *self, bool list) {
    if (list && self->info.pending > 0) {
        const double now = cli_now();
        char number[32], label[CLI_LABEL_SHOWN], segment[CLI_LABEL_SHOWN];
        cli_table table =
            cli_table_start("rlrrl", "decision\taction\tprobability\tage in hours\tsegment");
        for (size_t i = 0; i < self->info.pending; i++) {
            const xp_decision *one = &self->pending[i];
            (void)cli_label_shown(cli_model_label(self->model, one->action, number), label);
            (void)cli_label_shown(one->segment != NULL ? one->segment : "-", segment);
            cli_table_add(&table, "%llu\t%s\t%.4f\t%.1f\t%s", (unsigned long long)one->id, label,
                          one->probability, (now - one->time) / 3600, segment);
        }
        cli_table_print(&table);
    }
    if (self->observed > 0) {
        (void)printf("%zu reward%s observed; ", self->observed, self->observed == 1 ? "" : "s");
    }
    if (self->dropped > 0) {
        (void)printf("%zu decision%s forgotten; ", self->dropped, self->dropped == 1 ? "" : "s");
    }
    (void)printf("%zu decision%s pending\n", self->info.pending,
                 self->info.pending == 1 ? "" : "s");
}

static int run(const cli_arguments *arguments) {
    xp_model *model = NULL;
    observation self = {.count = 0};
    int code = read_arguments(arguments, &self);
    if (code == CLI_DONE) {
        code = cli_model_load(arguments, &model);
    }
    self.model = model;
    if (code == CLI_DONE) {
        code = observe(arguments, &self);
    }
    if (code == CLI_DONE && cli_flag(arguments, "json")) {
        print_json(&self);
    } else if (code == CLI_DONE) {
        print_text(&self, cli_flag(arguments, "list"));
    }
    free(self.ids);
    free(self.rewards);
    free(self.forgotten);
    free(self.table);
    free(self.pending);
    xp_model_destroy(model);
    return code;
}

const cli_command cli_command_observe = {
    .name = "observe",
    .order = 6,
    .summary = "record the rewards of decisions that 'decide --state' drew",
    .description =
        "Records the rewards of decisions in a state file, by the numbers that 'experior decide "
        "--state FILE --draw' gave them. Rewards may come late and in any order. All "
        "rewards of one call count or, if one is refused, none. A decision whose reward "
        "was given is no longer pending, so a second reward for it is refused. The command answers "
        "only after the file is on the disk.",
    .positionals = {{.name = "MODEL",
                     .required = true,
                     .summary = "the model file that the decisions were drawn with"}},
    .options = {{.name = "state",
                 .kind = CLI_TEXT,
                 .value = "FILE",
                 .required = true,
                 .summary = "the file that 'experior decide --state' keeps"},
                {.name = "decision",
                 .kind = CLI_INTEGER,
                 .value = "ID",
                 .repeatable = true,
                 .summary = "number of a pending decision; its --reward follows"},
                {.name = "reward",
                 .kind = CLI_REAL,
                 .value = "R",
                 .repeatable = true,
                 .summary = "reward of the decision named before it, such as 0 or 1"},
                {.name = "rewards",
                 .kind = CLI_TEXT,
                 .value = "FILE",
                 .summary = "rewards from a table: CSV with the columns decision,reward or JSONL; "
                            "- for standard input"},
                {.name = "forget",
                 .kind = CLI_INTEGER,
                 .value = "ID",
                 .repeatable = true,
                 .summary = "drop this pending decision, which will never get a reward"},
                {.name = "forget-older-than-hours",
                 .kind = CLI_REAL,
                 .value = "H",
                 .low = 0,
                 .high = 1e9,
                 .summary = "forget all pending decisions that were drawn more than H hours ago"},
                {.name = "list",
                 .kind = CLI_FLAG,
                 .summary = "also print the decisions that are pending"},
                CLI_OPTION_JSON},
    .examples = {{"experior observe model.json --state clinic.state --decision 7 --reward 1",
                  "decision 7 was a success; more pairs may follow: all count, or none"},
                 {"experior observe model.json --state clinic.state --rewards outcomes.csv",
                  "many, from a table decision,reward"},
                 {"experior observe model.json --state clinic.state --list",
                  "which decisions still wait for a reward"}},
    .run = run,
};
