/* table3_tuning.c: learning rates, and one more option each, for the agents of Table 3.
 *
 * Problems are numbered from 1,000 on, so that what is chosen here is measured by table3 on others.
 * Every combination is run; nothing is chosen by the program. */
#include "paper/lake.h"
#include "study/study_type.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <math.h>
#include <stdio.h>

enum { FIRST_PROBLEM = 1000 };

static const char *const rates[] = {"5e-5", "1e-4", "2e-4", "1e-3"};
enum { RATES = sizeof rates / sizeof rates[0], MOST_VALUES = 3 };

/* Agents, and for some an option that is varied too. */
static const struct {
    const char *label, *in_paper, *spec, *settings, *smoke;
    const char *option, *option_label, *values[MOST_VALUES];
    size_t value_count;
    bool uses_demos, told_beta;
} agents[] = {
    {.label = "Naive Boot-DQN",
     .in_paper = "Naïve Boot-DQN",
     .spec = "boot_dqn",
     .smoke = "members=5"},
    {.label = "ExPerior-Param",
     .in_paper = "ExPerior-Param",
     .spec = "experior_param",
     .smoke = "members=5",
     .option = "pretrain_steps",
     .option_label = "pre-training",
     .values = {"100", "1000", "5000"},
     .value_count = 3,
     .uses_demos = true,
     .told_beta = true},
    {.label = "ExPerior-MaxEnt (authors' density)",
     .in_paper = "ExPerior-MaxEnt",
     .spec = "experior_maxent:prior=max_entropy,density=authors",
     .smoke = "members=5,references=50,chain_steps=100,chain_last=50",
     .uses_demos = true,
     .told_beta = true},
    {.label = "ExPerior-MaxEnt",
     .spec = "experior_maxent",
     .settings = "prior=modes", /* the default when it was first run */
     .smoke = "members=5,modes=8,draws=5,fit_steps=100",
     .option = "buffer",
     .option_label = "replay of",
     .values = {"10000", "100000"},
     .value_count = 2,
     .uses_demos = true},
};
enum { AGENTS = sizeof agents / sizeof agents[0] };

static const xp__lake_setting settings[] = {{.shown = false, .hazards = 9, .beta = 1},
                                            {.shown = true, .hazards = 9, .beta = 1},
                                            {.shown = false, .hazards = 9, .beta = 10}};

static const struct {
    size_t steps, problems, settings, values;
    uint64_t demonstrations;
} amount[XP__SCALES] = {
    [XP__SMOKE] = {200, 2, 1, 1, 50},
    [XP__QUICK] = {20000, 2, 2, MOST_VALUES, 1000},
    [XP__PAPER] = {90000, 4, 3, MOST_VALUES, 1000},
};

/* Values of its own option that an agent is run with; 1 if it has no such option. */
static size_t values_tried(const xp__grid *grid, size_t agent) {
    const size_t all = agents[agent].value_count, most = amount[grid->scale].values;
    return all == 0 ? 1 : all < most ? all : most;
}

/* Combinations of one agent, numbered; all of them stand one after the other in a setting. */
static size_t combinations(const xp__grid *grid, size_t agent) {
    return RATES * values_tried(grid, agent);
}

static size_t all_combinations(const xp__grid *grid) {
    size_t sum = 0;
    for (size_t agent = 0; agent < AGENTS; agent++) {
        sum += combinations(grid, agent);
    }
    return sum;
}

static const xp__agent_entry *make_agent(xp__grid *grid, size_t agent, size_t which, double beta) {
    const char *rate = rates[which % RATES], *value = agents[agent].values[which / RATES];
    char option[64] = "", label[XP__AGENT_TEXT], spec[XP__AGENT_TEXT];
    if (agents[agent].option != NULL) {
        (void)snprintf(option, sizeof option, ", %s %s", agents[agent].option_label, value);
    }
    (void)snprintf(label, sizeof label, "%s, rate %s%s", agents[agent].label, rate, option);
    (void)snprintf(spec, sizeof spec, "%s", agents[agent].spec);
    (void)snprintf(option, sizeof option, "learning_rate=%s", rate);
    xp__spec_extend(spec, option);
    if (agents[agent].option != NULL) {
        (void)snprintf(option, sizeof option, "%s=%s", agents[agent].option, value);
        xp__spec_extend(spec, option);
    }
    (void)xp__format(option, sizeof option, "beta=%g", beta);
    xp__spec_extend(spec, agents[agent].told_beta ? option : NULL);
    xp__spec_extend(spec, grid->scale == XP__SMOKE ? agents[agent].smoke : NULL);
    const xp__agent_entry wanted = {.label = label,
                                    .spec = spec,
                                    .settings = agents[agent].settings,
                                    .in_tables = agents[agent].in_paper};
    return xp__grid_agent(grid, &wanted);
}

