/* special.h: special functions, accurate to about 1e-13 relative unless said otherwise. */
#ifndef XP_MATH_SPECIAL_H
#define XP_MATH_SPECIAL_H

double xp__log_gamma(double x);                    /* x > 0; reentrant, unlike lgamma */
double xp__digamma(double x);                      /* x > 0 */
double xp__log_beta(double a, double b);           /* log B(a, b) */
double xp__beta_cdf(double x, double a, double b); /* regularised incomplete beta I_x(a, b) */
double xp__beta_quantile(double p, double a, double b);
double xp__gamma_cdf(double x, double shape); /* regularised lower incomplete gamma P(a, x) */
double xp__normal_cdf(double x);
double xp__lambert_w(double x);         /* principal branch, x >= -1/e */
double xp__lambert_w_exp(double log_x); /* W(e^log_x), for arguments too large for x */
double xp__log_sum_exp(const double *x, unsigned long n);
double xp__chi_square_survival(double statistic, double degrees); /* p-value of a chi-square test */

#endif
