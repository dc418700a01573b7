/* Quasi-random points: inside the cube, as defined, and more even than random ones. */
#include "claim.h"

#include "experior/rng.h"
#include "math/quasi.h"

#include <math.h>
#include <stdlib.h>

/* Squared L2 star discrepancy by Warnock's closed form. */
static double discrepancy(const double *point, size_t count, size_t dimension) {
    double cross = 0, single = 0;
    for (size_t i = 0; i < count; i++) {
        const double *x = point + i * dimension;
        double product = 1;
        for (size_t k = 0; k < dimension; k++) {
            product *= 1 - x[k] * x[k];
        }
        single += product;
        for (size_t j = 0; j < count; j++) {
            const double *y = point + j * dimension;
            product = 1;
            for (size_t k = 0; k < dimension; k++) {
                product *= 1 - fmax(x[k], y[k]);
            }
            cross += product;
        }
    }
    const double n = (double)count, d = (double)dimension;
    return pow(3, -d) - pow(2, 1 - d) / n * single + cross / (n * n);
}

CLAIM(points_are_the_fractions_of_the_definition) {
    /* Dimension 1: the golden ratio; dimension 2: the plastic number. */
    static const double root[] = {1.618033988749894848, 1.324717957244746026};
    for (size_t dimension = 1; dimension <= 2; dimension++) {
        double point[2 * 5000];
        xp__quasi_points(point, 5000, dimension);
        for (size_t i = 0; i < 5000; i++) {
            for (size_t j = 0; j < dimension; j++) {
                const double g = pow(root[dimension - 1], -(double)(j + 1));
                const double whole = 0.5 + ((double)i + 1) * g;
                EXPECT_NEAR(point[i * dimension + j], whole - floor(whole), 1e-11);
            }
        }
    }
}

CLAIM(points_are_strictly_inside_the_cube_in_any_dimension) {
    for (size_t dimension = 1; dimension < 200; dimension = 2 * dimension + 1) {
        double *point = malloc(4096 * dimension * sizeof *point);
        xp__quasi_points(point, 4096, dimension);
        double low = 1, high = 0;
        for (size_t i = 0; i < 4096 * dimension; i++) {
            low = fmin(low, point[i]);
            high = fmax(high, point[i]);
        }
        EXPECT(low > 0 && high < 1);
        free(point);
    }
}

/* Over random points the expectation is (2^-d - 3^-d) / n. The sequence is far below it in one and
 * two dimensions; from three on it is a matter of the arithmetic of the root, and never above. */
CLAIM(points_are_more_even_than_random_ones) {
    static const struct {
        size_t dimension;
        double bound;
    } cases[] = {{1, 0.002}, {2, 0.01}, {3, 0.2}, {4, 0.5}, {6, 0.5}, {10, 0.8}};
    enum { COUNT = 2048 };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const size_t dimension = cases[k].dimension;
        double *point = malloc(COUNT * dimension * sizeof *point);
        xp__quasi_points(point, COUNT, dimension);
        const double d = (double)dimension, random = (pow(2, -d) - pow(3, -d)) / COUNT;
        EXPECT(discrepancy(point, COUNT, dimension) < cases[k].bound * random);
        free(point);
    }
}

CLAIM(the_discrepancy_of_random_points_is_what_the_formula_says) {
    enum { COUNT = 512, ROUNDS = 60 };
    double point[2 * COUNT], sum = 0;
    xp_rng rng = xp_rng_seed(5);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < 2 * COUNT; i++) {
            point[i] = xp_rng_uniform(&rng);
        }
        sum += discrepancy(point, COUNT, 2);
    }
    EXPECT_NEAR(sum / ROUNDS * COUNT / (1.0 / 4 - 1.0 / 9), 1, 0.6);
}

/* Every coordinate by itself, and a smooth function of all: the mean of prod (1/2 + x_k) is 1, its
 * variance over random points (13/12)^d - 1. */
CLAIM(means_converge_faster_than_with_random_points) {
    enum { COUNT = 8192, DIMENSION = 10 };
    double *point = malloc(COUNT * DIMENSION * sizeof *point);
    xp__quasi_points(point, COUNT, DIMENSION);
    double mean[DIMENSION] = {0}, smooth = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double product = 1;
        for (size_t k = 0; k < DIMENSION; k++) {
            mean[k] += point[i * DIMENSION + k] / COUNT;
            product *= 0.5 + point[i * DIMENSION + k];
        }
        smooth += product / COUNT;
    }
    for (size_t k = 0; k < DIMENSION; k++) {
        EXPECT_NEAR(mean[k], 0.5, 0.3 / sqrt(12.0 * COUNT));
    }
    EXPECT_NEAR(smooth, 1, 0.5 * sqrt((pow(13.0 / 12, DIMENSION) - 1) / COUNT));
    free(point);
}
