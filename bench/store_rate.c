/* store_rate.c: what the service's store can do by itself: decisions per second, written in groups.
 *
 *     store_rate FILE GROUP SECONDS */
#include "serve/stores/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double wall(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    char message[256];
    if (argc != 4) {
        (void)fputs("usage: store_rate FILE GROUP SECONDS\n", stderr);
        return 2;
    }
    const unsigned long group = strtoul(argv[2], NULL, 10);
    const double seconds = strtod(argv[3], NULL);
    const serve_store_options options = {.place = argv[1], .create = true};
    serve_store *store = serve_store_open(&options, message, sizeof message);
    if (store == NULL) {
        (void)fprintf(stderr, "%s\n", message);
        return 1;
    }
    serve_experiment experiment = {
        .id = "0000000000000000", .name = "rate", .model = 1, .first = 1};
    serve_decision row = {.model = 1, .probability = 0.5, .chosen = -1};
    bool good = store->type->begin(store, true) &&
                store->type->experiment_add(store, &experiment) && store->type->commit(store);
    const double start = wall();
    uint64_t groups = 0;
    while (good && wall() < start + seconds) {
        good = store->type->begin(store, true);
        for (unsigned long i = 0; good && i < group; i++) {
            row.number++;
            good = store->type->decision_add(store, experiment.key, &row);
        }
        experiment.decisions = row.number;
        good = good && store->type->experiment_update(store, &experiment) &&
               store->type->commit(store);
        groups++;
    }
    const double taken = wall() - start;
    if (good) {
        (void)printf("%.0f %.0f\n", (double)row.number / taken, (double)groups / taken);
    } else {
        (void)fprintf(stderr, "%s\n", store->message);
    }
    store->type->close(store);
    return good ? 0 : 1;
}
