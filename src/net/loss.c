/* loss.c: losses as functions from Q to its derivatives. Inputs and outputs are float, sums are
 * double; expectations over draws are written as sums over unique rows with counts. */
#include "net/net.h"

#include "math/softmax.h"

#include <assert.h>
#include <math.h>

xp__net_td xp__net_td_of(const xp__net_batch *batch) {
    return (xp__net_td){
        .draws = (double)batch->draws,
        .members = batch->members,
        .actions = batch->actions,
        .counts = batch->counts,
        .targets = batch->targets,
    };
}

static float count_of(const xp__net_td *td, size_t cell, size_t member) {
    return td->counts_by_member ? td->counts[cell * td->members + member] : td->counts[cell];
}

double xp__net_td_loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    const xp__net_td *td = context;
    assert(member < td->members && td->draws > 0);
    const float scale = (float)(2 / td->draws);
    float sum = 0;
    for (size_t cell = 0; cell < rows * td->actions; cell++) {
        const float count = count_of(td, cell, member);
        const float target = td->targets[cell * td->members + member];
        slope[cell] = scale * (count * q[cell] - target);
        sum += q[cell] * (count * q[cell] - 2 * target);
    }
    return sum / td->draws;
}

/* (1/beta) log Σ_a exp(beta q_a); weight[a] becomes softmax(beta q)_a. */
static double soft_max(size_t actions, double beta, const float *q, double *weight) {
    double top;
    const double sum = xp__soft_sum(q, actions, beta, weight, &top);
    for (size_t a = 0; a < actions; a++) {
        weight[a] /= sum;
    }
    return top + log(sum) / beta;
}

enum { MAX_ACTIONS = 256 };

double xp__net_imitation_loss(void *context, size_t member, size_t rows, const float *q,
                              float *slope) {
    const xp__net_imitation *imitation = context;
    const xp__net_td *td = &imitation->td;
    assert(imitation->beta > 0 && td->actions <= MAX_ACTIONS && td->draws > 0);
    assert(imitation->fit == 0 || td->targets != NULL);
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
        const size_t first = r * td->actions;
        double weight[MAX_ACTIONS], count[MAX_ACTIONS], draws = 0;
        for (size_t a = 0; a < td->actions; a++) {
            count[a] = count_of(td, first + a, member);
            draws += count[a];
        }
        sum += draws * soft_max(td->actions, imitation->beta, q + first, weight);
        for (size_t a = 0; a < td->actions; a++) {
            const size_t cell = first + a;
            double gradient = draws * weight[a] - count[a];
            sum -= count[a] * q[cell];
            if (imitation->fit != 0) {
                const double target = td->targets[cell * td->members + member];
                gradient += 2 * imitation->fit * (count[a] * q[cell] - target);
                sum += imitation->fit * q[cell] * (count[a] * q[cell] - 2 * target);
            }
            slope[cell] = (float)(gradient / td->draws);
        }
    }
    return sum / td->draws;
}

/* log m_τ = Σ_h beta (Q(s_h, a_h) - soft max of Q(s_h, ·)). */
static double log_likelihood(const xp__net_trajectories *t, size_t index, const float *q) {
    double weight[MAX_ACTIONS], sum = 0;
    for (size_t i = t->start[index]; i < t->start[index + 1]; i++) {
        const float *row = q + t->row[i] * t->actions;
        sum += t->beta * (row[t->action[i]] - soft_max(t->actions, t->beta, row, weight));
    }
    return sum;
}

double xp__net_trajectories_loss(void *context, size_t member, size_t rows, const float *q,
                                 float *slope) {
    const xp__net_trajectories *t = context;
    assert(t->actions <= MAX_ACTIONS);
    for (size_t i = 0; i < rows * t->actions; i++) {
        slope[i] = 0;
    }
    double sum = 0;
    for (size_t index = 0; index < t->count; index++) {
        const double likelihood = log_likelihood(t, index, q);
        if (t->log_likelihoods != NULL) {
            t->log_likelihoods[member * t->count + index] = likelihood;
        }
        /* The derivative of α m by log m is α m. */
        const double factor = t->logarithm ? t->alpha[index] : t->alpha[index] * exp(likelihood);
        sum -= t->logarithm ? factor * likelihood : factor;
        for (size_t i = t->start[index]; i < t->start[index + 1]; i++) {
            const size_t first = t->row[i] * t->actions;
            double weight[MAX_ACTIONS];
            assert(t->row[i] < rows && t->action[i] < t->actions);
            (void)soft_max(t->actions, t->beta, q + first, weight);
            for (size_t a = 0; a < t->actions; a++) {
                const double chosen = a == t->action[i];
                slope[first + a] -= (float)(factor * t->beta * (chosen - weight[a]));
            }
        }
    }
    return sum;
}
