/* Softmax, log-sum-exp and argmax: closed forms, and that no size of the numbers breaks them. */
#include "claim.h"

#include "math/argmax.h"
#include "math/softmax.h"

CLAIM(log_sum_exp_neither_overflows_nor_underflows) {
    const double large[] = {1000, 1000, 1000 + log(2)}, small[] = {-2000, -2000};
    const double none[] = {-INFINITY, -INFINITY}, mixed[] = {-INFINITY, 3};
    const double infinite[] = {1, INFINITY}, lost[] = {INFINITY, NAN};
    EXPECT_NEAR(xp__log_sum_exp(large, 3), 1000 + log(4), 1e-15);
    EXPECT_NEAR(xp__log_sum_exp(small, 2), -2000 + log(2), 1e-15);
    EXPECT(xp__log_sum_exp(none, 2) == -INFINITY && xp__log_sum_exp(none, 0) == -INFINITY);
    EXPECT(xp__log_sum_exp(mixed, 2) == 3);
    EXPECT(xp__log_sum_exp(infinite, 2) == INFINITY);
    EXPECT(isnan(xp__log_sum_exp(lost, 2)));
}

CLAIM(weights_have_a_largest_of_one_whatever_the_size_of_their_logarithms) {
    double weight[] = {-5000 + log(2), -5000, -INFINITY}, largest = 0;
    EXPECT_NEAR(xp__exponentiate(weight, 3, &largest), 1.5, 1e-12);
    EXPECT(weight[0] == 1 && weight[2] == 0 && largest == -5000 + log(2));
    EXPECT_NEAR(weight[1], 0.5, 1e-12);
}

CLAIM(weights_of_nothing_possible_are_zero) {
    double weight[] = {-INFINITY, -INFINITY}, largest = 0;
    EXPECT(xp__exponentiate(weight, 2, &largest) == 0 && largest == -INFINITY);
    EXPECT(weight[0] == 0 && weight[1] == 0);
}

CLAIM(softmax_is_proportional_to_the_exponential) {
    const double x[] = {700, 700 + log(3), 699}; /* exp(2 · 700) is beyond double */
    double p[3];
    xp__softmax(x, 3, 2, p);
    const double total = 1 + 9 + exp(-2);
    EXPECT_NEAR(p[0], 1 / total, 1e-12);
    EXPECT_NEAR(p[1], 9 / total, 1e-12);
    EXPECT_NEAR(p[2], exp(-2) / total, 1e-12);
}

CLAIM(the_sum_over_action_values_is_the_same_with_and_without_its_terms) {
    const float q[] = {1.5F, -2, 1000, 999.5F};
    double term[4], top, other;
    const double sum = xp__soft_sum(q, 4, 2, term, &top);
    EXPECT(top == 1000 && term[2] == 1 && term[0] == 0 && term[3] == exp(-1));
    EXPECT(sum == 1 + exp(-1));
    EXPECT(xp__soft_sum(q, 4, 2, NULL, &other) == sum && other == top);
}

CLAIM(argmax_is_the_first_of_equals) {
    const double x[] = {-1, 3, 3, 2};
    const float q[] = {-1, 3, 3, 2};
    EXPECT(xp__argmax(x, 4) == 1 && xp__argmax(x, 1) == 0);
    EXPECT(xp__argmax_float(q, 4) == 1 && xp__argmax_float(q, 1) == 0);
}
