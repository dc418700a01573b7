/* log.c: one line of JSON per event, each written by one call so that lines stay whole. */
#include "serve/log.h"

#include "serve/service.h"
#include "serve/text.h"

#include <stdarg.h>
#include <unistd.h>

void serve_log(const char *level, const char *event, ...) {
    serve_text line = {.data = NULL};
    serve_text_add(&line, "{\"time\":");
    serve_text_time(&line, serve_now(), true);
    serve_text_format(&line, ",\"level\":\"%s\",\"event\":\"%s\"", level, event);
    va_list pairs;
    va_start(pairs, event);
    const char *name;
    while ((name = va_arg(pairs, const char *)) != NULL) {
        serve_text_format(&line, ",\"%s\":", name);
        serve_text_json(&line, va_arg(pairs, const char *));
    }
    va_end(pairs);
    serve_text_add(&line, "}\n");
    if (!line.failed && write(STDERR_FILENO, line.data, line.length) < 0) {
        /* nobody listens */
    }
    serve_text_free(&line);
}
