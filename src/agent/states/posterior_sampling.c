/* posterior_sampling.c: Algorithm 1 as written, exactly, where the contexts can be listed.
 *
 * (a) The prior is the maximum-entropy expert prior (Proposition 1) over the listed contexts, with
 * each demonstration's likelihood computed for every context; (b) after every episode the posterior
 * of each context is known exactly; (c) for an episode one context is drawn from it and the best
 * policy for that context acts.
 *
 * The agent plans in the environment's model of a *listed* context (env/contexts.h). Of the task it
 * sees transitions, like every agent.
 *
 * Invariants: a context is drawn once an episode, before its first action; log_likelihood is that
 * of all steps since reset. If no listed context explains them the prior is drawn from. */
#include "agent/agent_type.h"

#include "base/memory.h"
#include "env/contexts.h"
#include "math/argmax.h"
#include "math/softmax.h"
#include "prior/states/enumerated.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TIES_UNIFORM, TIES_FIRST };

typedef struct posterior_sampling {
    xp__agent agent;
    xp__contexts *contexts;
    double tolerance;
    bool begun, planned;                         /* the episode; its context has been drawn */
    size_t drawn;                                /* that context */
    size_t told;                                 /* policy last asked for that is still planned */
    double *log_prior, *log_likelihood, *weight; /* a context each */
    double *q;                                   /* an action each */
    double room[];
} posterior_sampling;

static const xp_param params[] = {
    XP__REAL("beta", "competence of the experts; inf: they act optimally", 0, INFINITY, INFINITY),
    {.name = "ties",
     .summary = "what optimal experts do between equally good actions: any of them, or the first",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = TIES_UNIFORM,
     .choices = "uniform|first"},
    XP__REAL("lambda",
             "weight of the demonstrations against the uniform prior; inf: as much as they say", 0,
             INFINITY, INFINITY),
    XP__REAL("smoothing", "demonstrations by which every context counts as shown beforehand", 0.001,
             1000, 0.5),
    XP__REAL("tolerance",
             "a context whose reward differs by more from the one received is ruled out", 0,
             INFINITY, 1e-9),
};

static size_t size(const xp__agent_setup *setup) {
    return sizeof(posterior_sampling) + (3 * setup->env.contexts + setup->actions) * sizeof(double);
}

/* Assumption 1: P(a | s; c) ∝ exp(beta Q*_c(s, a)); its limit is uniform on the best actions. */
static double log_choice(const void *expert, const double *q, size_t actions, size_t action) {
    const xp__params *values = expert;
    const double beta = xp__params_get(values, "beta");
    const size_t first = xp__argmax(q, actions);
    if (isinf(beta) && xp__params_get(values, "ties") == TIES_FIRST) {
        return action == first ? 0 : -INFINITY;
    }
    double sum = 0;
    for (size_t i = 0; i < actions; i++) {
        sum += isinf(beta) ? (q[i] == q[first] ? 1.0 : 0.0) : exp(beta * (q[i] - q[first]));
    }
    const double below =
        isinf(beta) ? (q[action] == q[first] ? 0.0 : -INFINITY) : beta * (q[action] - q[first]);
    return below - log(sum);
}

/* The numbers of a state are whole and in range: files may hold anything. */
static xp_status check_demos(const xp__agent *agent, xp_error *error) {
    const xp_demos *demos = agent->setup.demos;
    const xp_env_info *env = &agent->setup.env;
    if (xp_demos_state_size(demos) != env->state_size) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have states of %zu numbers but those of %s have %zu",
                            xp_demos_state_size(demos), env->name, env->state_size);
    }
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory shown = xp_demos_trajectory(demos, i);
        for (size_t j = 0; j < shown.length * env->state_size; j++) {
            const size_t number = j % env->state_size;
            const double x = shown.states[j], least = number == 0 ? 0 : -1;
            const size_t values = env->categories[number];
            if (values > 0 && !(x >= least && x < (double)values && floor(x) == x)) {
                return xp_error_set(error, XP_ERR_INPUT,
                                    "distinct demonstration %zu, step %zu: state number %zu is "
                                    "%.10g; in %s it is a whole number from %.0f to %zu",
                                    i, j / env->state_size, number, x, env->name, least,
                                    values - 1);
            }
        }
    }
    return XP_OK;
}

/* Turns log m(c) of a trajectory into m(c) with its largest value 1; false if all are 0. */
static bool normalise(double *row, size_t contexts) {
    return xp__exponentiate(row, contexts, NULL) > 0;
}

