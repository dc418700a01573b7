/* problem.h: how a command on an experiment ends. */
#ifndef XP_SERVE_EXPERIMENTS_PROBLEM_H
#define XP_SERVE_EXPERIMENTS_PROBLEM_H

typedef enum serve_outcome {
    SERVE_DONE,
    SERVE_REFUSED, /* nothing was written; the problem says why */
    SERVE_BROKEN,  /* the store failed: the group is rolled back */
} serve_outcome;

typedef struct serve_problem {
    int code; /* as in HTTP: 400 bad request, 404 unknown, 409 conflict, 500 */
    char text[640];
} serve_problem;

/* Fills the problem and returns SERVE_REFUSED. */
serve_outcome serve_refuse(serve_problem *problem, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
