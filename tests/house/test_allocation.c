/* Memory that runs out. Each flow through the interface is run with an allocator that fails once,
 * at allocation n, for n = 0, 1, 2… until the flow no longer gets that far: every failure must come
 * back as XP_ERR_MEMORY and leave no block behind. The flows that act must not allocate at all. */
#include "claim.h"
#include "expert_action.h"

#include "agent/agent_type.h"
#include "experior/experior.h"
#include "env/create.h"
#include "base/memory.h"
#include "prior/bandit/prior_type.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counter {
    atomic_long calls; /* allocations asked for */
    atomic_long live;  /* blocks not yet released */
    long fail_at;      /* the call that fails; negative: none */
    atomic_bool failed;
} counter;

static void *reallocate(void *context, void *block, size_t bytes) {
    counter *count = context;
    if (atomic_fetch_add(&count->calls, 1) == count->fail_at) {
        atomic_store(&count->failed, true);
        return NULL;
    }
    void *moved = realloc(block, bytes);
    if (moved != NULL && block == NULL) {
        atomic_fetch_add(&count->live, 1);
    }
    return moved;
}

static void release(void *context, void *block) {
    counter *count = context;
    if (block != NULL) {
        atomic_fetch_sub(&count->live, 1);
    }
    free(block);
}

static void install(counter *count) {
    xp__allocator_install(&(xp__allocator){reallocate, release, count});
}

/* A flow makes things, uses them, destroys all of them, and returns the first bad status. */
typedef xp_status flow(xp_error *error);

/* Every n up to 256, then ever larger steps: a flow with many allocations repeats itself. */
static void expect_survival(flow *run, const char *name) {
    long n = 0;
    for (;; n += n < 256 ? 1 : n / 16) {
        counter count = {.fail_at = n};
        install(&count);
        xp_error error = {.status = XP_OK};
        const xp_status status = run(&error);
        xp__allocator_install(NULL);
        const xp_status wanted = count.failed ? XP_ERR_MEMORY : XP_OK;
        if (status != wanted || count.live != 0) {
            printf("  %s, allocation %ld %s: status %d (%s), %ld blocks left\n", name, n,
                   count.failed ? "fails" : "is not reached", (int)status, error.message,
                   (long)count.live);
            claim_expect(false, name, __FILE__, __LINE__);
        }
        if (count.failed && status == XP_ERR_MEMORY) {
            EXPECT(error.status == XP_ERR_MEMORY);
            EXPECT_TEXT(error.message, "memory");
        }
        if (!count.failed) {
            break;
        }
    }
    EXPECT(n > 0); /* a flow that never allocates claims nothing */
}

static xp_status make_envs(xp_error *error) {
    xp_rng rng = xp_rng_seed(1);
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        xp_env *env = NULL;
        xp_task *task = NULL;
        status = xp_env_create(xp_catalogue_get(XP_ENVIRONMENTS, i).name, &rng, &env, error);
        if (status == XP_OK) {
            status = xp_task_create(env, &task, error);
        }
        xp_task_destroy(task);
        xp_env_destroy(env);
    }
    return status;
}

static xp_status make_given_bandit(xp_error *error) {
    const double a[] = {1, 2, 3}, b[] = {3, 2, 1};
    xp_env *env = NULL;
    const xp_status status = xp_env_create_bernoulli_bandit(3, a, b, &env, error);
    xp_env_destroy(env);
    return status;
}

static xp_status make_experts(xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < xp_catalogue_count(XP_EXPERTS); i++) {
        xp_expert *expert = NULL;
        status = xp_expert_create(xp_catalogue_get(XP_EXPERTS, i).name, &expert, error);
        xp_expert_destroy(expert);
    }
    return status;
}

/* A spoken format each: rows with states, action names with counts, and JSON lines. */
static xp_status read_demos(xp_error *error) {
    static const char *const texts[] = {
        "demonstration,step,state_x,action\n0,0,0.5,1\n0,1,0.25,0\n1,0,0.5,1\n1,1,0.25,0\n",
        "action,count\nleft,3\nright,2\nleft,1\n",
        ("{\"actions\": [0, 2], \"states\": [[1], [2]], \"count\": 4}\n{\"actions\": [1, 1], "
         "\"states\": [[1], [3]]}\n"),
    };
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < sizeof texts / sizeof texts[0]; i++) {
        xp_demos *demos = NULL;
        status = xp_demos_parse(texts[i], strlen(texts[i]), "text", &demos, error);
        xp_demos_destroy(demos);
    }
    return status;
}

