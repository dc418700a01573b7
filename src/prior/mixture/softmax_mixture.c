/* softmax_mixture.c: see softmax_mixture.h.
 *
 * Components start from single demonstrations, each drawn by how badly those before it explain it.
 * Their number and kind are those under which demonstrations that were held out are likeliest: a
 * component too many costs a try, one too few never has the right policy. */
#include "prior/mixture/softmax_mixture.h"

#include "base/memory.h"
#include "math/softmax.h"
#include "prior/mixture/softmax_policy.h"

#include <math.h>
#include <string.h>

enum {
    MOST_COMPONENTS = 8, /* tried */
    RESTARTS = 4,
    ITERATIONS = 25,
    FOLDS = 4, /* parts of the demonstrations, each held out once */
    LEAST_DEMONSTRATIONS = 8,
};

/* The kinds of policy that are tried, the plainest first: experts may change their action along a
 * curve, and the more competent they are, the sharper are their policies. */
static const struct {
    xp__bends bends;
    double ridge;
} kinds[] = {{XP__BENDS_NONE, 1},
             {XP__BENDS_NONE, 0.1},
             {XP__BENDS_PRODUCTS, 0.1},
             {XP__BENDS_PRODUCTS, 0.01}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct mixture {
    const xp__encoded_demos *demos;
    xp__softmax_policy policy;
    size_t trajectories, most;
    size_t weights;             /* of a policy of any kind, at most */
    double *pooled_of;          /* [FOLDS + 1][weights]: without that part; the last one: of all */
    double *pooled;             /* [weights]: the one in use */
    double *w, *best_w;         /* [most][weights] */
    double *share, *best_share; /* [most] */
    double *log_m;              /* [trajectories][most] */
    double *duty;               /* [trajectories][most]: responsibilities */
    double *by;                 /* [trajectories]: what each counts for in a fit */
    unsigned char *fold;        /* [trajectories]: which part it is in */
    bool *held;                 /* [trajectories]: held out */
    xp__watch *watch;
} mixture;

/* Steps into states that an earlier demonstration was in; staying in a state is one step. Rows are
 * numbered as they first appear. */
static size_t steps_that_come_again(const xp__encoded_demos *demos) {
    size_t again = 0, known = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        size_t seen = known;
        for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
            const size_t row = demos->row[step];
            const bool stays = step > demos->start[t] && row == demos->row[step - 1];
            again += row < known && !stays;
            seen = row + 1 > seen ? row + 1 : seen;
        }
        known = seen;
    }
    return again;
}

bool xp__softmax_mixture_fits(const xp__encoded_demos *demos) {
    const xp__state_input *input = &demos->input;
    bool real = false;
    for (size_t i = 0; i < input->state_size; i++) {
        real = real || (input->categories != NULL && input->categories[i] == 0);
    }
    return real && input->hot == 0 && xp__softmax_policy_fits(demos) &&
           demos->rows.count > steps_that_come_again(demos);
}

/* What each demonstration counts for in a fit of component k; with `duty` NULL, alone. */
static const double *count(mixture *self, const double *duty, size_t k) {
    for (size_t t = 0; t < self->trajectories; t++) {
        const double own = duty != NULL ? duty[t * self->most + k] : 1;
        self->by[t] = self->held[t] ? 0 : (double)self->demos->count[t] * own;
    }
    return self->by;
}

/* Responsibilities for K components, and the log-likelihood of the trajectories that count. */
static double expect(mixture *self, size_t components) {
    double sum = 0;
    for (size_t t = 0; t < self->trajectories; t++) {
        double *log_m = self->log_m + t * self->most, *duty = self->duty + t * self->most;
        for (size_t k = 0; k < components; k++) {
            log_m[k] =
                xp__softmax_policy_log_likelihood(&self->policy, self->w + k * self->weights, t);
            duty[k] = log(self->share[k]) + log_m[k];
        }
        double most;
        const double total = xp__exponentiate(duty, components, &most);
        for (size_t k = 0; k < components; k++) {
            duty[k] /= total;
        }
        sum += self->held[t] ? 0 : (double)self->demos->count[t] * (most + log(total));
    }
    return sum;
}

