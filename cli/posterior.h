/* posterior.h: a prior with the sampler to act from it, as decide and inspect set them up. */
#ifndef CLI_POSTERIOR_H
#define CLI_POSTERIOR_H

#include "model.h"

/* A prior file and a sampler for it. Free with cli_posterior_deinit, also after a failure. */
typedef struct cli_posterior {
    xp_model *model;
    const xp_prior *prior; /* the model's */
    xp_sampler *sampler;
    const char *sampler_name; /* registered */
    xp_sampler_kind kind;
} cli_posterior;

/* Loads PRIOR (the first positional) and makes the sampler of --sampler with its typed parameters.
 * Returns an exit code; prints a sentence unless it is CLI_DONE. */
int cli_posterior_init(cli_posterior *posterior, const cli_arguments *arguments);
void cli_posterior_deinit(cli_posterior *posterior);
/* Makes the sampler forget, then tells it the history in `path` (NULL: none); *observations is its
 * length. `story` (may be NULL) becomes the stream that it and the history name together: each
 * observation forks it. Returns an exit code; prints a sentence unless it is CLI_DONE. */
int cli_posterior_replay(const cli_posterior *posterior, const char *path, xp_rng *rng,
                         xp_rng *story, size_t *observations);
/* An action's name, or its number as text in `buffer`. */
const char *cli_action_label(const xp_prior *prior, size_t action, char buffer[32]);
/* The same for a line of text: without control characters and at most 40 columns wide. */
enum { CLI_ACTION_SHOWN = 192 };
const char *cli_action_shown(const xp_prior *prior, size_t action, char buffer[CLI_ACTION_SHOWN]);

#endif
