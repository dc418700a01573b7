/* store.c: units and studies in the SQLite file that store_file.c opens.
 *
 * Numbers are a BLOB of little-endian doubles, those of the result and then those kept of its
 * tasks, closed by a hash of them and of all that they are filed under: they come back bit for bit,
 * or the damage is noticed, and the unit counts as not finished. The regret is repeated as a plain
 * column for those who look with sqlite3. */
#include "run/store.h"

#include "base/grow.h"
#include "base/memory.h"
#include "run/store_file.h"

#include <errno.h>
#include <string.h>

void xp__store_choose_seed(xp__store *store, uint64_t seed) {
    store->seed = seed;
}

static void encode(unsigned char *bytes, uint64_t word) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(word >> (8 * i));
    }
}

static uint64_t decode(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
    return word;
}

static void encode_all(unsigned char *bytes, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        encode(bytes + 8 * i, word);
    }
}

static void decode_all(const unsigned char *bytes, double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = decode(bytes + 8 * i);
        memcpy(&numbers[i], &word, sizeof word);
    }
}

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* What a unit is filed under. */
typedef struct place {
    const char *key, *revision, *version;
    uint64_t seed;
} place;

/* Hash of the encoded numbers and of all that they are filed under; texts with the zero that ends
 * them, so that no two of them run together. */
static uint64_t seal(const place *of, const unsigned char *numbers, size_t length) {
    unsigned char seed[8];
    encode(seed, of->seed);
    const char *const texts[] = {of->key, of->revision, of->version};
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), seed, sizeof seed);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hash = hash_bytes(hash, (const unsigned char *)texts[i], strlen(texts[i]) + 1);
    }
    return hash_bytes(hash, numbers, length);
}

/* Whether a blob is as it was filed there. */
static bool is_whole(const place *of, const unsigned char *bytes, size_t length) {
    return bytes != NULL && length % 8 == 0 && length >= 8 * (XP__UNIT_NUMBERS + 1) &&
           decode(bytes + length - 8) == seal(of, bytes, length - 8);
}

static int bind_key(xp__store *store, sqlite3_stmt *statement, const char *key) {
    (void)sqlite3_reset(statement);
    const int code = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    return code == SQLITE_OK ? sqlite3_bind_int64(statement, 2, (sqlite3_int64)store->seed) : code;
}

/* Whether results of one version hold in another: the same up to the first number that is not 0.
 * Before 1.0 that is the second ("0.1.3" and "0.1.0" agree, "0.2.0" does not), later the first. */
static bool agree(const char *one, const char *other) {
    bool counted = false;
    for (; *one == *other && *one != '\0' && !(counted && *one == '.'); one++, other++) {
        counted = counted || (*one >= '1' && *one <= '9');
    }
    return (*one == '\0' || *one == '.') && (*other == '\0' || *other == '.');
}

/* Leads `get` to the row of a unit with `count` numbers of its tasks that can be used. If there is
 * none, *filed says what there is. Either way the caller resets `get`. */
static xp_status find(xp__store *store, const char *key, const char *revision, size_t count,
                      xp__filed *filed, xp_error *error) {
    *filed = XP__FILED_NONE;
    int code = bind_key(store, store->get, key);
    if (code == SQLITE_OK) {
        code = sqlite3_step(store->get);
    }
    while (code == SQLITE_ROW && *filed != XP__FILED) {
        const place of = {.key = key,
                          .revision = (const char *)sqlite3_column_text(store->get, 0),
                          .version = (const char *)sqlite3_column_text(store->get, 1),
                          .seed = store->seed};
        const unsigned char *bytes = sqlite3_column_blob(store->get, 2);
        const size_t length = (size_t)sqlite3_column_bytes(store->get, 2);
        if (of.revision == NULL || of.version == NULL) {
            return xp__no_memory(error);
        }
        const bool matches = strcmp(of.revision, revision) == 0 && agree(of.version, xp_version());
        const bool whole =
            length == 8 * (XP__UNIT_NUMBERS + count + 1) && is_whole(&of, bytes, length);
        const xp__filed found = !matches ? XP__FILED_OTHER : whole ? XP__FILED : XP__FILED_DAMAGED;
        *filed = found > *filed ? found : *filed;
        code = found == XP__FILED ? code : sqlite3_step(store->get);
    }
    return code == SQLITE_ROW || code == SQLITE_DONE ? XP_OK
                                                     : xp__store_explain(store, code, error);
}

