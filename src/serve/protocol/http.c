/* http.c: requests from their first byte to their answer. */
#include "serve/protocol/http.h"

#include "base/text/scan.h"
#include "serve/log.h"
#include "serve/protocol/check.h"
#include "serve/protocol/export.h"
#include "serve/protocol/limits.h"
#include "serve/protocol/metrics.h"
#include "serve/protocol/tokens.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 8 * 1024, /* libmicrohttpd clears as many per request */
    IDLE_SECONDS = 75,       /* between two requests */
    ANSWER_SECONDS = 600,    /* to read an answer: an export may be long */
    DRAIN_BYTES = 16 << 20,  /* of a body that is too large */
    LONGEST_TARGET = 4096,   /* path and query */
    MOST_ARGUMENTS = 16,     /* in a query */
    OVER_CONNECTIONS = 256,  /* that are told that there are too many; others are closed at once */
    OVER_SECONDS = 5         /* for those to ask and be told */
};

struct serve_http {
    serve_http_options options;
    serve_service *service;
    struct MHD_Daemon *daemon;
    MHD_socket listener; /* once it is quiet */
    serve_check check;
    serve_metrics *metrics;
    serve_guests *guests;
    serve_store *store; /* for the tokens; belongs to the thread that ticks */
    atomic_uint active; /* requests under way */
    atomic_bool quiet;  /* shutting down */
};

typedef struct request {
    serve_http *http;
    struct MHD_Connection *connection;
    serve_guest *guest;
    const serve_route *route;
    int64_t started;
    bool headers, submitted, too_large, odd;
    size_t received; /* bytes of the body */
    atomic_bool finished;
    serve_text body;
    serve_job job;
    int code;
} request;

