/* experior_maxent.c: ExPerior-MaxEnt where there are states (Algorithm 1): a prior over Q-functions
 * that was fitted to demonstrations, and Bootstrapped DQN whose heads are drawn from it. With
 * prior=max_entropy and modes that is Proposition 1's; with prior=mixture and union, the default,
 * it is Definition 1 with finite mixtures as the family (docs/method/mixture.md).
 *
 * With prior=modes, mixture or union the networks of the prior act too, drawn for each episode from
 * their posterior given the returns so far: posterior sampling over the demonstrated contexts, with
 * the heads for a context that none of them is (docs/method/modes.md). With prior=max_entropy the
 * heads alone act, each as often as any other, as in the paper's section 4.2. */
#include "agent/states/boot_dqn.h"

#include <math.h>

static const xp_param params[] = {
    {.name = "prior",
     .summary =
         "which prior: the modes of the maximum-entropy prior; the same prior sampled by Langevin "
         "dynamics (max_entropy); a mixture of policies; or the union of mixture and modes",
     .kind = XP_PARAM_CHOICE,
     .low = XP__PRIOR_MODES,
     .high = XP__PRIOR_UNION,
     .standard = XP__PRIOR_UNION,
     .choices = "modes|max_entropy|mixture|union"},
    {.name = "act",
     .summary = "which network acts in an episode: by the posterior over the prior's networks and "
                "the heads, or any head; auto: by the posterior unless prior=max_entropy",
     .kind = XP_PARAM_CHOICE,
     .low = XP__ACT_AUTO,
     .high = XP__ACT_UNIFORM,
     .standard = XP__ACT_AUTO,
     .choices = "auto|posterior|uniform"},
    {.name = "evidence",
     .summary =
         "scale of returns and rewards: absolute, by `noise`; relative, learned from returns, "
         "so that the unit of reward does not matter; auto: relative with prior=mixture and union",
     .kind = XP_PARAM_CHOICE,
     .low = XP__EVIDENCE_AUTO,
     .high = XP__EVIDENCE_RELATIVE,
     .standard = XP__EVIDENCE_AUTO,
     .choices = "auto|absolute|relative"},
    XP__REAL("none",
             "prior probability that no network of the prior fits the context; 0.005 unless given, "
             "0.02 with evidence=absolute",
             0, 1, NAN),
    XP__REAL("same",
             "prior probability that all networks of the prior do equally well; 0.005 unless "
             "given, 0.02 with evidence=absolute",
             0, 1, NAN),
    XP__REAL("memory", "episodes after which a head's return is forgotten", 1, 1e9, 50),
    XP__BOOT_DQN_PARAMS,
};

static const char *prior_method(const xp__params *values) {
    static const char *const methods[] = {"modes", "max_entropy", "mixture", "union"};
    return methods[(size_t)xp__params_get(values, "prior")];
}

const xp__agent_type xp__agent_states_experior_maxent = {
    .name = "experior_maxent",
    .revision = 3, /* what does not stand out hardly ever pays alone; regressions may be curved */
    .summary = "posterior sampling over demonstrated contexts, with bootstrapped DQN for contexts "
               "that none of them fits",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    XP__BOOT_DQN_FUNCTIONS,
};
