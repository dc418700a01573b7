/* softmax_policy.h: policies that choose by softmax(W x), with x features of a real-valued state,
 * and their fit to weighted demonstrations.
 *
 * Features are the standardised inputs z and 1; with bends also the signed squares z |z|, for
 * curves through the origin, such as where a controller begins to brake, and the products of two.
 * A fit is a Newton step on the likelihood with a ridge penalty, halved until nothing is lost. */
#ifndef XP_PRIOR_MIXTURE_SOFTMAX_POLICY_H
#define XP_PRIOR_MIXTURE_SOFTMAX_POLICY_H

#include "encode/encoded_demos.h"

typedef enum xp__bends { XP__BENDS_NONE, XP__BENDS_SQUARES, XP__BENDS_PRODUCTS } xp__bends;

/* Demonstrations as features. Where they have very many steps, every few of them are left out, the
 * same number everywhere. */
typedef struct xp__softmax_policy {
    const xp__encoded_demos *demos;
    size_t actions, inputs;
    size_t width, weights; /* features, and actions × features, of the bends in use */
    xp__bends bends;
    double ridge;
    double *mean, *scale;     /* [inputs] */
    size_t *first;            /* [trajectories + 1]: steps first[t] .. first[t + 1] - 1 are of t */
    uint32_t *action;         /* [steps] */
    double *x;                /* [steps][width] */
    double *gradient, *trial; /* [weights] */
    double *hessian;          /* [weights][weights] */
} xp__softmax_policy;

/* Whether a policy of such demonstrations has few enough weights. */
bool xp__softmax_policy_fits(const xp__encoded_demos *demos);
/* The most bends that are affordable. */
xp__bends xp__softmax_policy_most_bends(const xp__encoded_demos *demos);
/* The weights of a policy with so many bends. */
size_t xp__softmax_policy_weights(const xp__encoded_demos *demos, xp__bends bends);

/* False when memory runs out. The demonstrations have to stay. */
bool xp__softmax_policy_init(xp__softmax_policy *policy, const xp__encoded_demos *demos);
void xp__softmax_policy_deinit(xp__softmax_policy *policy); /* also one that is all zero */
/* From now on policies have these bends, at most those that are affordable, and this ridge. */
void xp__softmax_policy_use(xp__softmax_policy *policy, xp__bends bends, double ridge);

/* The likeliest action in a demonstrated state. */
uint32_t xp__softmax_policy_best(const xp__softmax_policy *policy, const double *w, size_t row);
/* Of demonstration t; and how many of its steps that is over. */
double xp__softmax_policy_log_likelihood(const xp__softmax_policy *policy, const double *w,
                                         size_t t);
size_t xp__softmax_policy_steps(const xp__softmax_policy *policy, size_t t);
/* Moves w towards the most likely weights, demonstration t counting `by`[t]; the ridge holds it at
 * `centre` (NULL: 0). */
void xp__softmax_policy_newton(xp__softmax_policy *policy, double *w, const double *centre,
                               const double *by);

#endif
