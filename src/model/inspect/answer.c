/* answer.c: is the data worth anything? The answer in words, from the horizon nearest to 100
 * decisions: yes if it saves a tenth of the regret or more, a little if it surely saves something,
 * and no otherwise. */
#include "model/inspect/inspect_parts.h"

#include "base/text/text.h"

static const double much = 0.1, z = 1.96;

/* The horizon of at most 100 decisions, or what there is. */
static const xp_inspect_horizon *choose(const xp_inspection *result) {
    const xp_inspect_horizon *chosen = NULL;
    for (size_t i = 0; i < result->horizon_count; i++) {
        if (chosen == NULL || result->horizons[i].decisions <= 100) {
            chosen = &result->horizons[i];
        }
    }
    return chosen;
}

/* Two digits: 63, 240, 1300. */
static double rounded(double value) {
    const double unit = value >= 100 ? pow(10, floor(log10(value)) - 1) : 1;
    return unit * floor(value / unit + 0.5);
}

/* 1234567 as 1,234,567. */
static void grouped(size_t value, xp__text *text) {
    if (value >= 1000) {
        grouped(value / 1000, text);
        xp__text_format(text, ",%03zu", value % 1000);
    } else {
        xp__text_format(text, "%zu", value);
    }
}

static void head_start(const xp_inspection *result, xp__text *text) {
    const double decisions = rounded(result->head_start);
    if (decisions >= 2) {
        xp__text_append(text, " Over ");
        grouped(result->episodes, text);
        xp__text_format(
            text,
            " decisions they save as much regret as a learner without them has in its first %.0f.",
            decisions);
    }
}

xp_status xp__inspect_answer(xp__inspector *self, xp_error *error) {
    xp_inspection *result = self->result;
    const xp_inspect_horizon *at = choose(result);
    xp__text text = {.data = NULL};
    size_t length;
    if (!(result->effective > 0)) {
        xp__text_append(&text, "There are no choices of experts in this model.");
    } else if (at == NULL) {
        xp__text_format(&text, "%zu decisions are too few to say.", result->episodes);
    } else if (!(at->saved > z * at->saved_se)) {
        xp__text_format(&text,
                        "No: over the first %zu decisions the experts' choices save nothing that "
                        "can be told from chance.",
                        at->decisions);
    } else {
        xp__text_format(&text,
                        "%s: over the first %zu decisions the experts' choices save about %.0f %% "
                        "of the regret (95 %% interval %.0f to %.0f %%), if the prior is right.",
                        at->share >= much ? "Yes" : "A little", at->decisions, 100 * at->share,
                        100 * (at->share - z * at->share_se), 100 * (at->share + z * at->share_se));
        head_start(result, &text);
    }
    return xp__text_take(&text, &result->answer, &length, error);
}
