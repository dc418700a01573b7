/* reference.h: what is assumed about the scale of rewards before any expert or reward is seen.
 *
 * The maximum-entropy prior is the one nearest to a reference. The paper's is uniform on [0, 1]^K.
 * Here the reference is a mixture of exchangeable ones,
 *     mu0 = Σ_h pi_h Π_a Beta(theta_a; a_h, b_h) ,
 * of which each says on what scale rewards are, and rewards learn which. Under every component all
 * arms are equally likely to be the best, so that the closed form for optimal experts stays as it
 * is. The context is (h, theta): an expert sees the scale that he works on, and where competence is
 * relative to it, it is beta times `sharpness` under component h.
 *
 * Every a and b is at least 1: densities are bounded, and posteriors have one mode per arm. */
#ifndef XP_PRIOR_BANDIT_REFERENCE_H
#define XP_PRIOR_BANDIT_REFERENCE_H

#include "base/params.h"
#include "base/text/json.h"

enum { XP__REFERENCE_MAX = 32 };

typedef struct xp__reference {
    size_t count;                        /* H */
    double weight[XP__REFERENCE_MAX];    /* pi; adds up to one */
    double a[XP__REFERENCE_MAX];         /* of the Beta distribution of each arm */
    double b[XP__REFERENCE_MAX];         /* likewise */
    double sharpness[XP__REFERENCE_MAX]; /* beta_h / beta; 1 where beta is absolute */
    double constant[XP__REFERENCE_MAX];  /* log pi_h − K log B(a_h, b_h) */
} xp__reference;

/* Rows of a table of parameters, the same for every prior that has a reference. */
#define XP__REFERENCE_PARAMS                                                                       \
    {.name = "reference",                                                                          \
     .summary = "what is assumed about means before any choice is seen: uniform; beta, a known "   \
                "base rate; or learned, a mixture of scales between which rewards decide",         \
     .kind = XP_PARAM_CHOICE,                                                                      \
     .low = 0,                                                                                     \
     .high = 2,                                                                                    \
     .standard = 0,                                                                                \
     .choices = "uniform|beta|learned"},                                                           \
        {.name = "mean",                                                                           \
         .summary = "base rate M of reference = beta, which is Beta(S, S (1 - M) / M)",            \
         .kind = XP_PARAM_REAL,                                                                    \
         .low = 1e-6,                                                                              \
         .high = 1 - 1e-6,                                                                         \
         .standard = NAN},                                                                         \
    {                                                                                              \
        .name = "shape",                                                                           \
        .summary = "shape S of reference = beta; the smallest with one mode if not given",         \
        .kind = XP_PARAM_REAL, .low = 1, .high = 1e6, .standard = NAN                              \
    }
/* Another row, for priors with a beta. */
#define XP__REFERENCE_UNIT_PARAM                                                                   \
    {                                                                                              \
        .name = "unit",                                                                            \
        .summary = "unit of beta: absolute, one over reward; or relative to the spread of the "    \
                   "reference",                                                                    \
        .kind = XP_PARAM_CHOICE, .low = 0, .high = 1, .standard = 0,                               \
        .choices = "absolute|relative"                                                             \
    }

/* The reference that parameters name, for so many arms. `*given` is false, and nothing is filled,
 * for the uniform one. XP_ERR_INPUT if mean and shape do not fit together. */
xp_status xp__reference_init(xp__reference *reference, const xp__params *params, size_t arms,
                             bool *given, xp_error *error);
/* Fields of a file: the components are written out, so that a file keeps its meaning. */
xp_status xp__reference_to_json(const xp__reference *reference, json_t *object, xp_error *error);
/* The same back, checked against the parameters. */
xp_status xp__reference_from_json(xp__reference *reference, const xp__params *params, size_t arms,
                                  bool *given, const json_t *object, xp_error *error);

/* term[h] = log(pi_h Π_a Beta(theta_a; a_h, b_h)). */
void xp__reference_terms(const xp__reference *reference, size_t arms, const double *theta,
                         double *term);
/* Turns terms into the components' shares, which add up to one; returns the log of their sum. */
double xp__reference_shares(const xp__reference *reference, double *term);
/* gradient[a] = Σ_h share_h d log Beta(theta_a; a_h, b_h) / d theta_a. */
void xp__reference_gradient(const xp__reference *reference, size_t arms, const double *theta,
                            const double *share, double *gradient);
/* An upper bound of the logarithm of the density. */
double xp__reference_bound(const xp__reference *reference, size_t arms);

/* The marginal likelihood of rewards under each component, times pi_h and up to a common factor:
 * weight[h] adds up to one. `successes` and `failures` have one number per arm. */
void xp__reference_evidence(const xp__reference *reference, size_t arms, const double *successes,
                            const double *failures, double *weight);

#endif