xp_status xp__store_get(xp__store *store, const char *key, const char *revision, xp__filed *filed,
                        xp__unit_result *result, double *numbers, size_t count, xp_error *error) {
    *filed = XP__FILED_NONE;
    if (store->database == NULL) {
        return XP_OK;
    }
    const xp_status status = find(store, key, revision, count, filed, error);
    if (status == XP_OK && *filed == XP__FILED) {
        const unsigned char *bytes = sqlite3_column_blob(store->get, 2);
        double head[XP__UNIT_NUMBERS];
        decode_all(bytes, head, XP__UNIT_NUMBERS);
        memcpy(result, head, sizeof head);
        decode_all(bytes + sizeof head, numbers, count);
    }
    (void)sqlite3_reset(store->get);
    return status;
}

xp_status xp__store_has(xp__store *store, const char *key, const char *revision, size_t count,
                        bool *has, xp_error *error) {
    *has = false;
    if (store->database == NULL) {
        return XP_OK;
    }
    xp__filed filed;
    const xp_status status = find(store, key, revision, count, &filed, error);
    *has = status == XP_OK && filed == XP__FILED;
    (void)sqlite3_reset(store->get);
    return status;
}

/* The unit of the row at which a statement stands, with its numbers decoded into the store's block;
 * *whole is false if it is damaged. */
static xp_status read_stored(xp__store *store, sqlite3_stmt *row, xp__stored *stored, bool *whole,
                             xp_error *error) {
    *stored = (xp__stored){.key = (const char *)sqlite3_column_text(row, 0),
                           .seed = (uint64_t)sqlite3_column_int64(row, 1),
                           .revision = (const char *)sqlite3_column_text(row, 2),
                           .version = (const char *)sqlite3_column_text(row, 3)};
    const place of = {stored->key, stored->revision, stored->version, stored->seed};
    const unsigned char *bytes = sqlite3_column_blob(row, 4);
    const size_t length = (size_t)sqlite3_column_bytes(row, 4);
    if (of.key == NULL || of.revision == NULL || of.version == NULL) {
        return xp__no_memory(error);
    }
    *whole = is_whole(&of, bytes, length);
    if (!*whole) {
        return XP_OK;
    }
    unsigned char *block = xp__reserve(store->blob, &store->room, length, 1);
    if (block == NULL) {
        return xp__no_memory(error);
    }
    store->blob = block;
    double *numbers = (double *)(void *)block; /* as aligned as any memory that was allocated */
    decode_all(bytes, numbers, length / 8 - 1);
    memcpy(&stored->result, numbers, sizeof stored->result);
    stored->numbers = numbers + XP__UNIT_NUMBERS;
    stored->count = length / 8 - 1 - XP__UNIT_NUMBERS;
    stored->agrees = agree(stored->version, xp_version());
    return XP_OK;
}

xp_status xp__store_each(xp__store *store,
                         xp_status (*visit)(void *context, const xp__stored *stored,
                                            xp_error *error),
                         void *context, xp_error *error) {
    sqlite3_stmt *rows = NULL;
    store->damaged = 0;
    if (store->database == NULL) {
        return XP_OK;
    }
    int code = sqlite3_prepare_v2(store->database,
                                  "SELECT key, seed, revision, version, numbers FROM unit"
                                  " ORDER BY key, seed, version, revision",
                                  -1, &rows, NULL);
    xp_status status = XP_OK;
    while (code == SQLITE_OK && status == XP_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        xp__stored stored;
        bool whole = false;
        code = SQLITE_OK;
        status = read_stored(store, rows, &stored, &whole, error);
        store->damaged += status == XP_OK && !whole;
        if (status == XP_OK && whole) {
            status = visit(context, &stored, error);
        }
    }
    if (status == XP_OK && code != SQLITE_DONE && code != SQLITE_OK) {
        status = xp__store_explain(store, code, error);
    }
    (void)sqlite3_finalize(rows);
    return status;
}

