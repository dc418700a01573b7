/* What agents have learned as bytes, over every registered one, with states and without: one that
 * was read back goes on bit for bit, asking for a law moves nothing, and bytes that nobody wrote do
 * no harm. */
#include "archived.h"
#include "claim.h"

#include "agent/agent_type.h"
#include "env/create.h"
#include "experior/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A world, demonstrations of its experts, and an agent with all that it stands on. */
typedef struct world {
    const char *name;
    xp_env *env;
    xp_demos *demos;
    xp_env_info info;
} world;

typedef struct player {
    const world *at;
    xp__agent_spec spec;
    xp_prior *prior;
    xp__states_prior *states_prior;
} player;

enum { MOST_ACTIONS = 4 };

static void world_init(world *self, const char *name, const char *key, const char *value) {
    xp_rng rng = xp_rng_seed(2);
    xp__params params;
    xp_expert *expert = NULL;
    *self = (world){.name = name};
    EXPECT(xp__env_params_default(name, &params, NULL) == XP_OK &&
           xp__params_set_text(&params, key, value, NULL) == XP_OK &&
           (strcmp(name, "deep_sea") != 0 ||
            xp__params_set_text(&params, "goal", "any", NULL) == XP_OK) &&
           xp__env_create(name, &params, &rng, &self->env, NULL) == XP_OK &&
           xp_expert_create("optimal", &expert, NULL) == XP_OK &&
           xp_demos_draw(self->env, expert, 60, &rng, &self->demos, NULL) == XP_OK);
    self->info = xp_env_describe(self->env);
    xp_expert_destroy(expert);
}

static void world_deinit(world *self) {
    xp_demos_destroy(self->demos);
    xp_env_destroy(self->env);
}

static xp_status player_init(player *self, const world *at, const char *text, xp_error *error) {
    xp_rng rng = xp_rng_seed(5);
    *self = (player){.at = at};
    xp_status status = xp__agent_spec_parse(text, &at->info, &self->spec, error);
    if (status == XP_OK) {
        status = xp__agent_prior_fit(&self->spec, at->env, at->demos, &rng, &self->prior, error);
    }
    if (status == XP_OK) {
        status = xp__agent_q_prior_fit(&self->spec, at->env, at->demos, &rng, &self->states_prior,
                                       error);
    }
    return status;
}

static void player_deinit(player *self) {
    xp_prior_destroy(self->prior);
    xp__states_prior_destroy(self->states_prior);
}

static xp__agent *make(const player *self) {
    const xp__agent_setup setup = {.actions = self->at->info.actions,
                                   .episodes = 60,
                                   .demos = self->at->demos,
                                   .prior = self->prior,
                                   .states_prior = self->states_prior,
                                   .env = self->at->info,
                                   .model = self->at->env};
    xp__agent *agent = NULL;
    xp_error error = {0};
    if (xp__agent_create(&self->spec, &setup, &agent, &error) != XP_OK) {
        printf("  %s: %s\n", self->spec.name, error.message);
    }
    EXPECT(agent != NULL);
    return agent;
}

static void expect(bool holds, const player *at, const char *what) {
    if (!holds) {
        printf("  %s in %s %s\n", at->spec.name, at->at->name, what);
    }
    EXPECT(holds);
}

/* What an agent meets: a state that follows its actions by a rule of its own, so that two agents
 * can walk the same path side by side. */
typedef struct walk {
    double state[2], next[2];
    size_t steps;
} walk;

static void walk_reset(walk *self, const world *at) {
    *self = (walk){.steps = 0};
    if (at->info.state_size == 2) {
        self->state[0] = 10; /* the lake's shore, with the hazard out of sight */
        self->state[1] = -1;
    }
}

