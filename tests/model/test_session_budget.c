/* What a few bytes may ask for. A session without a model names its space and its agent in a line
 * of text, and a file of a session does: whatever they say, no allocation is above the budget, and
 * what would need more is refused in a sentence. */
#include "claim.h"

#include "agent/agent_type.h"
#include "base/budget.h"
#include "base/memory.h"
#include "experior/session.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Large requests are noted and not served: the test needs no memory itself. */
static size_t largest;

static void *reallocate(void *context, void *block, size_t bytes) {
    enum { SERVED = 16 << 20 };
    (void)context;
    largest = bytes > largest ? bytes : largest;
    return bytes <= SERVED ? realloc(block, bytes) : NULL;
}

static void release(void *context, void *block) {
    (void)context;
    free(block);
}

static xp_status make(const char *agent, const xp_space *space, size_t episodes, xp_error *error) {
    static const xp__allocator counting = {reallocate, release, NULL};
    xp_session_options options = xp_session_options_default();
    options.agent = agent;
    options.space = space;
    options.episodes = episodes;
    xp_session *session;
    largest = 0;
    xp__allocator_install(&counting);
    const xp_status status = xp_session_create(NULL, &options, &session, error);
    xp_session_destroy(session);
    xp__allocator_install(NULL);
    return status;
}

static void expect_modest(const char *agent, const xp_space *space, size_t episodes) {
    xp_error error = {.message = ""};
    const xp_status status = make(agent, space, episodes, &error);
    if (largest > XP__BUDGET || (status != XP_OK && error.message[0] == '\0')) {
        printf("  %s with %zu actions, %zu state numbers, %zu steps, %zu episodes: %zu bytes\n",
               agent, space->actions, space->state_size, space->horizon, episodes, largest);
    }
    EXPECT(largest <= XP__BUDGET && (status == XP_OK || error.message[0] != '\0'));
}

CLAIM(no_space_makes_an_agent_take_more_than_the_budget) {
    enum { NUMBERS = 4096 };
    static const size_t actions[] = {2, 1024, 65536, UINT32_MAX, SIZE_MAX};
    static const size_t sizes[] = {0, 1, 5, NUMBERS};
    static const size_t values[] = {0, 65535, UINT32_MAX, SIZE_MAX / 2};
    static const size_t lengths[] = {1, 1000000, SIZE_MAX};
    static size_t categories[NUMBERS];
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        for (size_t j = 0; j < 5 * 4 * 4 * 3; j++) {
            const xp_space space = {.actions = actions[j % 5],
                                    .state_size = sizes[j / 5 % 4],
                                    .categories = categories,
                                    .horizon = lengths[j / 80],
                                    .discount = 1};
            for (size_t k = 0; k < NUMBERS; k++) {
                categories[k] = values[j / 20 % 4];
            }
            expect_modest(xp__agent_types[i]->name, &space, lengths[j / 80]);
        }
    }
}

CLAIM(no_parameter_makes_an_agent_take_more_than_the_budget) {
    static const size_t categories[] = {50, 50, 0, 0, 0, 0, 0, 0};
    const xp_space states = {
        .actions = 200, .state_size = 8, .categories = categories, .horizon = 100, .discount = 1};
    const xp_space bandit = {.actions = 200, .horizon = 1, .discount = 1};
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        const xp__agent_type *type = xp__agent_types[i];
        for (size_t p = 0; p < type->param_count; p++) {
            char spec[128];
            const xp_param *param = &type->params[p];
            if (param->kind != XP_PARAM_CHOICE) {
                (void)snprintf(spec, sizeof spec, "%s:%s=%.17g", type->name, param->name,
                               param->high);
                expect_modest(spec, type->has_states ? &states : &bandit, 1000);
            }
        }
    }
}
