/* sampler_zoo.h: every registered sampler on every prior that it supports. */
#ifndef XP_TESTS_SAMPLER_SAMPLER_ZOO_H
#define XP_TESTS_SAMPLER_SAMPLER_ZOO_H

#include "claim.h"
#include "prior/hand_prior.h"

#include "experior/sampler.h"
#include "sampler/sampler_type.h"
#include "experior/catalogue.h"

#include <stdio.h>

enum { ARMS = 4, PRIORS_MAX = 24 };

/* Every registered method fitted with its defaults, finite beta, references, given Beta arms with
 * parameters below one, and a density with no structure. */
typedef struct zoo {
    hand_prior opaque;
    xp_prior *made[PRIORS_MAX];
    const xp_prior *prior[PRIORS_MAX];
    size_t count;
} zoo;

static inline void add(zoo *self, xp_prior *prior) {
    self->made[self->count] = prior;
    self->prior[self->count++] = prior;
}

static inline void open_zoo(zoo *self) {
    self->count = 0;
    xp_demos *demos = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_demos_create(0, ARMS, &demos, &error) == XP_OK);
    const uint64_t counts[ARMS] = {60, 25, 15, 0};
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        if (counts[arm] > 0) {
            EXPECT(xp_demos_add(demos, NULL, &arm, 1, counts[arm], &error) == XP_OK);
        }
    }
    static const char *const extra[] = {"max_entropy:beta=10", "max_entropy:reference=learned",
                                        "max_entropy:reference=learned,beta=10,unit=relative",
                                        "uniform:reference=beta,mean=0.02,shape=2"};
    const size_t methods = xp_catalogue_count(XP_PRIORS);
    for (size_t i = 0; i < methods + sizeof extra / sizeof extra[0]; i++) {
        xp_rng rng = xp_rng_seed(i);
        xp_prior *prior = NULL;
        EXPECT(xp_prior_fit(i < methods ? xp_catalogue_get(XP_PRIORS, i).name : extra[i - methods],
                            demos, &rng, &prior, NULL, &error) == XP_OK);
        if (prior != NULL) {
            add(self, prior);
        }
    }
    for (size_t i = 0; i < xp_catalogue_count(XP_REWARDS); i++) { /* every family of rewards */
        char spec[64];
        xp_prior *prior = NULL;
        (void)snprintf(spec, sizeof spec, "max_entropy:rewards=%s",
                       xp_catalogue_get(XP_REWARDS, i).name);
        EXPECT(xp_prior_fit(spec, demos, NULL, &prior, NULL, &error) == XP_OK);
        add(self, prior);
    }
    xp_demos_destroy(demos);
    const double a[ARMS] = {0.3, 2, 1, 3.5}, b[ARMS] = {2, 0.03, 1, 3}, w[ARMS] = {5, 2, 0, 1};
    xp_prior *beta = NULL;
    EXPECT(xp_prior_create_beta(ARMS, a, b, &beta, &error) == XP_OK);
    add(self, beta);
    self->made[self->count] = NULL;
    self->prior[self->count++] = hand_opaque(&self->opaque, ARMS, w, 5);
}

static inline void close_zoo(zoo *self) {
    for (size_t i = 0; i < self->count; i++) {
        xp_prior_destroy(self->made[i]);
    }
}

/* A sampler that gives up early if it can: rejection of priors that the rewards contradict. */
static inline xp_sampler *make(const char *name, const xp_prior *prior) {
    xp__params params;
    xp_sampler *sampler = NULL;
    EXPECT(xp__sampler_params_default(name, &params, NULL) == XP_OK);
    if (xp__params_has(&params, "tries")) {
        EXPECT(xp__params_set(&params, "tries", 300, NULL) == XP_OK);
    }
    EXPECT(xp__sampler_create(name, &params, prior, &sampler, NULL) == XP_OK);
    return sampler;
}

/* Calls `check` for every pair of a sampler and a prior that it supports. */
static inline size_t for_each_pair(void (*check)(xp_sampler *sampler)) {
    zoo priors;
    open_zoo(&priors);
    size_t pairs = 0;
    for (size_t p = 0; p < priors.count; p++) {
        for (size_t s = 0; s < xp_catalogue_count(XP_SAMPLERS); s++) {
            const char *name = xp_catalogue_get(XP_SAMPLERS, s).name;
            if (!xp_sampler_supports(name, priors.prior[p])) {
                continue;
            }
            xp_sampler *sampler = make(name, priors.prior[p]);
            if (sampler != NULL) {
                check(sampler);
                xp_sampler_destroy(sampler);
                pairs++;
            }
        }
    }
    close_zoo(&priors);
    return pairs;
}

/* What went wrong with which pair. */
static inline void expect(bool holds, const xp_sampler *sampler, const char *what) {
    if (!holds) {
        printf("  %s on %s: %s\n", sampler->type->name, sampler->prior->type->name, what);
    }
    EXPECT(holds);
}

#endif
