/* warnings.c: what to know before expert data is relied on, as sentences.
 *
 * Few rows: K − 1 frequencies are estimated from N choices, which on average costs (K − 1) / (2N)
 * nats per choice, the divergence of what is estimated from what is true. The choices are worth the
 * divergence of their frequencies from guessing. Data is called too little where the cost is more
 * than a tenth of the worth. Whether there is any preference at all is tested by 2N times that
 * divergence, which has the chi-square distribution with K − 1 degrees if all arms are chosen alike
 * (the G-test).
 *
 * Experts and drift are tested where the table is read (experts.c, drift.c); with very many rows
 * everything is significant, so a drift must also be large enough to matter. */
#include "model/inspect/inspect_parts.h"

#include "base/memory.h"
#include "base/text/text.h"
#include "math/special.h"

enum { MOST = 16, NAMES = 5, NAME_WIDTH = 40 };
static const double cost_allowed = 0.1, chance_allowed = 0.05, distance_allowed = 0.1;
static const double clear = 0.001, place_allowed = 0.03;

typedef struct list {
    const xp__inspector *inspector;
    xp_inspection *result;
    xp__text text; /* of the sentence that is being written */
    bool failed;
} list;

static void finish(list *self, const char *code) {
    char *sentence;
    size_t length;
    if (xp__text_take(&self->text, &sentence, &length, NULL) != XP_OK) {
        self->failed = true;
    } else {
        self->result->warnings[self->result->warning_count++] =
            (xp_inspect_warning){code, sentence};
    }
}

static void name(list *self, size_t arm) {
    const char *label = xp_model_action_name(self->inspector->model, arm);
    if (label == NULL) {
        xp__text_format(&self->text, "%zu", arm);
    } else {
        xp__text_append(&self->text, "“");
        xp__text_line(&self->text, label, NAME_WIDTH, '\0');
        xp__text_append(&self->text, "”");
    }
}

/* Σ p log(p K) of the frequencies that the prior was fitted to, nats. */
static double preference(const xp_inspection *result, const xp_prior *prior) {
    double sum = 0;
    for (size_t k = 0; k < result->arms; k++) {
        const double p = prior->target != NULL ? prior->target[k] : result->share[k];
        sum += p > 0 ? p * log(p * (double)result->arms) : 0;
    }
    return fmax(0, sum);
}

static void look_at_rows(list *self) {
    const xp_inspection *result = self->result;
    const double n = result->effective, free = (double)(result->arms - 1);
    if (!(n > 0)) {
        xp__text_append(&self->text, "The prior was not fitted to any choices: everything said "
                                     "here follows from what it was given.");
        finish(self, "no_rows");
        return;
    }
    const double worth = preference(result, self->inspector->prior), cost = free / (2 * n);
    const double chance = xp__chi_square_survival(2 * n * worth, free);
    if (chance > chance_allowed) {
        xp__text_format(&self->text,
                        "The %.0f choices cannot be told from guessing among %zu arms: such "
                        "differences appear by chance with probability %.2g.",
                        n, result->arms, chance);
        finish(self, "no_preference");
    } else if (cost > cost_allowed * worth) {
        const double enough = ceil(free / (2 * cost_allowed * worth));
        xp__text_format(&self->text,
                        "%.0f choices are few for %zu arms: part of the differences "
                        "between the arms is chance. About %.0f choices would be enough.",
                        n, result->arms, fmax(enough, n + 1));
        finish(self, "few_rows");
    }
}

static void look_for_unchosen(list *self) {
    const xp_inspection *result = self->result;
    size_t count = 0;
    double together = 0;
    for (size_t k = 0; k < result->arms; k++) {
        if (result->counts[k] == 0) {
            count++;
            together += result->probability[k];
        }
    }
    if (count == 0 || result->demonstrations == 0) {
        return;
    }
    xp__text_format(&self->text, "%zu of %zu arms %s never chosen: ", count, result->arms,
                    count == 1 ? "was" : "were");
    size_t told = 0;
    for (size_t k = 0; k < result->arms && told < NAMES; k++) {
        if (result->counts[k] == 0) {
            xp__text_append(&self->text, told++ > 0 ? ", " : "");
            name(self, k);
        }
    }
    if (count > NAMES) {
        xp__text_format(&self->text, " and %zu more", count - NAMES);
    }
    xp__text_format(&self->text,
                    ". The prior takes that as the experts' judgement: %s a chance of %.1g %% of "
                    "being the best. If an arm is new rather than bad, that is too little.",
                    count == 1 ? "it has" : "together they have", 100 * together);
    finish(self, "never_chosen");
}

