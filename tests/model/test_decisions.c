/* Decisions kept in a file: numbers, rewards by number, what is refused, what a file may hold. */
#include "choices.h"
#include "claim.h"

#include "base/file.h"
#include "base/memory.h"
#include "experior/decisions.h"
#include "house/failing_allocator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARMS = 3 };

static xp_model *model_of(const char *agent, uint64_t first) {
    const uint64_t counts[ARMS] = {first, 30, 14};
    return choices_model(agent, counts, ARMS);
}

static const char *file(const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    return path;
}

static xp_decisions *open_state(const char *name, const xp_model *model) {
    xp_decisions *state = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_decisions_open(file(name), model, NULL, &state, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    return state;
}

/* Saves, closes and opens again. */
static xp_decisions *again(xp_decisions *state, const char *name, const xp_model *model) {
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    return open_state(name, model);
}

CLAIM(what_is_kept_is_the_session_that_saw_the_same_rewards) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("same", model);
    xp_session *session = NULL;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    for (size_t i = 0; i < 12; i++) {
        xp_decision drawn;
        EXPECT(xp_decisions_draw(state, NULL, 0, 1, &drawn, NULL) == XP_OK);
        EXPECT(drawn.id == i + 1);
        const double reward = i % 3 == 0 ? 1 : 0;
        const xp_transition seen = {.action = drawn.action, .reward = reward, .end = XP_TERMINATED};
        EXPECT(xp_decisions_observe(state, &drawn.id, &reward, 1, NULL) == XP_OK);
        EXPECT(xp_session_observe(session, &seen, NULL) == XP_OK);
        state = again(state, "same", model);
    }
    double kept[ARMS], wanted[ARMS];
    EXPECT(xp_decisions_law(state, 0, kept, NULL, NULL) == XP_OK);
    EXPECT(xp_session_law(session, NULL, 0, wanted, NULL, NULL) == XP_OK);
    for (size_t arm = 0; arm < ARMS; arm++) { /* what is kept is counts: sums in another order */
        EXPECT_NEAR(kept[arm], wanted[arm], 1e-12);
    }
    EXPECT(xp_decisions_describe(state).session.observations == 12);
    EXPECT(xp_decisions_describe(state).pending == 0 && xp_decisions_describe(state).next == 13);
    xp_session_destroy(session);
    xp_decisions_close(state);
    xp_model_destroy(model);
}

/* Bytes of a state that has seen so many rewards. */
static size_t size_after(const char *name, const xp_model *model, size_t rewards) {
    xp_decisions *state = open_state(name, model);
    for (size_t i = 0; i < rewards; i++) {
        xp_decision drawn;
        const double reward = i % 2 == 0 ? 1 : 0;
        EXPECT(xp_decisions_draw(state, NULL, 0, 1, &drawn, NULL) == XP_OK);
        EXPECT(xp_decisions_observe(state, &drawn.id, &reward, 1, NULL) == XP_OK);
    }
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    char *data;
    size_t bytes = 0;
    EXPECT(xp__file_read(file(name), (size_t)1 << 20, &data, &bytes, NULL) == XP_OK);
    xp__free(data);
    return bytes;
}

CLAIM(the_file_does_not_grow_with_rewards) {
    xp_model *model = model_of("experior_maxent", 6);
    EXPECT(size_after("few", model, 2) == size_after("many", model, 500));
    EXPECT(size_after("few", model, 0) < 1000);
    xp_model_destroy(model);
}

