/* catalogue.h: what the library offers by name: every registered environment, expert, prior,
 * sampler, agent, study and family of rewards with its parameters. Specs (base.h) are made of
 * these names.
 *
 * Everything returned is constant: nothing has to be freed, and any number of threads may ask at
 * once. */
#ifndef EXPERIOR_CATALOGUE_H
#define EXPERIOR_CATALOGUE_H

#include "experior/sampler.h"

/* The kinds: in the order in which data flows, and what came later. */
typedef enum xp_kind {
    XP_ENVIRONMENTS,
    XP_EXPERTS,
    XP_PRIORS,        /* over the arm means of a bandit */
    XP_STATES_PRIORS, /* over Q-functions, where there are states */
    XP_SAMPLERS,
    XP_AGENTS,
    XP_STUDIES,
    XP_REWARDS, /* families of rewards: what arms pay */
    XP_KINDS    /* how many there are */
} xp_kind;

typedef struct xp_catalogue_entry {
    const char *name;
    const char *summary;
    const xp_param *params; /* its own; an agent also takes those of its prior and its sampler */
    size_t param_count;
    bool states; /* agents, studies: for environments with states; two agents may share a name */
    xp_sampler_kind sampler; /* samplers: what its answers are worth (sampler.h) */
    bool in_paper;           /* studies: a figure or table of the paper */
} xp_catalogue_entry;

/* How many of a kind there are; 0 for a kind that does not exist. */
XP_API size_t xp_catalogue_count(xp_kind kind);
/* One of them; all fields are NULL, 0 or false if the index is out of range. */
XP_API xp_catalogue_entry xp_catalogue_get(xp_kind kind, size_t index);
/* Checks a spec without making anything: XP_ERR_INPUT, with a sentence, if there is no such name,
 * no such parameter, or the value is out of range. */
XP_API xp_status xp_catalogue_check(xp_kind kind, const char *spec, xp_error *error);

#endif
