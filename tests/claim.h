/* claim.h: tests as claims.
 *
 *     CLAIM(forking_does_not_move_the_parent) {
 *         EXPECT(a == b);
 *         EXPECT_NEAR(got, wanted, 1e-12);
 *     }
 *
 * Claims register themselves and run in order of appearance; a failed expectation is printed with
 * its values and the claim goes on. main() is in claim.c; its last line counts the claims. */
#ifndef XP_TESTS_CLAIM_H
#define XP_TESTS_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct claim {
    const char *name;
    void (*check)(void);
    struct claim *next;
} claim;

void claim_register(claim *entry);
void claim_expect(bool holds, const char *what, const char *file, int line);
void claim_expect_near(double got, double wanted, double tolerance, const char *what,
                       const char *file, int line);
void claim_expect_text(const char *got, const char *part, const char *file, int line);
/* True where the build is instrumented (sanitizers, coverage) and many times slower: it looks for
 * other faults than wrong numbers, so that fewer repetitions will do. tests/CMakeLists.txt says so
 * by XP_INSTRUMENTED=1. */
bool claim_instrumented(void);
/* A fresh temporary directory, removed when the program ends. */
const char *claim_directory(void);

#define CLAIM(title)                                                                               \
    static void claim_##title(void);                                                               \
    __attribute__((constructor)) static void register_##title(void) {                              \
        static claim entry = {#title, claim_##title, NULL};                                        \
        claim_register(&entry);                                                                    \
    }                                                                                              \
    static void claim_##title(void)

#define EXPECT(condition) claim_expect((condition), #condition, __FILE__, __LINE__)
/* |got - wanted| <= tolerance × max(1, |wanted|) */
#define EXPECT_NEAR(got, wanted, tolerance)                                                        \
    claim_expect_near((got), (wanted), (tolerance), #got, __FILE__, __LINE__)
/* `got` contains `part`. */
#define EXPECT_TEXT(got, part) claim_expect_text((got), (part), __FILE__, __LINE__)

#endif
