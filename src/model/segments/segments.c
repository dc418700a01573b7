/* segments.c: fitting one prior per segment, and what a model says of its segments.
 *
 * The amount of pooling is estimated by prior/pooling from effective counts; each segment's prior
 * is then fitted to its expected frequencies as if they were those of so many choices as they are
 * worth. */
#include "model/model_type.h"

#include "base/budget.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/text/scan.h"
#include "base/text/text.h"
#include "prior/bandit/prior_type.h"
#include "prior/pooling/pooling.h"

#include <math.h>
#include <string.h>

/* What is at work. */
typedef struct fitting {
    const xp_choices *choices;
    const xp_model_options *options;
    xp_model *model;
    xp__segment_counts counts; /* effective */
    double *n;                 /* of the counts, S × K */
    double *target;            /* K */
    xp__pooling pooling;
    size_t done; /* fits that have ended: the overall prior's, then those of the segments */
} fitting;

/* Fits are alike in the caller's progress. */
static int tell(void *context, size_t done, size_t total) {
    enum { PARTS = 1000 };
    const fitting *self = context;
    if (self->options->progress == NULL) {
        return 0;
    }
    const double share = total > 0 ? (double)done / (double)total : 0;
    return self->options->progress(self->options->progress_context,
                                   self->done * PARTS + (size_t)(share * PARTS),
                                   (self->counts.segments + 1) * PARTS);
}

static xp_status gather(fitting *self, xp_error *error) {
    const size_t segments = self->counts.segments, arms = self->counts.arms;
    self->n = xp__alloc(segments, arms * sizeof *self->n);
    self->target = xp__alloc(arms, sizeof *self->target);
    if (self->n == NULL || self->target == NULL) {
        return xp__no_memory(error);
    }
    for (size_t s = 0; s < segments; s++) {
        for (size_t arm = 0; arm < arms; arm++) {
            self->n[s * arms + arm] = xp_choices_effective(self->choices, s, arm);
        }
    }
    self->counts.n = self->n;
    return xp__pooling_init(&self->pooling, &self->counts, error);
}

static void summarise(fitting *self) {
    const xp__pooling *pooling = &self->pooling;
    const xp__left_out left = xp__pooling_left_out(pooling, &self->counts);
    self->model->pooling = (xp_pooling){.segments = self->counts.segments,
                                        .strength = xp__pooling_quantile(pooling, 0.5),
                                        .strength_low = xp__pooling_quantile(pooling, 0.025),
                                        .strength_high = xp__pooling_quantile(pooling, 0.975),
                                        .none = left.none,
                                        .full = left.full,
                                        .estimated = left.estimated};
}

/* The choices of a segment as they were made, without names. */
static xp_status segment_demos(const fitting *self, size_t segment, xp_demos **demos,
                               xp_error *error) {
    xp_status status = xp_demos_create(0, self->counts.arms, demos, error);
    for (size_t arm = 0; status == XP_OK && arm < self->counts.arms; arm++) {
        const uint32_t action = (uint32_t)arm;
        const uint64_t count = xp_choices_count(self->choices, segment, arm);
        if (count > 0) {
            status = xp_demos_add(*demos, NULL, &action, 1, count, error);
        }
    }
    return status;
}

static xp_status fit_segment(fitting *self, size_t segment, double most, xp_error *error) {
    xp_model *model = self->model;
    xp__model_segment *made = &model->segments[segment];
    const double *n = self->n + segment * self->counts.arms;
    double total = 0;
    for (size_t arm = 0; arm < self->counts.arms; arm++) {
        total += n[arm];
    }
    made->own = xp__pooling_segment(&self->pooling, n, self->target);
    made->name = xp__strdup(xp_choices_segment_name(self->choices, segment));
    if (made->name == NULL) {
        return xp__no_memory(error);
    }
    const xp_rng root = xp_rng_seed(self->options->seed);
    xp_rng rng = xp_rng_fork(&root, segment);
    const xp__prior_fit_options options = {
        .params = &model->spec.prior_params,
        .rng = &rng,
        .progress = tell,
        .progress_context = self,
        .target = self->target,
        .effective = xp__pooling_worth(&self->pooling, total, most),
    };
    xp_demos *demos = NULL;
    xp_status status = segment_demos(self, segment, &demos, error);
    if (status == XP_OK) {
        xp_error inner;
        status = xp__prior_fit_with(model->spec.prior_method, &options, demos, &made->prior, NULL,
                                    &inner);
        if (status != XP_OK) {
            (void)xp_error_set(error, status, "segment '%.80s': %s", made->name, inner.message);
        }
    }
    xp_demos_destroy(demos);
    self->done++;
    return status == XP_OK && tell(self, 0, 1) != 0
               ? xp_error_set(error, XP_ERR_INTERRUPTED, "the fit was interrupted")
               : status;
}

static xp_status fit_all(fitting *self, xp_error *error) {
    const xp_model *model = self->model;
    if (model->prior == NULL || !model->prior->type->takes_target) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent '%.80s' has no prior that segments could share; use "
                            "experior_maxent, or fit one model per segment",
                            model->agent);
    }
    xp_status status = gather(self, error);
    if (status != XP_OK) {
        return status;
    }
    self->model->segments = xp__alloc(self->counts.segments, sizeof *model->segments);
    if (model->segments == NULL) {
        return xp__no_memory(error);
    }
    summarise(self);
    const double most = fmax(1, xp_choices_describe(self->choices).effective);
    for (size_t s = 0; status == XP_OK && s < self->counts.segments; s++) {
        status = fit_segment(self, s, most, error);
    }
    return status;
}

