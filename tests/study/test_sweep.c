/* Sweeps: what is told of a file's mistakes, and what a search computes. */
#include "claim.h"

#include "experior/sweep.h"

#include <stdio.h>
#include <string.h>

/* A path in the test's own directory. */
static const char *place(const char *name) {
    static char path[4][512];
    static int next;
    char *made = path[next++ % 4];
    (void)snprintf(made, sizeof path[0], "%s/%s", claim_directory(), name);
    return made;
}

/* What a reader of a file was told. */
typedef struct told {
    size_t count;
    char first[512], last[512], error[sizeof(((xp_error *)0)->message)];
} told;

static void tell(void *context, const char *sentence) {
    told *self = context;
    if (self->count++ == 0) {
        (void)snprintf(self->first, sizeof self->first, "%s", sentence);
    }
    (void)snprintf(self->last, sizeof self->last, "%s", sentence);
}

/* A sweep of one small bandit with these entries besides; NULL if it has mistakes. */
static xp_sweep *read(const char *entries, told *heard) {
    FILE *file = fopen(place("sweep.json"), "w");
    EXPECT(file != NULL);
    (void)fprintf(file,
                  "{\"environments\": \"bernoulli_bandit:arms=3\", \"experts\": \"optimal\", "
                  "\"demonstrations\": 20, \"problems\": 2, \"tasks\": 2, \"episodes\": 5, %s}",
                  entries);
    EXPECT(fclose(file) == 0);
    xp_sweep *sweep = NULL;
    xp_error error = {.message = ""};
    *heard = (told){.count = 0};
    const xp_status status = xp_sweep_load(place("sweep.json"), tell, heard, &sweep, &error);
    EXPECT((status == XP_OK) == (sweep != NULL) && (status == XP_OK || status == XP_ERR_INPUT));
    (void)snprintf(heard->error, sizeof heard->error, "%s", error.message);
    return sweep;
}

/* {"name": "naive_ucb", KEY: [1, 2, … count]} */
static void object_of(char *text, size_t room, const char *key, size_t count) {
    size_t used = (size_t)snprintf(text, room, "{\"name\": \"naive_ucb\", \"%s\": [", key);
    for (size_t i = 1; i <= count; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%zu", i > 1 ? ", " : "", i);
    }
    (void)snprintf(text + used, room - used, "]}");
}

CLAIM(a_misspelt_parameter_of_many_agents_is_one_sentence) {
    told heard;
    EXPECT(read("\"agents\": {\"name\": \"naive_ucb\", \"rhoo\": [1, 2, 3, 4, 5, 6, 7, 8, 9], "
                "\"rho\": [1, 2, 3, -4]}",
                &heard) == NULL);
    EXPECT(heard.count == 2); /* rhoo, which is said once, and -4 */
    EXPECT(strstr(heard.first, "a parameter 'rhoo'") != NULL);
    EXPECT(strstr(heard.last, "naive_ucb.rho = -4 is outside") != NULL);
}

CLAIM(more_agents_than_there_may_be_are_counted_and_refused) {
    static char agents[100000], entries[300000];
    told heard;
    object_of(agents, sizeof agents, "rho", 10001);
    (void)snprintf(entries, sizeof entries, "\"agents\": [%s]", agents);
    EXPECT(read(entries, &heard) == NULL && heard.count == 1);
    EXPECT(strcmp(heard.last, "agents[0] stands for 10001 agents, more than 10000") == 0);
    object_of(agents, sizeof agents, "rho", 6000);
    (void)snprintf(entries, sizeof entries, "\"agents\": [%s, %s]", agents, agents);
    EXPECT(read(entries, &heard) == NULL && heard.count == 1);
    EXPECT(strcmp(heard.last, "'agents' stands for 12000 agents, more than 10000") == 0);
    size_t used = (size_t)snprintf(entries, sizeof entries,
                                   "\"agents\": {\"name\": \"naive_ucb\", \"rho\": [1, 2");
    for (char key = 'a'; key <= 'z'; key++) { /* 2^27 agents */
        used += (size_t)snprintf(entries + used, sizeof entries - used, "], \"%c\": [1, 2", key);
    }
    (void)snprintf(entries + used, sizeof entries - used, "]}");
    EXPECT(read(entries, &heard) == NULL && heard.count == 1);
    EXPECT(strcmp(heard.last, "agents[0] stands for 134217728 agents, more than 10000") == 0);
    object_of(agents, sizeof agents, "rho", 10000);
    (void)snprintf(entries, sizeof entries, "\"agents\": [%s]", agents);
    xp_sweep *most = read(entries, &heard);
    EXPECT(most != NULL && heard.count == 0 && xp_sweep_describe(most).agents == 10000);
    xp_sweep_destroy(most);
}

