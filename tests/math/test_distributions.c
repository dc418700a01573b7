/* Random variates: each law by its first two moments and by a Kolmogorov-Smirnov test against GSL's
 * distribution functions. Seeds are fixed; each threshold would be passed by chance with
 * probability below 1e-6. */
#include "claim.h"

#include "experior/rng.h"
#include "math/special.h"
#include "math/variates_inline.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200000 };

typedef struct law {
    double (*draw)(xp_rng *rng, double a, double b);
    double (*cdf)(double x, double a, double b);
    double a, b, mean, variance;
} law;

static int ascending(const void *left, const void *right) {
    const double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

/* sqrt(n) times the largest distance between the two distribution functions. Values within 1e-12 of
 * one are left out: rounded to doubles they pile up, which the continuous law does not. */
static double kolmogorov(double *value, size_t n, const law *of) {
    qsort(value, n, sizeof *value, ascending);
    double distance = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(value[i] - 1) < 1e-12) {
            continue;
        }
        const double p = of->cdf(value[i], of->a, of->b);
        if (isnan(p)) {
            return INFINITY;
        }
        distance = fmax(distance, fabs(p - (double)i / (double)n));
        distance = fmax(distance, fabs(p - (double)(i + 1) / (double)n));
    }
    return sqrt((double)n) * distance;
}

static void expect_law(const law *of, uint64_t seed) {
    double *value = malloc(DRAWS * sizeof *value);
    xp_rng rng = xp_rng_seed(seed);
    double sum = 0, spread = 0, fourth = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        value[i] = of->draw(&rng, of->a, of->b);
        const double square = (value[i] - of->mean) * (value[i] - of->mean);
        sum += value[i];
        spread += square;
        fourth += square * square;
    }
    const double n = DRAWS, deviation = sqrt(of->variance / n);
    EXPECT_NEAR((sum / n - of->mean) / deviation, 0, 5.2);
    /* The error of the variance, from the fourth moment of the sample itself. */
    const double variance_deviation = sqrt((fourth / n - spread / n * spread / n) / n);
    EXPECT_NEAR((spread / n - of->variance) / variance_deviation, 0, 6);
    /* P(sqrt(n) D > 2.8) = 2 exp(-2 * 2.8^2) = 3e-7. */
    EXPECT_NEAR(kolmogorov(value, DRAWS, of), 0, 2.8);
    free(value);
}

static double draw_normal(xp_rng *rng, double a, double b) {
    (void)a;
    (void)b;
    return xp_rng_normal(rng);
}

static double cdf_normal(double x, double a, double b) {
    (void)a;
    (void)b;
    return gsl_cdf_ugaussian_P(x);
}

static double draw_exponential(xp_rng *rng, double a, double b) {
    (void)a;
    (void)b;
    return xp_rng_exponential(rng);
}

static double cdf_exponential(double x, double a, double b) {
    (void)a;
    (void)b;
    return gsl_cdf_exponential_P(x, 1);
}

static double draw_gumbel(xp_rng *rng, double a, double b) {
    (void)a;
    (void)b;
    return xp_rng_gumbel(rng);
}

static double cdf_gumbel(double x, double a, double b) {
    (void)a;
    (void)b;
    return exp(-exp(-x));
}

static double draw_gamma(xp_rng *rng, double a, double b) {
    (void)b;
    return xp_rng_gamma(rng, a);
}

static double cdf_gamma(double x, double a, double b) {
    (void)b;
    return gsl_cdf_gamma_P(x, a, 1);
}

CLAIM(normal_exponential_and_gumbel_variates_have_their_laws) {
    const double euler = 0.57721566490153286, pi = acos(-1);
    const law normal = {draw_normal, cdf_normal, 0, 0, 0, 1};
    const law exponential = {draw_exponential, cdf_exponential, 0, 0, 1, 1};
    const law gumbel = {draw_gumbel, cdf_gumbel, 0, 0, euler, pi * pi / 6};
    expect_law(&normal, 1);
    expect_law(&exponential, 2);
    expect_law(&gumbel, 3);
}

CLAIM(gamma_variates_have_their_law) {
    static const double shape[] = {0.05, 0.5, 0.999, 1, 1.001, 2.5, 400, 1e4};
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        const law gamma = {draw_gamma, cdf_gamma, shape[i], 0, shape[i], shape[i]};
        expect_law(&gamma, 100 + i);
    }
}

