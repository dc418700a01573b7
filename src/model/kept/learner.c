/* learner.c: see learner.h. The first byte says which form follows. */
#include "model/kept/learner.h"

#include "base/archive.h"
#include "base/memory.h"
#include "model/session_type.h"
#include "sampler/sampler_type.h"

#include <string.h>

enum { SESSION = 's', COUNTS = 'c', SPEC_MOST = 4096 };

static const xp_sampler *sampler_of(const xp_session *session) {
    const xp__agent *agent = session->agent;
    return agent->type->sampler != NULL ? agent->type->sampler(agent) : NULL;
}

bool xp__learner_is_counts(const xp_session *session) {
    const xp_sampler *sampler = sampler_of(session);
    return sampler != NULL && sampler->prior->reward.type == &xp__reward_bernoulli &&
           (sampler->type->kind == XP_SAMPLER_COMPUTED ||
            sampler->type->kind == XP_SAMPLER_INDEPENDENT);
}

/* Rewards of an arm, and how many of them were 1. */
typedef struct count {
    uint64_t trials, successes;
} count;

/* The walk over the second form: the agent's spec and the counts. */
static void walk(xp__archive *archive, size_t *length, char *spec, count *counts, size_t arms) {
    const uint64_t most = UINT64_C(1) << 40;
    xp__archive_size(archive, length, SPEC_MOST);
    xp__archive_bytes(archive, spec, *length);
    for (size_t arm = 0; arm < arms; arm++) {
        xp__archive_number(archive, &counts[arm].trials, most);
        xp__archive_number(archive, &counts[arm].successes, most);
        xp__archive_check(archive, counts[arm].successes <= counts[arm].trials,
                          "an arm has more successes than rewards");
    }
}

static xp_status write_counts(const xp_session *session, unsigned char **data, size_t *bytes,
                              xp_error *error) {
    const xp_sampler *sampler = sampler_of(session);
    count *counts = xp__alloc(sampler->arms, sizeof *counts);
    if (counts == NULL) {
        return xp__no_memory(error);
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        counts[arm] = (count){(uint64_t)(sampler->successes[arm] + sampler->failures[arm]),
                              (uint64_t)sampler->successes[arm]};
    }
    size_t length = strlen(session->spec);
    xp__archive archive = xp__archive_measure();
    walk(&archive, &length, session->spec, counts, sampler->arms);
    const size_t total = archive.bytes + 1;
    *data = xp__alloc(total, 1);
    if (*data != NULL) {
        *bytes = total;
        **data = COUNTS;
        archive = xp__archive_write(*data + 1, total - 1);
        walk(&archive, &length, session->spec, counts, sampler->arms);
    }
    xp__free(counts);
    return *data != NULL ? XP_OK : xp__no_memory(error);
}

xp_status xp__learner_write(const xp_session *session, uint64_t fingerprint, unsigned char **data,
                            size_t *bytes, xp_error *error) {
    *data = NULL;
    *bytes = 0;
    if (xp__learner_is_counts(session)) {
        return write_counts(session, data, bytes, error);
    }
    void *block;
    size_t size;
    const xp_status status = xp__session_write(session, fingerprint, &block, &size, error);
    if (status != XP_OK) {
        return status;
    }
    *data = xp__alloc(size + 1, 1);
    if (*data != NULL) {
        **data = SESSION;
        memcpy(*data + 1, block, size);
        *bytes = size + 1;
    }
    xp__free(block);
    return *data != NULL ? XP_OK : xp__no_memory(error);
}

static xp_status damaged(const char *name, const char *how, xp_error *error) {
    return xp_error_set(error, XP_ERR_INPUT, "%.200s: is damaged: %s", name, how);
}

/* A new session that is told the counts. */
static xp_status restore(const char *spec, const count *counts, size_t arms, const char *name,
                         const xp_model *model, const char *segment, const xp_rng *rng,
                         xp_session **session, xp_error *error) {
    xp_session_options options = xp_session_options_default();
    options.agent = spec;
    options.segment = segment;
    options.rng = rng;
    xp_status status = xp_session_create(model, &options, session, error);
    if (status == XP_OK && !xp__learner_is_counts(*session)) {
        status = damaged(name, "its agent keeps more than counts", error);
    }
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        status = xp_session_observe_rewards(*session, arm, counts[arm].trials,
                                            (double)counts[arm].successes, error);
    }
    if (status == XP_OK) {
        (*session)->rng = *rng;
    } else {
        xp_session_destroy(*session);
        *session = NULL;
    }
    return status;
}

static xp_status read_counts(const unsigned char *data, size_t bytes, const char *name,
                             const xp_model *model, const char *segment, const xp_rng *rng,
                             xp_session **session, xp_error *error) {
    const size_t arms = xp_model_describe(model).space.actions;
    count *counts = xp__alloc(arms, sizeof *counts);
    char *spec = xp__alloc(SPEC_MOST + 1, 1);
    xp_status status = counts != NULL && spec != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK) {
        size_t length = 0;
        xp__archive archive = xp__archive_read(data, bytes);
        walk(&archive, &length, spec, counts, arms);
        xp__archive_check(&archive, archive.room == 0, "bytes are left over");
        status = archive.fault == NULL
                     ? restore(spec, counts, arms, name, model, segment, rng, session, error)
                     : damaged(name, archive.fault, error);
    }
    xp__free(counts);
    xp__free(spec);
    return status;
}

static xp_status read_session(const unsigned char *data, size_t bytes, const char *name,
                              const xp_model *model, uint64_t fingerprint, const char *segment,
                              xp_session **session, xp_error *error) {
    xp_status status = xp__session_read(data, bytes, name, model, fingerprint, session, error);
    const char *found = xp_session_describe(*session).segment;
    if (status == XP_OK &&
        ((found == NULL) != (segment == NULL) || (found != NULL && strcmp(found, segment) != 0))) {
        xp_session_destroy(*session);
        *session = NULL;
        status = damaged(name, "a learner is of another segment", error);
    }
    return status;
}

xp_status xp__learner_read(const unsigned char *data, size_t bytes, const char *name,
                           const xp_model *model, uint64_t fingerprint, const char *segment,
                           const xp_rng *rng, xp_session **session, xp_error *error) {
    *session = NULL;
    if (bytes > 0 && data[0] == SESSION) {
        return read_session(data + 1, bytes - 1, name, model, fingerprint, segment, session, error);
    }
    return bytes > 0 && data[0] == COUNTS
               ? read_counts(data + 1, bytes - 1, name, model, segment, rng, session, error)
               : damaged(name, "a learner is of no known form", error);
}