/* Deep Sea with its goal in column 2, and Frozen Lake with a hazard that comes and goes. */
static xp_transition follow(walk *self, const world *at, size_t action) {
    const size_t t = self->steps++, width = at->info.state_size;
    xp_transition seen = {.state = width > 0 ? self->state : NULL,
                          .action = action,
                          .reward = (double)((t + action) % 2),
                          .end = XP_TERMINATED};
    if (width == 0) {
        return seen;
    }
    seen.next_state = self->next;
    if (width == 1) {
        const size_t side = at->info.horizon, cell = (size_t)self->state[0];
        const size_t row = cell / side, column = cell % side;
        const size_t beside =
            action == 0 ? (column > 0 ? column - 1 : 0) : (column + 1 < side ? column + 1 : column);
        const bool last = row + 1 == side;
        self->next[0] = last ? self->state[0] : (double)((row + 1) * side + beside);
        const size_t away = column > 2 ? column - 2 : 2 - column;
        seen.reward = away > side - 1 - row ? 0 : (last ? 1.0 : 0.0) - 0.01 / (double)side;
        seen.end = last ? XP_TERMINATED : XP_CONTINUES;
    } else {
        static const int by_row[] = {-1, 0, 1, 0}, by_column[] = {0, 1, 0, -1};
        const int row = (int)self->state[0] / 5 + by_row[action];
        const int column = (int)self->state[0] % 5 + by_column[action];
        const bool off = row < 0 || row > 4 || column < 0 || column > 4;
        self->next[0] = off ? self->state[0] : 5 * row + column;
        self->next[1] = -1;
        const bool goal = self->next[0] == 14, fell = self->next[0] == 12 && t % 3 == 0;
        seen.reward = goal ? 20 : fell ? -100 : -2;
        seen.end = goal || fell ? XP_TERMINATED : t % 17 == 16 ? XP_TRUNCATED : XP_CONTINUES;
    }
    return seen;
}

/* Acts and observes once; returns the action. */
static size_t step(xp__agent *agent, const world *at, walk *way, xp_rng *rng) {
    const size_t action = xp__agent_act(agent, rng, at->info.state_size > 0 ? way->state : NULL);
    const xp_transition seen = follow(way, at, action);
    xp__agent_observe(agent, rng, &seen);
    memcpy(way->state, way->next, sizeof way->state);
    if (seen.end != XP_CONTINUES) {
        const size_t steps = way->steps;
        walk_reset(way, at);
        way->steps = steps;
    }
    return action;
}

ARCHIVED(xp__agent, xp__agent_archive)

/* Specs with which every part of an agent is used; learners are small and begin early. */
static const char *const bandit_specs[] = {
    "experior_maxent:sampler=mcmc",
    "experior_maxent:sampler=sgld",
    "experior_maxent:beta=10",
    "experior_maxent:reference=learned",
    "experior_maxent:reference=learned,beta=10,unit=relative",
    "naive_ts:reference=learned",
    "experior_param:family=normal",
    "naive_ts:sampler=rejection",
    "boot_dqn:members=4,hidden=9,batch=8,warmup=20,buffer=50,target_every=5",
    "explore:hidden=9,batch=8,warmup=20,buffer=50",
    "lmc_dqn:prior=none,hidden=9,batch=8,warmup=20,buffer=50",
};
static const char *const states_specs[] = {
    "boot_dqn:members=5,hidden=9,batch=8,warmup=20,buffer=50,target_every=5,mask=0.5,epsilon=0.1",
    "boot_dqn:members=3,hidden=9,batch=8,warmup=20,buffer=5000,target_every=20",
    "explore:hidden=9,batch=8,warmup=20,buffer=50,update_every=3",
    "lmc_dqn:prior=none,hidden=9,batch=8,warmup=20,buffer=50,members=3,precision=1",
    "experior_maxent:members=3,batch=8,warmup=20,target_every=3,memory=5,draws=3,fit_steps=50",
    "experior_maxent:evidence=relative,members=3,batch=8,warmup=20,target_every=3,memory=5,draws=3,"
    "fit_steps=50",
    "experior_maxent:prior=union,members=3,batch=8,warmup=20,draws=3,fit_steps=50",
    "experior_maxent:prior=max_entropy,members=3,batch=8,warmup=20,references=20,chain_steps=20,"
    "networks=5",
};

/* Fits that are quick: what an agent does with a prior is looked at, not the prior. */
static const char *quick(const char *name) {
    static const struct {
        const char *name, *spec;
    } specs[] = {{"behaviour_cloning", "behaviour_cloning:networks=5,pretrain_steps=20"},
                 {"experior_param", "experior_param:networks=5,pretrain_steps=20"},
                 {"experior_maxent", "experior_maxent:draws=5,fit_steps=50"},
                 {"lmc_dqn", "lmc_dqn:references=20,chain_steps=20,networks=5"}};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        if (strcmp(specs[i].name, name) == 0) {
            return specs[i].spec;
        }
    }
    return name;
}

enum { WORLDS = 3, MOST_PLAYERS = 64 };
static world worlds[WORLDS];
static player players[MOST_PLAYERS];
static size_t player_count;

static void add_player(const world *at, const char *text) {
    xp_error error = {0};
    EXPECT(player_count < MOST_PLAYERS);
    if (player_count == MOST_PLAYERS) {
        return;
    }
    const xp_status status = player_init(&players[player_count++], at, text, &error);
    if (status != XP_OK) {
        printf("  %s: %s\n", text, error.message);
    }
    EXPECT(status == XP_OK);
}

