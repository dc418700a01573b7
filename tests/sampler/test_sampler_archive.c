/* What a sampler has learned as bytes: one that was read back goes on bit for bit, and bytes that
 * nobody wrote do no harm. Rewards in bulk, and questions that move nothing. */
#include "archived.h"
#include "sampler_zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ARCHIVED(xp_sampler, xp__sampler_archive)

/* One step; the means that it drew go to `theta`. */
static size_t step(xp_sampler *sampler, xp_rng *rng, double *theta) {
    const size_t arm = xp_sampler_act(sampler, rng);
    xp_sampler_observe(sampler, rng, arm, xp_rng_uniform(rng) < 0.2 + 0.15 * (double)arm);
    memset(theta, 0, ARMS * sizeof *theta);
    (void)xp_sampler_draw(sampler, rng, theta);
    return arm;
}

static void check_goes_on(xp_sampler *sampler) {
    /* The last is long enough for the nodes to crowd. */
    static const size_t before[] = {0, 1, 7, 200, 3000};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        double theta[ARMS], own[ARMS];
        xp_rng rng = xp_rng_seed(20 + i);
        xp_sampler_reset(sampler, &rng);
        for (size_t t = 0; t < before[i]; t++) {
            (void)step(sampler, &rng, theta);
        }
        const bytes saved = save(sampler);
        xp_sampler *other = make(sampler->type->name, sampler->prior);
        expect(load(other, saved), sampler, "reads what was written");
        expect(same(sampler, other), sampler, "and would write it again");
        xp_rng copy = rng;
        bool equal = true;
        for (size_t t = 0; t < 600; t++) {
            equal = equal && step(sampler, &rng, theta) == step(other, &copy, own) &&
                    memcmp(theta, own, sizeof theta) == 0;
        }
        expect(equal, sampler, "acts and draws the same bits");
        expect(same(sampler, other), sampler, "and ends as the same bytes");
        free(saved.data);
        xp_sampler_destroy(other);
    }
}

CLAIM(a_sampler_that_was_read_back_goes_on_bit_for_bit) {
    EXPECT(for_each_pair(check_goes_on) >= 20);
}

static void lose_sight(xp_sampler *sampler, xp_rng *rng) {
    xp_sampler_reset(sampler, rng);
    for (size_t i = 0; i < 9000; i++) {
        xp_sampler_observe(sampler, rng, 2, false);
    }
}

/* An arm that has outgrown the nodes and is worth no lens: its posterior is far below the others.
 * Read back or reset, the sampler knows as much of that as it should. */
static void check_unseen(xp_sampler *sampler) {
    double theta[ARMS], own[ARMS];
    xp_rng rng = xp_rng_seed(9);
    lose_sight(sampler, &rng);
    xp_sampler *other = make(sampler->type->name, sampler->prior);
    const bytes saved = save(sampler);
    expect(load(other, saved) && same(sampler, other), sampler, "reads what was written");
    free(saved.data);
    for (int round = 0; round < 2; round++) { /* the second with one that is fresh */
        xp_rng copy = rng;
        bool equal = true;
        for (size_t t = 0; t < 8000; t++) {
            const size_t arm = t % 5 == 0 ? 2 : t % ARMS;
            const bool success = t % 3 == 0;
            xp_sampler_observe(sampler, &rng, arm, success);
            xp_sampler_observe(other, &copy, arm, success);
            if (t % 20 == 0) {
                equal = equal && xp_sampler_act(sampler, &rng) == xp_sampler_act(other, &copy);
            }
        }
        memset(theta, 0, sizeof theta);
        memset(own, 0, sizeof own);
        (void)xp_sampler_draw(sampler, &rng, theta);
        (void)xp_sampler_draw(other, &copy, own);
        equal = equal && memcmp(theta, own, sizeof theta) == 0 && same(sampler, other);
        expect(equal, sampler,
               round == 0 ? "goes on where an arm is out of sight" : "forgets that arm on reset");
        xp_sampler_destroy(other);
        other = make(sampler->type->name, sampler->prior);
        lose_sight(sampler, &rng);
        xp_rng fresh = rng;
        xp_sampler_reset(sampler, &rng);
        xp_sampler_reset(other, &fresh);
    }
    xp_sampler_destroy(other);
}

CLAIM(an_arm_out_of_sight_is_kept_when_read_back_and_forgotten_on_reset) {
    (void)for_each_pair(check_unseen);
}

static void check_asking(xp_sampler *sampler) {
    double theta[ARMS], law[ARMS], again[ARMS];
    xp_rng rng = xp_rng_seed(3);
    xp_sampler_reset(sampler, &rng);
    for (size_t t = 0; t < 50; t++) {
        (void)step(sampler, &rng, theta);
    }
    const bytes before = save(sampler);
    xp_rng own = xp_rng_seed(4), other = own;
    xp_sampler_action_law(sampler, &own, 200, law, NULL);
    const bytes after = save(sampler);
    expect(after.count == before.count && memcmp(after.data, before.data, before.count) == 0,
           sampler, "is asked for its law and stays as it is");
    xp_sampler_action_law(sampler, &other, 200, again, NULL);
    expect(memcmp(law, again, sizeof law) == 0, sampler, "says the same when asked again");
    free(before.data);
    free(after.data);
}

CLAIM(asking_for_the_law_moves_no_sampler) {
    (void)for_each_pair(check_asking);
}