static void maximise(mixture *self, size_t components) {
    double total = 0;
    for (size_t k = 0; k < components; k++) {
        const double *by = count(self, self->duty, k);
        self->share[k] = 0.5;
        for (size_t t = 0; t < self->trajectories; t++) {
            self->share[k] += by[t];
        }
        total += self->share[k];
        xp__softmax_policy_newton(&self->policy, self->w + k * self->weights, self->pooled, by);
    }
    for (size_t k = 0; k < components; k++) {
        self->share[k] /= total;
    }
}

/* A component that begins with one demonstration: drawn by how badly the `before` ones explain it
 * per step. */
static void seed(mixture *self, size_t before, xp_rng *rng) {
    double total = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        double left = pass == 1 ? total * xp_rng_uniform(rng) : 0;
        for (size_t t = 0; t < self->trajectories; t++) {
            double best = before > 0 ? -INFINITY : -1;
            for (size_t k = 0; k < before; k++) {
                const double own = xp__softmax_policy_log_likelihood(
                    &self->policy, self->w + k * self->weights, t);
                best = fmax(best, own / (double)xp__softmax_policy_steps(&self->policy, t));
            }
            const double by = self->held[t] ? 0 : -best;
            total += pass == 0 ? by : 0;
            left -= pass == 1 ? by : 0;
            if (pass == 1 && by > 0 && left < 0) {
                for (size_t u = 0; u < self->trajectories; u++) {
                    self->duty[u * self->most + before] = u == t ? 1 : 0;
                }
                break;
            }
        }
    }
    double *w = self->w + before * self->weights;
    memcpy(w, self->pooled, self->weights * sizeof *w);
    for (size_t i = 0; i < 4; i++) {
        xp__softmax_policy_newton(&self->policy, w, self->pooled, count(self, self->duty, before));
    }
}

/* Expectation-maximisation from where the components are; the log-likelihood that it ends with. */
static double climb(mixture *self, size_t components) {
    double before = -INFINITY, now = expect(self, components);
    for (size_t i = 0;
         i < ITERATIONS && now > before + 1e-4 * fabs(now) && !xp__watch_stopped(self->watch);
         i++) {
        before = now;
        maximise(self, components);
        now = expect(self, components);
    }
    return now;
}

static void restore_best(mixture *self, size_t components) {
    memcpy(self->w, self->best_w, components * self->weights * sizeof(double));
    memcpy(self->share, self->best_share, components * sizeof(double));
}

/* The best of several fits of so many components, also kept in best_w and best_share. */
static void fit(mixture *self, size_t components, const xp_rng *rng) {
    double best = -INFINITY;
    const size_t restarts = components > 1 ? RESTARTS : 1;
    for (size_t restart = 0; restart < restarts && !xp__watch_stopped(self->watch); restart++) {
        xp_rng own = xp_rng_fork(rng, restart);
        for (size_t k = 0; k < components; k++) {
            self->share[k] = 1 / (double)components;
            if (components > 1) {
                seed(self, k, &own);
            } else {
                memcpy(self->w, self->pooled, self->weights * sizeof(double));
            }
        }
        const double now = climb(self, components);
        if (now > best) {
            best = now;
            memcpy(self->best_w, self->w, components * self->weights * sizeof(double));
            memcpy(self->best_share, self->share, components * sizeof(double));
        }
    }
    restore_best(self, components);
    (void)expect(self, components);
}

/* What all experts together do, for those that count. */
static void fit_pooled(mixture *self) {
    memset(self->pooled, 0, self->weights * sizeof(double));
    for (size_t i = 0; i < 8; i++) {
        xp__softmax_policy_newton(&self->policy, self->pooled, NULL, count(self, NULL, 0));
    }
}

