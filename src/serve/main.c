/* main.c: experior-serve, the program behind 'experior serve', 'experior token' and 'experior
 * audit'. That program checks what users type and starts this one, so options here are always
 * "--name value" pairs that are known to be there:
 *
 *     experior-serve serve --listen HOST:PORT --store PLACE …
 *     experior-serve token create|list|revoke --store PLACE …
 *     experior-serve audit --store PLACE */
#include "serve/experiments/audit.h"
#include "serve/log.h"
#include "serve/protocol/http.h"
#include "serve/protocol/tokens.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DONE = 0, NO = 1, BAD = 2, GRACE_SECONDS = 10 };

typedef struct words {
    int count;
    char **word;
} words;

static const char *find(const words *all, const char *name, const char *standard) {
    for (int i = 0; i + 1 < all->count; i++) {
        assert(all->word[i] != NULL);
        if (strcmp(all->word[i], name) == 0) {
            return all->word[i + 1];
        }
    }
    return standard;
}

static int complain(const char *command, const char *message) {
    (void)fprintf(stderr, "experior %s: %s\n", command, message);
    return BAD;
}

static serve_store_options store_options(const words *all, bool create) {
    const char *sync = find(all, "--sync", "full");
    return (serve_store_options){.place = find(all, "--store", ""),
                                 .create = create,
                                 .sync = strcmp(sync, "off") == 0      ? SERVE_SYNC_OFF
                                         : strcmp(sync, "normal") == 0 ? SERVE_SYNC_NORMAL
                                                                       : SERVE_SYNC_FULL};
}

/* Waits for SIGTERM or SIGINT, and does what is due every second. */
static void wait_for_end(serve_http *http, const sigset_t *signals) {
    const struct timespec second = {.tv_sec = 1};
    while (sigtimedwait(signals, NULL, &second) < 0) {
        serve_http_tick(http);
    }
}

static int serve(const words *all) {
    char message[512];
    const serve_store_options store = store_options(all, true);
    const serve_http_options options = {
        .listen = find(all, "--listen", "127.0.0.1:8080"),
        .no_auth = find(all, "--no-auth", NULL) != NULL,
        .max_body = strtoull(find(all, "--max-body", "1048576"), NULL, 10),
        .rate = strtod(find(all, "--rate", "0"), NULL),
        .connections = strtoull(find(all, "--connections", "1024"), NULL, 10),
        .threads = (unsigned)strtoul(find(all, "--threads", "2"), NULL, 10),
        .seconds = (unsigned)strtoul(find(all, "--timeout", "30"), NULL, 10),
        .log_requests = find(all, "--log-requests", NULL) != NULL,
        .store = store};
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* in every thread, before there are any */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    (void)umask(077);
    serve_service *service = serve_service_start(&store, message, sizeof message);
    if (service == NULL) {
        return complain("serve", message);
    }
    serve_http *http = serve_http_start(&options, service, message, sizeof message);
    if (http == NULL) {
        serve_service_stop(service);
        return complain("serve", message);
    }
    wait_for_end(http, &signals);
    serve_log("info", "stopping", NULL);
    serve_http_quiesce(http, GRACE_SECONDS);
    serve_service_stop(service);
    serve_http_stop(http);
    serve_log("info", "stopped", NULL);
    return DONE;
}

static int fail_store(serve_store *store, const char *command) {
    char message[512];
    (void)snprintf(message, sizeof message, "the store cannot be used: %s", store->message);
    store->type->rollback(store);
    return complain(command, message);
}

static bool show_token(void *context, const serve_token *row) {
    (void)context;
    char scope[32];
    serve_text text = {.data = NULL};
    serve_text_time(&text, row->created, false);
    (void)printf("%s  %-11s  %-8s  %s  %s\n", row->id, serve_scope_format(row->scope, scope),
                 row->revoked ? "revoked" : "valid", text.data != NULL ? text.data : "", row->name);
    serve_text_free(&text);
    return true;
}

static int create_token(serve_store *store, const words *all) {
    serve_token row;
    char text[SERVE_TOKEN_SIZE];
    const int scope = serve_scope_parse(find(all, "--scope", "decide"));
    if (scope == 0) {
        return complain("token", "--scope is a list of read, decide and admin");
    }
    if (!serve_token_draw(find(all, "--name", ""), scope, serve_now(), &row, text)) {
        return complain("token", "the system gives no random numbers");
    }
    if (!store->type->begin(store, true) || !store->type->token_add(store, &row) ||
        !store->type->commit(store)) {
        return fail_store(store, "token");
    }
    (void)printf("%s\n", text);
    (void)fprintf(stderr, "the token is shown this once; revoke it as %s\n", row.id);
    return DONE;
}

static int revoke_token(serve_store *store, const words *all) {
    const char *id = find(all, "--id", "");
    bool found;
    if (!store->type->begin(store, true) || !store->type->token_revoke(store, id, &found) ||
        !store->type->commit(store)) {
        return fail_store(store, "token");
    }
    if (!found) {
        char message[128];
        (void)snprintf(message, sizeof message, "there is no valid token '%.40s'", id);
        return complain("token", message);
    }
    return DONE;
}

static int token(const words *all) {
    char message[512];
    const char *what = all->count > 0 ? all->word[0] : "";
    (void)umask(077);
    const serve_store_options options = store_options(all, strcmp(what, "create") == 0);
    serve_store *store = serve_store_open(&options, message, sizeof message);
    if (store == NULL) {
        return complain("token", message);
    }
    int code = BAD;
    if (strcmp(what, "create") == 0) {
        code = create_token(store, all);
    } else if (strcmp(what, "revoke") == 0) {
        code = revoke_token(store, all);
    } else {
        code = store->type->token_each(store, show_token, NULL) ? DONE : fail_store(store, "token");
    }
    store->type->close(store);
    return code;
}

static int audit(const words *all) {
    char message[512];
    const serve_store_options options = store_options(all, false);
    serve_store *store = serve_store_open(&options, message, sizeof message);
    if (store == NULL) {
        return complain("audit", message);
    }
    serve_audit result;
    const bool good = serve_audit_run(store, stdout, &result);
    if (!good) {
        (void)fail_store(store, "audit");
    } else {
        (void)printf("%llu experiments, %llu decisions, %llu rewards; %llu differ\n",
                     (unsigned long long)result.experiments, (unsigned long long)result.decisions,
                     (unsigned long long)result.rewards, (unsigned long long)result.differ);
    }
    store->type->close(store);
    return !good ? BAD : result.differ > 0 ? NO : DONE;
}

int main(int count, char **argv) {
    const words rest = {.count = count - 2, .word = argv + 2};
    if (count >= 2 && strcmp(argv[1], "serve") == 0) {
        return serve(&rest);
    }
    if (count >= 2 && strcmp(argv[1], "token") == 0) {
        return token(&rest);
    }
    if (count >= 2 && strcmp(argv[1], "audit") == 0) {
        return audit(&rest);
    }
    (void)fputs("usage: experior-serve serve|token|audit … ('experior' runs it)\n", stderr);
    return BAD;
}
