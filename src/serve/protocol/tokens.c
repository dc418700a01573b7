/* tokens.c: bearer tokens. */
#include "serve/protocol/tokens.h"

#include "serve/experiments/manage.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct serve_tokens {
    pthread_rwlock_t lock;
    serve_token *rows;
    size_t count;
};

static const struct {
    const char *name;
    int scope;
} scopes[] = {{"read", SERVE_MAY_READ},
              {"decide", SERVE_MAY_DECIDE},
              {"admin", SERVE_MAY_READ | SERVE_MAY_DECIDE | SERVE_MAY_ADMIN}};
enum { SCOPES = sizeof scopes / sizeof scopes[0] };

int serve_scope_parse(const char *text) {
    int scope = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        size_t i = 0;
        while (i < SCOPES &&
               (strlen(scopes[i].name) != length || strncmp(scopes[i].name, text, length) != 0)) {
            i++;
        }
        if (i == SCOPES) {
            return 0;
        }
        scope |= scopes[i].scope;
        text += length + (text[length] == ',');
    }
    return scope;
}

const char *serve_scope_format(int scope, char *room) {
    (void)snprintf(room, 32, "%s%s%s%s", scope & SERVE_MAY_ADMIN ? "admin" : "",
                   scope & SERVE_MAY_ADMIN    ? ""
                   : scope & SERVE_MAY_DECIDE ? "decide"
                                              : "",
                   (scope & ~SERVE_MAY_ADMIN) == (SERVE_MAY_DECIDE | SERVE_MAY_READ) &&
                           !(scope & SERVE_MAY_ADMIN)
                       ? ","
                       : "",
                   !(scope & SERVE_MAY_ADMIN) && (scope & SERVE_MAY_READ) ? "read" : "");
    return room;
}

static bool hash_text(const char *text, unsigned char *hash) {
    unsigned int bytes = 0;
    return EVP_Digest(text, strlen(text), hash, &bytes, EVP_sha256(), NULL) == 1 &&
           bytes == SERVE_HASH_SIZE;
}

bool serve_token_draw(const char *name, int scope, int64_t now, serve_token *row, char *text) {
    *row = (serve_token){.scope = scope, .created = now};
    unsigned char secret[32];
    if (!serve_id_draw(row->id) || getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret) {
        return false;
    }
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    int at = snprintf(text, SERVE_TOKEN_SIZE, "xp_%s_", row->id);
    for (size_t i = 0; i < sizeof secret; i++) {
        at += snprintf(text + at, SERVE_TOKEN_SIZE - (size_t)at, "%02x", secret[i]);
    }
    return hash_text(text, row->hash);
}

serve_tokens *serve_tokens_create(void) {
    serve_tokens *tokens = calloc(1, sizeof *tokens);
    if (tokens != NULL) {
        (void)pthread_rwlock_init(&tokens->lock, NULL);
    }
    return tokens;
}

void serve_tokens_destroy(serve_tokens *tokens) {
    if (tokens != NULL) {
        (void)pthread_rwlock_destroy(&tokens->lock);
        free(tokens->rows);
        free(tokens);
    }
}

typedef struct collecting {
    serve_token *rows;
    size_t count, room;
    bool good;
} collecting;

static bool see(void *context, const serve_token *row) {
    collecting *self = context;
    if (row->revoked) {
        return true;
    }
    if (self->count == self->room) {
        self->room = self->room > 0 ? 2 * self->room : 16;
        serve_token *more = realloc(self->rows, self->room * sizeof *more);
        self->good = more != NULL;
        if (!self->good) {
            return false;
        }
        self->rows = more;
    }
    self->rows[self->count++] = *row;
    return true;
}

bool serve_tokens_load(serve_tokens *tokens, serve_store *store) {
    collecting found = {.good = true};
    if (!store->type->token_each(store, see, &found) || !found.good) {
        free(found.rows);
        return false;
    }
    (void)pthread_rwlock_wrlock(&tokens->lock);
    serve_token *old = tokens->rows;
    tokens->rows = found.rows;
    tokens->count = found.count;
    (void)pthread_rwlock_unlock(&tokens->lock);
    free(old);
    return true;
}

int serve_tokens_find(serve_tokens *tokens, const char *text, char *id) {
    unsigned char hash[SERVE_HASH_SIZE];
    int scope = 0;
    id[0] = '\0';
    if (!hash_text(text, hash)) {
        return 0;
    }
    (void)pthread_rwlock_rdlock(&tokens->lock);
    for (size_t i = 0; i < tokens->count; i++) { /* all of them, whichever it is */
        if (CRYPTO_memcmp(hash, tokens->rows[i].hash, SERVE_HASH_SIZE) == 0) {
            scope = tokens->rows[i].scope;
            memcpy(id, tokens->rows[i].id, SERVE_ID_SIZE);
        }
    }
    (void)pthread_rwlock_unlock(&tokens->lock);
    return scope;
}
