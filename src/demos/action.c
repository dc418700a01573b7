/* action.c: actions as text, shared by demonstrations and histories. */
#include "demos/action.h"

#include "base/text/scan.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 10 };

static xp_status unknown_name(const xp__tokens *names, const char *text, size_t length,
                              xp_error *error) {
    char shown[XP__SHOWN], list[LISTED * (XP__SHOWN + 2) + 1] = "";
    size_t used = 0;
    for (size_t i = 0; names->count <= LISTED && i < names->count; i++) {
        char name[XP__SHOWN];
        (void)xp__show(name, xp__tokens_text(names, i), xp__tokens_length(names, i));
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", name);
    }
    (void)xp__show(shown, text, length);
    return used > 0 ? xp_error_set(error, XP_ERR_INPUT, "there is no action '%s'; actions are %s",
                                   shown, list)
                    : xp_error_set(error, XP_ERR_INPUT,
                                   "there is no action '%s' among the %zu that are known", shown,
                                   names->count);
}

xp_status xp__action_find(const xp__tokens *names, size_t actions, const char *text, size_t length,
                          size_t *action, xp_error *error) {
    if (names->count != 0) {
        return xp__tokens_find(names, text, length, action)
                   ? XP_OK
                   : unknown_name(names, text, length, error);
    }
    char shown[XP__SHOWN];
    uint64_t number;
    if (actions == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there are no actions, so none is '%s'",
                            xp__show(shown, text, length));
    }
    if (!xp__scan_whole(text, length, actions - 1, &number)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is no action '%s'; actions are the whole numbers 0 to %zu",
                            xp__show(shown, text, length), actions - 1);
    }
    *action = (size_t)number;
    return XP_OK;
}
