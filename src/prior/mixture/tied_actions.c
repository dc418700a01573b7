/* tied_actions.c: see tied_actions.h. */
#include "prior/mixture/tied_actions.h"

#include <math.h>

enum { SUPPORT = XP__TIED_SUPPORT, MASKS = XP__TIED_MASKS };

void xp__tied_rates_set(xp__tied_rates *rates, size_t actions, double tie, double error_rate) {
    rates->actions = actions;
    rates->tie = fmin(fmax(tie, 1e-3), 0.9);
    rates->error_rate = fmin(fmax(error_rate, 1e-3), 0.5);
    const double slip = rates->error_rate / (double)rates->actions;
    rates->log_out = log(slip);
    for (size_t size = 1; size <= SUPPORT; size++) {
        rates->log_in[size] = log((1 - rates->error_rate) / (double)size + slip);
        for (size_t support = size; support <= SUPPORT; support++) {
            rates->log_size[support][size] = support == 1 ? 0
                                             : size == 1  ? log(1 - rates->tie)
                                                          : log(rates->tie / (double)(support - 1));
        }
    }
}

static size_t bits_of(size_t mask) {
    size_t count = 0;
    for (; mask > 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

void xp__tied_cell_weigh(xp__tied_cell *cell, const double *b) {
    double total[SUPPORT + 1] = {0};
    for (size_t mask = 1; mask < (size_t)1 << cell->support; mask++) {
        double product = 1;
        for (size_t i = 0; i < cell->support; i++) {
            product *= mask >> i & 1 ? b[i] : 1;
        }
        cell->log_set[mask] = product;
        total[bits_of(mask)] += product;
    }
    for (size_t mask = 1; mask < (size_t)1 << cell->support; mask++) {
        cell->log_set[mask] = log(cell->log_set[mask] / total[bits_of(mask)]);
    }
}

void xp__tied_cell_make(xp__tied_cell *cell, const double *pooled, size_t actions) {
    double b[SUPPORT] = {0};
    *cell = (xp__tied_cell){0};
    for (size_t a = 0; a < actions; a++) {
        size_t place = cell->support;
        while (place > 0 && b[place - 1] < pooled[a]) {
            place--;
        }
        if (pooled[a] == 0 || place == SUPPORT) {
            continue;
        }
        const size_t end = cell->support < SUPPORT ? cell->support++ : SUPPORT - 1;
        for (size_t i = end; i > place; i--) {
            b[i] = b[i - 1];
            cell->action[i] = cell->action[i - 1];
        }
        b[place] = pooled[a];
        cell->action[place] = (uint32_t)a;
    }
    if (cell->support > 1) {
        for (size_t i = 0; i < cell->support; i++) {
            b[i] += 1 / (double)actions;
        }
        xp__tied_cell_weigh(cell, b);
    }
}

double xp__tied_total(const double *counts) {
    double sum = 0;
    for (size_t i = 0; i < XP__TIED_COUNTS; i++) {
        sum += counts[i];
    }
    return sum;
}

double xp__tied_log_f(const xp__tied_rates *rates, const xp__tied_cell *cell, const double *counts,
                      double *ties, double *errors) {
    double term[MASKS], inside[MASKS], largest = -INFINITY, all = counts[SUPPORT];
    const size_t masks = (size_t)1 << cell->support;
    for (size_t i = 0; i < cell->support; i++) {
        all += counts[i];
    }
    for (size_t mask = 1; mask < masks; mask++) {
        double in = 0;
        for (size_t i = 0; i < cell->support; i++) {
            in += mask >> i & 1 ? counts[i] : 0;
        }
        const size_t size = bits_of(mask);
        inside[mask] = in;
        term[mask] = rates->log_size[cell->support][size] + cell->log_set[mask] +
                     in * rates->log_in[size] + (all - in) * rates->log_out;
        largest = fmax(largest, term[mask]);
    }
    double sum = 0;
    for (size_t mask = 1; mask < masks; mask++) {
        term[mask] = exp(term[mask] - largest);
        sum += term[mask];
    }
    if (ties != NULL) {
        double tied = 0, wrong = 0;
        for (size_t mask = 1; mask < masks; mask++) {
            tied += bits_of(mask) > 1 ? term[mask] : 0;
            wrong += term[mask] * (all - inside[mask]);
        }
        *ties = tied / sum;
        *errors = wrong / sum;
    }
    return largest + log(sum);
}
