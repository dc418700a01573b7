/* nodes.c: midpoints on x = sin²φ, evenly spread or crowded by lenses.
 *
 * With lenses φ is itself a function of an even parameter t: t(φ) = b φ + Σ_j c_j atan((φ -
 * m_j)/s_j) and mirror images of each lens at both ends, so that t stays odd about the ends as sin²
 * is. The map is analytic, which keeps the midpoint rule's fast convergence for analytic
 * integrands. */
#include "sampler/integral/nodes.h"

#include <math.h>

static const double quarter_turn = 1.5707963267948966; /* π/2, the range of φ */

/* A lens puts LENS_POINTS midpoints around its centre, in a Cauchy profile. */
#define LENS_POINTS 16.0

void xp__nodes_carve(xp__nodes *nodes, size_t count, double *block, size_t stride) {
    double **const array[XP__NODES_ARRAYS] = {&nodes->x,     &nodes->y,         &nodes->log_x,
                                              &nodes->log_y, &nodes->weight,    &nodes->slope,
                                              &nodes->angle, &nodes->angle_step};
    nodes->count = count;
    nodes->pinch = 1;
    for (size_t i = 0; i < XP__NODES_ARRAYS; i++) {
        *array[i] = block + i * stride;
    }
}

typedef struct crowding {
    double even;  /* midpoints per unit of φ (of ψ with a pinch) that are evenly spread */
    double pinch; /* 1: none */
    size_t lenses;
    double center[XP__LENS_MAX], width[XP__LENS_MAX], amount[XP__LENS_MAX];
} crowding;

/* dψ/dφ, of tan φ = pinch tan ψ. */
static double pinching(double pinch, double angle) {
    const double sine = sin(angle), cosine = cos(angle);
    return pinch / (pinch * pinch * cosine * cosine + sine * sine);
}

double xp__nodes_pinching(const xp__nodes *nodes, double angle) {
    return nodes->pinch < 1 ? pinching(nodes->pinch, angle) : 1;
}

/* Midpoints to the left of φ (up to a constant), and their density there. */
static double position(const crowding *map, double angle, double *density) {
    double total = map->even * angle, rate = map->even;
    if (map->pinch < 1) {
        total = map->even * atan2(sin(angle), map->pinch * cos(angle));
        rate = map->even * pinching(map->pinch, angle);
    }
    for (size_t j = 0; j < map->lenses; j++) {
        const double m = map->center[j], s = map->width[j], c = map->amount[j];
        const double distance[3] = {(angle - m) / s, (angle + m) / s,
                                    (angle - (2 * quarter_turn - m)) / s};
        for (int image = 0; image < 3; image++) {
            total += c * atan(distance[image]);
            rate += c / s / (1 + distance[image] * distance[image]);
        }
    }
    *density = rate;
    return total;
}

/* φ with position(φ) = target: Newton, kept inside a bracket. */
static double solve(const crowding *map, double target, double low) {
    double high = quarter_turn, angle = low, density;
    for (int i = 0; i < 200; i++) {
        const double error = position(map, angle, &density) - target;
        if (error > 0) {
            high = angle;
        } else {
            low = angle;
        }
        double next = angle - error / density;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        const double moved = fabs(next - angle);
        angle = next;
        if (moved < 1e-15) {
            break;
        }
    }
    return angle;
}

/* The midpoint rule on an integrand c₁u + c₃u³ near an end is off by -h²c₁/24 + 7h⁴c₃/960; these
 * two weights take exactly that out. */
static void correct_ends(xp__nodes *nodes) {
    const size_t last = nodes->count - 1;
    const double first = 1 - 97.0 / 960, second = 1 + 17.0 / 2880;
    nodes->weight[0] *= first;
    nodes->weight[1] *= second;
    nodes->weight[last - 1] *= second;
    nodes->weight[last] *= first;
    for (size_t g = 0; g < nodes->count; g++) {
        nodes->slope[g] = nodes->x[g] * nodes->y[g] / nodes->weight[g];
    }
}

void xp__nodes_fill(xp__nodes *nodes) {
    for (size_t g = 0; g < nodes->count; g++) {
        const double sine = sin(nodes->angle[g]), cosine = cos(nodes->angle[g]);
        nodes->x[g] = sine * sine;
        nodes->y[g] = cosine * cosine;
        nodes->log_x[g] = 2 * log(sine);
        nodes->log_y[g] = 2 * log(cosine);
        nodes->weight[g] = 2 * sine * cosine * nodes->angle_step[g];
    }
    correct_ends(nodes);
}

size_t xp__nodes_lay(xp__nodes *nodes, const xp__lens *lens, size_t lenses) {
    const double count = (double)nodes->count;
    const double per_lens = LENS_POINTS;
    crowding map = {.even = count / quarter_turn, .pinch = nodes->pinch, .lenses = 0};
    while (map.lenses < lenses && map.lenses < XP__LENS_MAX &&
           (double)(map.lenses + 1) * per_lens <= (1 - XP__EVEN_SHARE) * count) {
        const size_t j = map.lenses++;
        map.center[j] = lens[j].center;
        map.amount[j] = per_lens / (2 * quarter_turn);
        map.width[j] = map.amount[j] / lens[j].density;
    }
    if (map.lenses == 0) {
        const double step = quarter_turn / count;
        for (size_t g = 0; g < nodes->count; g++) {
            nodes->angle[g] = ((double)g + 0.5) * step;
            nodes->angle_step[g] = step;
            if (nodes->pinch < 1) {
                const double psi = nodes->angle[g];
                nodes->angle[g] = atan2(nodes->pinch * sin(psi), cos(psi));
                nodes->angle_step[g] = step / pinching(nodes->pinch, nodes->angle[g]);
            }
        }
        xp__nodes_fill(nodes);
        return 0;
    }
    map.even = (count - (double)map.lenses * per_lens) / quarter_turn;
    double density, low = 0;
    const double start = position(&map, 0, &density);
    const double step = (position(&map, quarter_turn, &density) - start) / count;
    for (size_t g = 0; g < nodes->count; g++) {
        low = solve(&map, start + ((double)g + 0.5) * step, low);
        (void)position(&map, low, &density);
        nodes->angle[g] = low;
        nodes->angle_step[g] = step / density;
    }
    xp__nodes_fill(nodes);
    return map.lenses;
}

double xp__nodes_density(const xp__nodes *nodes, double angle) {
    size_t low = 0, high = nodes->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (nodes->angle[middle] <= angle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 1 / nodes->angle_step[low];
}
