/* softmax_points.c: see the header.
 *
 * Sums have a written order (eight lanes, then a tree), so that vector code of any width gives the
 * same bits.
 *
 * Start. A lattice rule: point i has the coordinates i z^j / M modulo one with z = 17797
 * (Hickernell, Hong, L'Ecuyer & Lemieux, SIAM J. Sci. Comput. 2000, for M a power of two), folded
 * at 1/2 so that smooth functions need not be periodic (Hickernell, MCQMC 2000). For up to five
 * arms its error is ten to a hundred times less than that of the R-sequence, for ten about the
 * same.
 *
 * Refresh. The points are drawn not from mu_v but from mu_v h with h = Σ_a s_a g_a, g_a = 1/2 +
 * 1/(2 K E_v[s_a]): half of them from mu_v, half spread evenly over the arms that the expert would
 * choose. Every arm, however rare, keeps its share of points, hence its own relative accuracy, and
 * importance weights never exceed 2. With more than XP__MANY_ARMS this is where the time goes, and
 * what is known of a row's exponentials is used again instead of computed again; with fewer they
 * are computed, as they always were, to the same last digits. */
#include "prior/softmax/softmax_points.h"

#include "base/memory.h"
#include "math/special.h"
#include "math/variates_inline.h"
#include "prior/softmax/softmax_covariance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LANES = XP__COVARIANCE_LANES, TILE = XP__COVARIANCE_TILE, MAX_REFRESHES = 200 };

static double sum(const double *x, size_t n) {
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += x[i + l];
        }
    }
    for (size_t l = 0; i < n; i++, l++) {
        lane[l] += x[i];
    }
    return xp__lane_total(lane);
}

static double dot(const double *x, const double *y, size_t n) {
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += x[i + l] * y[i + l];
        }
    }
    for (size_t l = 0; i < n; i++, l++) {
        lane[l] += x[i] * y[i];
    }
    return xp__lane_total(lane);
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

static double beta_of(const xp__softmax_points *points, size_t i) {
    return points->reference == NULL
               ? points->beta
               : points->beta * points->reference->sharpness[points->component[i]];
}

/* s of every point, from theta. */
static void fill_softmax(xp__softmax_points *points) {
    const size_t arms = points->arms;
    for (size_t i = 0; i < points->count; i++) {
        const double *theta = points->theta + i * arms, beta = beta_of(points, i);
        double top = theta[0], total = 0;
        for (size_t a = 1; a < arms; a++) {
            top = larger(top, theta[a]);
        }
        for (size_t a = 0; a < arms; a++) {
            const double e = exp(beta * (theta[a] - top));
            points->s[a * points->count + i] = e;
            total += e;
        }
        for (size_t a = 0; a < arms; a++) {
            points->s[a * points->count + i] /= total;
        }
    }
}

/* A coordinate of the lattice, folded. */
static double lattice(uint64_t multiple, size_t count) {
    const double u = ((double)(multiple % count) + 0.5) / (double)count;
    return u < 0.5 ? 2 * u : 2 - 2 * u;
}

/* The coordinate after the last arm's decides the component of each point. */
static void draw_components(xp__softmax_points *points, uint64_t stride) {
    const xp__reference *reference = points->reference;
    for (size_t i = 0; i < points->count; i++) {
        double left = lattice(i * stride, points->count);
        size_t h = 0;
        while (h + 1 < reference->count && left >= reference->weight[h]) {
            left -= reference->weight[h++];
        }
        points->component[i] = (uint8_t)h;
    }
}

/* From the cube to the reference, coordinate by coordinate. A coordinate is an odd multiple of 1 /
 * count, so that each component needs count / 2 quantiles at most. */
