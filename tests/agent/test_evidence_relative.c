/* The posterior over policies whose scale and noise come from the returns: no unit of reward, any
 * number of modes, and heads that win when they are better. */
#include "agent/evidence_scene.h"
#include "claim.h"

#include "agent/states/evidence/evidence.h"

#include <math.h>
#include <string.h>

static xp__evidence make_relative(size_t fixed, size_t changing) {
    xp__evidence evidence = make_evidence(fixed, changing, 0, 0.04);
    evidence.options.relative = true;
    return evidence;
}

/* An episode whose only reward comes at its end. */
static void end_with(xp__evidence *evidence, size_t policy, double value) {
    xp__evidence_record(evidence, policy, value, false);
    xp__evidence_record_rewards(evidence, policy, fmin(value, 0), fmax(value, 0));
}

/* Fixed policies of mean 0 but one, heads that get better, and noise; in that unit. Writes which
 * policy acted in each episode. */
static void play_in_unit(double unit, double shift, size_t episodes, size_t *acted) {
    xp__evidence evidence = make_relative(6, 3);
    xp_rng rng = xp_rng_seed(11);
    for (size_t t = 0; t < episodes; t++) {
        acted[t] = xp__evidence_draw(&evidence, &rng);
        const double noise = 0.25 * xp_rng_normal(&rng);
        const double mean = acted[t] == 4 ? 1 : acted[t] < 6 ? 0 : -2 + 0.02 * (double)t;
        xp__evidence_record(&evidence, acted[t], unit * (mean + noise + shift), false);
        xp__evidence_record_rewards(&evidence, acted[t], unit * (fmin(0, mean + noise) + shift),
                                    unit * (fmax(0, mean + noise) + shift));
    }
    xp__evidence_deinit(&evidence);
}

CLAIM(relative_draws_are_the_same_to_the_bit_in_units_that_are_powers_of_two) {
    enum { EPISODES = 400 };
    size_t plain[EPISODES], other[EPISODES];
    play_in_unit(1, 0, EPISODES, plain);
    for (int k = -10; k <= 10; k++) {
        play_in_unit(ldexp(1, k), 0, EPISODES, other);
        EXPECT(memcmp(plain, other, sizeof plain) == 0);
    }
}

/* Rounding could turn a draw that lies on the edge; none of these does. */
CLAIM(relative_draws_do_not_depend_on_the_unit_or_on_a_shift) {
    enum { EPISODES = 400 };
    size_t plain[EPISODES], other[EPISODES];
    play_in_unit(1, 0, EPISODES, plain);
    static const double units[] = {1e-3, 0.01, 0.3, 7, 100, 1e3};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        play_in_unit(units[i], 0, EPISODES, other);
        EXPECT(memcmp(plain, other, sizeof plain) == 0);
    }
    play_in_unit(1, -7, EPISODES, other);
    EXPECT(memcmp(plain, other, sizeof plain) == 0);
}

/* The posterior of a unit is that of any other; an absolute resolution is not. */
CLAIM(an_absolute_resolution_has_a_unit_and_a_relative_one_has_none) {
    double posterior[2][2][8];
    for (int relative = 0; relative < 2; relative++) {
        for (int small = 0; small < 2; small++) {
            xp__evidence evidence = make_evidence(6, 1, 0.05, 0.1);
            evidence.options.relative = relative == 1;
            for (size_t k = 0; k < 4; k++) {
                end_with(&evidence, k, (k == 2 ? 1 : 0) * (small == 1 ? 1e-3 : 1));
            }
            xp__evidence_posterior(&evidence, posterior[relative][small]);
            xp__evidence_deinit(&evidence);
        }
    }
    EXPECT(posterior[0][0][2] > 0.9 && posterior[0][1][2] < 0.5);
    EXPECT(posterior[1][0][2] > 0.9);
    EXPECT_NEAR(posterior[1][0][2], posterior[1][1][2], 1e-9);
}

