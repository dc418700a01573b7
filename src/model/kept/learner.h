/* learner.h: a session as it is kept between calls.
 *
 * Where rewards of 0 and 1 are all that changes a learner, and their counts say everything of them,
 * only the counts are kept: a few numbers per arm instead of the tables that a sampler makes of
 * them. All others (chains, agents with memory) are kept as the bytes of their session. */
#ifndef XP_MODEL_KEPT_LEARNER_H
#define XP_MODEL_KEPT_LEARNER_H

#include "experior/session.h"

/* The kept form of a session, for xp__free. `fingerprint` is its model's. */
xp_status xp__learner_write(const xp_session *session, uint64_t fingerprint, unsigned char **data,
                            size_t *bytes, xp_error *error);
/* And back, for a segment of the model or NULL. A learner of which counts were kept gets the stream
 * `rng`. `name` stands for the file
 * in messages. */
xp_status xp__learner_read(const unsigned char *data, size_t bytes, const char *name,
                           const xp_model *model, uint64_t fingerprint, const char *segment,
                           const xp_rng *rng, xp_session **session, xp_error *error);
/* Whether only counts are kept: whatever else the session holds, its stream for one, is lost. */
bool xp__learner_is_counts(const xp_session *session);

#endif
