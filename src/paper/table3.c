/* table3.c: Table 3 of the paper: Frozen Lake, seen (MDP) and hidden (POMDP) hazards.
 *
 * The authors' program and its parameters for this table are not public. The table of agents below
 * is the one place that holds ours: for each, the best of those that the study table3_tuning
 * measures on problems that are not used here; MaxEnt's replay is from docs/method/modes.md, with
 * the others' replay beside it; ExPLORe's temperature is from docs/method/agent.md. Agents that
 * take no heed of demonstrations are run once for all experts.
 */
#include "paper/agreement.h"
#include "paper/lake.h"
#include "study/album.h"
#include "study/study_type.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAIVE,
    PARAM,
    MAXENT_AUTHORS,
    MAXENT,
    POSTERIOR,
    EXPLORE,
    CLONING,
    MAXENT_SHORT,
    MAXENT_UNION,
    AGENTS
};

/* `spec` is all but the experts' competence, which the learner is told where it has use for it, and
 * what a smoke test cuts short. Modes are what demonstrations do not contradict, whatever the
 * competence: there beta only says how far apart networks are to hold actions. */
static const struct {
    const char *label, *in_paper, *spec, *settings, *smoke;
    bool uses_demos, told_beta;
} agents[AGENTS] = {
    [NAIVE] = {.label = "Naive Boot-DQN",
               .in_paper = "Naïve Boot-DQN",
               .spec = "boot_dqn:learning_rate=5e-5",
               .smoke = "members=5"},
    [PARAM] = {.label = "ExPerior-Param",
               .in_paper = "ExPerior-Param",
               .spec = "experior_param:learning_rate=5e-5,pretrain_steps=5000",
               .smoke = "members=5,networks=5,pretrain_steps=100",
               .uses_demos = true,
               .told_beta = true},
    [MAXENT_AUTHORS] = {.label = "ExPerior-MaxEnt (authors' density)",
                        .in_paper = "ExPerior-MaxEnt",
                        .spec =
                            "experior_maxent:prior=max_entropy,density=authors,learning_rate=1e-4",
                        .smoke = "members=5,references=50,chain_steps=100,chain_last=50",
                        .uses_demos = true,
                        .told_beta = true},
    [MAXENT] = {.label = "ExPerior-MaxEnt",
                .spec = "experior_maxent:learning_rate=5e-5,buffer=100000",
                .settings = "prior=modes", /* the default when it was first run */
                .smoke = "members=5,modes=8,draws=5,fit_steps=100",
                .uses_demos = true},
    [POSTERIOR] = {.label = "Posterior sampling (exact)",
                   .spec = "posterior_sampling",
                   .uses_demos = true,
                   .told_beta = true},
    [EXPLORE] = {.label = "ExPLORe (modified)",
                 .in_paper = "ExPLORe",
                 .spec = "explore:temperature=30,temperature_rate=1e-4",
                 .smoke = "batch=16,update_every=4",
                 .uses_demos = true},
    [CLONING] = {.label = "Behaviour cloning",
                 .spec = "behaviour_cloning:act=greedy",
                 .smoke = "networks=5,pretrain_steps=100",
                 .uses_demos = true,
                 .told_beta = true},
    [MAXENT_SHORT] = {.label = "ExPerior-MaxEnt (replay of 10,000)",
                      .spec = "experior_maxent:learning_rate=5e-5",
                      .settings = "prior=modes",
                      .smoke = "members=5,modes=8,draws=5,fit_steps=100",
                      .uses_demos = true},
    [MAXENT_UNION] = {.label = "ExPerior-MaxEnt (prior=union)", /* the default */
                      .spec = "experior_maxent:learning_rate=5e-5,buffer=100000,prior=union",
                      .smoke = "members=5,modes=8,draws=5,fit_steps=100",
                      .uses_demos = true},
};

/* The cells of the paper's table; then those with fewer hazards again, with experts of the
 * learner's own set. */
#define CELLS(shown)                                                                               \
    {shown, 9, 0.1, false}, {shown, 9, 1, false}, {shown, 9, 2.5, false}, {shown, 9, 10, false},   \
        {shown, 2, 1, false}, {shown, 5, 1, false}, {                                              \
        shown, 7, 1, false                                                                         \
    }