/* A table with every role, one with quotes, one as JSON, one in UTF-16, trajectories. */
static xp_status read_choices(xp_error *error) {
    static const struct {
        const char *text;
        size_t bytes;
        bool roles;
    } tables[] = {
        {"action;where;who;w\nA;x;p;1\nB;y;q;2\nA;x;q;1\nA;y;p;3\nB;x;p;1\n", 0, true},
        {"note,action,count\n\"a\n\"\"b\"\"\",A,3\n,B,4\n", 0, false},
        {"[{\"action\": \"A\"}, {\"action\": \"B\"}, {\"action\": null}]", 0, false},
        {"\xff\xfe"
         "0\0\n\0"
         "0\0\n\0"
         "1\0\n\0",
         14, false},
        {"demonstration,step,state,action\n0,0,1,1\n0,1,2,0\n", 0, false},
    };
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < sizeof tables / sizeof tables[0]; i++) {
        xp_choices_options options = xp_choices_options_default();
        options.segment = tables[i].roles ? "where" : NULL;
        options.expert = tables[i].roles ? "who" : NULL;
        options.weight = tables[i].roles ? "w" : NULL;
        options.count = i == 1 ? "count" : NULL;
        const size_t bytes = tables[i].bytes > 0 ? tables[i].bytes : strlen(tables[i].text);
        xp_choices *choices = NULL;
        xp_demos *walks = NULL, *demos = NULL;
        status =
            xp_choices_parse(tables[i].text, bytes, "table", &options, &choices, &walks, error);
        if (status == XP_OK && choices != NULL) {
            status = xp_choices_demos(choices, 0, &demos, error);
        }
        xp_demos_destroy(demos);
        xp_demos_destroy(walks);
        xp_choices_destroy(choices);
    }
    return status;
}

/* "action\nA\nA\n" as gzip, with its window of 32 KiB. */
static xp_status read_packed(xp_error *error) {
    static const unsigned char packed[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x4c, 0x2e, 0xc9, 0xcc,
        0xcf, 0xe3, 0x72, 0x04, 0x42, 0x00, 0x7d, 0x09, 0xde, 0x80, 0x0b, 0x00, 0x00, 0x00};
    xp_choices *choices = NULL;
    const xp_status status = xp_choices_parse((const char *)packed, sizeof packed, "packed", NULL,
                                              &choices, NULL, error);
    xp_choices_destroy(choices);
    return status;
}

/* Demonstrations of a bandit with three arms, drawn. */
static xp_status draw_demos(xp_env **env, xp_demos **demos, xp_error *error) {
    const double a[] = {1, 2, 3}, b[] = {3, 2, 1};
    xp_rng rng = xp_rng_seed(3);
    xp_expert *expert = NULL;
    *env = NULL;
    *demos = NULL;
    xp_status status = xp_env_create_bernoulli_bandit(3, a, b, env, error);
    if (status == XP_OK) {
        status = xp_expert_create("optimal", &expert, error);
    }
    if (status == XP_OK) {
        status = xp_demos_draw(*env, expert, 50, &rng, demos, error);
    }
    xp_expert_destroy(expert);
    return status;
}

static xp_status save_demos(xp_error *error) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s/demos", claim_directory());
    xp_env *env;
    xp_demos *demos, *again = NULL;
    xp_status status = draw_demos(&env, &demos, error);
    if (status == XP_OK) {
        status = xp_demos_declare_actions(demos, 5, error);
    }
    if (status == XP_OK) {
        status = xp_demos_save(demos, path, XP_DEMOS_CSV, error);
    }
    if (status == XP_OK) {
        status = xp_demos_save(demos, path, XP_DEMOS_JSONL, error);
    }
    if (status == XP_OK) {
        status = xp_demos_load(path, &again, error);
    }
    xp_demos_destroy(again);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
    return status;
}

