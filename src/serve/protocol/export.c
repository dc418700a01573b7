/* export.c: CSV. Decisions only ever follow each other, so pages read one after the other are as
 * good as one reading, and no reader holds up the writer's log. */
#include "serve/protocol/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 500 };

struct serve_export {
    serve_store *store;
    serve_book *book;
    serve_entry *entry;
    uint64_t after;
    serve_text text;
    size_t sent; /* of the text */
    size_t rows; /* of the last page */
};

void serve_export_close(serve_export *self) {
    if (self != NULL) {
        serve_book_destroy(self->book);
        if (self->store != NULL) {
            self->store->type->close(self->store);
        }
        serve_text_free(&self->text);
        free(self);
    }
}

serve_export *serve_export_open(const serve_store_options *options, const char *id,
                                serve_problem *problem) {
    serve_export *self = calloc(1, sizeof *self);
    char message[256] = "out of memory";
    if (self != NULL) {
        self->store = serve_store_open(options, message, sizeof message);
        self->book = self->store != NULL ? serve_book_create(self->store) : NULL;
    }
    if (self == NULL || self->book == NULL) {
        (void)serve_refuse(problem, 503, "the store cannot be read now (%.200s)", message);
        serve_export_close(self);
        return NULL;
    }
    const serve_outcome outcome = serve_book_find(self->book, id, &self->entry, problem);
    if (outcome != SERVE_DONE) {
        if (outcome == SERVE_BROKEN) {
            (void)serve_refuse(problem, 503, "the store cannot be read now");
        }
        serve_export_close(self);
        return NULL;
    }
    self->rows = PAGE;
    serve_text_add(&self->text, "decision_id,time,segment,model_version,version,candidates,action,"
                                "probability,chosen,reward,reward_time\n");
    return self;
}

/* The names of some arms, between '|'. */
static void add_candidates(serve_export *self, const char *list) {
    serve_text names = {.data = NULL};
    char number[24];
    bool *flags = self->entry->open;
    if (serve_arms_parse(list, self->entry->arms, flags)) {
        for (size_t arm = 0; arm < self->entry->arms; arm++) {
            if (flags[arm]) {
                serve_text_add(&names, names.length > 0 ? "|" : "");
                serve_text_add(&names, serve_arm_name(self->entry->model, arm, number));
            }
        }
    }
    serve_text_csv(&self->text, names.length > 0 ? names.data : list);
    serve_text_free(&names);
}

static bool see(void *context, const serve_decision *row) {
    serve_export *self = context;
    serve_text *text = &self->text;
    char id[SERVE_ID_SIZE + 24], number[24];
    self->rows++;
    self->after = row->number;
    serve_text_format(text, "%s,", serve_decision_id(self->entry->row.id, row->number, id));
    serve_text_time(text, row->time, false);
    serve_text_add(text, ",");
    serve_text_csv(text, row->segment);
    serve_text_format(text, ",%u,%" PRIu64 ",", row->model, row->version);
    if (row->candidates != NULL) {
        add_candidates(self, row->candidates);
    }
    serve_text_add(text, ",");
    serve_text_csv(text, serve_arm_name(self->entry->model, row->action, number));
    serve_text_add(text, ",");
    serve_text_number(text, row->probability);
    serve_text_add(text, ",");
    if (row->chosen >= 0) {
        serve_text_csv(text, serve_arm_name(self->entry->model, (size_t)row->chosen, number));
    }
    serve_text_add(text, ",");
    if (row->rewarded) {
        serve_text_number(text, row->reward);
        serve_text_add(text, ",");
        serve_text_time(text, row->reward_time, false);
    } else {
        serve_text_add(text, ",");
    }
    serve_text_add(text, "\n");
    return !text->failed;
}

ssize_t serve_export_read(serve_export *self, char *buffer, size_t room) {
    if (self->sent == self->text.length && self->rows == PAGE) {
        self->text.length = self->sent = self->rows = 0;
        if (!self->store->type->decision_each(self->store, self->entry->row.key, self->after, PAGE,
                                              see, self)) {
            return -1;
        }
    }
    if (self->text.failed) {
        return -1;
    }
    const size_t left = self->text.length - self->sent, part = left < room ? left : room;
    if (part > 0) {
        memcpy(buffer, self->text.data + self->sent, part);
        self->sent += part;
    }
    return (ssize_t)part;
}
