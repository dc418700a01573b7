/* Recorded episodes: that they are the episodes that a simulation counts, what the shares of the
 * cells say, and that the picture draws what was recorded. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "env/context.h"
#include "env/frozen_lake.h"
#include "experior/picture.h"
#include "picture/episode_picture.h"
#include "study/result.h"
#include "env/create.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, CELLS = 144, STEPS = 101 };

/* Copies of all that was recorded. */
typedef struct film {
    xp__record records[MOST];
    size_t cells[MOST][STEPS];
    double shares[MOST][CELLS];
    char *svg[MOST];
    size_t count, ticks, fail_at;
} film;

static xp_status keep(void *context, const xp__record *record, xp_error *error) {
    film *self = context;
    if (self->count == self->fail_at) {
        return xp_error_set(error, XP_ERR_FILE, "the disk is full");
    }
    const size_t i = self->count++, cells = record->board.rows * record->board.columns;
    self->records[i] = *record;
    memcpy(self->cells[i], record->cells, (record->length + 1) * sizeof *record->cells);
    memcpy(self->shares[i], record->shares, cells * sizeof *record->shares);
    self->records[i].cells = self->cells[i];
    self->records[i].shares = self->shares[i];
    xp__text svg = {.data = NULL};
    xp__record_svg(record, &svg);
    return xp__text_take(&svg, &self->svg[i], NULL, error);
}

static xp_status count_tick(void *context, size_t episode, xp_error *error) {
    (void)error;
    film *self = context;
    self->ticks++;
    EXPECT(episode == self->ticks);
    return XP_OK;
}

static void film_deinit(film *self) {
    for (size_t i = 0; i < self->count; i++) {
        xp_release(self->svg[i]);
    }
}

static xp_simulate_options setting(const char *env, const char *const *agent) {
    xp_simulate_options options = xp_simulate_options_default();
    options.env = env;
    options.agents = agent;
    options.agent_count = 1;
    options.problems = options.tasks = options.threads = 1;
    options.episodes = 12;
    options.demonstrations = 40;
    options.seed = 31;
    return options;
}

static void init_problem(const xp_simulate_options *options, xp__problem *problem) {
    xp__params params;
    EXPECT(xp__env_params_read(options->env, &params, NULL) == XP_OK);
    EXPECT(xp__problem_init(problem, options->seed, 0, params.owner, &params, NULL) == XP_OK);
}

/* All episodes of the first task, or the chosen ones. */
static xp_status record(const xp_simulate_options *options, const size_t *chosen, size_t count,
                        film *kept, xp_error *error) {
    size_t all[MOST];
    for (size_t i = 0; i < options->episodes; i++) {
        all[i] = i + 1;
    }
    xp__problem problem;
    xp_demos *demos;
    xp__fitted fitted;
    init_problem(options, &problem);
    EXPECT(xp__problem_demos(&problem, options->expert, NULL, options->demonstrations, &demos,
                             NULL) == XP_OK);
    EXPECT(xp__fitted_init(&fitted, options->agents[0], NULL, &problem, demos, NULL, NULL) ==
           XP_OK);
    const xp__recording what = {.problem = &problem,
                                .fitted = &fitted,
                                .spec = options->agents[0],
                                .episodes = options->episodes,
                                .chosen = count > 0 ? chosen : all,
                                .count = count > 0 ? count : options->episodes,
                                .take = keep,
                                .tick = count_tick,
                                .context = kept};
    const xp_status status = xp__record_run(&what, error);
    xp__fitted_deinit(&fitted);
    xp_demos_destroy(demos);
    xp__problem_deinit(&problem);
    return status;
}

static film *film_start(void) {
    static film kept;
    memset(&kept, 0, sizeof kept);
    kept.fail_at = MOST;
    return &kept;
}

static const char *const sampling[] = {"posterior_sampling"};
static const char *const heads[] = {"boot_dqn:members=4"};
static const char *const modes[] = {"experior_maxent:members=4"};