static xp_status fit_rows(posterior_sampling *self, double *rows, double *counts, size_t distinct,
                          xp_error *error) {
    const size_t contexts = xp__contexts_count(self->contexts);
    for (size_t i = 0; i < distinct; i++) {
        if (!normalise(rows + i * contexts, contexts)) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "no context of %s explains distinct demonstration %zu as a whole "
                                "episode of an expert with beta = %g%s",
                                self->agent.setup.env.name, i,
                                xp__params_get(&self->agent.params, "beta"),
                                isinf(xp__params_get(&self->agent.params, "beta"))
                                    ? ": give a finite beta if the experts err"
                                    : "");
        }
    }
    const xp__enumerated problem = {.contexts = contexts,
                                    .trajectories = distinct,
                                    .likelihood = rows,
                                    .count = counts,
                                    .smoothing = xp__params_get(&self->agent.params, "smoothing"),
                                    .lambda = xp__params_get(&self->agent.params, "lambda")};
    xp__enumerated_result result;
    const xp_status status = xp__enumerated_fit(&problem, self->weight, &result, error);
    for (size_t c = 0; status == XP_OK && c < contexts; c++) {
        self->log_prior[c] = log(self->weight[c]);
    }
    return status;
}

static xp_status fit(posterior_sampling *self, xp_error *error) {
    const xp_demos *demos = self->agent.setup.demos;
    const size_t distinct = xp_demos_distinct(demos), contexts = xp__contexts_count(self->contexts);
    xp__shown *shown = xp__alloc(distinct, sizeof *shown);
    double *counts = xp__alloc(distinct, sizeof *counts);
    double *rows = xp__alloc(distinct, contexts * sizeof *rows);
    xp_status status = XP_OK;
    if (shown == NULL || counts == NULL || rows == NULL) {
        status = xp__no_memory(error);
    } else {
        for (size_t i = 0; i < distinct; i++) {
            const xp_trajectory each = xp_demos_trajectory(demos, i);
            shown[i] = (xp__shown){each.states, each.actions, each.length};
            counts[i] = (double)each.count;
        }
        xp__contexts_likelihood(self->contexts, shown, distinct, log_choice, &self->agent.params,
                                rows);
        status = fit_rows(self, rows, counts, distinct, error);
    }
    xp__free(shown);
    xp__free(counts);
    xp__free(rows);
    return status;
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    posterior_sampling *self = (posterior_sampling *)agent;
    const size_t contexts = agent->setup.env.contexts;
    self->log_prior = self->room;
    self->log_likelihood = self->room + contexts;
    self->weight = self->room + 2 * contexts;
    self->q = self->room + 3 * contexts;
    self->tolerance = xp__params_get(&agent->params, "tolerance");
    xp_status status = check_demos(agent, error);
    if (status == XP_OK) {
        status = xp__contexts_create(agent->setup.model, &self->contexts, error);
    }
    return status == XP_OK ? fit(self, error) : status;
}

static void deinit(xp__agent *agent) {
    xp__contexts_destroy(((posterior_sampling *)agent)->contexts);
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)rng;
    posterior_sampling *self = (posterior_sampling *)agent;
    self->told = xp__contexts_count(self->contexts);
    self->begun = false;
    self->planned = false;
    memset(self->log_likelihood, 0, xp__contexts_count(self->contexts) * sizeof(double));
}

/* Weights proportional to the posterior, the largest 1; returns their sum. */
static double weigh(posterior_sampling *self) {
    const size_t contexts = xp__contexts_count(self->contexts);
    for (size_t c = 0; c < contexts; c++) {
        self->weight[c] = self->log_prior[c] + self->log_likelihood[c];
    }
    double sum = xp__exponentiate(self->weight, contexts, NULL);
    if (sum == 0) { /* nothing explains what was seen */
        for (size_t c = 0; c < contexts; c++) {
            self->weight[c] = exp(self->log_prior[c]);
            sum += self->weight[c];
        }
    }
    return sum;
}

static size_t draw_context(posterior_sampling *self, xp_rng *rng) {
    const size_t contexts = xp__contexts_count(self->contexts);
    double left = weigh(self) * xp_rng_uniform(rng);
    size_t drawn = 0;
    for (size_t c = 0; c < contexts; c++) {
        if (self->weight[c] > 0) { /* rounding must not lead past the last possible one */
            drawn = c;
            if (left < self->weight[c]) {
                break;
            }
            left -= self->weight[c];
        }
    }
    return drawn;
}

/* An episode starts, if none is under way. */
static void open_episode(posterior_sampling *self) {
    if (!self->begun) {
        xp__contexts_begin(self->contexts);
        self->begun = true;
    }
}