/* Fits the prior, writes it as text and reads it back. */
static xp_status fit_prior(const char *method, const xp_demos *demos, xp_error *error) {
    xp_rng rng = xp_rng_seed(4);
    xp_prior *prior = NULL, *again = NULL;
    char *text = NULL;
    xp_status status = xp_prior_fit(method, demos, &rng, &prior, NULL, error);
    if (status == XP_OK) {
        status = xp__prior_to_json(prior, &text, error);
    }
    if (status == XP_OK) {
        status = xp__prior_from_json(text, strlen(text), "text", &again, error);
    }
    xp_release(text);
    xp_prior_destroy(again);
    xp_prior_destroy(prior);
    return status;
}

static xp_status fit_priors(xp_error *error) {
    xp_env *env;
    xp_demos *demos;
    xp_status status = draw_demos(&env, &demos, error);
    for (size_t i = 0; status == XP_OK && i < xp_catalogue_count(XP_PRIORS); i++) {
        status = fit_prior(xp_catalogue_get(XP_PRIORS, i).name, demos, error);
    }
    xp_demos_destroy(demos);
    xp_env_destroy(env);
    return status;
}

/* Every sampler on every prior that it supports. */
static xp_status make_samplers(xp_error *error) {
    const double a[] = {1, 2, 3}, b[] = {3, 2, 1};
    xp_rng rng = xp_rng_seed(5);
    xp_prior *priors[2] = {NULL, NULL};
    xp_status status = xp_prior_create_beta(3, a, b, &priors[0], error);
    if (status == XP_OK) {
        status = xp_prior_create_uniform(3, &priors[1], error);
    }
    for (size_t i = 0; status == XP_OK && i < 2 * xp_catalogue_count(XP_SAMPLERS); i++) {
        const char *name = xp_catalogue_get(XP_SAMPLERS, i / 2).name;
        xp_sampler *sampler = NULL;
        if (xp_sampler_supports(name, priors[i % 2])) {
            status = xp_sampler_create(name, priors[i % 2], &sampler, error);
        }
        if (sampler != NULL) {
            xp_sampler_reset(sampler, &rng);
            xp_sampler_observe(sampler, &rng, 1, true);
            (void)xp_sampler_act(sampler, &rng);
        }
        xp_sampler_destroy(sampler);
    }
    xp_prior_destroy(priors[0]);
    xp_prior_destroy(priors[1]);
    return status;
}

/* A bandit of 3 arms, or for agents that act where there are states a Deep Sea of 3 × 3. */
static xp_status agent_demos(bool states, xp_env **env, xp_demos **demos, xp_error *error) {
    if (!states) {
        return draw_demos(env, demos, error);
    }
    xp_rng rng = xp_rng_seed(3);
    xp_expert *expert = NULL;
    xp__params params;
    *env = NULL;
    *demos = NULL;
    xp_status status = xp__env_params_default("deep_sea", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "size", 3, error);
    }
    if (status == XP_OK) {
        status = xp__env_create("deep_sea", &params, &rng, env, error);
    }
    if (status == XP_OK) {
        status = xp_expert_create("optimal", &expert, error);
    }
    if (status == XP_OK) {
        status = xp_demos_draw(*env, expert, 5, &rng, demos, error);
    }
    xp_expert_destroy(expert);
    return status;
}

/* What an agent stands on, from a spec. */
typedef struct scene {
    xp_env *env;
    xp_demos *demos;
    xp_prior *prior;
    xp__states_prior *states_prior;
    xp__agent *agent;
} scene;

static void scene_deinit(scene *self) {
    xp__agent_destroy(self->agent);
    xp_prior_destroy(self->prior);
    xp__states_prior_destroy(self->states_prior);
    xp_demos_destroy(self->demos);
    xp_env_destroy(self->env);
}

