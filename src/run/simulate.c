/* simulate.c: xp_simulate: agents on tasks of one setting.
 *
 * Problems are taken in batches to bound the memory. A batch has two rounds on the pool: fit every
 * agent's prior on every problem, then run chunks of tasks with the fitted priors shared, an agent
 * made for each chunk. The size of a chunk is a function of the options and chunks are merged in
 * order, so that the bits do not depend on the threads. */
#include "experior/simulate.h"

#include "agent/agent_type.h"
#include "base/bytes/checksum.h"
#include "base/check.h"
#include "base/memory.h"
#include "env/running.h"
#include "base/pool.h"
#include "env/create.h"
#include "expert/expert_type.h"
#include "model/model_type.h"
#include "model/session_type.h"
#include "run/crew/crew.h"
#include "run/model_tasks.h"
#include "run/unit.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { BATCH = 64, CHUNK = 16, MIN_CHUNKS = 32 };
/* Most returns kept: of the chunks of one problem, of a batch. */
static const size_t most_of_chunks = (size_t)1 << 24, most_of_batch = (size_t)1 << 25;

void xp_simulate_options_init(xp_simulate_options *options, size_t size) {
    const xp_simulate_options own = {.size = sizeof own,
                                     .env = "bernoulli_bandit",
                                     .expert = "optimal",
                                     .problems = 16,
                                     .tasks = 128,
                                     .episodes = 1500,
                                     .demonstrations = 1000,
                                     .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

/* One agent on one problem of the batch. */
typedef struct pair {
    xp__fitted fitted;
    pthread_mutex_t lock; /* of its fit, where processes compute together */
    bool is_fitted;
} pair;

typedef struct simulation {
    const xp_simulate_options *options;
    xp__params env, expert;    /* what their specs say */
    xp_env *model_tasks;       /* of options->tasks_from; NULL: there is none */
    char **oracles;            /* agents: specs of those that act from tasks_from; NULL: others */
    size_t chunk, chunks;      /* tasks in a chunk; chunks of a problem */
    size_t batch;              /* most problems at a time */
    uint64_t plan;             /* with peers: what they must agree on */
    size_t threads;            /* as in the options; 1 where the environment allows no more */
    size_t first, count;       /* problems of the batch */
    xp__problem *problems;     /* batch */
    xp_demos **demos;          /* batch */
    pair *pairs;               /* batch × agents */
    xp__tally *tallies;        /* batch × agents × chunks */
    double *returns;           /* batch × agents × chunks × episodes; NULL if not wanted */
    double *seconds;           /* batch × agents × chunks */
    size_t done_before, total; /* units, for the progress */
    xp__tally *sums;           /* agents: means over problems, or over tasks if there is one */
} simulation;

static xp_status check(const xp_simulate_options *options, xp_error *error) {
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"agents", options->agent_count},
                  {"problems", options->problems},
                  {"tasks", options->tasks},
                  {"episodes", options->episodes}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const xp_status status =
            xp__count_check(counts[i].name, counts[i].value, 1, XP__MOST_THINGS, error);
        if (status != XP_OK) {
            return status;
        }
    }
    if (options->demonstrations > XP__MOST_DRAWS) {
        return xp__count_check("demonstrations", (size_t)options->demonstrations, 0, XP__MOST_DRAWS,
                               error);
    }
    for (size_t i = 0; i < options->agent_count; i++) {
        XP__NOT_NULL(options->agents, error);
        XP__NOT_NULL(options->agents[i], error);
    }
    const xp_status status = xp__crew_check(options->peers, error);
    return status == XP_OK ? xp__pool_threads_check(options->threads, error) : status;
}

/* Every spec is checked before any work. */
static xp_status check_agents(const xp_simulate_options *options, const xp_env_info *env,
                              xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < options->agent_count; i++) {
        xp__agent_spec spec;
        status = xp__agent_spec_parse(options->agents[i], env, &spec, error);
    }
    return status;
}

/* Whether an agent of the options is told the distribution over tasks. */
static bool is_oracle(const xp_simulate_options *options, size_t agent) {
    xp__agent_spec spec;
    return xp__agent_spec_parse(options->agents[agent], NULL, &spec, NULL) == XP_OK &&
           xp__agent_find(spec.name, spec.states)->is_oracle;
}

