/* session.h: one learner in one task.
 *
 * A session is a model (or none, for agents that need none), what the agent has learned online, and
 * its own random stream. It is usable from the first call:
 *
 *     bandit        act → observe → act → observe …
 *     with states   begin → act → observe → act → … → observe with an end → begin → …
 *
 * act begins an episode if none is under way, so begin may be left out. Call it if you want the law
 * (the probability of each action) in an episode before its first action. Rewards may also come
 * late and in bulk: observe does not need an act before it.
 *
 * A saved session continues, after loading, bit for bit like the one that was saved (for the same
 * library version, instruction set and C library).
 *
 * A session belongs to one thread at a time; its model may be shared by many. Only create, save,
 * load and advise allocate. */
#ifndef EXPERIOR_SESSION_H
#define EXPERIOR_SESSION_H

#include "experior/model.h"

typedef struct xp_session xp_session;

typedef struct xp_session_options {
    size_t size;           /* sizeof(xp_session_options), set by xp_session_options_default */
    const char *agent;     /* spec; NULL: the model's */
    uint64_t seed;         /* everything random in the session is a function of it */
    const xp_rng *rng;     /* a stream to use instead of the seed's; NULL: none */
    size_t episodes;       /* how many it will act for, for agents with schedules */
    const xp_space *space; /* where there is no model: the space; otherwise NULL */
    const char *segment;   /* whose prior to start from (segments.h); NULL: the overall one */
} xp_session_options;

/* The model's agent, seed 1, 1,500 episodes. */
XP_API void xp_session_options_init(xp_session_options *options, size_t size);
static inline xp_session_options xp_session_options_default(void) {
    xp_session_options options;
    xp_session_options_init(&options, sizeof options);
    return options;
}

/* A learner that knows the model and nothing of its task yet. `model` must outlive it; it may be
 * NULL for agents that need none, if options->space is given. `options` may be NULL.
 * Fails with XP_ERR_INPUT for an agent that the model cannot serve and a segment that it does not
 * have. */
XP_API xp_status xp_session_create(const xp_model *model, const xp_session_options *options,
                                   xp_session **session, xp_error *error);
/* Frees the session, not its model; NULL is fine. */
XP_API void xp_session_destroy(xp_session *session);
/* Starts over in a new task: forgets all that was observed; the stream is that of `seed`. */
XP_API xp_status xp_session_reset(xp_session *session, uint64_t seed, xp_error *error);

/* An episode starts: draws what the agent holds on to for all of it. `state` has state_size
 * numbers, NULL in a bandit. An episode under way is closed as if truncated. */
XP_API xp_status xp_session_begin(xp_session *session, const double *state, xp_error *error);
/* The agent's action in a state. */
XP_API xp_status xp_session_act(xp_session *session, const double *state, size_t *action,
                                xp_error *error);
/* The probability of each action in a state, `probability` having one entry per action: between
 * episodes over all that begin may draw, within one given what was drawn. Computed where there is a
 * closed form (*draws_used = 0; it may be NULL), otherwise estimated from `draws` draws, 0 meaning
 * 10,000. Asking moves no random number of the session.
 * Fails with XP_ERR_NUMERIC where networks or the state have numbers so large that the values of
 * actions overflow. */
XP_API xp_status xp_session_law(xp_session *session, const double *state, size_t draws,
                                double *probability, size_t *draws_used, xp_error *error);

/* The action of a learner that has stopped learning and exploring: the one that most of its
 * policies take, counted by weight; for an agent without policies, its most likely action. Asking
 * moves no random number. Fails as xp_session_law does. */
XP_API xp_status xp_session_advise(xp_session *session, const double *state, size_t *action,
                                   xp_error *error);

/* What came of an action. Steps of an episode are observed in their order. A reward that the model
 * cannot use (0.45 where arms pay 0 or 1; docs/method/reward.md has the families), a state with the
 * wrong layout and an action that does not exist are XP_ERR_INPUT. */
XP_API xp_status xp_session_observe(xp_session *session, const xp_transition *transition,
                                    xp_error *error);
/* Bandits: `count` actions before any of their rewards is known, each as if it were a decision of
 * its own: the same numbers as so many calls of begin and act. */
XP_API xp_status xp_session_act_batch(xp_session *session, size_t count, size_t *actions,
                                      xp_error *error);
/* Bandits: `count` rewards with their actions, in their order; all of them or, if one is refused,
 * none. */
XP_API xp_status xp_session_observe_batch(xp_session *session, const size_t *actions,
                                          const double *rewards, size_t count, xp_error *error);
/* Bandits: rewards of one action, `trials` of them adding up to `sum`, whenever they arrive. Where
 * arms pay 0 or 1 the sum is their successes; where they pay fractions the sum is rounded at
 * random. XP_ERR_INPUT where the model learns the noise of rewards, which needs their squares. */
XP_API xp_status xp_session_observe_rewards(xp_session *session, size_t action, uint64_t trials,
                                            double sum, xp_error *error);

/* The same with the sum of their squares, for models that learn the noise of rewards; NAN: it is
 * not known. */
XP_API xp_status xp_session_observe_squares(xp_session *session, size_t action, uint64_t trials,
                                            double sum, double squares, xp_error *error);
/* Bandits: draws the mean reward of every arm from the posterior, `means` having one entry per
 * action, with the caller's generator. The session's own stream does not move; a Markov chain,
 * where the agent's sampler is one, does. XP_ERR_INPUT for an agent that keeps no posterior over
 * arms, XP_ERR_NUMERIC where its sampler gives up. */
XP_API xp_status xp_session_draw_means(xp_session *session, xp_rng *rng, double *means,
                                       xp_error *error);

/* Writes the session whole or not at all; the model is kept apart (xp_model_save). */
XP_API xp_status xp_session_save(const xp_session *session, const char *path, xp_error *error);
/* Reads it back. `model` is the one that it was made with, or NULL if it had none; another model is
 * refused, as is a damaged file. */
XP_API xp_status xp_session_load(const char *path, const xp_model *model, xp_session **session,
                                 xp_error *error);
/* The bytes of the file, for xp_release. */
XP_API xp_status xp_session_to_bytes(const xp_session *session, void **data, size_t *bytes,
                                     xp_error *error);
/* Reads such bytes, as xp_session_load reads a file; `name` stands for the file in messages. */
XP_API xp_status xp_session_parse(const void *data, size_t bytes, const char *name,
                                  const xp_model *model, xp_session **session, xp_error *error);

/* What a session is. Strings belong to it. */
typedef struct xp_session_info {
    const char *agent;     /* spec */
    const char *sampler;   /* of an agent that has one: its name; else NULL */
    const char *kind;      /* what its answers are worth: "computed", "Markov chain"; else NULL */
    size_t episodes;       /* as in its options */
    uint64_t observations; /* steps or rewards observed so far */
    uint64_t episodes_begun;
    bool within_episode;
    const char *segment; /* as in its options; it belongs to the model */
    const char *rewards; /* the family that it takes: "bernoulli", "gaussian"; NULL: any finite */
} xp_session_info;

/* What it is; all zero for NULL. */
XP_API xp_session_info xp_session_describe(const xp_session *session);

/* The deterministic policies among which the agent would draw one for its next episode: their
 * number, and the probability of each in `weight` unless it is NULL. 0: it has none to tell. */
XP_API size_t xp_session_policies(xp_session *session, double *weight);

#endif
