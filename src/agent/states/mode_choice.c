/* mode_choice.c: see mode_choice.h. */
#include "agent/states/mode_choice.h"

#include "base/memory.h"

#include <string.h>

xp_status xp__mode_choice_init(xp__mode_choice *choice, const xp__mode_choice_options *options,
                               const xp__states_prior *prior, xp_error *error) {
    const xp__net *modes = xp__states_prior_networks(prior);
    const double *weights = xp__states_prior_weights(prior);
    const size_t count = xp__net_get_options(modes)->members;
    *choice = (xp__mode_choice){.modes = modes, .count = count};
    choice->prior = xp__alloc(count, sizeof choice->prior[0]);
    choice->alike = xp__alloc(count * count, sizeof choice->alike[0]);
    choice->shown = xp__states_prior_shown_steps(prior);
    choice->scratch = xp__alloc(1, choice->shown != NULL ? choice->shown->steps.row_bytes : 1);
    const xp__evidence_options evidence = {.fixed = count,
                                           .changing = options->heads,
                                           .resolution = options->resolution,
                                           .memory = options->memory,
                                           .none = options->none,
                                           .same = options->same,
                                           .relative = options->relative,
                                           .strange =
                                               choice->shown != NULL ? choice->shown->strange : 0};
    xp_status status = choice->prior != NULL && choice->alike != NULL && choice->scratch != NULL
                           ? XP_OK
                           : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp__evidence_init(&choice->evidence, &evidence, error);
    }
    if (status != XP_OK) {
        xp__mode_choice_deinit(choice);
        return status;
    }
    for (size_t k = 0; k < count; k++) {
        choice->prior[k] = (1 - options->none - options->same) *
                           (weights != NULL ? weights[k] : 1 / (double)count);
    }
    xp__mode_choice_clear(choice);
    return XP_OK;
}

void xp__mode_choice_deinit(xp__mode_choice *choice) {
    xp__evidence_deinit(&choice->evidence);
    xp__free(choice->prior);
    xp__free(choice->alike);
    xp__free(choice->scratch);
    *choice = (xp__mode_choice){.modes = NULL};
}

void xp__mode_choice_clear(xp__mode_choice *choice) {
    xp__evidence_clear(&choice->evidence);
    choice->strange = false;
    for (size_t i = 0; i < choice->count * choice->count; i++) {
        choice->alike[i] = true;
    }
    memcpy(choice->evidence.prior, choice->prior, choice->count * sizeof choice->prior[0]);
}

void xp__mode_choice_archive(xp__mode_choice *choice, xp__archive *archive) {
    xp__archive_bool(archive, &choice->strange);
    for (size_t i = 0; i < choice->count * choice->count; i++) {
        xp__archive_bool(archive, &choice->alike[i]);
    }
    xp__evidence_archive(&choice->evidence, archive);
}

size_t xp__mode_choice_draw(const xp__mode_choice *choice, xp_rng *rng) {
    return xp__evidence_draw(&choice->evidence, rng);
}

size_t xp__mode_choice_settled(const xp__mode_choice *choice) {
    return xp__evidence_settled(&choice->evidence);
}

void xp__mode_choice_law(const xp__mode_choice *choice, xp_rng *rng, size_t draws,
                         double *probability) {
    const size_t policies = choice->count + choice->evidence.options.changing;
    memset(probability, 0, policies * sizeof *probability);
    for (size_t i = 0; i < draws; i++) {
        probability[xp__evidence_draw(&choice->evidence, rng)] += 1;
    }
    for (size_t i = 0; i < policies; i++) {
        probability[i] /= (double)draws;
    }
}

size_t xp__mode_choice_act(xp__mode_choice *choice, size_t mode, const xp__net_rows *rows) {
    const size_t action = xp__net_greedy(choice->modes, mode, rows);
    bool *alike = choice->alike + mode * choice->count;
    for (size_t j = 0; j < choice->count; j++) {
        if (alike[j] && choice->evidence.count[j] == 0 && j != mode) {
            alike[j] = xp__net_greedy(choice->modes, j, rows) == action;
        }
    }
    return action;
}

/* Lends the prior probability of modes that were not tried to those that they have not been told
 * apart from. */
static void lend(xp__mode_choice *choice) {
    xp__evidence *evidence = &choice->evidence;
    memcpy(evidence->prior, choice->prior, choice->count * sizeof choice->prior[0]);
    for (size_t j = 0; j < choice->count; j++) {
        for (size_t t = 0; evidence->count[j] == 0 && t < evidence->tried_count; t++) {
            const size_t mode = evidence->tried[t];
            if (choice->alike[mode * choice->count + j]) {
                evidence->prior[mode] += evidence->prior[j];
                evidence->prior[j] = 0;
                break;
            }
        }
    }
}

void xp__mode_choice_see(xp__mode_choice *choice, const void *state, size_t action,
                         const void *next) {
    if (choice->shown != NULL && !choice->strange) {
        choice->strange = !xp__shown_steps_has(choice->shown, state, action, next, choice->scratch);
    }
}

void xp__mode_choice_end(xp__mode_choice *choice, size_t policy, double value, double least,
                         double most) {
    xp__evidence_record(&choice->evidence, policy, value, choice->strange);
    xp__evidence_record_rewards(&choice->evidence, policy, least, most);
    choice->strange = false;
    if (policy < choice->count) {
        lend(choice);
    }
}