/* Bytes at random, and ends that are missing. What is read without complaint must serve. */
static void check_hostile(xp_sampler *sampler) {
    double theta[ARMS], law[ARMS];
    xp_rng rng = xp_rng_seed(5);
    xp_sampler_reset(sampler, &rng);
    for (size_t t = 0; t < 300; t++) {
        (void)step(sampler, &rng, theta);
    }
    bytes saved = save(sampler);
    unsigned char *good = malloc(saved.count);
    memcpy(good, saved.data, saved.count);
    size_t refused = 0;
    for (size_t i = 0; i < 300; i++) {
        memcpy(saved.data, good, saved.count);
        const size_t faults = 1 + (size_t)xp_rng_below(&rng, 4);
        /* Half of them in the counts and what stands first, which are a small part. */
        const size_t room = i % 2 == 0 || saved.count < 200 ? saved.count : 200;
        for (size_t k = 0; k < faults; k++) {
            saved.data[xp_rng_below(&rng, room)] = (unsigned char)xp_rng_below(&rng, 256);
        }
        const bytes cut = {saved.data, i % 10 == 0 ? saved.count / 2 : saved.count};
        xp_sampler *other = make(sampler->type->name, sampler->prior);
        if (load(other, cut)) {
            bool inside = true;
            for (size_t t = 0; t < 20; t++) {
                inside = inside && step(other, &rng, theta) < ARMS;
            }
            xp_sampler_action_law(other, &rng, 10, law, NULL);
            expect(inside, sampler, "acts with an arm");
        } else {
            refused++;
        }
        xp_sampler_destroy(other);
    }
    expect(refused >= 30, sampler, "refuses what is cut short");
    free(saved.data);
    free(good);
}

CLAIM(bytes_that_nobody_wrote_do_no_harm) {
    (void)for_each_pair(check_hostile);
}

static double distance(const double *a, const double *b) {
    double sum = 0;
    for (size_t arm = 0; arm < ARMS; arm++) {
        sum += 0.5 * fabs(a[arm] - b[arm]);
    }
    return sum;
}

/* Exact laws differ by the nodes alone; 20,000 draws of four arms by 0.005 and a chain's by some
 * times that. Langevin dynamics is off by more than its draws. */
static void check_bulk(xp_sampler *sampler) {
    static const uint64_t successes[ARMS] = {30, 0, 55, 1}, failures[ARMS] = {20, 3, 45, 0};
    double law[ARMS], bulk[ARMS];
    xp_rng rng = xp_rng_seed(6);
    size_t used;
    xp_sampler_reset(sampler, &rng);
    xp_sampler *other = make(sampler->type->name, sampler->prior);
    for (size_t arm = 0; arm < ARMS; arm++) {
        for (uint64_t i = 0; i < successes[arm] + failures[arm]; i++) {
            xp_sampler_observe(sampler, &rng, arm, i < successes[arm]);
        }
        xp__sampler_observe_many(other, &rng, arm, successes[arm], failures[arm]);
        xp__sampler_observe_many(other, &rng, arm, 0, 0);
        expect(other->successes[arm] == sampler->successes[arm] &&
                   other->failures[arm] == sampler->failures[arm],
               sampler, "counts rewards in bulk");
    }
    xp_sampler_action_law(sampler, &rng, 20000, law, &used);
    xp_sampler_action_law(other, &rng, 20000, bulk, NULL);
    if (sampler->type->kind != XP_SAMPLER_APPROXIMATE) {
        expect(distance(law, bulk) < (used == 0 ? 1e-5 : 0.03), sampler,
               "has the law of the same rewards one by one");
    }
    xp_sampler_destroy(other);
}

CLAIM(rewards_in_bulk_leave_the_law_of_the_same_rewards_one_by_one) {
    (void)for_each_pair(check_bulk);
}

/* A million rewards at once, far narrower than the nodes. With means m and n pulls each the
 * difference of two arms is normal to first order: P(θ_0 > θ_1) = Φ((m_0 - m_1) / sqrt(v_0 + v_1)),
 * v = m (1 - m) / n. Thompson sampling on priors that the rewards outweigh has that law. */
static void check_million(xp_sampler *sampler) {
    if (sampler->type->action_law == NULL) {
        return;
    }
    double law[ARMS];
    xp_rng rng = xp_rng_seed(7);
    xp_sampler_reset(sampler, &rng);
    for (size_t t = 0; t < 2000; t++) { /* elsewhere before */
        xp_sampler_observe(sampler, &rng, 0, t % 10 == 0);
    }
    xp__sampler_observe_many(sampler, &rng, 0, 599800, 398200);
    xp__sampler_observe_many(sampler, &rng, 1, 599500, 400500);
    const double n = 1e6, m0 = 0.6, m1 = 0.5995;
    const xp__reward_type *rewards = sampler->prior->reward.type;
    const bool counts = rewards != NULL && strcmp(rewards->name, "poisson") == 0; /* v = m / n */
    const double v0 = m0 * (counts ? 1 : 1 - m0), v1 = m1 * (counts ? 1 : 1 - m1);
    const double wanted = 0.5 * erfc(-(m0 - m1) / sqrt((v0 + v1) / n) / sqrt(2));
    xp__sampler_observe_many(sampler, &rng, 2, 100, 900);
    xp__sampler_observe_many(sampler, &rng, 3, 100, 900);
    xp_sampler_action_law(sampler, &rng, 0, law, NULL);
    const double weight =
        sampler->prior->best_arm_log_weight != NULL
            ? exp(sampler->prior->best_arm_log_weight[0] - sampler->prior->best_arm_log_weight[1])
            : 1;
    const double odds = wanted / (1 - wanted) * weight;
    expect(fabs(law[0] - odds / (1 + odds)) < 0.01, sampler, "sees a narrow posterior");
}

CLAIM(a_million_rewards_at_once_are_resolved) {
    (void)for_each_pair(check_million);
}
