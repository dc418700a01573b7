/* choice_objective.c: the penalised likelihood of independent_fit.h and its exact gradient.
 *
 * Masses are normalised over the nodes, so every derivative is that of the sums that are computed:
 * for a function L of the masses, dL/dc_i is the covariance of dL/dmass and T_i under the arm. */
#include "prior/bandit/independent_fit.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

xp_status xp__choice_objective_init(xp__choice_objective *objective, const xp__family *family,
                                    size_t arms, const uint64_t *counts, double demonstrations,
                                    double beta, double penalty, xp_error *error) {
    *objective = (xp__choice_objective){.family = family,
                                        .arms = arms,
                                        .counts = counts,
                                        .demonstrations = demonstrations,
                                        .penalty = penalty};
    const xp_status status = xp__choice_grid_init(&objective->grid, beta, error);
    if (status != XP_OK) {
        return status;
    }
    const xp__choice_grid *grid = &objective->grid;
    const size_t nodes = grid->nodes;
    objective->statistics = xp__alloc(2 * nodes + 2 * nodes * arms + grid->columns * arms +
                                          5 * arms + xp__choice_scratch(grid, arms),
                                      sizeof(double));
    if (objective->statistics == NULL) {
        return xp__no_memory(error);
    }
    objective->mass = objective->statistics + 2 * nodes;
    objective->log_density = objective->mass + nodes * arms;
    objective->slope = objective->log_density + nodes * arms;
    objective->probability = objective->slope + grid->columns * arms;
    objective->metric = objective->probability + arms;
    objective->coefficient = objective->metric + 3 * arms;
    objective->scratch = objective->coefficient + arms;
    for (size_t j = 0; j < nodes; j++) {
        double t[2];
        family->statistics(grid->t[j], grid->log_t[j], grid->log_1_t[j], t);
        objective->statistics[j] = t[0];
        objective->statistics[nodes + j] = t[1];
    }
    return XP_OK;
}

void xp__choice_objective_deinit(xp__choice_objective *objective) {
    xp__choice_grid_deinit(&objective->grid);
    xp__free(objective->statistics);
}

/* Masses and log densities of one arm at the nodes; returns KL(arm || U(0, 1)). */
static double fill_arm(xp__choice_objective *o, size_t arm, const double c[2]) {
    const size_t nodes = o->grid.nodes, arms = o->arms;
    const double *t0 = o->statistics, *t1 = t0 + nodes;
    double *mass = o->mass + arm, *log_density = o->log_density + arm;
    double top = -INFINITY, total = 0, divergence = 0;
    for (size_t j = 0; j < nodes; j++) {
        log_density[j * arms] = c[0] * t0[j] + c[1] * t1[j];
        const double value = log_density[j * arms] + o->grid.log_mass[j];
        top = value > top ? value : top;
    }
    for (size_t j = 0; j < nodes; j++) {
        mass[j * arms] = exp(log_density[j * arms] + o->grid.log_mass[j] - top);
        total += mass[j * arms];
    }
    const double log_total = top + log(total);
    for (size_t j = 0; j < nodes; j++) {
        mass[j * arms] /= total;
        log_density[j * arms] -= log_total;
        divergence += mass[j * arms] * log_density[j * arms];
    }
    return divergence;
}

/* Gradient and metric in the two coordinates of one arm, from dL/dmass by column and the penalty.
 * In c, both are covariances under the arm: of T with dL/dmass, and of T with itself. */
static void arm_gradient(const xp__choice_objective *o, size_t arm, double by[2][2],
                         double *gradient) {
    const size_t nodes = o->grid.nodes, arms = o->arms;
    const double weight = o->penalty / o->demonstrations;
    const double *t0 = o->statistics, *t1 = t0 + nodes;
    double mean[2] = {0, 0}, slope[2] = {0, 0}, spread[3] = {0, 0, 0};
    for (size_t j = 0; j < nodes; j++) {
        mean[0] += o->mass[j * arms + arm] * t0[j];
        mean[1] += o->mass[j * arms + arm] * t1[j];
    }
    for (size_t j = 0; j < nodes; j++) {
        const double mass = o->mass[j * arms + arm], d0 = t0[j] - mean[0], d1 = t1[j] - mean[1];
        const double change =
            o->slope[o->grid.column[j] * arms + arm] - weight * o->log_density[j * arms + arm];
        slope[0] += mass * change * d0;
        slope[1] += mass * change * d1;
        spread[0] += mass * d0 * d0;
        spread[1] += mass * d0 * d1;
        spread[2] += mass * d1 * d1;
    }
    for (size_t i = 0; i < 2; i++) {
        gradient[i] = slope[0] * by[0][i] + slope[1] * by[1][i];
    }
    double *metric = o->metric + 3 * arm;
    for (size_t i = 0; i < 3; i++) {
        const size_t k = i / 2, l = (i + 1) / 2; /* 00, 01, 11 */
        metric[i] = by[0][k] * (spread[0] * by[0][l] + spread[1] * by[1][l]) +
                    by[1][k] * (spread[1] * by[0][l] + spread[2] * by[1][l]);
    }
}

double xp__choice_objective_value(xp__choice_objective *o, const double *coordinate,
                                  double *gradient) {
    double parameter[2], c[2], by[2][2], divergence = 0, value = 0;
    for (size_t arm = 0; arm < o->arms; arm++) {
        o->family->chart(coordinate + 2 * arm, parameter, by);
        o->family->natural(parameter, c);
        divergence += fill_arm(o, arm, c);
    }
    xp__choice_probabilities(&o->grid, o->arms, o->mass, o->scratch, o->probability);
    for (size_t arm = 0; arm < o->arms; arm++) {
        const double share = (double)o->counts[arm] / o->demonstrations;
        const double p = fmax(o->probability[arm], 1e-300); /* the sums may round below zero */
        value += share > 0 ? share * log(p) : 0;
        o->coefficient[arm] = share / p;
    }
    if (gradient != NULL) {
        xp__choice_gradient(&o->grid, o->arms, o->coefficient, o->scratch, o->slope);
        for (size_t arm = 0; arm < o->arms; arm++) {
            o->family->chart(coordinate + 2 * arm, parameter, by);
            arm_gradient(o, arm, by, gradient + 2 * arm);
        }
    }
    return value - o->penalty / o->demonstrations * divergence;
}
