/* Memory that a small input asks for is computed before it is taken, and refused in a sentence. */
#include "claim.h"

#include "base/budget.h"
#include "base/text/json.h"
#include "experior/experior.h"
#include "base/memory.h"
#include "prior/states/states_prior.h"
#include "prior/bandit/prior_type.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is alive, and the most that was: of the library's memory, and of jansson's. */
static size_t alive, most;

static void *take(size_t bytes) {
    void *block = malloc(bytes);
    alive += block != NULL ? malloc_usable_size(block) + sizeof(size_t) : 0;
    most = alive > most ? alive : most;
    return block;
}

static void give_back(void *block) {
    alive -= block != NULL ? malloc_usable_size(block) + sizeof(size_t) : 0;
    free(block);
}

static void *retake(void *context, void *block, size_t bytes) {
    (void)context;
    void *moved = take(bytes);
    if (moved != NULL && block != NULL) {
        const size_t old = malloc_usable_size(block);
        memcpy(moved, block, old < bytes ? old : bytes);
        give_back(block);
    }
    return moved;
}

static void release(void *context, void *block) {
    (void)context;
    give_back(block);
}

static void count_from_here(void) {
    static const xp__allocator counting = {retake, release, NULL};
    alive = most = 0;
    xp__allocator_install(&counting);
}

CLAIM(what_is_needed_is_compared_with_the_budget_and_named) {
    xp_error error = {.message = ""};
    EXPECT(xp__budget_check(XP__BUDGET, 1, "it", "use less", &error) == XP_OK);
    EXPECT(xp__budget_check(XP__BUDGET + 1, 1, "it", "use less", &error) == XP_ERR_INPUT);
    EXPECT(xp__budget_check(1 << 20, 1 << 12, "it", "use less", &error) == XP_ERR_INPUT);
    EXPECT(strcmp(error.message, "it would take 4096 MiB of memory, and at most 1024 are allowed; "
                                 "use less") == 0);
    EXPECT(xp__budget_check(SIZE_MAX, SIZE_MAX, "it", "use less", &error) == XP_ERR_INPUT);
}

/* A text of `count` times `unit`, in which %zu is the number of the repetition. */
static char *repeat(const char *head, const char *unit, const char *tail, size_t count) {
    const size_t room = strlen(head) + count * (strlen(unit) + 24) + strlen(tail) + 1;
    char *text = malloc(room);
    size_t used = (size_t)snprintf(text, room, "%s", head);
    const char *number = strstr(unit, "%zu");
    for (size_t i = 0; i < count; i++) {
        used += number == NULL ? (size_t)snprintf(text + used, room - used, "%s", unit)
                               : (size_t)snprintf(text + used, room - used, "%.*s%zu%s",
                                                  (int)(number - unit), unit, i, number + 3);
    }
    used -= text[used - 1] == ',';
    (void)snprintf(text + used, room - used, "%s", tail);
    return text;
}

/* Texts that cost jansson most, and a file's header. What they take is measured; the bound holds
 * and is not more than six times as much. */
CLAIM(the_bound_of_a_json_texts_memory_holds) {
    static const struct {
        const char *head, *unit, *tail;
    } texts[] = {
        {"{\"a\":[", "1,", "]}"},
        {"{\"a\":[", "0.5,", "]}"},
        {"{\"a\":[", "[],", "]}"},
        {"{\"a\":[", "[1,1,1,1,1,1,1,1,1],", "]}"},
        {"{\"a\":[", "{},", "]}"},
        {"{\"a\":[", "{\"\":1},", "]}"},
        {"{\"a\":[", "\"\",", "]}"},
        {"{\"a\":[", "\"a longer text that stands for a label\",", "]}"},
        {"{", "\"%zu\":1,", "}"},
        {"{", "\"%zu\":{},", "}"},
        {"{\"a\":\"", "a long label ", "\"}"},
        {"{\"a\":\"", "\\u00e9", "\"}"},
        {"{",
         "\"member.%zu.layer1.weight\":{\"dtype\":\"F32\",\"shape\":[50,9],\"data_offsets\":[1,2]}"
         ",",
         "}"},
    };
    json_set_alloc_funcs(take, give_back);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        /* 33,000 is just above a power of two, where tables have just grown. */
        char *text = repeat(texts[i].head, texts[i].unit, texts[i].tail, 33000);
        json_t *value = NULL;
        alive = most = 0;
        EXPECT(xp__json_parse(text, strlen(text), "f", SIZE_MAX, &value, NULL) == XP_OK);
        json_decref(value);
        const size_t bound = xp__json_memory(text, strlen(text));
        EXPECT(bound >= most && bound < 6 * most);
        free(text);
    }
    json_set_alloc_funcs(malloc, free);
}

