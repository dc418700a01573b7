/* jobs.c: what each job does, and its answer as JSON. */
#include "serve/service.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void serve_job_deinit(serve_job *job) {
    free(job->decide.segment);
    for (size_t i = 0; i < job->decide.candidate_count; i++) {
        free(job->decide.candidates[i]);
    }
    free(job->decide.candidates);
    free(job->decide.request_id);
    free(job->decide.chosen);
    free(job->create.name);
    xp_release(job->create.document);
    free(job->rewards);
    free(job->arm);
    free(job->segment);
    serve_text_free(&job->answer);
}

static serve_outcome decide(serve_book *book, serve_job *job, serve_problem *problem) {
    serve_decided result;
    const serve_outcome outcome =
        serve_decisions_make(book, job->id, &job->decide, &result, problem);
    serve_text *answer = &job->answer;
    char id[SERVE_ID_SIZE + 24], number[24];
    if (outcome == SERVE_DONE) {
        const xp_model *model = result.entry->model;
        serve_text_add(answer, "{\"decisions\":[");
        for (size_t i = 0; i < result.count; i++) {
            const serve_decision *row = &result.rows[i];
            serve_text_add(answer, i > 0 ? ",{\"decision_id\":\"" : "{\"decision_id\":\"");
            serve_text_add(answer, serve_decision_id(job->id, row->number, id));
            serve_text_add(answer, "\",\"action\":");
            serve_text_json(answer, serve_arm_name(model, row->action, number));
            serve_text_add(answer, ",\"probability\":");
            serve_text_number(answer, row->probability);
            if (row->chosen >= 0) {
                serve_text_add(answer, ",\"chosen\":");
                serve_text_json(answer, serve_arm_name(model, (size_t)row->chosen, number));
            }
            serve_text_add(answer, "}");
        }
        serve_text_add(answer, "]}\n");
    }
    serve_decided_deinit(&result);
    return outcome;
}

static serve_outcome reward(serve_book *book, serve_job *job, serve_problem *problem) {
    size_t again = 0;
    const serve_outcome outcome =
        serve_rewards_take(book, job->rewards, job->reward_count, &again, problem);
    if (outcome == SERVE_DONE) {
        serve_text_format(&job->answer, "{\"accepted\":%zu,\"repeated\":%zu}\n",
                          job->reward_count - again, again);
    }
    return outcome;
}

static serve_outcome create(serve_book *book, serve_job *job, serve_problem *problem) {
    char id[SERVE_ID_SIZE];
    if (!serve_id_draw(id)) {
        return serve_refuse(problem, 500, "the system gives no random numbers");
    }
    const serve_outcome outcome = serve_experiment_create(book, &job->create, id, problem);
    if (outcome == SERVE_DONE) {
        job->code = 201;
        serve_text_format(&job->answer, "{\"id\":\"%s\"}\n", id);
    }
    return outcome;
}

static const char *state_name(serve_state state) {
    static const char *const names[] = {"running", "paused", "deleted"};
    return names[state];
}

static void write_row(serve_text *answer, const serve_experiment *row) {
    serve_text_format(answer, "\"id\":\"%s\",\"name\":", row->id);
    serve_text_json(answer, row->name);
    serve_text_format(answer,
                      ",\"state\":\"%s\",\"shadow\":%s,\"model_version\":%u,\"decisions\":%" PRIu64
                      ",\"rewards\":%" PRIu64 ",\"reward_sum\":",
                      state_name(row->state), row->shadow ? "true" : "false", row->model,
                      row->decisions, row->rewards);
    serve_text_number(answer, row->reward_sum);
    serve_text_add(answer, ",\"expert_reward_sum\":");
    serve_text_number(answer, row->shadow ? NAN : row->expert_sum);
    serve_text_add(answer, ",\"created\":");
    serve_text_time(answer, row->created, true);
    if (row->retain > 0) {
        serve_text_add(answer, ",\"retention_days\":");
        serve_text_number(answer, (double)row->retain / 86400);
    }
}

/* Numbers for every arm of the experiment, shown together. */
typedef struct arm_figures {
    double *law, *mean, *low, *high; /* one block, for free(law) */
    bool banded;
} arm_figures;

