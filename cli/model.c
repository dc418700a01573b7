/* model.c: see model.h. */
#include "model.h"

#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_model_segment(const cli_arguments *arguments, const char *path, xp_model **model) {
    const cli_command *command = arguments->command;
    const bool kept = cli_is_option(command, "state") && cli_text(arguments, "state") != NULL;
    if (*model == NULL || kept || !cli_is_option(command, "segment") ||
        cli_text(arguments, "segment") == NULL) {
        return CLI_DONE;
    }
    xp_model *whole = *model;
    xp_error error;
    const xp_status status =
        xp_model_segment_create(whole, cli_text(arguments, "segment"), model, &error);
    xp_model_destroy(whole);
    return status == XP_OK ? CLI_DONE : cli_failed_on(path, &error);
}

int cli_model_load(const cli_arguments *arguments, xp_model **model) {
    xp_error error;
    if (xp_model_load(cli_positional_text(arguments, 0), model, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (xp_model_warning(*model) != NULL) {
        (void)fprintf(stderr, "experior: %s: %s\n", cli_positional_text(arguments, 0),
                      xp_model_warning(*model));
    }
    return cli_model_segment(arguments, cli_positional_text(arguments, 0), model);
}

/* Appends "key=value", after a colon if it is the first setting. */
static void append(char *spec, const char *key, const char *value) {
    const char *mark = strchr(spec, ':') == NULL ? ":" : spec[strlen(spec) - 1] == ':' ? "" : ",";
    (void)strcat(strcat(strcat(strcat(spec, mark), key), "="), value);
}

char *cli_agent_spec(const cli_arguments *arguments, const char *agent,
                     const xp_catalogue_entry *others) {
    size_t bytes = strlen(agent) + 1;
    for (size_t i = 0; i < arguments->given_count; i++) {
        bytes += strlen(arguments->given[i].name) + strlen(arguments->given[i].value) + 2;
    }
    char *spec = cli_alloc(bytes, 1);
    (void)strcpy(spec, agent);
    for (size_t i = 0; i < arguments->given_count; i++) {
        const cli_given *given = &arguments->given[i];
        const bool sampler = strcmp(given->name, "sampler") == 0;
        const bool taken = others != NULL && cli_has_param(others, given->name);
        if ((given->option == NULL && !taken) || (sampler && strcmp(given->value, "auto") != 0)) {
            append(spec, given->name, given->value);
        }
    }
    return spec;
}

const char *cli_choice_agent(const cli_arguments *arguments) {
    bool reference = false, mean = false, beta = false, unit = false;
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *name = arguments->given[i].name;
        reference = reference || strcmp(name, "reference") == 0;
        mean = mean || strcmp(name, "mean") == 0;
        beta = beta || strcmp(name, "beta") == 0;
        unit = unit || strcmp(name, "unit") == 0;
    }
    const bool relative = beta && !unit;
    if (reference) {
        return relative ? "experior_maxent:unit=relative" : "experior_maxent";
    }
    if (mean) {
        return relative ? "experior_maxent:reference=beta,unit=relative"
                        : "experior_maxent:reference=beta";
    }
    return relative ? "experior_maxent:reference=learned,unit=relative"
                    : "experior_maxent:reference=learned";
}

const char *cli_model_label(const xp_model *model, size_t action, char buffer[32]) {
    const char *name = xp_model_action_name(model, action);
    if (name == NULL) {
        (void)snprintf(buffer, 32, "%zu", action);
    }
    return name != NULL ? name : buffer;
}

const char *cli_label_shown(const char *label, char buffer[CLI_LABEL_SHOWN]) {
    enum { COLUMNS = 40 };
    size_t bytes = 0, columns = 0;
    while (label[bytes] != '\0' && bytes < CLI_LABEL_SHOWN - 8) {
        const bool begins = ((unsigned char)label[bytes] & 0xc0) != 0x80;
        if (begins && columns == COLUMNS - 1 && cli_columns(label + bytes) > 1) {
            break;
        }
        columns += begins;
        bytes++;
    }
    cli_copy(buffer, CLI_LABEL_SHOWN, label, bytes);
    if (label[bytes] != '\0') {
        (void)strcat(buffer, "…");
    }
    return cli_plain(buffer);
}