CLAIM(after_a_hundred_mistakes_the_rest_is_counted) {
    static char entries[20000];
    told heard;
    size_t used = (size_t)snprintf(entries, sizeof entries, "\"agents\": [");
    for (int i = 0; i < 150; i++) {
        used += (size_t)snprintf(entries + used, sizeof entries - used, "\"nobody_%d\", ", i);
    }
    (void)snprintf(entries + used, sizeof entries - used, "\"naive_ts\"]");
    EXPECT(read(entries, &heard) == NULL);
    EXPECT(heard.count == 101 && strcmp(heard.last, "... and 50 more") == 0);
    EXPECT(strstr(heard.error, "has 150 mistakes; nothing was computed") != NULL);
}

CLAIM(a_share_of_agents_is_rounded_up_but_not_by_its_last_digit) {
    static const struct {
        size_t agents, kept;
        const char *keep;
    } cases[] = {{50, 7, "0.14"}, {25, 7, "0.28"}, {50, 8, "0.1401"}, {10, 1, "0.000001"}};
    char agents[1024], entries[2048];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        told heard;
        object_of(agents, sizeof agents, "rho", cases[i].agents);
        (void)snprintf(entries, sizeof entries,
                       "\"agents\": %s, \"search\": {\"rounds\": 2, \"problems\": 1, \"keep\": %s}",
                       agents, cases[i].keep);
        xp_sweep *sweep = read(entries, &heard);
        xp_sweep_result *result = NULL;
        xp_study_options options = xp_study_options_default();
        options.directory = place("share");
        options.threads = 1;
        EXPECT(xp_sweep_describe(sweep).searched == cases[i].agents + 2 * cases[i].kept);
        EXPECT(xp_sweep_run(sweep, &options, &result, NULL) == XP_OK);
        EXPECT(result != NULL && result->candidate_count == cases[i].agents + cases[i].kept);
        xp_sweep_result_destroy(result);
        xp_sweep_destroy(sweep);
    }
}

/* Units that were finished when each round, and the report, began. */
typedef struct begun {
    size_t total, count, found[8];
} begun;

static int watch(void *context, size_t done, size_t total) {
    begun *self = context;
    if (total != self->total && self->count < 8) {
        self->total = total;
        self->found[self->count++] = done;
    }
    return 0;
}

/* Rounds of 8 agents on 2 problems, of 4 on 4 and of 2 on 8: each finds the units of those before.
 */
CLAIM(a_fresh_search_computes_each_unit_once) {
    told heard;
    xp_sweep *sweep = read("\"agents\": {\"name\": \"naive_ucb\", \"rho\": [1, 2, 3, 4, 5, 6, 7, "
                           "8]}, \"search\": {\"rounds\": 3, \"problems\": 2}",
                           &heard);
    for (int run = 0; run < 2; run++) {
        begun seen = {.count = 0};
        xp_sweep_result *result = NULL;
        xp_study_options options = xp_study_options_default();
        options.directory = place("fresh");
        options.threads = 1;
        options.fresh = run == 1;
        options.progress = watch;
        options.progress_context = &seen;
        EXPECT(xp_sweep_run(sweep, &options, &result, NULL) == XP_OK);
        xp_sweep_result_destroy(result);
        EXPECT(seen.count == 4 && seen.found[0] == 0 && seen.found[1] == 16 &&
               seen.found[2] == 24 && seen.found[3] == 0);
    }
    xp_sweep_destroy(sweep);
}
