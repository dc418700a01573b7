/* tokens.c: an open-addressing hash table, at most half full, over texts in one block. */
#include "base/text/tokens.h"

#include "base/grow.h"
#include "base/hash.h"

#include <assert.h>
#include <string.h>

void xp__tokens_deinit(xp__tokens *tokens) {
    xp__free(tokens->entries);
    xp__free(tokens->bytes);
    xp__free(tokens->slots);
    *tokens = (xp__tokens){.count = 0};
}

bool xp__tokens_find(const xp__tokens *tokens, const char *text, size_t length, size_t *number) {
    if (tokens->slot_count == 0) {
        return false;
    }
    const uint32_t hash = (uint32_t)xp__hash(0, text, length);
    const size_t mask = tokens->slot_count - 1;
    for (size_t slot = hash & mask; tokens->slots[slot] != 0; slot = (slot + 1) & mask) {
        const size_t candidate = tokens->slots[slot] - 1;
        const xp__token *entry = &tokens->entries[candidate];
        if (entry->hash == hash && entry->length == length &&
            memcmp(tokens->bytes + entry->offset, text, length) == 0) {
            *number = candidate;
            return true;
        }
    }
    return false;
}

static void place(xp__tokens *tokens, size_t number) {
    const size_t mask = tokens->slot_count - 1;
    size_t slot = tokens->entries[number].hash & mask;
    while (tokens->slots[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    tokens->slots[slot] = (uint32_t)(number + 1);
}

static bool make_room(xp__tokens *tokens, size_t bytes) {
    xp__token *entries =
        xp__reserve(tokens->entries, &tokens->entry_room, tokens->count + 1, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    tokens->entries = entries;
    char *block = xp__reserve(tokens->bytes, &tokens->byte_room, tokens->used + bytes, 1);
    if (block == NULL) {
        return false;
    }
    tokens->bytes = block;
    if (2 * (tokens->count + 1) > tokens->slot_count) {
        const size_t larger = tokens->slot_count != 0 ? 2 * tokens->slot_count : 16;
        uint32_t *slots = xp__alloc(larger, sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        xp__free(tokens->slots);
        tokens->slots = slots;
        tokens->slot_count = larger;
        for (size_t i = 0; i < tokens->count; i++) {
            place(tokens, i);
        }
    }
    return true;
}

xp_status xp__tokens_add(xp__tokens *tokens, const char *text, size_t length, xp_error *error) {
    assert(length < UINT32_MAX && tokens->count < UINT32_MAX - 1);
    if (!make_room(tokens, length + 1)) {
        return xp__no_memory(error);
    }
    tokens->entries[tokens->count] =
        (xp__token){tokens->used, (uint32_t)length, (uint32_t)xp__hash(0, text, length)};
    memcpy(tokens->bytes + tokens->used, text, length);
    tokens->bytes[tokens->used + length] = '\0';
    tokens->used += length + 1;
    place(tokens, tokens->count++);
    return XP_OK;
}

const char *xp__tokens_text(const xp__tokens *tokens, size_t number) {
    return tokens->bytes + tokens->entries[number].offset;
}

size_t xp__tokens_length(const xp__tokens *tokens, size_t number) {
    return tokens->entries[number].length;
}
