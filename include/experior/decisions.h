/* decisions.h: the decisions of one bandit task, kept in a file between calls, for programs without
 * a service.
 *
 * A state file holds a session (session.h), the number of the next decision and the decisions that
 * still wait for their reward, the pending ones. Only sums of rewards are kept, so the file does
 * not grow with them and nothing is replayed. Decisions are numbered 1, 2, 3, ... and no number is
 * used again: a reward names its decision, and a number that is no longer pending is refused, so
 * that no reward counts twice.
 *
 *     open → law, draw, observe, forget → save → close
 *
 * Open takes a lock, for which other programs wait until close. Save writes the file whole and
 * waits for the disk: what was saved survives a crash or a loss of power, and without save the file
 * stays as it was. So act on a decision, or acknowledge a reward, only after save has returned. The
 * lock is on a file beside it, FILE.lock, which is empty and never removed; the system frees the
 * lock when a program ends, however it ends.
 *
 * An object belongs to one thread at a time. */
#ifndef EXPERIOR_DECISIONS_H
#define EXPERIOR_DECISIONS_H

#include "experior/segments.h"
#include "experior/session.h"

typedef struct xp_decisions xp_decisions;

/* A decision that was drawn. */
typedef struct xp_decision {
    uint64_t id; /* from 1 */
    size_t action;
    double probability;  /* with which it was drawn */
    double time;         /* of the draw, as its caller told it */
    const char *segment; /* in which it was drawn; it belongs to the model. NULL: in none */
} xp_decision;

typedef struct xp_decisions_options {
    size_t size;       /* set by xp_decisions_options_default */
    const char *agent; /* spec; NULL: the one of the file, or the model's if the file is new */
    uint64_t seed;     /* of a new file: everything random is a function of it */
    bool same_seed;    /* refuse a file with another seed */
    bool create;       /* make a new state if there is no such file; false: that is an error */
    bool read_only;    /* only ask for the law and what is pending: takes no lock, cannot save */
} xp_decisions_options;

/* The model's agent, seed 1 if the file is new and any seed if it is not, created if need be, with
 * a lock. */
XP_API void xp_decisions_options_init(xp_decisions_options *options, size_t size);
static inline xp_decisions_options xp_decisions_options_default(void) {
    xp_decisions_options options;
    xp_decisions_options_init(&options, sizeof options);
    return options;
}

/* Opens the state at `path`, waiting while another program has it. `model`, which must outlive it,
 * is a bandit's and the one the state was made with; another one is refused, as are a damaged file
 * and one of another file version. Nothing is written before save. `options` may be NULL. */
XP_API xp_status xp_decisions_open(const char *path, const xp_model *model,
                                   const xp_decisions_options *options, xp_decisions **decisions,
                                   xp_error *error);
/* Gives the lock back and frees; what was not saved is dropped. NULL is fine. */
XP_API void xp_decisions_close(xp_decisions *decisions);

/* Says to which segment of the model (segments.h) the following laws and draws belong; NULL, as at
 * first: to none, which has the overall prior. Each segment is a task of its own and learns from
 * its own rewards. A segment that the model does not have is XP_ERR_INPUT. */
XP_API xp_status xp_decisions_segment(xp_decisions *decisions, const char *segment,
                                      xp_error *error);
/* The probability of each action now, as xp_session_law gives it. Pending decisions do not count:
 * they have no rewards yet. Asking changes nothing. */
XP_API xp_status xp_decisions_law(xp_decisions *decisions, size_t draws, double *probability,
                                  size_t *draws_used, xp_error *error);
/* Draws `count` actions from one law, independently, each a new pending decision; `drawn` has room
 * for as many. `probability` is the law, one entry per action and a sum of 1: that of
 * xp_decisions_law, or of the caller's making, say with an action left out. NULL: that of
 * xp_decisions_law. `time` is the caller's clock, in seconds since 1970, for
 * xp_decisions_forget_older; 0 is fine. Fails for more than 1,000,000 pending decisions. */
XP_API xp_status xp_decisions_draw(xp_decisions *decisions, const double *probability, double time,
                                   size_t count, xp_decision *drawn, xp_error *error);
/* Rewards of pending decisions, all of them or, if one is refused, none: a number that is not
 * pending (any more) or is given twice, a reward that the model cannot use. */
XP_API xp_status xp_decisions_observe(xp_decisions *decisions, const uint64_t *ids,
                                      const double *rewards, size_t count, xp_error *error);
/* The same for a table in memory, for which `name` stands in messages: CSV with the columns
 * decision,reward in any order, or JSONL with objects of these keys. How many rewards it held goes
 * to *count, which may be NULL. An error names line and value. */
XP_API xp_status xp_decisions_observe_table(xp_decisions *decisions, const char *text, size_t bytes,
                                            const char *name, size_t *count, xp_error *error);
/* Gives up waiting for the rewards of pending decisions: those of the given
 * numbers, all or none. */
XP_API xp_status xp_decisions_forget(xp_decisions *decisions, const uint64_t *ids, size_t count,
                                     xp_error *error);
/* The same for all that were drawn before `time`. Their number goes to *count, which may be
 * NULL. */
XP_API xp_status xp_decisions_forget_older(xp_decisions *decisions, double time, size_t *count,
                                           xp_error *error);
/* Writes the file whole and waits until it is on the disk. It can be called again. */
XP_API xp_status xp_decisions_save(xp_decisions *decisions, xp_error *error);

/* What is kept. Strings belong to it. */
typedef struct xp_decisions_info {
    uint64_t seed;
    uint64_t next;           /* number of the next decision */
    size_t pending;          /* decisions without a reward */
    uint64_t rewards;        /* observed so far, in all segments */
    bool created;            /* there was no file when it was opened */
    xp_session_info session; /* of the segment: agent, sampler, observations */
} xp_decisions_info;

/* What it is; all zero for NULL. */
XP_API xp_decisions_info xp_decisions_describe(const xp_decisions *decisions);
/* A pending decision, in the order of their numbers; all zero if there is none such. */
XP_API xp_decision xp_decisions_pending(const xp_decisions *decisions, size_t index);

#endif
