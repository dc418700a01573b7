/* env_check.c: whether a demonstration can come from an environment, as far as a learner knows it:
 * its actions, the size of its states and the values of those that are categories. */
#include "demos/action.h"
#include "demos/demos_type.h"

xp_status xp__env_check_action(const xp_env_info *env, const char *text, size_t length,
                               xp_error *error) {
    const xp__tokens unnamed = {.count = 0};
    size_t action;
    xp_error inner;
    return xp__action_find(&unnamed, env->actions, text, length, &action, &inner) == XP_OK
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT, "in %s %s", env->name, inner.message);
}

xp_status xp__env_check_size(const xp_env_info *env, size_t state_size, xp_error *error) {
    return state_size == env->state_size
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "has states of %zu numbers, those of %s have %zu", state_size,
                              env->name, env->state_size);
}

xp_status xp__env_check_state(const xp_env_info *env, const double *state, size_t step,
                              xp_error *error) {
    for (size_t i = 0; i < env->state_size; i++) {
        const size_t values = env->categories[i];
        bool fits = values == 0 || state[i] == -1;
        if (!fits && state[i] >= 0 && state[i] < (double)values) {
            fits = (double)(size_t)state[i] == state[i];
        }
        if (!fits) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "state %zu of step %zu = %g; in %s it is a whole number from 0 to "
                                "%zu, or -1 if it is not shown",
                                i, step, state[i], env->name, values - 1);
        }
    }
    return XP_OK;
}