static const xp__lake_setting settings[] = {
    CELLS(false),        CELLS(true),        {false, 2, 1, true}, {false, 5, 1, true},
    {false, 7, 1, true}, {true, 2, 1, true}, {true, 5, 1, true},  {true, 7, 1, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static const struct {
    size_t steps, problems, own_problems, runs;
    uint64_t demonstrations;
    bool few; /* only some of the settings */
} amount[XP__SCALES] = {
    [XP__SMOKE] = {300, 2, 2, 2, 50, true},
    [XP__QUICK] = {20000, 2, 2, 2, 1000, true},
    [XP__PAPER] = {90000, 15, 4, 2, 1000, false},
};

static bool is_used(const xp__grid *grid, const xp__lake_setting *setting) {
    return !amount[grid->scale].few ||
           (setting->beta == 1 && (setting->hazards == 9 || setting->hazards == 2) &&
            !setting->own);
}

static void write_spec(const xp__grid *grid, size_t agent, double beta, char spec[XP__AGENT_TEXT]) {
    char competence[32];
    (void)xp__format(competence, sizeof competence, "beta=%g", beta);
    (void)snprintf(spec, XP__AGENT_TEXT, "%s", agents[agent].spec);
    xp__spec_extend(spec, agents[agent].told_beta ? competence : NULL);
    xp__spec_extend(spec, grid->scale == XP__SMOKE ? agents[agent].smoke : NULL);
}

static xp_status plan_setting(xp__grid *grid, const xp__lake_setting *setting, xp_error *error) {
    const xp__lake_setting any = {.shown = setting->shown, .hazards = setting->hazards, .beta = 1};
    const size_t problems =
        setting->own ? amount[grid->scale].own_problems : amount[grid->scale].problems;
    size_t set;
    const xp_status status = xp__lake_problems(grid, setting, 0, problems, &set, error);
    for (size_t agent = 0; status == XP_OK && agent < AGENTS; agent++) {
        char spec[XP__AGENT_TEXT];
        write_spec(grid, agent, setting->beta, spec);
        /* The chain of the authors' density may leave the numbers that there are (β = 0.1). */
        const xp__agent_entry wanted = {.label = agents[agent].label,
                                        .spec = spec,
                                        .settings = agents[agent].settings,
                                        .may_fail = agent == MAXENT_AUTHORS,
                                        .in_tables = agents[agent].in_paper};
        const xp__agent_entry *entry = xp__grid_agent(grid, &wanted);
        if (entry == NULL) {
            return xp__no_memory(error);
        }
        (void)xp__grid_block(grid, set, xp__lake_expert(agents[agent].uses_demos ? setting : &any),
                             entry);
    }
    return status;
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    grid->shape = (xp__shape){.tasks = amount[grid->scale].runs,
                              .demonstrations = amount[grid->scale].demonstrations,
                              .steps = amount[grid->scale].steps,
                              .evaluation = 500};
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < SETTINGS; i++) {
        status = is_used(grid, &settings[i]) ? plan_setting(grid, &settings[i], error) : XP_OK;
    }
    return status;
}

/* Settings that are used, in their order. */
typedef struct used {
    const xp__lake_setting *setting[SETTINGS];
    size_t count;
} used;

static used used_settings(const xp__grid *grid) {
    used list = {.count = 0};
    for (size_t i = 0; i < SETTINGS; i++) {
        if (is_used(grid, &settings[i])) {
            list.setting[list.count++] = &settings[i];
        }
    }
    return list;
}

static size_t block_of(size_t place, size_t agent) {
    return place * AGENTS + agent;
}

static void report_rows(const xp__grid *grid, xp__builder *builder, const used *list) {
    static const size_t asked[] = {XP__LAKE_EXACT, XP__LAKE_ESTIMATE, XP__LAKE_NEAR,
                                   XP__LAKE_VOTE,  XP__LAKE_SETTLED,  XP__LAKE_ACTING};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        for (size_t place = 0; place < list->count; place++) {
            for (size_t agent = 0; agent < AGENTS; agent++) {
                xp__lake_row(grid, builder, block_of(place, agent), block_of(place, NAIVE),
                             asked[i], list->setting[place], agents[agent].in_paper);
            }
            if (asked[i] == XP__LAKE_EXACT) {
                xp__lake_row(grid, builder, block_of(place, NAIVE), XP__NO_BLOCK, XP__LAKE_OPTIMAL,
                             list->setting[place], "Optimal");
            }
        }
    }
}

