/* shown_steps.c: see shown_steps.h. A step is kept as one row: state, action, whether the episode
 * goes on, and the next state or zeros. */
#include "prior/states/shown_steps.h"

#include "base/memory.h"
#include "prior/states/states_prior_type.h"

#include <assert.h>
#include <string.h>

static void write_step(const xp__shown_steps *shown, const void *state, size_t action,
                       const void *next, unsigned char *step) {
    assert(state != NULL);
    const uint32_t what[2] = {(uint32_t)action, next != NULL};
    memset(step, 0, shown->steps.row_bytes);
    memcpy(step, state, shown->state_bytes);
    memcpy(step + shown->state_bytes, what, sizeof what);
    if (next != NULL) {
        memcpy(step + shown->state_bytes + sizeof what, next, shown->state_bytes);
    }
}

static size_t add_step(xp__shown_steps *shown, const xp__encoded_demos *demos, size_t at, bool last,
                       unsigned char *step) {
    const unsigned char *state = demos->rows.rows + demos->row[at] * shown->state_bytes;
    const unsigned char *next =
        last ? NULL : demos->rows.rows + demos->row[at + 1] * shown->state_bytes;
    bool is_new;
    write_step(shown, state, demos->action[at], next, step);
    return xp__row_set_add(&shown->steps, step, &is_new);
}

/* How many demonstrations show each step, and in which trajectory it was met last. */
typedef struct use {
    uint64_t demonstrations;
    size_t trajectory;
} use;

static void count_uses(xp__shown_steps *shown, const xp__encoded_demos *demos, use *uses,
                       unsigned char *step) {
    for (size_t t = 0; t < demos->trajectories; t++) {
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            use *u = &uses[add_step(shown, demos, at, at + 1 == demos->start[t + 1], step)];
            if (u->demonstrations == 0 || u->trajectory != t) {
                u->demonstrations += demos->count[t];
                u->trajectory = t;
            }
        }
    }
}

static double share_of_strange(xp__shown_steps *shown, const xp__encoded_demos *demos,
                               const use *uses, unsigned char *step) {
    uint64_t strange = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        bool alone = false;
        for (size_t at = demos->start[t]; !alone && at < demos->start[t + 1]; at++) {
            const size_t found = add_step(shown, demos, at, at + 1 == demos->start[t + 1], step);
            alone = uses[found].demonstrations == 1;
        }
        strange += alone;
    }
    return ((double)strange + 1) / ((double)demos->total + 2);
}

xp_status xp__shown_steps_init(xp__shown_steps *shown, const xp__encoded_demos *demos,
                               xp_error *error) {
    const size_t bytes = demos->input.row_bytes, room = demos->start[demos->trajectories];
    *shown = (xp__shown_steps){.state_bytes = bytes};
    xp_status status =
        xp__row_set_init(&shown->steps, 2 * bytes + 2 * sizeof(uint32_t), room, error);
    if (status != XP_OK) {
        return status;
    }
    use *uses = xp__alloc(room, sizeof *uses);
    unsigned char *step = xp__alloc(1, shown->steps.row_bytes);
    if (uses != NULL && step != NULL) {
        count_uses(shown, demos, uses, step);
        shown->strange = share_of_strange(shown, demos, uses, step);
    } else {
        xp__shown_steps_deinit(shown);
        status = xp__no_memory(error);
    }
    xp__free(uses);
    xp__free(step);
    return status;
}

void xp__shown_steps_deinit(xp__shown_steps *shown) {
    xp__row_set_deinit(&shown->steps);
    *shown = (xp__shown_steps){.strange = 0};
}

bool xp__shown_steps_has(const xp__shown_steps *shown, const void *state, size_t action,
                         const void *next, unsigned char *scratch) {
    write_step(shown, state, action, next, scratch);
    return xp__row_set_find(&shown->steps, scratch) < shown->steps.count;
}

const xp__shown_steps *xp__states_prior_shown_steps(const xp__states_prior *prior) {
    return prior->shown.strange > 0 ? &prior->shown : NULL;
}