/* Draws the context whose policy acts in the episode under way. */
static void draw_policy(posterior_sampling *self, xp_rng *rng) {
    self->drawn = draw_context(self, rng);
    self->planned = true;
    self->told = xp__contexts_count(self->contexts);
    xp__contexts_plan(self->contexts, self->drawn);
}

static void begin(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    posterior_sampling *self = (posterior_sampling *)agent;
    self->begun = false;
    open_episode(self);
    draw_policy(self, rng);
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    posterior_sampling *self = (posterior_sampling *)agent;
    open_episode(self);
    if (!self->planned) {
        draw_policy(self, rng);
    }
    xp__contexts_values(self->contexts, state, self->q);
    return xp__argmax(self->q, agent->setup.actions);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    posterior_sampling *self = (posterior_sampling *)agent;
    open_episode(self);
    const xp__seen seen = {.state = transition->state,
                           .action = transition->action,
                           .reward = transition->reward,
                           .next_state = transition->next_state,
                           .done = transition->end == XP_TERMINATED};
    xp__contexts_observe(self->contexts, &seen, self->tolerance, self->log_likelihood);
    if (transition->end != XP_CONTINUES) {
        self->begun = false;
        self->planned = false;
    }
}

/* A likelihood is at most 1, but rounding and densities may be above it. */
static void archive(xp__agent *agent, xp__archive *archive) {
    posterior_sampling *self = (posterior_sampling *)agent;
    const size_t contexts = xp__contexts_count(self->contexts);
    xp__archive_within(archive, self->log_likelihood, contexts, -INFINITY, DBL_MAX);
    xp__archive_bool(archive, &self->begun);
    if (self->begun) {
        xp__contexts_archive(self->contexts, archive);
    }
    xp__archive_bool(archive, &self->planned);
    xp__archive_check(archive, self->begun || !self->planned,
                      "a context has been drawn for an episode that has not begun");
    if (self->planned) {
        xp__archive_size(archive, &self->drawn, contexts - 1);
    }
    if (xp__archive_reading(archive)) {
        self->told = contexts;
        if (self->planned) {
            xp__contexts_plan(self->contexts, self->drawn);
        }
    }
}

/* Nothing moves: who plans later plans anew, and an episode that has not begun will. */
static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    (void)draws;
    posterior_sampling *self = (posterior_sampling *)agent;
    const size_t actions = agent->setup.actions;
    memset(probability, 0, actions * sizeof *probability);
    if (self->planned) {
        probability[act(agent, rng, state)] = 1;
        return 0;
    }
    if (!self->begun) {
        xp__contexts_begin(self->contexts);
    }
    self->told = xp__contexts_count(self->contexts);
    const double sum = weigh(self);
    for (size_t c = 0; c < xp__contexts_count(self->contexts); c++) {
        if (self->weight[c] > 0) {
            xp__contexts_plan(self->contexts, c);
            xp__contexts_values(self->contexts, state, self->q);
            probability[xp__argmax(self->q, actions)] += self->weight[c] / sum;
        }
    }
    return 0;
}

/* A policy is the best one for a context. Asked between episodes only: what an episode has shown is
 * forgotten. */
static size_t policies(xp__agent *agent, double *weight) {
    posterior_sampling *self = (posterior_sampling *)agent;
    const size_t contexts = xp__contexts_count(self->contexts);
    const double sum = weigh(self);
    for (size_t c = 0; weight != NULL && c < contexts; c++) {
        weight[c] = self->weight[c] / sum;
    }
    self->told = contexts;
    return contexts;
}

static size_t acted(const xp__agent *agent) {
    return ((const posterior_sampling *)agent)->drawn;
}

static size_t policy_action(xp__agent *agent, size_t policy, const double *state) {
    posterior_sampling *self = (posterior_sampling *)agent;
    if (self->told != policy || self->begun) {
        self->begun = false;
        self->planned = false;
        xp__contexts_begin(self->contexts);
        xp__contexts_plan(self->contexts, policy);
        self->told = policy;
    }
    xp__contexts_values(self->contexts, state, self->q);
    return xp__argmax(self->q, agent->setup.actions);
}

const xp__agent_type xp__agent_posterior_sampling = {
    .name = "posterior_sampling",
    .summary = "exact posterior sampling over listed contexts, from the maximum-entropy expert "
               "prior (Algorithm 1)",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .needs_demos = true,
    .has_states = true,
    .needs_contexts = true,
    .size = size,
    .init = init,
    .deinit = deinit,
    .reset = reset,
    .begin = begin,
    .act = act,
    .observe = observe,
    .action_law = action_law,
    .policies = policies,
    .policy_action = policy_action,
    .acted = acted,
    .archive = archive,
};