size_t xp__store_damaged(const xp__store *store) {
    return store->damaged;
}

static xp_status knows_studies(xp__store *store, bool *known, xp_error *error) {
    sqlite3_int64 tables = 0;
    const xp_status status =
        store->database == NULL
            ? XP_OK
            : xp__store_query_number(
                  store, "SELECT count(*) FROM sqlite_schema WHERE name = 'study'", &tables, error);
    *known = tables > 0;
    return status;
}

static xp_status finish(xp__store *store, sqlite3_stmt *statement, int code, xp_error *error) {
    errno = 0;
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    const xp_status status = code == SQLITE_DONE ? XP_OK : xp__store_explain(store, code, error);
    (void)sqlite3_reset(statement);
    return status;
}

xp_status xp__store_note_study(xp__store *store, const char *study, const char *scale,
                               uint64_t seed, xp_error *error) {
    bool known;
    xp_status status = knows_studies(store, &known, error);
    if (status != XP_OK || !known) {
        return status;
    }
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_prepare_v2(
        store->database, "INSERT OR IGNORE INTO study (name, scale, seed) VALUES (?1, ?2, ?3)", -1,
        &insert, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(insert, 1, study, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(insert, 2, scale, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(insert, 3, (sqlite3_int64)seed);
    }
    status = finish(store, insert, code, error);
    (void)sqlite3_finalize(insert);
    return status;
}

xp_status xp__store_each_study(xp__store *store, bool *known,
                               xp_status (*visit)(void *context, const char *study,
                                                  const char *scale, uint64_t seed,
                                                  xp_error *error),
                               void *context, xp_error *error) {
    xp_status status = knows_studies(store, known, error);
    if (status != XP_OK || !*known) {
        return status;
    }
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(store->database,
                                  "SELECT name, scale, seed FROM study ORDER BY name, scale, seed",
                                  -1, &rows, NULL);
    while (code == SQLITE_OK && status == XP_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        const char *scale = (const char *)sqlite3_column_text(rows, 1);
        code = SQLITE_OK;
        status = name == NULL || scale == NULL
                     ? xp__no_memory(error)
                     : visit(context, name, scale, (uint64_t)sqlite3_column_int64(rows, 2), error);
    }
    if (status == XP_OK && code != SQLITE_DONE && code != SQLITE_OK) {
        status = xp__store_explain(store, code, error);
    }
    (void)sqlite3_finalize(rows);
    return status;
}

xp_status xp__store_put(xp__store *store, const char *key, const char *revision,
                        const xp__unit_result *result, const double *numbers, size_t count,
                        xp_error *error) {
    double head[XP__UNIT_NUMBERS];
    memcpy(head, result, sizeof head);
    const size_t length = 8 * (XP__UNIT_NUMBERS + count);
    unsigned char *bytes = xp__reserve(store->blob, &store->room, length + 8, 1);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    store->blob = bytes;
    encode_all(bytes, head, XP__UNIT_NUMBERS);
    encode_all(bytes + sizeof head, numbers, count);
    const place of = {key, revision, xp_version(), store->seed};
    encode(bytes + length, seal(&of, bytes, length));
    int code = bind_key(store, store->put, key);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(store->put, 3, revision, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(store->put, 4, xp_version(), -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_double(store->put, 5, result->regret);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_blob64(store->put, 6, bytes, length + 8, SQLITE_STATIC);
    }
    return finish(store, store->put, code, error);
}

xp_status xp__store_remove(xp__store *store, const char *key, xp_error *error) {
    return finish(store, store->remove, bind_key(store, store->remove, key), error);
}

xp_status xp__store_begin(xp__store *store, xp_error *error) {
    return store->database != NULL ? xp__store_execute(store, "BEGIN", error) : XP_OK;
}

xp_status xp__store_commit(xp__store *store, xp_error *error) {
    return store->database != NULL ? xp__store_execute(store, "COMMIT", error) : XP_OK;
}

void xp__store_drop(xp__store *store) {
    if (store->database != NULL && sqlite3_get_autocommit(store->database) == 0) {
        (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
}
