/* softmax_mixture.c: see softmax_mixture.h.
 *
 * Features are the standardised inputs and, if that is affordable and explains held-out
 * demonstrations better, their squares and products: the signed ones for curves through the origin,
 * such as where a controller begins to brake. Regressions move by damped Newton steps: the step is
 * halved until the penalised likelihood does not fall. Components start from single demonstrations,
 * each drawn by how badly those before it explain it. With long demonstrations every few steps are
 * left out, the same number everywhere. */
#include "prior/mixture/softmax_mixture.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/softmax.h"

#include <math.h>
#include <string.h>

enum {
    MOST_INPUTS = 32,
    MOST_WEIGHTS = 256, /* of a regression: actions × features */
    MOST_CURVED = 64,   /* of one with more features than the inputs and a constant */
    MOST_FEATURES = MOST_INPUTS + MOST_CURVED + 1,
    MOST_STEPS = 6000,   /* of all demonstrations that are used */
    MOST_COMPONENTS = 8, /* tried */
    RESTARTS = 4,
    ITERATIONS = 25,
    HELD_OUT = 4, /* one demonstration in so many */
    LEAST_DEMONSTRATIONS = 8,
};

/* Which features of the standardised inputs z a regression has besides them: experts may change
 * their action along a curve. */
typedef enum bends { BENDS_NONE, BENDS_SQUARES, BENDS_PRODUCTS } bends;

/* The kinds of regression that are tried, the plainest first: competent experts ask for sharp
 * policies, others for smooth ones. */
static const struct {
    bool bent;
    double ridge;
} kinds[] = {{false, 1}, {true, 1}, {true, 0.1}, {true, 0.01}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct mixture {
    const xp__encoded_demos *demos;
    size_t actions, inputs, weights; /* weights: actions × width */
    size_t width;                    /* features: inputs, more by `bends`, and a constant */
    bends bends, most_bends;         /* of this kind of regression; of all */
    double ridge;
    size_t trajectories, stride, most;
    double *mean, *scale;       /* [inputs] */
    double *pooled;             /* [weights] */
    double *w, *best_w;         /* [most][weights] */
    double *share, *best_share; /* [most] */
    double *log_m;              /* [trajectories][most] */
    double *duty;               /* [trajectories][most]: responsibilities */
    bool *held;                 /* [trajectories]: held out */
    double *gradient, *trial;   /* [weights] */
    double *hessian;            /* [weights][weights] */
    double *score;              /* [most + 1][trajectories]: log-likelihoods of held-out ones */
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
    return real && input->hot == 0 && input->inputs <= MOST_INPUTS &&
           demos->actions * (input->inputs + 1) <= MOST_WEIGHTS &&
           demos->rows.count > steps_that_come_again(demos);
}

static const float *inputs_of(const mixture *self, size_t step) {
    const xp__encoded_demos *demos = self->demos;
    return (const float *)(const void *)(demos->rows.rows +
                                         demos->row[step] * demos->input.row_bytes);
}

static size_t width_of(size_t inputs, bends how) {
    const size_t squares = how >= BENDS_SQUARES ? inputs : 0;
    const size_t products = how >= BENDS_PRODUCTS ? inputs * (inputs + 1) / 2 : 0;
    return inputs + squares + products + 1;
}

/* The most that is affordable. */
static bends bends_of(size_t inputs, size_t actions) {
    bends most = BENDS_PRODUCTS;
    while (most > BENDS_NONE && actions * width_of(inputs, most) > MOST_CURVED) {
        most--;
    }
    return most;
}

/* Features: z, z |z|, products of two, 1. */
static void features(const mixture *self, const float *inputs, double *x) {
    double *z = x;
    for (size_t i = 0; i < self->inputs; i++) {
        *x++ = ((double)inputs[i] - self->mean[i]) * self->scale[i];
    }
    for (size_t i = 0; i < self->inputs && self->bends >= BENDS_SQUARES; i++) {
        *x++ = z[i] * fabs(z[i]);
    }
    for (size_t i = 0; i < self->inputs && self->bends >= BENDS_PRODUCTS; i++) {
        for (size_t j = 0; j <= i; j++) {
            *x++ = z[i] * z[j];
        }
    }
    *x = 1;
}

static void measure(mixture *self) {
    const xp__encoded_demos *demos = self->demos;
    const size_t rows = demos->rows.count;
    for (size_t i = 0; i < self->inputs; i++) {
        double sum = 0, squares = 0;
        for (size_t row = 0; row < rows; row++) {
            const float *at =
                (const float *)(const void *)(demos->rows.rows + row * demos->input.row_bytes);
            sum += (double)at[i];
        }
        self->mean[i] = sum / (double)rows;
        for (size_t row = 0; row < rows; row++) {
            const float *at =
                (const float *)(const void *)(demos->rows.rows + row * demos->input.row_bytes);
            squares += ((double)at[i] - self->mean[i]) * ((double)at[i] - self->mean[i]);
        }
        self->scale[i] = squares > 0 ? 1 / sqrt(squares / (double)rows) : 0;
    }
}

/* Probabilities of actions at x; returns the log-probability of one. */
static double prefer(const mixture *self, const double *w, const double *x, size_t action,
                     double *p) {
    double most = -INFINITY, sum = 0;
    for (size_t a = 0; a < self->actions; a++) {
        p[a] = 0;
        for (size_t i = 0; i < self->width; i++) {
            p[a] += w[a * self->width + i] * x[i];
        }
        most = fmax(most, p[a]);
    }
    const double own = p[action] - most;
    for (size_t a = 0; a < self->actions; a++) {
        p[a] = exp(p[a] - most);
        sum += p[a];
    }
    for (size_t a = 0; a < self->actions; a++) {
        p[a] /= sum;
    }
    return own - log(sum);
}

static double log_likelihood(const mixture *self, const double *w, size_t t) {
    const xp__encoded_demos *demos = self->demos;
    double x[MOST_FEATURES], p[MOST_WEIGHTS], sum = 0;
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step += self->stride) {
        features(self, inputs_of(self, step), x);
        sum += prefer(self, w, x, demos->action[step], p);
    }
    return sum;
}