static xp_status plan(xp__grid *grid, xp_error *error) {
    grid->shape = (xp__shape){.tasks = 1,
                              .demonstrations = amount[grid->scale].demonstrations,
                              .steps = amount[grid->scale].steps,
                              .evaluation = 500};
    for (size_t i = 0; i < amount[grid->scale].settings; i++) {
        const xp__lake_setting any = {.shown = settings[i].shown, .hazards = 9, .beta = 1};
        size_t set;
        const xp_status status = xp__lake_problems(grid, &settings[i], FIRST_PROBLEM,
                                                   amount[grid->scale].problems, &set, error);
        if (status != XP_OK) {
            return status;
        }
        for (size_t agent = 0; agent < AGENTS; agent++) {
            for (size_t which = 0; which < combinations(grid, agent); which++) {
                const xp__agent_entry *entry = make_agent(grid, agent, which, settings[i].beta);
                if (entry == NULL) {
                    return xp__no_memory(error);
                }
                (void)xp__grid_block(
                    grid, set, xp__lake_expert(agents[agent].uses_demos ? &settings[i] : &any),
                    entry);
            }
        }
    }
    return XP_OK;
}

/* The best combination of an agent in each setting, and over all of them. */
static void find_best(const xp__grid *grid, xp__builder *builder, size_t agent, size_t first) {
    const xp__question *what = &xp__lake_question[XP__LAKE_EXACT];
    const size_t count = amount[grid->scale].settings, step = all_combinations(grid);
    size_t best = 0, worst = 0;
    double best_mean = -INFINITY, worst_mean = INFINITY;
    char high[XP__MEAN_TEXT], low[XP__MEAN_TEXT];
    for (size_t which = 0; which < combinations(grid, agent); which++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += xp__block_spread(grid, i * step + first + which, XP__NO_BLOCK, what).mean.mean;
        }
        if (sum / (double)count > best_mean) {
            best_mean = sum / (double)count;
            best = which;
        }
        if (sum / (double)count < worst_mean) {
            worst_mean = sum / (double)count;
            worst = which;
        }
    }
    xp__builder_finding(
        builder,
        "Best of %zu by exact expected return, mean over %zu setting%s: %s (%s); "
        "worst: %s (%s).",
        combinations(grid, agent), count, count == 1 ? "" : "s",
        grid->blocks[first + best].agent->label, xp__number_text("%.2f", best_mean, high),
        grid->blocks[first + worst].agent->label, xp__number_text("%.2f", worst_mean, low));
}

/* "Naive Boot-DQN −24.67", or from the lowest to the highest over the values of its option. */
static void add_agent(const xp__grid *grid, size_t agent, size_t block, char *list) {
    const size_t tried = values_tried(grid, agent);
    double least = INFINITY, most = -INFINITY;
    char low[XP__MEAN_TEXT], high[XP__MEAN_TEXT];
    for (size_t value = 0; value < tried; value++) {
        const double mean = xp__block_spread(grid, block + value * RATES, XP__NO_BLOCK,
                                             &xp__lake_question[XP__LAKE_EXACT])
                                .mean.mean;
        least = fmin(least, mean);
        most = fmax(most, mean);
    }
    xp__list_add(list, "%s %s%s%s", agents[agent].label, xp__number_text("%.2f", least, low),
                 tried > 1 ? " to " : "", tried > 1 ? xp__number_text("%.2f", most, high) : "");
}

/* What a learning rate makes of the paper's contrast. */
static void find_contrast(const xp__grid *grid, xp__builder *builder, size_t rate) {
    const size_t step = all_combinations(grid);
    for (size_t i = 0; i < amount[grid->scale].settings; i++) {
        char list[XP__LIST_TEXT] = "", text[XP__LAKE_TEXT];
        size_t first = i * step;
        for (size_t agent = 0; agent < AGENTS; agent++) {
            add_agent(grid, agent, first + rate, list);
            first += combinations(grid, agent);
        }
        xp__builder_finding(builder, "Learning rate %s, %s: %s.", rates[rate],
                            xp__lake_text(&settings[i], text), list);
    }
}

static void report(const xp__grid *grid, xp__builder *builder) {
    static const size_t asked[] = {XP__LAKE_EXACT, XP__LAKE_NEAR};
    const size_t step = all_combinations(grid);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        for (size_t block = 0; block < grid->block_count; block++) {
            xp__lake_row(grid, builder, block, XP__NO_BLOCK, asked[i], &settings[block / step],
                         grid->blocks[block].agent->in_tables);
        }
    }
    xp__lake_notes(grid, builder);
    xp__builder_note(
        builder,
        "Table 3 is made from problems 0 to 14; these are others, for choosing. With "
        "few problems, and runs that either solve the task or do not, a difference of one run is "
        "no reason to prefer a value. Where another parameter of an agent is varied too, findings "
        "by learning rate give the lowest and the highest value over it.");
    size_t first = 0;
    for (size_t agent = 0; agent < AGENTS; agent++) {
        find_best(grid, builder, agent, first);
        first += combinations(grid, agent);
    }
    for (size_t rate = 0; rate < RATES; rate++) {
        find_contrast(grid, builder, rate);
    }
}

const xp__study_type xp__study_table3_tuning = {
    .name = "table3_tuning",
    .summary =
        "learning rates, pre-training and replay for the agents of table3, on other problems",
    .title = "Table 3: choosing learning rates, pre-training and replay",
    .question = "Which learning rate, pre-training and replay suit each agent of Table 3?",
    .reading =
        "A return is the sum of the rewards of one episode; more is better. Groups are settings of "
        "Frozen Lake, as in Table 3.",
    .order = 8,
    .reference = "Naive Boot-DQN",
    .has_states = true,
    .revision = 1, /* as table3's */
    .plan = plan,
    .report = report,
};
