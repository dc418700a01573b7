/* session_file.c: sessions as bytes: magic, version, the model's fingerprint, what the session was
 * made with, and the walk over the agent's state (base/archive.h), under a checksum. */
#include "model/session_type.h"

#include "base/budget.h"
#include "base/bytes/checksum.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model_type.h"

#include <inttypes.h>
#include <string.h>

static const char magic[8] = "XPSESS\n"; /* and a zero */
enum { FILE_VERSION = 1, SEGMENT_VERSION = 2, TEXT_MAX = 4096 };
static const size_t max_file = 4 * XP__BUDGET; /* an agent has a few parts, each within it */

/* What stands before the state; `sum` is of all bytes after it. */
typedef struct head {
    char magic[8];
    uint32_t version, text; /* bytes of the spec and the library's version and machine */
    uint64_t sum;
    uint64_t model; /* the fingerprint of the model's file; 0: none */
    uint64_t state; /* bytes of the state */
    uint64_t actions, state_size, horizon;
    uint64_t episodes, observations, begun;
    xp_rng rng;
    uint32_t within, segment; /* the segment from 1, in files of version 2 */
} head;

xp_status xp__model_fingerprint(const xp_model *model, uint64_t *sum, xp_error *error) {
    *sum = 0;
    if (model == NULL) {
        return XP_OK;
    }
    void *data;
    size_t bytes;
    const xp_status status = xp_model_to_bytes(model, &data, &bytes, error);
    if (status == XP_OK) {
        *sum = xp__checksum(XP__CHECKSUM_START, data, bytes);
        *sum += *sum == 0;
        xp__free(data);
    }
    return status;
}

static uint64_t sum_of(const unsigned char *block, size_t bytes) {
    const size_t from = offsetof(head, sum) + sizeof(uint64_t);
    return xp__checksum(XP__CHECKSUM_START, block + from, bytes - from);
}

xp_status xp__session_write(const xp_session *session, uint64_t model, void **data, size_t *bytes,
                            xp_error *error) {
    *data = NULL;
    *bytes = 0;
    xp__agent *agent = session->agent; /* the walk changes nothing that can be seen */
    xp__archive walk = xp__archive_measure();
    xp__agent_archive(agent, &walk);
    const size_t text = strlen(session->spec) + 1, state = walk.bytes;
    head start = {.version = session->segment > 0 ? SEGMENT_VERSION : FILE_VERSION,
                  .segment = session->segment,
                  .model = model,
                  .text = (uint32_t)text,
                  .state = state,
                  .actions = session->info.actions,
                  .state_size = session->info.state_size,
                  .horizon = session->info.horizon,
                  .episodes = session->episodes,
                  .observations = session->observations,
                  .begun = session->begun,
                  .rng = session->rng,
                  .within = session->within};
    memcpy(start.magic, magic, sizeof magic);
    const size_t numbers = session->model == NULL ? session->info.state_size : 0;
    const size_t total = sizeof start + text + numbers * sizeof(size_t) + state;
    unsigned char *block = xp__alloc(1, total);
    if (block == NULL) {
        return xp__no_memory(error);
    }
    unsigned char *at = block + sizeof start;
    memcpy(at, session->spec, text);
    at += text;
    if (numbers > 0) {
        memcpy(at, session->info.categories, numbers * sizeof(size_t));
        at += numbers * sizeof(size_t);
    }
    walk = xp__archive_write(at, state);
    xp__agent_archive(agent, &walk);
    memcpy(block, &start, sizeof start);
    start.sum = sum_of(block, total);
    memcpy(block, &start, sizeof start);
    *data = block;
    *bytes = total;
    return XP_OK;
}

xp_status xp_session_to_bytes(const xp_session *session, void **data, size_t *bytes,
                              xp_error *error) {
    if (session == NULL || data == NULL || bytes == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session, data or bytes is NULL");
    }
    *data = NULL;
    *bytes = 0;
    uint64_t model;
    const xp_status status = xp__model_fingerprint(session->model, &model, error);
    return status == XP_OK ? xp__session_write(session, model, data, bytes, error) : status;
}

static xp_status check_head(const head *start, const unsigned char *block, size_t bytes,
                            const char *name, xp_error *error) {
    if (memcmp(start->magic, magic, sizeof magic) != 0) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: is not a saved session", name);
    }
    if (start->version != FILE_VERSION && start->version != SEGMENT_VERSION) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: is a session of file version %" PRIu32
                            "; this library reads %d and %d",
                            name, start->version, (int)FILE_VERSION, (int)SEGMENT_VERSION);
    }
    if (start->sum != sum_of(block, bytes)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: is damaged: its checksum does not hold",
                            name);
    }
    const size_t left = bytes - sizeof *start;
    if (start->text < 1 || start->text > TEXT_MAX || start->text > left || start->within > 1 ||
        start->rng.has_spare > 1 || start->rng.reserved != 0 ||
        (start->segment > 0) != (start->version == SEGMENT_VERSION)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: is damaged: its head contradicts itself",
                            name);
    }
    return XP_OK;
}

