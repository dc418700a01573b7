/* dynamics.c: see dynamics.h. */
#include "prior/states/dynamics.h"

#include "base/memory.h"

#include <math.h>

/* How often what the environment is asked, and what it answered, occur among all demonstrations. An
 * answer is kept as its question and itself. */
typedef struct tally {
    xp__row_set questions, answers;
    uint64_t *asked, *answered;
} tally;

/* Before the first state and after the last: no row has this number. */
static const uint32_t outside = UINT32_MAX;

static double visit(tally *self, uint32_t row, uint32_t action, uint32_t next, uint64_t count) {
    const uint32_t answer[3] = {row, action, next};
    bool is_new;
    const size_t question = xp__row_set_add(&self->questions, answer, &is_new);
    const size_t both = xp__row_set_add(&self->answers, answer, &is_new);
    self->asked[question] += count;
    self->answered[both] += count;
    return log((double)self->answered[both] / (double)self->asked[question]);
}

/* Adds `count` to all that a trajectory asks; with 0, once everything was counted, the sum is its
 * log-probability. */
static double walk(tally *self, const xp__encoded_demos *demos, size_t t, uint64_t count) {
    const size_t first = demos->start[t], end = demos->start[t + 1];
    double sum = visit(self, outside, 0, demos->row[first], count);
    for (size_t step = first; step < end; step++) {
        const uint32_t next = step + 1 < end ? demos->row[step + 1] : outside;
        sum += visit(self, demos->row[step], demos->action[step], next, count);
    }
    return sum;
}

xp_status xp__log_dynamics(const xp__encoded_demos *demos, double *log_probability,
                           xp_error *error) {
    const size_t room = demos->start[demos->trajectories] + demos->trajectories;
    tally self = {.asked = xp__alloc(room, sizeof self.asked[0]),
                  .answered = xp__alloc(room, sizeof self.answered[0])};
    xp_status status = self.asked != NULL && self.answered != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp__row_set_init(&self.questions, 2 * sizeof(uint32_t), room, error);
    }
    if (status == XP_OK) {
        status = xp__row_set_init(&self.answers, 3 * sizeof(uint32_t), room, error);
    }
    for (size_t t = 0; status == XP_OK && t < demos->trajectories; t++) {
        (void)walk(&self, demos, t, demos->count[t]);
    }
    for (size_t t = 0; status == XP_OK && t < demos->trajectories; t++) {
        log_probability[t] = walk(&self, demos, t, 0);
    }
    xp__row_set_deinit(&self.questions);
    xp__row_set_deinit(&self.answers);
    xp__free(self.asked);
    xp__free(self.answered);
    return status;
}
