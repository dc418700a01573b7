/* Cholesky's factorisation against a factor made by hand, and what it says of other matrices. */
#include "claim.h"

#include "math/cholesky.h"

#include <math.h>

enum { N = 4 };

CLAIM(the_factor_is_the_one_that_the_matrix_was_made_from) {
    /* Small whole numbers: all sums are exact. */
    const double factor[N][N] = {{2, 0, 0, 0}, {-1, 3, 0, 0}, {4, 1, 1, 0}, {0, -2, 5, 2}};
    double a[N * N], x[N];
    const double wanted[N] = {1, -2, 3, 0.5};
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            a[i * N + j] = 0;
            for (size_t k = 0; k < N; k++) {
                a[i * N + j] += factor[i][k] * factor[j][k];
            }
        }
    }
    for (size_t i = 0; i < N; i++) {
        x[i] = 0;
        for (size_t j = 0; j < N; j++) {
            x[i] += a[i * N + j] * wanted[j];
        }
        for (size_t j = i + 1; j < N; j++) {
            a[i * N + j] = NAN; /* the upper triangle is not read */
        }
    }
    EXPECT(xp__cholesky(a, N));
    xp__cholesky_solve(a, N, x);
    for (size_t i = 0; i < N; i++) {
        EXPECT(x[i] == wanted[i]);
        for (size_t j = 0; j <= i; j++) {
            EXPECT(a[i * N + j] == factor[i][j]);
        }
    }
}

CLAIM(a_matrix_that_is_not_positive_definite_is_refused) {
    double indefinite[] = {1, 0, 2, 1}, lost[] = {NAN}, singular[] = {1, 0, 1, 1};
    EXPECT(!xp__cholesky(indefinite, 2) && !xp__cholesky(lost, 1) && !xp__cholesky(singular, 2));
    EXPECT(xp__cholesky(indefinite, 0)); /* nothing to refuse */
}
