/* decisions.c: kept decisions: opening under a lock, drawing, rewards by number.
 *
 * Decision number n is drawn with a stream named by the seed and n, so that what is drawn depends
 * on the law and the number alone, whoever asked for laws or gave rewards in between. */
#include "model/kept/decisions_type.h"

#include "base/budget.h"
#include "base/check.h"
#include "base/file.h"
#include "base/grow.h"
#include "model/kept/learner.h"
#include "model/kept/lock.h"
#include "model/session_type.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STREAM_LEARNERS, STREAM_DRAWS };

void xp_decisions_options_init(xp_decisions_options *options, size_t size) {
    const xp_decisions_options own = {.size = sizeof own, .seed = 1, .create = true};
    xp__options_give(options, size, &own, sizeof own);
}

/* Where `path` leads, so that two names of one file are one lock. */
static char *resolve(const char *path) {
    char *real = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    if (real != NULL || slash == NULL) {
        char *copy = xp__strdup(real != NULL ? real : path);
        free(real);
        return copy;
    }
    char *folder = xp__strdup(path); /* a new file: its folder is there */
    if (folder == NULL) {
        return NULL;
    }
    folder[slash - path + 1] = '\0';
    real = realpath(folder, NULL);
    xp__free(folder);
    const size_t bytes = real != NULL ? strlen(real) + strlen(slash) + 1 : 0;
    char *whole = real != NULL ? xp__alloc(bytes, 1) : xp__strdup(path);
    if (real != NULL && whole != NULL) {
        (void)snprintf(whole, bytes, "%s%s", real, slash);
    }
    free(real);
    return whole;
}

/* The stream of a learner that begins, or of which only counts are kept. */
static xp_rng learner_stream(const xp_decisions *self, size_t part) {
    const xp_rng root = xp_rng_seed(self->seed), learners = xp_rng_fork(&root, STREAM_LEARNERS);
    const xp_rng now = xp_rng_fork(&learners, self->next);
    return xp_rng_fork(&now, part);
}

static const char *segment_of(const xp__decisions_part *part) {
    return part->name[0] != '\0' ? part->name : NULL;
}

/* A learner that knows the model and nothing else, for the last part. */
static xp_status begin_part(xp_decisions *self, const char *agent, xp_error *error) {
    const size_t index = self->part_count - 1;
    xp__decisions_part *part = &self->parts[index];
    const xp_rng rng = learner_stream(self, index);
    xp_session_options options = xp_session_options_default();
    options.agent = agent;
    options.rng = &rng;
    options.segment = segment_of(part);
    return xp_session_create(self->model, &options, &part->session, error);
}

/* The session of a part, made from its bytes when it is first asked for. */
static xp_status wake(xp_decisions *self, size_t index, xp_error *error) {
    xp__decisions_part *part = &self->parts[index];
    if (part->session != NULL) {
        return XP_OK;
    }
    const xp_rng rng = learner_stream(self, index);
    const xp_status status =
        xp__learner_read(part->bytes, part->size, self->path, self->model, self->fingerprint,
                         segment_of(part), &rng, &part->session, error);
    if (status == XP_OK) {
        xp__free(part->bytes);
        part->bytes = NULL;
    }
    return status;
}

static xp_status read_file(xp_decisions *self, const xp_decisions_options *options,
                           xp_error *error) {
    char *data;
    size_t bytes;
    xp_status status = xp__file_read_regular(self->path, XP__BUDGET, &data, &bytes, error);
    if (status != XP_OK) {
        return status;
    }
    status = xp__decisions_parse(self, data, bytes, error);
    xp__free(data);
    if (status == XP_OK) {
        status = wake(self, 0, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const char *agent = self->parts[0].session->spec;
    if (options->agent != NULL && strcmp(options->agent, agent) != 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%.120s: its agent is '%.120s' since the first decision, and cannot "
                            "become '%.120s'",
                            self->path, agent, options->agent);
    }
    if (options->same_seed && options->seed != self->seed) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%.200s: its seed is %" PRIu64 " since the first decision, and cannot "
                            "become %" PRIu64,
                            self->path, self->seed, options->seed);
    }
    return XP_OK;
}

static xp_status start(xp_decisions *self, const xp_decisions_options *options, xp_error *error) {
    self->created = true;
    self->seed = options->seed;
    self->next = 1;
    const xp_status status = xp__decisions_add_part(self, "", 0, error);
    return status == XP_OK ? begin_part(self, options->agent, error) : status;
}

