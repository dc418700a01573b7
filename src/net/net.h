/* net.h: an ensemble of small Q-networks as one object: forward, backward and optimiser for all of
 * its members at once.
 *
 * A member is a perceptron inputs – hidden – hidden – actions with rectified units, in float. A
 * batch is a list of rows (states); a row is a dense vector, or the list of its inputs that are 1
 * ("few-hot"). Sizes in comments: L members, R rows, A actions.
 *
 * Members never mix: a member computes the same bits alone, in any ensemble and on any thread.
 * Thread-safety: functions that take a const xp__net may run at the same time; one that changes a
 * network must have it alone. Only create allocates. */
#ifndef XP_NET_NET_H
#define XP_NET_NET_H

#include "experior/rng.h"

typedef struct xp__net xp__net;

/* Savings of the few-hot path that change no result beyond rounding (see docs/method/net.md); they
 * can be switched off one by one so that tests and benchmarks can tell what each does. */
enum {
    XP_NET_VISITED = 1, /* Adam leaves alone first-layer rows that no batch has had: exact */
    XP_NET_LAZY = 2,    /* rows not in the batch are brought up to date when next needed; needs
                         * XP_NET_VISITED; exact but for Adam's epsilon */
    XP_NET_SPARSE = 4,  /* products skip units whose rectifier is closed: exact */
    XP_NET_SAVINGS = XP_NET_VISITED | XP_NET_LAZY | XP_NET_SPARSE,
};

typedef struct xp__net_options {
    size_t members; /* 1 .. 65536 */
    size_t inputs;  /* 1 .. 2^24 */
    size_t hidden;  /* 1 .. 256 units in each of the two hidden layers */
    size_t actions; /* 1 .. 256 */
    size_t hot;     /* inputs that are 1 in a row, at most, 1 .. 16; 0: rows are dense */
    size_t rows;    /* most rows of a batch that is trained on, 1 .. 65536 */
    double learning_rate, beta1, beta2, epsilon; /* Adam */
    unsigned savings;                            /* XP_NET_… */
    uint64_t lazy_after;                         /* steps before XP_NET_LAZY sets in */
    const char *kernels; /* "portable", "avx2", "avx512"; NULL: the best the processor has */
} xp__net_options;

/* 25 members of 50 hidden units, Adam(1e-3, .9, .999, 1e-8), batches of 128 rows, all savings. */
xp__net_options xp__net_options_default(size_t inputs, size_t actions, size_t hot);

/* LeCun-normal weights (normal of variance 1 / fan-in, cut at two standard deviations) and zero
 * biases. Member i is a function of (rng, i) alone. With rng NULL everything is zero, for members
 * that are set or copied. */
xp_status xp__net_create(const xp__net_options *options, const xp_rng *rng, xp__net **net,
                         xp_error *error);
/* Draws every member anew as xp__net_create does; moments and step count are forgotten. */
void xp__net_draw(xp__net *net, const xp_rng *rng);
void xp__net_destroy(xp__net *net); /* NULL is fine */
const xp__net_options *xp__net_get_options(const xp__net *net);
/* Name of the kernels in use. */
const char *xp__net_kernels_name(const xp__net *net);

/* A member's parameters as one vector: layer1 weight [hidden][inputs], bias, layer2 weight
 * [hidden][hidden], bias, layer3 weight [actions][hidden], bias. */
size_t xp__net_parameter_count(const xp__net *net);
void xp__net_get(const xp__net *net, size_t member, float *parameters);
/* Also forgets the member's moments. */
void xp__net_set(xp__net *net, size_t member, const float *parameters);
/* Makes member `to` of `net` a copy of member `from` of `source`, with zero moments. Both have the
 * same inputs, hidden units and actions. */
void xp__net_copy_member(xp__net *net, size_t to, const xp__net *source, size_t from);
/* Moves member `to` of `net` that share of the way to member `from` of `source`, for targets that
 * follow an average; its moments stay. */
void xp__net_blend_member(xp__net *net, size_t to, const xp__net *source, size_t from, float share);
/* Forgets the moments and step count of all members. */
void xp__net_reset_optimiser(xp__net *net);
/* Steps of Adam so far. */
uint64_t xp__net_steps(const xp__net *net);
/* Euclidean norm of a member's parameters. */
double xp__net_norm(const xp__net *net, size_t member);

#define XP_NET_NONE UINT32_MAX /* in `hot`: no input here, so that rows may have fewer */

typedef struct xp__net_rows {
    size_t count;
    const uint32_t *hot; /* [R][options.hot], when options.hot > 0; an input given twice is 2 */
    const float *dense;  /* [R][options.inputs], when options.hot == 0 */
} xp__net_rows;

/* Q of members first .. first + count - 1 in any number of rows: q[count][R][A]. */
void xp__net_q(const xp__net *net, size_t first, size_t count, const xp__net_rows *rows, float *q);
/* max_a Q: value[R][count], members side by side, as a sum of targets wants them. */
void xp__net_max(const xp__net *net, size_t first, size_t count, const xp__net_rows *rows,
                 float *value);