static void remove_players(void) {
    for (size_t i = 0; i < player_count; i++) {
        player_deinit(&players[i]);
    }
    for (size_t p = 0; p < WORLDS; p++) {
        world_deinit(&worlds[p]);
    }
}

/* Every registered agent and the specs above, in a bandit and two worlds with states. Agents that
 * need a prior over Q-functions are looked at where there are states. */
static void make_players(void) {
    static const char *const places[WORLDS][3] = {{"bernoulli_bandit", "arms", "4"},
                                                  {"deep_sea", "size", "4"},
                                                  {"frozen_lake", "hazards", "4"}};
    for (size_t p = 0; p < WORLDS; p++) {
        world *at = &worlds[p];
        world_init(at, places[p][0], places[p][1], places[p][2]);
        const bool states = at->info.state_size > 0;
        for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
            const char *name = xp_catalogue_get(XP_AGENTS, i).name;
            const bool repeated =
                i > 0 && strcmp(name, xp_catalogue_get(XP_AGENTS, i - 1).name) == 0;
            xp__agent_spec spec;
            EXPECT(xp__agent_spec_parse(name, &at->info, &spec, NULL) == XP_OK);
            if (!repeated && (states || !(spec.states && spec.prior_method != NULL)) &&
                xp__agent_check_env(xp__agent_find(name, states), &at->info, NULL) == XP_OK) {
                add_player(at, states ? quick(name) : name);
            }
        }
        const size_t specs = states ? sizeof states_specs / sizeof states_specs[0]
                                    : sizeof bandit_specs / sizeof bandit_specs[0];
        for (size_t i = 0; i < specs; i++) {
            add_player(at, states ? states_specs[i] : bandit_specs[i]);
        }
    }
    (void)atexit(remove_players);
}

/* They are fitted once, for all claims. */
static void for_each_player(void (*check)(const player *)) {
    if (player_count == 0) {
        make_players();
    }
    for (size_t i = 0; i < player_count; i++) {
        check(&players[i]);
    }
}

/* Steps before the state is written: in the middle of an episode and in that of a learner's period,
 * and at the start; and steps after it is read. */
static const size_t before[] = {1, 203, 0, 7, 200};

static void check_goes_on(const player *at) {
    xp__agent *agent = make(at);
    const size_t places = claim_instrumented() ? 2 : sizeof before / sizeof before[0];
    const size_t after = claim_instrumented() ? 60 : 320;
    for (size_t i = 0; agent != NULL && i < places; i++) {
        xp_rng rng = xp_rng_seed(30 + i);
        walk way, own_way;
        walk_reset(&way, at->at);
        xp__agent_reset(agent, &rng);
        for (size_t t = 0; t < before[i]; t++) {
            (void)step(agent, at->at, &way, &rng);
        }
        const bytes saved = save(agent);
        xp__agent *other = make(at);
        expect(load(other, saved), at, "reads what was written");
        expect(same(agent, other), at, "would write it again");
        xp_rng own = rng;
        own_way = way;
        bool equal = true;
        for (size_t t = 0; t < after; t++) {
            equal = equal && step(agent, at->at, &way, &rng) == step(other, at->at, &own_way, &own);
        }
        expect(equal, at, "goes on with the same actions");
        expect(memcmp(&rng, &own, sizeof rng) == 0, at, "leaves the stream at the same place");
        expect(same(agent, other), at, "ends as the same bytes");
        free(saved.data);
        xp__agent_destroy(other);
    }
    xp__agent_destroy(agent);
}

CLAIM(every_agent_that_was_read_back_goes_on_bit_for_bit) {
    for_each_player(check_goes_on);
}

/* Two agents that set out alike. */
static void set_out(const player *at, xp__agent *agents[2], xp_rng rngs[2], walk ways[2]) {
    for (size_t i = 0; i < 2; i++) {
        agents[i] = make(at);
        rngs[i] = xp_rng_seed(40);
        walk_reset(&ways[i], at->at);
        xp__agent_reset(agents[i], &rngs[i]);
    }
}

