/* body.c: the bodies of requests. */
#include "serve/protocol/body.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 256, MOST_LABEL = 128 }; /* characters */
#define MOST_CHOICES 1000000000000
#define MOST_WHOLE   9007199254740992 /* 2^53: what every JSON library keeps exactly */

/* The object that a body holds, or NULL. */
static json_t *parse(const char *body, size_t bytes, const char *const *keys,
                     serve_problem *problem) {
    json_error_t error;
    if (bytes == 0) {
        return json_object();
    }
    json_t *object = json_loadb(body, bytes, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL && json_error_code(&error) == json_error_null_character) {
        (void)serve_refuse(problem, 400, "line %d, column %d: a text has a zero character",
                           error.line, error.column);
        return NULL;
    }
    if (object == NULL) {
        (void)serve_refuse(problem, 400, "the body is not JSON: line %d, column %d: %.150s",
                           error.line, error.column, error.text);
        return NULL;
    }
    if (!json_is_object(object)) {
        (void)serve_refuse(problem, 400, "the body is not a JSON object");
        json_decref(object);
        return NULL;
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], key) != 0) {
            i++;
        }
        if (keys[i] == NULL) {
            (void)serve_refuse(problem, 400, "there is no field '%.80s' here", key);
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* Characters of a text that is known to be UTF-8. */
static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

static bool has_control(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

/* Whether a text has 1 to `most` characters, none of them a control character. */
static bool check_text(const char *key, const char *text, size_t most, serve_problem *problem) {
    const size_t length = characters(text);
    if (length < 1 || length > most) {
        (void)serve_refuse(problem, 400, "%s has %zu characters, not 1 to %zu", key, length, most);
    } else if (has_control(text)) {
        (void)serve_refuse(problem, 400, "%s has a control character", key);
    } else {
        return true;
    }
    return false;
}

/* A text of 1 to `most` characters into `copy`, for free(); NULL stays where the key is absent or
 * null. */
static bool read_text(const json_t *object, const char *key, size_t most, char **copy,
                      serve_problem *problem) {
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value)) {
        return true;
    }
    if (!json_is_string(value)) {
        (void)serve_refuse(problem, 400, "%s is not a text", key);
        return false;
    }
    if (!check_text(key, json_string_value(value), most, problem)) {
        return false;
    }
    *copy = strdup(json_string_value(value));
    if (*copy == NULL) {
        (void)serve_refuse(problem, 500, "out of memory");
    }
    return *copy != NULL;
}

/* A whole number, however it is written. */
static bool is_whole(const json_t *value, int64_t low, int64_t high) {
    if (json_is_integer(value)) {
        return json_integer_value(value) >= low && json_integer_value(value) <= high;
    }
    const double real = json_number_value(value);
    return json_is_real(value) && real == floor(real) && real >= (double)low &&
           real <= (double)high;
}

static bool read_whole(const json_t *object, const char *key, int64_t low, int64_t high,
                       uint64_t *number, serve_problem *problem) {
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value)) {
        return true;
    }
    if (!is_whole(value, low, high)) {
        (void)serve_refuse(problem, 400, "%s is not a whole number from %lld to %lld", key,
                           (long long)low, (long long)high);
        return false;
    }
    *number = json_is_integer(value) ? (uint64_t)json_integer_value(value)
                                     : (uint64_t)json_number_value(value);
    return true;
}

static bool read_flag(const json_t *object, const char *key, bool *flag, serve_problem *problem) {
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value)) {
        return true;
    }
    if (!json_is_boolean(value)) {
        (void)serve_refuse(problem, 400, "%s is neither true nor false", key);
        return false;
    }
    *flag = json_is_true(value);
    return true;
}

/* Fits a model to {"a": 12, "b": 3}. */
static serve_outcome fit_choices(json_t *choices, xp_model **model, serve_problem *problem) {
    if (!json_is_object(choices)) {
        return serve_refuse(problem, 400, "choices is not an object such as {\"a\": 12, \"b\": 3}");
    }
    const size_t arms = json_object_size(choices);
    const char **names = calloc(arms + 1, sizeof *names);
    uint64_t *counts = calloc(arms + 1, sizeof *counts);
    serve_outcome outcome = SERVE_DONE;
    if (names == NULL || counts == NULL) {
        outcome = serve_refuse(problem, 500, "out of memory");
    }
    size_t arm = 0;
    const char *name;
    json_t *value;
    json_object_foreach(choices, name, value) {
        if (outcome == SERVE_DONE && !check_text("the name of an arm", name, MOST_NAME, problem)) {
            outcome = SERVE_REFUSED;
        }
        if (outcome == SERVE_DONE) {
            assert(names != NULL && counts != NULL);
            names[arm] = name;
            if (!is_whole(value, 0, MOST_CHOICES)) {
                outcome = serve_refuse(problem, 400,
                                       "choices: the count of '%.80s' is not a whole number from 0 "
                                       "to 10^12",
                                       name);
            } else {
                counts[arm] = (uint64_t)json_number_value(value);
            }
            arm++;
        }
    }
    if (outcome == SERVE_DONE) {
        outcome = serve_model_fit(arms, names, counts, model, problem);
    }
    free(names);
    free(counts);
    return outcome;
}

