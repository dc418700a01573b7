/* inspection_json.c: an inspection as JSON. */
#include "inspection/inspection.h"
#include "segments/segments.h"

#include <math.h>

static void horizons(cli_json *json, const xp_inspection *self) {
    cli_json_array(json, "horizons");
    for (size_t i = 0; i < self->horizon_count; i++) {
        const xp_inspect_horizon *at = &self->horizons[i];
        cli_json_object(json, NULL);
        cli_json_integer(json, "decisions", at->decisions);
        cli_json_number(json, "regret", at->regret);
        cli_json_number(json, "regret_se", at->regret_se);
        cli_json_number(json, "regret_without", at->without);
        cli_json_number(json, "regret_without_se", at->without_se);
        cli_json_number(json, "saved", at->saved);
        cli_json_number(json, "saved_se", at->saved_se);
        cli_json_number(json, "saved_share", at->share);
        cli_json_number(json, "saved_share_se", at->share_se);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void beliefs(cli_json *json, const xp_inspection *self) {
    static const char *const names[XP_INSPECT_QUANTILES] = {"q05", "q25", "q50", "q75", "q95"};
    cli_json_object(json, "mean_reward_quantiles");
    for (size_t q = 0; q < XP_INSPECT_QUANTILES; q++) {
        cli_json_array(json, names[q]);
        for (size_t k = 0; k < self->arms; k++) {
            cli_json_number(json, NULL, self->quantiles[k * XP_INSPECT_QUANTILES + q]);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_object(json, "mean_reward_density");
    cli_json_number(json, "low", self->curve_low);
    cli_json_number(json, "high", self->curve_high);
    cli_json_bool(json, "computed", self->curve_computed);
    cli_json_array(json, "arms");
    for (size_t k = 0; k < self->arms; k++) {
        cli_json_numbers(json, NULL, self->curve + k * self->curve_points, self->curve_points);
    }
    cli_json_end(json);
    cli_json_end(json);
}

static void held_out(cli_json *json, const xp_inspection *self) {
    cli_json_object(json, "held_out");
    cli_json_number(json, "log_likelihood", self->held_out);
    cli_json_number(json, "log_likelihood_se", self->held_out_se);
    cli_json_number(json, "guessing", self->held_out_guess);
    cli_json_integer(json, "folds", self->held_out_folds);
    cli_json_end(json);
}

static void competences(cli_json *json, const xp_inspection *self) {
    const xp_sensitivity *found = self->sensitivity;
    cli_json_array(json, "competences");
    for (size_t i = 0; found != NULL && i < found->beta_count; i++) {
        const xp_sensitivity_outcome *out = &found->outcomes[i];
        cli_json_object(json, NULL);
        cli_json_number(json, "beta", out->beta);
        cli_json_bool(json, "feasible", out->feasible);
        if (out->feasible) {
            cli_json_number(json, "lambda", out->lambda);
            cli_json_numbers(json, "probability_best", out->probability, found->arms);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_number(json, "competences_distance", self->sensitivity_distance);
}

static void warnings(cli_json *json, const xp_inspection *self) {
    cli_json_array(json, "warnings");
    for (size_t i = 0; i < self->warning_count; i++) {
        cli_json_object(json, NULL);
        cli_json_text(json, "code", self->warnings[i].code);
        cli_json_text(json, "sentence", self->warnings[i].sentence);
        cli_json_end(json);
    }
    cli_json_end(json);
}

void cli_inspection_json(cli_json *json, const xp_inspection *self, const xp_model *model) {
    cli_json_text(json, "answer", self->answer);
    cli_json_text(json, "method", xp_model_describe(model).method);
    cli_json_integer(json, "arms", self->arms);
    cli_json_text(json, "sampler", self->sampler);
    cli_json_text(json, "kind", xp_sampler_kind_name(self->kind));
    cli_json_integer(json, "draws", self->draws);
    cli_json_number(json, "entropy_bits", self->entropy);
    cli_json_number(json, "effective_arms", self->effective_arms);
    cli_json_array(json, "actions");
    for (size_t k = 0; k < self->arms; k++) {
        char label[32];
        cli_json_text(json, NULL, cli_model_label(model, k, label));
    }
    cli_json_end(json);
    cli_json_integer(json, "demonstrations", self->demonstrations);
    cli_json_number(json, "effective_demonstrations", self->effective);
    cli_json_integers(json, "counts", self->counts, self->arms);
    cli_json_numbers(json, "demonstrated", self->share, self->arms);
    cli_json_numbers(json, "probability_best", self->probability, self->arms);
    cli_json_numbers(json, "mean_reward", self->mean, self->arms);
    cli_json_numbers(json, "mean_reward_sd", self->sd, self->arms);
    beliefs(json, self);
    cli_json_integer(json, "tasks", self->tasks);
    cli_json_integer(json, "episodes", self->episodes);
    cli_json_number(json, "regret", self->regret);
    cli_json_number(json, "regret_se", self->regret_se);
    cli_json_number(json, "uniform_regret", self->uniform_regret);
    cli_json_number(json, "uniform_regret_se", self->uniform_regret_se);
    cli_json_number(json, "regret_saved", self->saved);
    cli_json_number(json, "regret_saved_se", self->saved_se);
    cli_json_text(json, "scale", self->scale);
    horizons(json, self);
    cli_json_number(json, "head_start", self->head_start);
    held_out(json, self);
    competences(json, self);
    warnings(json, self);
}

void cli_inspection_segments_json(cli_json *json, xp_inspection *const *segments,
                                  const xp_model *model) {
    const xp_pooling pooling = xp_model_pooling(model);
    if (pooling.segments == 0) {
        return;
    }
    cli_pooling_json(json, &pooling);
    cli_json_array(json, "segments");
    for (size_t i = 0; i < pooling.segments; i++) {
        cli_json_object(json, NULL);
        const xp_segment segment = xp_model_segment(model, i);
        cli_json_text(json, "name", segment.name);
        cli_json_integer(json, "count", segment.choices);
        cli_json_number(json, "own", segment.own);
        cli_json_number(json, "effective", segment.effective);
        cli_json_numbers(json, "frequencies", segment.target, segments[i]->arms);
        cli_inspection_json(json, segments[i], model);
        cli_json_end(json);
    }
    cli_json_end(json);
}
