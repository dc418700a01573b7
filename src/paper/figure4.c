/* figure4.c: Figure 4 of the paper: learning curves in Deep Sea for four distributions of the goal.
 *
 * A unit is one agent on the runs of one problem: 1,000 demonstrations and one fitted prior, shared
 * by two runs with a goal each. The authors share one fitted prior among all of their 30 seeds, so
 * that their standard errors leave out how these differ; here problems are replicated and both
 * spreads are told. The return of every episode is kept: windows, moving averages and curves are
 * made from that. */
#include "paper/figure4.h"

#include "base/memory.h"
#include "env/create.h"
#include "study/album.h"
#include "paper/paper.h"
#include "study/study_type.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK = 50, PAPER_SIZE = 30, PAPER_EPISODES = 2000 };

const char *const xp__sea_goal_name[XP__SEA_GOALS] = {
    [XP__SEA_LAST] = "last column",
    [XP__SEA_QUARTER] = "last quarter",
    [XP__SEA_HALF] = "last half",
    [XP__SEA_ANY] = "any column",
};
static const char *const goal_word[XP__SEA_GOALS] = {"last", "quarter", "half", "any"};

/* The agents. A spec that is not given for a goal is that for the goal before it; `smoke` is what a
 * smoke test cuts short. */
static const struct {
    const char *label, *in_paper, *settings;
    const char *spec[XP__SEA_GOALS];
    const char *smoke;
} agents[XP__SEA_AGENTS] = {
    [XP__SEA_NAIVE] = {.label = "Naive Boot-DQN",
                       .in_paper = "Naive Boot-DQN",
                       .spec = {"boot_dqn"},
                       .smoke = "members=5"},
    [XP__SEA_PARAM] = {.label = "ExPerior-Param",
                       .in_paper = "ExPerior-Param",
                       .spec = {"experior_param"},
                       .smoke = "members=5,pretrain_steps=100"},
    /* The authors tuned the regulariser for each distribution of the goal. */
    [XP__SEA_MAXENT_AUTHORS] =
        {.label = "ExPerior-MaxEnt (authors' density)",
         .in_paper = "ExPerior-MaxEnt",
         .spec =
             {[XP__SEA_LAST] = "experior_maxent:prior=max_entropy,density=authors,regulariser=0.1",
              [XP__SEA_HALF] = "experior_maxent:prior=max_entropy,density=authors,regulariser=1",
              [XP__SEA_ANY] = "experior_maxent:prior=max_entropy,density=authors,regulariser=10"},
         .smoke = "members=5,references=50,chain_steps=100,chain_last=50"},
    [XP__SEA_MAXENT] = {.label = "ExPerior-MaxEnt",
                        .spec = {"experior_maxent"},
                        .settings = "prior=modes", /* the default when it was first run */
                        .smoke = "members=5,modes=8,draws=5,fit_steps=100"},
    [XP__SEA_POSTERIOR] = {.label = "Posterior sampling (exact)", .spec = {"posterior_sampling"}},
    [XP__SEA_EXPLORE] = {.label = "ExPLORe (modified)",
                         .in_paper = "ExPLORe",
                         .spec = {"explore"},
                         .smoke = "batch=16,update_every=4"},
};

/* How much is computed at each scale. */
static const struct {
    size_t size, episodes, problems, runs;
    uint64_t demonstrations;
} amount[XP__SCALES] = {
    [XP__SMOKE] = {6, 100, 2, 2, 50},
    [XP__QUICK] = {PAPER_SIZE, 300, 3, 1, 1000},
    [XP__PAPER] = {PAPER_SIZE, PAPER_EPISODES, 15, 2, 1000},
};

static const char *write_spec(const xp__grid *grid, size_t agent, size_t goal,
                              char spec[XP__AGENT_TEXT]) {
    while (agents[agent].spec[goal] == NULL) {
        goal--;
    }
    (void)snprintf(spec, XP__AGENT_TEXT, "%s", agents[agent].spec[goal]);
    xp__spec_extend(spec, grid->scale == XP__SMOKE ? agents[agent].smoke : NULL);
    return spec;
}

