/* special.h: special functions of real arguments, reentrant, without allocation.
 *
 * Relative error about 1e-13 for parameters up to 1e5 and down to 1e-3 (4e-13 in the far tails of
 * the largest), absolute error where the function has a zero (log gamma, digamma, log beta). NaN
 * gives NaN; parameters (shape, a, b, degrees) are positive and finite. */
#ifndef XP_MATH_SPECIAL_H
#define XP_MATH_SPECIAL_H

double xp__log_gamma(double x);                    /* x > 0; reentrant, unlike lgamma */
double xp__digamma(double x);                      /* x > 0 */
double xp__trigamma(double x);                     /* its derivative, x > 0 */
double xp__log_beta(double a, double b);           /* log B(a, b) */
double xp__beta_cdf(double x, double a, double b); /* regularised incomplete beta I_x(a, b) */
/* The x with I_x(a, b) = p; 0 when it is smaller than the smallest normal double. */
double xp__beta_quantile(double p, double a, double b);
double xp__gamma_cdf(double x, double shape); /* regularised lower incomplete gamma P(a, x) */
double xp__normal_cdf(double x);
double xp__lambert_w(double x);         /* principal branch, x >= -1/e, NaN below */
double xp__lambert_w_exp(double log_x); /* W(e^log_x), for arguments too large for x */
double xp__student_95(double degrees);  /* two-sided 95 % point of Student's t, degrees > 0 */
double xp__chi_square_survival(double statistic, double degrees); /* p-value of a chi-square test */

#endif