static double score_of(const mixture *self, size_t components, size_t t) {
    double sum = 0, most = -INFINITY;
    const double *log_m = self->log_m + t * self->most;
    for (size_t k = 0; k < components; k++) {
        most = fmax(most, log(self->share[k]) + log_m[k]);
    }
    for (size_t k = 0; k < components; k++) {
        sum += exp(log(self->share[k]) + log_m[k] - most);
    }
    return most + log(sum);
}

/* Parts of about the same size, at random. */
static void divide(mixture *self, xp_rng *rng) {
    for (size_t t = 0; t < self->trajectories; t++) {
        const size_t other = (size_t)xp_rng_below(rng, t + 1);
        self->fold[t] = self->fold[other];
        self->fold[other] = (unsigned char)(t % FOLDS);
    }
}

/* Part `fold` is held out; FOLDS: none is. */
static void hold_out(mixture *self, size_t fold) {
    for (size_t t = 0; t < self->trajectories; t++) {
        self->held[t] = self->fold[t] == fold;
    }
    self->pooled = self->pooled_of + fold * self->weights;
}

/* What all experts together do, without each part and with all of them. */
static void fit_all_pooled(mixture *self) {
    for (size_t fold = 0; fold <= FOLDS; fold++) {
        hold_out(self, fold);
        fit_pooled(self);
    }
}

/* The log-likelihood of each demonstration under components that are fitted to the other parts,
 * added up. They start from those that are fitted to all. */
static double cross_validate(mixture *self, size_t components) {
    double sum = 0;
    for (size_t fold = 0; fold < FOLDS && !xp__watch_stopped(self->watch); fold++) {
        hold_out(self, fold);
        restore_best(self, components);
        (void)climb(self, components);
        for (size_t t = 0; t < self->trajectories; t++) {
            sum +=
                self->held[t] ? (double)self->demos->count[t] * score_of(self, components, t) : 0;
        }
    }
    hold_out(self, FOLDS);
    return sum;
}

/* Tries mixtures of one kind with more and more components. Whatever is better than *best by the
 * likelihood of held-out demonstrations takes its place; returns whether anything was, and how many
 * components that had. */
static size_t try_kind(mixture *self, size_t kind, const xp_rng *rng, double *best) {
    static const double whole = 0.5; /* of a fit; the networks are the rest */
    size_t chosen = 0, own = 1;      /* the best of all, and of this kind */
    double own_best = -INFINITY;
    xp__softmax_policy_use(&self->policy, kinds[kind].bends, kinds[kind].ridge);
    fit_all_pooled(self);
    for (size_t k = 1; k <= self->most && k <= own + 2; k++) {
        const double tried = (double)kind + (double)(k - 1) / (double)self->most;
        if (xp__watch_tell(self->watch, whole * tried / KINDS)) {
            break;
        }
        const xp_rng fits = xp_rng_fork(rng, k);
        fit(self, k, &fits);
        const double score = cross_validate(self, k);
        own = score > own_best ? k : own;
        own_best = fmax(score, own_best);
        chosen = score > *best ? k : chosen;
        *best = fmax(score, *best);
    }
    return chosen;
}

/* The kind and the number of components under which demonstrations that are held out are
 * likeliest; the policy is of that kind from now on. */
static size_t choose(mixture *self, const xp_rng *rng) {
    if (self->trajectories < LEAST_DEMONSTRATIONS || self->most == 1) {
        return 1;
    }
    size_t components = 1, kind = 0;
    double best = -INFINITY;
    xp_rng own = xp_rng_fork(rng, 0);
    divide(self, &own);
    for (size_t i = 0; i < KINDS && !xp__watch_stopped(self->watch); i++) {
        const size_t better = try_kind(self, i, rng, &best);
        components = better > 0 ? better : components;
        kind = better > 0 ? i : kind;
    }
    xp__softmax_policy_use(&self->policy, kinds[kind].bends, kinds[kind].ridge);
    return components;
}

static void own_actions(const xp__encoded_demos *demos, size_t t, uint32_t *action, uint32_t *own) {
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
        action[demos->row[step]] = own[demos->row[step]] = demos->action[step];
    }
}