static void map_to_reference(xp__softmax_points *points) {
    const xp__reference *reference = points->reference;
    const size_t arms = points->arms, count = points->count;
    double *quantile = points->scratch;
    for (size_t h = 0; h < reference->count; h++) {
        const double a = reference->a[h], b = reference->b[h];
        if (a == 1 && b == 1) {
            continue;
        }
        for (size_t j = 0; j < count / 2; j++) {
            const double u = (double)(2 * j + 1) / (double)count;
            quantile[j] = a == 1 ? -expm1(log1p(-u) / b) : xp__beta_quantile(u, a, b);
        }
        for (size_t i = 0; i < count; i++) {
            double *theta = points->theta + i * arms;
            for (size_t k = 0; points->component[i] == h && k < arms; k++) {
                theta[k] = quantile[(size_t)(theta[k] * (double)count) / 2];
            }
        }
    }
}

static void fill_start(xp__softmax_points *points) {
    const size_t arms = points->arms, count = points->count;
    assert(count > 0);
    uint64_t stride = 1;
    for (size_t a = 0; a < arms; a++) {
        for (size_t i = 0; i < count; i++) {
            points->theta[i * arms + a] = lattice(i * stride, count);
        }
        stride = stride * 17797 % count;
    }
    if (points->reference != NULL) {
        draw_components(points, stride);
        map_to_reference(points);
    }
    for (size_t i = 0; i < count; i++) {
        points->base[i] = -log((double)count);
    }
}

xp_status xp__softmax_points_init(xp__softmax_points *points, size_t arms, size_t count,
                                  double beta, const xp__reference *reference, xp_error *error) {
    const size_t wanted = count != 0 ? count : arms < 4 ? 16384 : 8192;
    for (count = TILE; count < wanted;) {
        count *= 2;
    }
    *points =
        (xp__softmax_points){.arms = arms, .count = count, .beta = beta, .reference = reference};
    points->component = xp__alloc(count, sizeof *points->component);
    points->theta = xp__alloc(count * arms, sizeof(double));
    points->s = xp__alloc(count * arms, sizeof(double));
    points->base = xp__alloc(count, sizeof(double));
    points->weight = xp__alloc(count, sizeof(double));
    points->mean = xp__alloc(arms, sizeof(double));
    points->spread = xp__alloc(arms * arms, sizeof(double));
    points->scratch = xp__alloc(count + 2 * TILE * arms, sizeof(double));
    points->home = xp__alloc(2 * arms, sizeof(double));
    points->copies = xp__alloc(count, sizeof(uint32_t));
    if (points->theta == NULL || points->s == NULL || points->base == NULL ||
        points->weight == NULL || points->mean == NULL || points->spread == NULL ||
        points->home == NULL || points->scratch == NULL || points->copies == NULL ||
        points->component == NULL) {
        return xp__no_memory(error);
    }
    points->rng = xp_rng_seed(0);
    points->sweeps = XP__SWEEPS;
    fill_start(points);
    fill_softmax(points);
    return XP_OK;
}

void xp__softmax_points_deinit(xp__softmax_points *points) {
    xp__free(points->theta);
    xp__free(points->s);
    xp__free(points->base);
    xp__free(points->weight);
    xp__free(points->mean);
    xp__free(points->spread);
    xp__free(points->home);
    xp__free(points->scratch);
    xp__free(points->copies);
    xp__free(points->component);
}

void xp__softmax_points_weigh(xp__softmax_points *points, const double *v) {
    const size_t count = points->count;
    double *weight = points->weight;
    memcpy(weight, points->base, count * sizeof *weight);
    for (size_t a = 0; a < points->arms; a++) {
        const double *s = points->s + a * count, v_a = v[a];
        for (size_t i = 0; i < count; i++) {
            weight[i] += v_a * s[i];
        }
    }
    double top = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        top = weight[i] > top ? weight[i] : top;
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] = exp(weight[i] - top);
    }
    const double total = sum(weight, count);
    points->log_normaliser = top + log(total);
    for (size_t i = 0; i < count; i++) {
        weight[i] /= total;
    }
    points->effective = 1 / ((double)count * dot(weight, weight, count));
    for (size_t a = 0; a < points->arms; a++) {
        points->mean[a] = dot(weight, points->s + a * count, count);
    }
}

