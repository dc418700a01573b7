/* record.c: runs an agent on one task and records the chosen episodes.
 *
 * The task, its luck and the agent's are those of xp__episodes_run, which is who runs it here too,
 * and asking for policies draws nothing: a recorded episode is the one that a simulation counts. */
#include "run/record.h"

#include "base/memory.h"
#include "env/context.h"
#include "model/session_type.h"

#include <string.h>

typedef struct recorder {
    const xp__recording *what;
    const xp_env *env;
    size_t horizon, state_size;
    size_t next;     /* of the chosen, the one being recorded or to come */
    bool open;       /* an episode is being recorded */
    double *state;   /* of a plan */
    size_t *seen;    /* rows × columns: the last plan, counted from 1, that passed the cell */
    double *weights; /* of the policies */
    size_t room;     /* for policies */
    xp__record record;
    xp_status status;
    xp_error *error;
} recorder;

xp_status xp__record_check(const xp_env *env, xp_error *error) {
    const xp_env_info info = xp_env_describe(env);
    return xp__board_exists(env)
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "%s has no board to draw: pictures show episodes in environments "
                              "with cells, such as deep_sea and frozen_lake",
                              info.name);
}

/* Room for what depends on the board. */
static xp_status make_room(recorder *self, const xp__board *board) {
    const size_t cells = board->rows * board->columns;
    if (cells > XP__RECORD_CELLS) {
        return xp_error_set(self->error, XP_ERR_INPUT,
                            "a board of %zu × %zu cells is too large for a picture: %d cells can "
                            "be drawn",
                            board->rows, board->columns, XP__RECORD_CELLS);
    }
    if (self->record.shares == NULL) {
        self->record.shares = xp__alloc(cells, sizeof *self->record.shares);
        self->seen = xp__alloc(cells, sizeof *self->seen);
    }
    return self->record.shares != NULL && self->seen != NULL ? XP_OK : xp__no_memory(self->error);
}

/* Adds the weight of a plan to the cells that it passes. */
static void follow(recorder *self, xp__agent *agent, size_t policy, const double *state) {
    memcpy(self->state, state, self->state_size * sizeof *state);
    bool going = true;
    for (size_t h = 0; h <= self->horizon; h++) {
        const size_t cell = xp__board_cell(self->env, self->state);
        if (self->seen[cell] != policy + 1) {
            self->seen[cell] = policy + 1;
            self->record.shares[cell] += self->weights[policy];
        }
        if (!going || h == self->horizon) {
            break;
        }
        const size_t action = xp__agent_policy_action(agent, policy, self->state);
        going = xp__board_move(self->env, action, self->state);
    }
}

static xp_status believe(recorder *self, xp__agent *agent, const double *state) {
    xp__record *record = &self->record;
    const size_t cells = record->board.rows * record->board.columns;
    memset(record->shares, 0, cells * sizeof *record->shares);
    memset(self->seen, 0, cells * sizeof *self->seen);
    record->policies = xp__agent_belief(agent, NULL);
    if (record->policies > self->room) {
        xp__free(self->weights);
        self->weights = xp__alloc(record->policies, sizeof *self->weights);
        self->room = self->weights != NULL ? record->policies : 0;
        if (self->weights == NULL) {
            return xp__no_memory(self->error);
        }
    }
    double squares = 0;
    if (record->policies > 0) {
        (void)xp__agent_belief(agent, self->weights);
    }
    for (size_t policy = 0; policy < record->policies; policy++) {
        squares += self->weights[policy] * self->weights[policy];
        if (self->weights[policy] > 0) {
            follow(self, agent, policy, state);
        }
    }
    record->effective = squares > 0 ? 1 / squares : 0;
    return XP_OK;
}

static bool begin(void *context, xp_session *session, const xp_task *task, size_t t,
                  const double *state) {
    recorder *self = context;
    if (self->status == XP_OK && self->what->tick != NULL) {
        self->status = self->what->tick(self->what->context, t, self->error);
    }
    if (self->status == XP_OK && t == self->what->chosen[self->next]) {
        self->open = true;
        self->record.episode = t;
        self->record.length = 0;
        self->record.total = 0;
        self->record.cells[0] = xp__board_cell(self->env, state);
        xp__task_board(task, &self->record.board);
        self->status = make_room(self, &self->record.board);
        if (self->status == XP_OK) {
            self->status = believe(self, session->agent, state);
        }
    }
    return self->status == XP_OK;
}

/* The last step closes the record. */
static void step(void *context, const double *state, const xp_step *taken) {
    recorder *self = context;
    xp__record *record = &self->record;
    if (!self->open || self->status != XP_OK) {
        return;
    }
    record->total += taken->reward;
    record->cells[++record->length] = xp__board_cell(self->env, state);
    if (taken->end != XP_CONTINUES || record->length == self->horizon) {
        self->open = false;
        self->status = self->what->take(self->what->context, record, self->error);
        self->next++;
    }
}

static xp_status run(recorder *self, xp_session *session) {
    const xp__recording *what = self->what;
    const xp__onlooker watch = {.begin = begin, .step = step, .context = self};
    const xp__tasks tasks = {.env = self->env,
                             .stream = xp__problem_tasks(what->problem),
                             .episodes = what->chosen[what->count - 1],
                             .watch = &watch};
    xp__tally tally = {.tasks = 0};
    xp_error ended;
    const xp_status status = xp__episodes_run(&tasks, session, xp__text_hash(what->spec),
                                              what->task, 1, NULL, &tally, &ended);
    if (self->status != XP_OK) {
        return self->status; /* with its own sentence */
    }
    return status == XP_OK ? XP_OK : xp_error_set(self->error, status, "%s", ended.message);
}

xp_status xp__record_run(const xp__recording *what, xp_error *error) {
    const xp_env *env = what->problem->env;
    const xp_env_info info = xp_env_describe(env);
    xp_status status = xp__record_check(env, error);
    if (status != XP_OK) {
        return status;
    }
    recorder self = {.what = what,
                     .env = env,
                     .horizon = info.horizon,
                     .state_size = info.state_size,
                     .record = {.agent = what->spec},
                     .error = error};
    xp_session *session = NULL;
    self.state = xp__alloc(info.state_size, sizeof *self.state);
    self.record.cells = xp__alloc(info.horizon + 1, sizeof *self.record.cells);
    status = self.state != NULL && self.record.cells != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp__fitted_session(what->fitted, what->spec, what->episodes, &session, error);
    }
    if (status == XP_OK) {
        status = run(&self, session);
    }
    xp_session_destroy(session);
    xp__free(self.state);
    xp__free(self.seen);
    xp__free(self.weights);
    xp__free(self.record.cells);
    xp__free(self.record.shares);
    return status;
}
