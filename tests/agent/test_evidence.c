/* The posterior over policies from the returns of episodes: against brute-force integration of its
 * definition (evidence.h), and in the limits where the answer is known. */
#include "agent/evidence_scene.h"
#include "claim.h"
#include "house/failing_allocator.h"

#include "agent/states/evidence/evidence.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* The definition, for one return of each tried policy (so that the noise is the resolution). */
typedef struct model {
    size_t count, special; /* special == count: none of the tried */
    const double *x;
    double noise, tau, omega, base;
    gsl_integration_workspace *inner;
} model;

static double over_gap(double g, void *context) {
    const model *m = context;
    return 2 * gsl_ran_gaussian_pdf(g, m->omega) *
           gsl_ran_gaussian_pdf(m->x[m->special] - m->base - g, m->noise);
}

/* Integrated over g where the integrand is: near x - B, and below a few ω. */
static double gap_factor(model *m) {
    const double middle = m->x[m->special] - m->base, reach = 12 * m->noise;
    const double low = fmax(0, middle - reach);
    const double high = fmin(fmax(middle, 0) + reach, 40 * m->omega);
    double value = 0, unsure;
    if (high > low) {
        gsl_function f = {over_gap, m};
        gsl_integration_qag(&f, low, high, 0, 1e-9, 1000, GSL_INTEG_GAUSS61, m->inner, &value,
                            &unsure);
    }
    return value;
}

static double over_base(double base, void *context) {
    model *m = context;
    m->base = base;
    double product = m->special < m->count ? gap_factor(m) : 1;
    for (size_t k = 0; k < m->count; k++) {
        if (k != m->special) {
            product *= gsl_ran_gaussian_pdf(m->x[k] - base, hypot(m->tau, m->noise));
        }
    }
    return product;
}

/* Splits the line into pieces on which the integrand is smooth. */
static double integrate(model *m, gsl_integration_workspace *outer) {
    const double wide = 12 * hypot(m->tau, m->noise);
    double low = m->x[0], high = m->x[0], sum = 0;
    for (size_t k = 0; k < m->count; k++) {
        low = fmin(low, m->x[k]);
        high = fmax(high, m->x[k]);
    }
    const double cut[] = {low - wide, low - 4 * m->noise,  low,
                          high,       high + 4 * m->noise, high + wide};
    for (size_t i = 0; i + 1 < sizeof cut / sizeof cut[0]; i++) {
        gsl_function f = {over_base, m};
        double value = 0, unsure;
        gsl_integration_qag(&f, cut[i], cut[i + 1], 0, 1e-7, 1000, GSL_INTEG_GAUSS31, outer, &value,
                            &unsure);
        sum += value;
    }
    return sum;
}

CLAIM(the_posterior_is_what_integrating_its_definition_gives) {
    const double x[] = {0.3, -0.2, 7};
    const double prior[] = {0.2, 0.1, 0.15, 0.25, 0.1};
    const double none = 0.2;
    xp__evidence evidence = make_evidence(5, 1, 0.5, none);
    for (size_t k = 0; k < 5; k++) {
        evidence.prior[k] = prior[k];
    }
    for (size_t k = 0; k < 3; k++) {
        xp__evidence_record(&evidence, k, x[k], false);
    }
    double posterior[7], wanted[7] = {0}, total = 0;
    xp__evidence_posterior(&evidence, posterior);
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(1000);
    model m = {.count = 3, .x = x, .noise = 0.5, .inner = gsl_integration_workspace_alloc(1000)};
    for (int a = 0; a < 9; a++) {
        for (int b = a + 2; b < 9; b++) { /* ω >= 16 τ */
            m.tau = 0.5 * pow(4, a);
            m.omega = 0.5 * pow(4, b);
            for (size_t k = 0; k < 7; k++) {
                m.special = k < 3 ? k : 3;
                wanted[k] += (k < 5 ? prior[k] : none / 2) * integrate(&m, outer);
            }
        }
    }
    for (size_t k = 0; k < 7; k++) {
        total += wanted[k];
    }
    for (size_t k = 0; k < 7; k++) {
        EXPECT_NEAR(posterior[k], wanted[k] / total, 1e-6);
    }
    EXPECT(posterior[2] > 0.5 && posterior[2] < 0.99); /* so that the claim is about something */
    gsl_integration_workspace_free(m.inner);
    gsl_integration_workspace_free(outer);
    xp__evidence_deinit(&evidence);
}

