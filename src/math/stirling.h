/* stirling.h: the two pieces from which densities of gamma and beta type are made without loss.
 *
 * x^a (1-x)^b / B(a, b) and x^a e^-x / Gamma(a) are small differences of large logarithms. Written
 * as a square root times exp(-deviance - correction) (Loader, "Fast and accurate computation of
 * binomial probabilities", 2000) every exponent is of the size of the result. */
#ifndef XP_MATH_STIRLING_H
#define XP_MATH_STIRLING_H

#define XP__TWO_PI          6.283185307179586
#define XP__HALF_LOG_TWO_PI 0.9189385332046728

/* log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2], x > 0. */
double xp__stirling_error(double x);
/* x log(x / mean) + mean - x >= 0, for x > 0 and mean >= 0; infinite at mean = 0. */
double xp__deviance(double x, double mean);

#endif
