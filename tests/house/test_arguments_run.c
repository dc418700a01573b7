/* Bad arguments (arguments.h) of runs and reports: simulate.h, study.h, picture.h, report.h. */
#include "house/arguments.h"

CLAIM(tasks_of_a_model_need_a_model_and_a_place) {
    scene all = open_scene();
    xp_env *env;
    EXPECT_REFUSED(xp_env_create_from_model(NULL, &env, error), "model is NULL");
    EXPECT_REFUSED(xp_env_create_from_model(all.model, NULL, error), "env is NULL");
    close_scene(&all);
}

CLAIM(simulations_and_studies_check_their_options) {
    const char *const agent = "naive_ucb";
    xp_simulate_options options = xp_simulate_options_default();
    xp_simulate_result result;
    xp_study_result *study;
    options.agent_count = 1;
    EXPECT_REFUSED(xp_simulate(NULL, &result, error), "options is NULL");
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "agents is NULL");
    options.agents = (const char *const[]){NULL};
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "is NULL");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 0, "x", NULL, error), "");
    options.agents = &agent;
    EXPECT_REFUSED(xp_simulate(&options, NULL, error), "results is NULL");
    EXPECT_REFUSED(xp_picture_episodes(NULL, NULL, 0, "x", NULL, error), "options is NULL");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 0, NULL, NULL, error), "directory");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 1, "x", NULL, error), "episodes is NULL");
    options.demonstrations = UINT64_MAX;
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "demonstrations = ");
    options.demonstrations = 10;
    options.env = NULL;
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "spec is NULL");
    options.size = 0;
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "xp_simulate_options.size = 0");
    xp_simulate_options_init(NULL, sizeof options);
    xp_study_options study_options = xp_study_options_default();
    EXPECT_REFUSED(xp_study_run(NULL, &study_options, &study, error), "name is NULL");
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, NULL, error), "result is NULL");
    EXPECT_REFUSED(xp_study_run("moon", &study_options, &study, error), "moon");
    study_options.directory = NULL;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error), "directory");
    study_options = xp_study_options_default();
    study_options.scale = NULL;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error), "scale");
    study_options.size = 0;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error),
                   "xp_study_options.size = 0");
    xp_study_options_init(NULL, sizeof study_options);
    EXPECT_REFUSED(xp_study_compute(NULL, 1, NULL, error), "names is NULL");
    EXPECT_REFUSED(xp_study_compute((const char *const[]){"moon"}, 1, NULL, error), "moon");
    EXPECT_REFUSED(xp_study_compute((const char *const[]){"moon"}, 0, NULL, error), "no studies");
    char *text;
    const xp_study_result nothing = {.study = NULL};
    EXPECT_REFUSED(xp_report_write(NULL, "x", error), "result is NULL");
    EXPECT_REFUSED(xp_report_write(&nothing, NULL, error), "directory is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 1, "x", "x", error), "series is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 0, NULL, "x", error), "title is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 0, "x", NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_report_table_text(NULL, &text, error), "result is NULL");
    EXPECT_REFUSED(xp_report_table_text(&nothing, NULL, error), "text is NULL");
}

