/* Whether choices change along a file: found where they do, and not taken from files that are
 * sorted or come in blocks. */
#include "claim.h"

#include "experior/choices.h"
#include "experior/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 600 };
static char text[ROWS * 16 + 64], mover; /* of the last table: its arm that moves */

/* A table of rows "arm" or "arm,segment". */
static xp_drift drift_of(const char *header, const int *arm, const int *segment) {
    xp_choices_options options = xp_choices_options_default();
    options.segment = segment != NULL ? "shop" : NULL;
    size_t used = (size_t)snprintf(text, sizeof text, "%s\n", header);
    for (size_t i = 0; i < ROWS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%c", 'a' + arm[i]);
        if (segment != NULL) {
            used += (size_t)snprintf(text + used, sizeof text - used, ",s%d", segment[i]);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    xp_choices *choices = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_choices_parse(text, used, "rows", &options, &choices, NULL, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    const xp_drift drift = xp_choices_drift(choices);
    mover = isnan(drift.p_value) ? 0 : xp_choices_arm_name(choices, drift.arm)[0];
    xp_choices_destroy(choices);
    return drift;
}

/* Three arms; the first gets from `early` to `late` of the rows along the file. */
static void draw(uint64_t seed, double early, double late, int *arm) {
    xp_rng rng = xp_rng_seed(seed);
    for (size_t i = 0; i < ROWS; i++) {
        const double p = early + (late - early) * (double)i / ROWS;
        arm[i] = xp_rng_uniform(&rng) < p ? 0 : 1 + (xp_rng_uniform(&rng) < 0.4);
    }
}

/* Two hundred files: the p value is uniform, so that 1 % and 20 % of them are below 0.01 and 0.2,
 * within five standard deviations. */
CLAIM(choices_that_do_not_change_have_a_uniform_p_value) {
    enum { FILES = 200 };
    size_t rare = 0, below = 0;
    for (uint64_t seed = 0; seed < FILES; seed++) {
        int arm[ROWS];
        draw(seed, 0.5, 0.5, arm);
        const xp_drift drift = drift_of("action", arm, NULL);
        EXPECT(drift.degrees == 2 && drift.stickiness < 0.2);
        rare += drift.p_value < 0.01;
        below += drift.p_value < 0.2;
    }
    EXPECT(rare <= 9 && below >= 12 && below <= 68);
}

/* Kruskal and Wallis by hand: a b a b b has places {1, 3} and {2, 4, 5}, H = 12/30 (2·1 + 3·(2/3)²)
 * = 4/3; choices change at 3 of 4 rows, of which (1 − (2·1 + 3·2)/(5·4)) = 0.6 are expected. */
CLAIM(the_statistic_is_that_of_kruskal_and_wallis) {
    static const char rows[] = "action\na\nb\na\nb\nb\n";
    xp_choices *choices = NULL;
    EXPECT(xp_choices_parse(rows, strlen(rows), "rows", NULL, &choices, NULL, NULL) == XP_OK);
    const xp_drift drift = xp_choices_drift(choices);
    EXPECT_NEAR(drift.statistic, 4.0 / 3, 1e-12);
    EXPECT(drift.degrees == 1 && drift.stickiness == 0);
    EXPECT_NEAR(drift.p_value, erfc(sqrt(drift.statistic / 2)), 1e-12);
    xp_choices_destroy(choices);
}

CLAIM(a_change_is_found_and_the_arm_that_moves_is_named) {
    int arm[ROWS];
    draw(3, 0.2, 0.8, arm);
    const xp_drift drift = drift_of("action", arm, NULL);
    EXPECT(drift.p_value < 1e-6 && mover == 'a' && drift.position > 0.55);
    draw(3, 0.8, 0.2, arm);
    EXPECT(drift_of("action", arm, NULL).position < 0.45);
}

CLAIM(sorted_files_and_blocks_are_not_taken_for_drift) {
    int arm[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        arm[i] = i < 300 ? 0 : i < 450 ? 1 : 2;
    }
    xp_drift drift = drift_of("action", arm, NULL);
    EXPECT(drift.p_value > 0.01 && drift.stickiness > 0.98);
    size_t rare = 0;
    for (uint64_t seed = 0; seed < 50; seed++) { /* blocks of 20 rows, as of one customer */
        xp_rng rng = xp_rng_seed(seed);
        for (size_t i = 0; i < ROWS; i++) {
            arm[i] = i % 20 > 0 ? arm[i - 1] : (int)(3 * xp_rng_uniform(&rng));
        }
        rare += drift_of("action", arm, NULL).p_value < 0.01;
    }
    EXPECT(rare <= 4);
}

CLAIM(segments_one_after_the_other_are_not_drift) {
    int arm[ROWS], shop[ROWS];
    xp_rng rng = xp_rng_seed(5);
    for (size_t i = 0; i < ROWS; i++) {
        shop[i] = i >= ROWS / 2;
        arm[i] = xp_rng_uniform(&rng) < (shop[i] == 1 ? 0.9 : 0.1);
    }
    EXPECT(drift_of("action,shop", arm, shop).p_value > 0.001);
    EXPECT(drift_of("action", arm, NULL).p_value < 1e-6);
}

CLAIM(rows_that_are_counts_have_no_order) {
    static const char rows[] = "action,count\na,5\nb,7\n", one[] = "action\na\na\n";
    xp_choices *choices = NULL;
    EXPECT(xp_choices_parse(rows, strlen(rows), "rows", NULL, &choices, NULL, NULL) == XP_OK);
    EXPECT(isnan(xp_choices_drift(choices).p_value));
    xp_choices_destroy(choices);
    if (xp_choices_parse(one, strlen(one), "one", NULL, &choices, NULL, NULL) == XP_OK) {
        EXPECT(isnan(xp_choices_drift(choices).p_value));
        xp_choices_destroy(choices);
    }
    EXPECT(isnan(xp_choices_drift(NULL).p_value));
}