/* Everything after the arguments were checked. */
static xp_status open_state(xp_decisions *self, const xp_decisions_options *options,
                            xp_error *error) {
    xp_status status = xp__model_fingerprint(self->model, &self->fingerprint, error);
    if (status == XP_OK && !options->read_only) {
        status = xp__lock_take(self->path, &self->lock, error);
    }
    if (status != XP_OK) {
        return status;
    }
    struct stat info; /* links were followed: one that is left leads nowhere */
    if (stat(self->path, &info) == 0 || errno != ENOENT) {
        return read_file(self, options, error);
    }
    return options->create ? start(self, options, error)
                           : xp_error_set(error, XP_ERR_FILE,
                                          "there is no state '%s': it begins with the first "
                                          "decision that is drawn",
                                          self->path);
}

xp_status xp_decisions_open(const char *path, const xp_model *model,
                            const xp_decisions_options *options, xp_decisions **decisions,
                            xp_error *error) {
    XP__NOT_NULL(decisions, error);
    *decisions = NULL;
    XP__NOT_NULL(path, error);
    XP__NOT_NULL(model, error);
    xp_decisions_options chosen = xp_decisions_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_decisions_options", error);
    }
    if (status == XP_OK && xp_model_describe(model).space.state_size > 0) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "decisions are kept for bandits, and this model has states: keep its "
                              "session (session.h)");
    }
    if (status != XP_OK) {
        return status;
    }
    xp_decisions *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->lock = -1;
    made->model = model;
    made->read_only = chosen.read_only;
    made->path = resolve(path);
    status = made->path != NULL ? open_state(made, &chosen, error) : xp__no_memory(error);
    if (status != XP_OK) {
        xp_decisions_close(made);
        return status;
    }
    *decisions = made;
    return XP_OK;
}

void xp_decisions_close(xp_decisions *decisions) {
    if (decisions == NULL) {
        return;
    }
    xp__lock_release(decisions->lock);
    for (size_t i = 0; i < decisions->part_count; i++) {
        xp_session_destroy(decisions->parts[i].session);
        xp__free(decisions->parts[i].bytes);
        xp__free(decisions->parts[i].name);
    }
    xp__free(decisions->parts);
    xp__free(decisions->pending);
    xp__free(decisions->path);
    xp__free(decisions);
}

/* The part of a segment, made if need be; a part that cannot be made leaves nothing behind. */
static xp_status find_part(xp_decisions *self, const char *segment, size_t *index,
                           xp_error *error) {
    for (*index = 0; *index < self->part_count; ++*index) {
        if (strcmp(self->parts[*index].name, segment) == 0) {
            return wake(self, *index, error);
        }
    }
    if (self->part_count == XP__PARTS_MOST) {
        return xp_error_set(error, XP_ERR_INPUT, "a state keeps at most %d segments",
                            (int)XP__PARTS_MOST);
    }
    xp_status status = xp__decisions_add_part(self, segment, strlen(segment), error);
    if (status == XP_OK) {
        status = begin_part(self, self->parts[0].session->spec, error);
        if (status != XP_OK) {
            xp__free(self->parts[--self->part_count].name);
        }
    }
    return status;
}

xp_status xp_decisions_segment(xp_decisions *decisions, const char *segment, xp_error *error) {
    XP__NOT_NULL(decisions, error);
    size_t known, part = 0;
    xp_status status = XP_OK;
    if (segment != NULL && segment[0] == '\0') {
        return xp_error_set(error, XP_ERR_INPUT, "a segment without a name cannot be kept");
    }
    if (segment != NULL) {
        status = xp_model_segment_find(decisions->model, segment, &known, error);
        status = status == XP_OK ? find_part(decisions, segment, &part, error) : status;
    }
    if (status == XP_OK) {
        decisions->part = part;
    }
    return status;
}

/* A segment's name as the model has it, which outlives the state. */
static const char *model_segment(const xp_decisions *self, size_t part) {
    const char *name = segment_of(&self->parts[part]);
    size_t known;
    return name != NULL && xp_model_segment_find(self->model, name, &known, NULL) == XP_OK
               ? xp_model_segment_name(self->model, known)
               : NULL;
}