/* One state stays open, the other is saved, closed and opened before every call. */
CLAIM(every_agent_goes_on_as_if_its_state_had_stayed_open) {
    static const char *const agents[] = {"experior_maxent",
                                         "experior_maxent:reference=uniform",
                                         "experior_maxent:reference=uniform,sampler=rejection",
                                         "experior_maxent:reference=uniform,sampler=mcmc",
                                         "experior_maxent:reference=uniform,sampler=sgld",
                                         "experior_maxent:beta=5,reference=uniform",
                                         "experior_param",
                                         "behaviour_cloning",
                                         "naive_ts",
                                         "naive_ucb",
                                         "ucb_explore",
                                         "successive_elimination"};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        xp_model *model = model_of(agents[i], 6);
        char open_name[32], closed_name[32];
        (void)snprintf(open_name, sizeof open_name, "open%zu", i);
        (void)snprintf(closed_name, sizeof closed_name, "closed%zu", i);
        xp_decisions *open = open_state(open_name, model), *closed = open_state(closed_name, model);
        for (uint64_t id = 1; id <= 5; id++) {
            double one[ARMS], other[ARMS];
            xp_decision drawn[2];
            const double reward = id % 3 == 0 ? 1 : 0;
            EXPECT(xp_decisions_law(open, 100, one, NULL, NULL) == XP_OK);
            EXPECT(xp_decisions_draw(open, one, 0, 1, &drawn[0], NULL) == XP_OK);
            EXPECT(xp_decisions_law(closed, 100, other, NULL, NULL) == XP_OK);
            EXPECT(xp_decisions_draw(closed, other, 0, 1, &drawn[1], NULL) == XP_OK);
            for (size_t arm = 0; arm < ARMS; arm++) {
                EXPECT_NEAR(one[arm], other[arm], 1e-12);
            }
            EXPECT(drawn[0].id == id && drawn[1].id == id && drawn[0].action == drawn[1].action);
            closed = again(closed, closed_name, model);
            EXPECT(xp_decisions_observe(open, &id, &reward, 1, NULL) == XP_OK);
            EXPECT(xp_decisions_observe(closed, &id, &reward, 1, NULL) == XP_OK);
        }
        xp_decisions_close(open);
        xp_decisions_close(closed);
        xp_model_destroy(model);
    }
}

CLAIM(what_is_drawn_depends_on_seed_number_and_law_alone) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *whole = open_state("whole", model), *parts = open_state("parts", model);
    xp_decision at_once[12], one;
    EXPECT(xp_decisions_draw(whole, NULL, 0, 12, at_once, NULL) == XP_OK);
    for (size_t i = 0; i < 12; i++) {
        double law[ARMS];
        EXPECT(xp_decisions_law(parts, 0, law, NULL, NULL) == XP_OK);
        EXPECT(xp_decisions_draw(parts, NULL, 5, 1, &one, NULL) == XP_OK);
        EXPECT(one.id == at_once[i].id && one.action == at_once[i].action);
        EXPECT(one.probability == law[one.action] && one.time == 5);
        parts = again(parts, "parts", model);
    }
    xp_decisions_close(whole);
    xp_decisions_close(parts);
    xp_model_destroy(model);
}

CLAIM(drawn_actions_follow_the_law_and_a_law_of_the_callers) {
    enum { DRAWS = 20000 };
    static xp_decision drawn[DRAWS];
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("law", model);
    double law[ARMS];
    EXPECT(xp_decisions_law(state, 0, law, NULL, NULL) == XP_OK);
    EXPECT(xp_decisions_draw(state, law, 0, DRAWS, drawn, NULL) == XP_OK);
    double count[ARMS] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        count[drawn[i].action]++;
    }
    for (size_t arm = 0; arm < ARMS; arm++) { /* five standard deviations */
        const double sd = sqrt(law[arm] * (1 - law[arm]) / DRAWS);
        EXPECT(fabs(count[arm] / DRAWS - law[arm]) < 5 * sd);
    }
    const double without[ARMS] = {0.5, 0, 0.5};
    EXPECT(xp_decisions_draw(state, without, 0, 100, drawn, NULL) == XP_OK);
    for (size_t i = 0; i < 100; i++) {
        EXPECT(drawn[i].action != 1 && drawn[i].probability == 0.5);
    }
    xp_decisions_close(state);
    xp_model_destroy(model);
}

