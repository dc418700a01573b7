/* density.c: see density.h. */
#include "prior/states/density.h"

#include "prior/states/states_prior_type.h"

xp__density xp__density_of(const xp__encoded_demos *demos, const double *alpha, double beta,
                           bool logarithm, double regulariser) {
    double total = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        total += alpha[t];
    }
    return (xp__density){.trajectories = {.count = demos->trajectories,
                                          .actions = demos->actions,
                                          .start = demos->start,
                                          .row = demos->row,
                                          .action = demos->action,
                                          .alpha = alpha,
                                          .beta = beta,
                                          .logarithm = logarithm},
                         .penalty = logarithm ? regulariser * total : regulariser,
                         .rows = xp__encoded_demos_rows(demos)};
}

double xp__density_loss(void *density, size_t member, size_t rows, const float *q, float *slope) {
    xp__density *at = density;
    const size_t cells = rows * at->trajectories.actions;
    const double loss = xp__net_trajectories_loss(&at->trajectories, member, rows, q, slope);
    double squares = 0;
    for (size_t i = 0; i < cells; i++) {
        squares += (double)q[i] * (double)q[i];
        slope[i] += (float)(2 * at->penalty / (double)cells * (double)q[i]);
    }
    return loss + at->penalty * squares / (double)cells;
}

double xp__density_decay(const xp__density *density, const xp__net *net, size_t member) {
    const double norm = xp__net_norm(net, member);
    return norm > 0 ? density->penalty / norm : 0;
}

const xp__density *xp__states_prior_density(const xp__states_prior *prior) {
    return prior->type->density != NULL ? prior->type->density(prior) : NULL;
}
