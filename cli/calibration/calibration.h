/* calibration.h: what experior calibrate found, and how it is shown. */
#ifndef CLI_CALIBRATION_CALIBRATION_H
#define CLI_CALIBRATION_CALIBRATION_H

#include "options.h"

#include "experior/calibrate.h"

#include <stdio.h>

#define CALIBRATION_P 0.001 /* only an approximate sampler may have a smaller p */

typedef struct calibration_pair {
    const char *prior;
    xp_calibrate_result *result;
    xp_sampler_kind kind;
    bool passed, has_bias;
    xp_bias bias;
} calibration_pair;

typedef struct calibration {
    size_t simulations, threads;
    uint64_t seed;
    const char **samplers;
    size_t sampler_count;
    char *spec; /* of the only sampler if parameters were typed, or NULL */
    calibration_pair *pairs;
    size_t count;
    bool passed; /* every sampler that is not approximate did */
} calibration;

void calibration_text(const calibration *self);
void calibration_json(const calibration *self, FILE *out);
/* Writes DIR/calibration.json and DIR/calibration.svg; prints a sentence and returns false on
 * failure. */
bool calibration_save(const calibration *self, const char *directory);

#endif
