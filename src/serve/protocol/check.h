/* check.h: may this request be answered at all: where it comes from, whose token it has, how often
 * it asks. */
#ifndef XP_SERVE_PROTOCOL_CHECK_H
#define XP_SERVE_PROTOCOL_CHECK_H

#include "serve/protocol/limits.h"
#include "serve/protocol/routes.h"
#include "serve/protocol/tokens.h"

#include <microhttpd.h>

typedef struct serve_check {
    bool no_auth;
    serve_tokens *tokens;
    serve_rate *rate;   /* of requests */
    serve_rate *failed; /* of tokens that are none */
} serve_check;

bool serve_check_init(serve_check *check, bool no_auth, double rate);
void serve_check_deinit(serve_check *check);
/* False, and the problem, if not. */
bool serve_check_request(serve_check *check, struct MHD_Connection *connection,
                         const serve_route *route, serve_problem *problem);

/* Whether a Host header names this machine itself: a page from elsewhere whose name was made to
 * point here names another. */
bool serve_host_is_local(const char *host);
/* Whether an Origin header ("http://host:port") is the Host's own. */
bool serve_origin_is_own(const char *origin, const char *host);

#endif
