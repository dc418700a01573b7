/* Experts: each rule against the law it stands for. */
#include "claim.h"
#include "expert_action.h"

#include "env/context.h"
#include "experior/expert.h"
#include "expert/expert_type.h"
#include "math/argmax.h"
#include "math/special.h"
#include "experior/catalogue.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 5, DRAWS = 200000 };

typedef struct fixture {
    xp_env *env;
    xp_task *task;
    double q[ARMS];
} fixture;

static fixture make(uint64_t seed) {
    static const double a[ARMS] = {2, 3, 1, 4, 2}, b[ARMS] = {1, 2, 1, 2, 3};
    fixture made;
    if (xp_env_create_bernoulli_bandit(ARMS, a, b, &made.env, NULL) != XP_OK ||
        xp_task_create(made.env, &made.task, NULL) != XP_OK) {
        abort();
    }
    xp_rng rng = xp_rng_seed(seed);
    xp_task_draw(made.task, &rng);
    xp__task_optimal_q(made.task, NULL, made.q);
    return made;
}

static void destroy(fixture *made) {
    xp_task_destroy(made->task);
    xp_env_destroy(made->env);
}

static xp_expert *expert(const char *name, const char *param, double value) {
    xp__params params;
    xp_expert *made;
    if (xp__expert_params_default(name, &params, NULL) != XP_OK ||
        (param != NULL && xp__params_set(&params, param, value, NULL) != XP_OK) ||
        xp__expert_create(name, &params, &made, NULL) != XP_OK) {
        abort();
    }
    return made;
}

/* p-value of DRAWS actions against the law `p`. */
static double fit(const xp_expert *who, const fixture *made, const double *p, uint64_t seed) {
    double count[ARMS] = {0}, statistic = 0;
    xp_rng rng = xp_rng_seed(seed);
    for (int i = 0; i < DRAWS; i++) {
        count[expert_action(who, &rng, made->task, NULL)]++;
    }
    for (int a = 0; a < ARMS; a++) {
        statistic += (count[a] - DRAWS * p[a]) * (count[a] - DRAWS * p[a]) / (DRAWS * p[a]);
    }
    return xp__chi_square_survival(statistic, ARMS - 1);
}

CLAIM(every_expert_describes_itself_acts_within_range_and_repeats_itself) {
    fixture made = make(1);
    EXPECT(xp_catalogue_count(XP_EXPERTS) >= 3);
    for (size_t i = 0; i < xp_catalogue_count(XP_EXPERTS); i++) {
        const char *name = xp_catalogue_get(XP_EXPERTS, i).name;
        EXPECT(name[0] != '\0' && xp_catalogue_get(XP_EXPERTS, i).summary[0] != '\0');
        xp__params params;
        EXPECT(xp__expert_params_default(name, &params, NULL) == XP_OK);
        for (size_t k = 0; k < params.count; k++) {
            EXPECT(xp__params_set(&params, params.table[k].name, params.table[k].standard, NULL) ==
                   XP_OK);
        }
        xp_expert *defaults, *given;
        EXPECT(xp_expert_create(name, &defaults, NULL) == XP_OK);
        EXPECT(xp__expert_create(name, &params, &given, NULL) == XP_OK);
        xp_rng left = xp_rng_seed(2), right = left;
        for (int k = 0; k < 1000; k++) {
            const size_t action = expert_action(defaults, &left, made.task, NULL);
            EXPECT(action < ARMS);
            EXPECT(action == expert_action(given, &right, made.task, NULL));
        }
        xp_expert_destroy(defaults);
        xp_expert_destroy(given);
    }
    xp_expert_destroy(NULL);
    destroy(&made);
}

CLAIM(acting_never_allocates) {
    static const xp__allocator none = {NULL, NULL, NULL}; /* a call would crash */
    fixture made = make(3);
    for (size_t i = 0; i < xp_catalogue_count(XP_EXPERTS); i++) {
        xp_expert *who = expert(xp_catalogue_get(XP_EXPERTS, i).name, NULL, 0);
        xp_rng rng = xp_rng_seed(4);
        xp__allocator_install(&none);
        for (int k = 0; k < 100; k++) {
            (void)expert_action(who, &rng, made.task, NULL);
        }
        xp__allocator_install(NULL);
        xp_expert_destroy(who);
    }
    destroy(&made);
}

