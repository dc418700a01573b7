/* lake.c: settings of Frozen Lake and their rows. */
#include "paper/lake.h"

#include "paper/findings.h"

#include "paper/paper.h"

#include "base/text/text.h"
#include "env/create.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The paper's competences. An expert of the learner's own set stands beside each. */
#define EXPERT(competence)                                                                         \
    {                                                                                              \
        {.name = "noisily_rational", .parameter = "beta", .value = (competence)}, {                \
            .name = "noisily_rational", .parameter = "beta", .value = (competence),                \
            .own_context = true                                                                    \
        }                                                                                          \
    }
static const xp__expert_entry experts[][2] = {EXPERT(0.1), EXPERT(1), EXPERT(2.5), EXPERT(10)};

#define FIELD(name) (offsetof(xp__evaluation, name) / sizeof(double))
const xp__question xp__lake_question[XP__LAKE_QUESTIONS] = {
    [XP__LAKE_EXACT] = {.ask = xp__ask_evaluation, .field = FIELD(exact)},
    [XP__LAKE_ESTIMATE] = {.ask = xp__ask_evaluation, .field = FIELD(estimate)},
    [XP__LAKE_VOTE] = {.ask = xp__ask_evaluation, .field = FIELD(vote)},
    [XP__LAKE_NEAR] = {.ask = xp__ask_near_optimal, .level = 0.5, .field = FIELD(exact)},
    [XP__LAKE_SHORTFALL] = {.ask = xp__ask_shortfall},
    [XP__LAKE_OPTIMAL] = {.ask = xp__ask_evaluation, .field = FIELD(optimal)},
    [XP__LAKE_SETTLED] = {.ask = xp__ask_evaluation, .field = FIELD(settled)},
    [XP__LAKE_NEAR_SETTLED] = {.ask = xp__ask_near_optimal, .level = 0.5, .field = FIELD(settled)},
    [XP__LAKE_ACTING] = {.ask = xp__ask_evaluation, .field = FIELD(acting)},
};
const char *const xp__lake_measure[XP__LAKE_QUESTIONS] = {
    [XP__LAKE_EXACT] = "expected return, exact",
    [XP__LAKE_ESTIMATE] = "mean return over the evaluation's steps",
    [XP__LAKE_VOTE] = "expected return of the majority's policy, exact",
    [XP__LAKE_NEAR] = "share of runs within 0.5 of the optimum",
    [XP__LAKE_OPTIMAL] = "expected return, exact", /* it stands among the agents' */
    [XP__LAKE_SETTLED] = "expected return of the policy chosen by returns, exact",
    [XP__LAKE_NEAR_SETTLED] = "share of runs within 0.5 of the optimum, policy chosen by returns",
    [XP__LAKE_ACTING] = "mean return as it acts, last tenth of the run",
};

const char *xp__lake_text(const xp__lake_setting *setting, char *text) {
    (void)xp__format(text, XP__LAKE_TEXT, "%s, n = %zu, β = %g%s", setting->shown ? "mdp" : "pomdp",
                     setting->hazards, setting->beta, setting->own ? ", own set" : "");
    return text;
}

const xp__expert_entry *xp__lake_expert(const xp__lake_setting *setting) {
    size_t i = 0;
    while (experts[i][0].value != setting->beta) {
        i++;
        assert(i < sizeof experts / sizeof experts[0]);
    }
    return &experts[i][setting->own ? 1 : 0];
}

xp_status xp__lake_problems(xp__grid *grid, const xp__lake_setting *setting, size_t first,
                            size_t count, size_t *set, xp_error *error) {
    xp__params params;
    xp_status status = xp__env_params_default("frozen_lake", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "hazards", (double)setting->hazards, error);
    }
    if (status == XP_OK) {
        status =
            xp__params_set_text(&params, "observation", setting->shown ? "mdp" : "pomdp", error);
    }
    if (status == XP_OK) {
        status = xp__grid_list(grid, "frozen_lake", &params, first, count, set, error);
    }
    for (size_t i = 0; status == XP_OK && i < *set; i++) {
        if (grid->sets[i].count == grid->sets[*set].count &&
            grid->sets[i].problems[0].index == first &&
            strcmp(grid->sets[i].problems[0].setting, grid->sets[*set].problems[0].setting) == 0) {
            xp__problem_set_deinit(&grid->sets[*set]);
            grid->set_count--;
            *set = i;
        }
    }
    return status;
}

