/* body.h: the bodies of requests, from JSON to jobs. Every key and type is checked: what is unknown
 * is refused with a sentence that names it. */
#ifndef XP_SERVE_PROTOCOL_BODY_H
#define XP_SERVE_PROTOCOL_BODY_H

#include "serve/service.h"

/* Each reads a body of `bytes` bytes into the job, which is deinited by its owner either way. An
 * empty body stands for {}. Returns SERVE_DONE or SERVE_REFUSED. */
serve_outcome serve_body_create(const char *body, size_t bytes, serve_job *job,
                                serve_problem *problem);
serve_outcome serve_body_decide(const char *body, size_t bytes, serve_job *job,
                                serve_problem *problem);
serve_outcome serve_body_rewards(const char *body, size_t bytes, serve_job *job,
                                 serve_problem *problem);
serve_outcome serve_body_arms(const char *body, size_t bytes, serve_job *job,
                              serve_problem *problem);
/* A body without keys. */
serve_outcome serve_body_empty(const char *body, size_t bytes, serve_job *job,
                               serve_problem *problem);

#endif