/* Reads an inline model document: an object, or a text that holds one. */
static serve_outcome read_model(const json_t *document, xp_model **model, serve_problem *problem) {
    if (json_is_string(document)) {
        const char *text = json_string_value(document);
        if (text[strspn(text, " \t\r\n")] != '{') {
            return serve_refuse(problem, 409,
                                "model is the document that 'experior fit' writes, not the name of "
                                "a file");
        }
        return serve_model_read(text, json_string_length(document), model, problem);
    }
    if (!json_is_object(document)) {
        return serve_refuse(problem, 400, "model is not the document that 'experior fit' writes");
    }
    char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text == NULL) {
        return serve_refuse(problem, 500, "out of memory");
    }
    const serve_outcome outcome = serve_model_read(text, strlen(text), model, problem);
    free(text);
    return outcome;
}

/* Names of arms that can be typed again. */
static serve_outcome check_names(const xp_model *model, serve_problem *problem) {
    const size_t arms = xp_model_describe(model).space.actions;
    for (size_t arm = 0; arm < arms; arm++) {
        const char *name = xp_model_action_name(model, arm);
        if (name != NULL && !check_text("the name of an arm", name, MOST_NAME, problem)) {
            problem->code = 409;
            return SERVE_REFUSED;
        }
    }
    return SERVE_DONE;
}

static serve_outcome make_model(json_t *object, serve_job *job, serve_problem *problem) {
    json_t *choices = json_object_get(object, "choices"),
           *document = json_object_get(object, "model");
    if ((choices == NULL) == (document == NULL)) {
        return serve_refuse(problem, 400, "either choices or model says what the experts did");
    }
    xp_model *model = NULL;
    serve_outcome outcome = choices != NULL ? fit_choices(choices, &model, problem)
                                            : read_model(document, &model, problem);
    if (outcome == SERVE_DONE) {
        outcome = check_names(model, problem);
    }
    if (outcome == SERVE_DONE) { /* an agent that cannot act is found now, not at a decision */
        xp_error error;
        serve_law *law = serve_law_create(model, job->create.seed, "", &error);
        if (law == NULL || serve_law_among(law, NULL, &error) == NULL) {
            outcome = serve_refuse(problem, 409, "model: %s", error.message);
        }
        serve_law_destroy(law);
    }
    if (outcome == SERVE_DONE) {
        outcome = serve_model_write(model, &job->create.document, &job->create.bytes, problem);
    }
    xp_model_destroy(model);
    return outcome;
}

serve_outcome serve_body_create(const char *body, size_t bytes, serve_job *job,
                                serve_problem *problem) {
    static const char *const keys[] = {"name",   "choices",        "model", "seed",
                                       "shadow", "retention_days", NULL};
    json_t *object = parse(body, bytes, keys, problem);
    if (object == NULL) {
        return SERVE_REFUSED;
    }
    uint64_t days = 0;
    bool good = serve_seed_draw(&job->create.seed);
    if (!good) {
        (void)serve_refuse(problem, 500, "the system gives no random numbers");
    }
    good = good && read_text(object, "name", MOST_NAME, &job->create.name, problem) &&
           read_whole(object, "seed", 0, MOST_WHOLE, &job->create.seed, problem) &&
           read_whole(object, "retention_days", 1, 36500, &days, problem) &&
           read_flag(object, "shadow", &job->create.shadow, problem);
    if (good && job->create.name == NULL) {
        (void)serve_refuse(problem, 400, "name is missing");
        good = false;
    }
    serve_outcome outcome = good ? make_model(object, job, problem) : SERVE_REFUSED;
    job->create.retain = days * 86400;
    json_decref(object);
    return outcome;
}

static bool read_candidates(const json_t *object, serve_decide *decide, serve_problem *problem) {
    const json_t *list = json_object_get(object, "candidates");
    if (list == NULL || json_is_null(list)) {
        return true;
    }
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count < 1 || count > SERVE_MOST_ARMS) {
        (void)serve_refuse(problem, 400, "candidates is not a list of 1 to %d names of arms",
                           SERVE_MOST_ARMS);
        return false;
    }
    decide->candidates = calloc(count, sizeof *decide->candidates);
    for (size_t i = 0; decide->candidates != NULL && i < count; i++) {
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name)) {
            (void)serve_refuse(problem, 400, "candidates[%zu] is not a text", i);
            return false;
        }
        if (!check_text("a name in candidates", json_string_value(name), MOST_NAME, problem)) {
            return false;
        }
        decide->candidates[i] = strdup(json_string_value(name));
        if (decide->candidates[i] == NULL) {
            break;
        }
        decide->candidate_count++;
    }
    if (decide->candidate_count < count) {
        (void)serve_refuse(problem, 500, "out of memory");
    }
    return decide->candidate_count == count;
}

