/* reward.c: rewards by decision: late, in any order, in batches. A batch is checked whole before
 * the first row is written. */
#include "serve/experiments/decide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_decision(const void *a, const void *b) {
    const serve_reward_item *x = *(serve_reward_item *const *)a,
                            *y = *(serve_reward_item *const *)b;
    const int order = strcmp(x->experiment, y->experiment);
    if (order != 0) {
        return order;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return x < y ? -1 : x > y; /* the first of equals comes first */
}

/* Those that name a decision twice: the same value again is fine, another is not. */
static serve_outcome find_repeated(serve_reward_item *items, size_t count, serve_problem *problem) {
    if (count < 2) {
        return SERVE_DONE;
    }
    serve_reward_item **sorted = malloc(count * sizeof(serve_reward_item *));
    if (sorted == NULL) {
        return serve_refuse(problem, 500, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &items[i];
    }
    qsort(sorted, count, sizeof(serve_reward_item *), by_decision);
    serve_outcome outcome = SERVE_DONE;
    for (size_t i = 1; outcome == SERVE_DONE && i < count; i++) {
        const serve_reward_item *before = sorted[i - 1];
        if (strcmp(before->experiment, sorted[i]->experiment) != 0 ||
            before->number != sorted[i]->number) {
            continue;
        }
        sorted[i]->again = true;
        if (before->reward != sorted[i]->reward) {
            outcome = serve_refuse(problem, 409,
                                   "rewards[%td]: decision '%s-%" PRIu64 "' is given two rewards, "
                                   "%.17g and %.17g",
                                   sorted[i] - items, before->experiment, before->number,
                                   before->reward, sorted[i]->reward);
        }
    }
    free(sorted);
    return outcome;
}

static serve_outcome check_value(serve_book *book, serve_reward_item *item, size_t index,
                                 serve_problem *problem) {
    if (item->reward == 0 || item->reward == 1) { /* every agent takes these */
        return SERVE_DONE;
    }
    serve_segment *segment;
    serve_law *law;
    xp_error error;
    serve_outcome outcome =
        serve_entry_segment(book, item->entry, item->row.segment, true, &segment, problem);
    if (outcome == SERVE_DONE) {
        outcome = serve_entry_law(book, item->entry, segment, &law, problem);
    }
    if (outcome != SERVE_DONE) {
        return outcome;
    }
    const bool good = serve_law_takes(law, item->row.action, item->reward, &error);
    return good ? SERVE_DONE : serve_refuse(problem, 409, "rewards[%zu]: %s", index, error.message);
}

static serve_outcome check(serve_book *book, serve_reward_item *item, size_t index,
                           serve_problem *problem) {
    serve_outcome outcome = serve_book_find(book, item->experiment, &item->entry, problem);
    bool found = false;
    if (outcome == SERVE_BROKEN || (outcome == SERVE_REFUSED && problem->code != 404)) {
        return outcome;
    }
    if (outcome == SERVE_DONE) {
        serve_store *store = serve_book_store(book);
        if (!store->type->decision_find(store, item->entry->row.key, item->number, &item->row,
                                        &found)) {
            return SERVE_BROKEN;
        }
        free(item->row.candidates);
        item->row.candidates = NULL;
    }
    if (!found) {
        return serve_refuse(problem, 404, "rewards[%zu]: there is no decision '%s-%" PRIu64 "'",
                            index, item->experiment, item->number);
    }
    if (item->row.rewarded) {
        item->again = true;
        return item->row.reward == item->reward
                   ? SERVE_DONE
                   : serve_refuse(problem, 409,
                                  "rewards[%zu]: decision '%s-%" PRIu64 "' has the reward %.17g; "
                                  "it cannot become %.17g",
                                  index, item->experiment, item->number, item->row.reward,
                                  item->reward);
    }
    return check_value(book, item, index, problem);
}

/* Numbers of rewards at which the curve gets a point: all up to 64, then 32 per doubling. */
static bool is_point(uint64_t rewards) {
    uint64_t step = 1;
    while (rewards / step >= 64) {
        step *= 2;
    }
    return rewards % step == 0;
}

static bool write_one(serve_book *book, const serve_reward_item *item) {
    serve_store *store = serve_book_store(book);
    serve_entry *entry = item->entry;
    const serve_decision *row = &item->row;
    const uint32_t taken = row->chosen >= 0 ? (uint32_t)row->chosen : row->action;
    serve_segment *segment;
    serve_problem problem;
    if (serve_entry_segment(book, entry, row->segment, true, &segment, &problem) != SERVE_DONE) {
        return false;
    }
    serve_reward made = {.number = row->number,
                         .sequence = entry->row.rewards + 1,
                         .time = serve_book_now(book),
                         .action = taken,
                         .reward = item->reward};
    memcpy(made.segment, row->segment, sizeof made.segment);
    if (!store->type->reward_add(store, entry->row.key, &made)) {
        return false;
    }
    serve_count *count = &segment->counts[taken];
    count->rewards++;
    count->sum += item->reward;
    count->squares += item->reward * item->reward;
    segment->changed[taken] = segment->dirty = true;
    segment->fresh = false;
    entry->row.rewards++;
    entry->row.reward_sum += item->reward;
    if (row->chosen < 0) {
        entry->row.expert_sum += item->reward * entry->expert[taken] / row->probability;
    }
    entry->changed = true;
    const serve_point point = {.rewards = entry->row.rewards,
                               .reward_sum = entry->row.reward_sum,
                               .expert_sum = entry->row.expert_sum,
                               .time = made.time};
    return !is_point(point.rewards) || store->type->point_add(store, entry->row.key, &point);
}

serve_outcome serve_rewards_take(serve_book *book, serve_reward_item *items, size_t count,
                                 size_t *again, serve_problem *problem) {
    *again = 0;
    serve_outcome outcome = find_repeated(items, count, problem);
    for (size_t i = 0; outcome == SERVE_DONE && i < count; i++) {
        outcome = check(book, &items[i], i, problem);
    }
    for (size_t i = 0; outcome == SERVE_DONE && i < count; i++) {
        *again += items[i].again;
        if (!items[i].again && !write_one(book, &items[i])) {
            outcome = SERVE_BROKEN;
        }
    }
    return outcome;
}
