/* store_file.h: the SQLite file behind a study (store.h), as what files units in it sees it. */
#ifndef XP_RUN_STORE_FILE_H
#define XP_RUN_STORE_FILE_H

#include "run/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

struct xp__store {
    sqlite3 *database; /* NULL: a reader found no file */
    sqlite3_stmt *get, *put, *remove;
    uint64_t seed;
    char *path, *lock_path;
    int lock;            /* the writer's; -1 for a reader */
    struct stat place;   /* of the database's file */
    unsigned char *blob; /* what is being written */
    size_t room;         /* bytes of it */
    size_t damaged;      /* xp__store_damaged */
};

/* A sentence for whatever SQLite has to say. */
xp_status xp__store_explain(const xp__store *store, int code, xp_error *error);

xp_status xp__store_execute(xp__store *store, const char *sql, xp_error *error);
/* The number in the first row and column. */
xp_status xp__store_query_number(xp__store *store, const char *sql, sqlite3_int64 *value,
                                 xp_error *error);

#endif
