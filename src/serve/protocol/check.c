/* check.c: Host, Origin, tokens and rates. */
#include "serve/protocol/check.h"

#include "serve/log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FAILED_PER_SECOND = 10 };

bool serve_check_init(serve_check *check, bool no_auth, double rate) {
    *check = (serve_check){.no_auth = no_auth,
                           .tokens = serve_tokens_create(),
                           .rate = serve_rate_create(rate),
                           .failed = serve_rate_create(FAILED_PER_SECOND)};
    return check->tokens != NULL && check->rate != NULL && check->failed != NULL;
}

void serve_check_deinit(serve_check *check) {
    serve_tokens_destroy(check->tokens);
    serve_rate_destroy(check->rate);
    serve_rate_destroy(check->failed);
}

bool serve_host_is_local(const char *host) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) == 0) {
            const char *rest = host + length;
            const size_t digits = *rest == ':' ? strspn(rest + 1, "0123456789") : 0;
            return *rest == '\0' || (digits > 0 && rest[1 + digits] == '\0');
        }
    }
    return false;
}

bool serve_origin_is_own(const char *origin, const char *host) {
    const char *rest = strncasecmp(origin, "http://", 7) == 0    ? origin + 7
                       : strncasecmp(origin, "https://", 8) == 0 ? origin + 8
                                                                 : NULL;
    return rest != NULL && host != NULL && strcasecmp(rest, host) == 0;
}

static void find_client(struct MHD_Connection *connection, char *text, size_t room) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info != NULL ? info->client_addr : NULL;
    text[0] = '\0';
    if (address != NULL && address->sa_family == AF_INET) {
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
                        text, (socklen_t)room);
    } else if (address != NULL && address->sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
                        text, (socklen_t)room);
    }
}

/* No web page from elsewhere may ask, whatever it asks for. */
static bool check_origin(const serve_check *check, struct MHD_Connection *connection,
                         const serve_route *route, serve_problem *problem) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if (check->no_auth && (host == NULL || !serve_host_is_local(host))) {
        (void)serve_refuse(problem, 403,
                           "the Host header does not name this machine; without tokens "
                           "the service answers on loopback only");
        return false;
    }
    const bool elsewhere = (origin != NULL && !serve_origin_is_own(origin, host)) ||
                           (site != NULL && strcmp(site, "same-origin") != 0 &&
                            strcmp(site, "none") != 0 && route->kind != SERVE_ROUTE_ASSET);
    if (elsewhere) {
        (void)serve_refuse(problem, 403, "a web page from elsewhere may not ask this service");
    }
    return !elsewhere;
}

static bool check_token(serve_check *check, struct MHD_Connection *connection,
                        const serve_route *route, char *name, serve_problem *problem) {
    const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    char id[SERVE_ID_SIZE];
    const bool bearer = header != NULL && strncasecmp(header, "Bearer ", 7) == 0;
    const int scope = bearer && strlen(header) < 7 + SERVE_TOKEN_SIZE
                          ? serve_tokens_find(check->tokens, header + 7, id)
                          : 0;
    if (scope == 0) {
        if (header != NULL && !serve_rate_take(check->failed, name, serve_ticks())) {
            (void)serve_refuse(problem, 429, "too many requests with a wrong token");
            return false;
        }
        if (header != NULL) {
            serve_log("warning", "token_refused", "client", name, NULL);
        }
        (void)serve_refuse(problem, 401,
                           header == NULL ? "a token is needed: Authorization: Bearer TOKEN"
                                          : "the token is unknown or revoked");
        return false;
    }
    (void)snprintf(name, 64, "%s", id);
    if ((scope & route->scope) == 0) {
        (void)serve_refuse(problem, 403, "the token may not do this; it lacks the scope '%s'",
                           route->scope == SERVE_MAY_READ     ? "read"
                           : route->scope == SERVE_MAY_DECIDE ? "decide"
                                                              : "admin");
        return false;
    }
    return true;
}

bool serve_check_request(serve_check *check, struct MHD_Connection *connection,
                         const serve_route *route, serve_problem *problem) {
    char name[64]; /* whom the rate is counted for */
    if (!check_origin(check, connection, route, problem)) {
        return false;
    }
    if (route->scope == 0) {
        return true;
    }
    find_client(connection, name, sizeof name);
    if (!check->no_auth && !check_token(check, connection, route, name, problem)) {
        return false;
    }
    if (!serve_rate_take(check->rate, name, serve_ticks())) {
        (void)serve_refuse(problem, 429, "too many requests per second");
        return false;
    }
    return true;
}
