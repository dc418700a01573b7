/* export.h: the decisions of an experiment as CSV, read from the store page by page. */
#ifndef XP_SERVE_PROTOCOL_EXPORT_H
#define XP_SERVE_PROTOCOL_EXPORT_H

#include "serve/experiments/decide.h"
#include "serve/text.h"

#include <sys/types.h>

typedef struct serve_export serve_export;

/* NULL, and the problem, if there is no such experiment or the store cannot be read. */
serve_export *serve_export_open(const serve_store_options *store, const char *id,
                                serve_problem *problem);
void serve_export_close(serve_export *self);
/* Copies the next bytes, at most `room`: their number, 0 at the end, -1 on failure. */
ssize_t serve_export_read(serve_export *self, char *buffer, size_t room);

#endif