static xp_status plan_goal(xp__grid *grid, size_t goal, xp_error *error) {
    xp__params params;
    size_t set = 0;
    xp_status status = xp__env_params_default("deep_sea", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "size", (double)amount[grid->scale].size, error);
    }
    if (status == XP_OK) {
        status = xp__params_set_text(&params, "goal", goal_word[goal], error);
    }
    if (status == XP_OK) {
        status =
            xp__grid_list(grid, "deep_sea", &params, 0, amount[grid->scale].problems, &set, error);
    }
    for (size_t agent = 0; status == XP_OK && agent < XP__SEA_AGENTS; agent++) {
        char spec[XP__AGENT_TEXT];
        const xp__agent_entry wanted = {.label = agents[agent].label,
                                        .spec = write_spec(grid, agent, goal, spec),
                                        .settings = agents[agent].settings,
                                        .in_figures = agents[agent].in_paper};
        const xp__agent_entry *entry = xp__grid_agent(grid, &wanted);
        if (entry == NULL) {
            return xp__no_memory(error);
        }
        (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, entry);
    }
    return status;
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    grid->shape = (xp__shape){.tasks = amount[grid->scale].runs,
                              .episodes = amount[grid->scale].episodes,
                              .demonstrations = amount[grid->scale].demonstrations,
                              .returns = true};
    xp_status status = XP_OK;
    for (size_t goal = 0; status == XP_OK && goal < XP__SEA_GOALS; goal++) {
        status = plan_goal(grid, goal, error);
    }
    return status;
}

size_t xp__sea_block(const xp__grid *grid, size_t goal, size_t agent) {
    (void)grid;
    return goal * XP__SEA_AGENTS + agent;
}

const char *xp__sea_label(size_t agent) {
    return agents[agent].label;
}

static bool like_paper(const xp__grid *grid) {
    return amount[grid->scale].size == PAPER_SIZE && grid->shape.demonstrations == 1000;
}

/* Longer windows are in the summary, under these names; blocks of 50 episodes are in the curves. */
static const struct {
    xp__window window;
    const char *mean, *se;
} in_summary[] = {
    {{1, 200}, "mean_1-200", "se_1-200"},
    {{201, 500}, "mean_201-500", "se_201-500"},
    {{501, 1000}, "mean_501-1000", "se_501-1000"},
    {{1001, 2000}, "mean_1001-2000", "se_1001-2000"},
    {{1, PAPER_EPISODES}, "mean_all", "se_all"},
    {{PAPER_EPISODES - 199, PAPER_EPISODES}, "mean_final200", "se_final200"},
};

bool xp__sea_paper(const xp__grid *grid, size_t goal, size_t agent, xp__window window, double *mean,
                   double *se) {
    *mean = *se = NAN;
    if (agents[agent].in_paper == NULL || !like_paper(grid)) {
        return false;
    }
    char number[8], from[24], to[24];
    (void)snprintf(number, sizeof number, "%zu", goal);
    (void)snprintf(from, sizeof from, "%zu", window.first);
    (void)snprintf(to, sizeof to, "%zu", window.last);
    for (size_t i = 0; i < sizeof in_summary / sizeof in_summary[0]; i++) {
        if (in_summary[i].window.first == window.first &&
            in_summary[i].window.last == window.last) {
            const xp__paper_where where[] = {
                {"method", agents[agent].in_paper}, {"goal_dist", number}, {NULL, NULL}};
            *mean = xp__paper_find("deep_sea_summary", in_summary[i].mean, where);
            *se = xp__paper_find("deep_sea_summary", in_summary[i].se, where);
            return !isnan(*mean);
        }
    }
    const xp__paper_where where[] = {{"method", agents[agent].in_paper},
                                     {"goal_dist", number},
                                     {"ep_from", from},
                                     {"ep_to", to},
                                     {NULL, NULL}};
    *mean = xp__paper_find("deep_sea_curves", "mean", where);
    *se = xp__paper_find("deep_sea_curves", "se", where);
    return !isnan(*mean);
}