void xp__softmax_points_covariance(xp__softmax_points *points) {
    const size_t arms = points->arms, count = points->count;
    double *centred = points->scratch, *weighted = centred + TILE * arms;
    xp__covariance_add *add = xp__covariance_best();
    memset(points->spread, 0, arms * arms * sizeof(double));
    for (size_t first = 0; first < count && !xp__watch_stopped(points->watch); first += TILE) {
        for (size_t a = 0; a < arms; a++) {
            const double *s = points->s + a * count + first, mean = points->mean[a];
            double *c = centred + a * TILE, *w = weighted + a * TILE;
            for (size_t i = 0; i < TILE; i++) {
                c[i] = s[i] - mean;
                w[i] = points->weight[first + i] * c[i];
            }
        }
        add(arms, weighted, centred, points->spread);
    }
    for (size_t a = 0; a < arms; a++) {
        for (size_t b = a + 1; b < arms; b++) {
            points->spread[a * arms + b] = points->spread[b * arms + a];
        }
    }
}

/* One row of points being moved: e_a = exp(beta (theta_a − origin)) and its sums. */
typedef struct row {
    double *theta, *e;
    const double *v, *g;
    size_t arms;
    double beta, origin;
    double a, b;                    /* of the Beta distribution that is the reference */
    double total, total_v, total_g; /* Σ e, Σ v e, Σ g e */
} row;

static void row_sums(row *r) {
    r->total = r->total_v = r->total_g = 0;
    for (size_t a = 0; a < r->arms; a++) {
        r->total += r->e[a];
        r->total_v += r->v[a] * r->e[a];
        r->total_g += r->g[a] * r->e[a];
    }
}

/* Puts the origin at the largest theta of all arms but `without`, which may be none (K). */
static void row_rebase(row *r, size_t without) {
    double top = -INFINITY;
    for (size_t a = 0; a < r->arms; a++) {
        top = a != without && r->theta[a] > top ? r->theta[a] : top;
    }
    r->origin = top;
    for (size_t a = 0; a < r->arms; a++) {
        /* Beyond 37 the softmax is 1 to every digit; the cap keeps the sums finite. */
        r->e[a] = exp(smaller(r->beta * (r->theta[a] - top), 600));
    }
    row_sums(r);
}

/* Narrows [*low, *high] to where (rest + c e) / (rest_total + e) >= level, e = exp(beta (x −
 * origin)): monotone in x, so one end moves at most. `x` is inside and stays inside. */
static void narrow(const row *r, double c, double rest, double rest_total, double level, double x,
                   double *low, double *high) {
    const double slope = c - level, need = level * rest_total - rest;
    if (need > 0 && slope > 0) {
        const double end = r->origin + log(need / slope) / r->beta;
        *low = larger(*low, smaller(end, x));
    } else if (need < 0 && slope < 0) {
        const double end = r->origin + log(need / slope) / r->beta;
        *high = smaller(*high, larger(end, x));
    }
}

/* The same for the two factors x^(a-1) and (1 - x)^(b-1) of the reference. */
static void narrow_reference(const row *r, double x, xp_rng *rng, double *low, double *high) {
    if (r->a > 1) {
        *low = larger(*low, smaller(x * exp(-xp__rng_exponential(rng) / (r->a - 1)), x));
    }
    if (r->b > 1) {
        const double y = (1 - x) * exp(-xp__rng_exponential(rng) / (r->b - 1));
        *high = smaller(*high, larger(1 - y, x));
    }
}

/* Slice sampling of one coordinate of exp(v · s) (g · s) with one auxiliary level for each factor
 * (Damien, Wakefield & Walker, J. R. Stat. Soc. B 1999); the slice is an interval in closed form.
 */
