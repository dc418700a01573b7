/* identity.h: what processes that compute together must have in common, so that no result depends
 * on which of them computed it: the version, the kind of machine, and the plan. */
#ifndef XP_RUN_CREW_IDENTITY_H
#define XP_RUN_CREW_IDENTITY_H

#include "experior/base.h"

typedef struct xp__identity {
    uint64_t plan;     /* a checksum of all that determines what units compute */
    char machine[120]; /* "0.2.0, x86_64, avx512, glibc 2.36" */
} xp__identity;

/* That of this process; false: no memory. */
bool xp__identity_init(xp__identity *identity, uint64_t plan);
/* Whether process `from`, whose identity came as bytes, would compute what process 0 would. */
xp_status xp__identity_check(const xp__identity *leader, size_t from, const void *bytes,
                             size_t length, xp_error *error);

#endif
