/* cholesky.h: linear equations with a symmetric positive definite matrix of n × n numbers, of which
 * the lower triangle is read. Sums run in the order of the indices. */
#ifndef XP_MATH_CHOLESKY_H
#define XP_MATH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* The factor L of a = L Lᵀ takes the matrix's place. False, with a part of it done, if the matrix
 * is not positive definite or rounding made it so. */
bool xp__cholesky(double *a, size_t n);
/* Row i of the factor, once the rows before it are there: for callers who may stop in between. */
bool xp__cholesky_row(double *a, size_t n, size_t i);
/* The same, to the same bits, for large matrices: a panel of columns at a time, which stays in the
 * cache while it is subtracted from what is right of it. `panel` is scratch of XP__CHOLESKY_PANEL
 * × n numbers. */
enum { XP__CHOLESKY_PANEL = 32 };
bool xp__cholesky_panels(double *a, size_t n, double *panel);
/* x becomes the solution y of L Lᵀ y = x. */
void xp__cholesky_solve(const double *factor, size_t n, double *x);

#endif