static void move_coordinate(row *r, size_t j, xp_rng *rng) {
    double rest = r->total - r->e[j];
    double rest_v = r->total_v - r->v[j] * r->e[j];
    double rest_g = r->total_g - r->g[j] * r->e[j];
    if (r->e[j] > 0.5 * r->total) { /* the difference would be rounding noise */
        rest = rest_v = rest_g = 0;
        for (size_t a = 0; a < r->arms; a++) {
            if (a != j) {
                rest += r->e[a];
                rest_v += r->v[a] * r->e[a];
                rest_g += r->g[a] * r->e[a];
            }
        }
        if (rest < 1e-200) {
            row_rebase(r, j);
            move_coordinate(r, j, rng);
            return;
        }
    }
    const double x = r->theta[j], share = 1 / (rest + r->e[j]);
    const double below =
        r->arms > XP__MANY_ARMS ? -xp__rng_exponential(rng) : log(xp__rng_uniform(rng));
    const double level_v = (rest_v + r->v[j] * r->e[j]) * share + below;
    const double level_g = (rest_g + r->g[j] * r->e[j]) * share * xp__rng_uniform(rng);
    double low = 0, high = 1;
    narrow(r, r->v[j], rest_v, rest, level_v, x, &low, &high);
    narrow(r, r->g[j], rest_g, rest, level_g, x, &low, &high);
    if (r->a > 1 || r->b > 1) {
        narrow_reference(r, x, rng, &low, &high);
    }
    const double moved = low + (high - low) * xp__rng_uniform(rng);
    r->theta[j] = moved;
    r->e[j] = exp(smaller(r->beta * (moved - r->origin), 600));
    r->total = rest + r->e[j];
    r->total_v = rest_v + r->v[j] * r->e[j];
    r->total_g = rest_g + r->g[j] * r->e[j];
    if (r->e[j] > 1e200) {
        row_rebase(r, r->arms);
    }
}

/* Adding one number to every theta leaves s as it is, so that the number is uniform over what keeps
 * theta in the cube. The origin goes along. */
static void move_together(row *r, xp_rng *rng) {
    double least = r->theta[0], most = r->theta[0];
    for (size_t a = 1; a < r->arms; a++) {
        least = smaller(least, r->theta[a]);
        most = larger(most, r->theta[a]);
    }
    const double shift = (1 - most + least) * xp__rng_uniform(rng) - least;
    for (size_t a = 0; a < r->arms; a++) {
        r->theta[a] = smaller(larger(r->theta[a] + shift, 0), 1);
    }
    r->origin += shift;
}

/* Passes over the coordinates of point i. Leaves its softmax in `e` if arms are many. */
static void move_point(xp__softmax_points *points, size_t i, const double *v, const double *g,
                       double *e) {
    const size_t arms = points->arms;
    row r = {.theta = points->theta + i * arms,
             .e = e,
             .v = v,
             .g = g,
             .arms = arms,
             .beta = beta_of(points, i),
             .a = 1,
             .b = 1};
    if (points->reference != NULL) {
        r.a = points->reference->a[points->component[i]];
        r.b = points->reference->b[points->component[i]];
    }
    for (int sweep = 0; sweep < points->sweeps; sweep++) {
        if (r.a == 1 && r.b == 1) {
            move_together(&r, &points->rng);
        }
        if (sweep == 0 || arms <= XP__MANY_ARMS) {
            row_rebase(&r, arms);
        }
        for (size_t j = 0; j < arms; j++) {
            move_coordinate(&r, j, &points->rng);
        }
    }
    if (arms > XP__MANY_ARMS) {
        row_sums(&r);
        for (size_t a = 0; a < arms; a++) {
            e[a] /= r.total;
        }
    }
}

/* Puts the softmax of LANES points, the last of them point i, where it belongs: a cache line at a
 * time. */
static void store_softmax(xp__softmax_points *points, size_t i, const double *e) {
    const size_t arms = points->arms;
    for (size_t a = 0; a < arms; a++) {
        double *s = points->s + a * points->count + (i + 1 - LANES);
        for (size_t l = 0; l < LANES; l++) {
            s[l] = e[l * arms + a];
        }
    }
}

