/* http.h: HTTP on libmicrohttpd: connections, checks, answers.
 *
 * A request is checked when its headers are there (Host, Origin, route, token, rate, size), its
 * body is collected up to a limit, and it becomes a job for the writer; the connection sleeps until
 * the job is done. */
#ifndef XP_SERVE_PROTOCOL_HTTP_H
#define XP_SERVE_PROTOCOL_HTTP_H

#include "serve/service.h"

typedef struct serve_http_options {
    const char *listen; /* "127.0.0.1:8080", "[::1]:8080"; port 0: any */
    bool no_auth;
    size_t max_body;
    double rate; /* requests per second and client; 0: no limit */
    size_t connections;
    unsigned threads;
    unsigned seconds; /* for a request to arrive */
    bool log_requests;
    serve_store_options store; /* for tokens and exports */
} serve_http_options;

typedef struct serve_http serve_http;

serve_http *serve_http_start(const serve_http_options *options, serve_service *service,
                             char *message, size_t room);
/* Once per second: tokens are read again, slow clients are cut off. */
void serve_http_tick(serve_http *http);
/* No new connections; waits until what is under way is answered, at most so many seconds. */
void serve_http_quiesce(serve_http *http, unsigned seconds);
void serve_http_stop(serve_http *http);

#endif
