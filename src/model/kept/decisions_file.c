/* decisions_file.c: kept decisions as bytes: a head, what the model is in words, the learners
 * (learner.h) and the pending decisions, under a checksum. */
#include "model/kept/decisions_type.h"

#include "base/archive.h"
#include "base/budget.h"
#include "base/bytes/checksum.h"
#include "base/file.h"
#include "base/grow.h"
#include "model/kept/learner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "XPDECI\n"; /* and a zero */
enum { FILE_VERSION = 1, WORDS = 160, NAME_MOST = 4096 };

/* What stands before all else; `sum` is of the bytes after it. */
typedef struct head {
    char magic[8];
    uint32_t version, reserved;
    uint64_t sum;
    uint64_t model; /* its fingerprint */
    char words[WORDS];
} head;

/* A model in a few words, for people: what was fitted, to how much. */
static void describe(const xp_model *model, char words[WORDS]) {
    const xp_model_info info = xp_model_describe(model);
    memset(words, 0, WORDS);
    (void)snprintf(words, WORDS, "%.80s, %zu actions, %" PRIu64 " demonstrations", info.agent,
                   info.space.actions, info.demonstrations);
}

/* What comes first, by one walk. */
static void walk(xp__archive *archive, xp_decisions *self, size_t *parts, size_t *pending) {
    XP__ARCHIVE(archive, self->seed);
    xp__archive_number(archive, &self->next, UINT64_C(1) << 62);
    xp__archive_number(archive, &self->rewards, self->next);
    xp__archive_check(archive, self->next > 0, "the next decision has no number");
    xp__archive_size(archive, parts, XP__PARTS_MOST);
    xp__archive_size(archive, pending, XP__PENDING_MOST);
}

static void walk_pending(xp__archive *archive, const xp_decisions *self, xp__pending *one,
                         uint64_t before) {
    uint64_t action = one->action, part = one->part;
    XP__ARCHIVE(archive, one->id);
    xp__archive_check(archive, one->id > before && one->id < self->next,
                      "the numbers of pending decisions are not in order");
    xp__archive_number(archive, &action, xp_model_describe(self->model).space.actions - 1);
    xp__archive_number(archive, &part, self->part_count > 0 ? self->part_count - 1 : 0);
    xp__archive_within(archive, &one->probability, 1, 0, 1);
    xp__archive_within(archive, &one->time, 1, 0, 1e18);
    one->action = (uint32_t)action;
    one->part = (uint32_t)part;
}

xp_status xp__decisions_add_part(xp_decisions *decisions, const char *name, size_t length,
                                 xp_error *error) {
    xp__decisions_part *moved = xp__reserve(decisions->parts, &decisions->part_room,
                                            decisions->part_count + 1, sizeof *moved);
    char *copy = moved != NULL ? xp__alloc(length + 1, 1) : NULL;
    if (moved != NULL) {
        decisions->parts = moved;
    }
    if (copy == NULL) {
        return xp__no_memory(error);
    }
    memcpy(copy, name, length);
    decisions->parts[decisions->part_count++] = (xp__decisions_part){.name = copy};
    return XP_OK;
}

/* A name and a learner's bytes, copied. */
static xp_status read_part(xp_decisions *self, xp__archive *archive, xp_error *error) {
    size_t length = 0, size = 0;
    xp__archive_size(archive, &length, NAME_MOST);
    xp__archive_size(archive, &size, archive->room);
    xp__archive_check(archive, length <= archive->room && size <= archive->room - length,
                      "it is cut short");
    if (archive->fault != NULL) {
        return XP_OK; /* whoever walks looks at the end */
    }
    xp_status status = xp__decisions_add_part(self, (const char *)archive->from, length, error);
    if (status != XP_OK) {
        return status;
    }
    xp__decisions_part *part = &self->parts[self->part_count - 1];
    xp__archive_bytes(archive, part->name, length);
    xp__archive_check(archive, strlen(part->name) == length, "a name has a zero byte");
    part->bytes = xp__alloc(size + 1, 1);
    part->size = size;
    if (part->bytes == NULL) {
        return xp__no_memory(error);
    }
    xp__archive_bytes(archive, part->bytes, size);
    return XP_OK;
}

static xp_status read_body(xp_decisions *self, xp__archive *archive, xp_error *error) {
    size_t parts = 0, pending = 0;
    walk(archive, self, &parts, &pending);
    xp__archive_check(archive, parts > 0, "it has no learner");
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && archive->fault == NULL && i < parts; i++) {
        status = read_part(self, archive, error);
    }
    xp__archive_check(archive, pending <= archive->room / sizeof(uint64_t), "it is cut short");
    if (status != XP_OK || archive->fault != NULL || pending == 0) {
        return status;
    }
    self->pending = xp__alloc(pending, sizeof *self->pending);
    if (self->pending == NULL) {
        return xp__no_memory(error);
    }
    self->pending_room = pending;
    for (uint64_t before = 0; self->pending_count < pending;) {
        xp__pending *one = &self->pending[self->pending_count++];
        walk_pending(archive, self, one, before);
        before = one->id;
    }
    return XP_OK;
}