xp_status xp_decisions_law(xp_decisions *decisions, size_t draws, double *probability,
                           size_t *draws_used, xp_error *error) {
    XP__NOT_NULL(decisions, error);
    const xp_status status = wake(decisions, decisions->part, error);
    if (status != XP_OK) {
        return status;
    }
    xp_session *session = decisions->parts[decisions->part].session;
    if (xp__learner_is_counts(session)) { /* as one who opens the file now would have it */
        session->rng = learner_stream(decisions, decisions->part);
    }
    return xp_session_law(session, NULL, draws, probability, draws_used, error);
}

/* A law of the caller's: finite, not negative, with a sum of 1. */
static xp_status check_law(const double *probability, size_t actions, xp_error *error) {
    double sum = 0;
    for (size_t action = 0; action < actions; action++) {
        if (!(probability[action] >= 0 && probability[action] <= 1)) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "the probability of action %zu is %g, not a number from 0 to 1",
                                action, probability[action]);
        }
        sum += probability[action];
    }
    return fabs(sum - 1) <= 1e-6 ? XP_OK
                                 : xp_error_set(error, XP_ERR_INPUT,
                                                "the probabilities add up to %.10g, not to 1", sum);
}

/* Room for `count` more pending decisions. */
static xp_status make_room(xp_decisions *self, size_t count, xp_error *error) {
    const size_t most = XP__PENDING_MOST;
    if (count > most - self->pending_count) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%zu decisions are pending and %zu more are asked for, but at most %zu "
                            "are kept; give the rewards, or forget those that get none",
                            self->pending_count, count, most);
    }
    xp__pending *moved =
        xp__reserve(self->pending, &self->pending_room, self->pending_count + count, sizeof *moved);
    if (moved == NULL) {
        return xp__no_memory(error);
    }
    self->pending = moved;
    return XP_OK;
}

static void draw(xp_decisions *self, const double *probability, double time, size_t count,
                 xp_decision *drawn) {
    const size_t actions = xp_model_describe(self->model).space.actions;
    const xp_rng root = xp_rng_seed(self->seed), draws = xp_rng_fork(&root, STREAM_DRAWS);
    const char *segment = model_segment(self, self->part);
    for (size_t i = 0; i < count; i++) {
        xp_rng rng = xp_rng_fork(&draws, self->next);
        const size_t action = xp_rng_categorical(&rng, probability, actions);
        drawn[i] = (xp_decision){.id = self->next++,
                                 .action = action,
                                 .probability = probability[action],
                                 .time = time,
                                 .segment = segment};
        self->pending[self->pending_count++] = (xp__pending){.id = drawn[i].id,
                                                             .probability = drawn[i].probability,
                                                             .time = time,
                                                             .action = (uint32_t)action,
                                                             .part = (uint32_t)self->part};
    }
}

xp_status xp_decisions_draw(xp_decisions *decisions, const double *probability, double time,
                            size_t count, xp_decision *drawn, xp_error *error) {
    XP__NOT_NULL(decisions, error);
    XP__NOT_NULL(drawn, error);
    if (!(time >= 0 && time <= 1e18)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the time %g is not a number of seconds since 1970", time);
    }
    const size_t actions = xp_model_describe(decisions->model).space.actions;
    double *own = NULL;
    xp_status status = make_room(decisions, count, error);
    if (status == XP_OK && probability != NULL) {
        status = check_law(probability, actions, error);
    } else if (status == XP_OK) {
        own = xp__alloc(actions, sizeof *own);
        status =
            own != NULL ? xp_decisions_law(decisions, 0, own, NULL, error) : xp__no_memory(error);
    }
    if (status == XP_OK) {
        draw(decisions, own != NULL ? own : probability, time, count, drawn);
    }
    xp__free(own);
    return status;
}

static int compare_ids(const void *a, const void *b) {
    const uint64_t x = ((const xp__pending *)a)->id, y = ((const xp__pending *)b)->id;
    return (x > y) - (x < y);
}

/* The pending decision of that number, marked as named by this call. */
static xp_status claim(const xp_decisions *self, uint64_t id, xp__pending **found,
                       xp_error *error) {
    const xp__pending key = {.id = id};
    *found = self->pending_count > 0
                 ? bsearch(&key, self->pending, self->pending_count, sizeof key, compare_ids)
                 : NULL;
    if (*found == NULL) {
        return id > 0 && id < self->next
                   ? xp_error_set(error, XP_ERR_INPUT,
                                  "decision %" PRIu64 " is no longer pending: its reward was "
                                  "given before, or it was forgotten",
                                  id)
                   : xp_error_set(error, XP_ERR_INPUT,
                                  "there is no decision %" PRIu64 ": the next one drawn will be "
                                  "number %" PRIu64,
                                  id, self->next);
    }
    if ((*found)->marked) {
        return xp_error_set(error, XP_ERR_INPUT, "decision %" PRIu64 " is named twice", id);
    }
    (*found)->marked = true;
    return XP_OK;
}