/* How much trajectory t counts for in a fit: `duty` of component k, or with `duty` NULL alone. */
static double counted(const mixture *self, const double *duty, size_t k, size_t t) {
    return self->held[t]
               ? 0
               : (double)self->demos->count[t] * (duty != NULL ? duty[t * self->most + k] : 1);
}

static double penalised(const mixture *self, const double *w, const double *centre,
                        const double *duty, size_t k) {
    double sum = 0;
    for (size_t i = 0; i < self->weights; i++) {
        const double away = w[i] - (centre != NULL ? centre[i] : 0);
        sum -= 0.5 * self->ridge * away * away;
    }
    for (size_t t = 0; t < self->trajectories; t++) {
        const double by = counted(self, duty, k, t);
        sum += by > 1e-9 ? by * log_likelihood(self, w, t) : 0;
    }
    return sum;
}

static void add_step(mixture *self, const double *x, const double *p, size_t action, double by) {
    const size_t width = self->width, n = self->weights;
    for (size_t a = 0; a < self->actions; a++) {
        const double slope = by * ((a == action ? 1 : 0) - p[a]);
        for (size_t i = 0; i < width; i++) {
            self->gradient[a * width + i] += slope * x[i];
        }
        for (size_t b = 0; b <= a; b++) {
            const double curve = by * p[a] * ((a == b ? 1 : 0) - p[b]);
            for (size_t i = 0; i < width && curve != 0; i++) {
                double *row = self->hessian + (a * width + i) * n + b * width;
                for (size_t j = 0; j < width; j++) {
                    row[j] += curve * x[i] * x[j];
                }
            }
        }
    }
}

/* One Newton step on w, halved until nothing is lost. */
static void newton(mixture *self, double *w, const double *centre, const double *duty, size_t k) {
    const xp__encoded_demos *demos = self->demos;
    const size_t n = self->weights;
    double x[MOST_FEATURES], p[MOST_WEIGHTS];
    memset(self->hessian, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        self->gradient[i] = -self->ridge * (w[i] - (centre != NULL ? centre[i] : 0));
        self->hessian[i * n + i] = self->ridge;
    }
    for (size_t t = 0; t < self->trajectories; t++) {
        const double by = counted(self, duty, k, t);
        for (size_t step = demos->start[t]; by > 1e-9 && step < demos->start[t + 1];
             step += self->stride) {
            features(self, inputs_of(self, step), x);
            (void)prefer(self, w, x, demos->action[step], p);
            add_step(self, x, p, demos->action[step], by);
        }
    }
    if (!xp__cholesky(self->hessian, n)) {
        return;
    }
    xp__cholesky_solve(self->hessian, n, self->gradient);
    const double before = penalised(self, w, centre, duty, k);
    for (double step = 1; step > 1e-3; step *= 0.5) {
        for (size_t i = 0; i < n; i++) {
            self->trial[i] = w[i] + step * self->gradient[i];
        }
        if (penalised(self, self->trial, centre, duty, k) >= before) {
            memcpy(w, self->trial, n * sizeof *w);
            return;
        }
    }
}

