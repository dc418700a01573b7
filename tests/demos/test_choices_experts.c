/* Experts and weights: what choices are worth, against closed forms and simulation. */
#include "claim.h"

#include "experior/choices.h"
#include "experior/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xp_choices *parse(const char *text, const xp_choices_options *options) {
    xp_choices *choices;
    xp_error error = {XP_OK, ""};
    (void)xp_choices_parse(text, strlen(text), "table", options, &choices, NULL, &error);
    EXPECT_TEXT("", error.message);
    return choices;
}

CLAIM(weights_shrink_choices_to_kishs_number) {
    xp_choices_options options = xp_choices_options_default();
    options.weight = "w";
    xp_choices *choices = parse("action,w\nA,3\nB,1\nB,1\nA,1\n", &options);
    /* (Σw)² / Σw² = 36 / 12 = 3, shared as 4 : 2. */
    EXPECT_NEAR(xp_choices_describe(choices).effective, 3, 1e-14);
    EXPECT_NEAR(xp_choices_effective(choices, 0, 0), 2, 1e-14);
    EXPECT_NEAR(xp_choices_effective(choices, XP_ALL_SEGMENTS, 1), 1, 1e-14);
    EXPECT(xp_choices_count(choices, 0, 0) == 2 && xp_choices_describe(choices).choices == 4);
    xp_demos *demos;
    EXPECT(xp_choices_demos(choices, 0, &demos, NULL) == XP_OK && xp_demos_count(demos) == 3);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    choices = parse("action,w\nA,0.25\nB,0.25\nB,0.25\n", &options); /* a scale is no information */
    EXPECT_NEAR(xp_choices_describe(choices).effective, 3, 1e-14);
    xp_choices_destroy(choices);
}

CLAIM(weighted_counts_are_rounded_to_their_sum) {
    xp_choices_options options = xp_choices_options_default();
    options.weight = "w";
    xp_choices *choices = parse("action,w\nA,1\nB,1\nC,1\nA,3\n", &options);
    /* 36 / 12 = 3 effective choices, as 2, 0.5 and 0.5: the first remainder is rounded up. */
    xp_demos *demos;
    uint64_t counts[3];
    EXPECT(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, NULL) == XP_OK);
    xp_demos_action_counts(demos, counts);
    EXPECT(counts[0] == 2 && counts[1] == 1 && counts[2] == 0);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
}

CLAIM(experts_who_always_do_the_same_count_once_each) {
    char text[4096];
    size_t used = (size_t)sprintf(text, "who,action\n");
    for (int i = 0; i < 200; i++) {
        used += (size_t)sprintf(text + used, "e%d,%s\n", i % 20, i % 20 < 10 ? "A" : "B");
    }
    xp_choices_options options = xp_choices_options_default();
    options.expert = "who";
    xp_choices *choices = parse(text, &options);
    const xp_agreement told = xp_choices_agreement(choices);
    EXPECT(told.experts == 20 && told.correlation == 1 && told.p_value < 1e-9);
    EXPECT_NEAR(told.statistic, 200, 1e-9); /* X² is N (K - 1) where experts tell all */
    EXPECT_NEAR(told.design_effect, 10, 1e-12);
    EXPECT_NEAR(xp_choices_describe(choices).effective, 20, 1e-9);
    EXPECT(xp_choices_describe(choices).choices == 200);
    xp_choices_destroy(choices);
}

/* A text of experts with `each` choices; those of an expert are one arm of two with a probability
 * that is drawn for the expert: `spread` of the time 0 or 1, else 1/2. So ρ is `spread`. */
static char *draw_table(xp_rng *rng, int experts, int each, double spread, int segments) {
    char *text = malloc((size_t)(experts * each * 24 + 64)), *at = text;
    at += sprintf(at, "who,where,action\n");
    for (int i = 0; i < experts; i++) {
        const bool sure = xp_rng_uniform(rng) < spread;
        const double p = sure ? xp_rng_uniform(rng) < 0.5 : 0.5;
        for (int j = 0; j < each; j++) {
            const int place = j % segments;
            const bool one = xp_rng_uniform(rng) < p;
            /* Segments differ: what is A in one is B in the next. */
            at += sprintf(at, "e%d,s%d,%s\n", i, place, one == (place % 2 == 0) ? "A" : "B");
        }
    }
    return text;
}