/* The i-th agent, with little to do. */
static xp_status scene_init(scene *self, size_t i, xp_error *error) {
    *self = (scene){.env = NULL};
    xp_rng rng = xp_rng_seed(6);
    xp__agent_spec spec;
    xp_status status = agent_demos(xp__agent_types[i]->has_states, &self->env, &self->demos, error);
    if (status != XP_OK) {
        return status;
    }
    const xp_env_info env = xp_env_describe(self->env);
    status = xp__agent_spec_parse(xp_catalogue_get(XP_AGENTS, i).name, &env, &spec, error);
    if (status == XP_OK) {
        status = xp__agent_prior_fit(&spec, self->env, self->demos, &rng, &self->prior, error);
    }
    if (status == XP_OK && xp__params_has(&spec.prior_params, "pretrain_steps")) {
        status = xp__params_set(&spec.prior_params, "pretrain_steps", 1, error);
    }
    if (status == XP_OK) {
        status =
            xp__agent_q_prior_fit(&spec, self->env, self->demos, &rng, &self->states_prior, error);
    }
    if (status == XP_OK) {
        const xp__agent_setup setup = {.actions = env.actions,
                                       .episodes = 100,
                                       .demos = self->demos,
                                       .prior = self->prior,
                                       .states_prior = self->states_prior,
                                       .env = env,
                                       .model = self->env};
        status = xp__agent_create(&spec, &setup, &self->agent, error);
    }
    return status;
}

static xp_status make_agents(xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < xp_catalogue_count(XP_AGENTS); i++) {
        scene made;
        status = scene_init(&made, i, error);
        scene_deinit(&made);
    }
    return status;
}

static xp_status look_at_model(xp_error *error) {
    static const char choices[] = "action,count\nleft,30\nright,12\n";
    static const char told[] = "action,reward\n0,1\n1,0\n";
    xp_demos *demos = NULL;
    xp_history *history = NULL;
    xp_model *model = NULL;
    xp_inspection *inspection = NULL;
    xp_sensitivity *sensitivity = NULL;
    xp_inspect_options looking = xp_inspect_options_default();
    looking.draws = looking.tasks = looking.episodes = 2;
    looking.sensitivity_draws = 2;
    xp_sensitivity_options comparing = xp_sensitivity_options_default();
    comparing.betas = (const double[]){10, INFINITY};
    comparing.beta_count = 2;
    comparing.draws = 2;
    xp_status status = xp_demos_parse(choices, strlen(choices), "choices", &demos, error);
    if (status == XP_OK) {
        status = xp_history_parse(told, strlen(told), "told", 2, NULL, &history, error);
    }
    if (status == XP_OK) {
        status = xp_model_fit(NULL, NULL, demos, NULL, &model, error);
    }
    if (status == XP_OK) {
        status = xp_inspect(model, &looking, &inspection, error);
    }
    if (status == XP_OK) {
        const xp_inspection *const seen = inspection;
        char path[512];
        (void)snprintf(path, sizeof path, "%s/page.html", claim_directory());
        status = xp_report_inspections(model, &seen, NULL, 1, path, error);
    }
    if (status == XP_OK) {
        status = xp_sensitivity_fit(demos, history, &comparing, &sensitivity, error);
    }
    xp_sensitivity_destroy(sensitivity);
    xp_inspection_destroy(inspection);
    xp_model_destroy(model);
    xp_history_destroy(history);
    xp_demos_destroy(demos);
    return status;
}

/* Fits a model with segments, writes and reads it, and takes one of its segments. */
static xp_status fit_segments(xp_error *error) {
    static const char *const names[] = {"a", "b", "c"};
    static const uint64_t counts[] = {5, 1, 2, 3, 0, 4};
    xp_choices *choices = NULL;
    xp_model *model = NULL, *again = NULL, *segment = NULL;
    void *data = NULL;
    size_t bytes;
    xp_status status = xp_choices_create(3, names, 2, names, counts, &choices, error);
    if (status == XP_OK) {
        status = xp_model_fit_segments(NULL, choices, NULL, &model, error);
    }
    if (status == XP_OK) {
        status = xp_model_to_bytes(model, &data, &bytes, error);
    }
    if (status == XP_OK) {
        status = xp_model_parse(data, bytes, "bytes", &again, error);
    }
    if (status == XP_OK) {
        status = xp_model_segment_create(again, "b", &segment, error);
    }
    xp_release(data);
    xp_model_destroy(segment);
    xp_model_destroy(again);
    xp_model_destroy(model);
    xp_choices_destroy(choices);
    return status;
}