/* Responsibilities for K components, and the log-likelihood of the trajectories that count. */
static double expect(mixture *self, size_t components) {
    double sum = 0;
    for (size_t t = 0; t < self->trajectories; t++) {
        double *log_m = self->log_m + t * self->most, *duty = self->duty + t * self->most;
        for (size_t k = 0; k < components; k++) {
            log_m[k] = log_likelihood(self, self->w + k * self->weights, t);
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
        self->share[k] = 0.5;
        for (size_t t = 0; t < self->trajectories; t++) {
            self->share[k] += counted(self, self->duty, k, t);
        }
        total += self->share[k];
        newton(self, self->w + k * self->weights, self->pooled, self->duty, k);
    }
    for (size_t k = 0; k < components; k++) {
        self->share[k] /= total;
    }
}

/* A component that begins with one demonstration: drawn by how badly the `before` ones explain it
 * a step. */
static void seed(mixture *self, size_t before, xp_rng *rng) {
    const xp__encoded_demos *demos = self->demos;
    double total = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        double left = pass == 1 ? total * xp_rng_uniform(rng) : 0;
        for (size_t t = 0; t < self->trajectories; t++) {
            double best = before > 0 ? -INFINITY : -1;
            for (size_t k = 0; k < before; k++) {
                const double length = (double)(demos->start[t + 1] - demos->start[t]);
                best = fmax(best, log_likelihood(self, self->w + k * self->weights, t) *
                                      (double)self->stride / length);
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
        newton(self, w, self->pooled, self->duty, before);
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

/* The best of several fits of so many components, in best_w and best_share. */
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
    memcpy(self->w, self->best_w, components * self->weights * sizeof(double));
    memcpy(self->share, self->best_share, components * sizeof(double));
    (void)expect(self, components);
}

/* What all experts together do, for those that count. */
static void fit_pooled(mixture *self) {
    memset(self->pooled, 0, self->weights * sizeof(double));
    for (size_t i = 0; i < 8; i++) {
        newton(self, self->pooled, NULL, NULL, 0);
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

/* Mean over held-out trajectories of the best number's score less this one's, and the standard
 * error of that mean. */
static double lead(const mixture *self, size_t best, size_t other, double *error) {
    double sum = 0, squares = 0, count = 0;
    for (size_t t = 0; t < self->trajectories; t++) {
        if (self->held[t]) {
            const double d = self->score[best * self->trajectories + t] -
                             self->score[other * self->trajectories + t];
            sum += d;
            squares += d * d;
            count += 1;
        }
    }
    const double mean = sum / count;
    *error = count > 1 ? sqrt(fmax(0, squares / count - mean * mean) / (count - 1)) : INFINITY;
    return mean;
}

static void hold_out(mixture *self, xp_rng *rng) {
    const size_t aside = self->trajectories / HELD_OUT;
    for (size_t i = 0; i < aside;) {
        const size_t t = (size_t)xp_rng_below(rng, self->trajectories);
        i += !self->held[t];
        self->held[t] = true;
    }
}

static void set_kind(mixture *self, size_t kind) {
    self->bends = kinds[kind].bent ? self->most_bends : BENDS_NONE;
    self->width = width_of(self->inputs, self->bends);
    self->weights = self->actions * self->width;
    self->ridge = kinds[kind].ridge;
}

/* How many components of this kind the held-out demonstrations ask for. */
static size_t choose_number(mixture *self, const xp_rng *rng) {
    size_t best = 1, tried = 0;
    double error;
    fit_pooled(self);
    for (size_t k = 1; k <= self->most && k <= best + 2 && !xp__watch_stopped(self->watch); k++) {
        const xp_rng fits = xp_rng_fork(rng, k);
        fit(self, k, &fits);
        for (size_t t = 0; t < self->trajectories; t++) {
            self->score[k * self->trajectories + t] = score_of(self, k, t);
        }
        tried = k;
        best = k > 1 && lead(self, k, best, &error) > 0 ? k : best;
    }
    size_t smallest = best;
    for (size_t k = tried < best ? tried : best; k >= 1; k--) {
        smallest = k < best && lead(self, best, k, &error) <= error ? k : smallest;
    }
    return smallest;
}

/* The row of `score` for what a kind has chosen. */
static size_t row_of(const mixture *self, size_t kind) {
    return self->most + 1 + kind;
}

/* The plainest kind within one standard error of the best, and its number of components. */
static size_t choose(mixture *self, const xp_rng *rng) {
    set_kind(self, 0);
    if (self->trajectories < LEAST_DEMONSTRATIONS || self->most == 1) {
        return 1;
    }
    size_t components[KINDS], best = 0, tried = 0;
    double error;
    xp_rng own = xp_rng_fork(rng, 0);
    hold_out(self, &own);
    for (size_t i = 0; i < KINDS && !xp__watch_stopped(self->watch); i++) {
        set_kind(self, i);
        components[i] = choose_number(self, rng);
        memcpy(self->score + row_of(self, i) * self->trajectories,
               self->score + components[i] * self->trajectories,
               self->trajectories * sizeof self->score[0]);
        best = i > 0 && lead(self, row_of(self, i), row_of(self, best), &error) > 0 ? i : best;
        tried++;
    }
    size_t plainest = best;
    for (size_t i = tried; i-- > 0;) {
        const bool close =
            i < best && lead(self, row_of(self, best), row_of(self, i), &error) <= error;
        plainest = close ? i : plainest;
    }
    set_kind(self, plainest);
    memset(self->held, 0, self->trajectories * sizeof self->held[0]);
    return tried > 0 ? components[plainest] : 1;
}

static void own_actions(const xp__encoded_demos *demos, size_t t, uint32_t *action, uint32_t *own) {
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
        action[demos->row[step]] = own[demos->row[step]] = demos->action[step];
    }
}

static void conclude(mixture *self, size_t components, xp__mode_sets *sets, size_t *member) {
    const xp__encoded_demos *demos = self->demos;
    double x[MOST_FEATURES], p[MOST_WEIGHTS];
    for (size_t k = 0; k < components; k++) {
        uint32_t *action = sets->action + sets->count * sets->rows;
        uint32_t *own = sets->own + sets->count * sets->rows;
        for (size_t row = 0; row < sets->rows; row++) {
            const void *at = demos->rows.rows + row * demos->input.row_bytes;
            size_t best = 0;
            features(self, at, x);
            (void)prefer(self, self->w + k * self->weights, x, 0, p);
            for (size_t a = 1; a < self->actions; a++) {
                best = p[a] > p[best] ? a : best;
            }
            action[row] = (uint32_t)best;
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
    const size_t n = self->actions * width_of(self->inputs, self->most_bends);
    const size_t most = self->most, count = self->trajectories;
    const size_t sizes[] = {self->inputs,
                            self->inputs,
                            n,
                            most * n,
                            most * n,
                            most,
                            most,
                            count * most,
                            count * most,
                            n,
                            n,
                            n * n,
                            row_of(self, KINDS) * count};
    double **const parts[] = {&self->mean,   &self->scale,    &self->pooled,     &self->w,
                              &self->best_w, &self->share,    &self->best_share, &self->log_m,
                              &self->duty,   &self->gradient, &self->trial,      &self->hessian,
                              &self->score};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        total += sizes[i];
    }
    *block = xp__alloc(total, sizeof(double));
    self->held = xp__alloc(count, sizeof self->held[0]);
    if (*block == NULL || self->held == NULL) {
        return false;
    }
    double *at = *block;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *parts[i] = at;
        at += sizes[i];
    }
    return true;
}

xp_status xp__softmax_mixture_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                                   xp__watch *watch, const xp_rng *rng, size_t *member,
                                   xp_error *error) {
    const size_t steps = demos->start[demos->trajectories], rows = demos->rows.count;
    mixture self = {.demos = demos,
                    .actions = demos->actions,
                    .inputs = demos->input.inputs,
                    .most_bends = bends_of(demos->input.inputs, demos->actions),
                    .trajectories = demos->trajectories,
                    .stride = 1 + (steps - 1) / MOST_STEPS,
                    .most = most < MOST_COMPONENTS ? most : MOST_COMPONENTS,
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
        measure(&self);
        const size_t components = choose(&self, &number);
        fit_pooled(&self);
        fit(&self, components, &last);
        conclude(&self, components, sets, member);
    }
    xp__free(block);
    xp__free(self.held);
    if (!made) {
        xp__mode_sets_deinit(sets);
    }
    return made ? XP_OK : xp__no_memory(error);
}
