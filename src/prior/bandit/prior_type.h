/* prior_type.h: what an implementation of a prior provides.
 *
 * One file src/prior/<name>.c defines `const xp__prior_type xp__prior_<name>`. A prior says what
 * structure it has by filling the fields of xp_prior below; samplers read those and nothing else,
 * so a new prior works with every sampler that its structure allows. */
#ifndef XP_PRIOR_BANDIT_PRIOR_TYPE_H
#define XP_PRIOR_BANDIT_PRIOR_TYPE_H

#include "experior/prior.h"

#include "base/params.h"
#include "base/text/json.h"
#include "base/watch.h"
#include "prior/bandit/reference.h"
#include "reward/reward_type.h"

typedef struct xp__prior_type {
    const char *name;
    const char *summary;
    const xp_param *params;
    size_t param_count;
    size_t size;       /* bytes of the whole struct, which starts with an xp_prior */
    bool takes_target; /* it can be fitted to frequencies in place of counts (xp_prior.target) */
    /* Fits a prior whose arms, counts, demonstrations and params are set. May fill prior->fit. */
    xp_status (*fit)(xp_prior *prior, xp_rng *rng, xp_error *error);
    void (*deinit)(xp_prior *prior); /* frees what fit or from_json made; may be NULL */
    /* Fields of its own in the file; from_json also rebuilds the structure fields. */
    xp_status (*to_json)(const xp_prior *prior, json_t *object, xp_error *error);
    xp_status (*from_json)(xp_prior *prior, const json_t *object, xp_error *error);
    double (*log_density)(const xp_prior *prior, const double *theta);
    void (*gradient)(const xp_prior *prior, const double *theta, double *gradient);
    /* Independent arms: log density of one arm's mean with respect to U(0, 1), and its derivative.
     * NULL when arms are not independent. */
    double (*arm_log_density)(const xp_prior *prior, size_t arm, double x);
    double (*arm_gradient)(const xp_prior *prior, size_t arm, double x);
} xp__prior_type;

struct xp_prior {
    const xp__prior_type *type;
    size_t arms; /* K */
    xp__params params;
    xp_fit fit;
    uint64_t *counts;        /* K: how often demonstrations chose each arm */
    uint64_t demonstrations; /* their sum, N */
    char **action_names;     /* K, or NULL */
    /* Of a segment (prior/pooling): the K frequencies that it was fitted to, which are not those of
     * its counts alone, and the choices that they are worth. NULL and 0 otherwise. */
    double *target;
    double effective;
    xp__watch watch;   /* told by fit; empty afterwards */
    xp__reward reward; /* what arms pay; no type is Bernoulli's */

    /* Structure; a field is NULL when the prior does not have it. The next two are densities with
     * respect to the reference: NULL is the uniform one, and a sampler that knows no other must
     * ask. */
    const xp__reference *reference;
    const double *best_arm_log_weight; /* K: log density is a function of argmax theta alone */
    const double *softmax_weight; /* K: log density = Σ_a w_a softmax_a(beta θ) − log_normaliser */
    double softmax_beta;          /* times the sharpness of the component, if there are any */
    double log_normaliser;
    const double *beta_a, *beta_b; /* K each: independent Beta arms */
    /* K each: arms whose means are low + (high − low) Beta(a, b), independently. */
    const double *range_a, *range_b;
    double range_low, range_high;
    double log_density_bound; /* INFINITY if unbounded */
    double log_tilt_bound;    /* with a reference: the same of the density with respect to it */
};

extern const xp__prior_type *const xp__prior_types[];
extern const size_t xp__prior_type_count;

/* The fields of a prior in a JSON object, added to it and read from it; what else is in the object
 * is left alone. */
xp_status xp__prior_to_object(const xp_prior *prior, json_t *root, xp_error *error);
xp_status xp__prior_from_object(const json_t *root, xp_prior **prior, xp_error *error);
/* A prior's own document, as files of version 0.1 have it: its text, for xp__free; and back, `name`
 * standing for the file in messages. Models are read from such files too. */
xp_status xp__prior_to_json(const xp_prior *prior, char **text, xp_error *error);
xp_status xp__prior_from_json(const char *text, size_t bytes, const char *name, xp_prior **prior,
                              xp_error *error);

/* Default parameters of the named prior; the parameters of a spec; and a fit with parameters, NULL
 * meaning the defaults. */
xp_status xp__prior_params_default(const char *method, xp__params *params, xp_error *error);
xp_status xp__prior_params_read(const char *spec, xp__params *params, xp_error *error);
xp_status xp__prior_fit(const char *method, const xp__params *params, const xp_demos *demos,
                        xp_rng *rng, xp_prior **prior, xp_fit *fit, xp_error *error);
/* The same for a caller who watches: told an estimate of the work done, a nonzero return ends the
 * fit with XP_ERR_INTERRUPTED. The result does not depend on who watches. */
typedef struct xp__prior_fit_options {
    const xp__params *params; /* NULL: the defaults */
    xp_rng *rng;              /* NULL where the estimator is not stochastic */
    xp_progress progress;     /* NULL: nobody watches */
    void *progress_context;
    const double *target; /* K frequencies to fit in place of the counts'; NULL: none */
    double effective;     /* the choices that they are worth */
} xp__prior_fit_options;
xp_status xp__prior_fit_with(const char *method, const xp__prior_fit_options *options,
                             const xp_demos *demos, xp_prior **prior, xp_fit *fit, xp_error *error);

/* The type of that name, or NULL. */
const xp__prior_type *xp__prior_type_find(const char *name);
/* An empty prior: default parameters, zero counts, no structure, a fit with nothing in it. */
xp_status xp__prior_create(const xp__prior_type *type, size_t arms, xp_prior **prior,
                           xp_error *error);
/* Gives it a target (K positive numbers that add up to 1, copied). */
xp_status xp__prior_set_target(xp_prior *prior, const double *target, double effective,
                               xp_error *error);
/* Names the actions after `name` (K strings, copied). */
xp_status xp__prior_name_actions(xp_prior *prior, const char *const *name, xp_error *error);

/* With a reference: the log density with respect to it at (component, theta). */
double xp__prior_tilt(const xp_prior *prior, size_t component, const double *theta);
/* The uniform prior, or with parameters its reference alone (NULL: the defaults). */
xp_status xp__prior_create_alone(const xp__params *params, size_t arms, xp_prior **prior,
                                 xp_error *error);

/* Means that are independent and each low + (high − low) Beta(a, b), 0 <= low < high <= 1. It is
 * given, not fitted, and has no file. */
xp_status xp__prior_create_ranged(size_t arms, const double *a, const double *b, double low,
                                  double high, xp_prior **prior, xp_error *error);

/* Frequencies (n_a + smoothing) / (N + K smoothing) of the arms in the demonstrations; the target,
 * which is smooth already, where there is one. */
void xp__prior_frequencies(const xp_prior *prior, double smoothing, double *p);
/* Smoothed frequencies (n_a + 1/2) / (N + K/2). */
void xp__prior_smoothed(const xp_prior *prior, double *p);
/* The number of choices that a fit rests on: N, or what its target is worth. */
double xp__prior_effective(const xp_prior *prior);
/* KL(p || q) = Σ_a p_a log(p_a / q_a) in nats; terms with p_a = 0 are zero. */
double xp__divergence(const double *p, const double *q, size_t n);
/* Σ_a p_a log q_a with p the unsmoothed frequencies: the mean log likelihood of a demonstration
 * when arm a is chosen with probability q_a. */
double xp__prior_log_likelihood(const xp_prior *prior, const double *q);

#endif
