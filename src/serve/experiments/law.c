/* law.c: the law of a segment from its counts. */
#include "serve/experiments/law.h"

#include "experior/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct serve_law {
    xp_session *session; /* NULL while it rests */
    const xp_model *model;
    const char *segment;
    uint64_t seed;
    size_t arms;
    bool told, moved; /* the counts are in the session; a chain has moved since */
    bool all_known, some_known;
    bool *some_open;            /* K: what `some` is for */
    double *all, *some, *means; /* K each */
    serve_count *counts;        /* K: as told */
};

static bool wake(serve_law *law, xp_error *error) {
    xp_session_options options = xp_session_options_default();
    options.seed = law->seed;
    if (law->segment[0] != '\0' && xp_model_segments(law->model) > 0) {
        options.segment = law->segment;
    }
    return law->session != NULL ||
           xp_session_create(law->model, &options, &law->session, error) == XP_OK;
}

void serve_law_rest(serve_law *law) {
    xp_session_destroy(law->session);
    law->session = NULL;
    law->told = false;
}

bool serve_law_is_awake(const serve_law *law) {
    return law->session != NULL;
}

serve_law *serve_law_create(const xp_model *model, uint64_t seed, const char *segment,
                            xp_error *error) {
    serve_law *law = calloc(1, sizeof *law);
    if (law == NULL) {
        (void)xp_error_set(error, XP_ERR_MEMORY, "out of memory");
        return NULL;
    }
    law->model = model;
    law->segment = segment;
    law->seed = seed;
    law->arms = xp_model_describe(model).space.actions;
    law->some_open = calloc(law->arms, sizeof *law->some_open);
    law->all = calloc(3 * law->arms, sizeof *law->all);
    law->counts = calloc(law->arms, sizeof *law->counts);
    if (law->some_open == NULL || law->all == NULL || law->counts == NULL) {
        (void)xp_error_set(error, XP_ERR_MEMORY, "out of memory");
        serve_law_destroy(law);
        return NULL;
    }
    law->some = law->all + law->arms;
    law->means = law->some + law->arms;
    if (!wake(law, error)) {
        serve_law_destroy(law);
        return NULL;
    }
    return law;
}

void serve_law_destroy(serve_law *law) {
    if (law != NULL) {
        xp_session_destroy(law->session);
        free(law->some_open);
        free(law->all);
        free(law->counts);
        free(law);
    }
}

/* From nothing, arm by arm: the only way in which counts come into a session. */
static bool rebuild(serve_law *law, xp_error *error) {
    law->moved = false;
    if (!wake(law, error) || xp_session_reset(law->session, law->seed, error) != XP_OK) {
        return false;
    }
    for (size_t arm = 0; arm < law->arms; arm++) {
        const serve_count *count = &law->counts[arm];
        if (count->rewards > 0 &&
            xp_session_observe_squares(law->session, arm, count->rewards, count->sum,
                                       count->squares, error) != XP_OK) {
            return false;
        }
    }
    return true;
}

bool serve_law_tell(serve_law *law, const serve_count *counts, xp_error *error) {
    memcpy(law->counts, counts, law->arms * sizeof *counts);
    law->all_known = law->some_known = false;
    law->told = rebuild(law, error);
    return law->told;
}

bool serve_law_takes(serve_law *law, uint32_t action, double reward, xp_error *error) {
    law->told = false;
    return wake(law, error) && xp_session_observe_squares(law->session, action, 1, reward,
                                                          reward * reward, error) == XP_OK;
}

/* A stream for draws of the posterior that no decision uses. */
static xp_rng posterior_stream(const serve_law *law) {
    const xp_rng root = xp_rng_seed(law->seed);
    return xp_rng_fork(&root, UINT64_MAX);
}

/* Makes sure that the session is as the counts made it: a chain is not, once it was drawn from. */
static bool settle(serve_law *law, xp_error *error) {
    if (law->moved || !law->told) {
        law->told = rebuild(law, error);
    }
    return law->told;
}

static bool count_best(serve_law *law, const bool *open, xp_error *error) {
    xp_rng rng = posterior_stream(law);
    memset(law->some, 0, law->arms * sizeof *law->some);
    law->moved = true;
    for (size_t i = 0; i < SERVE_DRAWS; i++) {
        if (xp_session_draw_means(law->session, &rng, law->means, error) != XP_OK) {
            return false;
        }
        size_t best = law->arms;
        for (size_t arm = 0; arm < law->arms; arm++) {
            if (open[arm] && (best == law->arms || law->means[arm] > law->means[best])) {
                best = arm;
            }
        }
        law->some[best] += 1;
    }
    for (size_t arm = 0; arm < law->arms; arm++) {
        law->some[arm] /= SERVE_DRAWS;
    }
    return true;
}

const double *serve_law_among(serve_law *law, const bool *open, xp_error *error) {
    size_t count = 0, only = 0;
    for (size_t arm = 0; open != NULL && arm < law->arms; arm++) {
        only = open[arm] ? arm : only;
        count += open[arm];
    }
    if (open == NULL || count == law->arms) {
        if (!law->all_known &&
            !(settle(law, error) &&
              xp_session_law(law->session, NULL, 0, law->all, NULL, error) == XP_OK)) {
            return NULL;
        }
        law->all_known = true;
        return law->all;
    }
    if (law->some_known && memcmp(law->some_open, open, law->arms * sizeof *open) == 0) {
        return law->some;
    }
    law->some_known = false;
    if (count == 0) {
        (void)xp_error_set(error, XP_ERR_INPUT, "no arm is left to choose");
        return NULL;
    }
    if (count == 1) {
        memset(law->some, 0, law->arms * sizeof *law->some);
        law->some[only] = 1;
    } else if (!settle(law, error) || !count_best(law, open, error)) {
        return NULL;
    }
    memcpy(law->some_open, open, law->arms * sizeof *open);
    law->some_known = true;
    return law->some;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool serve_law_bands(serve_law *law, double *mean, double *low, double *high) {
    xp_error error;
    double *draws = malloc(law->arms * SERVE_DRAWS * sizeof *draws); /* K × draws */
    bool good = draws != NULL && settle(law, &error);
    xp_rng rng = posterior_stream(law);
    for (size_t i = 0; good && i < SERVE_DRAWS; i++) {
        law->moved = true;
        good = xp_session_draw_means(law->session, &rng, law->means, &error) == XP_OK;
        for (size_t arm = 0; good && arm < law->arms; arm++) {
            draws[arm * SERVE_DRAWS + i] = law->means[arm];
        }
    }
    for (size_t arm = 0; good && arm < law->arms; arm++) {
        double *own = draws + arm * SERVE_DRAWS;
        qsort(own, SERVE_DRAWS, sizeof *own, by_size);
        mean[arm] = 0;
        for (size_t i = 0; i < SERVE_DRAWS; i++) {
            mean[arm] += own[i] / SERVE_DRAWS;
        }
        low[arm] = own[SERVE_DRAWS / 20];
        high[arm] = own[SERVE_DRAWS - 1 - SERVE_DRAWS / 20];
    }
    free(draws);
    return good;
}

size_t serve_law_draw(const double *probability, size_t arms, uint64_t seed, uint64_t number) {
    const xp_rng root = xp_rng_seed(seed);
    xp_rng rng = xp_rng_fork(&root, number);
    return xp_rng_categorical(&rng, probability, arms);
}
