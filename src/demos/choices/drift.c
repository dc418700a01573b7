/* drift.c: whether choices change along the file.
 *
 * If they do not, the rows of an arm lie anywhere among the N rows of its segment. The test is that
 * of Kruskal and Wallis on places, which have no ties,
 *     H = 12 / (N (N + 1)) Σ_a n_a (R_a − (N + 1) / 2)² ,
 * with R_a the mean place of the n_a rows of arm a, added up over segments. Rows that come in
 * blocks (a file sorted by customer, by day or by the choice itself) are not independent. In a
 * chain that repeats the choice before with probability s and else draws anew, the choice changes
 * at (1 − s)(1 − Σ p²) of the rows, which gives s, and sums have (1 + s) / (1 − s) times their
 * variance: H is divided by that. */
#include "demos/choices/choices_type.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>

/* H of a segment and its degrees of freedom, from rows and sums of places of each arm. */
static double rank_test(const double *place, const uint64_t *count, size_t arms, double rows,
                        double *degrees) {
    double sum = 0, present = 0;
    for (size_t a = 0; a < arms; a++) {
        if (count[a] > 0) {
            const double n = (double)count[a], away = place[a] / n - (rows + 1) / 2;
            sum += n * away * away;
            present++;
        }
    }
    *degrees += present > 0 ? present - 1 : 0;
    return rows > 0 ? 12 / (rows * (rows + 1)) * sum : 0;
}

/* Changes that are expected among independent rows. */
static double expected_changes(const uint64_t *count, size_t arms, double rows) {
    double same = 0;
    for (size_t a = 0; rows > 1 && a < arms; a++) {
        same += (double)count[a] / rows * ((double)count[a] - 1) / (rows - 1);
    }
    return rows > 1 ? (rows - 1) * (1 - same) : 0;
}

/* The arm whose mean place is the clearest, and that place. */
static void find_mover(const xp_choices *choices, const double *place, const double *rows,
                       xp_drift *drift) {
    double clearest = -1;
    for (size_t a = 0; a < choices->arms; a++) {
        double n = 0, sum = 0;
        for (size_t s = 0; s < choices->segments; s++) {
            n += (double)choices->count[s * choices->arms + a];
            sum += place[s * choices->arms + a] / (rows[s] + 1);
        }
        if (n > 0 && fabs(sum / n - 0.5) * sqrt(n) > clearest) {
            clearest = fabs(sum / n - 0.5) * sqrt(n);
            drift->arm = a;
            drift->position = sum / n;
        }
    }
}

static void test(const xp__choices_reader *reader, const uint32_t *segment, xp_choices *choices,
                 const double *place, double *rows) {
    double changes = 0, expected = 0, statistic = 0, degrees = 0;
    for (size_t i = 0; i < reader->order_count; i++) {
        rows[segment[i]] += (double)reader->order[i].rows;
        changes += (double)reader->order[i].changes;
    }
    for (size_t s = 0; s < choices->segments; s++) {
        const uint64_t *count = choices->count + s * choices->arms;
        expected += expected_changes(count, choices->arms, rows[s]);
        statistic += rank_test(place + s * choices->arms, count, choices->arms, rows[s], &degrees);
    }
    if (degrees > 0) {
        const double stickiness = expected > 0 ? fmin(1, fmax(0, 1 - changes / expected)) : 0;
        statistic *= (1 - stickiness) / (1 + stickiness);
        choices->drift = (xp_drift){.statistic = statistic,
                                    .degrees = degrees,
                                    .p_value = xp__chi_square_survival(statistic, degrees),
                                    .stickiness = stickiness};
        find_mover(choices, place, rows, &choices->drift);
    }
}

xp_status xp__choices_find_drift(const xp__choices_reader *reader, const uint32_t *map,
                                 const uint32_t *segment, xp_choices *choices, xp_error *error) {
    if (reader->role[XP__ROLE_COUNT] != SIZE_MAX) {
        return XP_OK;
    }
    double *place = xp__alloc(choices->segments * (choices->arms + 1), sizeof *place);
    if (place == NULL) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < reader->cells.count; i++) {
        const xp__choice_cell *cell = &reader->cells.cells[i];
        place[segment[cell->segment] * choices->arms + map[cell->arm]] += cell->place;
    }
    test(reader, segment, choices, place, place + choices->segments * choices->arms);
    xp__free(place);
    return XP_OK;
}
