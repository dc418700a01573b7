/* choice_likelihood.c: see the header.
 *
 * Nodes: t = logistic(c sinh u) with u equally spaced, a double-exponential rule (Takahasi & Mori,
 * Publ. RIMS 1974). It takes the endpoint singularities of Beta(0.03, .) and, with c = 1.2, the
 * narrow peak of Beta(200, 200) with the same 161 nodes. More nodes are used where the kernel is
 * narrower than their distance (beta > 25).
 *
 * Points x: z = beta x equally spaced by 1/4. The integrand is analytic in a strip of half-width
 * pi/2 in z, so that the trapezoid sum is exact to rounding.
 *
 * beta = inf: the x are the nodes, and F_a at node g is the indefinite integral by sinc functions,
 * Σ_j mass_j (1/2 + Si(pi (g − j)) / pi) (Haber, Math. Comp. 1993). Beyond beta = 100 this limit is
 * used as well: P(a) differs from it by O(1 / beta²). */
#include "prior/bandit/choice_likelihood.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double beta_limit = 100;
static const double merge_below = 1e-12; /* nodes closer to an end than this are at the end */

/* J nodes, symmetric about 1/2; both tails to full precision. */
static void fill_nodes(xp__choice_grid *grid) {
    const double reach = 7, c = 1.2;
    const size_t half = grid->nodes / 2;
    double total = 0;
    for (size_t j = 0; j < grid->nodes; j++) {
        const double u = reach * ((double)j - (double)half) / (double)half;
        const double logit = c * sinh(u);
        const double tail = exp(-fabs(logit)), rest = log1p(tail);
        grid->log_t[j] = logit < 0 ? logit - rest : -rest;
        grid->log_1_t[j] = logit < 0 ? -rest : -logit - rest;
        grid->t[j] = logit < 0 ? tail / (1 + tail) : 1 / (1 + tail);
        /* dt = t (1 − t) c cosh(u) du */
        grid->log_mass[j] = log(c * cosh(u)) - fabs(logit) - 2 * rest;
        total += exp(grid->log_mass[j]);
    }
    for (size_t j = 0; j < grid->nodes; j++) {
        grid->log_mass[j] -= log(total);
    }
}

/* exp(−exp(−(z − beta t))) for z on an equally spaced grid. */
static xp_status fill_gumbel(xp__choice_grid *grid, xp_error *error) {
    const double step = 0.25, first = -4.5, last = grid->beta + 20;
    size_t low = 0; /* how many nodes are at the lower end, and by symmetry at the upper */
    while (grid->t[low] < merge_below) {
        low++;
    }
    grid->columns = grid->nodes - 2 * (low - 1);
    for (size_t j = 0; j < grid->nodes; j++) {
        const size_t at = j < low ? 0 : j - (low - 1);
        grid->column[j] = (uint32_t)(at < grid->columns ? at : grid->columns - 1);
    }
    grid->rows = (size_t)ceil((last - first) / step) + 1;
    grid->kernel = xp__alloc(grid->rows * grid->columns, sizeof(double));
    grid->kernel_slope = xp__alloc(grid->rows * grid->columns, sizeof(double));
    if (grid->kernel == NULL || grid->kernel_slope == NULL) {
        return xp__no_memory(error);
    }
    for (size_t g = 0; g < grid->rows; g++) {
        const double z = first + step * (double)g;
        for (size_t i = 0; i < grid->columns; i++) {
            const double e = exp(-(z - grid->beta * grid->t[low - 1 + i]));
            const double value = exp(-e);
            grid->kernel[g * grid->columns + i] = value;
            grid->kernel_slope[g * grid->columns + i] = value > 0 ? step * e * value : 0;
        }
    }
    return XP_OK;
}

