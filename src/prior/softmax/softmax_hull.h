/* softmax_hull.h: what choice frequencies an expert of finite competence can show at all.
 *
 * Under any prior on [0, 1]^K the frequencies E_mu[softmax(beta theta)] lie in the convex hull of
 * softmax(beta {0, 1}^K). If the demonstrations are farther from it than epsilon, Proposition 1's
 * constraint has no solution, and no solver should look for one. Where beta is relative to a
 * reference's spread, the same test is made: what the uniform reference cannot show is refused on
 * every scale, though means that are many times their spread could show it. */
#ifndef XP_PRIOR_SOFTMAX_SOFTMAX_HULL_H
#define XP_PRIOR_SOFTMAX_SOFTMAX_HULL_H

#include "experior/base.h"

/* XP_OK if some m in the hull has KL(p || m) <= epsilon, or if that is too close to call;
 * XP_ERR_NUMERIC, with a sentence that names the least divergence, if none has. */
xp_status xp__softmax_hull_check(const double *p, size_t arms, double beta, double epsilon,
                                 xp_error *error);
/* The m in the hull (K numbers) nearest to p, to within `tolerance` of the least KL(p || m), and
 * that divergence. Stops early once it is below `enough`. */
xp_status xp__softmax_hull_nearest(const double *p, size_t arms, double beta, double enough,
                                   double tolerance, double *m, double *divergence, double *bound,
                                   xp_error *error);

#endif
