/* frozen_lake_contexts.c: the sets of squares of Frozen Lake as listed contexts.
 *
 * The hazard of an episode is one of the set, each equally likely, so what an episode shows has the
 * probability
 *
 *     hazard h seen            1/n if h is in the set
 *     fell on square x         1/n if x is in the set
 *     survived the squares V   1 - |V ∩ set| / n
 *
 * and each step adds its factor given the steps before: the product over an episode is one of these
 * lines. A demonstration is a mean over the hazards that the expert may have seen.
 *
 * Invariant: `survived` has the squares walked on since the episode began; what the learner who
 * believes in a set still has to fear is the set without them. */
#include "env/frozen_lake.h"

#include <math.h>
#include <string.h>

typedef struct lake_contexts {
    xp__contexts contexts;
    size_t set;      /* the planned one */
    size_t survived; /* squares walked on in this episode */
    bool seen;       /* the hazard of this episode has been counted */
} lake_contexts;

static const xp__lake *lake_of(const xp__contexts *contexts) {
    return (const xp__lake *)contexts->env;
}

static size_t contexts_size(const xp_env *env) {
    (void)env;
    return sizeof(lake_contexts);
}

static void plan(xp__contexts *contexts, size_t context) {
    ((lake_contexts *)contexts)->set = lake_of(contexts)->sets[context];
}

static void values(xp__contexts *contexts, const double *state, double *q) {
    const lake_contexts *self = (const lake_contexts *)contexts;
    const size_t cell = (size_t)state[0];
    const size_t square = state[1] >= 0 ? xp__lake_cell_square((size_t)state[1]) : XP__LAKE_SQUARES;
    if (square < XP__LAKE_SQUARES) {
        memcpy(q, lake_of(contexts)->q[square][cell], XP__LAKE_ACTIONS * sizeof *q);
    } else {
        xp__lake_blind_q(lake_of(contexts)->blind, self->set & ~self->survived, cell, q);
    }
}

/* Whether a lake with its hazard on that cell shows these states for these actions: every move but
 * the last leads to the next state, and the last one, or the limit, ends the episode. */
static bool is_walk(const xp__shown *episode, size_t hazard) {
    bool is = episode->length <= XP__LAKE_HORIZON && episode->states[0] == XP__LAKE_START;
    for (size_t t = 0; is && t < episode->length; t++) {
        const double shown = episode->states[2 * t + 1];
        const size_t next = xp__lake_move((size_t)episode->states[2 * t], episode->actions[t]);
        const bool over = next == XP__LAKE_GOAL || next == hazard;
        is = (shown < 0 || shown == (double)hazard) &&
             (t + 1 < episode->length ? !over && episode->states[2 * t + 2] == (double)next
                                      : over || episode->length == XP__LAKE_HORIZON);
    }
    return is;
}

static double log_given_hazard(const xp__lake *lake, const xp__shown *episode, size_t square,
                               xp__choice choice, const void *expert) {
    double sum = is_walk(episode, xp__lake_square_cell(square)) ? 0 : -INFINITY;
    for (size_t t = 0; t < episode->length && sum > -INFINITY; t++) {
        const double *q = lake->q[square][(size_t)episode->states[2 * t]];
        sum += choice(expert, q, XP__LAKE_ACTIONS, episode->actions[t]);
    }
    return sum;
}

static void likelihood(xp__contexts *contexts, const xp__shown *episodes, size_t count,
                       xp__choice choice, const void *expert, double *log_likelihood) {
    const xp__lake *lake = lake_of(contexts);
    const size_t sets = contexts->env->info.contexts;
    for (size_t i = 0; i < count; i++) {
        double given[XP__LAKE_SQUARES], largest = -INFINITY;
        for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
            given[square] = log_given_hazard(lake, &episodes[i], square, choice, expert);
            largest = fmax(largest, given[square]);
        }
        for (size_t c = 0; c < sets; c++) {
            double sum = 0;
            for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
                if ((lake->sets[c] >> square & 1) != 0 && given[square] > -INFINITY) {
                    sum += exp(given[square] - largest);
                }
            }
            log_likelihood[i * sets + c] =
                sum > 0 ? largest + log(sum / (double)lake->hazards) : -INFINITY;
        }
    }
}

static void begin(xp__contexts *contexts) {
    lake_contexts *self = (lake_contexts *)contexts;
    self->survived = 0;
    self->seen = false;
}

/* The hazard, once it is seen, says all: the later steps of the episode follow from it. */
static void observe_hazard(lake_contexts *self, size_t square, double *log_likelihood) {
    const xp__lake *lake = lake_of(&self->contexts);
    for (size_t c = 0; c < lake->env.info.contexts && !self->seen; c++) {
        const bool possible = (lake->sets[c] >> square & 1) != 0;
        log_likelihood[c] += possible ? -log((double)lake->hazards) : -INFINITY;
    }
    self->seen = true;
}

static void observe(xp__contexts *contexts, const xp__seen *step, double tolerance,
                    double *log_likelihood) {
    lake_contexts *self = (lake_contexts *)contexts;
    const xp__lake *lake = lake_of(contexts);
    if (step->state[1] >= 0) {
        observe_hazard(self, xp__lake_cell_square((size_t)step->state[1]), log_likelihood);
        return;
    }
    /* The next state need not be given where the episode has ended; the move says it. */
    const size_t square = xp__lake_cell_square(xp__lake_move((size_t)step->state[0], step->action));
    const bool fell = fabs(step->reward - XP__LAKE_HAZARD_REWARD) <= tolerance;
    const size_t bit = square < XP__LAKE_SQUARES ? (size_t)1 << square : 0;
    if ((self->survived & bit) != 0 || bit == 0) {
        return; /* the border, or a square already known to be no hazard today */
    }
    for (size_t c = 0; c < lake->env.info.contexts; c++) {
        const size_t left = lake->sets[c] & ~self->survived;
        const double n = (double)xp__lake_set_size(left);
        const bool feared = (left & bit) != 0;
        if (fell) {
            log_likelihood[c] += feared ? -log(n) : -INFINITY;
        } else if (feared) {
            log_likelihood[c] += n > 1 ? log((n - 1) / n) : -INFINITY;
        }
    }
    self->survived |= fell ? 0 : bit;
}

static void archive(xp__contexts *contexts, xp__archive *archive) {
    lake_contexts *self = (lake_contexts *)contexts;
    xp__archive_size(archive, &self->survived, XP__LAKE_SETS - 1);
    xp__archive_bool(archive, &self->seen);
}

const xp__contexts_type xp__lake_contexts = {
    .size = contexts_size,
    .likelihood = likelihood,
    .plan = plan,
    .values = values,
    .begin = begin,
    .observe = observe,
    .archive = archive,
};