/* A call with three rewards must be refused with a sentence, and change nothing. */
static void expect_refused(xp_decisions *state, const uint64_t ids[3], const double rewards[3],
                           const char *part) {
    double before[ARMS], after[ARMS];
    const size_t pending = xp_decisions_describe(state).pending;
    xp_error error = {.message = ""};
    EXPECT(xp_decisions_law(state, 0, before, NULL, NULL) == XP_OK);
    EXPECT(xp_decisions_observe(state, ids, rewards, 3, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, part);
    EXPECT(xp_decisions_law(state, 0, after, NULL, NULL) == XP_OK);
    EXPECT(memcmp(before, after, sizeof before) == 0);
    EXPECT(xp_decisions_describe(state).pending == pending);
}

CLAIM(rewards_count_all_or_none_and_never_twice) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("twice", model);
    xp_decision drawn[6];
    EXPECT(xp_decisions_draw(state, NULL, 0, 6, drawn, NULL) == XP_OK);
    const double ones[3] = {1, 1, 1}, odd[3] = {1, 1, 0.45};
    EXPECT(xp_decisions_observe(state, (const uint64_t[]){2}, ones, 1, NULL) == XP_OK);
    expect_refused(state, (const uint64_t[]){1, 3, 2}, ones, "decision 2 is no longer pending");
    expect_refused(state, (const uint64_t[]){1, 3, 7}, ones, "there is no decision 7");
    expect_refused(state, (const uint64_t[]){1, 3, 0}, ones, "there is no decision 0");
    expect_refused(state, (const uint64_t[]){1, 3, 1}, ones, "decision 1 is named twice");
    expect_refused(state, (const uint64_t[]){1, 3, 4}, odd, "0.45 is neither 0 nor 1");
    EXPECT(xp_decisions_forget(state, (const uint64_t[]){4, 99}, 2, NULL) == XP_ERR_INPUT);
    EXPECT(xp_decisions_forget(state, (const uint64_t[]){4}, 1, NULL) == XP_OK);
    expect_refused(state, (const uint64_t[]){1, 3, 4}, ones, "decision 4 is no longer pending");
    EXPECT(xp_decisions_observe(state, (const uint64_t[]){5, 1, 3}, ones, 3, NULL) == XP_OK);
    EXPECT(xp_decisions_describe(state).pending == 1);
    EXPECT(xp_decisions_pending(state, 0).id == 6 && xp_decisions_pending(state, 1).id == 0);
    xp_decisions_close(state);
    xp_model_destroy(model);
}

CLAIM(decisions_that_get_no_reward_are_forgotten_by_age) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("age", model);
    xp_decision drawn[3];
    EXPECT(xp_decisions_draw(state, NULL, 100, 2, drawn, NULL) == XP_OK);
    EXPECT(xp_decisions_draw(state, NULL, 200, 3, drawn, NULL) == XP_OK);
    state = again(state, "age", model);
    size_t count = 9;
    EXPECT(xp_decisions_forget_older(state, 100, &count, NULL) == XP_OK && count == 0);
    EXPECT(xp_decisions_forget_older(state, 150, &count, NULL) == XP_OK && count == 2);
    EXPECT(xp_decisions_describe(state).pending == 3);
    EXPECT(xp_decisions_pending(state, 0).id == 3 && xp_decisions_pending(state, 0).time == 200);
    xp_decisions_close(state);
    xp_model_destroy(model);
}

CLAIM(a_table_of_rewards_is_read_right_or_refused_with_its_line) {
    static const struct {
        const char *text, *sentence;
        size_t rewards;
    } tables[] = {
        {"decision,reward\n1,1\n2,0\n", NULL, 2},
        {"reward,decision\r\n1,3\r\n", NULL, 1},
        {"{\"decision\": 4, \"reward\": 1}\n{\"reward\": 0, \"decision\": 5}\n", NULL, 2},
        {"", NULL, 0},
        {"decision,reward\n", NULL, 0},
        {"decision,reward\n1,1\n", "t:2: decision 1 is no longer pending", 0},
        {"decision,reward\n6,1\n7,\n", "t:3: reward = '' is not a finite number", 0},
        {"decision,reward\n6,1\n7,nan\n", "t:3: reward = 'nan' is not a finite number", 0},
        {"decision,reward\n6,1\n7.0,1\n", "t:3: decision = '7.0' is not the number", 0},
        {"decision,reward\n6,1\n6,1\n", "t:3: decision 6 is named twice", 0},
        {"decision,reward\n6,0.5\n", "t:2: the reward 0.5 is neither", 0},
        {"decision;reward\n6;1\n", "decision,reward", 0},
        {"6,1\n", "t:1: the header of a table of rewards is decision,reward", 0},
        {"decision,reward,reward\n6,1,1\n", "appears twice", 0},
        {"id,reward\n6,1\n", "t:1: the header", 0},
        {"{\"decision\": -1, \"reward\": 1}\n", "t:1: decision = -1 is not the number", 0},
        {"{\"decision\": 6, \"reward\": null}\n", "t:1: reward = null", 0},
        {"{\"decision\": 6}\n", "t:1: is not an object with the keys", 0},
    };
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("table", model);
    xp_decision drawn[8];
    EXPECT(xp_decisions_draw(state, NULL, 0, 8, drawn, NULL) == XP_OK);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const size_t before = xp_decisions_describe(state).pending;
        size_t count = 0;
        xp_error error = {.message = ""};
        const xp_status status = xp_decisions_observe_table(
            state, tables[i].text, strlen(tables[i].text), "t", &count, &error);
        EXPECT(status == (tables[i].sentence == NULL ? XP_OK : XP_ERR_INPUT));
        EXPECT_TEXT(error.message, tables[i].sentence != NULL ? tables[i].sentence : "");
        EXPECT(count == tables[i].rewards);
        EXPECT(xp_decisions_describe(state).pending == before - tables[i].rewards);
    }
    xp_decisions_close(state);
    xp_model_destroy(model);
}