/* The best action of one member in rows[0]; the first of equals. */
size_t xp__net_greedy(const xp__net *net, size_t member, const xp__net_rows *rows);

/* A loss fills slope[R][A] = dLoss/dQ for one member's q[R][A] and returns the loss, for the
 * caller's information. Called once a member in order of their numbers, while subnormal numbers
 * count as zero. */
typedef double xp__net_loss(void *context, size_t member, size_t rows, const float *q,
                            float *slope);

/* One step of Adam on all members. `losses` [L] may be NULL. */
void xp__net_train(xp__net *net, const xp__net_rows *rows, xp__net_loss *loss, void *context,
                   double *losses);

typedef struct xp__net_descent {
    double step;
    double noise;        /* standard deviation of normal noise on every parameter; Langevin:
                          * sqrt(2 step) */
    double clip;         /* the gradient's components are cut to ± clip; 0: not cut */
    const double *decay; /* [L]: decay · parameter is added to the gradient; NULL: none */
} xp__net_descent;

/* One step parameter += -step · gradient + noise · normal on all members; with noise > 0 a step of
 * Langevin dynamics. Member i's noise is a function of (rng, i). Takes no part in Adam's counting:
 * pending lazy steps are settled first, moments stay. `losses` [L] may be NULL. */
void xp__net_descend(xp__net *net, const xp__net_rows *rows, xp__net_loss *loss, void *context,
                     const xp__net_descent *descent, const xp_rng *rng, double *losses);

/* The gradient for one member, as one vector ordered like its parameters. */
void xp__net_gradient(xp__net *net, size_t member, const xp__net_rows *rows, xp__net_loss *loss,
                      void *context, float *gradient);

/* A batch of few-hot draws with duplicates collapsed: unique rows with the number of draws of each
 * action and sums of targets. The gradient of a squared loss over duplicates adds up exactly. */
typedef struct xp__net_batch {
    size_t members, hot, actions, room; /* as created; room: draws that fit */
    size_t draws, count;                /* so far: draws, unique rows */
    bool collapse;                      /* false: every draw is a row of its own */
    uint32_t *rows;                     /* [count][hot] */
    float *counts;                      /* [count][A] */
    float *targets;                     /* [count][A][L]: sums over draws; the caller adds to it */
    uint32_t *slots;                    /* private: a table of rows by hash */
    size_t slot_count;
} xp__net_batch;

/* Room for `room` draws of `net`'s rows, which are few-hot. */
xp_status xp__net_batch_init(xp__net_batch *batch, const xp__net *net, size_t room,
                             xp_error *error);
void xp__net_batch_deinit(xp__net_batch *batch);
void xp__net_batch_clear(xp__net_batch *batch);
/* Adds a draw and returns its row; the caller adds its targets to targets[row][action][0 .. L). */
size_t xp__net_batch_add(xp__net_batch *batch, const uint32_t *hot, size_t action);
xp__net_rows xp__net_batch_rows(const xp__net_batch *batch);

/* Squared error, mean over draws of (Q(s, a) - target)². The loss returned lacks the constant
 * mean of target². As context of a loss function. */
typedef struct xp__net_td {
    double draws; /* the mean's denominator */
    size_t members, actions;
    const float *counts;  /* [R][A], or [R][A][L] with counts_by_member (bootstrap masks) */
    const float *targets; /* [R][A][L] */
    bool counts_by_member;
} xp__net_td;
xp__net_td xp__net_td_of(const xp__net_batch *batch);
double xp__net_td_loss(void *td, size_t member, size_t rows, const float *q, float *slope);

/* The bound of Proposition 2 on demonstrations: mean over draws of (1/beta) log Σ exp(beta Q(s, ·))
 * - Q(s, a), plus fit · (Q(s, a) - G)² where fit > 0; that term too lacks its constant. */
typedef struct xp__net_imitation {
    xp__net_td td; /* counts, and sums of G as targets (NULL if fit is 0) */
    double beta, fit;
} xp__net_imitation;
double xp__net_imitation_loss(void *imitation, size_t member, size_t rows, const float *q,
                              float *slope);

/* Minus the log-density of the expert prior over Q-functions, from trajectory likelihoods
 * m_τ = Π_h softmax(beta Q(s_h, ·))(a_h): Σ α_τ m_τ (Proposition 1), or Σ α_τ log m_τ. */
typedef struct xp__net_trajectories {
    size_t count, actions;
    const size_t *start;    /* [count + 1]: steps start[τ] .. start[τ+1]-1 are trajectory τ */
    const uint32_t *row;    /* of each step */
    const uint32_t *action; /* of each step */
    const double *alpha;    /* [count] */
    double beta;
    bool logarithm;          /* Σ α_τ log m_τ */
    double *log_likelihoods; /* [L][count]: log m_τ is written here; NULL: not wanted */
} xp__net_trajectories;
double xp__net_trajectories_loss(void *trajectories, size_t member, size_t rows, const float *q,
                                 float *slope);

#endif