static xp_status check_table(const xp_choices *choices, xp_error *error) {
    const size_t segments = xp_choices_segments(choices);
    if (xp_choices_segment_name(choices, 0) == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "the table has no column of segments");
    }
    if (segments > XP_SEGMENTS_MAX ||
        segments > XP__BUDGET / (8 * sizeof(double)) / xp_choices_arms(choices)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the table has %zu segments of %zu arms; a model has at most %d, and "
                            "1 GiB of numbers: is this the column of segments?",
                            segments, xp_choices_arms(choices), (int)XP_SEGMENTS_MAX);
    }
    return XP_OK;
}

xp_status xp_model_fit_segments(const char *agent, const xp_choices *choices,
                                const xp_model_options *options, xp_model **model,
                                xp_error *error) {
    XP__NOT_NULL(model, error);
    *model = NULL;
    XP__NOT_NULL(choices, error);
    xp_model_options chosen = xp_model_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_model_options", error);
    }
    if (status == XP_OK) {
        status = check_table(choices, error);
    }
    if (status != XP_OK) {
        return status;
    }
    fitting self = {
        .choices = choices,
        .options = &chosen,
        .counts = {.segments = xp_choices_segments(choices), .arms = xp_choices_arms(choices)}};
    xp_model_options overall = chosen;
    overall.source = choices;
    overall.progress = tell;
    overall.progress_context = &self;
    xp_demos *demos = NULL;
    status = xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, error);
    if (status == XP_OK) {
        status = xp_model_fit(agent, NULL, demos, &overall, &self.model, error);
    }
    xp_demos_destroy(demos);
    self.done = 1;
    if (status == XP_OK) {
        status = fit_all(&self, error);
    }
    xp__pooling_deinit(&self.pooling);
    xp__free(self.n);
    xp__free(self.target);
    if (status == XP_OK) {
        *model = self.model;
    } else {
        xp_model_destroy(self.model);
    }
    return status;
}

xp_pooling xp_model_pooling(const xp_model *model) {
    return model != NULL ? model->pooling : (xp_pooling){.segments = 0};
}

size_t xp_model_segments(const xp_model *model) {
    return model != NULL ? model->pooling.segments : 0;
}

xp_segment xp_model_segment(const xp_model *model, size_t segment) {
    if (segment >= xp_model_segments(model)) {
        return (xp_segment){.name = NULL};
    }
    const xp__model_segment *one = &model->segments[segment];
    return (xp_segment){.name = one->name,
                        .choices = one->prior->demonstrations,
                        .own = one->own,
                        .effective = one->prior->effective,
                        .target = one->prior->target,
                        .counts = one->prior->counts,
                        .prior = one->prior};
}

const char *xp_model_segment_name(const xp_model *model, size_t segment) {
    return segment < xp_model_segments(model) ? model->segments[segment].name : NULL;
}

/* Changes of single bytes that make one text of the other, of their first 63 bytes; letters of
 * either case are the same. */
static size_t distance(const char *a, const char *b) {
    enum { MOST = 64 };
    size_t row[MOST] = {0};
    const size_t m = strnlen(a, MOST - 1), n = strnlen(b, MOST - 1);
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const char x = a[i - 1], y = b[j - 1];
            const bool same = x == y || ((x ^ y) == 32 && ((x | 32) >= 'a' && (x | 32) <= 'z'));
            const size_t change = corner + !same;
            corner = row[j];
            const size_t either = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < either ? change : either;
        }
    }
    return row[n];
}

/* "'north', 'south' and 3 more": the nearest names first. */
static void list_near(const xp_model *model, const char *name, char *text, size_t size) {
    enum { LISTED = 4 };
    const size_t segments = model->pooling.segments;
    size_t near[LISTED], far[LISTED], count = 0, used = 0;
    for (size_t s = 0; s < segments; s++) {
        const size_t d = distance(name, model->segments[s].name);
        size_t place = count < LISTED ? count++ : LISTED;
        if (place == LISTED && d >= far[LISTED - 1]) {
            continue;
        }
        place = place == LISTED ? LISTED - 1 : place;
        for (; place > 0 && far[place - 1] > d; place--) {
            far[place] = far[place - 1];
            near[place] = near[place - 1];
        }
        far[place] = d;
        near[place] = s;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char shown[XP__SHOWN];
        const char *near_name = model->segments[near[i]].name;
        const int added = xp__format(text + used, size - used, "%s'%s'", i > 0 ? ", " : "",
                                     xp__show(shown, near_name, strlen(near_name)));
        used += added > 0 ? (size_t)added : 0;
    }
    if (segments > count) {
        (void)xp__format(text + used, size - used, " and %zu more", segments - count);
    }
}

xp_status xp_model_segment_find(const xp_model *model, const char *name, size_t *segment,
                                xp_error *error) {
    XP__NOT_NULL(segment, error);
    *segment = 0;
    XP__NOT_NULL(model, error);
    XP__NOT_NULL(name, error);
    if (model->segments == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model has no segments, so none is '%.80s'; 'experior fit --by "
                            "COLUMN' makes one that has",
                            name);
    }
    for (size_t s = 0; s < model->pooling.segments; s++) {
        if (strcmp(model->segments[s].name, name) == 0) {
            *segment = s;
            return XP_OK;
        }
    }
    char near[400], shown[XP__SHOWN];
    list_near(model, name, near, sizeof near);
    return xp_error_set(error, XP_ERR_INPUT,
                        "the model has no segment '%s'; it has %s. Without a segment, the overall "
                        "prior is used",
                        xp__show(shown, name, strlen(name)), near);
}
