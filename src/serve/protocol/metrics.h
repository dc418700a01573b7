/* metrics.h: what the service counts, in the text format of Prometheus. */
#ifndef XP_SERVE_PROTOCOL_METRICS_H
#define XP_SERVE_PROTOCOL_METRICS_H

#include "serve/protocol/routes.h"

typedef struct serve_metrics serve_metrics;

serve_metrics *serve_metrics_create(void);
void serve_metrics_destroy(serve_metrics *metrics);
/* A request was answered; `route` is NULL where there was none. */
void serve_metrics_count(serve_metrics *metrics, const serve_route *route, int code,
                         int64_t microseconds);
/* The text. */
void serve_metrics_write(serve_metrics *metrics, serve_figures *figures, size_t connections,
                         serve_text *text);

#endif
