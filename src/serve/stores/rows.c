/* rows.c: rows from columns. */
#include "serve/stores/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t integer(const serve_columns *from, int column) {
    return from->integer(from, column);
}

static uint64_t natural(const serve_columns *from, int column) {
    return (uint64_t)from->integer(from, column);
}

static double real(const serve_columns *from, int column) {
    return from->real(from, column);
}

static void copy_text(const serve_columns *from, int column, char *to, size_t room) {
    size_t bytes;
    const char *text = from->bytes(from, column, &bytes);
    (void)snprintf(to, room, "%s", text != NULL ? text : "");
}

void serve_row_experiment(const serve_columns *from, serve_experiment *row) {
    *row = (serve_experiment){.key = integer(from, 0),
                              .seed = natural(from, 3),
                              .state = (serve_state)integer(from, 4),
                              .shadow = integer(from, 5) != 0,
                              .created = integer(from, 6),
                              .decisions = natural(from, 7),
                              .rewards = natural(from, 8),
                              .reward_sum = real(from, 9),
                              .expert_sum = real(from, 10),
                              .model = (uint32_t)natural(from, 11),
                              .retain = natural(from, 12),
                              .base = natural(from, 13),
                              .first = natural(from, 14)};
    copy_text(from, 1, row->id, sizeof row->id);
    copy_text(from, 2, row->name, sizeof row->name);
}

bool serve_row_model(const serve_columns *from, serve_model_row *row) {
    size_t bytes;
    const char *document = from->bytes(from, 0, &row->bytes);
    const char *retired = from->bytes(from, 1, &bytes);
    row->document = document != NULL ? strdup(document) : NULL;
    row->retired = retired != NULL ? strdup(retired) : NULL;
    if (row->document == NULL || row->retired == NULL) {
        free(row->document);
        free(row->retired);
        *row = (serve_model_row){.bytes = 0};
        return false;
    }
    return true;
}

void serve_row_count(const serve_columns *from, serve_count *row) {
    size_t bytes;
    const char *segment = from->bytes(from, 0, &bytes);
    *row = (serve_count){.segment = segment != NULL ? segment : "",
                         .action = (uint32_t)natural(from, 1),
                         .decisions = natural(from, 2),
                         .rewards = natural(from, 3),
                         .sum = real(from, 4),
                         .squares = real(from, 5),
                         .base_rewards = natural(from, 6),
                         .base_sum = real(from, 7),
                         .base_squares = real(from, 8)};
}

bool serve_row_decision(const serve_columns *from, serve_decision *row) {
    size_t bytes;
    *row = (serve_decision){.number = natural(from, 0),
                            .time = integer(from, 1),
                            .model = (uint32_t)natural(from, 3),
                            .version = natural(from, 4),
                            .action = (uint32_t)natural(from, 5),
                            .probability = real(from, 6),
                            .chosen = integer(from, 8),
                            .rewarded = !from->is_null(from, 9),
                            .reward = real(from, 9),
                            .reward_time = integer(from, 10)};
    copy_text(from, 2, row->segment, sizeof row->segment);
    const char *candidates = from->bytes(from, 7, &bytes);
    row->candidates = candidates != NULL ? strdup(candidates) : NULL;
    return candidates == NULL || row->candidates != NULL;
}

void serve_row_reward(const serve_columns *from, serve_reward *row) {
    *row = (serve_reward){.number = natural(from, 0),
                          .sequence = natural(from, 1),
                          .time = integer(from, 2),
                          .action = (uint32_t)natural(from, 4),
                          .reward = real(from, 5)};
    copy_text(from, 3, row->segment, sizeof row->segment);
}

void serve_row_point(const serve_columns *from, serve_point *row) {
    *row = (serve_point){.rewards = natural(from, 0),
                         .reward_sum = real(from, 1),
                         .expert_sum = real(from, 2),
                         .time = integer(from, 3)};
}

/* A hash that is damaged is no token's. */
void serve_row_token(const serve_columns *from, serve_token *row) {
    size_t bytes;
    *row = (serve_token){.scope = (int)integer(from, 2),
                         .created = integer(from, 4),
                         .revoked = integer(from, 5) != 0};
    copy_text(from, 0, row->id, sizeof row->id);
    copy_text(from, 1, row->name, sizeof row->name);
    const char *hash = from->bytes(from, 3, &bytes);
    if (hash != NULL && bytes == SERVE_HASH_SIZE) {
        memcpy(row->hash, hash, SERVE_HASH_SIZE);
    } else {
        row->revoked = true;
    }
}
