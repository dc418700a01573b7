/* decide.c: decisions. Everything is checked and computed before the first row is written. */
#include "serve/experiments/decide.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *serve_decision_id(const char *experiment, uint64_t number, char *room) {
    (void)snprintf(room, SERVE_ID_SIZE + 24, "%s-%" PRIu64, experiment, number);
    return room;
}

bool serve_decision_id_parse(const char *text, char *experiment, uint64_t *number) {
    const char *dash = strchr(text, '-');
    if (dash == NULL || dash - text != SERVE_ID_SIZE - 1 || strlen(dash) > 20 || dash[1] < '1' ||
        dash[1] > '9' || strspn(dash + 1, "0123456789") != strlen(dash + 1)) {
        return false;
    }
    (void)snprintf(experiment, SERVE_ID_SIZE, "%.*s", SERVE_ID_SIZE - 1, text);
    *number = strtoull(dash + 1, NULL, 10);
    return *number <= INT64_MAX;
}

void serve_decided_deinit(serve_decided *result) {
    if (result->rows != NULL && result->again) {
        for (size_t i = 0; i < result->count; i++) {
            free(result->rows[i].candidates);
        }
    }
    if (result->rows != &result->one) {
        free(result->rows);
    }
}

static bool make_rows(serve_decided *result, size_t count) {
    result->count = count;
    result->one = (serve_decision){.number = 0};
    result->rows = count == 1 ? &result->one : calloc(count, sizeof *result->rows);
    return result->rows != NULL;
}

/* Which arms may be taken: the candidates, less those that are retired. `text` gets the candidates
 * as they are stored, for free(), or NULL if none were named. */
