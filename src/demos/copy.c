/* copy.c: demonstrations copied, and names given to their actions. */
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/memory.h"

#include <string.h>

xp_status xp_demos_name_actions(xp_demos *demos, const char *const *names, xp_error *error) {
    XP__NOT_NULL(demos, error);
    XP__NOT_NULL(names, error);
    xp__tokens tokens = {.count = 0};
    xp_status status = XP_OK;
    for (size_t action = 0; status == XP_OK && action < demos->actions; action++) {
        const char *name = names[action];
        size_t twin;
        if (name == NULL || name[0] == '\0' || strlen(name) > XP__ACTION_NAME_LENGTH) {
            status =
                xp_error_set(error, XP_ERR_INPUT,
                             "the name of action %zu is missing, empty or longer than %d bytes",
                             action, (int)XP__ACTION_NAME_LENGTH);
        } else if (xp__tokens_find(&tokens, name, strlen(name), &twin)) {
            status = xp_error_set(error, XP_ERR_INPUT, "actions %zu and %zu are both named '%.80s'",
                                  twin, action, name);
        } else {
            status = xp__tokens_add(&tokens, name, strlen(name), error);
        }
    }
    if (status != XP_OK) {
        xp__tokens_deinit(&tokens);
        return status;
    }
    xp__tokens_deinit(&demos->names);
    demos->names = tokens;
    return XP_OK;
}

xp_status xp__demos_copy(const xp_demos *demos, size_t actions, xp_demos **copy, xp_error *error) {
    xp_demos *made;
    xp_status status = xp_demos_create(demos->state_size, actions, &made, error);
    for (size_t i = 0; status == XP_OK && i < demos->distinct; i++) {
        const xp_trajectory each = xp_demos_trajectory(demos, i);
        status = xp_demos_add(made, each.states, each.actions, each.length, each.count, error);
    }
    for (size_t action = 0; status == XP_OK && action < demos->names.count; action++) {
        status = xp__tokens_add(&made->names, xp__tokens_text(&demos->names, action),
                                xp__tokens_length(&demos->names, action), error);
    }
    if (status != XP_OK) {
        xp_demos_destroy(made);
        made = NULL;
    }
    *copy = made;
    return status;
}
