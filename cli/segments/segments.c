/* segments.c: see segments.h. */
#include "segments/segments.h"

#include "model.h"
#include "output.h"

#include <math.h>

/* The most frequent action of a segment, after pooling. */
static size_t likeliest(const xp_segment *segment, size_t actions) {
    size_t best = 0;
    for (size_t action = 1; action < actions; action++) {
        best = segment->target[action] > segment->target[best] ? action : best;
    }
    return best;
}

/* "25 rows", or what stands for infinitely many. */
static const char *rows(char buffer[48], double strength) {
    char number[32];
    if (isinf(strength)) {
        (void)snprintf(buffer, 48, "all rows");
    } else {
        (void)snprintf(buffer, 48, "%s rows", cli_number(number, strength));
    }
    return buffer;
}

static void print_pooling(const xp_pooling *pooling) {
    char median[48], low[48], high[48];
    (void)printf("%-16s %zu; in each, the overall table is worth %s (95 %%: %s to %s)\n",
                 "segments", pooling->segments, rows(median, pooling->strength),
                 rows(low, pooling->strength_low), rows(high, pooling->strength_high));
    (void)printf("%-16s %.4f nats per choice with estimated pooling; %.4f with none, %.4f with "
                 "full\n",
                 "held-out", pooling->estimated, pooling->none, pooling->full);
}

void cli_segments_print(const xp_model *model) {
    enum { LISTED = 20 };
    const size_t segments = xp_model_segments(model);
    if (segments == 0) {
        return;
    }
    const xp_pooling pooling = xp_model_pooling(model);
    const size_t actions = xp_model_describe(model).space.actions;
    print_pooling(&pooling);
    (void)printf("\n");
    cli_table table = cli_table_start("lrrlr", "segment\trows\town share\tmost frequent\tof it");
    for (size_t s = 0; s < segments && s < LISTED; s++) {
        char name[CLI_LABEL_SHOWN], action[CLI_LABEL_SHOWN], number[32];
        const xp_segment segment = xp_model_segment(model, s);
        const size_t best = likeliest(&segment, actions);
        (void)cli_label_shown(cli_model_label(model, best, number), action);
        cli_table_add(&table, "%s\t%llu\t%.2f\t%s\t%.3f", cli_label_shown(segment.name, name),
                      (unsigned long long)segment.choices, segment.own, action,
                      segment.target[best]);
    }
    cli_table_print(&table);
    if (segments > LISTED) {
        (void)printf("and %zu more; --json has all\n", segments - LISTED);
    }
    (void)printf("own share: of the segment's own rows in its frequencies; the rest is the overall "
                 "table's\n\n");
}

void cli_pooling_json(cli_json *json, const xp_pooling *pooling) {
    cli_json_object(json, "pooling");
    cli_json_number(json, "strength", pooling->strength);
    cli_json_number(json, "strength_low", pooling->strength_low);
    cli_json_number(json, "strength_high", pooling->strength_high);
    cli_json_object(json, "held_out");
    cli_json_number(json, "none", pooling->none);
    cli_json_number(json, "full", pooling->full);
    cli_json_number(json, "estimated", pooling->estimated);
    cli_json_end(json);
    cli_json_end(json);
}

void cli_segments_json(cli_json *json, const xp_model *model) {
    const size_t actions = xp_model_describe(model).space.actions;
    if (xp_model_segments(model) == 0) {
        return;
    }
    const xp_pooling pooling = xp_model_pooling(model);
    cli_pooling_json(json, &pooling);
    cli_json_array(json, "segments");
    for (size_t s = 0; s < pooling.segments; s++) {
        const xp_segment segment = xp_model_segment(model, s);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", segment.name);
        cli_json_integer(json, "count", segment.choices);
        cli_json_number(json, "own", segment.own);
        cli_json_number(json, "effective", segment.effective);
        cli_json_integers(json, "counts", segment.counts, actions);
        cli_json_numbers(json, "frequencies", segment.target, actions);
        cli_json_end(json);
    }
    cli_json_end(json);
}
