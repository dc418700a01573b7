/* state_input.c: see state_input.h. */
#include "encode/state_input.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HOT = 16 }; /* what a network takes */
static const size_t max_inputs = (size_t)1 << 24;

xp_status xp__state_input_init(xp__state_input *input, const xp_env_info *env, xp_error *error) {
    *input = (xp__state_input){.state_size = env->state_size, .categories = env->categories};
    bool listed = env->state_size <= MAX_HOT;
    for (size_t j = 0; j < env->state_size; j++) {
        const size_t wide = env->categories[j] > 0 ? env->categories[j] : 1;
        listed = listed && env->categories[j] > 0;
        if (wide > max_inputs - input->inputs) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "a state of %.80s is more than %zu network inputs",
                                env->name != NULL ? env->name : "the environment", max_inputs);
        }
        input->inputs += wide;
    }
    if (env->state_size == 0) {
        input->inputs = input->hot = 1;
    } else if (listed) {
        input->hot = env->state_size;
    }
    input->row_bytes =
        input->hot > 0 ? input->hot * sizeof(uint32_t) : input->inputs * sizeof(float);
    return XP_OK;
}

size_t xp__state_input_fault(const xp__state_input *input, const double *state) {
    for (size_t j = 0; j < input->state_size; j++) {
        const size_t values = input->categories[j];
        const bool valid =
            values > 0 ? state[j] >= -1 && state[j] < (double)values && state[j] == floor(state[j])
                       : fabs(state[j]) <= FLT_MAX;
        if (!valid) {
            return j;
        }
    }
    return input->state_size;
}

static void write_dense(const xp__state_input *input, const double *state, float *row) {
    memset(row, 0, input->row_bytes);
    size_t first = 0;
    for (size_t j = 0; j < input->state_size; j++) {
        if (input->categories[j] == 0) {
            const double value =
                input->units != NULL ? xp__state_units_in(input->units, j, state[j]) : state[j];
            row[first++] = (float)value + 0.0F; /* -0 becomes 0, so that equal is equal */
            continue;
        }
        if (state[j] >= 0) {
            row[first + (size_t)state[j]] = 1;
        }
        first += input->categories[j];
    }
}

void xp__state_input_row(const xp__state_input *input, const double *state, void *row) {
    assert(xp__state_input_fault(input, state) == input->state_size);
    if (input->hot == 0) {
        write_dense(input, state, row);
        return;
    }
    uint32_t *hot = row;
    hot[0] = 0; /* a bandit's */
    uint32_t first = 0;
    for (size_t j = 0; j < input->state_size; j++) {
        hot[j] = state[j] >= 0 ? first + (uint32_t)state[j] : XP_NET_NONE;
        first += (uint32_t)input->categories[j];
    }
}

void xp__state_input_archive(const xp__state_input *input, void *row, xp__archive *archive) {
    if (input->hot == 0) {
        xp__archive_floats(archive, row, input->inputs, -FLT_MAX);
        return;
    }
    uint32_t *hot = row;
    XP__ARCHIVE_ARRAY(archive, hot, input->hot);
    for (size_t j = 0; j < input->hot; j++) {
        const bool valid = hot[j] < input->inputs || hot[j] == XP_NET_NONE;
        xp__archive_check(archive, valid, "a state is none of the environment's");
    }
}

xp__net_rows xp__state_input_rows(const xp__state_input *input, size_t count, const void *rows) {
    return (xp__net_rows){
        .count = count, .hot = input->hot > 0 ? rows : NULL, .dense = input->hot > 0 ? NULL : rows};
}