CLAIM(without_a_comparison_the_posterior_is_the_prior) {
    xp__evidence evidence = make_evidence(4, 2, 0.1, 0.4);
    double posterior[6];
    for (int tried = 0; tried < 3; tried++) {
        xp__evidence_posterior(&evidence, posterior);
        for (size_t k = 0; k < 6; k++) {
            EXPECT_NEAR(posterior[k], k < 4 ? 0.15 : 0.2, 1e-12);
        }
        xp__evidence_record(&evidence, 1, 3, false); /* again and again the same policy */
    }
    xp__evidence_deinit(&evidence);
}

/* Of thirty policies, ten returned the same within the resolution, then one a great deal more. */
CLAIM(one_success_among_failures_settles_it) {
    xp__evidence evidence = make_evidence(30, 1, 0.05, 0.05);
    double posterior[32];
    for (size_t k = 0; k < 10; k++) {
        xp__evidence_record(&evidence, k, -0.001 * (double)k, false);
    }
    xp__evidence_posterior(&evidence, posterior);
    for (size_t k = 0; k < 10; k++) {
        EXPECT(posterior[k] < 0.05 * posterior[29]); /* a failed one against one not yet tried */
    }
    EXPECT_NEAR(posterior[10], posterior[29], 1e-12);
    xp__evidence_record(&evidence, 17, 0.99, false);
    xp__evidence_posterior(&evidence, posterior);
    EXPECT(posterior[17] > 0.999);
    xp__evidence_deinit(&evidence);
}

/* 8 policies, one of which returns 1 and the others 0: trying them in random order finds it at the
 * 4.5th try on average. */
CLAIM(posterior_sampling_tries_policies_about_once) {
    enum { RUNS = 500 };
    xp__evidence evidence = make_evidence(8, 1, 0.05, 0.02);
    const xp_rng root = xp_rng_seed(1);
    double tries = 0, late = 0;
    for (size_t run = 0; run < RUNS; run++) {
        xp_rng rng = xp_rng_fork(&root, run);
        const size_t good = (size_t)xp_rng_below(&rng, 8);
        bool found = false;
        xp__evidence_clear(&evidence);
        for (size_t t = 0; t < 60; t++) {
            const size_t policy = xp__evidence_draw(&evidence, &rng);
            tries += found ? 0 : 1;
            found = found || policy == good;
            late += t >= 40 && policy == good ? 1 : 0;
            xp__evidence_record(&evidence, policy, policy == good ? 1 : 0, false);
        }
    }
    EXPECT(tries / RUNS > 4 && tries / RUNS < 5.5);
    EXPECT(late / (20 * RUNS) > 0.98);
    xp__evidence_deinit(&evidence);
}

CLAIM(returns_may_be_shifted_and_scaled) {
    const double x[] = {1, 1.5, -2, 9, 1.25, 9.5}, by = 1024, shift = -7;
    xp__evidence plain = make_evidence(6, 1, 0.25, 0.1),
                 other = make_evidence(6, 1, 0.25 * by, 0.1);
    double one[8], two[8];
    for (size_t i = 0; i < 6; i++) {
        xp__evidence_record(&plain, i % 4, x[i], false);
        xp__evidence_record(&other, i % 4, by * (x[i] + shift), false);
    }
    xp__evidence_posterior(&plain, one);
    xp__evidence_posterior(&other, two);
    for (size_t k = 0; k < 8; k++) {
        EXPECT_NEAR(two[k], one[k], 1e-9);
    }
    xp_rng first = xp_rng_seed(5), second = xp_rng_seed(5);
    for (int i = 0; i < 100; i++) {
        EXPECT(xp__evidence_draw(&plain, &first) == xp__evidence_draw(&other, &second));
    }
    xp__evidence_deinit(&plain);
    xp__evidence_deinit(&other);
}

/* Where returns are noisy, a policy that is better by half a standard deviation wins in the long
 * run, and one that was lucky once does not. */
