/* posterior.c: from a prior file to a sampler. */
#include "posterior.h"

#include "output.h"

#include <stdio.h>
#include <string.h>

int cli_posterior_init(cli_posterior *posterior, const cli_arguments *arguments) {
    *posterior = (cli_posterior){.prior = NULL};
    const char *wanted = cli_text(arguments, "sampler");
    const bool automatic = strcmp(wanted, "auto") == 0;
    if (!automatic && !cli_stage_check(&cli_samplers, wanted)) {
        return CLI_BAD;
    }
    xp_error error;
    if (xp_prior_load(cli_positional_text(arguments, 0), &posterior->prior, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const char *const name = automatic ? xp_sampler_default(posterior->prior) : wanted;
    xp_params params;
    if (!cli_parameters(arguments, &name, &params)) {
        return CLI_BAD;
    }
    if (xp_sampler_create(name, &params, posterior->prior, &posterior->sampler, &error) != XP_OK) {
        return cli_failed(&error);
    }
    for (size_t i = 0; i < xp_sampler_type_count(); i++) {
        if (strcmp(xp_sampler_type_name(i), name) == 0) {
            posterior->sampler_name = xp_sampler_type_name(i);
            posterior->exact = xp_sampler_type_exact(i);
        }
    }
    return CLI_DONE;
}

void cli_posterior_deinit(cli_posterior *posterior) {
    xp_sampler_destroy(posterior->sampler);
    xp_prior_destroy(posterior->prior);
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