CLAIM(the_optimal_expert_takes_the_best_action_in_every_context) {
    fixture made = make(5);
    xp_expert *optimal = expert("optimal", NULL, 0);
    xp_expert *limit = expert("noisily_rational", "beta", INFINITY);
    xp_expert *certain = expert("random_optimal", "gamma", 1);
    xp_rng rng = xp_rng_seed(6);
    for (int i = 0; i < 2000; i++) {
        xp_task_draw(made.task, &rng);
        xp__task_optimal_q(made.task, NULL, made.q);
        const size_t action = expert_action(optimal, &rng, made.task, NULL);
        bool best = true;
        for (size_t a = 0; a < ARMS; a++) {
            best = best && made.q[action] >= made.q[a];
        }
        EXPECT(best);
        EXPECT(expert_action(limit, &rng, made.task, NULL) == action);
        EXPECT(expert_action(certain, &rng, made.task, NULL) == action);
    }
    xp_expert_destroy(optimal);
    xp_expert_destroy(limit);
    xp_expert_destroy(certain);
    destroy(&made);
}

CLAIM(ties_are_broken_evenly_where_that_is_asked_for) {
    const xp__expert_type *type = NULL;
    for (size_t i = 0; i < xp__expert_type_count; i++) {
        type = strcmp(xp__expert_types[i]->name, "optimal") == 0 ? xp__expert_types[i] : type;
    }
    /* The second differs from the first by rounding, the fourth by more. */
    const double q[] = {0.1 + 0.2, 0.3, -1, 0.3 - 1e-6};
    xp__params params;
    xp_rng rng = xp_rng_seed(7);
    EXPECT(xp__expert_params_read("optimal:ties=uniform", &params, NULL) == XP_OK);
    size_t count[4] = {0};
    for (int i = 0; i < 10000; i++) {
        count[type->act(&params, &rng, q, 4)]++;
    }
    EXPECT(count[0] + count[1] == 10000); /* standard deviation 50 */
    EXPECT(count[0] > 4750 && count[0] < 5250);
}

CLAIM(the_noisily_rational_expert_follows_the_softmax) {
    static const double betas[] = {0, 0.5, 2.5, 10};
    fixture made = make(7);
    for (size_t k = 0; k < sizeof betas / sizeof betas[0]; k++) {
        double p[ARMS], total = 0;
        for (int a = 0; a < ARMS; a++) {
            p[a] = exp(betas[k] * made.q[a]);
            total += p[a];
        }
        for (int a = 0; a < ARMS; a++) {
            p[a] /= total;
        }
        xp_expert *who = expert("noisily_rational", "beta", betas[k]);
        EXPECT(fit(who, &made, p, 100 + k) > 1e-6);
        xp_expert_destroy(who);
    }
    destroy(&made);
}

CLAIM(a_very_competent_expert_neither_overflows_nor_errs) {
    fixture made = make(8);
    xp_expert *who = expert("noisily_rational", "beta", 1e300);
    xp_rng rng = xp_rng_seed(9);
    for (int i = 0; i < 1000; i++) {
        EXPECT(expert_action(who, &rng, made.task, NULL) == xp__argmax(made.q, ARMS));
    }
    xp_expert_destroy(who);
    destroy(&made);
}

CLAIM(the_random_optimal_expert_mixes_the_best_action_with_all) {
    static const double gammas[] = {0, 0.3, 0.9};
    fixture made = make(10);
    for (size_t k = 0; k < sizeof gammas / sizeof gammas[0]; k++) {
        double p[ARMS];
        for (int a = 0; a < ARMS; a++) {
            p[a] = (1 - gammas[k]) / ARMS;
        }
        p[xp__argmax(made.q, ARMS)] += gammas[k];
        xp_expert *who = expert("random_optimal", "gamma", gammas[k]);
        EXPECT(fit(who, &made, p, 200 + k) > 1e-6);
        xp_expert_destroy(who);
    }
    destroy(&made);
}

CLAIM(unknown_experts_and_bad_parameters_are_named) {
    xp_expert *who = (xp_expert *)&who;
    xp__params params;
    xp_error error;
    EXPECT(xp_expert_create("wise", &who, &error) == XP_ERR_INPUT && who == NULL);
    EXPECT_TEXT(error.message, "there is no expert 'wise'");
    EXPECT(xp__expert_params_default("random_optimal", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "gamma", 1.5, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "random_optimal.gamma = 1.5 is outside [0, 1]");
    EXPECT(xp__expert_params_default("noisily_rational", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "beta", -1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "noisily_rational.beta = -1 is outside [0, inf]");
}
