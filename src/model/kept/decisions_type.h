/* decisions_type.h: what a kept state is made of.
 *
 * Invariants: `pending` is in the order of its ids, which are from 1 to next - 1, each once; its
 * actions exist. There is one part per learner: the first is that of the overall prior, and every
 * segment that was asked for has one. A part that was not looked at since it was read is only
 * bytes. */
#ifndef XP_MODEL_KEPT_DECISIONS_TYPE_H
#define XP_MODEL_KEPT_DECISIONS_TYPE_H

#include "experior/decisions.h"

enum { XP__PENDING_MOST = 1000000, XP__PARTS_MOST = 65536 };

/* A learner: a session, or the bytes of one that nobody has asked for yet. */
typedef struct xp__decisions_part {
    char *name;          /* of the segment; empty: the overall prior's */
    xp_session *session; /* NULL: see bytes */
    unsigned char *bytes;
    size_t size;
} xp__decisions_part;

/* A decision without a reward. */
typedef struct xp__pending {
    uint64_t id;
    double probability, time;
    uint32_t action;
    uint32_t part;
    bool marked; /* named by the call under way */
} xp__pending;

struct xp_decisions {
    char *path; /* with links resolved */
    int lock;   /* -1: none is held */
    const xp_model *model;
    uint64_t fingerprint; /* of the model */
    uint64_t seed, next;
    uint64_t rewards; /* observed, in all parts */
    xp__decisions_part *parts;
    size_t part_count, part_room;
    size_t part; /* the one that is asked for the law and draws */
    xp__pending *pending;
    size_t pending_count, pending_room;
    bool created, read_only;
};

/* Fills a zeroed object, whose path, model and fingerprint are set, with what the file holds. */
xp_status xp__decisions_parse(xp_decisions *decisions, const void *data, size_t bytes,
                              xp_error *error);
/* The bytes of the file, for xp__free. */
xp_status xp__decisions_to_bytes(const xp_decisions *decisions, void **data, size_t *bytes,
                                 xp_error *error);
/* A part of that name, which is copied, with neither session nor bytes, after the others. */
xp_status xp__decisions_add_part(xp_decisions *decisions, const char *name, size_t length,
                                 xp_error *error);
/* xp_decisions_observe; `*at` is the first entry that was refused, or `count`. */
xp_status xp__decisions_observe(xp_decisions *decisions, const uint64_t *ids, const double *rewards,
                                size_t count, size_t *at, xp_error *error);

#endif
