/* load_hdf5.c: demonstrations from the HDF5 file of a Minari dataset, as experior-hdf5 sends them:
 * frames in, one episode in memory at a time.
 *
 * The stream decides whether a file was read, not how the program ended: only a stream that is
 * whole, to its last frame, gives demonstrations. */
#include "demos/demos_type.h"
#include "demos/hdf5_program.h"
#include "demos/hdf5_stream.h"

#include "base/grow.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

typedef struct reader {
    int stream;
    const char *path;
    const xp_env_info *env; /* NULL: any */
    uint64_t budget;
    xp_demos *demos; /* NULL before the first episode */
    uint64_t episode, episodes;
    bool broken; /* the stream is not one, or is cut short */
    uint32_t *action;
    double *state;
    size_t action_room, state_room;
} reader;

/* Fails with "<path>: <sentence>". */
static xp_status fail_file(const reader *self, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static xp_status fail_file(const reader *self, xp_error *error, const char *format, ...) {
    char sentence[XP__HDF5_SENTENCE + 1];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const xp__lines place = {.name = self->path};
    return xp__lines_fail_file(&place, error, sentence);
}

/* Fails with "<path>: episode_<n>/<name>: <sentence>". */
static xp_status fail(const reader *self, const char *name, const char *sentence, xp_error *error) {
    return fail_file(self, error, "episode_%" PRIu64 "/%s: %s", self->episode, name, sentence);
}

static xp_status fail_broken(reader *self) {
    self->broken = true;
    return XP_ERR_INPUT;
}

static xp_status receive(reader *self, void *data, size_t bytes) {
    for (char *at = data; bytes > 0;) {
        const ssize_t got = read(self->stream, at, bytes);
        if (got > 0) {
            at += got;
            bytes -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return fail_broken(self);
        }
    }
    return XP_OK;
}

/* The words come from a process that a hostile file may have taken over. */
static xp_status receive_refusal(reader *self, uint64_t bytes, xp_error *error) {
    char sentence[XP__HDF5_SENTENCE + 1];
    if (bytes > XP__HDF5_SENTENCE || receive(self, sentence, (size_t)bytes) != XP_OK) {
        return fail_broken(self);
    }
    for (size_t i = 0; i < bytes; i++) {
        sentence[i] = (char)(sentence[i] >= ' ' && sentence[i] <= '~' ? sentence[i] : '?');
    }
    sentence[bytes] = '\0';
    return fail_file(self, error, "%s", sentence);
}

/* Whether an episode that is announced may come. */
static xp_status check_episode(reader *self, const xp__hdf5_frame *frame, xp_error *error) {
    const double one = xp__hdf5_bytes(frame->steps, frame->width);
    if (frame->steps == 0 || frame->width == 0 || !(one <= (double)self->budget)) {
        return fail_broken(self); /* the program had to see to that */
    }
    if (self->demos != NULL) {
        const size_t size = self->demos->state_size;
        const double all = one + xp__hdf5_bytes(self->demos->used, size);
        if (size != frame->width) {
            char sentence[96];
            (void)snprintf(sentence, sizeof sentence,
                           "has states of %" PRIu64 " numbers, earlier ones have %zu", frame->width,
                           size);
            return fail(self, "observations", sentence, error);
        }
        if (all > (double)self->budget) {
            return fail_file(self, error,
                             "needs %.1f GiB of memory up to episode_%" PRIu64
                             ", more than the %.1f GiB allowed; keep fewer episodes or smaller "
                             "states",
                             all / 0x1p30, self->episode, (double)self->budget / 0x1p30);
        }
    }
    xp_error inner;
    return self->env == NULL || xp__env_check_size(self->env, (size_t)frame->width, &inner) == XP_OK
               ? XP_OK
               : fail(self, "observations", inner.message, error);
}

static xp_status receive_episode(reader *self, size_t steps, size_t width, xp_error *error) {
    uint32_t *action = xp__reserve(self->action, &self->action_room, steps, sizeof *action);
    self->action = action != NULL ? action : self->action;
    double *state = xp__reserve(self->state, &self->state_room, steps * width, sizeof *state);
    self->state = state != NULL ? state : self->state;
    if (action == NULL || state == NULL) {
        return xp__no_memory(error);
    }
    const xp_status status = receive(self, action, steps * sizeof *action);
    return status == XP_OK ? receive(self, state, steps * width * sizeof *state) : status;
}

static xp_status check_steps(reader *self, size_t steps, size_t width, xp_error *error) {
    xp_error inner;
    for (size_t step = 0; step < steps; step++) {
        const uint32_t action = self->action[step];
        if (action >= XP__HDF5_ACTIONS) {
            return fail_broken(self);
        }
        if (self->env == NULL) {
            continue;
        }
        char text[16];
        const int length = snprintf(text, sizeof text, "%" PRIu32, action);
        if (action >= self->env->actions &&
            xp__env_check_action(self->env, text, (size_t)length, &inner) != XP_OK) {
            return fail_file(self, error, "episode_%" PRIu64 "/actions: step %zu: %s",
                             self->episode, step, inner.message);
        }
        if (xp__env_check_state(self->env, self->state + step * width, step, &inner) != XP_OK) {
            return fail(self, "observations", inner.message, error);
        }
    }
    return XP_OK;
}

static xp_status add_episode(reader *self, size_t steps, size_t width, xp_error *error) {
    xp_status status = XP_OK;
    if (self->demos == NULL) {
        status =
            xp_demos_create(width, self->env != NULL ? self->env->actions : 0, &self->demos, error);
    }
    xp_error inner;
    if (status == XP_OK) {
        status = xp_demos_add(self->demos, self->state, self->action, steps, 1, &inner);
        if (status == XP_ERR_INPUT) {
            return fail(self, "observations", inner.message, error);
        }
        if (status != XP_OK && error != NULL) {
            *error = inner;
        }
    }
    self->episodes++;
    return status;
}

static xp_status read_episode(reader *self, const xp__hdf5_frame *frame, xp_error *error) {
    self->episode = frame->number;
    xp_status status = check_episode(self, frame, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t steps = (size_t)frame->steps, width = (size_t)frame->width;
    status = receive_episode(self, steps, width, error);
    if (status == XP_OK) {
        status = check_steps(self, steps, width, error);
    }
    return status == XP_OK ? add_episode(self, steps, width, error) : status;
}

static xp_status read_frames(reader *self, xp_error *error) {
    for (;;) {
        xp__hdf5_frame frame;
        xp_status status = receive(self, &frame, sizeof frame);
        if (status != XP_OK) {
            return status;
        }
        if (frame.magic != XP__HDF5_MAGIC) {
            return fail_broken(self);
        }
        switch (frame.kind) {
        case XP__HDF5_EPISODE:
            status = read_episode(self, &frame, error);
            if (status != XP_OK) {
                return status;
            }
            break;
        case XP__HDF5_END:
            return self->demos != NULL && frame.number == self->episodes ? XP_OK
                                                                         : fail_broken(self);
        case XP__HDF5_REFUSED:
            return receive_refusal(self, frame.steps, error);
        case XP__HDF5_NO_MEMORY:
            return xp__no_memory(error);
        default:
            return fail_broken(self);
        }
    }
}

xp_status xp__demos_read_hdf5(int stream, const char *path, const xp_env_info *env, uint64_t budget,
                              xp_demos **demos, bool *broken, xp_error *error) {
    reader self = {.stream = stream, .path = path, .env = env, .budget = budget};
    const xp_status status = read_frames(&self, error);
    xp__free(self.action);
    xp__free(self.state);
    if (status != XP_OK) {
        xp_demos_destroy(self.demos);
        self.demos = NULL;
    }
    *broken = self.broken;
    *demos = self.demos;
    return status;
}

/* What to say of a stream that is not whole. */
static xp_status explain(const char *path, xp__hdf5_ending ending, xp_error *error) {
    const reader self = {.path = path};
    if (ending.signal == SIGXCPU) {
        return fail_file(&self, error,
                         "cannot be read, it may be damaged: experior-hdf5 took too much time");
    }
    if (ending.signal > 0) {
        return fail_file(&self, error,
                         "cannot be read, it may be damaged: experior-hdf5 was ended by signal %d",
                         ending.signal);
    }
    return fail_file(&self, error,
                     "cannot be read: experior-hdf5 gave no whole answer (exit status %d); install "
                     "it and experior from one build, with the HDF5 that it was built with",
                     ending.code);
}

xp_status xp__demos_load_hdf5(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error) {
    *demos = NULL;
    xp__hdf5_program program;
    xp_status status = xp__hdf5_program_start(&program, path, XP__HDF5_BUDGET, error);
    if (status != XP_OK) {
        return status;
    }
    bool broken;
    status = xp__demos_read_hdf5(program.stream, path, env, XP__HDF5_BUDGET, demos, &broken, error);
    const xp__hdf5_ending ending = xp__hdf5_program_end(&program);
    return broken ? explain(path, ending, error) : status;
}