static xp__mean exact(const xp__grid *grid, size_t block, size_t minus) {
    return xp__block_spread(grid, block, minus, &xp__lake_question[XP__LAKE_EXACT]).mean;
}

/* In how many of the settings known something holds, and where not. */
typedef struct tally {
    size_t known, holds;
    char elsewhere[XP__LIST_TEXT];
} tally;

/* "Agent what in 3 of 4 cells. Not: ..." */
static void report_tally(xp__builder *builder, size_t agent, const char *what, const char *cells,
                         const tally *t) {
    const bool all = t->holds == t->known;
    if (t->known > 0) {
        xp__builder_finding(builder, "%s %s in %zu of %zu %s.%s%s%s", agents[agent].label, what,
                            t->holds, t->known, cells, all ? "" : " Not: ", t->elsewhere,
                            all ? "" : ".");
    }
}

/* How an agent stands to the paper's numbers. The margin is what one step costs. Cells that are the
 * same runs, of agents that take no heed of experts, count once. */
static void find_agreement(const xp__grid *grid, xp__builder *builder, const used *list,
                           size_t agent) {
    xp__agreement all = {.margin = 2, .digit = 0.005};
    for (size_t place = 0; place < list->count; place++) {
        const xp__lake_setting *setting = list->setting[place];
        const size_t block = block_of(place, agent), unit = grid->blocks[block].first;
        if (grid->distinct[grid->slot[unit]] == unit) {
            const xp__mean here = exact(grid, block, XP__NO_BLOCK);
            char text[XP__LAKE_TEXT];
            xp__agreement_add(&all, xp__lake_text(setting, text), &here,
                              xp__lake_paper(agents[agent].in_paper, setting, "reward"),
                              xp__lake_paper(agents[agent].in_paper, setting, "standard_error"));
        }
    }
    xp__agreement_report(&all, agents[agent].label, "the paper", builder);
}

/* One agent less another, setting by setting. */
static void find_order(const xp__grid *grid, xp__builder *builder, const used *list, size_t agent,
                       size_t other) {
    size_t known = 0, ahead = 0, behind = 0;
    double least = INFINITY, most = -INFINITY;
    char low[XP__MEAN_TEXT], high[XP__MEAN_TEXT];
    for (size_t place = 0; place < list->count; place++) {
        const xp__mean gap = exact(grid, block_of(place, agent), block_of(place, other));
        if (!isnan(gap.mean)) {
            known++;
            ahead += xp__mean_sign(&gap) > 0;
            behind += xp__mean_sign(&gap) < 0;
            least = fmin(least, gap.mean);
            most = fmax(most, gap.mean);
        }
    }
    if (known > 0) {
        xp__builder_finding(builder,
                            "%s minus %s in exact expected return: between %s and %s over %zu "
                            "settings; ahead (95 %% interval) in %zu, behind in %zu.",
                            agents[agent].label, agents[other].label,
                            xp__number_text("%+.2f", least, low),
                            xp__number_text("%+.2f", most, high), known, ahead, behind);
    }
}

/* How many settings an agent solves: every run within 0.5 of the optimum. */
static void find_solved(const xp__grid *grid, xp__builder *builder, const used *list) {
    char text[XP__LIST_TEXT] = "";
    for (size_t agent = 0; agent < AGENTS; agent++) {
        size_t known = 0, all = 0;
        for (size_t place = 0; place < list->count; place++) {
            const double share = xp__block_spread(grid, block_of(place, agent), XP__NO_BLOCK,
                                                  &xp__lake_question[XP__LAKE_NEAR])
                                     .mean.mean;
            known += !isnan(share);
            all += share == 1;
        }
        if (known > 0) {
            xp__list_add(text, "%s %zu of %zu", agents[agent].label, all, known);
        }
    }
    xp__builder_finding(
        builder, "Settings in which every run ends within 0.5 of the best possible: %s.", text);
}