CLAIM(a_recorded_episode_is_the_one_that_a_simulation_counts) {
    static const struct {
        const char *env;
        const char *const *agent;
    } cases[] = {{"deep_sea:size=6,goal=any", sampling},
                 {"deep_sea:size=6,goal=half", heads},
                 {"deep_sea:size=6,goal=any", modes},
                 {"frozen_lake:hazards=3,observation=mdp", sampling},
                 {"frozen_lake:hazards=5,observation=pomdp", heads}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xp_simulate_options options = setting(cases[i].env, cases[i].agent);
        double returns[12];
        xp_simulate_result result;
        options.returns = returns;
        EXPECT(xp_simulate(&options, &result, NULL) == XP_OK);
        film *kept = film_start();
        EXPECT(record(&options, NULL, 0, kept, NULL) == XP_OK);
        EXPECT(kept->count == 12 && kept->ticks == 12);
        size_t steps = 0;
        for (size_t t = 0; t < kept->count; t++) {
            EXPECT(kept->records[t].episode == t + 1);
            EXPECT(kept->records[t].total == returns[t]);
            steps += kept->records[t].length;
        }
        EXPECT(steps == result.agent_steps);
        film_deinit(kept);
        /* The chosen ones are the same whether or not the others are looked at. */
        static double shares[CELLS];
        memcpy(shares, kept->shares[6], sizeof shares);
        const size_t chosen[] = {2, 7};
        kept = film_start();
        EXPECT(record(&options, chosen, 2, kept, NULL) == XP_OK);
        EXPECT(kept->count == 2 && kept->ticks == 7);
        EXPECT(kept->records[0].total == returns[1] && kept->records[1].total == returns[6]);
        EXPECT(memcmp(shares, kept->shares[1], sizeof shares) == 0);
        film_deinit(kept);
    }
}

CLAIM(a_picture_shows_every_mode_that_may_act_not_the_one_to_settle_on) {
    const xp_simulate_options options = setting("deep_sea:size=6,goal=any", modes);
    const size_t first = 1;
    film *kept = film_start();
    EXPECT(record(&options, &first, 1, kept, NULL) == XP_OK);
    EXPECT(kept->count == 1 && kept->records[0].effective > 2);
    size_t columns = 0;
    for (size_t column = 0; column < 6; column++) {
        columns += kept->shares[0][30 + column] > 0.02;
    }
    EXPECT(columns > 2);
    film_deinit(kept);
}

/* A plan passes one cell of each row. The plan for a goal ends in its column, so the last row is
 * the posterior: before the first episode the smoothed frequencies (n_g + 1/2) / (N + M/2) of
 * optimal experts, who show one trajectory per goal if they break ties to the first action. */
CLAIM(in_deep_sea_the_last_row_is_the_posterior_of_the_goal) {
    static const char *const agent[] = {"posterior_sampling:ties=first"};
    const xp_simulate_options options = setting("deep_sea:size=6,goal=half", agent);
    film *kept = film_start();
    EXPECT(record(&options, NULL, 0, kept, NULL) == XP_OK);
    xp__problem problem;
    xp_demos *demos;
    init_problem(&options, &problem);
    EXPECT(xp__problem_demos(&problem, "optimal", NULL, 40, &demos, NULL) == XP_OK);
    double posterior[6];
    for (size_t goal = 0; goal < 6; goal++) {
        posterior[goal] = 0.5 / 43;
    }
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory shown = xp_demos_trajectory(demos, i);
        posterior[(size_t)shown.states[5] - 30] += (double)shown.count / 43;
    }
    for (size_t goal = 0; goal < 6; goal++) {
        EXPECT_NEAR(kept->shares[0][30 + goal], posterior[goal], 1e-9);
    }
    for (size_t t = 0; t < kept->count; t++) {
        for (size_t row = 0; row < 6; row++) {
            double sum = 0;
            for (size_t column = 0; column < 6; column++) {
                sum += kept->shares[t][6 * row + column];
                EXPECT(column <= row || kept->shares[t][6 * row + column] == 0);
            }
            EXPECT_NEAR(sum, 1, 1e-12);
        }
        EXPECT(kept->records[t].policies == 6 && kept->records[t].effective >= 1 - 1e-12);
    }
    const size_t goal = kept->records[0].board.marks[1].cell;
    EXPECT(kept->records[0].board.marks[1].sign == XP__SIGN_GOAL && goal / 6 == 5);
    EXPECT_NEAR(kept->shares[11][goal], 1, 1e-12); /* twelve episodes find one of three columns */
    film_deinit(kept);
    xp_demos_destroy(demos);
    xp__problem_deinit(&problem);
}

CLAIM(an_ensemble_has_the_shares_of_its_heads) {
    const xp_simulate_options options = setting("deep_sea:size=6,goal=any", heads);
    film *kept = film_start();
    EXPECT(record(&options, NULL, 0, kept, NULL) == XP_OK);
    for (size_t t = 0; t < kept->count; t++) {
        double sum = 0;
        for (size_t column = 0; column < 6; column++) {
            const double share = kept->shares[t][30 + column];
            EXPECT(share * 4 == floor(share * 4));
            sum += share;
        }
        EXPECT(sum == 1);
        EXPECT_NEAR(kept->records[t].effective, 4, 1e-12);
    }
    film_deinit(kept);
}

