/* Prior files that contradict themselves are refused in a sentence; those that a fit wrote load. */
#include "claim.h"

#include "experior/experior.h"
#include "prior/bandit/prior_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static void read_corpus(const char *name, char text[ROOM]) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/fuzz_model/%s.json", XP_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    EXPECT(file != NULL);
    text[file != NULL ? fread(text, 1, ROOM - 1, file) : 0] = '\0';
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* The corpus's file with one piece of text replaced. */
static xp_status load_changed(const char *name, const char *piece, const char *by,
                              xp_error *error) {
    char text[ROOM], changed[ROOM];
    read_corpus(name, text);
    const char *at = strstr(text, piece);
    EXPECT(at != NULL);
    if (at == NULL) {
        return XP_OK;
    }
    const int before = (int)(at - text);
    (void)snprintf(changed, sizeof changed, "%.*s%s%s", before, text, by, at + strlen(piece));
    xp_prior *prior = NULL;
    const xp_status status = xp__prior_from_json(changed, strlen(changed), "p", &prior, error);
    xp_prior_destroy(prior);
    return status;
}

static void expect_refused(const char *name, const char *piece, const char *by,
                           const char *sentence) {
    xp_error error = {.message = ""};
    EXPECT(load_changed(name, piece, by, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, sentence);
}

CLAIM(files_of_every_method_load) {
    static const char *const names[] = {"beta",   "gamma",   "max_entropy", "max_entropy_authors",
                                        "normal", "softmax", "uniform"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        xp_error error = {.message = ""};
        EXPECT(load_changed(names[i], "", "", &error) == XP_OK);
        EXPECT_TEXT(error.message, "");
    }
}

CLAIM(names_of_actions_are_not_empty_and_differ) {
    static const char none[] = "\"actions\": null";
    xp_error error;
    EXPECT(load_changed("beta", none, "\"actions\": [\"a\", \"b\"]", &error) == XP_OK);
    expect_refused("beta", none, "\"actions\": [\"a\", \"\"]",
                   "field 'actions', entry 1 is empty; every action has a name");
    expect_refused("softmax", none, "\"actions\": [\"a\", \"b\", \"a\"]",
                   "field 'actions', entries 0 and 2 are both \"a\"; names must differ");
}

CLAIM(weights_agree_with_counts) {
    expect_refused("max_entropy", "[-0.3364722366212129, 0.25131442828090617]",
                   "[0.25131442828090617, -0.3364722366212129]",
                   "demonstrations chose arm 1 13 times and arm 0 7 times, but their weights are");
    expect_refused("max_entropy", "[7, 13]", "[10, 10]", "arm 0 10 times and arm 1 10 times");
    expect_refused("max_entropy", "[-0.3364722366212129, 0.25131442828090617]",
                   "[-0.5, 0.3317965657511862]", "these counts and weights make it");
    expect_refused(
        "softmax", "[0.38518647951672697, 0.13470931582160614, -1.4018752335993185]",
        "[-1.4018752335993185, 0.13470931582160614, 0.38518647951672697]",
        "field 'softmax_weights': demonstrations chose arm 0 10 times and arm 1 8 times");
    expect_refused("max_entropy_authors", "[0.7, 1.3]", "[1.3, 0.7]", "but their weights are");
    expect_refused("max_entropy_authors", "\"count\": 20,\n    \"per_arm\": [7, 13]",
                   "\"count\": 23,\n    \"per_arm\": [16, 7]", "but their weights are");
}

CLAIM(the_fit_agrees_with_counts_and_parameters) {
    expect_refused("beta", "\"log_likelihood\": -0.6477893110586199", "\"log_likelihood\": -0.5",
                   "field 'log_likelihood' is -0.5; with these counts it is at most -0.647");
    expect_refused("softmax", "\"lambda\": 5,\n    \"epsilon\"", "\"lambda\": 6,\n    \"epsilon\"",
                   "parameter 'lambda' is 6 but the fit's 'lambda' is 5");
    expect_refused("softmax", "\"epsilon\": null", "\"epsilon\": 1",
                   "'lambda' = 5 and 'epsilon' = 1 are both given");
    expect_refused("gamma", "\"divergence\": 0.00032406200079178153", "\"divergence\": -1",
                   "field 'divergence' is -1; none is below 0");
    expect_refused("max_entropy", "\"epsilon\": null", "\"epsilon\": -1", "epsilon");
    expect_refused("softmax", "\"lambda\": 5,\n    \"epsilon\": null",
                   "\"lambda\": null,\n    \"epsilon\": 0.001",
                   "field 'divergence' is 0.0084958 but parameter 'epsilon' allows 0.001");
    expect_refused("uniform", "\"count\": 20", "\"count\": 21",
                   "field 'per_arm' adds up to 20 and 'count' is 21");
}

/* Arms that are equally, or nearly equally, frequent must not be taken for a contradiction. */
CLAIM(what_a_fit_wrote_is_never_refused) {
    static const char *const methods[] = {
        "max_entropy", "max_entropy_authors", "beta", "gamma", "normal", "uniform"};
    static const char *const betas[] = {"inf", "2", "10"};
    static const char *const demos_of[] = {
        "action,count\n0,5\n1,5\n2,5\n3,5\n", "action,count\n0,1000\n1,1001\n2,999\n3,0\n",
        "action,count\n0,1\n1,0\n2,0\n", "action,count\n0,123456789\n1,3\n2,3\n3,50\n4,49\n"};
    size_t loaded = 0;
    for (size_t i = 0; i < 6 * 3 * 4; i++) {
        const char *method = methods[i % 6];
        const char *text = demos_of[i / 18];
        xp__params params;
        xp_demos *demos = NULL;
        xp_prior *prior = NULL, *copy = NULL;
        char *json = NULL;
        xp_error error = {.message = ""};
        xp_rng rng = xp_rng_seed(1);
        EXPECT(xp_demos_parse(text, strlen(text), "d", &demos, NULL) == XP_OK);
        EXPECT(xp__prior_params_default(method, &params, NULL) == XP_OK);
        if (strncmp(method, "max_entropy", 11) == 0) {
            EXPECT(xp__params_set_text(&params, "beta", betas[i / 6 % 3], NULL) == XP_OK);
        }
        if (xp__prior_fit(method, &params, demos, &rng, &prior, NULL, NULL) == XP_OK) {
            EXPECT(xp__prior_to_json(prior, &json, NULL) == XP_OK);
            EXPECT(xp__prior_from_json(json, strlen(json), "p", &copy, &error) == XP_OK);
            EXPECT_TEXT(error.message, "");
            loaded++;
        }
        xp_release(json);
        xp_prior_destroy(copy);
        xp_prior_destroy(prior);
        xp_demos_destroy(demos);
    }
    EXPECT(loaded > 50);
}
