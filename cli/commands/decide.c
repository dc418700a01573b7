/* decide.c: experior decide: what to do next, given a model and what happened so far.
 *
 * Posterior sampling (Algorithm 1 of the paper) takes an action with the posterior probability that
 * it is the best one. That law is printed; with --draw or --seed one action is drawn from it.
 *
 * The stream of the drawn action is named by the seed and by every observation so far. A loop that
 * gives the same seed in each round therefore draws anew in each: with a stream of the seed alone
 * every round would use the same quantile of its law, and that is not posterior sampling.
 *
 * With --state the session is kept in a file (experior/decisions.h): a drawn action gets a number,
 * by which 'experior observe' gives its reward. Nothing is printed before it is on the disk. */
#include "json.h"
#include "model.h"
#include "options.h"
#include "output.h"
#include "segments/segments.h"
#include "state.h"

#include "experior/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct decision {
    const xp_model *model;
    const char *segment; /* that was typed, or NULL */
    xp_session *session;
    xp_session_info info; /* of the session, or of the one that is kept */
    char *agent;          /* the text in `info`, where it is kept */
    size_t actions;
    double *state; /* NULL in a bandit */
    double *probability;
    size_t draws; /* behind the probabilities; 0: computed */
    size_t observations;
    bool drawn;
    size_t action; /* drawn */
    uint64_t seed; /* of the draw */
    xp_rng luck;   /* of the draw: named by the seed and the history */
    /* With --state. */
    bool kept;
    xp_decision *decisions; /* drawn: `count` of them */
    size_t count;
    bool listed; /* --count was typed: all of them are printed */
    size_t pending;
} decision;

/* The typed seed, or a fresh one. */
static bool choose_seed(const cli_arguments *arguments, uint64_t *seed) {
    if (cli_was_given(arguments, "seed")) {
        *seed = cli_integer(arguments, "seed");
        return true;
    }
    return cli_fresh_seed(seed);
}

