/* What experts and random actions return in the tasks of the suite, where that is known. */
#include "claim.h"

#include "beyond/elsewhere_levels.h"
#include "elsewhere/elsewhere_type.h"

#include <math.h>
#include <string.h>

static const xp__elsewhere_type *find(const char *name) {
    for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
        if (strcmp(xp__elsewhere_types[i]->name, name) == 0) {
            return xp__elsewhere_types[i];
        }
    }
    return NULL;
}

static xp__levels measure(const char *task, size_t scale, size_t problem,
                          const xp__expert_entry *expert) {
    const xp__place *place = &find(task)->place[XP__SELECTION][scale];
    const xp__agent_entry nobody = {.label = "nobody", .spec = "replay"};
    xp__levels levels = {NAN, NAN};
    xp__problem at;
    xp_env *env;
    EXPECT(xp__elsewhere_create(place, &env, NULL) == XP_OK);
    xp__problem_adopt(&at, 1, problem, "maze", env);
    const xp__unit unit = {.problem = &at, .expert = expert, .agent = &nobody};
    EXPECT(xp__levels_measure(&unit, 0, &levels, NULL) == XP_OK);
    xp__problem_deinit(&at);
    return levels;
}

static const xp__expert_entry optimal = {.name = "optimal", .parameter = "ties", .value = 1};

/* Gates of the 7 × 7 maze are at the corners, six steps from the middle, and in the middle of the
 * sides, three steps; a step costs 0.01 and the exit pays 1. */
CLAIM(experts_leave_the_maze_by_a_shortest_way) {
    size_t corners = 0, sides = 0;
    for (size_t problem = 0; problem < 20; problem++) {
        const xp__levels levels = measure("maze", 0, problem, &optimal);
        corners += fabs(levels.expert - 0.94) < 1e-12;
        sides += fabs(levels.expert - 0.97) < 1e-12;
        EXPECT(levels.random < levels.expert && levels.random > -0.28 - 1e-12);
    }
    EXPECT(corners + sides == 20 && corners > 0 && sides > 0);
}

CLAIM(levels_have_the_scale_of_rewards_and_repeat_themselves) {
    const xp__levels plain = measure("tree", 0, 3, &optimal);
    const xp__levels again = measure("tree", 0, 3, &optimal);
    const xp__levels large = measure("tree", 2, 3, &optimal);
    EXPECT(memcmp(&plain, &again, sizeof plain) == 0);
    EXPECT_NEAR(large.expert, 100 * plain.expert, 1e-9);
    EXPECT_NEAR(large.random, 100 * plain.random, 1e-9);
}

CLAIM(less_competent_experts_return_less) {
    const xp__expert_entry poor = {.name = "noisily_rational", .parameter = "beta", .value = 1};
    EXPECT(measure("key_door", 0, 1, &poor).expert < measure("key_door", 0, 1, &optimal).expert);
}
