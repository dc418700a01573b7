/* tensor.c: sums over the product of one-dimensional nodes. On the diagonal, where two means are
 * equal, arms share the weight: a prior that jumps there is then integrated to second order. */
#include "sampler/tensor.h"

#include "base/memory.h"
#include "prior/bandit/prior_type.h"
#include "sampler/integral/nodes.h"

#include <assert.h>
#include <math.h>

typedef struct tensor {
    const xp_prior *prior;
    xp__nodes nodes;
    double *likelihood; /* arms × nodes: log likelihood plus log weight */
    double total, first[XP__TENSOR_ARMS], second[XP__TENSOR_ARMS], best[XP__TENSOR_ARMS];
} tensor;

static double log_prior(const xp_prior *prior, const double *theta, const bool *is_best,
                        size_t ties) {
    if (prior->best_arm_log_weight == NULL) {
        return prior->type->log_density(prior, theta);
    }
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += is_best[arm] ? exp(prior->best_arm_log_weight[arm]) : 0;
    }
    double reference = 0;
    if (prior->reference != NULL) {
        double term[XP__REFERENCE_MAX];
        xp__reference_terms(prior->reference, prior->arms, theta, term);
        reference = xp__reference_shares(prior->reference, term);
    }
    return log(sum / (double)ties) + reference;
}

/* Adds the point with the given node of each arm. */
static void add(tensor *self, const size_t *node) {
    const size_t arms = self->prior->arms;
    double theta[XP__TENSOR_ARMS], log_weight = 0, top = -1;
    for (size_t arm = 0; arm < arms; arm++) {
        theta[arm] = self->nodes.x[node[arm]];
        log_weight += self->likelihood[arm * self->nodes.count + node[arm]];
        top = fmax(top, theta[arm]);
    }
    bool is_best[XP__TENSOR_ARMS];
    size_t ties = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        is_best[arm] = theta[arm] == top;
        ties += is_best[arm] ? 1 : 0;
    }
    const double weight = exp(log_weight + log_prior(self->prior, theta, is_best, ties));
    self->total += weight;
    for (size_t arm = 0; arm < arms; arm++) {
        self->first[arm] += weight * theta[arm];
        self->second[arm] += weight * theta[arm] * theta[arm];
        if (!is_best[arm]) {
            continue;
        }
        /* Tied arms share the point as their weights in the prior say. */
        double share = 1 / (double)ties;
        if (self->prior->best_arm_log_weight != NULL && ties > 1) {
            double sum = 0;
            for (size_t other = 0; other < arms; other++) {
                sum += is_best[other] ? exp(self->prior->best_arm_log_weight[other]) : 0;
            }
            share = exp(self->prior->best_arm_log_weight[arm]) / sum;
        }
        self->best[arm] += weight * share;
    }
}

static void set_likelihood(tensor *self, const double *successes, const double *failures) {
    const xp__nodes *nodes = &self->nodes;
    for (size_t arm = 0; arm < self->prior->arms; arm++) {
        double *row = self->likelihood + arm * nodes->count, top = -INFINITY;
        for (size_t g = 0; g < nodes->count; g++) {
            row[g] = successes[arm] * nodes->log_x[g] + failures[arm] * nodes->log_y[g];
            top = fmax(top, row[g]);
        }
        for (size_t g = 0; g < nodes->count; g++) {
            row[g] += log(nodes->weight[g]) - top;
        }
    }
}

xp_status xp__tensor_posterior(const xp_prior *prior, const double *successes,
                               const double *failures, size_t nodes, xp__tensor *result,
                               xp_error *error) {
    assert(prior->arms >= 1 && prior->arms <= XP__TENSOR_ARMS && nodes >= 4);
    const size_t arms = prior->arms;
    double *block = xp__alloc((XP__NODES_ARRAYS + arms) * nodes, sizeof(double));
    if (block == NULL) {
        return xp__no_memory(error);
    }
    tensor self = {.prior = prior, .likelihood = block + XP__NODES_ARRAYS * nodes};
    xp__nodes_carve(&self.nodes, nodes, block, nodes);
    (void)xp__nodes_lay(&self.nodes, NULL, 0);
    set_likelihood(&self, successes, failures);
    size_t node[XP__TENSOR_ARMS] = {0}, digit = 0;
    while (digit < arms) {
        add(&self, node);
        for (digit = 0; digit < arms && ++node[digit] == nodes; digit++) {
            node[digit] = 0;
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        const double mean = self.first[arm] / self.total;
        result->mean[arm] = mean;
        result->sd[arm] = sqrt(fmax(0, self.second[arm] / self.total - mean * mean));
        result->law[arm] = self.best[arm] / self.total;
    }
    xp__free(block);
    return XP_OK;
}