/* How many runs failed, of those that differ: a mean near the optimum may hide one. */
static void find_failures(const xp__grid *grid, xp__builder *builder, const used *list,
                          size_t question, const char *rule) {
    char text[XP__LIST_TEXT] = "", count[XP__MEAN_TEXT];
    for (size_t agent = 0; agent < AGENTS; agent++) {
        size_t failed = 0, known = 0;
        for (size_t place = 0; place < list->count; place++) {
            xp__count_zeros(grid, block_of(place, agent), &xp__lake_question[question], &failed,
                            &known);
        }
        if (known > 0) {
            xp__list_add(text, "%s %s", agents[agent].label, xp__count_text(failed, known, count));
        }
    }
    xp__builder_finding(builder,
                        "Runs that end more than 0.5 below the best possible, %s, over all "
                        "settings, each run counted once, with exact 95 %% intervals (Clopper and "
                        "Pearson) as if runs were independent: %s.",
                        rule, text);
}

/* In which settings with experts that deserve the name an agent is at the optimum: the 95 %
 * interval of its mean shortfall, which is never below 0, ends within 0.5, a quarter of a step. One
 * run that fails badly is enough to miss it. */
static void find_optimal(const xp__grid *grid, xp__builder *builder, const used *list,
                         size_t agent) {
    tally t = {.known = 0};
    char text[XP__LAKE_TEXT];
    for (size_t place = 0; place < list->count; place++) {
        const xp__mean gap = xp__block_spread(grid, block_of(place, agent), XP__NO_BLOCK,
                                              &xp__lake_question[XP__LAKE_SHORTFALL])
                                 .mean;
        if (list->setting[place]->beta < 1 || isnan(gap.mean)) {
            continue;
        }
        t.known++;
        if (gap.mean + xp__mean_margin(&gap) <= 0.5) {
            t.holds++;
        } else {
            xp__list_add(t.elsewhere, "%s: %.2f ± %.2f below",
                         xp__lake_text(list->setting[place], text), gap.mean, gap.se);
        }
    }
    report_tally(builder, agent,
                 "is at the optimum, the 95 % interval of its shortfall within 0.5,",
                 "settings with β ≥ 1", &t);
}

/* Whose contexts experts show: sets drawn anew for each, or the learner's own. */
static void find_own_sets(const xp__grid *grid, xp__builder *builder, const used *list,
                          size_t agent) {
    char text[XP__LIST_TEXT] = "";
    for (size_t place = 0; place < list->count; place++) {
        for (size_t other = 0; list->setting[place]->own && other < list->count; other++) {
            const xp__lake_setting *a = list->setting[place], *b = list->setting[other];
            if (b->own || a->shown != b->shown || a->hazards != b->hazards || a->beta != b->beta) {
                continue;
            }
            const xp__mean gap = exact(grid, block_of(place, agent), block_of(other, agent));
            char name[XP__LAKE_TEXT], interval[XP__MEAN_TEXT];
            xp__list_add(text, "%s %s", xp__lake_text(b, name), xp__mean_text(&gap, interval));
        }
    }
    if (text[0] != '\0') {
        xp__builder_finding(builder,
                            "%s, demonstrations of the learner's own set minus demonstrations of "
                            "sets drawn anew, exact expected return: %s.",
                            agents[agent].label, text);
    }
}