CLAIM(a_json_text_beyond_its_bound_is_refused_unread) {
    char *text = repeat("{\"a\":[", "{},", "]}", 10000);
    json_t *value = NULL;
    xp_error error = {.message = ""};
    json_set_alloc_funcs(take, give_back);
    alive = most = 0;
    EXPECT(xp__json_parse(text, strlen(text), "f", 1 << 20, &value, &error) == XP_ERR_INPUT);
    EXPECT(value == NULL && most == 0);
    EXPECT_TEXT(error.message,
                "f: its 30007 bytes of JSON would take up to 3 MiB of memory, and at "
                "most 1 are allowed");
    json_set_alloc_funcs(malloc, free);
    free(text);
}

CLAIM(the_largest_prior_has_room) {
    enum { ARMS = 1024, LENGTH = 1024 };
    static char name[LENGTH + 1];
    char *file = malloc(ARMS * (LENGTH + 2) + 1), *at = file;
    for (size_t arm = 0; arm < ARMS; arm++) {
        memset(name, '{', LENGTH); /* marks that cost most, were they no part of a text */
        (void)snprintf(name, 12, "%zu", arm);
        name[strlen(name)] = '{';
        at += sprintf(at, "%s\n", name);
    }
    xp_demos *demos = NULL;
    xp_prior *prior = NULL, *copy = NULL;
    char *text = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_demos_parse(file, strlen(file), "f", &demos, &error) == XP_OK);
    EXPECT(xp_prior_fit("uniform", demos, NULL, &prior, NULL, &error) == XP_OK);
    EXPECT(xp__prior_to_json(prior, &text, &error) == XP_OK);
    EXPECT(xp__prior_from_json(text, strlen(text), "p", &copy, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    xp_release(text);
    xp_prior_destroy(prior);
    xp_prior_destroy(copy);
    xp_demos_destroy(demos);
    free(file);
}

/* One line of JSON, five numbers: as whole numbers they are 327,680 inputs. */
CLAIM(wide_states_are_refused_by_every_prior_over_networks) {
    static const char line[] = "{\"states\":[[65535,65535,65535,65535,65535]],\"actions\":[0]}\n";
    size_t categories[5];
    xp_demos *demos = NULL;
    EXPECT(xp_demos_parse(line, sizeof line - 1, "f", &demos, NULL) == XP_OK);
    const xp_env_info env = xp_demos_environment(demos, categories);
    for (size_t i = 0; i < xp_catalogue_count(XP_STATES_PRIORS); i++) {
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *prior = NULL;
        xp_error error = {.message = ""};
        count_from_here();
        const xp_status status = xp__states_prior_fit(xp_catalogue_get(XP_STATES_PRIORS, i).name,
                                                      NULL, &env, demos, &rng, &prior, &error);
        xp__allocator_install(NULL);
        EXPECT(status == XP_ERR_INPUT && prior == NULL && alive == 0 && most < 300 << 20);
        EXPECT_TEXT(error.message, "of 327680 inputs, 50 hidden units and 1 actions would take");
    }
    xp_demos_destroy(demos);
}

CLAIM(tables_over_many_demonstrations_are_refused) {
    enum { MANY = 20000 };
    static const size_t categories[1] = {MANY};
    const xp_env_info env = {.actions = 2, .state_size = 1, .categories = categories};
    xp_demos *demos = NULL;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        const double state = i;
        EXPECT(xp_demos_add(demos, &state, &(uint32_t){i % 2}, 1, 1, NULL) == XP_OK);
    }
    xp_rng rng = xp_rng_seed(1);
    xp__states_prior *prior = NULL;
    xp__params params;
    xp_error error = {.message = ""};
    count_from_here();
    xp_status status = xp__states_prior_fit("max_entropy", NULL, &env, demos, &rng, &prior, &error);
    EXPECT(status == XP_ERR_INPUT && alive == 0 && most < 8 << 20);
    EXPECT_TEXT(error.message, "the dual over 20000 distinct demonstrations and 1500 reference");
    EXPECT(xp__states_prior_params_default("modes", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "modes", 4096, NULL) == XP_OK);
    /* 4,096 modes over 20,000 states would be 313 MiB: allowed. With actions so many that a network
     * cannot have them, it is the states that are refused first. */
    const xp_env_info wide = {.actions = 1000000, .state_size = 1, .categories = categories};
    status = xp__states_prior_fit("modes", &params, &wide, demos, &rng, &prior, &error);
    EXPECT(status == XP_ERR_INPUT && alive == 0 && most < 8 << 20);
    EXPECT_TEXT(error.message, "20000 demonstrated states with 1000000 actions would take");
    xp__allocator_install(NULL);
    xp_demos_destroy(demos);
}
