/* tokens.h: a set of short texts, numbered in the order in which they were first seen. */
#ifndef XP_BASE_TEXT_TOKENS_H
#define XP_BASE_TEXT_TOKENS_H

#include "experior/base.h"

typedef struct xp__token {
    size_t offset;
    uint32_t length, hash;
} xp__token;

typedef struct xp__tokens {
    size_t count;
    /* The rest is private. */
    xp__token *entries;
    size_t entry_room;
    char *bytes; /* the texts, each with its final zero */
    size_t used, byte_room;
    uint32_t *slots; /* open addressing: entry + 1, or 0; a power of two of them */
    size_t slot_count;
} xp__tokens;

/* An empty set is all zeros. */
void xp__tokens_deinit(xp__tokens *tokens);
bool xp__tokens_find(const xp__tokens *tokens, const char *text, size_t length, size_t *number);
/* Adds a text that is not in the set; its number is the count before. On failure nothing changes.
 */
xp_status xp__tokens_add(xp__tokens *tokens, const char *text, size_t length, xp_error *error);
/* The text of a number, zero-terminated; valid until the next add. */
const char *xp__tokens_text(const xp__tokens *tokens, size_t number);
size_t xp__tokens_length(const xp__tokens *tokens, size_t number);

#endif
