/* routes.h: every route of the service: one table. */
#ifndef XP_SERVE_PROTOCOL_ROUTES_H
#define XP_SERVE_PROTOCOL_ROUTES_H

#include "serve/protocol/body.h"

typedef enum serve_kind {
    SERVE_ROUTE_JOB,     /* the writer answers */
    SERVE_ROUTE_EXPORT,  /* a stream of lines */
    SERVE_ROUTE_HEALTH,  /* the process lives */
    SERVE_ROUTE_READY,   /* the store works */
    SERVE_ROUTE_METRICS, /* for Prometheus */
    SERVE_ROUTE_ASSET,   /* a file that is part of the program */
} serve_kind;

typedef struct serve_asset {
    const char *type; /* of its content */
    const unsigned char *data;
    const size_t *bytes;
} serve_asset;

typedef struct serve_route {
    const char *method, *path; /* '*' stands for the id of an experiment */
    serve_kind kind;
    int scope; /* SERVE_MAY_…; 0: anybody */
    const serve_job_type *job;
    serve_outcome (*read)(const char *body, size_t bytes, serve_job *job, serve_problem *problem);
    const serve_asset *asset;
} serve_route;

extern const serve_route serve_routes[];
extern const size_t serve_route_count;

/* The route of a request, with its id (SERVE_ID_SIZE bytes, or ""). NULL if there is none:
 * `allowed` then names the methods that the path has, or is empty. HEAD is as GET. */
const serve_route *serve_route_find(const char *method, const char *path, char *id, char *allowed,
                                    size_t room);

#endif
