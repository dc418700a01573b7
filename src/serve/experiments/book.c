/* book.c: a cache of experiments in front of the store. */
#include "serve/experiments/book.h"

#include "experior/segments.h"
#include "serve/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };
/* Learners that were not used lately give their memory back beyond this. */
static const size_t most_bytes = (size_t)512 << 20;

struct serve_book {
    serve_store *store;
    uint64_t group;
    uint64_t since; /* rows that were looked up in this group or later are as the store has them */
    int64_t now;
    size_t law_bytes;     /* about what the laws take */
    serve_entry *touched; /* the last that this group looked up */
    serve_entry *slots[SLOTS];
};

serve_book *serve_book_create(serve_store *store) {
    serve_book *book = calloc(1, sizeof *book);
    if (book != NULL) {
        book->store = store;
    }
    return book;
}

serve_store *serve_book_store(serve_book *book) {
    return book->store;
}

int64_t serve_book_now(const serve_book *book) {
    return book->now;
}

/* About what a law takes while it is awake: the tables of its sampler. */
static size_t law_size(size_t arms) {
    return ((size_t)256 + 96 * arms) << 10;
}

static void rest_law(serve_book *book, serve_segment *segment, size_t arms) {
    if (segment->awake) {
        serve_law_rest(segment->law);
        segment->awake = false;
        book->law_bytes -= law_size(arms);
    }
}

static void drop_law(serve_book *book, serve_segment *segment, size_t arms) {
    rest_law(book, segment, arms);
    serve_law_destroy(segment->law);
    segment->law = NULL;
    segment->fresh = false;
}

static void free_segment(serve_book *book, serve_segment *segment, size_t arms) {
    drop_law(book, segment, arms);
    free(segment->counts);
    free(segment->changed);
    free(segment);
}

static void empty_entry(serve_book *book, serve_entry *entry) {
    for (size_t i = 0; i < entry->segment_count; i++) {
        free_segment(book, entry->segments[i], entry->arms);
    }
    free(entry->segments);
    free(entry->retired);
    free(entry->open);
    free(entry->expert);
    xp_model_destroy(entry->model);
    entry->segments = NULL;
    entry->segment_count = entry->segment_room = 0;
    entry->retired = entry->open = NULL;
    entry->expert = NULL;
    entry->model = NULL;
}

void serve_book_forget(serve_book *book) {
    book->touched = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        while (book->slots[i] != NULL) {
            serve_entry *entry = book->slots[i];
            book->slots[i] = entry->next;
            empty_entry(book, entry);
            free(entry);
        }
    }
}

void serve_book_destroy(serve_book *book) {
    if (book != NULL) {
        serve_book_forget(book);
        free(book);
    }
}

static serve_entry **find_slot(serve_book *book, const char *id) {
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (const char *c = id; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    }
    serve_entry **slot = &book->slots[hash % SLOTS];
    while (*slot != NULL && strcmp((*slot)->row.id, id) != 0) {
        slot = &(*slot)->next;
    }
    return slot;
}

void serve_book_drop(serve_book *book, const char *id) {
    serve_entry **slot = find_slot(book, id);
    if (*slot != NULL) {
        serve_entry *entry = *slot;
        serve_entry **place = &book->touched;
        while (*place != NULL && *place != entry) {
            place = &(*place)->touched;
        }
        if (*place != NULL) {
            *place = entry->touched;
        }
        *slot = entry->next;
        empty_entry(book, entry);
        free(entry);
    }
}

/* Gives back the memory of learners that this and the last group did not use. */
static void make_room(serve_book *book) {
    for (size_t i = 0; i < SLOTS && book->law_bytes > most_bytes / 2; i++) {
        for (serve_entry *entry = book->slots[i]; entry != NULL; entry = entry->next) {
            for (size_t s = 0; s < entry->segment_count; s++) {
                if (entry->segments[s]->used + 1 < book->group) {
                    rest_law(book, entry->segments[s], entry->arms);
                }
            }
        }
    }
}

void serve_book_begin(serve_book *book, int64_t now) {
    book->group++;
    book->now = now;
    book->touched = NULL;
    if (book->store->type->unchanged == NULL || !book->store->type->unchanged(book->store)) {
        book->since = book->group;
    }
    if (book->law_bytes > most_bytes) {
        make_room(book);
    }
}

bool serve_arms_parse(const char *text, size_t arms, bool *flags) {
    memset(flags, 0, arms * sizeof *flags);
    while (*text != '\0') {
        char *end;
        const uintmax_t arm = strtoumax(text, &end, 10);
        if (end == text || arm >= arms || (*end != ',' && *end != '\0')) {
            return false;
        }
        flags[arm] = true;
        text = *end == ',' ? end + 1 : end;
    }
    return true;
}

char *serve_arms_format(const bool *flags, size_t arms) {
    serve_text text = {.data = NULL};
    for (size_t arm = 0; arm < arms; arm++) {
        if (flags[arm]) {
            serve_text_format(&text, "%s%zu", text.length > 0 ? "," : "", arm);
        }
    }
    serve_text_add(&text, "");
    if (text.failed) {
        serve_text_free(&text);
    }
    return text.data;
}

