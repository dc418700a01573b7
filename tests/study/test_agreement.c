/* Verdicts on the paper's cells: two one-sided tests within a margin, by hand with the normal
 * quantiles 1.645 and 1.960. */
#include "claim.h"

#include "paper/agreement.h"

#include <math.h>

CLAIM(equal_numbers_with_small_errors_are_equivalent) {
    EXPECT(xp__verdict_of(6, 0, 6, 0, 2, 0.005) == XP__EQUIVALENT);
    /* 0.5 + 1.645 · 0.9 = 1.98 and 0.5 + 1.645 · 0.92 = 2.01 */
    EXPECT(xp__verdict_of(6.5, 0.9, 6, 0, 2, 0) == XP__EQUIVALENT);
    EXPECT(xp__verdict_of(6.5, 0.92, 6, 0, 2, 0) == XP__UNDECIDED);
}

CLAIM(large_standard_errors_are_no_agreement) {
    /* Within two standard errors, and yet anything from −30 to 30 may be the difference. */
    EXPECT(xp__verdict_of(-19.1, 16.3, -10, 7.6, 2, 0.005) == XP__UNDECIDED);
}

CLAIM(a_difference_beyond_its_interval_is_different_unless_it_is_within_the_margin) {
    EXPECT(xp__verdict_of(6, 0, -23.3, 0.7, 2, 0.005) == XP__DIFFERENT);
    EXPECT(xp__verdict_of(6, 0.01, 6.1, 0.01, 2, 0.005) == XP__EQUIVALENT);
    EXPECT(xp__verdict_of(0, 1, 2.75, 1, 2, 0) == XP__UNDECIDED); /* 1.96 · √2 = 2.77 */
    EXPECT(xp__verdict_of(0, 1, 2.8, 1, 2, 0) == XP__DIFFERENT);
}

CLAIM(both_errors_count_and_the_order_of_the_two_numbers_does_not) {
    EXPECT(xp__verdict_of(1, 0.3, 2, 0.4, 2, 0) == xp__verdict_of(2, 0.4, 1, 0.3, 2, 0));
    EXPECT(xp__verdict_of(1, 0.3, 2, 0.4, 2, 0) == XP__EQUIVALENT); /* 1 + 1.645 · 0.5 = 1.82 */
    EXPECT(xp__verdict_of(1, 0.6, 2, 0.4, 2, 0) == XP__UNDECIDED);  /* 1 + 1.645 · 0.72 = 2.19 */
}

CLAIM(the_last_printed_digit_is_on_the_paper_s_side_and_never_makes_equivalence) {
    EXPECT(xp__verdict_of(0, 0, 0.004, 0, 0, 0.005) == XP__UNDECIDED);
    EXPECT(xp__verdict_of(0, 0, 0.006, 0, 0, 0.005) == XP__DIFFERENT);
}

CLAIM(cells_that_are_not_known_are_not_counted) {
    xp__agreement all = {.margin = 2, .digit = 0.005};
    const xp__mean known = {.n = 2, .mean = 6, .se = 0}, unknown = {.n = 2, .mean = NAN, .se = NAN};
    xp__agreement_add(&all, "a", &known, NAN, NAN);
    xp__agreement_add(&all, "b", &unknown, 6, 0);
    EXPECT(all.count[XP__EQUIVALENT] + all.count[XP__DIFFERENT] + all.count[XP__UNDECIDED] == 0);
    xp__agreement_add(&all, "c", &known, 6, NAN);
    xp__agreement_add(&all, "d", &known, -23.32, 0.69);
    EXPECT(all.count[XP__EQUIVALENT] == 1 && all.count[XP__DIFFERENT] == 1);
    EXPECT_TEXT(all.list[XP__DIFFERENT], "d: 6.00 ± 0.00 against −23.32 ± 0.69");
}
