/* likelihood.h: how likely demonstrations are under networks: m_τ(Q) = Π_h softmax(beta Q(s_h,
 * .))(a_h) (Assumption 1). */
#ifndef XP_PRIOR_STATES_LIKELIHOOD_H
#define XP_PRIOR_STATES_LIKELIHOOD_H

#include "base/watch.h"
#include "encode/encoded_demos.h"

/* log m_τ for members first .. first + count - 1 of `net`: log_likelihood[count][trajectories].
 * `q` has room for rows × actions floats. */
void xp__network_log_likelihoods(const xp__net *net, size_t first, size_t count,
                                 const xp__encoded_demos *demos, double beta, float *q,
                                 double *log_likelihood);

/* Mean over members and demonstrated steps of log softmax(beta Q(s, .))(a). `watch` may be NULL;
 * once it has stopped, the mean is of no use. */
xp_status xp__network_mean_log_likelihood(const xp__net *net, const xp__encoded_demos *demos,
                                          double beta, xp__watch *watch, double *mean,
                                          xp_error *error);

#endif