serve_outcome serve_body_decide(const char *body, size_t bytes, serve_job *job,
                                serve_problem *problem) {
    static const char *const keys[] = {"count",      "segment", "candidates",
                                       "request_id", "chosen",  NULL};
    serve_decide *decide = &job->decide;
    decide->count = 1;
    json_t *object = parse(body, bytes, keys, problem);
    if (object == NULL) {
        return SERVE_REFUSED;
    }
    uint64_t count = 1;
    const bool good = read_whole(object, "count", 1, SERVE_MOST_DECISIONS, &count, problem) &&
                      read_text(object, "segment", MOST_LABEL, &decide->segment, problem) &&
                      read_text(object, "request_id", MOST_LABEL, &decide->request_id, problem) &&
                      read_text(object, "chosen", MOST_NAME, &decide->chosen, problem) &&
                      read_candidates(object, decide, problem);
    json_decref(object);
    decide->count = (size_t)count;
    if (good && decide->segment == NULL) {
        decide->segment = strdup("");
        if (decide->segment == NULL) {
            return serve_refuse(problem, 500, "out of memory");
        }
    }
    return good ? SERVE_DONE : SERVE_REFUSED;
}

static bool read_reward(const json_t *entry, size_t index, serve_reward_item *item,
                        serve_problem *problem) {
    const json_t *id = json_object_get(entry, "decision_id"),
                 *reward = json_object_get(entry, "reward");
    if (!json_is_object(entry) || json_object_size(entry) != 2 || !json_is_string(id) ||
        !json_is_number(reward)) {
        (void)serve_refuse(problem, 400,
                           "rewards[%zu] is not an object of decision_id, a text, and reward, a "
                           "number",
                           index);
        return false;
    }
    item->reward = json_number_value(reward);
    if (!serve_decision_id_parse(json_string_value(id), item->experiment, &item->number)) {
        (void)serve_refuse(problem, 404, "rewards[%zu]: there is no decision '%.64s'", index,
                           json_string_value(id));
        return false;
    }
    return true;
}

serve_outcome serve_body_rewards(const char *body, size_t bytes, serve_job *job,
                                 serve_problem *problem) {
    static const char *const keys[] = {"rewards", NULL};
    json_t *object = parse(body, bytes, keys, problem);
    if (object == NULL) {
        return SERVE_REFUSED;
    }
    const json_t *list = json_object_get(object, "rewards");
    const size_t count = json_array_size(list);
    bool good = json_is_array(list) && count >= 1 && count <= SERVE_MOST_REWARDS;
    if (!good) {
        (void)serve_refuse(problem, 400, "rewards is not a list of 1 to %d rewards",
                           SERVE_MOST_REWARDS);
    }
    if (good) {
        job->rewards = calloc(count, sizeof *job->rewards);
        good = job->rewards != NULL;
        if (!good) {
            (void)serve_refuse(problem, 500, "out of memory");
        }
    }
    for (size_t i = 0; good && i < count; i++) {
        good = read_reward(json_array_get(list, i), i, &job->rewards[i], problem);
    }
    job->reward_count = count;
    json_decref(object);
    return good ? SERVE_DONE : SERVE_REFUSED;
}

serve_outcome serve_body_arms(const char *body, size_t bytes, serve_job *job,
                              serve_problem *problem) {
    static const char *const keys[] = {"add", "retire", "restore", "choices", NULL};
    json_t *object = parse(body, bytes, keys, problem);
    if (object == NULL) {
        return SERVE_REFUSED;
    }
    size_t named = 0;
    for (size_t i = 0; i < 3; i++) {
        if (json_object_get(object, keys[i]) != NULL) {
            job->change = (serve_arm_change)i;
            named++;
        }
    }
    bool good = named == 1;
    if (!good) {
        (void)serve_refuse(problem, 400, "one of add, retire and restore names an arm");
    }
    good = good && read_text(object, keys[job->change], MOST_NAME, &job->arm, problem) &&
           read_whole(object, "choices", 0, MOST_CHOICES, &job->choices, problem);
    if (good && job->arm == NULL) {
        (void)serve_refuse(problem, 400, "%s is not a text", keys[job->change]);
        good = false;
    }
    if (good && job->change != SERVE_ARM_ADD && json_object_get(object, "choices") != NULL) {
        (void)serve_refuse(problem, 400, "choices goes with add only");
        good = false;
    }
    json_decref(object);
    return good ? SERVE_DONE : SERVE_REFUSED;
}

serve_outcome serve_body_empty(const char *body, size_t bytes, serve_job *job,
                               serve_problem *problem) {
    static const char *const keys[] = {NULL};
    (void)job;
    json_t *object = parse(body, bytes, keys, problem);
    if (object == NULL) {
        return SERVE_REFUSED;
    }
    json_decref(object);
    return SERVE_DONE;
}
