/* table2.c: Table 2 of the paper: priors and samplers, right and wrong, by entropy group.
 *
 * The paper's MaxEnt, Gamma, Normal and Beta-SGLD agents all sampled by SGLD; each is run here that
 * way and, beside it, with an exact sampler, so that what the prior does and what the sampler does
 * can be told apart. */
#include "paper/agents.h"
#include "paper/findings.h"
#include "paper/paper.h"
#include "study/study_type.h"

#include <math.h>

static const size_t agents[] = {
    XP__ORACLE,      XP__ORACLE_SGLD,    XP__ORACLE_SGLD_JACOBIAN, XP__MAXENT,
    XP__MAXENT_10,   XP__MAXENT_AUTHORS, XP__MAXENT_AUTHORS_SGLD,  XP__PARAM,
    XP__PARAM_SGLD,  XP__GAMMA,          XP__GAMMA_SGLD,           XP__NORMAL,
    XP__NORMAL_SGLD, XP__NAIVE,          XP__NAIVE_SGLD,
};
enum { AGENTS = sizeof agents / sizeof agents[0] };

static void lookup(const xp__agent_entry *agent, const char *subset, xp__measure measure,
                   double *mean, double *se) {
    *mean = *se = NAN;
    if (agent->in_tables != NULL && measure == XP__FINAL_REGRET) {
        const xp__paper_where where[] = {
            {"agent", agent->in_tables}, {"entropy_group", subset}, {NULL, NULL}};
        *mean = xp__paper_find("table2_priors", "regret", where);
        *se = xp__paper_find("table2_priors", "standard_error", where);
    }
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    return xp__agents_compare(grid, agents, AGENTS, error);
}

static void report(const xp__grid *grid, xp__builder *builder) {
    static const size_t levels[] = {XP__ORACLE, XP__MAXENT, XP__MAXENT_AUTHORS_SGLD, XP__NAIVE};
    static const size_t gaps[] = {XP__MAXENT, XP__MAXENT_10, XP__PARAM};
    static const size_t causes[] = {XP__MAXENT_AUTHORS_SGLD, XP__MAXENT_AUTHORS, XP__MAXENT};
    static const char approximation[] =
        "The gap was the authors' approximations of the prior and of the posterior.";
    static const char fitted[] =
        "The paper does not say how it fitted and bounded this prior; here it is truncated to "
        "[0, 1] and fitted with a penalty. Which of these makes the difference was not tested.";
    static const xp__ordering orderings[] = {
        {XP__ORACLE, XP__MAXENT_AUTHORS_SGLD, XP__ORACLE, XP__MAXENT, approximation, true},
        {XP__ORACLE, XP__ORACLE_SGLD, 0, 0, NULL, false},
        {XP__ORACLE_SGLD, XP__MAXENT_AUTHORS_SGLD, XP__ORACLE, XP__MAXENT, approximation, true},
        {XP__PARAM, XP__MAXENT_AUTHORS_SGLD, XP__PARAM, XP__MAXENT, approximation, true},
        {XP__MAXENT_AUTHORS_SGLD, XP__PARAM_SGLD, XP__MAXENT, XP__PARAM,
         "The paper does not say how its Beta-SGLD prior was fitted; the cause was not found.",
         false},
        {XP__MAXENT_AUTHORS_SGLD, XP__GAMMA_SGLD, XP__MAXENT, XP__GAMMA, fitted, false},
        {XP__MAXENT_AUTHORS_SGLD, XP__NORMAL_SGLD, XP__MAXENT, XP__NORMAL, fitted, false},
    };
    xp__rows_by_subset(builder, grid, AGENTS, XP__SUBSETS, xp__agents_block(grid, XP__ORACLE),
                       XP__FINAL_REGRET, lookup);
    xp__notes_on_protocol(builder, grid, 0);
    xp__builder_note(builder, "The paper's values are Table 2: final regret ± standard error. They "
                              "stand beside the agent that acts as the authors' program did.");
    xp__finding_on_levels(builder, grid, levels, sizeof levels / sizeof levels[0],
                          XP__FINAL_REGRET);
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        xp__finding_on_gap(builder, grid, gaps[i], XP__ORACLE, XP__FINAL_REGRET);
    }
    xp__finding_on_causes(builder, grid, causes, sizeof causes / sizeof causes[0], XP__ORACLE,
                          XP__FINAL_REGRET);
    xp__finding_on_agreement(builder, grid, AGENTS, XP__FINAL_REGRET, lookup);
    xp__findings_on_orderings(builder, grid, orderings, sizeof orderings / sizeof orderings[0],
                              XP__FINAL_REGRET, lookup);
}

const xp__study_type xp__study_table2 = {
    .name = "table2",
    .summary = "priors and samplers, right and wrong, by entropy group (Table 2)",
    .title = "Table 2: priors and samplers, right and wrong",
    .question = "How much do the prior and the sampler matter?",
    .reading = XP__READ_REGRET XP__READ_GROUPS,
    .order = 5,
    .in_paper = true,
    .reference = "Oracle-TS",
    .plan = plan,
    .report = report,
};