/* Si(pi n) for n = 0 .. count − 1: Gauss-Legendre (5 points) on eighths of every half wave. */
static void fill_sine_integral(double *si, size_t count) {
    static const double x[5] = {-0.906179845938663993, -0.538469310105683091, 0,
                                0.538469310105683091, 0.906179845938663993};
    static const double w[5] = {0.236926885056189088, 0.478628670499366468, 0.568888888888888889,
                                0.478628670499366468, 0.236926885056189088};
    enum { PARTS = 8 };
    double total = 0;
    for (size_t n = 0; n < count; n++) {
        si[n] = total;
        for (size_t part = 0; part < PARTS; part++) {
            const double middle = pi * ((double)n + ((double)part + 0.5) / PARTS);
            for (size_t i = 0; i < 5; i++) {
                const double at = middle + x[i] * pi / (2 * PARTS);
                total += w[i] * pi / (2 * PARTS) * sin(at) / at;
            }
        }
    }
}

static xp_status fill_indefinite(xp__choice_grid *grid, xp_error *error) {
    const size_t n = grid->nodes;
    grid->columns = grid->rows = n;
    grid->kernel = xp__alloc(n * n, sizeof(double));
    grid->kernel_slope = xp__alloc(n * n, sizeof(double));
    double *si = xp__alloc(n, sizeof *si);
    if (grid->kernel == NULL || grid->kernel_slope == NULL || si == NULL) {
        xp__free(si);
        return xp__no_memory(error);
    }
    fill_sine_integral(si, n);
    for (size_t g = 0; g < n; g++) {
        grid->column[g] = (uint32_t)g;
        grid->kernel_slope[g * n + g] = 1;
        for (size_t j = 0; j < n; j++) {
            grid->kernel[g * n + j] = 0.5 + (g >= j ? si[g - j] : -si[j - g]) / pi;
        }
    }
    xp__free(si);
    return XP_OK;
}

xp_status xp__choice_grid_init(xp__choice_grid *grid, double beta, xp_error *error) {
    const bool limit = beta > beta_limit;
    const size_t half = (size_t)ceil(80 * (limit ? 1.5 : fmax(1, beta / 25)));
    *grid = (xp__choice_grid){.beta = beta, .nodes = 2 * half + 1};
    grid->t = xp__alloc(4 * grid->nodes, sizeof(double));
    grid->column = xp__alloc(grid->nodes, sizeof(uint32_t));
    if (grid->t == NULL || grid->column == NULL) {
        return xp__no_memory(error);
    }
    grid->log_t = grid->t + grid->nodes;
    grid->log_1_t = grid->log_t + grid->nodes;
    grid->log_mass = grid->log_1_t + grid->nodes;
    fill_nodes(grid);
    return limit ? fill_indefinite(grid, error) : fill_gumbel(grid, error);
}

void xp__choice_grid_deinit(xp__choice_grid *grid) {
    xp__free(grid->t);
    xp__free(grid->column);
    xp__free(grid->kernel);
    xp__free(grid->kernel_slope);
}

/* The scratch: column masses (C × K), F and F' (G × K each), their derivatives (G × K each), and
 * products over arms (2 (K + 1)). */
size_t xp__choice_scratch(const xp__choice_grid *grid, size_t arms) {
    return grid->columns * arms + 4 * grid->rows * arms + 2 * (arms + 1);
}

/* out (K) += Σ scale[i] in[i] over four rows of K; the arms are the vector lanes. */
static void add_scaled(double *out, const double *in, const double scale[4], size_t arms) {
    const double *in1 = in + arms, *in2 = in1 + arms, *in3 = in2 + arms;
    for (size_t a = 0; a < arms; a++) {
        out[a] = (((out[a] + scale[0] * in[a]) + scale[1] * in1[a]) + scale[2] * in2[a]) +
                 scale[3] * in3[a];
    }
}

/* out (rows × K) += matrix × in (columns × K); strides say how the matrix lies in memory. Most of a
 * kernel's corner is zero and is skipped. */
