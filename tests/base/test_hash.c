/* The hash of tables: SipHash-1-3 under a key of the process, so that labels cannot be chosen to
 * lie in one place. */
#include "claim.h"

#include "base/hash.h"
#include "base/text/tokens.h"

#include <string.h>

/* The 64-bit hash that tables used to have: every step can be undone. */
static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t step(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32;
}

/* The label of eight bytes whose old hash is `wanted`. */
static uint64_t label_of(uint64_t wanted) {
    uint64_t inverse = factor; /* Newton's method modulo 2^64 */
    for (int i = 0; i < 6; i++) {
        inverse *= 2 - factor * inverse;
    }
    for (int i = 0; i < 2; i++) { /* an empty tail, then the label itself */
        wanted = (wanted ^ wanted >> 32) * inverse;
    }
    return wanted ^ step(0, 8);
}

CLAIM(the_function_is_siphash_1_3) {
    /* Keys and messages 00 01 02 …: the vectors of Rust's core::hash::sip, themselves made with the
     * authors' reference program. The last is Python's hash(b'label of an arm') with a zero key. */
    const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    const uint64_t zero[2] = {0, 0};
    unsigned char bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)i;
    }
    EXPECT(xp__siphash(key, bytes, 0) == UINT64_C(0xabac0158050fc4dc));
    EXPECT(xp__siphash(key, bytes, 8) == UINT64_C(0x369095118d299a8e));
    EXPECT(xp__siphash(key, bytes, 15) == UINT64_C(0xd320d86d2a519956));
    EXPECT(xp__siphash(zero, "label of an arm", 15) == UINT64_C(0xe45f29981150d99e));
}

CLAIM(a_hash_goes_on_from_another) {
    EXPECT(xp__hash(0, "ab", 2) == xp__hash(0, "ab", 2));
    EXPECT(xp__hash(1, "ab", 2) != xp__hash(0, "ab", 2));
    EXPECT(xp__hash(0, "ab", 2) != xp__hash(0, "ab", 3));
}

/* The most neighbouring slots that are taken: what a search passes at worst. */
static size_t longest_run(const xp__tokens *tokens) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * tokens->slot_count; i++) {
        run = tokens->slots[i % tokens->slot_count] != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

CLAIM(labels_chosen_to_collide_are_spread_and_numbered_as_they_came) {
    enum { LABELS = 20000 };
    xp__tokens tokens = {.count = 0};
    bool known = true;
    for (uint64_t i = 0; i < LABELS; i++) {
        const uint64_t label = label_of(i << 32); /* the old table looked at the lower 32 bits */
        EXPECT(i > 3 || step(step(step(0, 8), label), 0) == i << 32);
        if (xp__tokens_add(&tokens, (const char *)&label, sizeof label, NULL) != XP_OK) {
            known = false;
            break;
        }
    }
    for (uint64_t i = 0; known && i < LABELS; i++) {
        const uint64_t label = label_of(i << 32);
        size_t number;
        known = xp__tokens_find(&tokens, (const char *)&label, sizeof label, &number) &&
                number == i && memcmp(xp__tokens_text(&tokens, i), &label, sizeof label) == 0;
    }
    EXPECT(known);
    /* With places at random and the table at most half full, a run of 1,000 has a chance below
     * 1e-60 (runs fall off as exp(-0.19 n)). */
    EXPECT(longest_run(&tokens) < 1000);
    xp__tokens_deinit(&tokens);
}
