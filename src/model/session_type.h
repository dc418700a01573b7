/* session_type.h: what a session is made of, and the calls without checks that the library's own
 * loops use.
 *
 * Invariants: `agent` acts on `model` (or on none) and its state belongs to `rng`, from which every
 * draw of the agent comes, in the order of the calls. */
#ifndef XP_MODEL_SESSION_TYPE_H
#define XP_MODEL_SESSION_TYPE_H

#include "agent/agent_type.h"
#include "experior/session.h"

struct xp_session {
    const xp_model *model; /* NULL: none */
    xp__agent *agent;
    xp_rng rng;
    char *spec;
    xp_env_info info;   /* arrays are the model's, or its own */
    size_t *categories; /* its own, where there is no model */
    size_t episodes;
    uint64_t observations, begun; /* so far: steps observed, episodes */
    bool within;                  /* an episode is under way */
    uint32_t segment;             /* of the model, from 1; 0: the overall prior */
};

/* Starts over in a new task, with a stream of the caller's. */
void xp__session_restart(xp_session *session, const xp_rng *rng);
void xp__session_begin(xp_session *session, const double *state);
size_t xp__session_act(xp_session *session, const double *state);
void xp__session_observe(xp_session *session, const xp_transition *transition);
/* Refuses a state that the space does not have; `what` stands for it in the sentence. */
xp_status xp__session_check_state(const xp_session *session, const double *state, const char *what,
                                  xp_error *error);
/* Refuses an action or a reward that the agent cannot use. */
xp_status xp__session_check_reward(const xp_session *session, size_t action, double reward,
                                   xp_error *error);

/* What tells a model: a checksum of the bytes of its file, never 0; 0 for NULL. It takes as long as
 * writing the file. */
xp_status xp__model_fingerprint(const xp_model *model, uint64_t *sum, xp_error *error);
/* xp_session_to_bytes and xp_session_parse for one who knows the model's fingerprint. */
xp_status xp__session_write(const xp_session *session, uint64_t model, void **data, size_t *bytes,
                            xp_error *error);
xp_status xp__session_read(const void *data, size_t bytes, const char *name, const xp_model *model,
                           uint64_t fingerprint, xp_session **session, xp_error *error);

#endif