/* Fits without a result have no rows. */
static void note_failures(const xp__grid *grid, xp__builder *builder, const used *list) {
    char cells[XP__LIST_TEXT] = "";
    for (size_t place = 0; place < list->count; place++) {
        const size_t block = block_of(place, MAXENT_AUTHORS);
        const size_t count = xp__grid_set(grid, block)->count;
        size_t failed = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t unit = grid->slot[grid->blocks[block].first + i];
            failed += grid->results[unit].fallback == XP__UNIT_FAILED;
        }
        if (failed > 0) {
            char text[XP__LAKE_TEXT];
            xp__list_add(cells, "%s: %zu of %zu", xp__lake_text(list->setting[place], text), failed,
                         count);
        }
    }
    if (cells[0] != '\0') {
        xp__builder_note(builder,
                         "%s: fits that diverged, to networks that are not finite, have no rows: "
                         "%s problems.",
                         agents[MAXENT_AUTHORS].label, cells);
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    const used list = used_settings(grid);
    report_rows(grid, builder, &list);
    xp__lake_notes(grid, builder);
    xp__builder_note(
        builder,
        "The paper does not give the learning rates and the pre-training of this "
        "table. Ours are in the specs: for each agent the best of those that table3_tuning "
        "measures, on problems that are not used here. That study also shows how the contrast "
        "depends on them. Without sight of the hazard, Naive Boot-DQN leaves the straight line at "
        "larger learning rates; with sight, networks then collapse, so that no rate serves both.");
    xp__builder_note(
        builder, "ExPLORe is modified (docs/method/agent.md). In rows \"expected return, exact\" "
                 "ExPerior-MaxEnt counts as the one policy on which its own posterior settles, the "
                 "other ensembles as the even mixture of their heads; in rows \"policy chosen by "
                 "returns\" the same rule holds for all. ExPerior-MaxEnt is prior=modes, and "
                 "prior=union, the default, has rows of its own. Both have a replay of the whole "
                 "run; in the row \"replay of 10,000\" it is the replay of the other agents.");
    xp__builder_note(builder,
                     "The learning rate of MaxEnt with the authors' density was chosen at β = 1 "
                     "and 10 only. Their program adds up the demonstrations where the paper "
                     "averages them: its λ = 10 is λ* = 10,000 at N = 1,000; here λ* = 10.");
    note_failures(grid, builder, &list);
    static const size_t first[] = {1, 4, 16};
    const size_t drawn[] = {POSTERIOR, MAXENT};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        xp__album_add(grid, builder, block_of(0, drawn[i]), 16, first,
                      sizeof first / sizeof first[0]);
    }
    find_solved(grid, builder, &list);
    find_failures(grid, builder, &list, XP__LAKE_NEAR, "by each agent's own mixture");
    find_failures(grid, builder, &list, XP__LAKE_NEAR_SETTLED,
                  "by the policy that returns choose, one rule for all");
    for (size_t agent = 0; agent < AGENTS; agent++) {
        find_optimal(grid, builder, &list, agent);
    }
    find_order(grid, builder, &list, MAXENT, NAIVE);
    find_order(grid, builder, &list, MAXENT, PARAM);
    find_order(grid, builder, &list, MAXENT, MAXENT_AUTHORS);
    find_order(grid, builder, &list, MAXENT, CLONING);
    find_order(grid, builder, &list, MAXENT, MAXENT_SHORT);
    find_order(grid, builder, &list, MAXENT_UNION, MAXENT);
    find_order(grid, builder, &list, PARAM, NAIVE);
    find_order(grid, builder, &list, POSTERIOR, NAIVE);
    find_order(grid, builder, &list, EXPLORE, NAIVE);
    for (size_t agent = 0; agent < AGENTS; agent++) {
        find_agreement(grid, builder, &list, agent);
    }
    for (size_t agent = 0; agent < AGENTS; agent++) {
        if (agents[agent].uses_demos) {
            find_own_sets(grid, builder, &list, agent);
        }
    }
}

const xp__study_type xp__study_table3 = {
    .name = "table3",
    .summary = "returns of policies in Frozen Lake, hazards seen and hidden (Table 3)",
    .title = "Table 3: Frozen Lake",
    .question = "What is the learned policy worth in Frozen Lake, with hazards seen or hidden and "
                "more or less competent experts?",
    .reading = "A return is the sum of the rewards of one episode; more is better. In groups named "
               "mdp the "
               "learner sees where the hazard is, in pomdp it does not; n is the number of "
               "squares where it may be, and β the competence of the experts. A difference is "
               "followed by its 95 % interval.",
    .order = 7,
    .in_paper = true,
    .reference = "Naive Boot-DQN",
    .has_states = true,
    .revision = 1, /* evaluations keep what returns choose and what acting returned */
    .plan = plan,
    .report = report,
};