static void conclude(mixture *self, size_t components, xp__mode_sets *sets, size_t *member) {
    const xp__encoded_demos *demos = self->demos;
    for (size_t k = 0; k < components; k++) {
        uint32_t *action = sets->action + sets->count * sets->rows;
        uint32_t *own = sets->own + sets->count * sets->rows;
        for (size_t row = 0; row < sets->rows; row++) {
            action[row] = xp__softmax_policy_best(&self->policy, self->w + k * self->weights, row);
            own[row] = XP__MODE_SILENT;
        }
        double size = 0;
        for (size_t t = 0; t < self->trajectories; t++) {
            const double *duty = self->duty + t * self->most;
            bool is_own = true;
            for (size_t other = 0; other < components; other++) {
                is_own =
                    is_own && (duty[other] < duty[k] || (duty[other] == duty[k] && other >= k));
            }
            if (is_own) {
                own_actions(demos, t, action, own);
                size += (double)demos->count[t];
                if (member != NULL) {
                    member[t] = sets->count;
                }
            }
        }
        if (size > 0) {
            sets->weight[sets->count++] = size + 0.5;
        }
    }
    for (size_t k = 0; k < sets->count; k++) {
        sets->weight[k] /= (double)demos->total + 0.5 * (double)sets->count;
    }
}

static bool allocate(mixture *self, double **block) {
    const size_t n = self->weights, most = self->most, count = self->trajectories;
    const struct {
        double **place;
        size_t size;
    } parts[] = {{&self->pooled_of, (FOLDS + 1) * n}, {&self->w, most * n},
                 {&self->best_w, most * n},           {&self->share, most},
                 {&self->best_share, most},           {&self->log_m, count * most},
                 {&self->duty, count * most},         {&self->by, count}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    size_t total = 0;
    for (size_t i = 0; i < PARTS; i++) {
        total += parts[i].size;
    }
    *block = xp__alloc(total, sizeof(double));
    self->held = xp__alloc(count, sizeof self->held[0]);
    self->fold = xp__alloc(count, sizeof self->fold[0]);
    if (!xp__softmax_policy_init(&self->policy, self->demos) || *block == NULL ||
        self->held == NULL || self->fold == NULL) {
        return false;
    }
    double *at = *block;
    for (size_t i = 0; i < PARTS; i++) {
        *parts[i].place = at;
        at += parts[i].size;
    }
    return true;
}

xp_status xp__softmax_mixture_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                                   xp__watch *watch, const xp_rng *rng, size_t *member,
                                   xp_error *error) {
    const size_t rows = demos->rows.count;
    mixture self = {.demos = demos,
                    .trajectories = demos->trajectories,
                    .most = most < MOST_COMPONENTS ? most : MOST_COMPONENTS,
                    .weights =
                        xp__softmax_policy_weights(demos, xp__softmax_policy_most_bends(demos)),
                    .watch = watch};
    *sets = (xp__mode_sets){.rows = rows};
    double *block = NULL;
    sets->action = xp__alloc(self.most * rows, sizeof sets->action[0]);
    sets->own = xp__alloc(self.most * rows, sizeof sets->own[0]);
    sets->weight = xp__alloc(self.most, sizeof sets->weight[0]);
    const bool made = allocate(&self, &block) && sets->action != NULL && sets->own != NULL &&
                      sets->weight != NULL;
    if (made) {
        const xp_rng number = xp_rng_fork(rng, 0), last = xp_rng_fork(rng, 1);
        const size_t components = choose(&self, &number);
        hold_out(&self, FOLDS);
        fit_pooled(&self);
        fit(&self, components, &last);
        conclude(&self, components, sets, member);
    }
    xp__softmax_policy_deinit(&self.policy);
    xp__free(block);
    xp__free(self.held);
    xp__free(self.fold);
    if (!made) {
        xp__mode_sets_deinit(sets);
    }
    return made ? XP_OK : xp__no_memory(error);
}