/* The place of a segment in its sorted list, or where it would be. */
static size_t find_segment(const serve_entry *entry, const char *name, bool *found) {
    size_t low = 0, high = entry->segment_count;
    *found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(entry->segments[middle]->name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static serve_segment *add_segment(serve_entry *entry, size_t place, const char *name) {
    if (entry->segment_count == entry->segment_room) {
        const size_t room = entry->segment_room > 0 ? 2 * entry->segment_room : 4;
        serve_segment **more = realloc(entry->segments, room * sizeof(serve_segment *));
        if (more == NULL) {
            return NULL;
        }
        entry->segments = more;
        entry->segment_room = room;
    }
    serve_segment *segment = calloc(1, sizeof *segment);
    if (segment == NULL) {
        return NULL;
    }
    segment->counts = calloc(entry->arms, sizeof *segment->counts);
    segment->changed = calloc(entry->arms, sizeof *segment->changed);
    if (segment->counts == NULL || segment->changed == NULL) {
        free(segment->counts);
        free(segment->changed);
        free(segment);
        return NULL;
    }
    (void)snprintf(segment->name, sizeof segment->name, "%s", name);
    for (uint32_t arm = 0; arm < entry->arms; arm++) {
        segment->counts[arm].action = arm;
        segment->counts[arm].segment = segment->name;
    }
    memmove(entry->segments + place + 1, entry->segments + place,
            (entry->segment_count - place) * sizeof(serve_segment *));
    entry->segments[place] = segment;
    entry->segment_count++;
    return segment;
}

serve_outcome serve_entry_segment(serve_book *book, serve_entry *entry, const char *name, bool make,
                                  serve_segment **segment, serve_problem *problem) {
    (void)book;
    bool found;
    const size_t place = find_segment(entry, name, &found);
    *segment = found ? entry->segments[place] : NULL;
    if (found || !make) {
        return SERVE_DONE;
    }
    size_t known;
    xp_error error;
    if (name[0] != '\0' && xp_model_segments(entry->model) > 0 &&
        xp_model_segment_find(entry->model, name, &known, &error) != XP_OK) {
        return serve_refuse(problem, 409, "segment: %s", error.message);
    }
    if (entry->segment_count >= SERVE_MOST_SEGMENTS) {
        return serve_refuse(problem, 409,
                            "segment: the experiment has %d segments, the most it "
                            "can have",
                            SERVE_MOST_SEGMENTS);
    }
    *segment = add_segment(entry, place, name);
    return *segment != NULL ? SERVE_DONE : serve_refuse(problem, 500, "out of memory");
}

typedef struct reading {
    serve_entry *entry;
    bool good;
} reading;

static bool see_count(void *context, const serve_count *row) {
    reading *self = context;
    bool found;
    const size_t place = find_segment(self->entry, row->segment, &found);
    serve_segment *segment =
        found ? self->entry->segments[place] : add_segment(self->entry, place, row->segment);
    self->good = segment != NULL && row->action < self->entry->arms;
    if (self->good) {
        serve_count *count = &segment->counts[row->action];
        segment->fresh = segment->fresh && count->rewards == row->rewards;
        *count = *row;
        count->segment = segment->name;
    }
    return self->good;
}

/* The counts as the store has them now. Those in memory were read or written before; where they are
 * still the same, the law is too. */
static serve_outcome read_counts(serve_book *book, serve_entry *entry, serve_problem *problem) {
    reading self = {.entry = entry, .good = true};
    if (!book->store->type->count_each(book->store, entry->row.key, see_count, &self)) {
        return SERVE_BROKEN;
    }
    return self.good ? SERVE_DONE
                     : serve_refuse(problem, 500, "out of memory, or the store is damaged");
}

/* The current model of an experiment, its arms and its counts. */
static serve_outcome read_entry(serve_book *book, serve_entry *entry, serve_problem *problem) {
    serve_store *store = book->store;
    serve_model_row stored;
    bool found;
    if (!store->type->model_find(store, entry->row.key, entry->row.model, &stored, &found)) {
        return SERVE_BROKEN;
    }
    if (!found) {
        return serve_refuse(problem, 500, "the store has no version %u of the model",
                            entry->row.model);
    }
    serve_outcome outcome = serve_model_read(stored.document, stored.bytes, &entry->model, problem);
    if (outcome == SERVE_DONE) {
        entry->arms = xp_model_describe(entry->model).space.actions;
        entry->retired = calloc(entry->arms, sizeof *entry->retired);
        entry->open = calloc(entry->arms, sizeof *entry->open);
        entry->expert = calloc(entry->arms, sizeof *entry->expert);
        uint64_t *choices = calloc(entry->arms, sizeof *choices);
        if (entry->retired == NULL || entry->open == NULL || entry->expert == NULL ||
            choices == NULL || !serve_arms_parse(stored.retired, entry->arms, entry->retired)) {
            outcome = serve_refuse(problem, 500, "out of memory, or the store is damaged");
        } else {
            xp_model_action_counts(entry->model, choices);
            double all = 0;
            for (size_t arm = 0; arm < entry->arms; arm++) {
                all += (double)choices[arm];
            }
            entry->any_retired = false;
            for (size_t arm = 0; arm < entry->arms; arm++) {
                entry->expert[arm] = all > 0 ? (double)choices[arm] / all : 0;
                entry->any_retired = entry->any_retired || entry->retired[arm];
            }
        }
        free(choices);
    }
    free(stored.document);
    free(stored.retired);
    return outcome == SERVE_DONE ? read_counts(book, entry, problem) : outcome;
}

/* Adds the entry to those that this group looked up, once. */
static void touch(serve_book *book, serve_entry *entry) {
    if (entry->group != book->group) {
        entry->group = book->group;
        entry->touched = book->touched;
        book->touched = entry;
    }
}

serve_outcome serve_book_find(serve_book *book, const char *id, serve_entry **result,
                              serve_problem *problem) {
    serve_entry **slot = find_slot(book, id);
    serve_entry *entry = *slot;
    if (entry != NULL && (entry->group == book->group ||
                          (entry->group >= book->since && entry->row.state != SERVE_DELETED))) {
        touch(book, entry);
        *result = entry;
        return entry->row.state != SERVE_DELETED
                   ? SERVE_DONE
                   : serve_refuse(problem, 404, "there is no experiment '%.64s'", id);
    }
    serve_experiment row;
    bool found;
    if (!book->store->type->experiment_find(book->store, id, &row, &found)) {
        return SERVE_BROKEN;
    }
    if (!found) {
        serve_book_drop(book, id);
        return serve_refuse(problem, 404, "there is no experiment '%.64s'", id);
    }
    const bool same = entry != NULL && entry->row.key == row.key &&
                      entry->row.decisions == row.decisions && entry->row.rewards == row.rewards &&
                      entry->row.model == row.model && entry->row.base == row.base;
    if (entry == NULL) {
        entry = calloc(1, sizeof *entry);
        if (entry == NULL) {
            return serve_refuse(problem, 500, "out of memory");
        }
        *slot = entry;
    }
    const bool same_model =
        entry->model != NULL && entry->row.key == row.key && entry->row.model == row.model;
    entry->row = row;
    entry->changed = false;
    if (!same) {
        if (!same_model) {
            empty_entry(book, entry);
        }
        const serve_outcome outcome =
            same_model ? read_counts(book, entry, problem) : read_entry(book, entry, problem);
        if (outcome != SERVE_DONE) {
            serve_book_drop(book, id);
            return outcome;
        }
    }
    touch(book, entry);
    *result = entry;
    return SERVE_DONE;
}

static bool flush_segment(serve_store *store, const serve_entry *entry, serve_segment *segment) {
    for (size_t arm = 0; segment->dirty && arm < entry->arms; arm++) {
        if (segment->changed[arm] &&
            !store->type->count_set(store, entry->row.key, &segment->counts[arm])) {
            return false;
        }
        segment->changed[arm] = false;
    }
    segment->dirty = false;
    return true;
}

bool serve_book_flush(serve_book *book) {
    serve_store *store = book->store;
    for (serve_entry *entry = book->touched; entry != NULL; entry = entry->touched) {
        if (!entry->changed) {
            continue;
        }
        if (!store->type->experiment_update(store, &entry->row)) {
            return false;
        }
        entry->changed = false;
        for (size_t s = 0; s < entry->segment_count; s++) {
            if (!flush_segment(store, entry, entry->segments[s])) {
                return false;
            }
        }
    }
    return true;
}

serve_outcome serve_entry_law(serve_book *book, serve_entry *entry, serve_segment *segment,
                              serve_law **law, serve_problem *problem) {
    xp_error error;
    if (segment->law == NULL) {
        segment->law = serve_law_create(entry->model, entry->row.seed, segment->name, &error);
        if (segment->law == NULL) {
            return serve_refuse(problem, 500, "%s", error.message);
        }
        segment->fresh = false;
    }
    if (!segment->awake && (!segment->fresh || serve_law_is_awake(segment->law))) {
        segment->awake = true;
        book->law_bytes += law_size(entry->arms);
    }
    if (!segment->fresh && !serve_law_tell(segment->law, segment->counts, &error)) {
        return serve_refuse(problem, 500, "%s", error.message);
    }
    segment->fresh = true;
    segment->used = book->group;
    *law = segment->law;
    return SERVE_DONE;
}

size_t serve_entry_arm(const serve_entry *entry, const char *name) {
    char number[24];
    for (size_t arm = 0; arm < entry->arms; arm++) {
        if (strcmp(serve_arm_name(entry->model, arm, number), name) == 0) {
            return arm;
        }
    }
    return entry->arms;
}
