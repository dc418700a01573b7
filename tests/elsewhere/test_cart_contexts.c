/* What the mixture of policies (docs/method/mixture.md) tells apart where states are real numbers:
 * the cart of the suite, whose mass and controls are hidden. */
#include "claim.h"

#include "elsewhere/elsewhere_type.h"
#include "encode/encoded_demos.h"
#include "prior/mixture/softmax_mixture.h"

#include "experior/experior.h"

#include <stdio.h>
#include <string.h>

enum { DEMOS = 100, LIGHT = 0, HEAVY, REVERSED, CONTEXTS };

static const xp__elsewhere_type *cart(void) {
    for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
        if (strcmp(xp__elsewhere_types[i]->name, "cart") == 0) {
            return xp__elsewhere_types[i];
        }
    }
    return NULL;
}

/* A demonstration shows its context: what its first push did to the velocity. */
static size_t context_of(const xp_trajectory *shown) {
    for (size_t h = 0; h + 1 < shown->length; h++) {
        if (shown->actions[h] != 1) {
            const double before = shown->states[2 * h + 1], after = shown->states[2 * h + 3];
            const double push = (after - 0.98 * before) / (0.2 * ((double)shown->actions[h] - 1));
            return push < 0 ? REVERSED : push > 0.7 ? LIGHT : HEAVY;
        }
    }
    return CONTEXTS;
}

/* The share of demonstrations whose label is the most frequent one of their component. */
static double purity(size_t components, const size_t *member, const size_t *label) {
    size_t pure = 0;
    for (size_t k = 0; k < components; k++) {
        size_t count[CONTEXTS + 1] = {0}, most = 0;
        for (size_t t = 0; t < DEMOS; t++) {
            count[label[t]] += member[t] == k;
        }
        for (size_t c = 0; c < CONTEXTS; c++) {
            most = count[c] > most ? count[c] : most;
        }
        pure += most;
    }
    return (double)pure / DEMOS;
}

/* Light and heavy carts are pushed the same way and braked along other curves, so that the features
 * of a component have to bend with them. */
CLAIM(carts_are_told_apart_by_their_mass_and_by_the_sign_of_their_controls) {
    enum { SEEDS = 8 };
    double mean = 0, least = 1;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        xp_env *env;
        xp_expert *expert;
        xp_demos *demos;
        xp__encoded_demos shown;
        xp__mode_sets sets;
        xp_rng rng = xp_rng_seed(900 + seed);
        const xp_rng fit = xp_rng_seed(5);
        EXPECT(xp__elsewhere_create(&cart()->place[XP__SELECTION][0], &env, NULL) == XP_OK);
        EXPECT(xp_expert_create("optimal:ties=uniform", &expert, NULL) == XP_OK);
        EXPECT(xp_demos_draw(env, expert, DEMOS, &rng, &demos, NULL) == XP_OK);
        EXPECT(xp_demos_distinct(demos) == DEMOS);
        const xp_env_info info = xp_env_describe(env);
        EXPECT(xp__encoded_demos_init(&shown, &info, demos, NULL, NULL) == XP_OK);
        size_t label[DEMOS], reversed[DEMOS], member[DEMOS];
        for (size_t t = 0; t < DEMOS; t++) {
            const xp_trajectory each = xp_demos_trajectory(demos, t);
            label[t] = context_of(&each);
            reversed[t] = label[t] == REVERSED;
        }
        EXPECT(xp__softmax_mixture_init(&sets, &shown, 64, NULL, &fit, member, NULL) == XP_OK);
        const double own = purity(sets.count, member, label);
        const double sign = purity(sets.count, member, reversed);
        printf("seed %d: %zu components, purity %.2f, of the sign of controls %.2f\n",
               (int)(900 + seed), sets.count, own, sign);
        mean += own / SEEDS;
        least = sign < least ? sign : least;
        xp__mode_sets_deinit(&sets);
        xp__encoded_demos_deinit(&shown);
        xp_demos_destroy(demos);
        xp_expert_destroy(expert);
        xp_env_destroy(env);
    }
    EXPECT(least > 0.95);
    EXPECT(mean > 0.95);
}
