/* identity.c: whether another process would compute the same bits; see identity.h. */
#include "run/crew/identity.h"

#include "base/memory.h"
#include "model/model_type.h"

#include <stdio.h>
#include <string.h>

bool xp__identity_init(xp__identity *identity, uint64_t plan) {
    char *machine = xp__machine();
    *identity = (xp__identity){.plan = plan};
    if (machine != NULL) {
        (void)snprintf(identity->machine, sizeof identity->machine, "%s, %s", xp_version(),
                       machine);
    }
    xp__free(machine);
    return machine != NULL;
}

xp_status xp__identity_check(const xp__identity *leader, size_t from, const void *bytes,
                             size_t length, xp_error *error) {
    xp__identity other = {.machine = "another version"};
    if (length == sizeof other) {
        memcpy(&other, bytes, sizeof other);
        other.machine[sizeof other.machine - 1] = '\0';
    }
    if (strcmp(other.machine, leader->machine) != 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "process %zu has '%s', but process 0 has '%s', so results would depend "
                            "on which process computes them",
                            from, other.machine, leader->machine);
    }
    if (other.plan != leader->plan) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "process %zu would not compute the same as process 0: its options or "
                            "the files that it reads differ",
                            from);
    }
    return XP_OK;
}