CLAIM(noise_is_learned_from_repetitions) {
    enum { RUNS = 40, EPISODES = 1500 };
    xp__evidence evidence = make_evidence(5, 1, 0.01, 0.05);
    const xp_rng root = xp_rng_seed(2);
    double best = 0;
    for (size_t run = 0; run < RUNS; run++) {
        xp_rng rng = xp_rng_fork(&root, run);
        xp__evidence_clear(&evidence);
        for (size_t t = 0; t < EPISODES; t++) {
            const size_t policy = xp__evidence_draw(&evidence, &rng);
            const double mean = policy == 3 ? 5 : policy < 5 ? 0 : -50;
            xp__evidence_record(&evidence, policy, mean + 10 * xp_rng_normal(&rng), false);
            best += t >= EPISODES - 300 && policy == 3 ? 1 : 0;
        }
    }
    EXPECT(best / (300 * RUNS) > 0.7);
    xp__evidence_deinit(&evidence);
}

/* A learner that comes to return more than every fixed policy takes over; when it gets worse again
 * it is dropped. */
CLAIM(what_learns_takes_over_and_is_dropped_by_its_latest_returns) {
    xp__evidence evidence = make_evidence(4, 3, 0.1, 0.05);
    xp_rng rng = xp_rng_seed(3);
    double share[3] = {0};
    for (size_t t = 0; t < 3000; t++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        const double learned = t >= 1000 && t < 2000 ? 6 : -100;
        const double value = policy < 4 ? (xp_rng_bernoulli(&rng, 0.5) ? 10 : -50) : learned;
        xp__evidence_record(&evidence, policy, value, false);
        if (t % 1000 >= 500) {
            share[t / 1000] += policy >= 4 ? 1 / 500.0 : 0;
        }
    }
    EXPECT(share[0] < 0.7);
    EXPECT(share[1] > 0.95);
    EXPECT(share[2] < 0.7);
    xp__evidence_deinit(&evidence);
}

CLAIM(a_policy_with_no_prior_is_not_drawn_before_it_was_tried) {
    xp__evidence evidence = make_evidence(3, 1, 1, 0.1);
    xp_rng rng = xp_rng_seed(4);
    evidence.prior[0] += evidence.prior[1];
    evidence.prior[1] = 0;
    for (int i = 0; i < 500; i++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        EXPECT(policy != 1);
        xp__evidence_record(&evidence, policy, 10 * xp_rng_normal(&rng), false);
    }
    xp__evidence_deinit(&evidence);
}