/* Plans know nothing of what is hidden: those of the optimal blind policies reach the goal whatever
 * the hazard, in every episode. */
CLAIM(on_the_lake_plans_are_not_cut_short_by_a_hazard_that_is_not_shown) {
    const xp_simulate_options options =
        setting("frozen_lake:hazards=9,observation=pomdp", sampling);
    film *kept = film_start();
    EXPECT(record(&options, NULL, 0, kept, NULL) == XP_OK);
    for (size_t t = 0; t < kept->count; t++) {
        EXPECT_NEAR(kept->shares[t][XP__LAKE_START], 1, 1e-12);
        EXPECT_NEAR(kept->shares[t][XP__LAKE_GOAL], 1, 1e-12);
        const xp__board *board = &kept->records[t].board;
        EXPECT(board->mark_count == 12);
        const xp__board_mark *danger = &board->marks[11];
        EXPECT(danger->sign == XP__SIGN_DANGER && xp__lake_cell_square(danger->cell) < 9);
        for (size_t i = 2; i < 11; i++) {
            EXPECT(board->marks[i].sign == XP__SIGN_RISK);
        }
    }
    film_deinit(kept);
}

/* The points of the path, back to cells: the board is 540 wide and begins at (28, 88). */
CLAIM(a_picture_draws_the_path_that_was_taken) {
    static const struct {
        const char *env;
        double side;
    } cases[] = {{"deep_sea:size=9,goal=any", 9}, {"frozen_lake:hazards=5", 5}};
    for (size_t i = 0; i < 2; i++) {
        const xp_simulate_options options = setting(cases[i].env, sampling);
        film *kept = film_start();
        EXPECT(record(&options, NULL, 0, kept, NULL) == XP_OK);
        for (size_t t = 0; t < kept->count; t++) {
            const char *path = strstr(kept->svg[t], "<polyline class=\"xpb-path\"");
            path = path != NULL ? strstr(path, " points=\"") : NULL;
            EXPECT(path != NULL);
            const double cell = 540 / cases[i].side;
            for (size_t h = 0; path != NULL && h <= kept->records[t].length; h++) {
                double x = 0, y = 0;
                path += h == 0 ? strlen(" points=\"") : 1;
                int used = 0;
                EXPECT(sscanf(path, "%lf,%lf%n", &x, &y, &used) == 2);
                path += used;
                const size_t column = (size_t)((x - 28) / cell), row = (size_t)((y - 88) / cell);
                EXPECT((double)kept->cells[t][h] == (double)row * cases[i].side + (double)column);
            }
            EXPECT(path != NULL && *path == '"');
        }
        film_deinit(kept);
    }
}

CLAIM(a_picture_escapes_names_and_refers_to_nothing) {
    size_t cells[] = {0, 3};
    double shares[] = {1, 0.25, 0.0001, 0.75};
    xp__record record = {.agent = "a<b>&\"c\"",
                         .episode = 3,
                         .board = {.title = "A & B", .rows = 2, .columns = 2, .ends = "column"},
                         .length = 1,
                         .cells = cells,
                         .total = -0.5,
                         .policies = 2,
                         .effective = 1.6,
                         .shares = shares};
    for (int told = 1; told >= 0; told--) {
        record.policies = told == 1 ? 2 : 0;
        xp__text svg = {.data = NULL};
        xp__record_svg(&record, &svg);
        EXPECT(!svg.failed);
        EXPECT_TEXT(svg.data, "<title>a&lt;b&gt;&amp;&quot;c&quot;: A &amp; B · episode 3 · "
                              "return −0.5 · 1 step</title>");
        EXPECT(strstr(svg.data, "href") == NULL && strstr(svg.data, "url(") == NULL);
        EXPECT(strstr(svg.data, " id=") == NULL && strstr(svg.data, "nan") == NULL);
        EXPECT((strstr(svg.data, "as uncertain as 1.6") != NULL) == (told == 1));
        EXPECT((strstr(svg.data, "tells of no plans") != NULL) == (told == 0));
        EXPECT_TEXT(svg.data, "<title>25 %</title>");
        EXPECT(strcmp(svg.data + svg.length - 7, "</svg>\n") == 0);
        xp__text_deinit(&svg);
    }
}

