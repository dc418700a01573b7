/* kernels_lane.h: Adam on one vector. Included once for each vector type that a build has, with
 * LANE(name) as its name and LANE_TYPE as its type; no include guard for that reason. */

typedef struct {
    LANE_TYPE beta1, rest1, beta2, rest2, rate, floor;
} LANE(adam);

static inline LANE(adam) LANE(adam_of)(const xp__net_adam *adam) {
    return (LANE(adam)){
        .beta1 = LANE(all)(adam->beta1),
        .rest1 = LANE(all)(adam->rest1),
        .beta2 = LANE(all)(adam->beta2),
        .rest2 = LANE(all)(adam->rest2),
        .rate = LANE(all)(adam->rate),
        .floor = LANE(all)(adam->floor),
    };
}

/* The moments after a gradient, and the direction first / (sqrt(second) + floor). */
static inline void LANE(adam_moments)(const LANE(adam) * a, LANE_TYPE g, LANE_TYPE old_first,
                                      LANE_TYPE old_second, LANE_TYPE *first, LANE_TYPE *second,
                                      LANE_TYPE *root, LANE_TYPE *direction) {
    *first = LANE(fma)(a->beta1, old_first, LANE(mul)(a->rest1, g));
    *second = LANE(fma)(a->beta2, old_second, LANE(mul)(a->rest2, LANE(mul)(g, g)));
    *root = LANE(sqrt)(*second);
    *direction = LANE(div)(*first, LANE(add)(*root, a->floor));
}

/* One vector of plain parameters p, moments m and v, and gradient g. */
static inline void LANE(adam_plain)(const LANE(adam) * a, float *p, float *m, float *v,
                                    const float *g) {
    LANE_TYPE first, second, root, direction;
    LANE(adam_moments)
    (a, LANE(load)(g), LANE(load)(m), LANE(load)(v), &first, &second, &root, &direction);
    LANE(store)(m, first);
    LANE(store)(v, second);
    LANE(store)(p, LANE(fnma)(a->rate, direction, LANE(load)(p)));
}

/* One vector of a record at p, p + stride, p + 2 stride: parameter, direction, root of the second
 * moment. */
static inline void LANE(adam_record)(const LANE(adam) * a, const xp__net_update *update,
                                     LANE_TYPE g, float *p, size_t stride) {
    float *d = p + stride, *s = d + stride;
    const LANE_TYPE old = LANE(load)(d), scale = LANE(load)(s);
    const LANE_TYPE start = LANE(fnma)(LANE(all)(update->late), old, LANE(load)(p));
    const LANE_TYPE m = LANE(mul)(LANE(mul)(old, LANE(add)(scale, LANE(all)(update->floor))),
                                  LANE(all)(update->decay1));
    const LANE_TYPE v = LANE(mul)(LANE(mul)(scale, scale), LANE(all)(update->decay2));
    LANE_TYPE first, second, root, direction;
    LANE(adam_moments)(a, g, m, v, &first, &second, &root, &direction);
    LANE(store)(p, LANE(fnma)(a->rate, direction, start));
    LANE(store)(d, direction);
    LANE(store)(s, root);
}

/* The sum of one vector of the rows list[first .. last) of a matrix. */
static inline LANE_TYPE LANE(row_sum)(const uint32_t *list, size_t first, size_t last,
                                      const float *matrix, size_t stride) {
    LANE_TYPE sum = LANE(all)(0);
    for (size_t i = first; i < last; i++) {
        sum = LANE(add)(sum, LANE(load)(matrix + (size_t)list[i] * stride));
    }
    return sum;
}