static void look_at_competence(list *self) {
    const xp_inspection *result = self->result;
    const xp_sensitivity *found = result->sensitivity;
    if (found == NULL) {
        return;
    }
    if (result->sensitivity_distance > distance_allowed) {
        xp__text_format(&self->text,
                        "What is best depends on how competent the experts are: another β moves up "
                        "to %.0f %% of the probability to other arms, and choices alone cannot "
                        "tell which β is right.",
                        100 * result->sensitivity_distance);
        finish(self, "depends_on_competence");
    }
}

/* Experts with habits of their own are fewer opinions than choices. */
static void look_at_experts(list *self) {
    const xp_agreement agreement = xp_model_recall(self->inspector->model).agreement;
    if (agreement.experts < 2 || !(agreement.p_value < clear)) {
        return;
    }
    xp__text_format(&self->text, "The %zu experts disagree more than chance explains (p = %.1g)",
                    agreement.experts, agreement.p_value);
    if (agreement.differing > 0) {
        xp__text_format(&self->text, "; %zu of them clearly differ%s from the others",
                        agreement.differing, agreement.differing == 1 ? "s" : "");
    }
    xp__text_format(&self->text,
                    ". Their choices count as if there were %.1f times fewer. Something that they "
                    "know and the table does not say may explain it: try a column as segments.",
                    agreement.design_effect);
    finish(self, "experts_disagree");
}

/* The mean place of the rows of an arm, where rows have an order. */
static void look_at_order(list *self) {
    const xp_drift drift = xp_model_recall(self->inspector->model).drift;
    if (drift.p_value < clear && fabs(drift.position - 0.5) > place_allowed) {
        xp__text_append(&self->text, "Choices change along the file: those of ");
        name(self, drift.arm);
        xp__text_format(&self->text,
                        " come %s than the others (on average %.0f %% of the way through; p = "
                        "%.1g). Old rows may not describe what experts do now.",
                        drift.position > 0.5 ? "later" : "earlier", 100 * drift.position,
                        drift.p_value);
        finish(self, "drift");
    }
}

static void look_at_fit(list *self) {
    if (!xp_prior_fit_result(self->inspector->prior).converged &&
        self->result->demonstrations > 0) {
        xp__text_append(&self->text, "The fit did not converge: the prior may not be the one that "
                                     "the method asks for.");
        finish(self, "not_converged");
    }
}

static void look_at_worth(list *self) {
    const xp_inspection *result = self->result;
    for (size_t i = 0; i < result->horizon_count; i++) {
        const xp_inspect_horizon *at = &result->horizons[i];
        if (at->decisions == 100 && !(at->saved > 1.96 * at->saved_se) && result->effective > 0) {
            xp__text_format(&self->text,
                            "On %zu tasks the prior saves nothing that can be told from chance "
                            "over the first 100 decisions.",
                            result->tasks);
            finish(self, "saves_nothing");
        }
    }
    if (isfinite(result->held_out) && result->held_out < result->held_out_guess) {
        xp__text_append(&self->text, "Choices that were held out are predicted worse than by "
                                     "guessing: what the prior has learned is chance.");
        finish(self, "worse_than_guessing");
    }
}

xp_status xp__inspect_warnings(xp__inspector *inspector, xp_error *error) {
    xp_inspection *result = inspector->result;
    result->warnings = xp__alloc(MOST, sizeof *result->warnings);
    if (result->warnings == NULL) {
        return xp__no_memory(error);
    }
    list self = {.inspector = inspector, .result = result};
    look_at_rows(&self);
    look_for_unchosen(&self);
    look_at_experts(&self);
    look_at_order(&self);
    look_at_competence(&self);
    look_at_fit(&self);
    look_at_worth(&self);
    return self.failed ? xp__no_memory(error) : XP_OK;
}