xp__spread xp__sea_return(const xp__grid *grid, size_t goal, size_t agent, size_t minus,
                          xp__window window) {
    const xp__question question = {.ask = xp__ask_window, .window = window};
    return xp__block_spread(
        grid, xp__sea_block(grid, goal, agent),
        minus < XP__SEA_AGENTS ? xp__sea_block(grid, goal, minus) : XP__NO_BLOCK, &question);
}

static void add_row(const xp__grid *grid, xp__builder *builder, size_t goal, size_t agent,
                    const xp__question *question, const char *measure, double paper,
                    double paper_se) {
    const size_t block = xp__sea_block(grid, goal, agent);
    const xp__spread spread = xp__block_spread(grid, block, XP__NO_BLOCK, question);
    const xp__spread gap =
        xp__block_spread(grid, block, xp__sea_block(grid, goal, XP__SEA_NAIVE), question);
    xp__runs_add(builder, grid, block, question, agents[agent].label, xp__sea_goal_name[goal],
                 measure);
    xp_study_row row = xp__spread_row(agents[agent].label, grid->blocks[block].agent->spec,
                                      xp__sea_goal_name[goal], measure, &spread,
                                      agent != XP__SEA_NAIVE ? &gap.mean : NULL);
    row.paper_mean = paper;
    row.paper_se = paper_se;
    xp__builder_row(builder, &row);
}

static void report_windows(const xp__grid *grid, xp__builder *builder) {
    const size_t last = grid->shape.episodes;
    const xp__window windows[] = {{1, 50},      {1, 200},  {201, 500},        {501, 1000},
                                  {1001, 2000}, {1, last}, {last - 199, last}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        const xp__window window = windows[i];
        if (window.last > last || window.first < 1 || window.first > window.last) {
            continue;
        }
        char measure[48];
        (void)snprintf(measure, sizeof measure, "return, episodes %zu-%zu", window.first,
                       window.last);
        const xp__question question = {.ask = xp__ask_window, .window = window};
        for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
            for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
                double mean, se;
                (void)xp__sea_paper(grid, goal, agent, window, &mean, &se);
                add_row(grid, builder, goal, agent, &question, measure, mean, se);
            }
        }
    }
}

static double paper_summary(const xp__grid *grid, size_t goal, size_t agent, const char *column) {
    if (agents[agent].in_paper == NULL || !like_paper(grid) ||
        grid->shape.episodes != PAPER_EPISODES) {
        return NAN;
    }
    char number[8];
    (void)snprintf(number, sizeof number, "%zu", goal);
    const xp__paper_where where[] = {
        {"method", agents[agent].in_paper}, {"goal_dist", number}, {NULL, NULL}};
    return xp__paper_find("deep_sea_summary", column, where);
}

static void report_solved(const xp__grid *grid, xp__builder *builder) {
    const xp__question question = {.ask = xp__ask_solved, .level = 0.5};
    for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
        for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
            const double seeds = paper_summary(grid, goal, agent, "seeds_of_30_solved");
            add_row(grid, builder, goal, agent, &question, "share of runs solved in the end",
                    seeds / 30, NAN);
        }
    }
}

/* When the curve of the mean over runs gets to a level, as the authors' summary has it. A level
 * that is never reached has no row. */