double xp__lake_paper(const char *agent, const xp__lake_setting *setting, const char *column) {
    if (agent == NULL || setting->own) {
        return NAN;
    }
    char hazards[16], beta[16];
    (void)snprintf(hazards, sizeof hazards, "%zu", setting->hazards);
    (void)xp__format(beta, sizeof beta, "%g", setting->beta);
    const xp__paper_where where[] = {{"observability", setting->shown ? "mdp" : "pomdp"},
                                     {"agent", agent},
                                     {"hazards", hazards},
                                     {"beta", beta},
                                     {NULL, NULL}};
    return xp__paper_find("table3_frozen_lake", column, where);
}

void xp__lake_row(const xp__grid *grid, xp__builder *builder, size_t block, size_t reference,
                  size_t question, const xp__lake_setting *setting, const char *paper_agent) {
    const xp__question *what = &xp__lake_question[question];
    const xp__agent_entry *agent = grid->blocks[block].agent;
    const bool optimal = question == XP__LAKE_OPTIMAL;
    char text[XP__LAKE_TEXT];
    xp__runs_add(builder, grid, block, what, optimal ? "Optimal" : agent->label,
                 xp__lake_text(setting, text), xp__lake_measure[question]);
    const xp__spread spread = xp__block_spread(grid, block, XP__NO_BLOCK, what);
    if (isnan(spread.mean.mean)) {
        return;
    }
    const bool compared = reference != XP__NO_BLOCK && reference != block;
    const xp__spread gap =
        compared ? xp__block_spread(grid, block, reference, what) : (xp__spread){.runs = 0};
    xp_study_row row =
        xp__spread_row(optimal ? "Optimal" : agent->label, optimal ? "" : agent->spec, text,
                       xp__lake_measure[question], &spread, compared ? &gap.mean : NULL);
    if (question == XP__LAKE_EXACT || question == XP__LAKE_ESTIMATE || optimal) {
        row.paper_mean = xp__lake_paper(paper_agent, setting, "reward");
        row.paper_se = xp__lake_paper(paper_agent, setting, "standard_error");
    }
    xp__builder_row(builder, &row);
}

void xp__lake_notes(const xp__grid *grid, xp__builder *builder) {
    const xp__shape *shape = &grid->shape;
    const xp__problem_set *set = xp__grid_set(grid, 0);
    xp__note_settings(builder, grid);
    xp__builder_note(builder,
                     "Frozen Lake: %zu problems per setting (numbers %zu to %zu of the seed), each "
                     "%llu demonstrations by noisily rational experts who see the hazard and, for "
                     "agents that have one, a prior fitted to them; %zu run%s from each, every run "
                     "with its own set of hazard squares. An agent learns for %zu steps. Every "
                     "agent meets the same demonstrations, sets and hazards.",
                     set->count, set->problems[0].index, set->problems[0].index + set->count - 1,
                     (unsigned long long)shape->demonstrations, shape->tasks,
                     shape->tasks == 1 ? "" : "s", shape->steps);
    xp__builder_note(builder,
                     "Then it stops learning. The exact value is the expected return of the "
                     "mixture of its policies (of the heads, each as often as it is drawn), over "
                     "all hazards and paths; the estimate is the mean return of the episodes that "
                     "end within %zu steps, as in the paper, whose values stand beside both. The "
                     "majority's policy takes, in each state, the action that most policies take.",
                     shape->evaluation);
    xp__builder_note(
        builder, "Agents weigh their policies by different rules. One rule is the same for all: "
                 "the policy chosen by returns is the one whose recent episodes have the highest "
                 "mean return minus two standard errors (src/run/settle.h); its exact expected "
                 "return is given. What an agent returns while it is acting is the mean over the "
                 "episodes that began in the last tenth of the run, exploration included.");
    xp__builder_note(
        builder, "± is the standard error over problems, each of which counts with the mean over "
                 "its runs. The two "
                 "standard deviations are those of the one-way random-effects model, between "
                 "problems and between the runs of one problem (which differ by the set, too); an "
                 "estimate below 0 is shown as 0. Differences are paired by run; brackets are "
                 "95 %% intervals, Student's t over problems; none is corrected for their number.");
}