/* Systematic resampling with probabilities ∝ weight · tilt: copies of rows replace rows. */
static void resample(xp__softmax_points *points, const double *tilt) {
    const size_t arms = points->arms, count = points->count;
    const double total = dot(points->weight, tilt, count);
    double reached = 0, offset = xp__rng_uniform(&points->rng);
    size_t made = 0;
    memset(points->copies, 0, count * sizeof *points->copies);
    for (size_t i = 0; i < count; i++) { /* how often row i is kept */
        reached += points->weight[i] * tilt[i] / total * (double)count;
        while (made < count && (double)made + offset < reached) {
            points->copies[i]++;
            made++;
        }
    }
    points->copies[count - 1] += (uint32_t)(count - made); /* rounding at the very end */
    size_t vacant = 0;
    for (size_t i = 0; i < count; i++) {
        for (; points->copies[i] > 1; points->copies[i]--) {
            while (points->copies[vacant] != 0) {
                vacant++;
            }
            memcpy(points->theta + vacant * arms, points->theta + i * arms, arms * sizeof(double));
            points->component[vacant] = points->component[i];
            points->copies[vacant] = 1;
        }
    }
}

void xp__softmax_points_refresh(xp__softmax_points *points, const double *v) {
    const size_t arms = points->arms, count = points->count;
    double *tilt = points->scratch, *g = tilt + count, *e = g + arms;
    const double log_normaliser = points->log_normaliser;
    for (size_t a = 0; a < arms; a++) {
        g[a] = 0.5 + 0.5 / ((double)arms * larger(points->mean[a], 1e-12));
    }
    memset(tilt, 0, count * sizeof *tilt);
    for (size_t a = 0; a < arms; a++) {
        for (size_t i = 0; i < count; i++) {
            tilt[i] += g[a] * points->s[a * count + i];
        }
    }
    resample(points, tilt);
    for (size_t i = 0; i < count; i++) {
        if (i % 512 == 0 && xp__watch_stopped(points->watch)) {
            return;
        }
        move_point(points, i, v, g, e + i % LANES * arms);
        if (arms > XP__MANY_ARMS && i % LANES == LANES - 1) {
            store_softmax(points, i, e);
        }
    }
    if (arms <= XP__MANY_ARMS) {
        fill_softmax(points);
    }
    /* A point drawn from mu_v h stands for the reference mass ∝ exp(−v · s) / h. */
    for (size_t i = 0; i < count; i++) {
        double value = 0, h = 0;
        for (size_t a = 0; a < arms; a++) {
            value += v[a] * points->s[a * count + i];
            h += g[a] * points->s[a * count + i];
        }
        points->base[i] = -value - log(h);
    }
    points->refreshes++;
    xp__softmax_points_weigh(points, v);
    const double shift = log_normaliser - points->log_normaliser;
    for (size_t i = 0; i < count; i++) {
        points->base[i] += shift;
    }
    points->log_normaliser = log_normaliser;
    memmove(points->home, v, arms * sizeof *v);
}

bool xp__softmax_points_effective(const xp__softmax_points *points) {
    return points->effective >= 0.25; /* false for NaN */
}

bool xp__softmax_points_follow(xp__softmax_points *points, const double *v) {
    double *middle = points->home + points->arms;
    while (points->refreshes < MAX_REFRESHES && !xp__watch_stopped(points->watch)) {
        xp__softmax_points_weigh(points, v);
        if (xp__softmax_points_effective(points)) {
            memcpy(points->home, v, points->arms * sizeof *v);
            return true;
        }
        for (double share = 0.5; !xp__softmax_points_effective(points); share *= 0.5) {
            if (share < 1e-9) {
                return false; /* v is not a number, or out of all proportion */
            }
            for (size_t a = 0; a < points->arms; a++) {
                middle[a] = points->home[a] + share * (v[a] - points->home[a]);
            }
            xp__softmax_points_weigh(points, middle);
        }
        xp__softmax_points_refresh(points, middle);
    }
    return false;
}
