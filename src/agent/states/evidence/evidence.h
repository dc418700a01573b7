/* evidence.h: which of several policies is the best, told from the returns of whole episodes: the
 * explicit discrete posterior that Algorithm 1 of the paper asks for, over the modes of a prior on
 * Q-functions (docs/method/modes.md).
 *
 * What a demonstration says of its context is the best policy, not what that policy returns: the
 * likelihood of Proposition 1 stays the same when Q(s, .) is shifted. So "the context is i's" means
 * that fixed policy i stands out among the fixed ones, by an unknown amount. Given i, mean returns
 * are
 *
 *     of policy i          B + g,     g > 0 half-normal of scale ω
 *     of any other k       B + τ z_k, z_k standard normal
 *
 * with B flat and (τ, ω) uniform on a logarithmic grid, ω >= 16 τ; an episode returns the mean of
 * its policy plus normal noise. If no policy stands out, all are of the second kind: because the
 * context is none of theirs (`none`), or because it makes no difference (`same`). All but (i, τ, ω)
 * integrates in closed form. Scales are learned; the only unit is the resolution: returns that
 * differ by less are tied.
 *
 * Episodes may also be strange, that is, go as none of the demonstrations went. Those of a policy
 * in its own context are as rarely so as demonstrations are, with probability `strange`; those of
 * others at unknown rates, one for each and uniform on (0, 1), or all as rarely, with probability a
 * half each: contexts may differ in what they pay alone. With `same` all policies are in their own
 * context; with `none` none is, and the rates are unknown.
 *
 * Policies that change while they learn compete by their latest returns, whose mean has a flat
 * prior; they say nothing of the fixed ones. One that was not tried counts as if it had returned B
 * before the first episode, and that is forgotten too: sooner or later it is worth a try.
 *
 * With `relative` there is no unit at all: the grid of (τ, ω) is about the spread of the mean
 * returns, and the noise that is assumed before any return is repeated is a fraction of it. Then
 * two failures that tie and a third one that is a little better look like two failures and a
 * success, only smaller. What tells them apart is single rewards: a success usually pays at once
 * what exceeds all that failures pay by more than their whole range. So one that stands out pays
 * so, alone or with some others, with probability 0.95; and one that does not stand out pays so,
 * and alone, with probability 0.001 only (0.1 if all others have always paid the same). It may
 * still be an outlier, B + ω z, with probability 0.1. Where all rewards were the same, pay tells
 * nothing. Changing policies tell of each other (heads.h), and with `none` they act whatever
 * they return only if what was strange says so beyond doubt. Multiplying all rewards by a power of
 * two changes no bit of a draw, and by any other number nothing but rounding; where episodes are
 * equally long, adding a number to all rewards changes nothing but rounding either. */
#ifndef XP_AGENT_STATES_EVIDENCE_EVIDENCE_H
#define XP_AGENT_STATES_EVIDENCE_EVIDENCE_H

#include "base/archive.h"
#include "experior/rng.h"

typedef struct xp__evidence_options {
    size_t fixed, changing; /* policies 0 .. fixed - 1, and those that follow */
    double resolution;      /* least standard deviation of a return about its policy's mean */
    double memory;          /* episodes after which a changing policy's return is forgotten */
    double none, same;      /* prior probabilities that no fixed policy stands out: because the
                               context is none of theirs, or because it makes no difference */
    double strange;         /* of a policy in its own context; 0: nobody looks */
    bool relative;          /* all scales come from the returns; `resolution` is not used */
} xp__evidence_options;

typedef struct xp__evidence {
    xp__evidence_options options;
    double *prior; /* [fixed]: that it stands out; with `none` and `same` they add up to 1. The
                      caller's to set; where it is 0 the policy is out of the running unless it was
                      tried */
    double *count, *mean, *square; /* [fixed + changing]: episodes, mean of their returns, sum of
                                      squares about it */
    double *strange;               /* [fixed]: strange episodes */
    double *least, *most;          /* [fixed]: single rewards; INFINITY, -INFINITY: not known */
    double pool_count, pool_mean;  /* the latest returns of all changing policies together */
    double before;                 /* what memory keeps of an episode before the first */
    double low, high;              /* returns seen */
    size_t *tried;                 /* fixed policies that were tried, in order */
    size_t tried_count;
    double *known; /* scratch [fixed]: a number for each tried policy */
    double *term;  /* scratch: log-weights of (τ, ω, which stands out) */
} xp__evidence;

xp_status xp__evidence_init(xp__evidence *evidence, const xp__evidence_options *options,
                            xp_error *error);
void xp__evidence_deinit(xp__evidence *evidence); /* also one that is all zero */
void xp__evidence_clear(xp__evidence *evidence);  /* forgets all returns; the prior stays */

/* An episode of that policy returned that much; whether it was strange counts for fixed ones. */
void xp__evidence_record(xp__evidence *evidence, size_t policy, double value, bool strange);
/* Single rewards of that policy lay between these. Of use with `relative` alone. */
void xp__evidence_record_rewards(xp__evidence *evidence, size_t policy, double least, double most);

/* Walks the returns and the prior as it stands (base/archive.h). */
void xp__evidence_archive(xp__evidence *evidence, xp__archive *archive);

/* Posterior probabilities: that each fixed policy stands out, and last `none` and `same`. */
void xp__evidence_posterior(const xp__evidence *evidence, double *probability);

/* Posterior sampling: draws which policy stands out and all mean returns; the policy with the best
 * of them. With `none` it is any of the changing ones, as they have to learn; otherwise one of
 * these, as likely as any other, may have the best. */
size_t xp__evidence_draw(const xp__evidence *evidence, xp_rng *rng);
/* For one who learns no more, to whom nothing is worth finding out: of all policies that were
 * tried, the one whose mean return is best by its lower bound, two standard errors below. The best
 * of many means was lucky, or has changed since. Before anything was tried, the likeliest. Noise is
 * a policy's own, and as far as its returns are few that of the median fixed policy. */
size_t xp__evidence_settled(const xp__evidence *evidence);

#endif
