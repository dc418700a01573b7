/* independent.h: priors with independent arms from a family with two parameters (Definition 1).
 *
 * A family is an exponential family on (0, 1): the log density of an arm's mean x is c1 T1(x) + c2
 * T2(x) minus a normaliser, where c depends on the arm's two parameters. A file of a family gives
 * the functions below; fitting, densities and files are shared. */
#ifndef XP_PRIOR_BANDIT_INDEPENDENT_H
#define XP_PRIOR_BANDIT_INDEPENDENT_H

#include "prior/bandit/choice_likelihood.h"
#include "prior/bandit/prior_type.h"

typedef struct xp__family {
    const char *name[2]; /* of the parameters, in files */
    bool positive[2];    /* the parameter must be */
    /* Fits work on two coordinates an arm: where they start (near the uniform distribution), and
     * the box in which they stay. */
    double start[2], low[2], high[2];
    /* T1 and T2 from x, log x and log(1 − x). */
    void (*statistics)(double x, double log_x, double log_1_x, double t[2]);
    /* dT1/dx and dT2/dx. */
    void (*slopes)(double x, double t[2]);
    /* c1 and c2. */
    void (*natural)(const double parameter[2], double c[2]);
    /* The parameters that coordinates stand for, and by[i][j] = dc_i / d coordinate_j. */
    void (*chart)(const double coordinate[2], double parameter[2], double by[2][2]);
    double (*log_normaliser)(const double parameter[2]);
    /* Where the density is largest, NAN if it is unbounded. */
    double (*mode)(const double parameter[2]);
} xp__family;

/* The struct of a type with independent arms. */
typedef struct xp__independent_prior {
    xp_prior prior;
    const xp__family *family;
    double *parameter[2]; /* K each */
    double *c[2];         /* K each */
    double *log_normaliser;
} xp__independent_prior;

/* The parameters that all families share in their tables. */
#define XP__INDEPENDENT_PARAMS                                                                     \
    {.name = "beta",                                                                               \
     .summary = "assumed competence of the experts; inf is optimal",                               \
     .kind = XP_PARAM_REAL,                                                                        \
     .low = 0,                                                                                     \
     .high = INFINITY,                                                                             \
     .standard = 10},                                                                              \
        {.name = "rule",                                                                           \
         .summary = "where a fit ends: at the optimum of the penalised likelihood, or after a "    \
                    "number of steps",                                                             \
         .kind = XP_PARAM_CHOICE,                                                                  \
         .low = 0,                                                                                 \
         .high = 1,                                                                                \
         .standard = 0,                                                                            \
         .choices = "penalty|steps"},                                                              \
        {.name = "penalty",                                                                        \
         .summary = "weight of KL(arm || uniform), in demonstrations; if not given, 1, or more "   \
                    "if the prior fits badly",                                                     \
         .kind = XP_PARAM_REAL,                                                                    \
         .low = 0,                                                                                 \
         .high = 1e9,                                                                              \
         .standard = NAN},                                                                         \
        {.name = "steps",                                                                          \
         .summary =                                                                                \
             "number of Adam steps with rule=steps; if not given, 300, or 50 for beta up to 2.5",  \
         .kind = XP_PARAM_INTEGER,                                                                 \
         .low = 1,                                                                                 \
         .high = 1e6,                                                                              \
         .standard = NAN},                                                                         \
    {                                                                                              \
        .name = "learning_rate", .summary = "step size of Adam, on the fitted coordinates",        \
        .kind = XP_PARAM_REAL, .low = 1e-6, .high = 1, .standard = 0.02                            \
    }

/* Fills a prior from its parameters (K each, copied). */
xp_status xp__independent_set(xp_prior *prior, const xp__family *family, const double *first,
                              const double *second, xp_error *error);
xp_status xp__independent_from_json(xp_prior *prior, const xp__family *family, const json_t *object,
                                    xp_error *error);

/* Functions of an xp__prior_type. */
void xp__independent_deinit(xp_prior *prior);
xp_status xp__independent_to_json(const xp_prior *prior, json_t *object, xp_error *error);
double xp__independent_log_density(const xp_prior *prior, const double *theta);
void xp__independent_gradient(const xp_prior *prior, const double *theta, double *gradient);
double xp__independent_arm_log_density(const xp_prior *prior, size_t arm, double x);
double xp__independent_arm_gradient(const xp_prior *prior, size_t arm, double x);

/* What the const types of all families share; each adds how it is fitted and read from a file. */
#define XP__INDEPENDENT_FUNCTIONS                                                                  \
    .size = sizeof(xp__independent_prior), .deinit = xp__independent_deinit,                       \
    .to_json = xp__independent_to_json, .log_density = xp__independent_log_density,                \
    .gradient = xp__independent_gradient, .arm_log_density = xp__independent_arm_log_density,      \
    .arm_gradient = xp__independent_arm_gradient

#endif