/* Every policy has returned 23 whenever it acted, and heads return 100. */
CLAIM(however_many_modes_there_are_better_heads_overrule_them) {
    enum { HEADS = 5, EPISODES = 400 };
    for (size_t fixed = 1; fixed <= 4; fixed++) {
        xp__evidence evidence = make_relative(fixed, HEADS);
        xp_rng rng = xp_rng_seed(12);
        for (int i = 0; i < 20; i++) {
            end_with(&evidence, (size_t)i % fixed, 23 + xp_rng_normal(&rng));
        }
        for (size_t head = 0; head < HEADS; head++) {
            end_with(&evidence, fixed + head, 100 + xp_rng_normal(&rng));
        }
        double heads = 0;
        for (size_t t = 0; t < EPISODES; t++) {
            const size_t policy = xp__evidence_draw(&evidence, &rng);
            heads += policy >= fixed ? 1.0 / EPISODES : 0;
            end_with(&evidence, policy, (policy >= fixed ? 100 : 23) + xp_rng_normal(&rng));
        }
        EXPECT(heads > 0.9);
        xp__evidence_deinit(&evidence);
    }
}

/* A head that was never tried is taken for one of those that were. */
CLAIM(one_good_head_lets_the_others_be_tried) {
    enum { HEADS = 10 };
    xp__evidence evidence = make_relative(1, HEADS);
    xp_rng rng = xp_rng_seed(13);
    for (int i = 0; i < 10; i++) {
        end_with(&evidence, 0, 23);
    }
    end_with(&evidence, 1, 100);
    for (int i = 0; i < 300; i++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        end_with(&evidence, policy, policy > 0 ? 100 : 23);
    }
    for (size_t head = 1; head <= HEADS; head++) {
        EXPECT(evidence.count[head] > 0);
    }
    xp__evidence_deinit(&evidence);
}

/* Nine failures of which eight tie and one is a little better, twice: by its pay alone nobody could
 * tell it from a success. If all single rewards are of the usual size the others are tried first; a
 * reward beyond all others settles it. */
CLAIM(a_better_failure_is_told_from_a_success_by_its_single_rewards) {
    double untried[2];
    for (int success = 0; success < 2; success++) {
        xp__evidence evidence = make_relative(20, 1);
        for (size_t k = 0; k < 9; k++) {
            xp__evidence_record(&evidence, k, k == 8 ? -0.005 : -0.009, false);
            xp__evidence_record_rewards(&evidence, k, -0.001, k == 8 && success == 1 ? 0.004 : 0);
        }
        double posterior[22];
        xp__evidence_posterior(&evidence, posterior);
        untried[success] = 0;
        for (size_t k = 9; k < 20; k++) {
            untried[success] += posterior[k];
        }
        xp__evidence_deinit(&evidence);
    }
    EXPECT(untried[0] > 0.5);
    EXPECT(untried[1] < 0.05);
}

/* A success, then a failure: which of the two is the exception is told by single rewards, as
 * nothing has been repeated and the other six could still be anything. */
CLAIM(a_success_is_returned_to_after_one_failure) {
    double known[2];
    for (int paid = 0; paid < 2; paid++) {
        xp__evidence evidence = make_relative(8, 1);
        xp__evidence_record(&evidence, 0, 1, false);
        xp__evidence_record_rewards(&evidence, 0, -0.01, paid == 1 ? 1 : 0);
        xp__evidence_record(&evidence, 1, -0.1, false);
        xp__evidence_record_rewards(&evidence, 1, -0.01, 0);
        double posterior[10];
        xp__evidence_posterior(&evidence, posterior);
        known[paid] = posterior[0];
        xp__evidence_deinit(&evidence);
    }
    EXPECT(known[0] < 0.3 && known[1] > 0.9);
}

/* Two policies have paid what six failures did not, one of them more often: that both did speaks
 * against neither. Where every reward was the same, pay speaks neither for what was tried nor
 * against it. */
CLAIM(a_success_that_two_policies_had_is_one_for_both) {
    double known[2];
    for (int paid = 0; paid < 2; paid++) {
        xp__evidence evidence = make_relative(20, 1);
        for (size_t k = 0; k < 8; k++) {
            xp__evidence_record(&evidence, k, k == 7 ? 9 : k == 6 ? -0.8 : -1, false);
            xp__evidence_record_rewards(&evidence, k, -1, paid == 1 && k >= 6 ? 10 : 0);
        }
        double posterior[22];
        xp__evidence_posterior(&evidence, posterior);
        known[paid] = posterior[7];
        xp__evidence_deinit(&evidence);
    }
    EXPECT(known[1] > 0.5 && known[1] > 5 * known[0]);
}

