/* posterior.c: from a prior file to a sampler. */
#include "posterior.h"

#include "output.h"

#include "experior/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_posterior_init(cli_posterior *posterior, const cli_arguments *arguments) {
    *posterior = (cli_posterior){.prior = NULL};
    const char *wanted = cli_text(arguments, "sampler");
    const bool automatic = strcmp(wanted, "auto") == 0;
    if (!automatic && !cli_stage_check(&cli_samplers, wanted)) {
        return CLI_BAD;
    }
    xp_error error;
    const int code = cli_model_load(arguments, &posterior->model);
    if (code != CLI_DONE) {
        return code;
    }
    posterior->prior = xp_model_prior(posterior->model);
    if (posterior->prior == NULL) {
        cli_complain("'%s' has no prior over arm means: its agent is '%s'",
                     cli_positional_text(arguments, 0), xp_model_describe(posterior->model).agent);
        return CLI_BAD;
    }
    const char *const name = automatic ? xp_sampler_default(posterior->prior) : wanted;
    char *spec;
    if (!cli_specs(arguments, &name, &spec)) {
        return CLI_BAD;
    }
    const xp_status status = xp_sampler_create(spec, posterior->prior, &posterior->sampler, &error);
    free(spec);
    if (status != XP_OK) {
        return cli_failed(&error);
    }
    for (size_t i = 0; i < cli_stage_count(&cli_samplers); i++) {
        const xp_catalogue_entry entry = cli_stage_at(&cli_samplers, i);
        if (strcmp(entry.name, name) == 0) {
            posterior->sampler_name = entry.name;
            posterior->kind = entry.sampler;
        }
    }
    return CLI_DONE;
}

void cli_posterior_deinit(cli_posterior *posterior) {
    xp_sampler_destroy(posterior->sampler);
    xp_model_destroy(posterior->model);
    *posterior = (cli_posterior){.prior = NULL};
}

const char *cli_action_label(const xp_prior *prior, size_t action, char buffer[32]) {
    const char *name = xp_prior_action_name(prior, action);
    if (name == NULL) {
        (void)snprintf(buffer, 32, "%zu", action);
    }
    return name != NULL ? name : buffer;
}

const char *cli_action_shown(const xp_prior *prior, size_t action, char buffer[CLI_ACTION_SHOWN]) {
    enum { COLUMNS = 40 };
    char number[32];
    const char *label = cli_action_label(prior, action, number);
    size_t bytes = 0, columns = 0;
    while (label[bytes] != '\0' && bytes < CLI_ACTION_SHOWN - 8) {
        const bool begins = ((unsigned char)label[bytes] & 0xc0) != 0x80;
        if (begins && columns == COLUMNS - 1 && cli_columns(label + bytes) > 1) {
            break;
        }
        columns += begins;
        bytes++;
    }
    cli_copy(buffer, CLI_ACTION_SHOWN, label, bytes);
    if (label[bytes] != '\0') {
        (void)strcat(buffer, "…");
    }
    return cli_plain(buffer);
}

static xp_status load_history(const char *path, const xp_prior *prior, xp_history **history,
                              xp_error *error) {
    const size_t arms = xp_prior_arms(prior);
    const char **names = NULL;
    if (xp_prior_action_name(prior, 0) != NULL) {
        names = cli_alloc(arms, sizeof *names);
        for (size_t arm = 0; arm < arms; arm++) {
            names[arm] = xp_prior_action_name(prior, arm);
        }
    }
    xp_status status = xp_history_load(path, arms, names, history, error);
    if (status == XP_OK) {
        status = xp_history_require_binary(*history, error);
    }
    free(names);
    return status;
}

int cli_posterior_replay(const cli_posterior *posterior, const char *path, xp_rng *rng,
                         xp_rng *story, size_t *observations) {
    xp_history *history = NULL;
    xp_error error;
    if (path != NULL && load_history(path, posterior->prior, &history, &error) != XP_OK) {
        xp_history_destroy(history);
        return cli_failed(&error);
    }
    xp_sampler_reset(posterior->sampler, rng);
    *observations = history != NULL ? xp_history_count(history) : 0;
    for (size_t i = 0; i < *observations; i++) {
        const size_t arm = xp_history_action(history, i);
        const bool success = xp_history_reward(history, i) == 1;
        xp_sampler_observe(posterior->sampler, rng, arm, success);
        if (story != NULL) {
            *story = xp_rng_fork(story, 2 * (uint64_t)arm + (success ? 1 : 0));
        }
    }
    xp_history_destroy(history);
    return CLI_DONE;
}