static xp_status simulate(xp_error *error) {
    const char *agents[] = {"experior_maxent", "naive_ucb"};
    xp_simulate_options options = xp_simulate_options_default();
    xp_simulate_result results[2];
    options.agents = agents;
    options.agent_count = 2;
    options.problems = 2;
    options.tasks = 3;
    options.episodes = 5;
    options.demonstrations = 10;
    options.threads = 2;
    return xp_simulate(&options, results, error);
}

CLAIM(environments_survive_any_allocation_that_fails) {
    expect_survival(make_envs, "environments and tasks");
    expect_survival(make_given_bandit, "bandit with given parameters");
}

CLAIM(experts_survive_any_allocation_that_fails) {
    expect_survival(make_experts, "experts");
}

CLAIM(demonstrations_survive_any_allocation_that_fails) {
    expect_survival(read_demos, "reading demonstrations");
    expect_survival(read_choices, "reading tables of choices");
    expect_survival(read_packed, "reading gzip");
    expect_survival(save_demos, "drawing, saving and loading demonstrations");
}

CLAIM(priors_survive_any_allocation_that_fails) {
    expect_survival(fit_priors, "priors");
}

CLAIM(samplers_survive_any_allocation_that_fails) {
    expect_survival(make_samplers, "samplers");
}

CLAIM(agents_survive_any_allocation_that_fails) {
    expect_survival(make_agents, "agents");
}

CLAIM(looking_at_a_model_survives_any_allocation_that_fails) {
    expect_survival(look_at_model, "inspection and sensitivity");
}

CLAIM(models_with_segments_survive_any_allocation_that_fails) {
    expect_survival(fit_segments, "segments");
}

CLAIM(a_simulation_on_two_threads_survives_any_allocation_that_fails) {
    expect_survival(simulate, "simulation");
}

CLAIM(agents_act_without_allocating) {
    for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
        counter count = {.fail_at = -1};
        install(&count);
        scene made;
        EXPECT(scene_init(&made, i, NULL) == XP_OK);
        xp_rng rng = xp_rng_seed(8);
        double law[3];
        const long before = count.calls;
        xp__agent_reset(made.agent, &rng);
        for (int step = 0; step < 99; step++) {
            /* Down the left wall of a Deep Sea of 3 × 3, whatever the action. */
            const double state = 3 * (step % 3), next = 3 * ((step + 1) % 3);
            const size_t action = xp__agent_act(made.agent, &rng, &state);
            xp__agent_observe(
                made.agent, &rng,
                &(xp_transition){.state = &state,
                                 .action = action,
                                 .reward = step % 2,
                                 .next_state = &next,
                                 .end = step % 3 == 2 ? XP_TERMINATED : XP_CONTINUES});
        }
        const double start = 0;
        xp__agent_action_law(made.agent, &rng, &start, 10, law);
        if (count.calls != before) {
            printf("  %s\n", xp_catalogue_get(XP_AGENTS, i).name);
        }
        EXPECT(count.calls == before);
        scene_deinit(&made);
        EXPECT(count.live == 0);
        xp__allocator_install(NULL);
    }
}

CLAIM(tasks_and_experts_act_without_allocating) {
    counter count = {.fail_at = -1};
    install(&count);
    xp_rng rng = xp_rng_seed(2);
    xp_env *env = NULL;
    xp_task *task = NULL;
    xp_expert *expert = NULL;
    EXPECT(xp_env_create("bernoulli_bandit", &rng, &env, NULL) == XP_OK);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    const long before = count.calls;
    for (int episode = 0; episode < 100; episode++) {
        xp_task_draw(task, &rng);
        xp_task_reset(task, &rng, NULL);
        (void)xp_task_step(task, &rng, expert_action(expert, &rng, task, NULL), NULL);
    }
    EXPECT(before > 0 && count.calls == before);
    xp_expert_destroy(expert);
    xp_task_destroy(task);
    xp_env_destroy(env);
    EXPECT(count.live == 0);
    xp__allocator_install(NULL);
}