CLAIM(beta_variates_have_their_law) {
    static const double parameter[][2] = {{0.03, 0.05}, {0.05, 0.03}, {0.5, 0.5}, {0.5, 3},
                                          {1, 1},       {1, 30},      {30, 1},    {3, 2},
                                          {1.5, 1.01},  {3, 40},      {400, 80},  {1e5, 1e3}};
    for (size_t i = 0; i < sizeof parameter / sizeof parameter[0]; i++) {
        const double a = parameter[i][0], b = parameter[i][1], n = a + b;
        const law beta = {xp_rng_beta, gsl_cdf_beta_P, a, b, a / n, a * b / (n * n * (n + 1))};
        expect_law(&beta, 200 + i);
    }
}

/* As the parameters vanish the law becomes 1 with probability a / (a + b), else 0. */
CLAIM(beta_variates_stay_in_the_unit_interval_for_any_parameters) {
    static const double parameter[][2] = {{1e-3, 1e-3},     {1e-3, 3e-3},     {1e-6, 1e-6},
                                          {1e-300, 1e-300}, {5e-324, 5e-324}, {1e-320, 3e-320},
                                          {1e-3, 1e3},      {1e3, 1e-3}};
    enum { N = 20000 };
    xp_rng rng = xp_rng_seed(9);
    for (size_t i = 0; i < sizeof parameter / sizeof parameter[0]; i++) {
        const double a = parameter[i][0], b = parameter[i][1];
        bool inside = true;
        double sum = 0;
        for (int k = 0; k < N; k++) {
            const double x = xp_rng_beta(&rng, a, b);
            inside = inside && x >= 0 && x <= 1; /* false for NaN */
            sum += x;
        }
        EXPECT(inside);
        const double p = a / (a + b);
        EXPECT_NEAR(sum / N, p, 5.2 * sqrt(p * (1 - p) / N));
    }
    const double large = xp_rng_beta(&rng, 1e12, 3e12);
    EXPECT_NEAR(large, 0.25, 1e-5);
    EXPECT(xp_rng_beta(&rng, 1e300, 1e-3) == 1 && xp_rng_beta(&rng, 1e-3, 1e300) < 1e-200);
}

static double draw_normal_tail(xp_rng *rng, double a, double b) {
    (void)a;
    (void)b;
    return xp__normal_edge(rng, 0, 1);
}

static double cdf_normal_tail(double x, double a, double b) {
    (void)b;
    return 1 - erfc(x / sqrt(2)) / erfc(a / sqrt(2));
}

static double draw_exponential_tail(xp_rng *rng, double a, double b) {
    (void)a;
    (void)b;
    return xp__exponential_edge(rng, 0, 1);
}

static double cdf_exponential_tail(double x, double a, double b) {
    (void)b;
    return -expm1(a - x);
}

/* The normal law beyond r has mean h = f(r) / P(x > r) and variance 1 + r h - h^2. */
CLAIM(the_tails_of_the_ziggurats_have_their_laws) {
    const double r = xp__ziggurat_normal_x[1], s = xp__ziggurat_exponential_x[1];
    const double h = sqrt(2 / acos(-1)) * exp(-0.5 * r * r) / erfc(r / sqrt(2));
    const law normal = {draw_normal_tail, cdf_normal_tail, r, 0, h, 1 + r * h - h * h};
    const law exponential = {draw_exponential_tail, cdf_exponential_tail, s, 0, s + 1, 1};
    expect_law(&normal, 20);
    expect_law(&exponential, 21);
    xp_rng rng = xp_rng_seed(22);
    EXPECT(xp__normal_edge(&rng, 0, -1) <= -r); /* the sign is the candidate's */
}

/* Kolmogorov's distance hardly sees the tails; here they are counted. P(|x| > r) for the normal and
 * P(x > r) for the exponential are what the lowest layers leave to the tail code. */
CLAIM(the_tails_of_the_ziggurats_have_the_right_mass) {
    static const double normal_edge[] = {2, 3, 3.6541528853610088, 4, 4.5};
    static const double exponential_edge[] = {3, 6, 7.6971174701310497, 9, 11};
    enum { N = 4000000, EDGES = 5 };
    double beyond[EDGES] = {0}, above[EDGES] = {0}, positive = 0;
    xp_rng rng = xp_rng_seed(10);
    for (int i = 0; i < N; i++) {
        const double x = xp__rng_normal(&rng), y = xp__rng_exponential(&rng);
        positive += x > 0;
        for (int k = 0; k < EDGES; k++) {
            beyond[k] += fabs(x) > normal_edge[k];
            above[k] += y > exponential_edge[k];
        }
    }
    EXPECT_NEAR((positive - 0.5 * N) / sqrt(0.25 * N), 0, 5.2);
    for (int k = 0; k < EDGES; k++) {
        /* Counts of rare events: variance = mean; 7 standard deviations cover their skew. */
        const double wanted = N * erfc(normal_edge[k] / sqrt(2));
        EXPECT_NEAR((beyond[k] - wanted) / sqrt(wanted), 0, 7);
        const double expected = N * exp(-exponential_edge[k]);
        EXPECT_NEAR((above[k] - expected) / sqrt(expected), 0, 7);
    }
}

