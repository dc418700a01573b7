/* tokens.h: who may do what. A token is random, is shown once, and is stored as its SHA-256. */
#ifndef XP_SERVE_PROTOCOL_TOKENS_H
#define XP_SERVE_PROTOCOL_TOKENS_H

#include "serve/stores/store.h"

/* Scopes, as bits. */
enum { SERVE_MAY_READ = 1, SERVE_MAY_DECIDE = 2, SERVE_MAY_ADMIN = 4 };
enum { SERVE_TOKEN_SIZE = 96 };

/* Scopes from "read,decide"; 0 if a word is none of read, decide and admin. admin may do all. */
int serve_scope_parse(const char *text);
/* And back; `room` has 32 bytes. */
const char *serve_scope_format(int scope, char *room);

/* Makes a token: the row to store, and the text to show once. */
bool serve_token_draw(const char *name, int scope, int64_t now, serve_token *row, char *text);

typedef struct serve_tokens serve_tokens;

serve_tokens *serve_tokens_create(void);
void serve_tokens_destroy(serve_tokens *tokens);
/* Reads those of the store; any thread may look them up meanwhile. */
bool serve_tokens_load(serve_tokens *tokens, serve_store *store);
/* The scope of a token, and its id (SERVE_ID_SIZE bytes); 0 if it is unknown or revoked. Takes as
 * long for every text of the same length. */
int serve_tokens_find(serve_tokens *tokens, const char *text, char *id);

#endif