/* Tells the session what a file says that happened. */
static int replay(decision *self, const char *path) {
    const xp_space space = xp_model_describe(self->model).space;
    if (space.state_size > 0) {
        cli_complain("a history is a table of actions and rewards, for bandits; the learner of a "
                     "task with states is kept as a session (see docs/session.md)");
        return CLI_BAD;
    }
    const char *rewards = xp_session_describe(self->session).rewards;
    const bool binary = rewards != NULL && strcmp(rewards, "bernoulli") == 0;
    xp_history *history = NULL;
    xp_error error;
    xp_status status = xp_history_load(path, space.actions, space.action_names, &history, &error);
    if (status == XP_OK && xp_history_summed(history) && rewards != NULL &&
        strncmp(rewards, "gaussian", 8) == 0) {
        status = xp_error_set(&error, XP_ERR_INPUT,
                              "%s: a sum does not tell how rewards spread, which gaussian rewards "
                              "need; give each reward",
                              path);
    }
    self->observations = status == XP_OK ? xp_history_count(history) : 0;
    for (size_t i = 0; status == XP_OK && i < self->observations; i++) {
        const xp_transition seen = {.action = xp_history_action(history, i),
                                    .reward = xp_history_reward(history, i),
                                    .end = XP_TERMINATED};
        status = xp_session_observe(self->session, &seen, &error);
        if (status != XP_OK) {
            xp_error known; /* which names the line */
            if (binary && xp_history_require_binary(history, &known) != XP_OK) {
                error = known;
            } else {
                known = error;
                (void)xp_error_set(&error, status, "%s: decision %zu: %s", path, i + 1,
                                   known.message);
            }
        }
        self->luck =
            xp_rng_fork(&self->luck, 2 * (uint64_t)seen.action + (seen.reward == 1 ? 1 : 0));
        if (seen.reward != 0 && seen.reward != 1) {
            uint64_t bits;
            memcpy(&bits, &seen.reward, sizeof bits);
            self->luck = xp_rng_fork(&self->luck, bits);
        }
    }
    xp_history_destroy(history);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

/* Numbers of --observation '[1, 2.5]' or '3' into the state. */
static int read_observation(const cli_arguments *arguments, decision *self) {
    const size_t numbers = xp_model_describe(self->model).space.state_size;
    const char *text = cli_text(arguments, "observation");
    if ((text != NULL) != (numbers > 0)) {
        cli_complain(numbers > 0 ? "the model has states of %zu numbers: give the present one with "
                                   "--observation '[...]'"
                                 : "the model is a bandit's: it has no state to give",
                     numbers);
        return CLI_BAD;
    }
    if (numbers == 0) {
        return CLI_DONE;
    }
    self->state = cli_alloc(numbers, sizeof *self->state);
    size_t count = 0;
    const char *at = text + strspn(text, " [");
    while (*at != '\0' && *at != ']') {
        char *end;
        const double value = strtod(at, &end);
        if (end == at) {
            break;
        }
        if (count < numbers) {
            self->state[count] = value;
        }
        count++;
        at = end + strspn(end, " ,");
    }
    at += strspn(at, " ]");
    if (*at != '\0' || count != numbers) {
        cli_complain("--observation = '%.80s' is not a list of %zu number%s like [1, 0.5]", text,
                     numbers, numbers == 1 ? "" : "s");
        return CLI_BAD;
    }
    return CLI_DONE;
}

static int decide(const cli_arguments *arguments, decision *self) {
    self->drawn = cli_flag(arguments, "draw") || cli_was_given(arguments, "seed");
    self->seed = 1; /* without a draw the law of a chain still needs numbers */
    if (self->drawn && !choose_seed(arguments, &self->seed)) {
        return CLI_BAD;
    }
    const xp_rng root = xp_rng_seed(self->seed), law = xp_rng_fork(&root, 0);
    self->luck = xp_rng_fork(&root, 1);
    xp_session_options options = xp_session_options_default();
    char *spec = cli_agent_spec(arguments, xp_model_describe(self->model).agent, NULL);
    options.agent = spec;
    options.rng = &law;
    xp_error error;
    const xp_status made = xp_session_create(self->model, &options, &self->session, &error);
    free(spec);
    if (made != XP_OK) {
        return cli_failed(&error);
    }
    self->info = xp_session_describe(self->session);
    int code = read_observation(arguments, self);
    if (code == CLI_DONE && cli_text(arguments, "history") != NULL) {
        code = replay(self, cli_text(arguments, "history"));
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (xp_session_law(self->session, self->state, cli_integer(arguments, "draws"),
                       self->probability, &self->draws, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (self->drawn) {
        self->action = xp_rng_categorical(&self->luck, self->probability, self->actions);
    }
    return CLI_DONE;
}

/* What cannot be said together with --state. */
static int check_kept(const cli_arguments *arguments) {
    if (cli_was_given(arguments, "history")) {
        cli_complain("--state and --history are two ways to keep what happened; give one of them");
        return CLI_BAD;
    }
    if (cli_was_given(arguments, "observation")) {
        cli_complain("--state keeps decisions of bandits, which have no --observation; the learner "
                     "of a task with states is kept as a session (see docs/session.md)");
        return CLI_BAD;
    }
    if (cli_was_given(arguments, "seed") && !cli_flag(arguments, "draw")) {
        cli_complain("--seed is for the draws of a new state: give --draw as well");
        return CLI_BAD;
    }
    return CLI_DONE;
}

/* How the state is opened: only to be read unless something is drawn. `agent` is for free(). */
static bool kept_options(const cli_arguments *arguments, const decision *self,
                         xp_decisions_options *options, char **agent) {
    *options = xp_decisions_options_default();
    *agent = cli_agent_spec(arguments, xp_model_describe(self->model).agent, NULL);
    const bool typed = strcmp(*agent, xp_model_describe(self->model).agent) != 0;
    options->agent = typed ? *agent : NULL;
    options->read_only = !self->drawn;
    options->same_seed = cli_was_given(arguments, "seed");
    return !self->drawn || choose_seed(arguments, &options->seed);
}

/* Law and draws of an open state, saved. */
static int decide_open(const cli_arguments *arguments, decision *self, xp_decisions *state) {
    xp_error error;
    if (xp_decisions_segment(state, self->segment, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (xp_decisions_law(state, cli_integer(arguments, "draws"), self->probability, &self->draws,
                         &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (self->drawn) {
        self->count = cli_integer(arguments, "count");
        self->decisions = cli_alloc(self->count, sizeof *self->decisions);
        if (xp_decisions_draw(state, self->probability, cli_now(), self->count, self->decisions,
                              &error) != XP_OK ||
            xp_decisions_save(state, &error) != XP_OK) {
            return cli_failed(&error);
        }
        self->action = self->decisions[0].action;
    }
    const xp_decisions_info info = xp_decisions_describe(state);
    self->info = info.session;
    self->agent = cli_alloc(strlen(info.session.agent) + 1, 1);
    self->info.agent = strcpy(self->agent, info.session.agent);
    self->observations = info.session.observations;
    self->pending = info.pending;
    self->seed = info.seed;
    if (info.created && self->drawn) {
        (void)fprintf(stderr, "experior: %s is new, with seed %llu\n", cli_text(arguments, "state"),
                      (unsigned long long)info.seed);
    }
    return CLI_DONE;
}

/* The state is closed before anything is printed: who reads slowly keeps nobody waiting. */
static int decide_kept(const cli_arguments *arguments, decision *self) {
    self->kept = true;
    self->drawn = cli_flag(arguments, "draw");
    self->listed = cli_was_given(arguments, "count");
    xp_decisions_options options;
    char *agent = NULL;
    xp_decisions *state = NULL;
    int code = check_kept(arguments);
    if (code == CLI_DONE && !kept_options(arguments, self, &options, &agent)) {
        code = CLI_BAD;
    }
    if (code == CLI_DONE) {
        code = cli_state_open(arguments, self->model, &options, &state);
    }
    if (code == CLI_DONE) {
        code = decide_open(arguments, self, state);
    }
    xp_decisions_close(state);
    free(agent);
    return code;
}

static void json_decision(cli_json *json, const decision *self, size_t index) {
    char label[32];
    const xp_decision *one = &self->decisions[index];
    cli_json_object(json, NULL);
    cli_json_integer(json, "decision_id", one->id);
    cli_json_text(json, "action", cli_model_label(self->model, one->action, label));
    cli_json_integer(json, "action_index", one->action);
    cli_json_number(json, "probability", one->probability);
    cli_json_end(json);
}

static void print_json(const decision *self) {
    char label[32];
    const xp_session_info info = self->info;
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_array(&json, "actions");
    for (size_t action = 0; action < self->actions; action++) {
        cli_json_text(&json, NULL, cli_model_label(self->model, action, label));
    }
    cli_json_end(&json);
    cli_json_numbers(&json, "probabilities", self->probability, self->actions);
    if (self->listed) {
        cli_json_array(&json, "decisions");
        for (size_t i = 0; i < self->count; i++) {
            json_decision(&json, self, i);
        }
        cli_json_end(&json);
    }
    if (self->kept && self->drawn) {
        cli_json_integer(&json, "decision_id", self->decisions[0].id);
    }
    if (self->drawn) {
        cli_json_text(&json, "action", cli_model_label(self->model, self->action, label));
        cli_json_integer(&json, "action_index", self->action);
        cli_json_number(&json, "probability", self->probability[self->action]);
        cli_json_integer(&json, "seed", self->seed);
    }
    if (self->segment != NULL) {
        cli_json_text(&json, "segment", self->segment);
    }
    cli_json_text(&json, "agent", self->info.agent);
    cli_json_text(&json, "sampler", info.sampler);
    cli_json_text(&json, "kind", info.kind);
    cli_json_integer(&json, "draws", self->draws);
    cli_json_integer(&json, "observations", self->observations);
    cli_json_text(&json, "rewards", info.rewards);
    if (self->kept) {
        cli_json_integer(&json, "pending", self->pending);
    }
    cli_json_end(&json);
}

/* Drawn actions, one line each. */
static void print_drawn(const decision *self) {
    char number[32], label[CLI_LABEL_SHOWN];
    for (size_t i = 0; self->kept && i < self->count; i++) {
        const xp_decision *one = &self->decisions[i];
        (void)cli_label_shown(cli_model_label(self->model, one->action, number), label);
        (void)printf("decision %llu: %s, of probability %.4f\n", (unsigned long long)one->id, label,
                     one->probability);
    }
    if (!self->kept) {
        (void)cli_label_shown(cli_model_label(self->model, self->action, number), label);
        (void)printf("action: %s, of probability %.4f, drawn with seed %llu\n", label,
                     self->probability[self->action], (unsigned long long)self->seed);
    }
}

static void print_text(const decision *self) {
    enum { WIDTH = 32 };
    double largest = 0;
    for (size_t action = 0; action < self->actions; action++) {
        largest = fmax(largest, self->probability[action]);
    }
    char number[32], label[CLI_LABEL_SHOWN];
    cli_table table = cli_table_start("lrl", "action\tprobability\tto scale");
    for (size_t action = 0; action < self->actions; action++) {
        char bar[3 * WIDTH + 1];
        (void)cli_label_shown(cli_model_label(self->model, action, number), label);
        cli_table_add(&table, "%s\t%.4f\t%s", label, self->probability[action],
                      cli_bar(bar, WIDTH, self->probability[action] / largest));
    }
    cli_table_print(&table);
    const xp_session_info info = self->info;
    if (self->kept) {
        (void)printf("after %zu observation%s, %zu decision%s pending; ", self->observations,
                     self->observations == 1 ? "" : "s", self->pending,
                     self->pending == 1 ? "" : "s");
    } else if (self->state == NULL) {
        const bool plain = info.rewards == NULL || strcmp(info.rewards, "bernoulli") == 0;
        (void)printf("after %zu observation%s%s%s%s; ", self->observations,
                     self->observations == 1 ? "" : "s", plain ? "" : " of ",
                     plain ? "" : info.rewards, plain ? "" : " rewards");
    }
    (void)printf("%s %s, ", info.sampler != NULL ? "sampler" : "agent",
                 info.sampler != NULL ? info.sampler : info.agent);
    static const struct {
        const char *kind, *words;
    } kinds[] = {{"independent draws", "independent draws"},
                 {"Markov chain", "draws of a Markov chain (exact in the limit)"},
                 {"approximate chain", "draws of an approximate chain"}};
    const char *words = "draws";
    for (size_t i = 0; info.kind != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        words = strcmp(info.kind, kinds[i].kind) == 0 ? kinds[i].words : words;
    }
    if (self->draws == 0) {
        (void)printf("computed\n");
    } else {
        (void)printf("%zu %s\n", self->draws, words);
    }
    if (self->drawn) {
        print_drawn(self);
    }
}

/* What needs --state. */
static int check_state_options(const cli_arguments *arguments) {
    if (cli_was_given(arguments, "count") &&
        (cli_text(arguments, "state") == NULL || !cli_flag(arguments, "draw"))) {
        cli_complain("--count is for decisions that are drawn and kept: give --state and --draw");
        return CLI_BAD;
    }
    return CLI_DONE;
}

static int run(const cli_arguments *arguments) {
    xp_model *model = NULL;
    int code = cli_model_load(arguments, &model);
    if (code == CLI_DONE) {
        decision self = {.model = model,
                         .segment = cli_text(arguments, "segment"),
                         .actions = xp_model_describe(model).space.actions};
        self.probability = cli_alloc(self.actions, sizeof *self.probability);
        code = check_state_options(arguments);
        if (code == CLI_DONE) {
            code = cli_text(arguments, "state") != NULL ? decide_kept(arguments, &self)
                                                        : decide(arguments, &self);
        }
        if (code == CLI_DONE && cli_flag(arguments, "json")) {
            print_json(&self);
        } else if (code == CLI_DONE) {
            print_text(&self);
        }
        xp_session_destroy(self.session);
        free(self.probability);
        free(self.state);
        free(self.decisions);
        free(self.agent);
    }
    xp_model_destroy(model);
    return code;
}

const cli_command cli_command_decide = {
    .name = "decide",
    .order = 5,
    .summary = "the probability of each action, given a model and a history",
    .description =
        "Prints the probability with which the model's agent takes each action next. "
        "For a bandit this is the posterior probability that the action is the best "
        "one, after the rewards of a history; with states, it is for the given state at "
        "the start of an episode. With --draw it also draws the action. A draw is a function of "
        "seed, model and history: parallel tasks that share a seed draw the same action as long "
        "as their histories are the same, so leave --seed out there. With --state, what was "
        "learned is kept in a file: --draw then records a decision, whose number 'experior "
        "observe' takes with its reward; without --draw the file is only read.",
    .positionals = {{.name = "MODEL",
                     .required = true,
                     .summary = "model file made by 'experior fit'"}},
    .options =
        {CLI_OPTION_HISTORY,
         CLI_OPTION_STATE,
         CLI_OPTION_SEGMENT,
         {.name = "observation",
          .kind = CLI_TEXT,
          .value = "LIST",
          .summary = "the state, for a model with states: its numbers, as in '[3, 0.5]'"},
         CLI_OPTION_SAMPLER,
         {.name = "draws",
          .kind = CLI_INTEGER,
          .value = "N",
          .standard = "10000",
          .low = 1,
          .high = 1e9,
          .summary =
              "draws from which probabilities are estimated if they are not computed exactly"},
         {.name = "draw",
          .kind = CLI_FLAG,
          .summary = "also draw an action, with a fresh seed, which is printed"},
         {.name = "count",
          .kind = CLI_INTEGER,
          .value = "N",
          .standard = "1",
          .low = 1,
          .high = 1e6,
          .summary = "with --state and --draw: draw N actions at once, each a decision with "
                     "a number of its own"},
         {.name = "seed",
          .kind = CLI_INTEGER,
          .value = "SEED",
          .summary = "draw an action with this seed: the same seed and history give the same "
                     "action again, a longer history a new draw; with --state, the seed of all "
                     "draws, set by the first one"},
         CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior decide model.json", "the first decision in a new task"},
                 {"experior decide model.json --history history.csv --draw --json",
                  "the next one, with an action drawn, for programs"},
                 {"experior decide model.json --state clinic.state --draw --json",
                  "draw and record a decision; 'experior observe' takes its reward by decision_id"},
                 {"experior decide model.safetensors --observation '[0]'",
                  "the first step of an episode, in state 0"}},
    .run = run,
};
