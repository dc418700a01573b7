/* models.c: the models of experiments. */
#include "serve/experiments/models.h"

#include "experior/segments.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What 'experior fit' takes where nothing else is asked for. */
static const char usual_agent[] = "experior_maxent:reference=learned";

serve_outcome serve_refuse(serve_problem *problem, int code, const char *format, ...) {
    problem->code = code;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(problem->text, sizeof problem->text, format, values);
    va_end(values);
    return SERVE_REFUSED;
}

static serve_outcome refuse_error(serve_problem *problem, const xp_error *error) {
    const int code = error->status == XP_ERR_INPUT || error->status == XP_ERR_NUMERIC ? 409 : 500;
    return serve_refuse(problem, code, "%s", error->message);
}

static serve_outcome fit(const char *agent, uint64_t seed, size_t arms, const char *const *names,
                         const uint64_t *choices, xp_model **model, serve_problem *problem) {
    xp_error error;
    xp_demos *demos = NULL;
    xp_status status = xp_demos_create(0, arms, &demos, &error);
    for (uint32_t arm = 0; status == XP_OK && arm < arms; arm++) {
        if (choices[arm] > 0) {
            status = xp_demos_add(demos, NULL, &arm, 1, choices[arm], &error);
        }
    }
    if (status == XP_OK) {
        status = xp_demos_name_actions(demos, names, &error);
    }
    if (status == XP_OK) {
        xp_model_options options = xp_model_options_default();
        options.seed = seed;
        options.threads = 1;
        status = xp_model_fit(agent, NULL, demos, &options, model, &error);
    }
    xp_demos_destroy(demos);
    return status == XP_OK ? SERVE_DONE : refuse_error(problem, &error);
}

serve_outcome serve_model_fit(size_t arms, const char *const *names, const uint64_t *choices,
                              xp_model **model, serve_problem *problem) {
    uint64_t all = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        all += choices[arm];
    }
    if (arms < 2 || arms > SERVE_MOST_ARMS) {
        return serve_refuse(problem, 400, "choices: there are %zu arms, not 2 to %d", arms,
                            SERVE_MOST_ARMS);
    }
    if (all == 0) {
        return serve_refuse(problem, 409,
                            "choices: the experts chose nothing; a model is fitted "
                            "to at least one choice");
    }
    return fit(usual_agent, 1, arms, names, choices, model, problem);
}

serve_outcome serve_model_read(const char *text, size_t bytes, xp_model **model,
                               serve_problem *problem) {
    xp_error error;
    if (xp_model_parse(text, bytes, "model", model, &error) != XP_OK) {
        return refuse_error(problem, &error);
    }
    const xp_model_info info = xp_model_describe(*model);
    if (info.space.state_size > 0) {
        xp_model_destroy(*model);
        *model = NULL;
        return serve_refuse(problem, 409,
                            "model: it acts in states of %zu numbers; the service is "
                            "for bandits",
                            info.space.state_size);
    }
    return SERVE_DONE;
}

const char *serve_arm_name(const xp_model *model, size_t arm, char *room) {
    const char *name = xp_model_action_name(model, arm);
    if (name == NULL) {
        (void)snprintf(room, 24, "%zu", arm);
        return room;
    }
    return name;
}

/* Fits a model with segments again, the new arm being one that the experts of no segment chose. */
static serve_outcome fit_segments(const xp_model *old, size_t arms, const char *const *names,
                                  xp_model **model, serve_problem *problem) {
    const size_t segments = xp_model_segments(old);
    const char **segment_names = calloc(segments, sizeof *segment_names);
    uint64_t *counts = calloc(segments * arms, sizeof *counts); /* S × K */
    xp_error error;
    xp_choices *table = NULL;
    xp_status status = segment_names != NULL && counts != NULL
                           ? XP_OK
                           : xp_error_set(&error, XP_ERR_MEMORY, "out of memory");
    for (size_t s = 0; status == XP_OK && s < segments; s++) {
        const xp_segment segment = xp_model_segment(old, s);
        assert(segment_names != NULL && counts != NULL);
        segment_names[s] = segment.name;
        memcpy(counts + s * arms, segment.counts, (arms - 1) * sizeof *counts);
    }
    if (status == XP_OK) {
        status = xp_choices_create(segments, segment_names, arms, names, counts, &table, &error);
    }
    if (status == XP_OK) {
        const xp_model_info info = xp_model_describe(old);
        xp_model_options options = xp_model_options_default();
        options.seed = info.seed;
        options.threads = 1;
        status = xp_model_fit_segments(info.agent, table, &options, model, &error);
    }
    xp_choices_destroy(table);
    free(segment_names);
    free(counts);
    return status == XP_OK ? SERVE_DONE : refuse_error(problem, &error);
}

serve_outcome serve_model_extend(const xp_model *old, const char *name, uint64_t choices,
                                 xp_model **model, serve_problem *problem) {
    const xp_model_info info = xp_model_describe(old);
    const size_t arms = info.space.actions + 1;
    if (arms > SERVE_MOST_ARMS) {
        return serve_refuse(problem, 409, "the experiment has %d arms, the most it can have",
                            SERVE_MOST_ARMS);
    }
    uint64_t *counts = calloc(arms, sizeof *counts);
    const char **names = calloc(arms, sizeof *names);
    char(*numbers)[24] = calloc(arms, sizeof *numbers);
    serve_outcome outcome = SERVE_DONE;
    if (counts == NULL || names == NULL || numbers == NULL) {
        outcome = serve_refuse(problem, 500, "out of memory");
    }
    if (outcome == SERVE_DONE) {
        assert(counts != NULL && names != NULL && numbers != NULL);
        xp_model_action_counts(old, counts);
        uint64_t all = choices;
        for (size_t arm = 0; arm + 1 < arms; arm++) {
            all += counts[arm];
            names[arm] = serve_arm_name(old, arm, numbers[arm]);
        }
        counts[arms - 1] = choices;
        names[arms - 1] = name;
        if (info.environment != NULL || all == 0) {
            outcome = serve_refuse(problem, 409,
                                   "the model was not fitted to choices, so it cannot be fitted "
                                   "again with one more arm");
        } else if (xp_model_segments(old) > 0 && choices > 0) {
            outcome = serve_refuse(problem, 409,
                                   "choices: the model has segments, and it is not said in which "
                                   "of them the experts chose the new arm");
        } else {
            outcome = xp_model_segments(old) > 0
                          ? fit_segments(old, arms, names, model, problem)
                          : fit(info.agent, info.seed, arms, names, counts, model, problem);
        }
    }
    free(counts);
    free(names);
    free(numbers);
    return outcome;
}

serve_outcome serve_model_write(const xp_model *model, char **text, size_t *bytes,
                                serve_problem *problem) {
    xp_error error;
    void *data = NULL;
    if (xp_model_to_bytes(model, &data, bytes, &error) != XP_OK) {
        return refuse_error(problem, &error);
    }
    *text = data;
    return SERVE_DONE;
}
