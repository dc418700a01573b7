/* cholesky.c: see cholesky.h. Row by row (Golub & Van Loan, "Matrix Computations", §4.2). */
#include "math/cholesky.h"

#include <math.h>

/* Columns first .. end - 1 of row i of the factor, from which all columns before have been
 * subtracted. */
static bool factorise_row(double *a, size_t n, size_t i, size_t first, size_t end) {
    for (size_t j = first; j <= i && j < end; j++) {
        double sum = a[i * n + j];
        for (size_t k = first; k < j; k++) {
            sum -= a[i * n + k] * a[j * n + k];
        }
        if (i == j && !(sum > 0)) {
            return false;
        }
        a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
    return true;
}

bool xp__cholesky_row(double *a, size_t n, size_t i) {
    return factorise_row(a, n, i, 0, n);
}

bool xp__cholesky(double *a, size_t n) {
    bool definite = true;
    for (size_t i = 0; definite && i < n; i++) {
        definite = xp__cholesky_row(a, n, i);
    }
    return definite;
}

static bool factorise_panel(double *a, size_t n, size_t first, size_t end) {
    bool definite = true;
    for (size_t i = first; definite && i < n; i++) {
        definite = factorise_row(a, n, i, first, end);
    }
    return definite;
}

/* Every entry meets the columns in their order, so that the size of a panel does not show. */
bool xp__cholesky_panels(double *a, size_t n, double *panel) {
    for (size_t first = 0; first < n; first += XP__CHOLESKY_PANEL) {
        const size_t end = first + XP__CHOLESKY_PANEL < n ? first + XP__CHOLESKY_PANEL : n;
        if (!factorise_panel(a, n, first, end)) {
            return false;
        }
        for (size_t k = first; k < end; k++) {
            for (size_t j = end; j < n; j++) {
                panel[(k - first) * n + j] = a[j * n + k];
            }
        }
        for (size_t i = end; i < n; i++) {
            for (size_t k = first; k < end; k++) {
                const double *restrict column = panel + (k - first) * n, share = a[i * n + k];
                double *restrict row = a + i * n;
                for (size_t j = end; j <= i; j++) {
                    row[j] -= share * column[j];
                }
            }
        }
    }
    return true;
}

void xp__cholesky_solve(const double *factor, size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= factor[i * n + k] * x[k];
        }
        x[i] /= factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= factor[k * n + i] * x[k];
        }
        x[i] /= factor[i * n + i];
    }
}
