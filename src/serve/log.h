/* log.h: what happened, as one line of JSON each on standard error. Never tokens, labels or bodies.
 */
#ifndef XP_SERVE_LOG_H
#define XP_SERVE_LOG_H

/* Writes a line; pairs of name and text follow, then NULL. Any thread. */
void serve_log(const char *level, const char *event, ...) __attribute__((sentinel));

#endif