/* Tasks of a model: the environment, and oracles that act from the model itself. */
static xp_status take_tasks_from(simulation *run, xp_simulate_options *options, xp_error *error) {
    const xp_model *model = options->tasks_from;
    if (options->custom_env != NULL) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "custom_env and tasks_from are two sources of tasks; give only one of them");
    }
    xp_status status = xp_env_create_from_model(model, &run->model_tasks, error);
    if (status != XP_OK) {
        return status;
    }
    options->custom_env = run->model_tasks;
    run->oracles = xp__alloc(options->agent_count, sizeof(char *));
    if (run->oracles == NULL) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < options->agent_count; i++) {
        if (is_oracle(options, i)) {
            run->oracles[i] = xp__oracle_spec(model, options->agents[i]);
            if (run->oracles[i] == NULL) {
                return xp__no_memory(error);
            }
        }
    }
    return XP_OK;
}

/* The spec by which an agent acts. */
static const char *spec_of(const simulation *run, size_t agent) {
    return run->oracles != NULL && run->oracles[agent] != NULL ? run->oracles[agent]
                                                               : run->options->agents[agent];
}

/* A model acts in a space like its own. */
static xp_status check_model(const xp_model *model, const xp_env_info *env, xp_error *error) {
    const xp_space space = xp_model_describe(model).space;
    bool same = space.actions == env->actions && space.state_size == env->state_size;
    for (size_t j = 0; same && j < space.state_size; j++) {
        same = space.categories[j] == env->categories[j];
    }
    return same ? XP_OK
                : xp_error_set(error, XP_ERR_INPUT,
                               "the model is for %zu actions and states of %zu numbers; %.80s has "
                               "%zu and %zu, or other categories",
                               space.actions, space.state_size, env->name, env->actions,
                               env->state_size);
}

/* Agents in environments with states may learn for minutes on one task, so there chunks are small
 * as long as there are few. */
static xp_status divide(simulation *run, xp_error *error) {
    const xp_simulate_options *options = run->options;
    xp__problem any;
    xp_status status =
        options->custom_env != NULL
            ? xp__problem_borrow(&any, options->seed, 0, options->custom_env)
            : xp__problem_init(&any, options->seed, 0, run->env.owner, &run->env, error);
    if (status != XP_OK) {
        return status;
    }
    const xp_env_info env = xp_env_describe(any.env);
    const bool has_states = env.state_size > 0;
    status = check_agents(options, &env, error);
    if (status == XP_OK && options->model != NULL) {
        status = check_model(options->model, &env, error);
    }
    run->threads = xp__env_parallel(any.env) ? options->threads : 1;
    xp__problem_deinit(&any);
    if (status != XP_OK) {
        return status;
    }
    const size_t tasks = options->tasks, episodes = options->episodes;
    assert(tasks > 0 && options->agent_count > 0 && episodes > 0 && episodes <= most_of_chunks);
    const size_t few = tasks / MIN_CHUNKS > 1 ? tasks / MIN_CHUNKS : 1;
    const size_t chunk = has_states && few < CHUNK ? few : CHUNK;
    const size_t most_chunks = most_of_chunks / episodes, least = (tasks - 1) / most_chunks + 1;
    run->chunk = chunk > least ? chunk : least;
    run->chunks = (tasks - 1) / run->chunk + 1;
    const size_t kept = options->agent_count * run->chunks * episodes;
    assert(kept > 0);
    const size_t fit = options->returns == NULL ? BATCH : most_of_batch / kept;
    run->batch = fit < 1 ? 1 : fit < BATCH ? fit : BATCH;
    run->batch = run->batch < options->problems ? run->batch : options->problems;
    run->total = options->problems * options->agent_count * (1 + run->chunks);
    return XP_OK;
}

static xp_status allocate(simulation *run, xp_error *error) {
    const xp_simulate_options *options = run->options;
    const size_t pairs = run->batch * options->agent_count, units = pairs * run->chunks;
    run->problems = xp__alloc(run->batch, sizeof *run->problems);
    run->demos = xp__alloc(run->batch, sizeof(xp_demos *));
    run->pairs = xp__alloc(pairs, sizeof *run->pairs);
    run->tallies = xp__alloc(units, sizeof *run->tallies);
    run->seconds = xp__alloc(units, sizeof *run->seconds);
    run->sums = xp__alloc(options->agent_count, sizeof *run->sums);
    if (options->returns != NULL) {
        run->returns = xp__alloc(units, options->episodes * sizeof *run->returns);
    }
    return run->problems != NULL && run->demos != NULL && run->pairs != NULL &&
                   run->tallies != NULL && run->seconds != NULL && run->sums != NULL &&
                   (options->returns == NULL || run->returns != NULL)
               ? XP_OK
               : xp__no_memory(error);
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    (void)finished;
    const simulation *run = context;
    const xp_simulate_options *options = run->options;
    if (options->progress != NULL &&
        options->progress(options->progress_context, run->done_before + done, run->total) != 0) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
    }
    return XP_OK;
}