/* 1,000 equally likely cells: narrower than most layers. */
CLAIM(the_layers_of_the_ziggurats_leave_no_trace) {
    enum { CELLS = 1000, N = 4000000 };
    static double normal[CELLS], exponential[CELLS];
    xp_rng rng = xp_rng_seed(11);
    for (int i = 0; i < N; i++) {
        normal[(int)(CELLS * xp__normal_cdf(xp__rng_normal(&rng)) * (1 - 1e-16))]++;
        exponential[(int)(CELLS * -expm1(-xp__rng_exponential(&rng)) * (1 - 1e-16))]++;
    }
    double first = 0, second = 0;
    const double wanted = (double)N / CELLS;
    for (int k = 0; k < CELLS; k++) {
        first += (normal[k] - wanted) * (normal[k] - wanted) / wanted;
        second += (exponential[k] - wanted) * (exponential[k] - wanted) / wanted;
    }
    EXPECT(xp__chi_square_survival(first, CELLS - 1) > 1e-6);
    EXPECT(xp__chi_square_survival(second, CELLS - 1) > 1e-6);
}

static long double normal_height(long double x) {
    return expl(-x * x / 2);
}

static long double normal_inverse(long double y) {
    return sqrtl(-2 * logl(y));
}

static long double normal_tail_area(long double r) {
    return sqrtl(acosl(-1) / 2) * erfcl(r / sqrtl(2));
}

static long double exponential_height(long double x) {
    return expl(-x);
}

static long double exponential_inverse(long double y) {
    return -logl(y);
}

typedef struct ziggurat {
    long double (*height)(long double x);
    long double (*inverse)(long double y);
    long double (*tail_area)(long double r);
    const double *x, *y;
} ziggurat;

/* Fills x[0..256] for a tail from r on; how far the last layer ends above the top, f = 1. */
static long double build(const ziggurat *shape, long double r, long double x[257]) {
    const long double area = r * shape->height(r) + shape->tail_area(r);
    x[0] = area / shape->height(r);
    x[1] = r;
    for (int i = 2; i <= 256; i++) {
        const long double top = shape->height(x[i - 1]) + area / x[i - 1];
        if (i == 256 || top >= 1) {
            x[256] = 0;
            return i == 256 ? top - 1 : 1;
        }
        x[i] = shape->inverse(top);
    }
    return 0;
}

/* The distance in units of the last place. */
static double rounding(double got, long double wanted) {
    return got == 0 ? (double)wanted : (double)fabsl(got - wanted) / (nextafter(got, 9) - got);
}

CLAIM(the_tables_of_the_ziggurats_solve_their_defining_equations) {
    const ziggurat shapes[] = {
        {normal_height, normal_inverse, normal_tail_area, xp__ziggurat_normal_x,
         xp__ziggurat_normal_height},
        {exponential_height, exponential_inverse, exponential_height, xp__ziggurat_exponential_x,
         xp__ziggurat_exponential_height},
    };
    for (int s = 0; s < 2; s++) {
        long double low = 3, high = 9, x[257]; /* a small r leaves too much area */
        for (int step = 0; step < 80; step++) {
            const long double middle = (low + high) / 2;
            *(build(&shapes[s], middle, x) > 0 ? &low : &high) = middle;
        }
        (void)build(&shapes[s], high, x);
        double worst = 0;
        for (int i = 0; i <= 256; i++) {
            const long double height = i > 0 ? shapes[s].height(x[i]) : 0;
            worst = fmax(worst, rounding(shapes[s].x[i], x[i]));
            worst = fmax(worst, rounding(shapes[s].y[i], height));
        }
        /* Half a unit is the nearest double; the recurrence in long doubles adds up to half of one.
         */
        EXPECT_NEAR(worst, 0, 1);
    }
}

/* FNV-1a over the bits of the results. The values of these variates are made of operations that
 * IEEE 754 fixes (the elementary functions only decide), so the hash is the same everywhere. */
