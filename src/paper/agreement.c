/* agreement.c: see agreement.h. */
#include "paper/agreement.h"

#include <math.h>

xp__verdict xp__verdict_of(double ours, double ours_se, double theirs, double theirs_se,
                           double margin, double digit) {
    const double away = fabs(ours - theirs), se = sqrt(ours_se * ours_se + theirs_se * theirs_se);
    if (away + digit + 1.6448536269514722 * se <= margin) {
        return XP__EQUIVALENT;
    }
    return away - digit > 1.959963984540054 * se ? XP__DIFFERENT : XP__UNDECIDED;
}

static double known(double se) {
    return isnan(se) ? 0 : se;
}

void xp__agreement_add(xp__agreement *all, const char *cell, const xp__mean *ours, double theirs,
                       double theirs_se) {
    if (isnan(ours->mean) || isnan(theirs)) {
        return;
    }
    const xp__verdict verdict = xp__verdict_of(ours->mean, known(ours->se), theirs,
                                               known(theirs_se), all->margin, all->digit);
    all->count[verdict]++;
    if (verdict != XP__EQUIVALENT) {
        char here[XP__MEAN_TEXT], there[XP__MEAN_TEXT];
        xp__list_add(all->list[verdict], "%s: %s ± %.2f against %s ± %.2f", cell,
                     xp__number_text("%.2f", ours->mean, here), known(ours->se),
                     xp__number_text("%.2f", theirs, there), known(theirs_se));
    }
}

void xp__agreement_report(const xp__agreement *all, const char *agent, const char *whom,
                          xp__builder *builder) {
    const size_t *count = all->count;
    const size_t cells = count[XP__EQUIVALENT] + count[XP__DIFFERENT] + count[XP__UNDECIDED];
    if (cells == 0) {
        return;
    }
    const char *different = all->list[XP__DIFFERENT], *undecided = all->list[XP__UNDECIDED];
    xp__builder_finding(builder,
                        "%s against %s, %zu distinct cell%s: equivalent within ±%g (two one-sided "
                        "tests at 5 %%) in %zu, different (95 %% interval) in %zu, undecided in "
                        "%zu.%s%s%s%s%s%s",
                        agent, whom, cells, cells == 1 ? "" : "s", all->margin,
                        count[XP__EQUIVALENT], count[XP__DIFFERENT], count[XP__UNDECIDED],
                        different[0] != '\0' ? " Different: " : "", different,
                        different[0] != '\0' ? "." : "", undecided[0] != '\0' ? " Undecided: " : "",
                        undecided, undecided[0] != '\0' ? "." : "");
}
