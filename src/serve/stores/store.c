/* store.c: which store a place names. */
#include "serve/stores/store.h"

#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* A place that is no file may hold a password: it is not repeated. */
serve_store *serve_store_open(const serve_store_options *options, char *message, size_t room) {
    const char *place = options->place;
    if (begins(place, "postgresql://") || begins(place, "postgres://")) {
#ifdef SERVE_POSTGRESQL
        return serve_postgresql_open(options, message, room);
#else
        (void)snprintf(message, room,
                       "the store is in PostgreSQL, but this build keeps experiments in SQLite "
                       "files only; build with libpq-dev");
        return NULL;
#endif
    }
    if (strstr(place, "://") != NULL) {
        (void)snprintf(
            message, room, "the store is neither a file nor postgresql://…, but '%.*s://…'",
            (int)(strstr(place, "://") - place > 20 ? 20 : strstr(place, "://") - place), place);
        return NULL;
    }
    return serve_sqlite_open(options, message, room);
}
