/* audit.c: goes through decisions and rewards in their order, as they happened.
 *
 * The law is made by the same function as when the decision was made, from counts that are added up
 * here; so what is checked is that the store says enough to find every action and probability
 * again, to the last bit, and that its counts are the sums of its rewards. */
#include "serve/experiments/audit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 1000 };

typedef struct auditor {
    serve_store *store;
    FILE *out;
    serve_audit *result;
    const serve_experiment *row;
    uint32_t version; /* of the model in use */
    xp_model *model;
    size_t arms;          /* of that version */
    size_t known;         /* arms of the current version, which has them all */
    bool *retired, *open; /* for as many */
    serve_segment **segments;
    size_t segment_count;
    serve_reward *rewards; /* read ahead */
    size_t reward_count, reward_next;
    uint64_t applied; /* rewards that the counts hold */
    uint64_t after;   /* the last decision seen */
    bool good, more;
} auditor;

static void differ(auditor *self, const char *what, uint64_t number) {
    (void)fprintf(self->out, "%s-%" PRIu64 ": %s\n", self->row->id, number, what);
    self->result->differ++;
}

static void free_segments(auditor *self) {
    for (size_t i = 0; i < self->segment_count; i++) {
        serve_law_destroy(self->segments[i]->law);
        free(self->segments[i]->counts);
        free(self->segments[i]);
    }
    free(self->segments);
    self->segments = NULL;
    self->segment_count = 0;
}

/* Changes to a version of the model: learners are made anew, counts stay. */
static bool use_model(auditor *self, uint32_t version) {
    serve_model_row stored;
    serve_problem problem;
    bool found;
    if (!self->store->type->model_find(self->store, self->row->key, version, &stored, &found)) {
        return false;
    }
    for (size_t i = 0; i < self->segment_count; i++) {
        serve_law_destroy(self->segments[i]->law);
        self->segments[i]->law = NULL;
        self->segments[i]->fresh = false;
    }
    xp_model_destroy(self->model);
    self->model = NULL;
    self->version = version;
    if (!found) {
        return true;
    }
    if (serve_model_read(stored.document, stored.bytes, &self->model, &problem) == SERVE_DONE) {
        self->arms = xp_model_describe(self->model).space.actions;
        if (self->known == 0) {
            self->known = self->arms;
            self->retired = calloc(self->known, sizeof *self->retired);
            self->open = calloc(self->known, sizeof *self->open);
            self->good = self->retired != NULL && self->open != NULL;
        }
        if (self->good && (self->arms > self->known ||
                           !serve_arms_parse(stored.retired, self->arms, self->retired))) {
            xp_model_destroy(self->model);
            self->model = NULL;
        }
    }
    free(stored.document);
    free(stored.retired);
    return self->good;
}

static serve_segment *find_segment(auditor *self, const char *name) {
    for (size_t i = 0; i < self->segment_count; i++) {
        if (strcmp(self->segments[i]->name, name) == 0) {
            return self->segments[i];
        }
    }
    serve_segment **more =
        realloc(self->segments, (self->segment_count + 1) * sizeof(serve_segment *));
    serve_segment *made = calloc(1, sizeof *made);
    if (more != NULL) {
        self->segments = more;
    }
    if (made != NULL) {
        made->counts = calloc(self->known, sizeof *made->counts);
    }
    if (more == NULL || made == NULL || made->counts == NULL) {
        free(made);
        self->good = false;
        return NULL;
    }
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    self->segments[self->segment_count++] = made;
    return made;
}

static bool see_base(void *context, const serve_count *row) {
    auditor *self = context;
    serve_segment *segment = row->action < self->known ? find_segment(self, row->segment) : NULL;
    if (segment != NULL) {
        segment->counts[row->action].rewards = row->base_rewards;
        segment->counts[row->action].sum = row->base_sum;
        segment->counts[row->action].squares = row->base_squares;
    }
    return self->good;
}

static bool see_reward(void *context, const serve_reward *row) {
    auditor *self = context;
    self->rewards[self->reward_count++] = *row;
    return true;
}

/* Adds rewards until the counts are those of a version. */
static bool apply_rewards(auditor *self, uint64_t version) {
    while (self->applied < version) {
        if (self->reward_next == self->reward_count) {
            self->reward_next = self->reward_count = 0;
            if (!self->store->type->reward_each(self->store, self->row->key, self->applied, PAGE,
                                                see_reward, self)) {
                return false;
            }
        }
        if (self->reward_count == 0 ||
            self->rewards[self->reward_next].sequence != self->applied + 1) {
            differ(self, "a reward is missing from the store", self->applied + 1);
            self->applied = version;
            return true;
        }
        const serve_reward *reward = &self->rewards[self->reward_next++];
        serve_segment *segment = find_segment(self, reward->segment);
        if (segment == NULL) {
            return false;
        }
        if (reward->action < self->known) {
            segment->counts[reward->action].rewards++;
            segment->counts[reward->action].sum += reward->reward;
            segment->counts[reward->action].squares += reward->reward * reward->reward;
            segment->fresh = false;
        } else {
            differ(self, "the reward is of an arm that is not there", reward->number);
        }
        self->applied++;
        self->result->rewards++;
    }
    return true;
}

