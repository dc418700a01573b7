/* decide.c: experior decide: what to do next, given a prior and what happened so far.
 *
 * Thompson sampling (Algorithm 1 of the paper) plays an arm with the posterior probability that it
 * is the best one. That law is printed; with --seed one action is drawn from it as well. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct decision {
    size_t arms;
    double *probability;
    size_t draws; /* behind the probabilities; 0: computed */
    size_t observations;
    bool drawn;
    size_t action;
} decision;

/* A law that was counted is right only if the draws are: rejection may give up on them. */
static bool draws_succeed(const cli_posterior *posterior, xp_rng *rng) {
    enum { PROBES = 200 };
    double *theta = cli_alloc(xp_prior_arms(posterior->prior), sizeof *theta);
    bool good = true;
    for (size_t i = 0; good && i < PROBES; i++) {
        good = xp_sampler_draw(posterior->sampler, rng, theta);
    }
    free(theta);
    return good;
}

/* Replays the history and asks the sampler. */
static int decide(const cli_arguments *arguments, const cli_posterior *posterior, decision *self) {
    /* Without a seed the law of a chain still needs numbers; they are those of seed 1. The action
     * has a stream of its own, so that it does not depend on --draws. */
    self->drawn = cli_was_given(arguments, "seed");
    const xp_rng root = xp_rng_seed(self->drawn ? cli_integer(arguments, "seed") : 1);
    xp_rng law_rng = xp_rng_fork(&root, 0), action_rng = xp_rng_fork(&root, 1);
    const int code = cli_posterior_replay(posterior, cli_text(arguments, "history"), &law_rng,
                                          &self->observations);
    if (code != CLI_DONE) {
        return code;
    }
    xp_sampler_action_law(posterior->sampler, &law_rng, cli_integer(arguments, "draws"),
                          self->probability, &self->draws);
    if (self->draws != 0 && !draws_succeed(posterior, &law_rng)) {
        cli_complain("the sampler '%s' gives up on this posterior, so its probabilities would be "
                     "wrong; try another --sampler",
                     posterior->sampler_name);
        return CLI_NO;
    }
    if (self->drawn) {
        self->action = xp_rng_categorical(&action_rng, self->probability, self->arms);
    }
    return CLI_DONE;
}

static void print_json(const decision *self, const cli_posterior *posterior) {
    char label[32];
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_array(&json, "actions");
    for (size_t arm = 0; arm < self->arms; arm++) {
        cli_json_text(&json, NULL, cli_action_label(posterior->prior, arm, label));
    }
    cli_json_end(&json);
    cli_json_numbers(&json, "probabilities", self->probability, self->arms);
    if (self->drawn) {
        cli_json_text(&json, "action", cli_action_label(posterior->prior, self->action, label));
        cli_json_integer(&json, "action_index", self->action);
    }
    cli_json_text(&json, "sampler", posterior->sampler_name);
    cli_json_bool(&json, "exact", posterior->exact);
    cli_json_integer(&json, "draws", self->draws);
    cli_json_integer(&json, "observations", self->observations);
    cli_json_end(&json);
}

static void print_text(const decision *self, const cli_posterior *posterior) {
    enum { WIDTH = 32 };
    double largest = 0;
    for (size_t arm = 0; arm < self->arms; arm++) {
        largest = fmax(largest, self->probability[arm]);
    }
    char label[CLI_ACTION_SHOWN];
    cli_table table = cli_table_start("lrl", "action\tprobability\tto scale");
    for (size_t arm = 0; arm < self->arms; arm++) {
        char bar[3 * WIDTH + 1];
        (void)cli_action_shown(posterior->prior, arm, label);
        cli_table_add(&table, "%s\t%.4f\t%s", label, self->probability[arm],
                      cli_bar(bar, WIDTH, self->probability[arm] / largest));
    }
    cli_table_print(&table);
    (void)printf("after %zu observations; sampler %s, ", self->observations,
                 posterior->sampler_name);
    if (self->draws == 0) {
        (void)printf("computed\n");
    } else {
        (void)printf("%zu %s draws\n", self->draws, posterior->exact ? "exact" : "approximate");
    }
    if (self->drawn) {
        (void)cli_action_shown(posterior->prior, self->action, label);
        (void)printf("action: %s\n", label);
    }
}

static int run(const cli_arguments *arguments) {
    cli_posterior posterior;
    int code = cli_posterior_init(&posterior, arguments);
    if (code == CLI_DONE) {
        decision self = {.arms = xp_prior_arms(posterior.prior)};
        self.probability = cli_alloc(self.arms, sizeof *self.probability);
        code = decide(arguments, &posterior, &self);
        if (code == CLI_DONE && cli_flag(arguments, "json")) {
            print_json(&self, &posterior);
        } else if (code == CLI_DONE) {
            print_text(&self, &posterior);
        }
        free(self.probability);
    }
    cli_posterior_deinit(&posterior);
    return code;
}

const cli_command cli_command_decide = {
    .name = "decide",
    .order = 5,
    .summary = "the probability of each action, given a prior and a history",
    .description = "Prints with what probability posterior sampling takes each action next: the "
                   "posterior probability that it is the best one, after the rewards of a history. "
                   "With --seed it also draws the action.",
    .positionals = {{.name = "PRIOR",
                     .required = true,
                     .summary = "prior file made by 'experior fit'"}},
    .options = {CLI_OPTION_HISTORY,
                CLI_OPTION_SAMPLER,
                {.name = "draws",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "10000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "draws to count, for a sampler that does not compute the law"},
                {.name = "seed",
                 .kind = CLI_INTEGER,
                 .value = "SEED",
                 .summary = "draw an action, too; the same seed draws the same one"},
                CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior decide prior.json", "the first decision in a new task"},
                 {"experior decide prior.json --history history.csv --seed 7 --json",
                  "the next one, with an action drawn, for programs"}},
    .run = run,
};
