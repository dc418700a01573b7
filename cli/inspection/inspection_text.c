/* inspection_text.c: an inspection for a person at a terminal: the answer first. */
#include "inspection/inspection.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 20, ARMS_SHOWN = 40 };
static const double z = 1.96; /* of a 95 % interval */

/* Arms by P(best), the largest first; for free(). */
static size_t *sorted(const xp_inspection *self) {
    size_t *order = cli_alloc(self->arms, sizeof *order);
    for (size_t i = 0; i < self->arms; i++) {
        size_t at = i;
        while (at > 0 && self->probability[order[at - 1]] < self->probability[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    return order;
}

static void print_arms(const xp_inspection *self, const xp_model *model) {
    size_t *order = sorted(self);
    const size_t shown = self->arms <= ARMS_SHOWN ? self->arms : ARMS_SHOWN;
    const double largest = self->probability[order[0]];
    cli_table table =
        cli_table_start("lrrrrl", "action\tchosen\tshare\tP(best)\tmean reward, 90 %\tP(best), to "
                                  "scale");
    for (size_t i = 0; i < shown; i++) {
        const size_t k = order[i];
        const double *q = self->quantiles + k * XP_INSPECT_QUANTILES;
        char number[32], label[CLI_LABEL_SHOWN], share[32], bar[3 * WIDTH + 1];
        (void)cli_label_shown(cli_model_label(model, k, number), label);
        if (isnan(self->share[k])) {
            (void)cli_number(share, NAN);
        } else {
            (void)snprintf(share, sizeof share, "%.4f", self->share[k]);
        }
        cli_table_add(&table, "%s\t%llu\t%s\t%.4f\t%.3f (%.3f to %.3f)\t%s", label,
                      (unsigned long long)self->counts[k], share, self->probability[k],
                      self->mean[k], q[0], q[4],
                      cli_bar(bar, WIDTH, self->probability[k] / largest));
    }
    cli_table_print(&table);
    if (shown < self->arms) {
        double rest = 0;
        for (size_t i = shown; i < self->arms; i++) {
            rest += self->probability[order[i]];
        }
        (void)printf("and %zu more arms, P(best) %.4f together\n", self->arms - shown, rest);
    }
    free(order);
}

/* "12.86 ± 0.21": both with the decimals that the second deserves. */
static const char *interval(char buffer[64], double value, double half) {
    const int places =
        half > 0 ? (int)fmin(6, fmax(0, (half < 1 ? 1 : 0) - floor(log10(half)))) : 3;
    if (isfinite(half)) {
        (void)snprintf(buffer, 64, "%.*f ± %.*f", places, value, places, half);
    } else {
        (void)snprintf(buffer, 64, "%.3f", value);
    }
    return buffer;
}

static void print_horizons(const xp_inspection *self) {
    cli_table table =
        cli_table_start("rrrr", "first decisions\tregret without\tregret with\tsaved");
    for (size_t i = 0; i < self->horizon_count; i++) {
        const xp_inspect_horizon *at = &self->horizons[i];
        char without[64], with[64], saved[64];
        cli_table_add(&table, "%zu\t%s\t%s\t%s %%", at->decisions,
                      interval(without, at->without, z * at->without_se),
                      interval(with, at->regret, z * at->regret_se),
                      interval(saved, 100 * at->share, 100 * z * at->share_se));
    }
    (void)printf("Thompson sampling with and without the experts, on %zu tasks drawn from the "
                 "prior\n",
                 self->tasks);
    cli_table_print(&table);
    (void)printf(
        "±: 95 %% interval over tasks. It is what the prior promises, not a test of it.\n");
    cli_wrap(stdout, 0, self->scale);
}

static void print_certainty(const xp_inspection *self) {
    if (isfinite(self->held_out)) {
        (void)printf(
            "\nHeld-out choices: %.3f ± %.3f nats per choice, guessing %.3f. A choice that "
            "was\nheld out gets a probability of %.3f; guessing gives it %.3f.\n",
            self->held_out, z * self->held_out_se, self->held_out_guess, exp(self->held_out),
            exp(self->held_out_guess));
    }
    if (self->sensitivity != NULL) {
        (void)printf("\nOther competences of the experts (β) move at most %.1f %% of P(best); "
                     "'experior sensitivity'\nshows each.\n",
                     100 * self->sensitivity_distance);
    }
}

void cli_inspection_text(const xp_inspection *self, const xp_model *model) {
    (void)printf("%s", cli_bold(stdout));
    cli_wrap(stdout, 0, self->answer);
    (void)printf("%s\n", cli_plain_style(stdout));
    for (size_t i = 0; i < self->warning_count; i++) {
        (void)printf("  ! ");
        cli_wrap(stdout, 4, self->warnings[i].sentence);
    }
    (void)printf("%s%s prior over %zu arms; the best arm's entropy is %.3f bits, that of %.2f "
                 "equally likely arms\n\n",
                 self->warning_count > 0 ? "\n" : "", xp_model_describe(model).method, self->arms,
                 self->entropy, self->effective_arms);
    print_arms(self, model);
    (void)printf("\n");
    if (self->horizon_count > 0) {
        print_horizons(self);
    } else {
        (void)printf("After %zu episodes the regret is %.3f without the experts and %.3f with "
                     "them.\n",
                     self->episodes, self->uniform_regret, self->regret);
    }
    print_certainty(self);
}

/* What is saved over at most 100 decisions. */
static const xp_inspect_horizon *early(const xp_inspection *self) {
    const xp_inspect_horizon *chosen = NULL;
    for (size_t i = 0; i < self->horizon_count; i++) {
        if (chosen == NULL || self->horizons[i].decisions <= 100) {
            chosen = &self->horizons[i];
        }
    }
    return chosen;
}

void cli_inspection_segments(xp_inspection *const *segments, const xp_model *model) {
    const xp_pooling pooling = xp_model_pooling(model);
    if (pooling.segments == 0) {
        return;
    }
    char rows[32];
    (void)printf("\nSegments: in each, the overall table is worth %s rows. Held-out choices get "
                 "%.3f nats;\n%.3f with each segment alone, %.3f with one table for all.\n",
                 cli_number(rows, pooling.strength), pooling.estimated, pooling.none, pooling.full);
    cli_table table = cli_table_start(
        "lrrlrrl", "segment\tchoices\town share\tlikeliest best\tP(best)\tsaved early\twarnings");
    for (size_t i = 0; i < pooling.segments; i++) {
        const xp_inspection *self = segments[i];
        const xp_inspect_horizon *at = early(self);
        char number[32], best[CLI_LABEL_SHOWN], name[CLI_LABEL_SHOWN], saved[64], codes[160] = "";
        size_t *order = sorted(self), used = 0;
        (void)cli_label_shown(cli_model_label(model, order[0], number), best);
        (void)cli_label_shown(xp_model_segment_name(model, i), name);
        for (size_t w = 0; w < self->warning_count && used + 40 < sizeof codes; w++) {
            used += (size_t)snprintf(codes + used, sizeof codes - used, "%s%s", w > 0 ? ", " : "",
                                     self->warnings[w].code);
        }
        cli_table_add(&table, "%s\t%llu\t%.2f\t%s\t%.3f\t%s %%\t%s", name,
                      (unsigned long long)self->demonstrations, xp_model_segment(model, i).own,
                      best, self->probability[order[0]],
                      at != NULL ? interval(saved, 100 * at->share, 100 * z * at->share_se) : "–",
                      codes);
        free(order);
    }
    cli_table_print(&table);
}