static xp_status draw_problem(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    (void)pool;
    simulation *run = context;
    const xp_simulate_options *options = run->options;
    xp__problem *problem = &run->problems[unit];
    const xp_status status =
        options->custom_env != NULL
            ? xp__problem_borrow(problem, options->seed, run->first + unit, options->custom_env)
            : xp__problem_init(problem, options->seed, run->first + unit, run->env.owner, &run->env,
                               error);
    if (status != XP_OK || options->model != NULL) {
        return status; /* a model has had its demonstrations */
    }
    return options->custom_expert != NULL
               ? xp__problem_demos_of(problem, options->custom_expert, options->demonstrations,
                                      &run->demos[unit], error)
               : xp__problem_demos(problem, run->expert.owner, &run->expert,
                                   options->demonstrations, &run->demos[unit], error);
}

/* Whether an agent takes what tasks of a model pay; other environments pay 0 and 1, or are the
 * caller's own. */
static xp_status check_pair(const simulation *run, const xp__fitted *fitted, size_t agent,
                            xp_error *error) {
    const char *spec = run->options->agents[agent];
    if (run->options->tasks_from == NULL) {
        return XP_OK;
    }
    xp_session *session = NULL;
    xp_status status = xp__fitted_session(fitted, spec, run->options->episodes, &session, error);
    if (status == XP_OK) {
        status = xp__tasks_check_agent(run->options->tasks_from, session, spec, error);
    }
    xp_session_destroy(session);
    return status;
}

static xp_status fit_pair(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    simulation *run = context;
    const size_t problem = unit / run->options->agent_count;
    const size_t agent = unit % run->options->agent_count;
    if (run->oracles != NULL && run->oracles[agent] != NULL) {
        run->pairs[unit].fitted = (xp__fitted){.model = run->options->tasks_from};
        return XP_OK;
    }
    xp__fitted *fitted = &run->pairs[unit].fitted;
    xp_status status = XP_OK;
    if (run->options->model != NULL) {
        *fitted = (xp__fitted){.model = run->options->model};
    } else {
        status = xp__fitted_init(fitted, run->options->agents[agent], NULL, &run->problems[problem],
                                 run->demos[problem], pool, error);
    }
    return status == XP_OK ? check_pair(run, fitted, agent, error) : status;
}