static serve_outcome find_figures(serve_book *book, serve_entry *entry, const char *name,
                                  arm_figures *figures, serve_problem *problem) {
    serve_segment *segment;
    serve_law *law;
    xp_error error;
    serve_outcome outcome = serve_entry_segment(book, entry, name, true, &segment, problem);
    if (outcome == SERVE_DONE) {
        outcome = serve_entry_law(book, entry, segment, &law, problem);
    }
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    figures->law = calloc(4 * entry->arms, sizeof(double));
    if (figures->law == NULL) {
        return serve_refuse(problem, 500, "out of memory");
    }
    figures->mean = figures->law + entry->arms;
    figures->low = figures->mean + entry->arms;
    figures->high = figures->low + entry->arms;
    for (size_t arm = 0; arm < entry->arms; arm++) {
        entry->open[arm] = !entry->retired[arm];
    }
    const double *probability =
        serve_law_among(law, entry->any_retired ? entry->open : NULL, &error);
    if (probability == NULL) {
        return serve_refuse(problem, 500, "%s", error.message);
    }
    memcpy(figures->law, probability, entry->arms * sizeof(double));
    figures->banded = serve_law_bands(law, figures->mean, figures->low, figures->high);
    return SERVE_DONE;
}

static void write_arm(serve_text *answer, const serve_entry *entry, size_t arm,
                      const arm_figures *figures, const char *segment) {
    uint64_t decisions = 0, rewards = 0;
    double sum = 0;
    for (size_t s = 0; s < entry->segment_count; s++) {
        const serve_count *count = &entry->segments[s]->counts[arm];
        if (segment == NULL || strcmp(segment, entry->segments[s]->name) == 0) {
            decisions += count->decisions;
            rewards += count->rewards;
            sum += count->sum;
        }
    }
    char number[24];
    serve_text_add(answer, arm > 0 ? ",{\"name\":" : "{\"name\":");
    serve_text_json(answer, serve_arm_name(entry->model, arm, number));
    serve_text_format(answer, ",\"decisions\":%" PRIu64 ",\"rewards\":%" PRIu64 ",\"reward_sum\":",
                      decisions, rewards);
    serve_text_number(answer, sum);
    serve_text_add(answer, ",\"probability\":");
    serve_text_number(answer, figures->law[arm]);
    serve_text_add(answer, ",\"expert_share\":");
    serve_text_number(answer, entry->expert[arm]);
    serve_text_format(answer, ",\"retired\":%s", entry->retired[arm] ? "true" : "false");
    if (figures->banded) {
        serve_text_add(answer, ",\"mean\":");
        serve_text_number(answer, figures->mean[arm]);
        serve_text_add(answer, ",\"low\":");
        serve_text_number(answer, figures->low[arm]);
        serve_text_add(answer, ",\"high\":");
        serve_text_number(answer, figures->high[arm]);
    }
    serve_text_add(answer, "}");
}

static serve_outcome show(serve_book *book, serve_job *job, serve_problem *problem) {
    serve_entry *entry;
    arm_figures figures = {.banded = false};
    serve_outcome outcome = serve_book_find(book, job->id, &entry, problem);
    if (outcome == SERVE_DONE && job->segment != NULL) {
        serve_segment *known;
        outcome = serve_entry_segment(book, entry, job->segment, false, &known, problem);
        if (outcome == SERVE_DONE && known == NULL) {
            outcome = serve_refuse(problem, 404, "there were no decisions in segment '%.130s'",
                                   job->segment);
        }
    }
    if (outcome == SERVE_DONE) {
        outcome =
            find_figures(book, entry, job->segment != NULL ? job->segment : "", &figures, problem);
    }
    if (outcome == SERVE_DONE) {
        serve_text *answer = &job->answer;
        serve_text_add(answer, "{");
        write_row(answer, &entry->row);
        serve_text_add(answer, ",\"arms\":[");
        for (size_t arm = 0; arm < entry->arms; arm++) {
            write_arm(answer, entry, arm, &figures, job->segment);
        }
        serve_text_add(answer, "],\"segments\":[");
        for (size_t s = 0, shown = 0; s < entry->segment_count; s++) {
            if (entry->segments[s]->name[0] != '\0') {
                serve_text_add(answer, shown++ > 0 ? "," : "");
                serve_text_json(answer, entry->segments[s]->name);
            }
        }
        serve_text_add(answer, "]}\n");
    }
    free(figures.law);
    return outcome;
}

