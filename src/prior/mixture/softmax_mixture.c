/* softmax_mixture.c: see softmax_mixture.h.
 *
 * Regressions move by damped Newton steps: the step is halved until the penalised likelihood does
 * not fall. Components start from single demonstrations, each drawn by how badly those before it
 * explain it. With long demonstrations every few steps are left out, the same number everywhere. */
#include "prior/mixture/softmax_mixture.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/softmax.h"

#include <math.h>
#include <string.h>

enum {
    MOST_INPUTS = 32,
    MOST_WEIGHTS = 256,  /* of a regression: actions × (inputs + 1) */
    MOST_STEPS = 6000,   /* of all demonstrations that are used */
    MOST_COMPONENTS = 8, /* tried */
    RESTARTS = 4,
    ITERATIONS = 25,
    HELD_OUT = 4, /* one demonstration in so many */
    LEAST_DEMONSTRATIONS = 8,
};

static const double ridge = 1;

typedef struct mixture {
    const xp__encoded_demos *demos;
    size_t actions, width, weights; /* width: inputs + 1; weights: actions × width */
    size_t trajectories, stride, most;
    double *mean, *scale;       /* [width - 1] of the inputs */
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

static void standardise(const mixture *self, const float *inputs, double *x) {
    for (size_t i = 0; i + 1 < self->width; i++) {
        x[i] = ((double)inputs[i] - self->mean[i]) * self->scale[i];
    }
    x[self->width - 1] = 1;
}

static void measure(mixture *self) {
    const xp__encoded_demos *demos = self->demos;
    const size_t rows = demos->rows.count;
    for (size_t i = 0; i + 1 < self->width; i++) {
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
static double choose(const mixture *self, const double *w, const double *x, size_t action,
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
    double x[MOST_INPUTS + 1], p[MOST_WEIGHTS], sum = 0;
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step += self->stride) {
        standardise(self, inputs_of(self, step), x);
        sum += choose(self, w, x, demos->action[step], p);
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
        sum -= 0.5 * ridge * away * away;
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
    double x[MOST_INPUTS + 1], p[MOST_WEIGHTS];
    memset(self->hessian, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        self->gradient[i] = -ridge * (w[i] - (centre != NULL ? centre[i] : 0));
        self->hessian[i * n + i] = ridge;
    }
    for (size_t t = 0; t < self->trajectories; t++) {
        const double by = counted(self, duty, k, t);
        for (size_t step = demos->start[t]; by > 1e-9 && step < demos->start[t + 1];
             step += self->stride) {
            standardise(self, inputs_of(self, step), x);
            (void)choose(self, w, x, demos->action[step], p);
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
        double before = -INFINITY, now = expect(self, components);
        for (size_t i = 0;
             i < ITERATIONS && now > before + 1e-4 * fabs(now) && !xp__watch_stopped(self->watch);
             i++) {
            before = now;
            maximise(self, components);
            now = expect(self, components);
        }
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

/* How many components the held-out demonstrations ask for. */
static size_t choose_number(mixture *self, const xp_rng *rng) {
    if (self->trajectories < LEAST_DEMONSTRATIONS || self->most == 1) {
        return 1;
    }
    xp_rng own = xp_rng_fork(rng, 0);
    hold_out(self, &own);
    fit_pooled(self);
    size_t best = 1, tried = 0;
    double error;
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
    memset(self->held, 0, self->trajectories * sizeof self->held[0]);
    return smallest;
}

static void own_actions(const xp__encoded_demos *demos, size_t t, uint32_t *action, uint32_t *own) {
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
        action[demos->row[step]] = own[demos->row[step]] = demos->action[step];
    }
}

static void conclude(mixture *self, size_t components, xp__mode_sets *sets, size_t *member) {
    const xp__encoded_demos *demos = self->demos;
    double x[MOST_INPUTS + 1], p[MOST_WEIGHTS];
    for (size_t k = 0; k < components; k++) {
        uint32_t *action = sets->action + sets->count * sets->rows;
        uint32_t *own = sets->own + sets->count * sets->rows;
        for (size_t row = 0; row < sets->rows; row++) {
            const void *at = demos->rows.rows + row * demos->input.row_bytes;
            size_t best = 0;
            standardise(self, at, x);
            (void)choose(self, self->w + k * self->weights, x, 0, p);
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
    const size_t n = self->weights, most = self->most, count = self->trajectories;
    const size_t sizes[] = {
        self->width,  self->width, n, most * n, most * n,          most, most, count * most,
        count * most, n,           n, n * n,    (most + 1) * count};
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
                    .width = demos->input.inputs + 1,
                    .weights = demos->actions * (demos->input.inputs + 1),
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
        const size_t components = choose_number(&self, &number);
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