/* Processes do not share what they fitted: each fits what it needs, when it first needs it. */
static xp_status fit_when_needed(simulation *run, size_t pair_index, const xp__pool *pool,
                                 xp_error *error) {
    pair *self = &run->pairs[pair_index];
    (void)pthread_mutex_lock(&self->lock);
    xp_status status = XP_OK;
    if (!self->is_fitted) {
        status = fit_pair(run, pair_index, pool, error);
        self->is_fitted = status == XP_OK;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return status;
}

static xp_status run_chunk(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    simulation *run = context;
    const xp_simulate_options *options = run->options;
    const size_t pair_index = unit / run->chunks, first = unit % run->chunks * run->chunk;
    if (options->peers != NULL) {
        const xp_status fitted = fit_when_needed(run, pair_index, pool, error);
        if (fitted != XP_OK) {
            return fitted;
        }
    }
    const size_t left = options->tasks - first, count = left < run->chunk ? left : run->chunk;
    const size_t problem = pair_index / options->agent_count;
    run->tallies[unit].returns =
        run->returns != NULL ? run->returns + unit * options->episodes : NULL;
    const xp__shape shape = {.tasks = options->tasks, .episodes = options->episodes};
    const double start = xp__work_clock();
    const xp_status status = xp__fitted_run(
        &run->pairs[pair_index].fitted, spec_of(run, pair_index % options->agent_count),
        &run->problems[problem], &shape, first, count, pool, &run->tallies[unit], error);
    run->seconds[unit] = xp__work_clock() - start;
    return status;
}

/* What a chunk leaves, as bytes: its tally without pointers, its seconds, its returns. */
static size_t chunk_length(void *context, size_t unit) {
    (void)unit;
    const simulation *run = context;
    const size_t returns = run->returns != NULL ? run->options->episodes : 0;
    return sizeof(xp__tally) + sizeof(double) * (1 + returns);
}

static void pack_chunk(void *context, size_t unit, unsigned char *bytes) {
    const simulation *run = context;
    xp__tally tally = run->tallies[unit];
    tally.returns = tally.evaluation = NULL;
    memcpy(bytes, &tally, sizeof tally);
    memcpy(bytes + sizeof tally, &run->seconds[unit], sizeof(double));
    if (run->returns != NULL) {
        memcpy(bytes + sizeof tally + sizeof(double), run->tallies[unit].returns,
               run->options->episodes * sizeof(double));
    }
}

static void unpack_chunk(void *context, size_t unit, const unsigned char *bytes) {
    simulation *run = context;
    memcpy(&run->tallies[unit], bytes, sizeof(xp__tally));
    memcpy(&run->seconds[unit], bytes + sizeof(xp__tally), sizeof(double));
    if (run->returns != NULL) {
        run->tallies[unit].returns = run->returns + unit * run->options->episodes;
        memcpy(run->tallies[unit].returns, bytes + sizeof(xp__tally) + sizeof(double),
               run->options->episodes * sizeof(double));
    }
}

/* Adds what a chunk's episodes returned to the sums in the caller's array. */
static void collect_returns(const simulation *run, size_t agent, const double *returns) {
    double *sum = run->options->returns + agent * run->options->episodes;
    for (size_t t = 0; t < run->options->episodes; t++) {
        sum[t] += returns[t];
    }
}

/* Adds the batch to the results, problem by problem. */
static void collect(simulation *run, xp_simulate_result *results) {
    const size_t agents = run->options->agent_count;
    for (size_t pair_index = 0; pair_index < run->count * agents; pair_index++) {
        xp_simulate_result *result = &results[pair_index % agents];
        xp__tally *sum = &run->sums[pair_index % agents];
        xp__tally whole = {.tasks = 0};
        for (size_t chunk = 0; chunk < run->chunks; chunk++) {
            xp__tally_merge(&whole, &run->tallies[pair_index * run->chunks + chunk]);
            result->seconds += run->seconds[pair_index * run->chunks + chunk];
            if (run->returns != NULL) {
                collect_returns(run, pair_index % agents,
                                run->tallies[pair_index * run->chunks + chunk].returns);
            }
        }
        const double fit = run->pairs[pair_index].fitted.seconds;
        result->fit_seconds += fit;
        result->seconds += fit;
        if (run->options->problems > 1) { /* the problem is the unit of replication */
            whole.over_t /= (double)whole.tasks;
            whole.tasks = 1;
            whole.squares = 0;
        }
        xp__tally_merge(sum, &whole);
    }
}

/* Problems are drawn by every process for itself. Fits are a round of their own in one process
 * alone; processes that share the chunks fit as they go. */
static xp_status run_rounds(simulation *run, xp_error *error) {
    const size_t pairs = run->count * run->options->agent_count;
    xp_peers *peers = run->options->peers;
    const struct {
        xp_status (*run)(void *, size_t, const xp__pool *, xp_error *);
        size_t units;
        bool told;   /* counts in the progress */
        bool shared; /* with the other processes */
        bool wanted;
    } rounds[] = {{draw_problem, run->count, false, false, true},
                  {fit_pair, pairs, true, false, peers == NULL},
                  {run_chunk, pairs * run->chunks, true, true, true}};
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < sizeof rounds / sizeof rounds[0]; i++) {
        const xp__crew_job job = {.units = rounds[i].units,
                                  .threads = run->threads,
                                  .peers = rounds[i].shared ? peers : NULL,
                                  .plan = run->plan,
                                  .run = rounds[i].run,
                                  .tick = rounds[i].told ? tick : NULL,
                                  .length = chunk_length,
                                  .pack = pack_chunk,
                                  .unpack = unpack_chunk,
                                  .context = run};
        if (rounds[i].wanted) {
            status = xp__crew_run(&job, error);
        }
        if (status != XP_OK && !rounds[i].shared) {
            xp__crew_fail(peers, error);
        }
        run->done_before += rounds[i].told ? rounds[i].units : 0;
    }
    return status;
}

static xp_status run_batch(simulation *run, xp_simulate_result *results, xp_error *error) {
    const size_t pairs = run->count * run->options->agent_count;
    for (size_t i = 0; i < pairs; i++) {
        run->pairs[i] = (pair){.is_fitted = false};
        (void)pthread_mutex_init(&run->pairs[i].lock, NULL);
    }
    const xp_status status = run_rounds(run, error);
    if (status == XP_OK && xp__crew_leads(run->options->peers)) {
        collect(run, results);
    }
    for (size_t i = 0; i < pairs; i++) {
        xp__fitted_deinit(&run->pairs[i].fitted);
        (void)pthread_mutex_destroy(&run->pairs[i].lock);
    }
    for (size_t i = 0; i < run->count; i++) {
        xp_demos_destroy(run->demos[i]);
        run->demos[i] = NULL;
        xp__problem_deinit(&run->problems[i]);
    }
    return status;
}

