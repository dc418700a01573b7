/* store_rate.c: what the service's store can do by itself: decisions per second, written in groups.
 * A group has the rows that the service writes: a decision each, and the counts and the row of
 * every experiment that has one.
 *
 *     store_rate PLACE GROUP SECONDS EXPERIMENTS */
#include "serve/stores/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double wall(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench {
    serve_store *store;
    serve_experiment *experiments;
    serve_wanted *wanted;
    size_t count, next; /* experiments; the one whose turn it is */
    uint64_t written;
} bench;

static bool make_experiments(bench *self) {
    serve_store *store = self->store;
    bool good = store->type->begin(store, true);
    for (size_t i = 0; good && i < self->count; i++) {
        serve_experiment *one = &self->experiments[i];
        *one = (serve_experiment){.name = "rate", .model = 1, .first = 1};
        (void)snprintf(one->id, sizeof one->id, "%016u", (unsigned)i);
        good = store->type->experiment_add(store, one);
    }
    return good && store->type->commit(store);
}

/* Writes one group, experiments taking turns. */
static bool write_group(bench *self, size_t group) {
    serve_store *store = self->store;
    const size_t used = group < self->count ? group : self->count;
    serve_decision row = {.model = 1, .probability = 0.5, .chosen = -1};
    bool good = store->type->begin(store, true);
    for (size_t i = 0; i < used; i++) {
        self->wanted[i] =
            (serve_wanted){.experiment = self->experiments[(self->next + i) % self->count].id};
    }
    good = good && (store->type->expect == NULL || store->type->expect(store, self->wanted, used));
    for (size_t i = 0; good && i < group; i++) {
        serve_experiment *one = &self->experiments[(self->next + i % used) % self->count];
        row.number = ++one->decisions;
        good = store->type->decision_add(store, one->key, &row);
        self->written++;
    }
    for (size_t i = 0; good && i < used; i++) {
        const serve_experiment *one = &self->experiments[(self->next + i) % self->count];
        const serve_count count = {.segment = "", .decisions = one->decisions};
        good = store->type->experiment_update(store, one) &&
               store->type->count_set(store, one->key, &count);
    }
    self->next = (self->next + used) % self->count;
    return good && store->type->commit(store);
}

int main(int argc, char **argv) {
    char message[256];
    if (argc != 5) {
        (void)fputs("usage: store_rate PLACE GROUP SECONDS EXPERIMENTS\n", stderr);
        return 2;
    }
    const size_t group = strtoul(argv[2], NULL, 10);
    const double seconds = strtod(argv[3], NULL);
    const serve_store_options options = {.place = argv[1], .create = true};
    bench self = {.count = strtoul(argv[4], NULL, 10)};
    self.store = serve_store_open(&options, message, sizeof message);
    if (self.store == NULL) {
        (void)fprintf(stderr, "%s\n", message);
        return 1;
    }
    self.experiments = calloc(self.count, sizeof *self.experiments);
    self.wanted = calloc(self.count, sizeof *self.wanted);
    bool good = self.experiments != NULL && self.wanted != NULL && make_experiments(&self);
    const double start = wall();
    uint64_t groups = 0;
    while (good && wall() < start + seconds) {
        good = write_group(&self, group);
        groups++;
    }
    const double taken = wall() - start;
    if (good) {
        (void)printf("%.0f %.0f\n", (double)self.written / taken, (double)groups / taken);
    } else {
        (void)fprintf(stderr, "%s\n", self.store->message);
    }
    self.store->type->close(self.store);
    free(self.experiments);
    free(self.wanted);
    return good ? 0 : 1;
}