/* Asked before, in and after an episode, against one that nobody asks. */
static void check_asking(const player *at) {
    xp__agent *agents[2];
    xp_rng rngs[2];
    walk ways[2];
    set_out(at, agents, rngs, ways);
    xp__agent *const asked = agents[0], *const other = agents[1];
    bool equal = true, moved = false, sums = true;
    for (size_t t = 0; t < 60; t++) {
        if (t < 9 || t > 50) {
            double law[MOST_ACTIONS], sum = 0;
            const xp_rng stream = rngs[0];
            const bytes then = save(asked);
            xp__agent_action_law(asked, &rngs[0],
                                 at->at->info.state_size > 0 ? ways[0].state : NULL, 50, law);
            const bytes now = save(asked);
            for (size_t a = 0; a < at->at->info.actions; a++) {
                sum += law[a];
            }
            sums = sums && fabs(sum - 1) < 1e-9;
            moved =
                moved || memcmp(&rngs[0], &stream, sizeof stream) != 0 || !equal_bytes(then, now);
            free(then.data);
            free(now.data);
        }
        equal = equal &&
                step(asked, at->at, &ways[0], &rngs[0]) == step(other, at->at, &ways[1], &rngs[1]);
    }
    expect(sums, at, "has a law");
    expect(!moved, at, "is asked for its law and stays as it is");
    expect(equal && same(asked, other), at, "acts as if it had not been asked");
    xp__agent_destroy(asked);
    xp__agent_destroy(other);
}

CLAIM(asking_for_the_law_moves_no_agent_and_no_stream) {
    for_each_player(check_asking);
}

/* begin() right before the first action of an episode is what act() does itself. */
static void check_begin(const player *at) {
    xp__agent *agents[2];
    xp_rng rngs[2];
    walk ways[2];
    set_out(at, agents, rngs, ways);
    xp__agent *const told = agents[0], *const other = agents[1];
    xp_rng *const rng = &rngs[0];
    walk *const way = &ways[0];
    bool equal = true, begins = true;
    for (size_t t = 0; t < 120; t++) {
        if (begins) {
            xp__agent_begin(told, rng, at->at->info.state_size > 0 ? way->state : NULL);
        }
        const double *state = at->at->info.state_size > 0 ? way->state : NULL;
        const size_t action = xp__agent_act(told, rng, state);
        const xp_transition seen = follow(way, at->at, action);
        xp__agent_observe(told, rng, &seen);
        begins = seen.end != XP_CONTINUES;
        memcpy(way->state, way->next, sizeof way->state);
        if (begins) {
            const size_t steps = way->steps;
            walk_reset(way, at->at);
            way->steps = steps;
        }
        equal = equal && action == step(other, at->at, &ways[1], &rngs[1]);
    }
    expect(equal && same(told, other) && memcmp(&rngs[0], &rngs[1], sizeof *rng) == 0, at,
           "acts the same whether it is told that an episode begins");
    xp__agent_destroy(told);
    xp__agent_destroy(other);
}

CLAIM(beginning_an_episode_draws_what_the_first_action_would) {
    for_each_player(check_begin);
}

static void check_hostile(const player *at) {
    xp__agent *agent = make(at);
    xp_rng rng = xp_rng_seed(60);
    walk way;
    walk_reset(&way, at->at);
    xp__agent_reset(agent, &rng);
    for (size_t t = 0; t < 150; t++) {
        (void)step(agent, at->at, &way, &rng);
    }
    const bytes saved = save(agent);
    unsigned char *good = malloc(saved.count + 1);
    memcpy(good, saved.data, saved.count);
    /* Ends that are missing or too many are always refused. */
    if (saved.count > 0) {
        xp__agent *other = make(at);
        expect(!load(other, (bytes){saved.data, saved.count - 1}), at, "refuses a missing end");
        xp__agent_destroy(other);
    }
    const size_t turns = claim_instrumented() ? 20 : 60;
    for (size_t i = 0; i < turns && saved.count > 0; i++) {
        memcpy(saved.data, good, saved.count);
        for (uint64_t k = 1 + xp_rng_below(&rng, 3); k > 0; k--) {
            /* Counters and indices stand at the beginning, at the end or anywhere. */
            const size_t near = saved.count < 256 ? saved.count : 256;
            const size_t place = (size_t)xp_rng_below(&rng, i % 3 == 0 ? saved.count : near);
            saved.data[i % 3 == 1 ? saved.count - 1 - place : place] =
                (unsigned char)xp_rng_below(&rng, 256);
        }
        xp__agent *other = make(at);
        if (load(other, saved)) {
            xp_rng own = xp_rng_seed(i);
            walk own_way = way;
            bool inside = true;
            double law[MOST_ACTIONS];
            for (size_t t = 0; t < 25; t++) {
                inside = inside && step(other, at->at, &own_way, &own) < at->at->info.actions;
            }
            xp__agent_action_law(other, &own, at->at->info.state_size > 0 ? own_way.state : NULL, 5,
                                 law);
            expect(inside, at, "acts with an action that there is");
        }
        xp__agent_destroy(other);
    }
    free(saved.data);
    free(good);
    xp__agent_destroy(agent);
}

CLAIM(bytes_that_nobody_wrote_do_no_harm) {
    for_each_player(check_hostile);
}
