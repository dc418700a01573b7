/* alone.c: a job of one process, on the pool. The pool knows units by their places in the
 * order; the job, by their numbers. */
#include "run/crew/crew.h"

#include "base/memory.h"

typedef struct alone {
    const xp__crew_job *job;
    size_t *finished; /* units by their numbers */
    size_t told;
} alone;

static size_t named(const alone *self, size_t i) {
    return self->job->order != NULL ? self->job->order[i] : i;
}

static xp_status alone_one(void *context, size_t i, const xp__pool *pool, xp_error *error) {
    const alone *self = context;
    return self->job->run(self->job->context, named(self, i), pool, error);
}

static xp_status alone_some(void *context, const size_t *places, size_t count, const xp__pool *pool,
                            xp_error *error) {
    const alone *self = context;
    size_t units[XP__POOL_TOGETHER];
    for (size_t i = 0; i < count; i++) {
        units[i] = named(self, places[i]);
    }
    return self->job->run_together(self->job->context, units, count, pool, error);
}

static xp_status alone_tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    alone *self = context;
    for (; self->told < done; self->told++) {
        self->finished[self->told] = named(self, finished[self->told]);
    }
    return self->job->tick(self->job->context, self->finished, done, error);
}

xp_status xp__crew_run_alone(const xp__crew_job *job, xp_error *error) {
    const size_t count = job->order != NULL ? job->order_count : job->units;
    alone self = {.job = job, .finished = xp__alloc(count, sizeof(size_t))};
    if (self.finished == NULL && count > 0) {
        return xp__no_memory(error);
    }
    const xp_status status =
        xp__pool_run(&(xp__pool_job){.units = count,
                                     .threads = job->threads,
                                     .run = alone_one,
                                     .run_together = job->run_together != NULL ? alone_some : NULL,
                                     .together = job->together,
                                     .tick = job->tick != NULL ? alone_tick : NULL,
                                     .context = &self},
                     error);
    xp__free(self.finished);
    return status;
}
