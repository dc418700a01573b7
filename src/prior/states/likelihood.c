/* likelihood.c: see likelihood.h. */
#include "prior/states/likelihood.h"

#include "base/memory.h"
#include "math/softmax.h"

#include <math.h>

/* log softmax(beta q)(action), without overflow. */
static double log_choice(const float *q, size_t actions, double beta, size_t action) {
    double best;
    const double sum = xp__soft_sum(q, actions, beta, NULL, &best);
    return beta * ((double)q[action] - best) - log(sum);
}

void xp__network_log_likelihoods(const xp__net *net, size_t first, size_t count,
                                 const xp__encoded_demos *demos, double beta, float *q,
                                 double *log_likelihood) {
    const xp__net_rows rows = xp__encoded_demos_rows(demos);
    const size_t actions = demos->actions;
    for (size_t member = 0; member < count; member++) {
        xp__net_q(net, first + member, 1, &rows, q);
        for (size_t t = 0; t < demos->trajectories; t++) {
            double sum = 0;
            for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
                sum +=
                    log_choice(q + demos->row[step] * actions, actions, beta, demos->action[step]);
            }
            log_likelihood[member * demos->trajectories + t] = sum;
        }
    }
}

xp_status xp__network_mean_log_likelihood(const xp__net *net, const xp__encoded_demos *demos,
                                          double beta, xp__watch *watch, double *mean,
                                          xp_error *error) {
    const size_t members = xp__net_get_options(net)->members;
    float *q = xp__alloc(demos->rows.count * demos->actions, sizeof *q);
    double *each = xp__alloc(demos->trajectories, sizeof *each);
    double sum = 0;
    for (size_t member = 0; q != NULL && each != NULL && member < members; member++) {
        if (xp__watch_stopped(watch)) {
            break;
        }
        xp__network_log_likelihoods(net, member, 1, demos, beta, q, each);
        for (size_t t = 0; t < demos->trajectories; t++) {
            sum += each[t] * (double)demos->count[t];
        }
    }
    const size_t steps = demos->start[demos->trajectories];
    *mean = sum / (double)members / (double)demos->steps_up_to[steps - 1];
    const bool made = q != NULL && each != NULL;
    xp__free(q);
    xp__free(each);
    return made ? XP_OK : xp__no_memory(error);
}