CLAIM(the_correlation_of_an_experts_choices_is_recovered) {
    xp_rng rng = xp_rng_seed(15);
    xp_choices_options options = xp_choices_options_default();
    options.expert = "who";
    static const double spreads[] = {0, 0.2, 0.6};
    for (size_t i = 0; i < 3; i++) {
        for (int segments = 1; segments <= 2; segments++) {
            double sum = 0;
            enum { TIMES = 20 };
            options.segment = segments > 1 ? "where" : NULL;
            for (int time = 0; time < TIMES; time++) {
                char *text = draw_table(&rng, 100, 20, spreads[i], segments);
                xp_choices *choices = parse(text, &options);
                sum += xp_choices_agreement(choices).correlation;
                xp_choices_destroy(choices);
                free(text);
            }
            EXPECT_NEAR(sum / TIMES, spreads[i], 0.05);
        }
    }
}

/* How many of 1,000 tables of experts who choose alike have a p-value below each level; the last is
 * how many name somebody who differs. */
static void count_p_values(uint64_t seed, int experts, int each, int below[4]) {
    xp_rng rng = xp_rng_seed(seed);
    xp_choices_options options = xp_choices_options_default();
    options.expert = "who";
    memset(below, 0, 4 * sizeof below[0]);
    for (int time = 0; time < 1000; time++) {
        char text[4096], *at = text + sprintf(text, "who,action\n");
        for (int i = 0; i < experts * each; i++) { /* arms from common to rare */
            const double u = xp_rng_uniform(&rng);
            at += sprintf(at, "e%d,%s\n", i % experts,
                          u < 0.7    ? "A"
                          : u < 0.9  ? "B"
                          : u < 0.98 ? "C"
                                     : "D");
        }
        xp_choices *choices = parse(text, &options);
        const xp_agreement told = xp_choices_agreement(choices);
        below[0] += told.p_value < 0.5;
        below[1] += told.p_value < 0.1;
        below[2] += told.p_value < 0.01;
        below[3] += told.differing > 0;
        xp_choices_destroy(choices);
    }
}

/* Binomial standard errors are 16, 9.5 and 3; the gamma distribution's tail is a little too thin.
 */
CLAIM(experts_who_choose_alike_are_rarely_told_to_differ_even_in_sparse_tables) {
    static const int sizes[][2] = {{40, 3}, {10, 20}, {100, 2}};
    for (size_t i = 0; i < 3; i++) {
        int below[4];
        count_p_values(16 + i, sizes[i][0], sizes[i][1], below);
        EXPECT_NEAR(below[0] / 1000.0, 0.5, 0.065);
        EXPECT_NEAR(below[1] / 1000.0, 0.1, 0.04);
        EXPECT(below[2] <= 30 && below[3] <= 30);
        if (below[2] > 30 || below[3] > 30) {
            printf("  %d %d %d %d\n", below[0], below[1], below[2], below[3]);
        }
    }
}

CLAIM(the_expert_who_differs_is_named) {
    xp_rng rng = xp_rng_seed(17);
    char *text = malloc(100000), *at = text + sprintf(text, "who,action\n");
    for (int i = 0; i < 1000; i++) {
        const double u = xp_rng_uniform(&rng);
        at += sprintf(at, "e%d,%s\n", i % 10,
                      i % 10 == 3 ? (u < 0.8 ? "B" : "A")
                      : u < 0.8   ? "A"
                                  : "B");
    }
    xp_choices_options options = xp_choices_options_default();
    options.expert = "who";
    xp_choices *choices = parse(text, &options);
    EXPECT(xp_choices_agreement(choices).p_value < 1e-6);
    const xp_choices_expert first = xp_choices_differing(choices, 0);
    EXPECT(first.name != NULL && strcmp(first.name, "e3") == 0 && first.choices == 100);
    EXPECT(strcmp(xp_choices_arm_name(choices, first.arm), "B") == 0 && first.p_value < 1e-6);
    EXPECT(xp_choices_differing(choices, xp_choices_agreement(choices).differing).name == NULL);
    xp_choices_destroy(choices);
    free(text);
}