static void multiply(const double *matrix, size_t row_stride, size_t column_stride, size_t rows,
                     size_t columns, const double *in, double *out, size_t arms) {
    for (size_t g = 0; g < rows; g++) {
        size_t i = 0;
        for (; i + 4 <= columns; i += 4) {
            const double *m = matrix + g * row_stride + i * column_stride;
            const double scale[4] = {m[0], m[column_stride], m[2 * column_stride],
                                     m[3 * column_stride]};
            if (scale[0] != 0 || scale[1] != 0 || scale[2] != 0 || scale[3] != 0) {
                add_scaled(out + g * arms, in + i * arms, scale, arms);
            }
        }
        for (; i < columns; i++) {
            const double m = matrix[g * row_stride + i * column_stride];
            for (size_t a = 0; a < arms; a++) {
                out[g * arms + a] += m * in[i * arms + a];
            }
        }
    }
}

void xp__choice_probabilities(const xp__choice_grid *grid, size_t arms, const double *mass,
                              double *scratch, double *probability) {
    const size_t cells = grid->rows * arms;
    double *lumped = scratch, *f = lumped + grid->columns * arms, *f_slope = f + cells;
    double *before = f_slope + 3 * cells;
    memset(lumped, 0, (grid->columns * arms + 2 * cells) * sizeof *lumped);
    for (size_t j = 0; j < grid->nodes; j++) {
        for (size_t a = 0; a < arms; a++) {
            lumped[grid->column[j] * arms + a] += mass[j * arms + a];
        }
    }
    multiply(grid->kernel, grid->columns, 1, grid->rows, grid->columns, lumped, f, arms);
    multiply(grid->kernel_slope, grid->columns, 1, grid->rows, grid->columns, lumped, f_slope,
             arms);
    memset(probability, 0, arms * sizeof *probability);
    for (size_t g = 0; g < grid->rows; g++) {
        /* Products of all others, from both sides: no division, so that zeros are harmless. */
        const double *value = f + g * arms, *slope = f_slope + g * arms;
        before[0] = 1;
        for (size_t a = 0; a < arms; a++) {
            before[a + 1] = before[a] * value[a];
        }
        double after = 1;
        for (size_t a = arms; a-- > 0;) {
            probability[a] += slope[a] * before[a] * after;
            after *= value[a];
        }
    }
}

void xp__choice_gradient(const xp__choice_grid *grid, size_t arms, const double *c, double *scratch,
                         double *slope) {
    const size_t cells = grid->rows * arms;
    const double *f = scratch + grid->columns * arms, *f_slope = f + cells;
    double *by_f = scratch + grid->columns * arms + 2 * cells, *by_slope = by_f + cells;
    double *product = by_slope + cells, *change = product + arms + 1;
    for (size_t g = 0; g < grid->rows; g++) {
        /* Pairs (Π F, Σ_a c_a F_a' Π_{others} F) over the arms before, then over those after; a
         * pair of two ranges is (P1 P2, S1 P2 + P1 S2). */
        const double *value = f + g * arms, *derivative = f_slope + g * arms;
        product[0] = 1;
        change[0] = 0;
        for (size_t a = 0; a < arms; a++) {
            product[a + 1] = product[a] * value[a];
            change[a + 1] = change[a] * value[a] + product[a] * c[a] * derivative[a];
        }
        double after = 1, after_change = 0;
        for (size_t a = arms; a-- > 0;) {
            by_f[g * arms + a] = change[a] * after + product[a] * after_change;
            by_slope[g * arms + a] = c[a] * product[a] * after;
            after_change = after_change * value[a] + after * c[a] * derivative[a];
            after *= value[a];
        }
    }
    memset(slope, 0, grid->columns * arms * sizeof *slope);
    multiply(grid->kernel, 1, grid->columns, grid->columns, grid->rows, by_f, slope, arms);
    multiply(grid->kernel_slope, 1, grid->columns, grid->columns, grid->rows, by_slope, slope,
             arms);
}
