/* store.c: which store a place names. */
#include "serve/stores/store.h"

#include <stdio.h>
#include <string.h>

serve_store *serve_store_open(const serve_store_options *options, char *message, size_t room) {
    if (strstr(options->place, "://") != NULL) {
        (void)snprintf(message, room,
                       "the store '%.80s' is not a file; this build keeps experiments in SQLite "
                       "files only",
                       options->place);
        return NULL;
    }
    return serve_sqlite_open(options, message, room);
}