CLAIM(what_takes_a_record_can_end_the_run) {
    const xp_simulate_options options = setting("deep_sea:size=6", sampling);
    film *kept = film_start();
    kept->fail_at = 2;
    xp_error error;
    EXPECT(record(&options, NULL, 0, kept, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "the disk is full");
    EXPECT(kept->count == 2 && kept->ticks == 3);
    film_deinit(kept);
}

static size_t files_in(const char *directory, const char *part) {
    size_t count = 0;
    DIR *stream = opendir(directory);
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        count += strstr(entry->d_name, part) != NULL;
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
    return count;
}

CLAIM(pictures_are_files_named_after_environment_agent_and_episode) {
    static const char *const agents[] = {"posterior_sampling", "boot_dqn:members=3",
                                         "boot_dqn:members=3"};
    xp_simulate_options options = setting("deep_sea:size=4,goal=any", agents);
    options.agent_count = 3;
    char directory[4096];
    (void)snprintf(directory, sizeof directory, "%s/a/b", claim_directory());
    size_t written = 0;
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, &written, NULL) == XP_OK);
    EXPECT(written == 15); /* episodes 1, 2, 4, 8 and 12 of three agents */
    EXPECT(files_in(directory, "deep_sea-posterior_sampling-episode-00") == 5);
    EXPECT(files_in(directory, "deep_sea-boot_dqn-members-3-episode-0012.svg") == 1);
    EXPECT(files_in(directory, "deep_sea-boot_dqn-members-3-2-episode-0012.svg") == 1);
    const size_t some[] = {9, 3, 9};
    (void)snprintf(directory, sizeof directory, "%s/c", claim_directory());
    options.agent_count = 1;
    EXPECT(xp_picture_episodes(&options, some, 3, directory, &written, NULL) == XP_OK);
    EXPECT(written == 2 && files_in(directory, ".svg") == 2);
}

static int stop_at_once(void *context, size_t done, size_t total) {
    (void)context;
    EXPECT(done == 0 && total == 12);
    return 1;
}

CLAIM(what_cannot_be_drawn_is_refused_in_a_sentence) {
    xp_error error;
    char directory[4096];
    (void)snprintf(directory, sizeof directory, "%s/none", claim_directory());
    static const char *const ucb[] = {"naive_ucb"}, *const unknown[] = {"boot_dqm"};
    xp_simulate_options options = setting("bernoulli_bandit:arms=3", ucb);
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "bernoulli_bandit has no board to draw");
    options.env = "deep_sea:arms=3";
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "deep_sea has no parameter 'arms'");
    options = setting("deep_sea:size=4", unknown);
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "boot_dqm");
    options = setting("deep_sea:size=4", sampling);
    for (size_t episode = 0; episode <= 13; episode += 13) {
        EXPECT(xp_picture_episodes(&options, &episode, 1, directory, NULL, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "cannot be drawn: the simulation has episodes 1 to 12");
    }
    EXPECT(files_in(directory, ".") == 0);
    options.progress = stop_at_once;
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, NULL, &error) == XP_ERR_INTERRUPTED);
    options = setting("deep_sea:size=200", sampling);
    EXPECT(xp_picture_episodes(&options, NULL, 0, directory, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "a board of 200 × 200 cells is too large for a picture");
    EXPECT(files_in(directory, ".svg") == 0);
}

CLAIM(pictures_survive_every_lack_of_memory) {
    xp_simulate_options options = setting("deep_sea:size=3,goal=any", sampling);
    options.demonstrations = 3;
    options.episodes = 2;
    failing_allocator memory;
    xp_status status = XP_ERR_MEMORY;
    for (size_t n = 0; status != XP_OK && n < 5000; n++) {
        failing_allocator_install(&memory, n);
        status = xp_picture_episodes(&options, NULL, 0, claim_directory(), NULL, NULL);
        xp__allocator_install(NULL);
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
        EXPECT(memory.alive == 0);
    }
    EXPECT(status == XP_OK);
}

CLAIM(a_builder_keeps_copies_of_pictures) {
    xp__builder builder;
    xp_study_result *result;
    char title[] = "first", svg[] = "<svg/>";
    EXPECT(xp__builder_init(&builder, "s", "t", "smoke", 1, NULL) == XP_OK);
    for (int i = 0; i < 3; i++) {
        xp__builder_picture(&builder, title, svg);
    }
    title[0] = svg[1] = '?';
    EXPECT(xp__builder_finish(&builder, &result, NULL) == XP_OK);
    EXPECT(result->picture_count == 3 && strcmp(result->pictures[2].title, "first") == 0 &&
           strcmp(result->pictures[0].svg, "<svg/>") == 0);
    xp_study_result_destroy(result);
}