static uint64_t add_text(uint64_t sum, const char *text) {
    return text != NULL ? xp__checksum(sum, text, strlen(text) + 1) : sum;
}

/* What all processes must agree on. What is the caller's own cannot be looked into. */
static xp_status make_plan(simulation *run, xp_error *error) {
    const xp_simulate_options *o = run->options;
    uint64_t models[2];
    xp_status status = xp__model_fingerprint(o->model, &models[0], error);
    if (status == XP_OK) {
        status = xp__model_fingerprint(o->tasks_from, &models[1], error);
    }
    if (status != XP_OK) {
        return status;
    }
    const uint64_t counts[] = {o->agent_count,    o->problems, o->tasks,  o->episodes,
                               o->demonstrations, o->seed,     models[0], models[1]};
    run->plan = xp__checksum(XP__CHECKSUM_START, counts, sizeof counts);
    run->plan = add_text(add_text(run->plan, o->env), o->expert);
    for (size_t i = 0; i < o->agent_count; i++) {
        run->plan = add_text(run->plan, o->agents[i]);
    }
    return XP_OK;
}

static void clear(const xp_simulate_options *options, xp_simulate_result *results) {
    for (size_t i = 0; i < options->agent_count; i++) {
        results[i] = (xp_simulate_result){.regret = 0};
    }
    for (size_t i = 0; options->returns != NULL && i < options->agent_count * options->episodes;
         i++) {
        options->returns[i] = 0;
    }
}

/* Makes results of the sums over all batches. */
static void conclude(const simulation *run, xp_simulate_result *results) {
    const xp_simulate_options *options = run->options;
    for (size_t i = 0; i < options->agent_count; i++) {
        const xp__tally *sum = &run->sums[i];
        results[i].regret = sum->mean;
        results[i].regret_se = xp__tally_se(sum);
        results[i].regret_mean_over_episodes = sum->over_t / (double)sum->tasks;
        results[i].agent_steps = sum->steps;
    }
    const double tasks = (double)options->problems * (double)options->tasks;
    for (size_t i = 0; options->returns != NULL && i < options->agent_count * options->episodes;
         i++) {
        options->returns[i] /= tasks;
    }
}

xp_status xp_simulate(const xp_simulate_options *options, xp_simulate_result *results,
                      xp_error *error) {
    XP__NOT_NULL(options, error);
    XP__NOT_NULL(results, error);
    xp_simulate_options chosen = xp_simulate_options_default();
    xp_error own = {.status = XP_OK}; /* the other processes are told, even if the caller is not */
    error = error != NULL ? error : &own;
    simulation run = {.options = &chosen};
    xp_status status =
        xp__options_take(&chosen, sizeof chosen, options, "xp_simulate_options", error);
    options = &chosen;
    if (status == XP_OK) {
        status = check(options, error);
    }
    if (status == XP_OK && options->tasks_from != NULL) {
        status = take_tasks_from(&run, &chosen, error);
    }
    if (status == XP_OK && options->custom_env == NULL) {
        status = xp__env_params_read(options->env, &run.env, error);
    }
    if (status == XP_OK && options->custom_expert == NULL && options->model == NULL) {
        status = xp__expert_params_read(options->expert, &run.expert, error);
    }
    if (status == XP_OK) {
        clear(options, results);
        status = divide(&run, error);
    }
    if (status == XP_OK) {
        status = allocate(&run, error);
    }
    if (status == XP_OK && options->peers != NULL) {
        status = make_plan(&run, error);
    }
    if (status != XP_OK) {
        xp_peers_fail(options->peers, error); /* the others may have had the memory */
    }
    for (run.first = 0; status == XP_OK && run.first < options->problems; run.first += run.count) {
        const size_t left = options->problems - run.first;
        run.count = left < run.batch ? left : run.batch;
        status = run_batch(&run, results, error);
    }
    if (status == XP_OK && xp__crew_leads(options->peers)) {
        conclude(&run, results);
    }
    xp__free(run.problems);
    xp__free(run.demos);
    xp__free(run.pairs);
    xp__free(run.tallies);
    xp__free(run.returns);
    xp__free(run.seconds);
    xp__free(run.sums);
    for (size_t i = 0; run.oracles != NULL && i < options->agent_count; i++) {
        xp__free(run.oracles[i]);
    }
    xp__free(run.oracles);
    xp_env_destroy(run.model_tasks);
    return status;
}
