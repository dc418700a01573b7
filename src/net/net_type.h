/* net_type.h: how the ensemble lies in memory.
 *
 * Member-major, no pointers inside: member after member, rows padded with zeros to `stride` floats
 * (64 for 50 units) and aligned to 64 bytes. A first-layer row is one contiguous record
 *
 *     parameter | direction | scale,      direction = m / (sqrt(v) + floor), scale = sqrt(v)
 *
 * which carries Adam's moments m = direction · (scale + floor) and v = scale² in the form in which
 * a later step needs them: a row that was not in a batch for a while is brought up to date by
 * parameter - late · direction, without root or division (schedule.h). `last` holds the step of a
 * row's last update, the same for all members.
 *
 * The small parameters of a member are one flat block, parameters | m | v:
 *
 *     W2 [hidden][stride] by input unit, b2 as one more row, W3 [actions][stride], b1, b3
 *
 * Padding is zero always: sums over a row may run over it. */
#ifndef XP_NET_NET_TYPE_H
#define XP_NET_NET_TYPE_H

#include "base/archive.h"
#include "net/net.h"
#include "net/kernels/kernels.h"
#include "net/schedule.h"

/* What a step does to the first layer, the same for all members. */
typedef struct xp__net_plan {
    float *late;     /* [R][hot]: pending steps of the rows that the batch reads */
    uint32_t *list;  /* [R · hot]: rows of the batch grouped by input */
    uint32_t *fetch; /* [R · hot]: inputs whose records the next member will want */
    size_t fetches;
    xp__net_update *update;  /* [inputs], those in the batch first */
    size_t touched, updates; /* of `update`: in the batch, all */
    float floor;             /* Adam's before this step */
    xp__net_adam adam;
} xp__net_plan;

/* What a training step needs, for batches of options.rows rows R. */
typedef struct xp__net_work {
    float *hidden1, *hidden2; /* [R][stride]: values of the units */
    float *slope1, *slope2;   /* [R][stride]: derivatives of the loss by the units' inputs */
    uint64_t *open1, *open2;  /* [R][words]: units that are positive */
    uint32_t *order;          /* [R]: the order in which rows are added up */
    float *turned1;           /* [width + 8][XP__NET_TURNED]: hidden1 of 64 rows by unit, and 1s */
    uint64_t *users;          /* [hidden + 1]: which of 64 rows have the unit open */
    float *turned;            /* [width][stride]: W2 transposed */
    float *gradient;          /* like one third of the small block */
    float *tile;              /* [XP__NET_TILE][stride]: first-layer gradients of dense rows */
    float *q, *slope;         /* [R][actions] */
    uint32_t *slot;           /* [inputs]: 1 + place in a plan of an input in the batch, else 0 */
    xp__net_plan plan;        /* of the batch at hand */
} xp__net_work;

enum { XP__NET_TILE = 12, XP__NET_TURNED = 80 /* 64, but not a power of two */ };

struct xp__net {
    xp__net_options options;
    const xp__net_kernels *kernels;
    size_t width, stride; /* computed and stored floats of a row */
    size_t words;         /* 64-bit words of a set of units and the bias */
    size_t small;         /* floats of one third of the small block */
    float *records;       /* [members][inputs][3][stride] */
    float *smalls;        /* [members][3][small] */
    uint64_t step;
    uint32_t *last;    /* [inputs]: step of the last update, 0: never in a batch */
    uint32_t *visited; /* inputs ever in a batch, in order of appearance */
    size_t visited_count;
    xp__net_schedule schedule;
    xp__net_work work;
    void *block; /* all arrays above */
};

static inline float *xp__net_records(const xp__net *net, size_t member) {
    return net->records + member * net->options.inputs * 3 * net->stride;
}
static inline float *xp__net_small(const xp__net *net, size_t member) {
    return net->smalls + member * 3 * net->small;
}
/* Places in the small block. */
static inline size_t xp__net_bias2(const xp__net *net) {
    return net->options.hidden * net->stride;
}
static inline size_t xp__net_weight3(const xp__net *net) {
    return (net->options.hidden + 1) * net->stride;
}
static inline size_t xp__net_bias1(const xp__net *net) {
    return (net->options.hidden + 1 + net->options.actions) * net->stride;
}
static inline size_t xp__net_bias3(const xp__net *net) {
    return (net->options.hidden + 2 + net->options.actions) * net->stride;
}

/* The sum of steps that row `input` has not taken yet. */
float xp__net_late(const xp__net *net, uint32_t input);
/* Takes all pending steps, so that every row is as of net->step. */
void xp__net_settle(xp__net *net);

/* Walks parameters, moments and counters: all that later training and evaluation read. Every member
 * must have taken the steps that were planned for it. */
void xp__net_archive(xp__net *net, xp__archive *archive);

/* Room for the plan of a batch; false: no memory. */
bool xp__net_plan_init(xp__net_plan *plan, const xp__net_options *options);
void xp__net_plan_deinit(xp__net_plan *plan); /* also one that is all zero */
/* Groups the batch by input into `plan`; `adam`: for an update of all rows that Adam moves, which
 * counts as the network's next step from here on. */
void xp__net_plan_make(xp__net *net, xp__net_plan *plan, const xp__net_rows *rows, bool adam);
/* Where a plan's input is: 1 + its place in `update`, or 0; between these two calls. */
void xp__net_plan_mark(xp__net *net, const xp__net_plan *plan);
void xp__net_plan_unmark(xp__net *net, const xp__net_plan *plan);

/* Forward and backward for one member and planned rows: leaves slope1 and `gradient`. With `adam`,
 * where every row has an input of its own, it takes the step for these on the way instead of
 * leaving slope1. */
double xp__net_backpropagate(xp__net *net, size_t member, const xp__net_plan *plan,
                             const xp__net_rows *rows, xp__net_loss *loss, void *context, bool more,
                             bool adam);
/* A planned step of Adam for one member. */
double xp__net_train_member(xp__net *net, size_t member, const xp__net_plan *plan,
                            const xp__net_rows *rows, xp__net_loss *loss, void *context, bool more);
/* max_a Q of one member; `late`: the rows' pending steps, from xp__net_late_rows. */
void xp__net_max_late(const xp__net *net, size_t member, const xp__net_rows *rows,
                      const float *late, xp__net_soon soon, float *value);
/* late[R][hot] of rows. */
void xp__net_late_rows(const xp__net *net, const xp__net_rows *rows, float *late);

/* One layer-by-layer pass of a member: hidden1, hidden2 and q of rows that need `late`. */
typedef struct xp__net_pass {
    size_t rows, member;
    const uint32_t *hot;
    const float *dense, *late;
    xp__net_soon soon;
    float *hidden1, *hidden2, *q;
    uint64_t *open1, *open2;
    uint32_t *order;
} xp__net_pass;
void xp__net_forward(const xp__net *net, const xp__net_pass *pass);
/* Whether rows go through all layers one by one (kernels_rows.h). */
bool xp__net_by_rows(const xp__net *net);

#endif