static xp_status check_head(const head *start, const xp_decisions *self, const void *data,
                            size_t bytes, xp_error *error) {
    const char *path = self->path;
    if (bytes < sizeof *start || memcmp(start->magic, magic, sizeof magic) != 0) {
        return xp_error_set(error, XP_ERR_INPUT, "%.200s: is not a file of kept decisions", path);
    }
    if (start->version != FILE_VERSION) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%.200s: has file version %" PRIu32 "; this library, %s, reads %d: use "
                            "the version of the library that wrote it",
                            path, start->version, xp_version(), (int)FILE_VERSION);
    }
    const size_t from = offsetof(head, model);
    if (start->reserved != 0 ||
        start->sum !=
            xp__checksum(XP__CHECKSUM_START, (const unsigned char *)data + from, bytes - from)) {
        return xp_error_set(error, XP_ERR_INPUT, "%.200s: is damaged: its checksum does not hold",
                            path);
    }
    if (start->model != self->fingerprint) {
        char here[WORDS], there[WORDS];
        describe(self->model, here);
        memcpy(there, start->words, WORDS);
        there[WORDS - 1] = '\0';
        return xp_error_set(error, XP_ERR_INPUT,
                            "%.120s: keeps decisions of the model %016" PRIx64
                            " (%s), and this is the model %016" PRIx64 " (%s)",
                            path, start->model, there, self->fingerprint, here);
    }
    return XP_OK;
}

xp_status xp__decisions_parse(xp_decisions *decisions, const void *data, size_t bytes,
                              xp_error *error) {
    head start = {.version = 0};
    memcpy(&start, data, bytes < sizeof start ? bytes : sizeof start);
    xp_status status = check_head(&start, decisions, data, bytes, error);
    if (status != XP_OK) {
        return status;
    }
    xp__archive archive =
        xp__archive_read((const unsigned char *)data + sizeof start, bytes - sizeof start);
    status = read_body(decisions, &archive, error);
    xp__archive_check(&archive, archive.room == 0, "bytes are left over");
    return status == XP_OK && archive.fault != NULL
               ? xp_error_set(error, XP_ERR_INPUT, "%.200s: is damaged: %s", decisions->path,
                              archive.fault)
               : status;
}

/* Everything after the head; a part's bytes are those in `written`, or as they were read. */
static void write_body(xp__archive *archive, xp_decisions *self,
                       const xp__decisions_part *written) {
    size_t parts = self->part_count, pending = self->pending_count;
    walk(archive, self, &parts, &pending);
    for (size_t i = 0; i < parts; i++) {
        const xp__decisions_part *part = &written[i];
        size_t length = strlen(part->name), size = part->size;
        xp__archive_size(archive, &length, NAME_MOST);
        xp__archive_size(archive, &size, SIZE_MAX);
        xp__archive_bytes(archive, part->name, length);
        xp__archive_bytes(archive, part->bytes, size);
    }
    for (size_t i = 0; i < pending; i++) {
        walk_pending(archive, self, &self->pending[i], 0);
    }
}

static xp_status write_whole(xp_decisions *self, const xp__decisions_part *written, void **data,
                             size_t *bytes, xp_error *error) {
    xp__archive archive = xp__archive_measure();
    write_body(&archive, self, written);
    const size_t total = sizeof(head) + archive.bytes;
    xp_status status = xp__budget_check(total, 1, "the file of kept decisions",
                                        "forget pending decisions that get no reward", error);
    if (status != XP_OK) {
        return status;
    }
    unsigned char *block = xp__alloc(total, 1);
    if (block == NULL) {
        return xp__no_memory(error);
    }
    archive = xp__archive_write(block + sizeof(head), total - sizeof(head));
    write_body(&archive, self, written);
    head start = {.version = FILE_VERSION, .model = self->fingerprint};
    memcpy(start.magic, magic, sizeof magic);
    describe(self->model, start.words);
    memcpy(block, &start, sizeof start);
    const size_t from = offsetof(head, model);
    start.sum = xp__checksum(XP__CHECKSUM_START, block + from, total - from);
    memcpy(block, &start, sizeof start);
    *data = block;
    *bytes = total;
    return XP_OK;
}

xp_status xp__decisions_to_bytes(const xp_decisions *decisions, void **data, size_t *bytes,
                                 xp_error *error) {
    *data = NULL;
    *bytes = 0;
    const size_t count = decisions->part_count;
    xp__decisions_part *written = xp__alloc(count, sizeof *written);
    xp_status status = written != NULL ? XP_OK : xp__no_memory(error);
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        const xp__decisions_part *part = &decisions->parts[i];
        written[i] = *part;
        if (part->session != NULL) {
            status = xp__learner_write(part->session, decisions->fingerprint, &written[i].bytes,
                                       &written[i].size, error);
        }
    }
    if (status == XP_OK) { /* the walk changes nothing that can be seen */
        xp_decisions copy = *decisions;
        status = write_whole(&copy, written, data, bytes, error);
    }
    for (size_t i = 0; written != NULL && i < count; i++) {
        if (decisions->parts[i].session != NULL) {
            xp__free(written[i].bytes);
        }
    }
    xp__free(written);
    return status;
}

xp_status xp_decisions_save(xp_decisions *decisions, xp_error *error) {
    if (decisions == NULL || decisions->read_only) {
        return xp_error_set(error, XP_ERR_INPUT,
                            decisions == NULL ? "decisions is NULL"
                                              : "decisions opened as read_only cannot be saved");
    }
    void *data;
    size_t bytes;
    xp_status status = xp__decisions_to_bytes(decisions, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp__file_write_alone(decisions->path, data, bytes, error);
        xp__free(data);
    }
    return status;
}