/* Removes the marked decisions, or only their marks. Returns how many there were. */
static size_t sweep(xp_decisions *self, bool remove) {
    size_t kept = 0, marked = 0;
    for (size_t i = 0; i < self->pending_count; i++) {
        marked += self->pending[i].marked;
        if (!remove || !self->pending[i].marked) {
            self->pending[kept] = self->pending[i];
            self->pending[kept++].marked = false;
        }
    }
    self->pending_count = kept;
    return marked;
}

xp_status xp__decisions_observe(xp_decisions *decisions, const uint64_t *ids, const double *rewards,
                                size_t count, size_t *at, xp_error *error) {
    xp_status status = XP_OK;
    xp__pending *one = NULL;
    for (*at = 0; *at < count; ++*at) {
        status = claim(decisions, ids[*at], &one, error);
        if (status == XP_OK) {
            status = wake(decisions, one->part, error);
        }
        if (status == XP_OK) {
            status = xp__session_check_reward(decisions->parts[one->part].session, one->action,
                                              rewards[*at], error);
        }
        if (status != XP_OK) {
            (void)sweep(decisions, false);
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) { /* nothing can fail any more */
        const xp__pending key = {.id = ids[i]};
        one = bsearch(&key, decisions->pending, decisions->pending_count, sizeof key, compare_ids);
        const xp_transition seen = {
            .action = one->action, .reward = rewards[i], .end = XP_TERMINATED};
        xp__session_observe(decisions->parts[one->part].session, &seen);
    }
    decisions->rewards += sweep(decisions, true);
    return XP_OK;
}

xp_status xp_decisions_observe(xp_decisions *decisions, const uint64_t *ids, const double *rewards,
                               size_t count, xp_error *error) {
    XP__NOT_NULL(decisions, error);
    if (count == 0) {
        return XP_OK;
    }
    XP__NOT_NULL(ids, error);
    XP__NOT_NULL(rewards, error);
    size_t at;
    return xp__decisions_observe(decisions, ids, rewards, count, &at, error);
}

xp_status xp_decisions_forget(xp_decisions *decisions, const uint64_t *ids, size_t count,
                              xp_error *error) {
    XP__NOT_NULL(decisions, error);
    if (count == 0) {
        return XP_OK;
    }
    XP__NOT_NULL(ids, error);
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        xp__pending *one;
        status = claim(decisions, ids[i], &one, error);
    }
    (void)sweep(decisions, status == XP_OK);
    return status;
}

xp_status xp_decisions_forget_older(xp_decisions *decisions, double time, size_t *count,
                                    xp_error *error) {
    XP__NOT_NULL(decisions, error);
    if (isnan(time)) {
        return xp_error_set(error, XP_ERR_INPUT, "the time is not a number");
    }
    for (size_t i = 0; i < decisions->pending_count; i++) {
        decisions->pending[i].marked = decisions->pending[i].time < time;
    }
    const size_t forgotten = sweep(decisions, true);
    if (count != NULL) {
        *count = forgotten;
    }
    return XP_OK;
}

xp_decisions_info xp_decisions_describe(const xp_decisions *decisions) {
    if (decisions == NULL) {
        return (xp_decisions_info){.seed = 0};
    }
    return (xp_decisions_info){.seed = decisions->seed,
                               .next = decisions->next,
                               .pending = decisions->pending_count,
                               .rewards = decisions->rewards,
                               .created = decisions->created,
                               .session =
                                   xp_session_describe(decisions->parts[decisions->part].session)};
}

xp_decision xp_decisions_pending(const xp_decisions *decisions, size_t index) {
    if (decisions == NULL || index >= decisions->pending_count) {
        return (xp_decision){.id = 0};
    }
    const xp__pending *one = &decisions->pending[index];
    return (xp_decision){.id = one->id,
                         .action = one->action,
                         .probability = one->probability,
                         .time = one->time,
                         .segment = model_segment(decisions, one->part)};
}