CLAIM(variates_are_the_same_bits_for_every_compiler_and_optimisation) {
    xp_rng rng = xp_rng_seed(12);
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < 20000; i++) {
        const double value[] = {xp_rng_normal(&rng), xp_rng_exponential(&rng),
                                xp_rng_gamma(&rng, 1.5 + i % 7), xp_rng_beta(&rng, 1 + i % 5, 3)};
        for (size_t k = 0; k < sizeof value / sizeof value[0]; k++) {
            uint64_t bits;
            memcpy(&bits, &value[k], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
    }
    EXPECT(hash == 0x1ceadecbfd57ee5b);
}

/* Words are shared between a variate and the rejection step; neighbours must not feel it. */
CLAIM(successive_variates_are_uncorrelated) {
    enum { N = 1000000 };
    xp_rng rng = xp_rng_seed(13);
    double before[3] = {0}, product[3] = {0};
    for (int i = 0; i < N; i++) {
        const double now[3] = {xp__rng_normal(&rng),
                               xp__rng_gamma_large(&rng, 2) / sqrt(2) - sqrt(2),
                               (xp__rng_beta_ge1(&rng, 2, 2) - 0.5) * sqrt(20)};
        for (int k = 0; k < 3; k++) {
            product[k] += before[k] * now[k];
            before[k] = now[k];
        }
    }
    for (int k = 0; k < 3; k++) { /* unit variances: the mean product has deviation 1 / sqrt(N) */
        EXPECT_NEAR(product[k] / sqrt(N), 0, 5.2);
    }
}

static double chi_square(const double *count, const double *weight, size_t n, double draws) {
    double statistic = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        total += weight[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double wanted = draws * weight[i] / total;
        statistic += wanted > 0 ? (count[i] - wanted) * (count[i] - wanted) / wanted : 0;
    }
    return statistic;
}

CLAIM(categorical_draws_follow_their_weights) {
    static const double weight[] = {0, 3, 0.5, 0, 20, 1e-300, 7, 0};
    enum { N = 300000 };
    double count[8] = {0};
    xp_rng rng = xp_rng_seed(14);
    for (int i = 0; i < N; i++) {
        count[xp_rng_categorical(&rng, weight, 8)]++;
    }
    EXPECT(count[0] == 0 && count[3] == 0 && count[5] == 0 && count[7] == 0);
    EXPECT(xp__chi_square_survival(chi_square(count, weight, 8, N), 3) > 1e-6);
    const double only_last[] = {0, 0, 1e-308}, one[] = {4};
    EXPECT(xp_rng_categorical(&rng, only_last, 3) == 2);
    EXPECT(xp_rng_categorical(&rng, one, 1) == 0);
}

CLAIM(integers_below_a_bound_are_equally_likely) {
    static const double equal[6] = {1, 1, 1, 1, 1, 1};
    enum { N = 300000 };
    double count[6] = {0}, lower = 0, third = 0;
    xp_rng rng = xp_rng_seed(15);
    bool below = true;
    for (int i = 0; i < N; i++) {
        count[xp_rng_below(&rng, 6)]++;
        /* Three quarters of 2^64: remainders would fall twice as often in the first third, and
         * products without rejection twice as often on multiples of three. */
        const uint64_t bound = (uint64_t)3 << 62, x = xp_rng_below(&rng, bound);
        below = below && x < bound;
        lower += x < bound / 3;
        third += x % 3 == 0;
    }
    EXPECT(below);
    EXPECT(xp__chi_square_survival(chi_square(count, equal, 6, N), 5) > 1e-6);
    EXPECT_NEAR((lower - N / 3.0) / sqrt(N * 2.0 / 9), 0, 5.2);
    EXPECT_NEAR((third - N / 3.0) / sqrt(N * 2.0 / 9), 0, 5.2);
    EXPECT(xp_rng_below(&rng, 1) == 0);
}

CLAIM(bernoulli_draws_have_their_probability_and_certain_ones_are_certain) {
    enum { N = 300000 };
    xp_rng rng = xp_rng_seed(16);
    double ones = 0;
    bool never = false, always = true;
    for (int i = 0; i < N; i++) {
        ones += xp_rng_bernoulli(&rng, 0.3);
        never = never || xp_rng_bernoulli(&rng, 0);
        always = always && xp_rng_bernoulli(&rng, 1);
    }
    EXPECT_NEAR((ones - 0.3 * N) / sqrt(0.21 * N), 0, 5.2);
    EXPECT(!never && always);
}

__attribute__((constructor)) static void quiet_gsl(void) {
    (void)gsl_set_error_handler_off(); /* underflow is an answer, not a reason to abort */
}

CLAIM(parameters_that_no_distribution_has_give_no_number) {
    static const double bad[] = {0, -1, INFINITY, NAN};
    xp_rng rng = xp_rng_seed(1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT(isnan(xp_rng_gamma(&rng, bad[i])));
        EXPECT(isnan(xp_rng_beta(&rng, bad[i], 2)) && isnan(xp_rng_beta(&rng, 2, bad[i])));
    }
}