CLAIM(sweeps_and_stores_check_what_they_are_given) {
    xp_sweep *sweep;
    xp_sweep_result *swept;
    EXPECT_REFUSED(xp_sweep_load(NULL, NULL, NULL, &sweep, error), "path is NULL");
    EXPECT_REFUSED(xp_sweep_load("x", NULL, NULL, NULL, error), "sweep is NULL");
    EXPECT(xp_sweep_load("/nowhere/x.json", NULL, NULL, &sweep, NULL) == XP_ERR_FILE);
    EXPECT_REFUSED(xp_sweep_run(NULL, NULL, &swept, error), "sweep is NULL");
    EXPECT_REFUSED(xp_sweep_run(NULL, NULL, NULL, error), "result is NULL");
    EXPECT_REFUSED(xp_report_sweep(NULL, NULL, "x", error), "sweep is NULL");
    EXPECT(xp_sweep_describe(NULL).name == NULL);
    xp_sweep_destroy(NULL);
    xp_sweep_result_destroy(NULL);
    xp_aggregates *aggregates;
    const xp_study_result nothing = {.study = NULL};
    xp_aggregate_options options = xp_aggregate_options_default();
    EXPECT_REFUSED(xp_aggregates_create(NULL, NULL, &aggregates, error), "result is NULL");
    EXPECT_REFUSED(xp_aggregates_create(&nothing, NULL, NULL, error), "aggregates is NULL");
    options.resamples = 1;
    EXPECT_REFUSED(xp_aggregates_create(&nothing, &options, &aggregates, error), "resamples = 1");
    EXPECT_REFUSED(xp_report_aggregates(NULL, "x", "x", error), "aggregates is NULL");
    xp_aggregate_options_init(NULL, sizeof options);
    xp_aggregates_destroy(NULL);
    xp_comparison *comparison;
    size_t count;
    EXPECT_REFUSED(xp_comparison_create(NULL, "x", &comparison, error), "before is NULL");
    EXPECT_REFUSED(xp_comparison_create("x", NULL, &comparison, error), "after is NULL");
    EXPECT_REFUSED(xp_comparison_create("/nowhere", "x", &comparison, error), "no finished units");
    xp_comparison_destroy(NULL);
    EXPECT_REFUSED(xp_store_studies(NULL, NULL, 0, &count, error), "directory is NULL");
    EXPECT_REFUSED(xp_store_studies("x", NULL, 1, &count, error), "studies is NULL");
    xp_store_work work;
    EXPECT_REFUSED(xp_store_sum(NULL, NULL, 0, &work, error), "directory is NULL");
    EXPECT_REFUSED(xp_store_sum("x", NULL, 1, &work, error), "studies is NULL");
    EXPECT_REFUSED(xp_store_sum("x", NULL, 0, NULL, error), "work is NULL");
    xp_store_contents held;
    EXPECT_REFUSED(xp_store_describe(NULL, &held, error), "directory is NULL");
    EXPECT_REFUSED(xp_store_describe("x", NULL, error), "contents is NULL");
}

CLAIM(who_has_no_peers_can_fail_alone) {
    xp_peers alone = {.size = sizeof alone, .count = 1}, broken = {.count = 2};
    xp_peers_fail(NULL, NULL);
    xp_peers_fail(&alone, NULL);
    xp_peers_fail(&broken, NULL); /* it has no way to send */
    EXPECT(alone.round == 0 && broken.round == 0);
}

CLAIM(pages_about_models_check_what_they_are_given) {
    const xp_inspection three = {.arms = 3};
    const xp_inspection *seen[] = {&three, NULL};
    const char *const names[] = {NULL, NULL};
    xp_model *model = NULL;
    const xp_space space = {.actions = 2};
    EXPECT(xp_model_fit("naive_ts", &space, NULL, NULL, &model, NULL) == XP_OK);
    EXPECT_REFUSED(xp_report_inspections(NULL, seen, names, 1, "x", error), "model is NULL");
    EXPECT_REFUSED(xp_report_inspections(model, NULL, names, 1, "x", error), "inspections is NULL");
    EXPECT_REFUSED(xp_report_inspections(model, seen, names, 1, NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_report_inspections(model, seen, names, 0, "x", error), "count = 0");
    EXPECT_REFUSED(xp_report_inspections(model, seen, NULL, 2, "x", error), "count = 2");
    EXPECT_REFUSED(xp_report_inspections(model, seen, names, 1, "x", error), "has 3 arms");
    EXPECT_REFUSED(xp_report_inspections(model, seen + 1, names, 1, "x", error), "is NULL");
    xp_model_destroy(model);
}