CLAIM(where_all_rewards_are_the_same_pay_tells_nothing) {
    double odds[2];
    for (int varied = 0; varied < 2; varied++) {
        xp__evidence evidence = make_relative(20, 1);
        for (size_t k = 0; k < 6; k++) {
            xp__evidence_record(&evidence, k, k == 5 ? -20 : -100, false);
            xp__evidence_record_rewards(&evidence, k, varied == 1 ? -2 : -1, -1);
        }
        double posterior[22];
        xp__evidence_posterior(&evidence, posterior);
        odds[varied] = posterior[5] / (1 - posterior[5]);
        xp__evidence_deinit(&evidence);
    }
    EXPECT(odds[0] > 5 * odds[1]);
}

CLAIM(relative_posterior_sampling_tries_policies_about_once) {
    enum { RUNS = 500 };
    xp__evidence evidence = make_relative(8, 1);
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
            end_with(&evidence, policy, policy == good ? 1 : 0);
        }
    }
    EXPECT(tries / RUNS > 4 && tries / RUNS < 5.2); /* 4.5 if nothing is tried twice */
    EXPECT(late / (20 * RUNS) > 0.98);
    xp__evidence_deinit(&evidence);
}

/* Fixed policies of those means beside heads that all have another: the share of the last half of
 * the episodes in which heads act. */
static double heads_share(size_t fixed, const double *mean, size_t heads, double head_mean,
                          double noise, size_t episodes) {
    xp__evidence evidence = make_relative(fixed, heads);
    xp_rng rng = xp_rng_seed(14);
    double share = 0;
    for (size_t t = 0; t < episodes; t++) {
        const size_t policy = xp__evidence_draw(&evidence, &rng);
        const double value = policy < fixed ? mean[policy] : head_mean;
        end_with(&evidence, policy, value + noise * xp_rng_normal(&rng));
        share += policy >= fixed && 2 * t >= episodes ? 2 / (double)episodes : 0;
    }
    xp__evidence_deinit(&evidence);
    return share;
}

/* Each of 25 heads acts in a few episodes only: what they have in common is found out all the
 * same. The noise of a return is twice the difference. */
CLAIM(heads_that_are_all_a_little_better_win_in_tens_of_episodes) {
    static const double mean[] = {0.5, 0.45};
    EXPECT(heads_share(2, mean, 25, 0.7, 0.4, 200) > 0.7);
    EXPECT(heads_share(2, mean, 25, 0.3, 0.4, 200) < 0.3);
}

/* Several good policies: none of them stands out, and yet nobody else is needed. */
CLAIM(policies_that_are_equally_good_do_not_make_way_for_worse_heads) {
    static const double mean[] = {-0.05, -0.05, -0.06, -1};
    EXPECT(heads_share(4, mean, 25, -0.9, 0.02, 200) < 0.05);
}

/* 0, 0, 0 and then a little: the first pay ever seen may be the best or the least. */
CLAIM(the_first_pay_that_is_seen_does_not_end_the_search) {
    enum { RUNS = 100, POLICIES = 12 };
    double best = 0;
    for (size_t run = 0; run < RUNS; run++) {
        xp__evidence evidence = make_relative(POLICIES, 1);
        const xp_rng root = xp_rng_seed(15);
        xp_rng rng = xp_rng_fork(&root, run);
        for (size_t k = 0; k < 4; k++) {
            end_with(&evidence, k, k == 3 ? 0.06 : 0);
        }
        for (size_t t = 0; t < 200; t++) {
            const size_t policy = xp__evidence_draw(&evidence, &rng);
            end_with(&evidence, policy, policy == 7 ? 1 : policy == 3 ? 0.06 : 0);
            best += t == 199 && policy == 7 ? 1.0 / RUNS : 0;
        }
        xp__evidence_deinit(&evidence);
    }
    EXPECT(best > 0.3);
}