CLAIM(the_state_of_another_model_is_refused_and_both_are_named) {
    xp_model *model = model_of("experior_maxent", 6), *other = model_of("experior_maxent", 7);
    xp_decisions *state = open_state("whose", model);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    xp_error error;
    EXPECT(xp_decisions_open(file("whose"), other, NULL, &state, &error) == XP_ERR_INPUT);
    EXPECT(state == NULL);
    EXPECT_TEXT(error.message, "whose: keeps decisions of the model ");
    EXPECT_TEXT(error.message, "(experior_maxent, 3 actions, 50 demonstrations), and this is");
    EXPECT_TEXT(error.message, "(experior_maxent, 3 actions, 51 demonstrations)");
    xp_model_destroy(other);
    xp_model_destroy(model);
}

CLAIM(agent_and_seed_belong_to_the_first_decision) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions_options options = xp_decisions_options_default();
    options.seed = 5;
    options.agent = "experior_maxent:sampler=mcmc";
    xp_decisions *state = NULL;
    xp_error error;
    EXPECT(xp_decisions_open(file("first"), model, &options, &state, NULL) == XP_OK);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    state = open_state("first", model);
    EXPECT(xp_decisions_describe(state).seed == 5 && !xp_decisions_describe(state).created);
    EXPECT_TEXT(xp_decisions_describe(state).session.sampler, "mcmc");
    xp_decisions_close(state);
    options.seed = 6;
    EXPECT(xp_decisions_open(file("first"), model, &options, &state, NULL) == XP_OK);
    xp_decisions_close(state);
    options.same_seed = true;
    EXPECT(xp_decisions_open(file("first"), model, &options, &state, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "its seed is 5");
    options.agent = "experior_maxent:sampler=quadrature";
    EXPECT(xp_decisions_open(file("first"), model, &options, &state, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "its agent is 'experior_maxent:sampler=mcmc'");
    xp_model_destroy(model);
}

CLAIM(one_who_only_asks_takes_no_lock_makes_no_file_and_cannot_save) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions_options options = xp_decisions_options_default();
    options.read_only = true;
    xp_decisions *held = NULL, *asking = NULL;
    xp_error error;
    EXPECT(xp_decisions_open(file("asked"), model, &options, &asking, NULL) == XP_OK);
    double law[ARMS];
    EXPECT(xp_decisions_law(asking, 0, law, NULL, NULL) == XP_OK);
    EXPECT(xp_decisions_save(asking, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "read_only");
    xp_decisions_close(asking);
    EXPECT(access(file("asked"), F_OK) != 0 && access(file("asked.lock"), F_OK) != 0);
    held = open_state("asked", model);
    EXPECT(xp_decisions_save(held, NULL) == XP_OK);
    EXPECT(xp_decisions_open(file("asked"), model, &options, &asking, NULL) == XP_OK);
    xp_decisions_close(asking);
    xp_decisions_close(held);
    options.create = false;
    EXPECT(xp_decisions_open(file("nowhere"), model, &options, &asking, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "there is no state");
    xp_model_destroy(model);
}

/* Opens bytes as a state, and closes it. */
static xp_status try_bytes(const xp_model *model, const void *data, size_t bytes, xp_error *error) {
    xp_decisions_options options = xp_decisions_options_default();
    options.read_only = true;
    xp_decisions *state = NULL;
    EXPECT(xp__file_write(file("tried"), data, bytes, NULL) == XP_OK);
    const xp_status status = xp_decisions_open(file("tried"), model, &options, &state, error);
    xp_decisions_close(state);
    return status;
}

CLAIM(a_file_that_is_cut_changed_or_of_another_version_is_refused) {
    xp_model *model = model_of("behaviour_cloning", 6);
    xp_decisions *state = open_state("cut", model);
    xp_decision drawn[3];
    EXPECT(xp_decisions_draw(state, NULL, 0, 3, drawn, NULL) == XP_OK);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    char *data;
    size_t bytes = 0;
    xp_error error;
    EXPECT(xp__file_read(file("cut"), (size_t)1 << 20, &data, &bytes, NULL) == XP_OK);
    EXPECT(try_bytes(model, data, bytes, NULL) == XP_OK);
    for (size_t length = 0; length < bytes; length += 7) {
        EXPECT(try_bytes(model, data, length, &error) == XP_ERR_INPUT);
    }
    for (size_t at = 0; at < bytes; at += 5) {
        data[at] ^= 0x10;
        EXPECT(try_bytes(model, data, bytes, &error) == XP_ERR_INPUT);
        data[at] ^= 0x10;
    }
    data[8]++;
    EXPECT(try_bytes(model, data, bytes, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "has file version 2; this library");
    xp__free(data);
    xp_model_destroy(model);
}

static xp_model *shared_model;

static xp_status keep(xp_error *error) {
    xp_decisions *state = NULL;
    xp_decision drawn[2];
    static const char table[] = "decision,reward\n1,1\n2,0\n";
    (void)unlink(file("memory"));
    xp_status status = xp_decisions_open(file("memory"), shared_model, NULL, &state, error);
    status = status == XP_OK ? xp_decisions_draw(state, NULL, 0, 2, drawn, error) : status;
    status = status == XP_OK ? xp_decisions_save(state, error) : status;
    xp_decisions_close(state);
    state = NULL;
    if (status == XP_OK) {
        status = xp_decisions_open(file("memory"), shared_model, NULL, &state, error);
    }
    if (status == XP_OK) {
        status = xp_decisions_observe_table(state, table, strlen(table), "t", NULL, error);
    }
    status = status == XP_OK ? xp_decisions_save(state, error) : status;
    xp_decisions_close(state);
    return status;
}

CLAIM(memory_that_runs_out_is_told_and_leaves_nothing_behind) {
    shared_model = model_of("experior_maxent", 6);
    xp_status status = XP_ERR_MEMORY;
    for (size_t n = 0; status == XP_ERR_MEMORY && n < 10000; n++) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, n);
        status = keep(NULL);
        xp__allocator_install(NULL);
        EXPECT(allocator.alive == 0);
    }
    EXPECT(status == XP_OK);
    xp_model_destroy(shared_model);
}

CLAIM(two_names_of_one_file_are_one_state) {
    xp_model *model = model_of("experior_maxent", 6);
    xp_decisions *state = open_state("one", model);
    xp_decision drawn;
    EXPECT(xp_decisions_draw(state, NULL, 0, 1, &drawn, NULL) == XP_OK);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    char link[512];
    (void)snprintf(link, sizeof link, "%s", file("link"));
    EXPECT(symlink(file("one"), link) == 0);
    state = open_state("link", model);
    EXPECT(xp_decisions_draw(state, NULL, 0, 1, &drawn, NULL) == XP_OK && drawn.id == 2);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    EXPECT(access(file("link.lock"), F_OK) != 0 && access(file("one.lock"), F_OK) == 0);
    state = open_state("one", model);
    EXPECT(xp_decisions_describe(state).next == 3);
    xp_decisions_close(state);
    xp_model_destroy(model);
}
