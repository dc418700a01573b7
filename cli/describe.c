/* describe.c: see describe.h. */
#include "describe.h"

#include "choices/choices.h"
#include "json.h"
#include "model.h"
#include "output.h"
#include "segments/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entropy in bits of how often each action was demonstrated. */
static double entropy_bits(const uint64_t *counts, size_t actions) {
    double total = 0, entropy = 0;
    for (size_t action = 0; action < actions; action++) {
        total += (double)counts[action];
    }
    for (size_t action = 0; action < actions; action++) {
        if (counts[action] != 0) {
            const double share = (double)counts[action] / total;
            entropy -= share * log2(share);
        }
    }
    return entropy;
}

/* Names and counts of the actions, for what is no table. */
static void print_arms(cli_json *json, const xp_model *model, const uint64_t *counts) {
    cli_json_array(json, "arms");
    for (size_t action = 0; action < xp_model_describe(model).space.actions; action++) {
        char label[32];
        cli_json_object(json, NULL);
        cli_json_text(json, "name", cli_model_label(model, action, label));
        cli_json_integer(json, "count", counts[action]);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void print_json(const xp_model *model, const xp_choices *choices, const uint64_t *counts,
                       const char *path) {
    const xp_model_info info = xp_model_describe(model);
    const xp_model_diagnosis fit = xp_model_diagnose(model);
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "agent", info.agent);
    cli_json_text(&json, "method", info.method);
    cli_json_text(&json, "parameters", info.params);
    cli_json_integer(&json, "demonstrations", info.demonstrations);
    cli_json_integer(&json, "distinct", info.distinct);
    cli_json_integer(&json, "actions", info.space.actions);
    if (choices != NULL) {
        cli_choices_json(&json, choices);
    } else {
        print_arms(&json, model, counts);
    }
    cli_json_integer(&json, "state_size", info.space.state_size);
    cli_json_integer(&json, "horizon", info.space.horizon);
    cli_json_integers(&json, "counts", counts, info.space.actions);
    cli_json_number(&json, "entropy_bits", entropy_bits(counts, info.space.actions));
    cli_json_integer(&json, "networks", fit.networks);
    cli_json_integer(&json, "inputs", fit.inputs);
    cli_json_integer(&json, "hidden", fit.hidden);
    cli_json_number(&json, "lambda", fit.lambda);
    cli_json_number(&json, "divergence", fit.divergence);
    cli_json_number(&json, "duality_gap", fit.duality_gap);
    cli_json_number(&json, "log_likelihood", fit.log_likelihood);
    cli_json_number(&json, "effective", fit.effective);
    cli_json_text(&json, "effective_of", fit.effective_of);
    cli_json_number(&json, "clipped", fit.clipped);
    cli_json_integer(&json, "iterations", fit.iterations);
    cli_json_bool(&json, "converged", fit.converged);
    cli_json_text(&json, "rewards", info.rewards);
    cli_segments_json(&json, model);
    cli_json_text(&json, "output", path);
    cli_json_end(&json);
}

static void print_text(const xp_model *model, const xp_choices *choices, const uint64_t *counts,
                       const char *path) {
    const xp_model_info info = xp_model_describe(model);
    const xp_model_diagnosis fit = xp_model_diagnose(model);
    if (choices != NULL) {
        cli_choices_print(choices);
    }
    (void)printf("%-16s %s\n", "agent", info.agent);
    (void)printf("%-16s %s\n", "prior", info.method != NULL ? info.method : "none");
    if (info.rewards != NULL && strcmp(info.rewards, "bernoulli") != 0) {
        (void)printf("%-16s %s\n", "rewards", info.rewards);
    }
    (void)printf("%-16s %llu, %zu distinct\n", "demonstrations",
                 (unsigned long long)info.demonstrations, info.distinct);
    (void)printf("%-16s %zu\n", "actions", info.space.actions);
    if (info.space.state_size > 0) {
        (void)printf("%-16s %zu number%s, episodes of at most %zu steps\n", "states",
                     info.space.state_size, info.space.state_size == 1 ? "" : "s",
                     info.space.horizon);
    } else {
        cli_field("entropy", entropy_bits(counts, info.space.actions), " bits");
    }
    if (fit.networks > 0) {
        (void)printf("%-16s %zu of %zu-%zu-%zu-%zu\n", "networks", fit.networks, fit.inputs,
                     fit.hidden, fit.hidden, info.space.actions);
    }
    cli_field("lambda", fit.lambda, "");
    cli_field("divergence", fit.divergence, " nats");
    cli_field("duality gap", fit.duality_gap, "");
    cli_field("log-likelihood", fit.log_likelihood, " nats per demonstrated choice");
    if (fit.effective_of != NULL) {
        char unit[64];
        (void)snprintf(unit, sizeof unit, " %s (effective number)", fit.effective_of);
        cli_field("rests on", fit.effective, unit);
    }
    cli_field("gradient cut", 100 * fit.clipped, " % of its components at the end");
    (void)printf("%-16s %s\n", "converged", fit.converged ? "yes" : "no");
    cli_segments_print(model);
    if (path != NULL) {
        (void)printf("%-16s %s\n", "written to", path);
    }
}

void cli_describe_model(const xp_model *model, const xp_choices *choices, const char *path,
                        bool json) {
    uint64_t *counts = cli_alloc(xp_model_describe(model).space.actions, sizeof *counts);
    xp_model_action_counts(model, counts);
    if (json) {
        print_json(model, choices, counts, path);
    } else {
        print_text(model, choices, counts, path);
    }
    free(counts);
}