static enum MHD_Result send_response(request *self, struct MHD_Response *response, int code,
                                     const char *type, bool page) {
    if (response == NULL) {
        return MHD_NO;
    }
    self->code = code;
    (void)MHD_add_response_header(response, "Content-Type", type);
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (page) {
        (void)MHD_add_response_header(
            response, "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        (void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
        (void)MHD_add_response_header(response, "Cache-Control", "no-cache");
    } else {
        (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    }
    if (code == 401) {
        (void)MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    } else if (code == 429 || code == 503) {
        (void)MHD_add_response_header(response, "Retry-After", "1");
    }
    if (serve_guest_is_over(self->guest) || atomic_load(&self->http->quiet)) {
        (void)MHD_add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result result = MHD_queue_response(self->connection, (unsigned)code, response);
    MHD_destroy_response(response);
    return result;
}

/* An answer of JSON; the text is handed over. */
static enum MHD_Result send_text(request *self, int code, serve_text *text, const char *type) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(text->length, text->data, MHD_RESPMEM_MUST_FREE);
    if (response != NULL) {
        *text = (serve_text){.data = NULL};
    }
    return send_response(self, response, code, type, false);
}

static enum MHD_Result send_problem(request *self, const serve_problem *problem,
                                    const char *allowed) {
    serve_text text = {.data = NULL};
    serve_text_add(&text, "{\"error\":");
    serve_text_json(&text, problem->text);
    serve_text_add(&text, "}\n");
    if (text.failed) {
        serve_text_free(&text);
        return MHD_NO;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(text.length, text.data, MHD_RESPMEM_MUST_FREE);
    if (response != NULL && allowed != NULL) {
        (void)MHD_add_response_header(response, "Allow", allowed);
    }
    return send_response(self, response, problem->code, "application/json", false);
}

/* Called by the writer. */
static void job_done(serve_job *job) {
    request *self = job->context;
    atomic_store(&self->finished, true);
    MHD_resume_connection(self->connection);
}

static ssize_t read_export(void *context, uint64_t position, char *buffer, size_t room) {
    (void)position;
    const ssize_t count = serve_export_read(context, buffer, room);
    return count > 0    ? count
           : count == 0 ? MHD_CONTENT_READER_END_OF_STREAM
                        : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void close_export(void *context) {
    serve_export_close(context);
}

static enum MHD_Result start_export(request *self) {
    serve_problem problem;
    serve_export *rows = serve_export_open(&self->http->options.store, self->job.id, &problem);
    if (rows == NULL) {
        return send_problem(self, &problem, NULL);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 64 * 1024, read_export, rows, close_export);
    if (response == NULL) {
        serve_export_close(rows);
        return MHD_NO;
    }
    (void)MHD_add_response_header(response, "Content-Disposition",
                                  "attachment; filename=\"decisions.csv\"");
    return send_response(self, response, 200, "text/csv; charset=utf-8", false);
}

static enum MHD_Result start_job(request *self) {
    serve_problem problem;
    const char *segment =
        MHD_lookup_connection_value(self->connection, MHD_GET_ARGUMENT_KIND, "segment");
    if (self->route->read(self->body.data, self->body.length, &self->job, &problem) != SERVE_DONE) {
        return send_problem(self, &problem, NULL);
    }
    if (segment != NULL && self->route->job == &serve_job_show) {
        if (segment[0] == '\0') {
            (void)serve_refuse(&problem, 400, "segment: the name of a segment is not empty");
            return send_problem(self, &problem, NULL);
        }
        self->job.segment = strdup(segment);
    }
    self->job.type = self->route->job;
    self->job.done = job_done;
    self->job.context = self;
    self->submitted = true;
    MHD_suspend_connection(self->connection);
    serve_service_submit(self->http->service, &self->job);
    return MHD_YES;
}

/* The whole request is there. */
static enum MHD_Result answer(request *self) {
    serve_http *http = self->http;
    serve_text text = {.data = NULL};
    serve_problem problem;
    if (self->too_large || self->body.failed) {
        (void)serve_refuse(&problem, 413, "the body has more than %zu bytes",
                           http->options.max_body);
        return send_problem(self, &problem, NULL);
    }
    const bool ready =
        atomic_load(&serve_service_figures(http->service)->ready) && !atomic_load(&http->quiet);
    switch (self->route->kind) {
    case SERVE_ROUTE_JOB:
        return start_job(self);
    case SERVE_ROUTE_EXPORT:
        return start_export(self);
    case SERVE_ROUTE_HEALTH:
        serve_text_add(&text, "{\"status\":\"alive\"}\n");
        break;
    case SERVE_ROUTE_READY:
        serve_text_add(&text, ready ? "{\"status\":\"ready\"}\n"
                                    : "{\"error\":\"the store failed, or the service stops\"}\n");
        return send_text(self, ready ? 200 : 503, &text, "application/json");
    case SERVE_ROUTE_METRICS:
        serve_metrics_write(http->metrics, serve_service_figures(http->service),
                            serve_guests_count(http->guests), &text);
        return send_text(self, 200, &text, "text/plain; version=0.0.4; charset=utf-8");
    case SERVE_ROUTE_ASSET: {
        const serve_asset *asset = self->route->asset;
        return send_response(self,
                             MHD_create_response_from_buffer(*asset->bytes, (void *)asset->data,
                                                             MHD_RESPMEM_PERSISTENT),
                             200, asset->type, true);
    }
    }
    return send_text(self, 200, &text, "application/json");
}

/* The headers are there: may it go on? */
static enum MHD_Result begin(request *self, const char *url, const char *method) {
    serve_http *http = self->http;
    serve_problem problem;
    char allowed[64];
    serve_guests_allow(http->guests, self->guest,
                       self->started + (int64_t)http->options.seconds * 1000000);
    if (serve_guest_is_over(self->guest)) {
        (void)serve_refuse(&problem, 503, "there are too many connections");
        return send_problem(self, &problem, NULL);
    }
    if (self->odd || strlen(url) > 1024) {
        (void)serve_refuse(&problem, 400,
                           "the path or the query is too long, or has a zero byte or too many "
                           "arguments");
        return send_problem(self, &problem, NULL);
    }
    self->route = serve_route_find(method, url, self->job.id, allowed, sizeof allowed);
    if (self->route == NULL) {
        if (allowed[0] != '\0') {
            (void)serve_refuse(&problem, 405, "this path has %s, not %.16s", allowed, method);
            return send_problem(self, &problem, allowed);
        }
        (void)serve_refuse(&problem, 404,
                           "there is nothing here; GET /openapi.json lists what "
                           "there is");
        return send_problem(self, &problem, NULL);
    }
    if (!serve_check_request(&http->check, self->connection, self->route, &problem)) {
        return send_problem(self, &problem, NULL);
    }
    const char *length =
        MHD_lookup_connection_value(self->connection, MHD_HEADER_KIND, "Content-Length");
    if (length != NULL && strtoull(length, NULL, 10) > http->options.max_body + DRAIN_BYTES) {
        (void)serve_refuse(&problem, 413, "the body has %.20s bytes, more than %zu", length,
                           http->options.max_body);
        return send_problem(self, &problem, NULL);
    }
    return MHD_YES;
}

/* Collects the body. One that is too large is read on for a while, so that its sender stops sending
 * and reads the answer, and then cut off. */
static enum MHD_Result collect(request *self, const char *data, size_t bytes) {
    self->received += bytes;
    if (self->received > self->http->options.max_body) {
        self->too_large = true;
        serve_text_free(&self->body);
        return self->received > self->http->options.max_body + DRAIN_BYTES ? MHD_NO : MHD_YES;
    }
    serve_text_add_bytes(&self->body, data, bytes);
    return MHD_YES;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *bytes, void **own) {
    (void)context, (void)version;
    request *self = *own;
    if (self == NULL) {
        return MHD_NO; /* no memory */
    }
    if (!self->headers) {
        self->headers = true;
        self->connection = connection;
        return begin(self, url, method);
    }
    if (*bytes > 0) {
        const enum MHD_Result result = collect(self, data, *bytes);
        *bytes = 0;
        return result;
    }
    if (self->submitted) {
        if (!atomic_load(&self->finished)) {
            return MHD_YES;
        }
        return send_text(self, self->job.code, &self->job.answer, "application/json");
    }
    return answer(self);
}

/* libmicrohttpd 0.9.75 forgets about a connection whose query leaves too little memory for its
 * arguments: neither an answer nor an end. So such a query is cut off before it is looked at. */
static bool cut_query(const char *uri) {
    char *query = strchr(uri, '?'); /* in a buffer that libmicrohttpd writes to as well */
    size_t arguments = 1;
    for (const char *c = query; c != NULL && *c != '\0'; c++) {
        arguments += *c == '&';
    }
    if (arguments <= MOST_ARGUMENTS && strlen(uri) <= LONGEST_TARGET) {
        return false;
    }
    if (query != NULL) {
        query[1] = '\0';
    }
    return true;
}

/* A request line arrived: the request begins. */
static void *arrive(void *context, const char *uri, struct MHD_Connection *connection) {
    serve_http *http = context;
    request *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    self->http = http;
    self->guest = info != NULL ? info->socket_context : NULL;
    self->started = serve_ticks();
    self->odd = cut_query(uri) || strstr(uri, "%00") != NULL;
    atomic_fetch_add(&http->active, 1);
    return self;
}

static void complete(void *context, struct MHD_Connection *connection, void **own,
                     enum MHD_RequestTerminationCode how) {
    (void)connection, (void)how;
    serve_http *http = context;
    request *self = *own;
    if (self == NULL) {
        return;
    }
    const int64_t now = serve_ticks();
    if (self->code != 0) {
        serve_metrics_count(http->metrics, self->route, self->code, now - self->started);
    }
    if (http->options.log_requests || self->code == 500) {
        char code[16], time[32];
        (void)snprintf(code, sizeof code, "%d", self->code);
        (void)snprintf(time, sizeof time, "%.3f", (double)(now - self->started) * 1e-3);
        serve_log(self->code >= 500 ? "error" : "info", "request", "method",
                  self->route != NULL ? self->route->method : "", "route",
                  self->route != NULL ? self->route->path : "", "code", code, "ms", time, NULL);
    }
    serve_guests_allow(http->guests, self->guest, now + (int64_t)IDLE_SECONDS * 1000000);
    serve_job_deinit(&self->job);
    serve_text_free(&self->body);
    free(self);
    *own = NULL;
    atomic_fetch_sub(&http->active, 1);
}

static void connect_or_leave(void *context, struct MHD_Connection *connection, void **guest,
                             enum MHD_ConnectionNotificationCode what) {
    serve_http *http = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        const int64_t now = serve_ticks();
        *guest = info != NULL ? serve_guests_enter(http->guests, info->connect_fd,
                                                   now + (int64_t)http->options.seconds * 1000000)
                              : NULL;
        if (*guest != NULL && serve_guest_is_over(*guest)) {
            serve_guests_allow(http->guests, *guest, now + (int64_t)OVER_SECONDS * 1000000);
        }
    } else {
        serve_guests_leave(http->guests, *guest);
        *guest = NULL;
    }
}

/* Whether a connection that comes is let in at all. Without this, those beyond the limit would wait
 * until others leave, and not know why. */
static enum MHD_Result let_in(void *context, const struct sockaddr *address, socklen_t bytes) {
    (void)address, (void)bytes;
    const serve_http *http = context;
    return serve_guests_count(http->guests) < http->options.connections + OVER_CONNECTIONS ? MHD_YES
                                                                                           : MHD_NO;
}

static void say(void *context, const char *format, va_list values) {
    (void)context, (void)format, (void)values; /* what clients do wrong is no news */
}

/* getaddrinfo takes larger numbers too, modulo 65536. */
static bool is_port(const char *text) {
    uint64_t port;
    return xp__scan_whole(text, strlen(text), 65535, &port);
}

static struct addrinfo *find_address(const char *listen, char *message, size_t room) {
    char host[256];
    const char *colon = strrchr(listen, ':');
    const size_t length = colon != NULL ? (size_t)(colon - listen) : 0;
    const bool bracketed = length > 2 && listen[0] == '[' && listen[length - 1] == ']';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (length == 0 || length >= sizeof host || !is_port(colon + 1) ||
        (!bracketed && memchr(listen, ':', length) != NULL)) {
        (void)snprintf(message, room, "'%.80s' is not HOST:PORT", listen);
        return NULL;
    }
    (void)snprintf(host, sizeof host, "%.*s", (int)(length - (bracketed ? 2 : 0)),
                   listen + (bracketed ? 1 : 0));
    const int code = getaddrinfo(host, colon + 1, &hints, &found);
    if (code != 0) {
        (void)snprintf(message, room, "'%.80s' cannot be listened on: %s", listen,
                       gai_strerror(code));
        return NULL;
    }
    return found;
}

static bool is_loopback(const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        return (ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >>
                24) == 127;
    }
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

/* As many descriptors as the system allows, and no more connections than fit into them. */
static size_t fit_connections(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t spare = 2 * OVER_CONNECTIONS + 64;
    return limit.rlim_cur > spare && limit.rlim_cur - spare < wanted ? limit.rlim_cur - spare
                                                                     : wanted;
}

static bool start_daemon(serve_http *http, const struct addrinfo *address, char *message,
                         size_t room) {
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                           MHD_USE_ERROR_LOG | MHD_USE_TURBO |
                           (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    struct MHD_OptionItem pool[] = {{MHD_OPTION_END, 0, NULL}, {MHD_OPTION_END, 0, NULL}};
    if (http->options.threads > 1) {
        pool[0] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE,
                                          (intptr_t)http->options.threads, NULL};
    }
    http->daemon = MHD_start_daemon(
        flags, 0, let_in, http, handle, http, MHD_OPTION_EXTERNAL_LOGGER, say, NULL,
        MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_URI_LOG_CALLBACK, arrive, http,
        MHD_OPTION_NOTIFY_COMPLETED, complete, http, MHD_OPTION_NOTIFY_CONNECTION, connect_or_leave,
        http, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(http->options.connections + 2 * OVER_CONNECTIONS),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096U, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
    if (http->daemon == NULL) {
        (void)snprintf(message, room, "'%.80s' cannot be listened on; is the port taken?",
                       http->options.listen);
    }
    return http->daemon != NULL;
}

static void tell_address(serve_http *http) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    const char *colon = strrchr(http->options.listen, ':');
    char address[300];
    (void)snprintf(address, sizeof address, "%.*s:%u", (int)(colon - http->options.listen),
                   http->options.listen, info != NULL ? info->port : 0);
    serve_log("info", "listening", "address", address, "tokens",
              http->options.no_auth ? "not asked for" : "required", NULL);
}

static void free_http(serve_http *http) {
    if (http->store != NULL) {
        http->store->type->close(http->store);
    }
    serve_check_deinit(&http->check);
    serve_metrics_destroy(http->metrics);
    serve_guests_destroy(http->guests);
    free(http);
}

serve_http *serve_http_start(const serve_http_options *options, serve_service *service,
                             char *message, size_t room) {
    struct addrinfo *address = find_address(options->listen, message, room);
    if (address == NULL) {
        return NULL;
    }
    const bool local = is_loopback(address->ai_addr);
    if (options->no_auth && !local) {
        (void)snprintf(message, room,
                       "--no-auth is for loopback addresses only, and '%.80s' is none; make tokens "
                       "with 'experior token create'",
                       options->listen);
        freeaddrinfo(address);
        return NULL;
    }
    serve_http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        freeaddrinfo(address);
        (void)snprintf(message, room, "out of memory");
        return NULL;
    }
    http->options = *options;
    http->options.connections = fit_connections(options->connections);
    http->options.store.create = false;
    http->service = service;
    http->listener = MHD_INVALID_SOCKET;
    http->metrics = serve_metrics_create();
    http->guests = serve_guests_create(http->options.connections);
    http->store = serve_store_open(&http->options.store, message, room);
    const bool good = serve_check_init(&http->check, options->no_auth, options->rate) &&
                      http->metrics != NULL && http->guests != NULL && http->store != NULL &&
                      serve_tokens_load(http->check.tokens, http->store) &&
                      start_daemon(http, address, message, room);
    freeaddrinfo(address);
    if (!good) {
        free_http(http);
        return NULL;
    }
    tell_address(http);
    return http;
}

void serve_http_tick(serve_http *http) {
    char message[256];
    if (http->store == NULL) {
        http->store = serve_store_open(&http->options.store, message, sizeof message);
    }
    if (http->store != NULL && !serve_tokens_load(http->check.tokens, http->store)) {
        http->store->type->close(http->store); /* those that were read last still hold */
        http->store = NULL;
    }
    (void)serve_guests_sweep(http->guests, serve_ticks());
}

void serve_http_quiesce(serve_http *http, unsigned seconds) {
    atomic_store(&http->quiet, true);
    http->listener = MHD_quiesce_daemon(http->daemon); /* ours from now on */
    const int64_t end = serve_ticks() + (int64_t)seconds * 1000000;
    while (atomic_load(&http->active) > 0 && serve_ticks() < end) {
        (void)usleep(5000);
    }
}

void serve_http_stop(serve_http *http) {
    MHD_stop_daemon(http->daemon);
    if (http->listener != MHD_INVALID_SOCKET) {
        (void)close(http->listener);
    }
    free_http(http);
}