static serve_outcome arm(serve_book *book, serve_job *job, serve_problem *problem) {
    const serve_outcome outcome =
        serve_arm_set(book, job->id, job->change, job->arm, job->choices, problem);
    return outcome == SERVE_DONE ? show(book, job, problem) : outcome;
}

static serve_outcome set_state(serve_book *book, serve_job *job, bool paused,
                               serve_problem *problem) {
    const serve_outcome outcome = serve_experiment_pause(book, job->id, paused, problem);
    if (outcome == SERVE_DONE) {
        serve_text_format(&job->answer, "{\"id\":\"%s\",\"state\":\"%s\"}\n", job->id,
                          paused ? "paused" : "running");
    }
    return outcome;
}

static serve_outcome pause_it(serve_book *book, serve_job *job, serve_problem *problem) {
    return set_state(book, job, true, problem);
}

static serve_outcome resume(serve_book *book, serve_job *job, serve_problem *problem) {
    return set_state(book, job, false, problem);
}

static serve_outcome delete_it(serve_book *book, serve_job *job, serve_problem *problem) {
    const serve_outcome outcome = serve_experiment_delete(book, job->id, problem);
    if (outcome == SERVE_DONE) {
        serve_text_format(&job->answer, "{\"id\":\"%s\",\"state\":\"deleted\"}\n", job->id);
    }
    return outcome;
}

static bool see_experiment(void *context, const serve_experiment *row) {
    serve_text *answer = context;
    serve_text_add(answer, answer->data[answer->length - 1] == '[' ? "{" : ",{");
    write_row(answer, row);
    serve_text_add(answer, "}");
    return !answer->failed;
}

static serve_outcome list(serve_book *book, serve_job *job, serve_problem *problem) {
    (void)problem;
    serve_store *store = serve_book_store(book);
    serve_text_add(&job->answer, "{\"experiments\":[");
    if (!store->type->experiment_each(store, see_experiment, &job->answer)) {
        return SERVE_BROKEN;
    }
    serve_text_add(&job->answer, "]}\n");
    return SERVE_DONE;
}

static bool see_point(void *context, const serve_point *row) {
    serve_text *answer = context;
    serve_text_add(answer, answer->data[answer->length - 1] == '[' ? "{" : ",{");
    serve_text_format(answer, "\"rewards\":%" PRIu64 ",\"reward_sum\":", row->rewards);
    serve_text_number(answer, row->reward_sum);
    serve_text_add(answer, ",\"expert_reward_sum\":");
    serve_text_number(answer, row->expert_sum);
    serve_text_add(answer, ",\"time\":");
    serve_text_time(answer, row->time, true);
    serve_text_add(answer, "}");
    return !answer->failed;
}

static serve_outcome curve(serve_book *book, serve_job *job, serve_problem *problem) {
    serve_store *store = serve_book_store(book);
    serve_entry *entry;
    const serve_outcome outcome = serve_book_find(book, job->id, &entry, problem);
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    serve_text_add(&job->answer, "{\"points\":[");
    if (!store->type->point_each(store, entry->row.key, see_point, &job->answer)) {
        return SERVE_BROKEN;
    }
    serve_text_add(&job->answer, "]}\n");
    return SERVE_DONE;
}

const serve_job_type serve_job_decide = {.writes = true, .phase = 0, .run = decide};
const serve_job_type serve_job_reward = {.writes = true, .phase = 1, .run = reward};
const serve_job_type serve_job_create = {.writes = true, .phase = 2, .run = create};
const serve_job_type serve_job_arm = {.writes = true, .phase = 2, .run = arm};
const serve_job_type serve_job_pause = {.writes = true, .phase = 2, .run = pause_it};
const serve_job_type serve_job_resume = {.writes = true, .phase = 2, .run = resume};
const serve_job_type serve_job_delete = {.writes = true, .phase = 2, .run = delete_it};
const serve_job_type serve_job_list = {.run = list};
const serve_job_type serve_job_show = {.run = show};
const serve_job_type serve_job_curve = {.run = curve};