CLAIM(no_resolution_and_equal_returns_are_no_trouble) {
    xp__evidence evidence = make_evidence(3, 1, 0, 0);
    double posterior[5], sum = 0;
    xp_rng rng = xp_rng_seed(6);
    for (int i = 0; i < 100; i++) {
        xp__evidence_record(&evidence, xp__evidence_draw(&evidence, &rng), 0, false);
    }
    xp__evidence_posterior(&evidence, posterior);
    for (size_t k = 0; k < 5; k++) {
        EXPECT(posterior[k] >= 0 && posterior[k] <= 1);
        sum += posterior[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT(posterior[3] == 0 && posterior[4] == 0);
    xp__evidence_deinit(&evidence);
}

typedef struct rate_law {
    double b, count, strange;
} rate_law;

static double over_rate(double rate, void *context) {
    const rate_law *law = context;
    return law->b * pow(1 - rate, law->b - 1) * pow(rate, law->strange) *
           pow(1 - rate, law->count - law->strange);
}

static double probability_of(double b, double count, double strange) {
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    rate_law law = {b, count, strange};
    gsl_function f = {over_rate, &law};
    double value, unsure;
    gsl_integration_qag(&f, 0, 1, 0, 1e-9, 1000, GSL_INTEG_GAUSS61, space, &value, &unsure);
    gsl_integration_workspace_free(space);
    return value;
}

/* Against integration of the definition. Two policies that returned the same once tell nothing by
 * that of `none` and `same`, and one policy alone tells nothing at all. Each has a rate of its own.
 */
CLAIM(strange_episodes_tell_contexts_apart) {
    enum { USUAL = 20 };
    for (double strange = 0; strange <= 4; strange++) {
        xp__evidence evidence = make_evidence(3, 1, 0.1, 0.4);
        evidence.options.strange = 1.0 / USUAL;
        for (int i = 0; i < 7; i++) {
            xp__evidence_record(&evidence, 1, 3, i < strange);
        }
        const double usual = probability_of(USUAL, 7, strange), any = probability_of(1, 7, strange);
        const double weight[] = {0.1 * (usual + any), 0.2 * usual, 0.1 * (usual + any), 0.2 * any,
                                 0.2 * usual};
        double posterior[5], sum = 0;
        for (size_t k = 0; k < 5; k++) {
            sum += weight[k];
        }
        xp__evidence_posterior(&evidence, posterior);
        for (size_t k = 0; k < 5; k++) {
            EXPECT_NEAR(posterior[k], weight[k] / sum, 1e-9);
        }
        xp__evidence_record(&evidence, 2, 3, true);
        xp__evidence_posterior(&evidence, posterior);
        EXPECT_NEAR(posterior[3] / posterior[4],
                    any / usual * probability_of(1, 1, 1) / probability_of(USUAL, 1, 1), 1e-6);
        xp__evidence_deinit(&evidence);
    }
}

/* Where the experts' ways end as theirs never did, what learns acts, each as often as any other;
 * once nothing more is to be learned, the policy that returned most. */
CLAIM(strange_episodes_let_others_learn) {
    enum { FIXED = 5, HEADS = 4, GOOD = FIXED + 2 };
    for (int learned = 0; learned < 2; learned++) {
        xp__evidence evidence = make_evidence(FIXED, HEADS, 0.1, 0.04);
        evidence.options.strange = 0.01;
        xp_rng rng = xp_rng_seed(7);
        double learning = 0, good = 0;
        for (size_t t = 0; t < 1000; t++) {
            const size_t policy = xp__evidence_draw(&evidence, &rng);
            const bool strange = policy < FIXED && xp_rng_bernoulli(&rng, 0.4);
            const double head = policy == GOOD && learned ? 6 : -300;
            xp__evidence_record(&evidence, policy,
                                policy >= FIXED ? head
                                : strange       ? -100
                                                : 10,
                                strange);
            learning += t >= 500 && policy >= FIXED ? 1 / 500.0 : 0;
            good += t >= 500 && policy == GOOD ? 1 / 500.0 : 0;
        }
        EXPECT(learning > 0.9);
        EXPECT(good < 0.4);
        const size_t settled = xp__evidence_settled(&evidence);
        EXPECT(learned ? settled == GOOD : settled < FIXED);
        xp__evidence_deinit(&evidence);
    }
}

/* Twelve lucky returns of something that changes do not outweigh a hundred of a fixed policy, nor
 * do two of a fixed one; thirty that are better do. What was not tried is out of the running. */
CLAIM(a_settled_choice_is_not_the_luckiest) {
    enum { FIXED = 4, LEARNER = FIXED };
    xp__evidence evidence = make_evidence(FIXED, 2, 0.1, 0.04);
    evidence.prior[1] *= 2;
    EXPECT(xp__evidence_settled(&evidence) == 1); /* the likeliest: nothing was tried */
    for (size_t t = 0; t < 100; t++) {
        xp__evidence_record(&evidence, 0, t % 2 == 0 ? 10 : 14, false);
    }
    EXPECT(xp__evidence_settled(&evidence) == 0);
    for (size_t t = 0; t < 12; t++) {
        xp__evidence_record(&evidence, LEARNER, t % 3 == 0 ? 10 : 14, false);
    }
    for (size_t t = 0; t < 2; t++) {
        xp__evidence_record(&evidence, 2, 14, false);
    }
    EXPECT(evidence.mean[LEARNER] > 12.5 && evidence.mean[2] > 13.9);
    EXPECT(xp__evidence_settled(&evidence) == 0);
    for (size_t t = 0; t < 30; t++) {
        xp__evidence_record(&evidence, LEARNER, t % 2 == 0 ? 14 : 18, false);
    }
    EXPECT(xp__evidence_settled(&evidence) == LEARNER);
    xp__evidence_deinit(&evidence);
}

/* Most policies are steady, and one that learned is better than all; a few that fail badly now and
 * then are no reason to mistrust its few returns. */
CLAIM(wild_policies_do_not_hide_a_better_one) {
    enum { FIXED = 8, WILD = 2, LEARNER = FIXED };
    xp__evidence evidence = make_evidence(FIXED, 2, 0.1, 0.04);
    for (size_t t = 0; t < 40; t++) {
        for (size_t k = 0; k < FIXED; k++) {
            const double steady = 8 + (double)(t % 3);
            xp__evidence_record(&evidence, k, k < WILD && t % 5 == 0 ? -200 : steady, false);
        }
    }
    for (size_t t = 0; t < 20; t++) {
        xp__evidence_record(&evidence, LEARNER, 11 + (double)(t % 3), false);
    }
    EXPECT(xp__evidence_settled(&evidence) == LEARNER);
    xp__evidence_deinit(&evidence);
}

/* The same returns without anything strange: policies that do as the experts did go on. */
CLAIM(policies_that_fare_as_the_experts_did_go_on) {
    xp__evidence evidence = make_evidence(20, 4, 0.1, 0.04);
    evidence.options.strange = 0.01;
    xp_rng rng = xp_rng_seed(8);
    double learning = 0;
    for (size_t t = 0; t < 400; t++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        const double value = policy >= 20 ? -100 : 12 + 2 * xp_rng_normal(&rng);
        xp__evidence_record(&evidence, policy, value, false);
        learning += policy >= 20 ? 1 / 400.0 : 0;
    }
    EXPECT(learning < 0.05);
    xp__evidence_deinit(&evidence);
}

/* Experts that were often strange themselves. A policy that is stranger than the others, and worse,
 * is not in its own context because one rate does not fit them all. */
CLAIM(being_stranger_than_the_others_speaks_for_nobody) {
    enum { FIXED = 8 };
    xp__evidence evidence = make_evidence(FIXED, 2, 1, 0.04);
    evidence.options.strange = 0.3;
    for (size_t t = 0; t < 800; t++) {
        const bool strange = t % 4 == 0;
        xp__evidence_record(&evidence, 0, strange ? -90 : 10, strange);
        if (t % 10 == 0) {
            for (size_t k = 1; k < FIXED; k++) {
                xp__evidence_record(&evidence, k, (double)(4 + k + t / 10 % 3), false);
            }
        }
    }
    double probability[FIXED + 2];
    xp__evidence_posterior(&evidence, probability);
    EXPECT(probability[0] < 0.01);
    xp__evidence_deinit(&evidence);
}

/* Nothing that was shown pays, though all looks as it did for the experts. What learns still comes
 * to act, and once it has learned it does so for good. */
CLAIM(where_nothing_pays_what_learns_finds_its_way) {
    enum { HEADS = 10 };
    xp__evidence evidence = make_evidence(30, HEADS, 0.05, 0.04);
    evidence.options.strange = 0.001;
    xp_rng rng = xp_rng_seed(9);
    size_t acted = 0;
    double late = 0;
    for (size_t t = 0; t < 4000; t++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        acted += policy >= 30;
        xp__evidence_record(&evidence, policy, policy >= 30 && acted > 100 ? 1 : 0, false);
        late += t >= 3500 && policy >= 30 ? 1 / 500.0 : 0;
    }
    EXPECT(acted > 100);
    EXPECT(late > 0.9);
    xp__evidence_deinit(&evidence);
}

/* A fixed policy stands out, but what learns has become better than that, unseen: it is tried in
 * the end, though not at once. */
CLAIM(what_was_never_tried_is_not_given_up) {
    enum { FIXED = 8, HEADS = 4, MEMORY = 50 };
    xp__evidence evidence = make_evidence(FIXED, HEADS, 1, 0.04);
    xp_rng rng = xp_rng_seed(10);
    for (size_t t = 0; t < 100; t++) {
        xp__evidence_record(&evidence, t % FIXED, t % FIXED == 0 ? 30 : 0, false);
    }
    size_t first = 0, later = 0;
    for (size_t t = 0; t < 20 * MEMORY * HEADS; t++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        const double value = policy >= FIXED ? 40 : policy == 0 ? 30 : 0;
        xp__evidence_record(&evidence, policy, value, false);
        *(t < MEMORY * HEADS ? &first : &later) += policy >= FIXED;
    }
    EXPECT(first == 0);
    EXPECT(later > 0);
    EXPECT(xp__evidence_settled(&evidence) >= FIXED);
    xp__evidence_deinit(&evidence);
}

CLAIM(memory_that_runs_out_is_reported_and_nothing_is_left) {
    const xp__evidence_options options = {.fixed = 3, .changing = 2, .resolution = 1, .memory = 50};
    for (size_t n = 0;; n++) {
        failing_allocator allocator;
        xp__evidence evidence;
        failing_allocator_install(&allocator, n);
        const xp_status status = xp__evidence_init(&evidence, &options, NULL);
        if (status == XP_OK) {
            xp__evidence_deinit(&evidence);
        }
        xp__allocator_install(NULL);
        EXPECT(allocator.alive == 0);
        if (status == XP_OK) {
            EXPECT(n == 10);
            break;
        }
        EXPECT(status == XP_ERR_MEMORY);
    }
}

/* Their squares overflow, so that nothing can be compared. */
CLAIM(a_policy_is_drawn_whatever_was_returned) {
    enum { FIXED = 3, CHANGING = 2 };
    static const double values[] = {1e200, -1e300, 1e-300, 1e308, -1e155};
    xp__evidence evidence = make_evidence(FIXED, CHANGING, 0.1, 0.9);
    xp_rng rng = xp_rng_seed(1);
    bool inside = true;
    for (size_t i = 0; i < 50; i++) {
        xp__evidence_record(&evidence, i % (FIXED + CHANGING), values[i % 5], false);
        for (size_t draw = 0; draw < 200; draw++) {
            inside = inside && xp__evidence_draw(&evidence, &rng) < FIXED + CHANGING;
        }
        inside = inside && xp__evidence_settled(&evidence) < FIXED + CHANGING;
    }
    EXPECT(inside);
    xp__evidence_deinit(&evidence);
}

static xp__evidence told(void) {
    xp__evidence evidence = make_evidence(4, 2, 0.1, 0.1);
    for (size_t i = 0; i < 20; i++) {
        xp__evidence_record(&evidence, i * i % 6, (double)(i % 7), i % 5 == 0);
    }
    evidence.prior[0] = 0.5; /* as it is when others have lent it theirs */
    evidence.prior[2] = 0;
    return evidence;
}

CLAIM(evidence_that_was_read_back_draws_as_before) {
    static unsigned char bytes[4096];
    xp__evidence evidence = told(), other = make_evidence(4, 2, 0.1, 0.1);
    xp__archive out = xp__archive_write(bytes, sizeof bytes);
    xp__evidence_archive(&evidence, &out);
    xp__archive in = xp__archive_read(bytes, out.bytes);
    xp__evidence_archive(&other, &in);
    EXPECT(out.fault == NULL && in.fault == NULL && in.room == 0);
    double posterior[6], again[6];
    xp__evidence_posterior(&evidence, posterior);
    xp__evidence_posterior(&other, again);
    EXPECT(memcmp(posterior, again, sizeof again) == 0);
    xp_rng rng = xp_rng_seed(1), own = rng;
    bool equal = true;
    for (size_t i = 0; i < 500; i++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        equal = equal && xp__evidence_draw(&other, &own) == policy;
        xp__evidence_record(&evidence, policy, (double)(i % 3), i % 11 == 0);
        xp__evidence_record(&other, policy, (double)(i % 3), i % 11 == 0);
    }
    EXPECT(equal && xp__evidence_settled(&evidence) == xp__evidence_settled(&other));
    xp__evidence_deinit(&evidence);
    xp__evidence_deinit(&other);
}

/* A list that did not fit the returns would outgrow its room. */
CLAIM(evidence_whose_tried_policies_are_not_those_with_returns_is_refused) {
    static unsigned char bytes[4096];
    for (int fault = 0; fault < 5; fault++) {
        xp__evidence evidence = told(), other = make_evidence(4, 2, 0.1, 0.1);
        EXPECT(evidence.tried_count >= 3 && evidence.tried_count < 4);
        if (fault == 0) {
            evidence.tried[1] = evidence.tried[0];
        } else if (fault == 1) {
            evidence.tried_count--;
        } else if (fault == 2) {
            evidence.count[evidence.tried[0]] = 0;
        } else if (fault == 3) {
            evidence.strange[evidence.tried[0]] = 1e6;
        } else {
            evidence.before = NAN;
        }
        xp__archive out = xp__archive_write(bytes, sizeof bytes);
        xp__evidence_archive(&evidence, &out);
        xp__archive in = xp__archive_read(bytes, out.bytes);
        xp__evidence_archive(&other, &in);
        EXPECT(in.fault != NULL);
        xp__evidence_deinit(&evidence);
        xp__evidence_deinit(&other);
    }
}
