/* Pilot runs: the time that a study takes is told before its first unit, and nothing else changes,
 * in one process and in two. */
#include "claim.h"
#include "run/socket_peers.h"
#include "study/same_study.h"

#include "experior/study.h"

#include <math.h>

/* What the caller is told, and when it asks for an end. */
typedef struct caller {
    xp_study_forecast first;
    size_t forecasts, calls, stop_at; /* calls of progress; 0: never */
    int await; /* a socket: the first call waits until a message has come; 0: it does not */
} caller;

static void note(void *context, const xp_study_forecast *forecast) {
    caller *self = context;
    if (self->forecasts++ == 0) {
        self->first = *forecast;
    }
}

static int look(void *context, size_t done, size_t total) {
    (void)done;
    (void)total;
    caller *self = context;
    char any;
    if (self->calls == 0 && self->await != 0) {
        (void)recv(self->await, &any, 1, MSG_PEEK);
    }
    return ++self->calls == self->stop_at;
}

static xp_status run_only(const char *name, const char *only, caller *by, bool pilot,
                          xp_peers *peers, xp_study_result **result) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    xp_study_options options = xp_study_options_default();
    options.scale = "smoke";
    options.only = only;
    options.directory = path;
    options.threads = 1;
    options.pilot = pilot;
    options.forecast = note;
    options.forecast_context = by;
    options.progress = look;
    options.progress_context = by;
    options.peers = peers;
    return xp_study_run("figure3b", &options, result, NULL);
}

static xp_status run(const char *name, caller *by, bool pilot, xp_peers *peers,
                     xp_study_result **result) {
    return run_only(name, NULL, by, pilot, peers, result);
}

CLAIM(a_pilot_tells_the_time_of_all_units_before_the_first_and_changes_no_row) {
    xp_study_result *plain = NULL, *piloted = NULL;
    caller without = {.forecasts = 0}, with = {.forecasts = 0};
    EXPECT(run("plain", &without, false, NULL, &plain) == XP_OK);
    EXPECT(run("piloted", &with, true, NULL, &piloted) == XP_OK);
    EXPECT(same_study(plain, piloted));
    EXPECT(without.first.from_pilot == 0 && isnan(without.first.seconds));
    EXPECT(with.first.units == piloted->units_total && with.first.units > 0);
    EXPECT(with.first.from_pilot == with.first.units && with.first.from_units == 0);
    EXPECT(with.first.seconds > 0 && with.first.seconds <= with.first.work);
    xp_study_result_destroy(plain);
    xp_study_result_destroy(piloted);
}

CLAIM(what_is_known_from_finished_units_needs_no_pilot) {
    xp_study_result *part = NULL, *result = NULL;
    caller first = {.forecasts = 0}, by = {.forecasts = 0};
    EXPECT(run_only("parts", "/0/", &first, false, NULL, &part) == XP_OK);
    EXPECT(run("parts", &by, true, NULL, &result) == XP_OK);
    EXPECT(by.first.units > 0 && by.first.units < result->units_total);
    EXPECT(by.first.from_units == by.first.units && by.first.from_pilot == 0);
    xp_study_result_destroy(part);
    xp_study_result_destroy(result);
}

/* The second call asks for an end. After a pilot it would come before the forecast. */
CLAIM(where_no_pilot_is_needed_none_is_made) {
    xp_study_result *part = NULL, *result = NULL;
    caller first = {.forecasts = 0}, by = {.stop_at = 2}, piloted = {.stop_at = 2};
    EXPECT(run_only("known", "/0/", &first, false, NULL, &part) == XP_OK);
    EXPECT(run("known", &by, true, NULL, &result) == XP_ERR_INTERRUPTED && by.forecasts > 0);
    EXPECT(run("unknown", &piloted, true, NULL, &result) == XP_ERR_INTERRUPTED);
    EXPECT(piloted.forecasts == 0);
    xp_study_result_destroy(part);
}

static size_t sent; /* messages of this process in the first round */

static xp_status count_sent(void *context, size_t to, const void *bytes, size_t length,
                            xp_error *error) {
    const socket_peers *all = context;
    sent += all->peers.round == 1;
    return socket_send(context, to, bytes, length, error);
}

CLAIM(two_processes_share_a_pilot_and_have_the_same_rows) {
    static socket_peers all;
    xp_study_result *shared = NULL, *plain = NULL;
    caller by = {.forecasts = 0}, other = {.forecasts = 0};
    socket_peers_start(&all, 2);
    by.await = all.peers.rank == 0 ? all.end[1] : 0;
    all.peers.send = count_sent;
    const xp_status status = run("shared", &by, true, &all.peers, &shared);
    /* Process 1 says that it is ready, and what a pilot took. */
    const bool helped = all.peers.rank == 0 || sent >= 2;
    EXPECT(socket_peers_end(&all, status == XP_OK && all.peers.round == 2 && helped));
    EXPECT(run("plain", &other, false, NULL, &plain) == XP_OK);
    EXPECT(by.first.workers == 2 && by.first.from_pilot == by.first.units && by.first.units > 0);
    EXPECT(shared != NULL && same_study(plain, shared));
    xp_study_result_destroy(plain);
    xp_study_result_destroy(shared);
}

CLAIM(an_end_asked_for_during_a_pilot_ends_all_processes) {
    for (size_t count = 1; count <= 2; count++) {
        static socket_peers all;
        xp_study_result *result = NULL;
        caller by = {.stop_at = 2}; /* the first call comes before the pilot */
        socket_peers_start(&all, count);
        const xp_status status = run("ended", &by, true, count > 1 ? &all.peers : NULL, &result);
        EXPECT(socket_peers_end(&all, status == XP_ERR_INTERRUPTED && result == NULL));
        EXPECT(by.forecasts == 0);
    }
}

/* Otherwise one would compute pilots while the other computes units. */
CLAIM(processes_of_which_only_one_makes_a_pilot_are_refused) {
    static socket_peers all;
    xp_study_result *result = NULL;
    caller by = {.forecasts = 0};
    socket_peers_start(&all, 2);
    by.await = all.peers.rank == 0 ? all.end[1] : 0;
    const xp_status status = run("unlike", &by, all.peers.rank == 0, &all.peers, &result);
    EXPECT(socket_peers_end(&all, status == XP_ERR_INPUT && result == NULL));
}
