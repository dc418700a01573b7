/* calibration.c: calibration as a table, as JSON and as a picture. */
#include "calibration/calibration.h"

#include "json.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void text_bias(const calibration *self) {
    bool headed = false;
    for (size_t i = 0; i < self->count; i++) {
        const calibration_pair *pair = &self->pairs[i];
        if (!pair->has_bias) {
            continue;
        }
        if (!headed) {
            (void)printf("\nBias of approximate samplers on a fixed posterior, beside brute force "
                         "in brackets\n");
            headed = true;
        }
        (void)printf("\n%s on %s: the laws of the action are %.4f apart in total variation\n",
                     pair->result->sampler, pair->prior, pair->bias.law_distance);
        cli_table table = cli_table_start("lrrr", "arm\tmean\tsd\tP(best)");
        for (size_t arm = 0; arm < pair->bias.arms; arm++) {
            cli_table_add(&table, "%zu\t%.4f (%.4f)\t%.4f (%.4f)\t%.4f (%.4f)", arm,
                          pair->bias.mean[arm], pair->bias.exact_mean[arm], pair->bias.sd[arm],
                          pair->bias.exact_sd[arm], pair->bias.law[arm], pair->bias.exact_law[arm]);
        }
        cli_table_print(&table);
    }
}

void calibration_text(const calibration *self) {
    cli_table table = cli_table_start("llllrrl", "sampler\tprior\tkind\tstatistic\tchi-square\tp\t"
                                                 "ranks");
    for (size_t i = 0; i < self->count; i++) {
        const calibration_pair *pair = &self->pairs[i];
        for (size_t s = 0; s < pair->result->statistic_count; s++) {
            const xp_calibrate_statistic *at = &pair->result->statistics[s];
            double *height = cli_alloc(at->bins, sizeof *height);
            char *line = cli_alloc(at->bins, 3 + 1);
            for (size_t b = 0; b < at->bins; b++) {
                height[b] = (double)at->counts[b];
            }
            cli_table_add(&table, "%s\t%s\t%s\t%s\t%.1f\t%.4f\t%s", pair->result->sampler,
                          pair->prior, xp_sampler_kind_name(pair->kind), at->name, at->chi_square,
                          at->p, cli_sparkline(line, height, at->bins));
            free(line);
            free(height);
        }
    }
    cli_table_print(&table);
    text_bias(self);
    (void)printf("\n%s\n", self->passed
                               ? "every sampler that is not approximate has p > 0.001 throughout"
                               : "a sampler that is not approximate has p of 0.001 or less");
}

static void json_statistic(cli_json *json, const xp_calibrate_statistic *statistic) {
    cli_json_object(json, NULL);
    cli_json_text(json, "name", statistic->name);
    cli_json_number(json, "chi_square", statistic->chi_square);
    cli_json_number(json, "p", statistic->p);
    cli_json_integers(json, "counts", statistic->counts, statistic->bins);
    cli_json_end(json);
}

static void json_bias(cli_json *json, const xp_bias *bias) {
    cli_json_object(json, "bias");
    cli_json_numbers(json, "mean", bias->mean, bias->arms);
    cli_json_numbers(json, "exact_mean", bias->exact_mean, bias->arms);
    cli_json_numbers(json, "sd", bias->sd, bias->arms);
    cli_json_numbers(json, "exact_sd", bias->exact_sd, bias->arms);
    cli_json_numbers(json, "probabilities", bias->law, bias->arms);
    cli_json_numbers(json, "exact_probabilities", bias->exact_law, bias->arms);
    cli_json_number(json, "law_distance", bias->law_distance);
    cli_json_end(json);
}

void calibration_json(const calibration *self, FILE *out) {
    cli_json json = {.out = out};
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "simulations", self->simulations);
    cli_json_integer(&json, "seed", self->seed);
    cli_json_bool(&json, "passed", self->passed);
    cli_json_array(&json, "samplers");
    for (size_t i = 0; i < self->count; i++) {
        const calibration_pair *pair = &self->pairs[i];
        cli_json_object(&json, NULL);
        cli_json_text(&json, "sampler", pair->result->sampler);
        cli_json_text(&json, "prior", pair->prior);
        cli_json_text(&json, "kind", xp_sampler_kind_name(pair->kind));
        cli_json_bool(&json, "passed", pair->passed);
        cli_json_integer(&json, "thinning", pair->result->thinning);
        cli_json_integer(&json, "gave_up", pair->result->gave_up);
        cli_json_array(&json, "statistics");
        for (size_t s = 0; s < pair->result->statistic_count; s++) {
            json_statistic(&json, &pair->result->statistics[s]);
        }
        cli_json_end(&json);
        if (pair->has_bias) {
            json_bias(&json, &pair->bias);
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

/* The first arm's ranks of every pair, one panel each. */
static xp_status save_picture(const calibration *self, const char *path, xp_error *error) {
    size_t bins = 0;
    for (size_t i = 0; i < self->count; i++) {
        bins += self->pairs[i].result->statistics[0].bins;
    }
    xp_series *series = cli_alloc(self->count, sizeof *series);
    char(*panels)[128] = cli_alloc(self->count, sizeof *panels);
    double *x = cli_alloc(2 * bins, sizeof *x), *next = x;
    for (size_t i = 0; i < self->count; i++) {
        const xp_calibrate_result *result = self->pairs[i].result;
        const xp_calibrate_statistic *ranks = &result->statistics[0];
        (void)snprintf(panels[i], sizeof panels[i], "%.40s on %.60s", result->sampler,
                       self->pairs[i].prior);
        series[i] = (xp_series){.agent = result->sampler,
                                .panel = panels[i],
                                .x_label = "rank of the true mean of arm 0, bin",
                                .y_label = "simulations",
                                .n = ranks->bins,
                                .x = next,
                                .y = next + ranks->bins};
        for (size_t b = 0; b < ranks->bins; b++) {
            series[i].x[b] = (double)b;
            series[i].y[b] = (double)ranks->counts[b];
        }
        next += 2 * ranks->bins;
    }
    const xp_status status = xp_picture_series(
        series, self->count, "ranks of the truth: flat for a right sampler", path, error);
    free(x);
    free(panels);
    free(series);
    return status;
}

/* Written beside its place and renamed, so that it is there whole or not at all. */
static bool save_json(const calibration *self, const char *path) {
    char part[4096];
    (void)snprintf(part, sizeof part, "%.4080s.part", path);
    FILE *out = fopen(part, "wb");
    int reason = out == NULL ? errno : 0;
    if (out != NULL) {
        calibration_json(self, out);
        const bool written = fflush(out) == 0 && ferror(out) == 0 && fsync(fileno(out)) == 0;
        reason = written ? 0 : errno;
        if (fclose(out) != 0 && reason == 0) {
            reason = errno;
        }
        if (reason == 0 && rename(part, path) != 0) {
            reason = errno;
        }
        if (reason != 0) {
            (void)unlink(part);
        }
    }
    if (reason != 0) {
        cli_complain("cannot write '%s': %s", path, strerror(reason));
    }
    return reason == 0;
}

bool calibration_save(const calibration *self, const char *directory) {
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        cli_complain("cannot make the directory '%s': %s", directory, strerror(errno));
        return false;
    }
    char path[4096];
    (void)snprintf(path, sizeof path, "%.4000s/calibration.json", directory);
    if (!save_json(self, path)) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%.4000s/calibration.svg", directory);
    xp_error error;
    if (save_picture(self, path, &error) != XP_OK) {
        (void)cli_failed(&error);
        return false;
    }
    return true;
}