static xp_status check_model(const head *start, uint64_t here, const char *name, xp_error *error) {
    if (here != start->model) {
        return xp_error_set(error, XP_ERR_INPUT,
                            start->model == 0 ? "%s: was made without a model; pass NULL"
                            : here == 0       ? "%s: was made with a model, which is needed"
                                              : "%s: was made with another model",
                            name);
    }
    return XP_OK;
}

/* The space of a session without a model; its categories follow the spec. */
static xp_status read_space(const head *start, const unsigned char *at, size_t left,
                            xp_space *space, size_t **categories, const char *name,
                            xp_error *error) {
    *space = (xp_space){.actions = (size_t)start->actions,
                        .state_size = (size_t)start->state_size,
                        .horizon = (size_t)start->horizon,
                        .discount = 1};
    if (start->state_size > left / sizeof(size_t) || start->actions > UINT32_MAX) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: is damaged: its space does not fit", name);
    }
    *categories = xp__alloc(space->state_size + 1, sizeof **categories);
    if (*categories == NULL) {
        return xp__no_memory(error);
    }
    if (space->state_size > 0) {
        memcpy(*categories, at, space->state_size * sizeof **categories);
    }
    space->categories = *categories;
    return XP_OK;
}

static xp_status restore(const head *start, const unsigned char *at, size_t left, const char *spec,
                         const char *name, const xp_model *model, xp_session **session,
                         xp_error *error) {
    xp_space space;
    size_t *categories = NULL;
    xp_session_options options = xp_session_options_default();
    options.agent = spec;
    options.episodes = (size_t)start->episodes;
    xp_status status = XP_OK;
    if (start->segment > 0) {
        options.segment = xp_model_segment_name(model, start->segment - 1);
        if (options.segment == NULL) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "%s: is damaged: the model has no segment number %" PRIu32, name,
                                start->segment);
        }
    }
    if (model == NULL) {
        status = read_space(start, at, left, &space, &categories, name, error);
        options.space = &space;
    }
    const size_t numbers = model == NULL ? (size_t)start->state_size : 0;
    if (status == XP_OK) {
        status = xp_session_create(model, &options, session, error);
    }
    xp__free(categories);
    if (status != XP_OK) {
        return status;
    }
    at += numbers * sizeof(size_t);
    left -= numbers * sizeof(size_t);
    xp__archive walk = xp__archive_read(at, left);
    xp__agent_archive((*session)->agent, &walk);
    if (walk.fault != NULL || walk.room != 0 || left != start->state) {
        status = xp_error_set(error, XP_ERR_INPUT, "%s: is damaged: %s", name,
                              walk.fault != NULL ? walk.fault : "bytes are left over");
        xp_session_destroy(*session);
        *session = NULL;
        return status;
    }
    (*session)->rng = start->rng;
    (*session)->observations = start->observations;
    (*session)->begun = start->begun;
    (*session)->within = start->within == 1;
    return XP_OK;
}

xp_status xp__session_read(const void *data, size_t bytes, const char *name, const xp_model *model,
                           uint64_t fingerprint, xp_session **session, xp_error *error) {
    *session = NULL;
    const unsigned char *block = data;
    head start;
    if (bytes < sizeof start) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: has %zu bytes, too few for a session", name,
                            bytes);
    }
    memcpy(&start, block, sizeof start);
    xp_status status = check_head(&start, block, bytes, name, error);
    if (status == XP_OK) {
        status = check_model(&start, fingerprint, name, error);
    }
    if (status != XP_OK) {
        return status;
    }
    char spec[TEXT_MAX];
    memcpy(spec, block + sizeof start, start.text);
    spec[start.text - 1] = '\0';
    return restore(&start, block + sizeof start + start.text, bytes - sizeof start - start.text,
                   spec, name, model, session, error);
}

xp_status xp_session_parse(const void *data, size_t bytes, const char *name, const xp_model *model,
                           xp_session **session, xp_error *error) {
    if (data == NULL || name == NULL || session == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "data, name or session is NULL");
    }
    *session = NULL;
    uint64_t fingerprint;
    const xp_status status = xp__model_fingerprint(model, &fingerprint, error);
    return status == XP_OK ? xp__session_read(data, bytes, name, model, fingerprint, session, error)
                           : status;
}

xp_status xp_session_save(const xp_session *session, const char *path, xp_error *error) {
    void *data;
    size_t bytes;
    xp_status status = path != NULL ? xp_session_to_bytes(session, &data, &bytes, error)
                                    : xp_error_set(error, XP_ERR_INPUT, "path is NULL");
    if (status == XP_OK) {
        status = xp__file_write(path, data, bytes, error);
        xp__free(data);
    }
    return status;
}

xp_status xp_session_load(const char *path, const xp_model *model, xp_session **session,
                          xp_error *error) {
    if (path == NULL || session == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "path or session is NULL");
    }
    *session = NULL;
    char *data;
    size_t bytes;
    xp_status status = xp__file_read(path, max_file, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp_session_parse(data, bytes, path, model, session, error);
        xp__free(data);
    }
    return status;
}