static void report_milestones(const xp__grid *grid, xp__builder *builder) {
    static const struct {
        size_t (*when)(const double *, size_t, double);
        double level;
        const char *measure, *column;
    } kinds[] = {
        {xp__average_reaches, 0.5, "first episode with the mean curve at 0.5",
         "first_episode_ma5_ge_0.5"},
        {xp__average_reaches, 0.9, "first episode with the mean curve at 0.9",
         "first_episode_ma5_ge_0.9"},
        {xp__average_stays, 0.5, "episode from which the mean curve stays at 0.5",
         "ma5_stays_ge_0.5_from"},
        {xp__average_stays, 0.9, "episode from which the mean curve stays at 0.9",
         "ma5_stays_ge_0.9_from"},
    };
    double *curve = xp__alloc(grid->shape.episodes, sizeof *curve);
    builder->failed = builder->failed || curve == NULL;
    for (size_t goal = 0; curve != NULL && goal < XP__SEA_GOALS; goal++) {
        for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
            const size_t block = xp__sea_block(grid, goal, agent);
            xp__block_curve(grid, block, curve);
            for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
                const size_t episode = kinds[i].when(curve, grid->shape.episodes, kinds[i].level);
                if (episode > 0) {
                    const xp__mean mean = {
                        .n = xp__grid_set(grid, block)->count, .mean = (double)episode, .se = NAN};
                    xp_study_row row =
                        xp__study_row(agents[agent].label, grid->blocks[block].agent->spec,
                                      xp__sea_goal_name[goal], kinds[i].measure, &mean);
                    row.paper_mean = paper_summary(grid, goal, agent, kinds[i].column);
                    xp__builder_row(builder, &row);
                }
            }
        }
    }
    xp__free(curve);
}

/* Points at the middle of blocks of 50 episodes. */
static void add_curve(const xp__grid *grid, xp__builder *builder, size_t goal, size_t agent) {
    double mean, se;
    size_t paper = 0;
    while (xp__sea_paper(grid, goal, agent, (xp__window){paper * BLOCK + 1, (paper + 1) * BLOCK},
                         &mean, &se)) {
        paper++;
    }
    const xp_series labels = {.agent = agents[agent].label,
                              .panel = xp__sea_goal_name[goal],
                              .x_label = "episode",
                              .y_label = "return",
                              .n = grid->shape.episodes / BLOCK,
                              .paper_n = paper};
    xp_series *series = xp__builder_series(builder, &labels, true);
    for (size_t i = 0; series != NULL && i < series->n; i++) {
        const xp__window window = {i * BLOCK + 1, (i + 1) * BLOCK};
        const xp__spread spread = xp__sea_return(grid, goal, agent, XP__SEA_AGENTS, window);
        series->x[i] = ((double)window.first + (double)window.last) / 2;
        series->y[i] = spread.mean.mean;
        series->se[i] = spread.mean.se;
    }
    for (size_t i = 0; series != NULL && i < series->paper_n; i++) {
        const xp__window window = {i * BLOCK + 1, (i + 1) * BLOCK};
        series->paper_x[i] = ((double)window.first + (double)window.last) / 2;
        (void)xp__sea_paper(grid, goal, agent, window, &series->paper_y[i], &series->paper_se[i]);
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    report_windows(grid, builder);
    report_solved(grid, builder);
    report_milestones(grid, builder);
    for (size_t goal = 0; goal < XP__SEA_GOALS; goal++) {
        for (size_t agent = 0; agent < XP__SEA_AGENTS; agent++) {
            add_curve(grid, builder, goal, agent);
        }
    }
    static const size_t first[] = {1, 2, 4, 8};
    const size_t drawn[] = {XP__SEA_POSTERIOR, XP__SEA_MAXENT};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        xp__album_add(grid, builder, xp__sea_block(grid, XP__SEA_ANY, drawn[i]),
                      grid->shape.episodes, first, sizeof first / sizeof first[0]);
    }
    xp__sea_findings(grid, builder);
}

const xp__study_type xp__study_figure4 = {
    .name = "figure4",
    .summary = "learning curves in Deep Sea for four distributions of the goal (Figure 4)",
    .title = "Figure 4: Deep Sea",
    .question =
        "How soon do agents find the goal in Deep Sea, when demonstrations show where it may be?",
    .reading = "The return of an episode is 0.99 if it ends at the goal and close to 0 if not; "
               "more is better. Groups say in which columns the goal may be: the last one, the "
               "last quarter, the last half, any. A difference is followed by its 95 % interval.",
    .order = 6,
    .in_paper = true,
    .reference = "Naive Boot-DQN",
    .has_states = true,
    .plan = plan,
    .report = report,
};