/* The probabilities from which a decision was drawn; NULL if there are none. */
static const double *find_law(auditor *self, const serve_decision *row) {
    xp_error error;
    serve_segment *segment = find_segment(self, row->segment);
    if (segment == NULL) {
        return NULL;
    }
    if (segment->law == NULL) {
        segment->law = serve_law_create(self->model, self->row->seed, row->segment, &error);
        segment->fresh = false;
    }
    if (segment->law == NULL ||
        (!segment->fresh && !serve_law_tell(segment->law, segment->counts, &error))) {
        return NULL;
    }
    segment->fresh = true;
    if (row->candidates != NULL) {
        if (!serve_arms_parse(row->candidates, self->arms, self->open)) {
            return NULL;
        }
    } else {
        for (size_t arm = 0; arm < self->arms; arm++) {
            self->open[arm] = !self->retired[arm];
        }
    }
    return serve_law_among(segment->law, self->open, &error);
}

static bool same_bits(double a, double b) {
    uint64_t x;
    uint64_t y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

static bool see_decision(void *context, const serve_decision *row) {
    auditor *self = context;
    self->more = true;
    if (row->number != self->after + 1) {
        differ(self, "a decision is missing before this one", row->number);
    }
    self->after = row->number;
    self->result->decisions++;
    if (row->model != self->version && !use_model(self, row->model)) {
        self->good = false;
        return false;
    }
    if (self->model == NULL) {
        differ(self, "the version of its model is missing or damaged", row->number);
        return true;
    }
    if (row->version < self->applied) {
        differ(self, "it saw fewer rewards than the one before", row->number);
        return true;
    }
    if (!apply_rewards(self, row->version)) {
        self->good = false;
        return false;
    }
    const double *law = find_law(self, row);
    const size_t action =
        law != NULL ? serve_law_draw(law, self->arms, self->row->seed, row->number) : self->arms;
    if (action >= self->arms || action != row->action ||
        !same_bits(law[action], row->probability)) {
        differ(self, "the action or its probability is another one", row->number);
    }
    return self->good;
}

static bool see_count(void *context, const serve_count *row) {
    auditor *self = context;
    serve_segment *segment = row->action < self->known ? find_segment(self, row->segment) : NULL;
    if (segment == NULL || segment->counts[row->action].rewards != row->rewards ||
        segment->counts[row->action].sum != row->sum ||
        segment->counts[row->action].squares != row->squares) {
        differ(self, "the counts are not the sums of the rewards", 0);
    }
    return self->good;
}

static bool audit_one(serve_store *store, const serve_experiment *row, FILE *out,
                      serve_audit *result) {
    auditor self = {.store = store,
                    .out = out,
                    .result = result,
                    .row = row,
                    .applied = row->base,
                    .after = row->first - 1,
                    .good = true,
                    .more = true,
                    .rewards = calloc(PAGE, sizeof *self.rewards)};
    /* Base counts may name arms of later versions: the current model has them all. */
    bool good = self.rewards != NULL && use_model(&self, row->model);
    if (good && self.model != NULL) {
        good = store->type->count_each(store, row->key, see_base, &self) && self.good;
    }
    while (good && self.more) {
        self.more = false;
        good = store->type->decision_each(store, row->key, self.after, PAGE, see_decision, &self) &&
               self.good;
    }
    if (good && self.after != row->decisions) {
        differ(&self, "the last decisions are missing", row->decisions);
    }
    if (good && self.version != row->model) {
        good = use_model(&self, row->model);
    }
    good = good && (self.known == 0 || apply_rewards(&self, row->rewards)) &&
           store->type->count_each(store, row->key, see_count, &self) && self.good;
    free_segments(&self);
    xp_model_destroy(self.model);
    free(self.retired);
    free(self.open);
    free(self.rewards);
    result->experiments++;
    return good;
}

typedef struct listing {
    serve_experiment *rows;
    size_t count;
    bool good;
} listing;

static bool see_experiment(void *context, const serve_experiment *row) {
    listing *self = context;
    serve_experiment *more = realloc(self->rows, (self->count + 1) * sizeof *more);
    self->good = more != NULL;
    if (self->good) {
        self->rows = more;
        self->rows[self->count++] = *row;
    }
    return self->good;
}

bool serve_audit_run(serve_store *store, FILE *out, serve_audit *result) {
    *result = (serve_audit){.differ = 0};
    listing list = {.good = true};
    /* One transaction: what a service adds meanwhile is not seen. */
    bool good = store->type->begin(store, false) &&
                store->type->experiment_each(store, see_experiment, &list) && list.good;
    for (size_t i = 0; good && i < list.count; i++) {
        good = audit_one(store, &list.rows[i], out, result);
    }
    free(list.rows);
    return good && store->type->commit(store);
}