static serve_outcome find_open(serve_entry *entry, const serve_decide *request, char **text,
                               serve_problem *problem) {
    *text = NULL;
    for (size_t arm = 0; arm < entry->arms; arm++) {
        entry->open[arm] = request->candidates == NULL && !entry->retired[arm];
    }
    assert(request->candidates != NULL || request->candidate_count == 0);
    for (size_t i = 0; i < request->candidate_count; i++) {
        const size_t arm = serve_entry_arm(entry, request->candidates[i]);
        if (arm == entry->arms) {
            return serve_refuse(problem, 409, "candidates: there is no arm '%.200s'",
                                request->candidates[i]);
        }
        if (entry->retired[arm]) {
            return serve_refuse(problem, 409, "candidates: the arm '%.200s' is retired",
                                request->candidates[i]);
        }
        entry->open[arm] = true;
    }
    if (request->candidates != NULL) {
        *text = serve_arms_format(entry->open, entry->arms);
        if (*text == NULL) {
            return serve_refuse(problem, 500, "out of memory");
        }
    }
    return SERVE_DONE;
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The decisions of an earlier request. */
static serve_outcome find_again(serve_book *book, serve_entry *entry, const serve_decide *request,
                                int64_t chosen, const char *candidates, serve_decided *result,
                                serve_problem *problem) {
    serve_store *store = serve_book_store(book);
    uint64_t number = 0, count = 0;
    bool found;
    if (!store->type->request_find(store, entry->row.key, request->request_id, &number, &count,
                                   &found)) {
        return SERVE_BROKEN;
    }
    if (!found) {
        return SERVE_DONE;
    }
    if (count != request->count) {
        return serve_refuse(problem, 409, "request_id '%.130s' was used for %" PRIu64 " decisions",
                            request->request_id, count);
    }
    if (!make_rows(result, request->count)) {
        return serve_refuse(problem, 500, "out of memory");
    }
    result->again = true;
    for (size_t i = 0; i < request->count; i++) {
        serve_decision *row = &result->rows[i];
        if (!store->type->decision_find(store, entry->row.key, number + i, row, &found)) {
            return SERVE_BROKEN;
        }
        if (!found || strcmp(row->segment, request->segment) != 0 || row->chosen != chosen ||
            !same_text(row->candidates, candidates)) {
            return serve_refuse(problem, 409,
                                "request_id '%.130s' was used for decisions with another segment, "
                                "other candidates or another choice",
                                request->request_id);
        }
    }
    return SERVE_DONE;
}

static serve_outcome write_rows(serve_book *book, serve_entry *entry, serve_segment *segment,
                                const serve_decide *request, serve_decided *result) {
    serve_store *store = serve_book_store(book);
    for (size_t i = 0; i < result->count; i++) {
        const serve_decision *row = &result->rows[i];
        if (!store->type->decision_add(store, entry->row.key, row)) {
            return SERVE_BROKEN;
        }
        const size_t taken = row->chosen >= 0 ? (size_t)row->chosen : row->action;
        segment->counts[taken].decisions++;
        segment->changed[taken] = segment->dirty = true;
    }
    if (request->request_id != NULL &&
        !store->type->request_add(store, entry->row.key, request->request_id,
                                  result->rows[0].number, result->count)) {
        return SERVE_BROKEN;
    }
    entry->row.decisions += result->count;
    entry->changed = true;
    return SERVE_DONE;
}

static serve_outcome make_new(serve_book *book, serve_entry *entry, const serve_decide *request,
                              int64_t chosen, char *candidates, serve_decided *result,
                              serve_problem *problem) {
    serve_segment *segment;
    serve_law *law;
    xp_error error;
    serve_outcome outcome =
        serve_entry_segment(book, entry, request->segment, true, &segment, problem);
    if (outcome == SERVE_DONE) {
        outcome = serve_entry_law(book, entry, segment, &law, problem);
    }
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    const bool all = !entry->any_retired && candidates == NULL;
    const double *probability = serve_law_among(law, all ? NULL : entry->open, &error);
    if (probability == NULL) {
        return serve_refuse(problem, error.status == XP_ERR_INPUT ? 409 : 500, "%s", error.message);
    }
    if (!make_rows(result, request->count)) {
        return serve_refuse(problem, 500, "out of memory");
    }
    for (size_t i = 0; i < request->count; i++) {
        serve_decision *row = &result->rows[i];
        row->number = entry->row.decisions + 1 + i;
        row->time = serve_book_now(book);
        (void)snprintf(row->segment, sizeof row->segment, "%s", request->segment);
        row->model = entry->row.model;
        row->version = entry->row.rewards;
        const size_t action =
            serve_law_draw(probability, entry->arms, entry->row.seed, row->number);
        if (action >= entry->arms) {
            return serve_refuse(problem, 500, "the probabilities of the arms cannot be drawn from");
        }
        row->action = (uint32_t)action;
        row->probability = probability[action];
        row->candidates = candidates;
        row->chosen = chosen;
    }
    return write_rows(book, entry, segment, request, result);
}

/* What the human chose: required in shadow mode, and only there. */
static serve_outcome find_chosen(const serve_entry *entry, const serve_decide *request,
                                 int64_t *chosen, serve_problem *problem) {
    *chosen = -1;
    if (entry->row.shadow != (request->chosen != NULL)) {
        return serve_refuse(problem, 409,
                            entry->row.shadow
                                ? "chosen: the experiment is in shadow mode, so a decision says "
                                  "what the human chose"
                                : "chosen: the experiment is not in shadow mode");
    }
    if (request->chosen == NULL) {
        return SERVE_DONE;
    }
    if (request->count != 1) {
        return serve_refuse(problem, 409, "count: in shadow mode it is 1, not %zu", request->count);
    }
    const size_t arm = serve_entry_arm(entry, request->chosen);
    if (arm == entry->arms) {
        return serve_refuse(problem, 409, "chosen: there is no arm '%.200s'", request->chosen);
    }
    *chosen = (int64_t)arm;
    return SERVE_DONE;
}

serve_outcome serve_decisions_make(serve_book *book, const char *experiment,
                                   const serve_decide *request, serve_decided *result,
                                   serve_problem *problem) {
    *result = (serve_decided){.count = 0};
    serve_entry *entry;
    char *candidates = NULL;
    int64_t chosen = -1;
    serve_outcome outcome = serve_book_find(book, experiment, &entry, problem);
    if (outcome == SERVE_DONE) {
        result->entry = entry;
        outcome = find_chosen(entry, request, &chosen, problem);
    }
    if (outcome == SERVE_DONE) {
        outcome = find_open(entry, request, &candidates, problem);
    }
    if (outcome == SERVE_DONE && request->request_id != NULL) {
        outcome = find_again(book, entry, request, chosen, candidates, result, problem);
    }
    if (outcome == SERVE_DONE && !result->again) {
        outcome = entry->row.state == SERVE_PAUSED
                      ? serve_refuse(problem, 409, "the experiment is paused")
                      : make_new(book, entry, request, chosen, candidates, result, problem);
    }
    free(candidates);
    for (size_t i = 0; !result->again && result->rows != NULL && i < result->count; i++) {
        result->rows[i].candidates = NULL;
    }
    return outcome;
}
