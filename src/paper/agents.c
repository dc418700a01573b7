/* agents.c: labels and specs of the studied agents. The paper's names stand with the agent that
 * acts as the authors' program did: their MaxEnt, Gamma, Normal and naive agents sampled by SGLD,
 * and in Figures 2 and 3 "ExPerior" is their MaxEnt. */
#include "paper/agents.h"

const xp__agent_entry xp__agents[XP__AGENTS] = {
    [XP__ORACLE] = {.label = "Oracle-TS",
                    .spec = "oracle_ts",
                    .in_tables = "Oracle-TS",
                    .in_figures = "Oracle-TS"},
    [XP__ORACLE_SGLD] = {.label = "Oracle-TS (SGLD)",
                         .spec = "oracle_ts:sampler=sgld",
                         .in_tables = "Oracle-TS (SGLD)"},
    [XP__ORACLE_SGLD_JACOBIAN] = {.label = "Oracle-TS (SGLD with Jacobian)",
                                  .spec = "oracle_ts:sampler=sgld,jacobian=yes"},
    [XP__MAXENT] = {.label = "ExPerior-MaxEnt (β=∞)", .spec = "experior_maxent"},
    [XP__MAXENT_10] = {.label = "ExPerior-MaxEnt (β=10, λ from ε)",
                       .spec = "experior_maxent:beta=10"},
    [XP__MAXENT_AUTHORS] = {.label = "ExPerior-MaxEnt (authors' prior, exact sampler)",
                            .spec = "experior_maxent:prior=authors,sampler=mcmc"},
    [XP__MAXENT_AUTHORS_SGLD] = {.label = "ExPerior-MaxEnt (authors' prior + SGLD)",
                                 .spec = "experior_maxent:prior=authors,sampler=sgld",
                                 .in_tables = "ExPerior-MaxEnt",
                                 .in_figures = "ExPerior"},
    [XP__PARAM] = {.label = "ExPerior-Param",
                   .spec = "experior_param",
                   .in_tables = "ExPerior-Param"},
    [XP__PARAM_SGLD] = {.label = "Beta-SGLD prior",
                        .spec = "experior_param:sampler=sgld",
                        .in_tables = "Beta-SGLD prior"},
    [XP__GAMMA] = {.label = "Gamma prior (exact sampler)", .spec = "experior_param:family=gamma"},
    [XP__GAMMA_SGLD] = {.label = "Gamma prior (SGLD)",
                        .spec = "experior_param:family=gamma,sampler=sgld",
                        .in_tables = "Gamma prior"},
    [XP__NORMAL] = {.label = "Normal prior (exact sampler)",
                    .spec = "experior_param:family=normal"},
    [XP__NORMAL_SGLD] = {.label = "Normal prior (SGLD)",
                         .spec = "experior_param:family=normal,sampler=sgld",
                         .in_tables = "Normal prior"},
    [XP__NAIVE] = {.label = "Naive-TS", .spec = "naive_ts"},
    [XP__NAIVE_SGLD] = {.label = "Naive-TS (SGLD)",
                        .spec = "naive_ts:sampler=sgld",
                        .in_figures = "Naive-TS"},
    [XP__UCB] = {.label = "Naive-UCB", .spec = "naive_ucb", .in_figures = "Naive-UCB"},
    [XP__UCB_EXPLORE] = {.label = "UCB-ExPLORe",
                         .spec = "ucb_explore",
                         .in_figures = "UCB-ExPLORe"},
    [XP__CLONING] = {.label = "Behaviour cloning", .spec = "behaviour_cloning", .in_figures = "BC"},
    [XP__ELIMINATION] = {.label = "Successive elimination", .spec = "successive_elimination"},
};

size_t xp__agents_block(const xp__grid *grid, size_t agent) {
    return xp__grid_find(grid, &xp__agents[agent]);
}

xp_status xp__agents_compare(xp__grid *grid, const size_t *agents, size_t count, xp_error *error) {
    static const size_t tasks[XP__SCALES] = {2, 32, 128}, quotas[XP__SCALES] = {2, 4, 22};
    const size_t quota = quotas[grid->scale];
    grid->shape =
        (xp__shape){.tasks = tasks[grid->scale], .episodes = 1500, .demonstrations = 1000};
    const xp__selection selection = {
        .arms = 10, .quota = {quota, quota, quota}, .demonstrations = grid->shape.demonstrations};
    size_t set;
    const xp_status status = xp__grid_select(grid, &selection, &set, error);
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &xp__agents[agents[i]]);
    }
    return status;
}
