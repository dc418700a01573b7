/* audit.h: every decision of a store, computed again from its models and rewards. */
#ifndef XP_SERVE_EXPERIMENTS_AUDIT_H
#define XP_SERVE_EXPERIMENTS_AUDIT_H

#include "serve/experiments/decide.h"

#include <stdio.h>

typedef struct serve_audit {
    uint64_t experiments, decisions, rewards;
    uint64_t differ; /* decisions and counts that are not what the store says */
} serve_audit;

/* Goes through the store, one line to `out` for each that differs. False if the store failed. */
bool serve_audit_run(serve_store *store, FILE *out, serve_audit *result);

#endif
