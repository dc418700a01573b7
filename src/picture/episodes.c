/* episodes.c: pictures of a simulation's episodes as files.
 *
 * All that can be refused is refused before anything runs: the environment, the episodes, the
 * agents' specs. Files are named after the agent's spec; agents whose names would be the same get a
 * number. */
#include "experior/picture.h"

#include "agent/agent.h"
#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "env/create.h"
#include "expert/expert_type.h"
#include "picture/episode_picture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96 }; /* most characters of a spec in a file's name */

typedef struct album {
    const xp_simulate_options *options;
    const char *directory;
    const char *env; /* name */
    size_t *chosen;  /* ascending, each once */
    size_t count;
    size_t agent; /* the one that acts */
    size_t written;
} album;

static int by_number(const void *left, const void *right) {
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

/* Powers of two and the last. */
static void choose_some(album *self) {
    for (size_t t = 1; t < self->options->episodes; t *= 2) {
        self->chosen[self->count++] = t;
    }
    self->chosen[self->count++] = self->options->episodes;
}

static xp_status choose(album *self, const size_t *episodes, size_t count, xp_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (episodes[i] < 1 || episodes[i] > self->options->episodes) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "episode %zu cannot be drawn: the simulation has episodes 1 to %zu",
                                episodes[i], self->options->episodes);
        }
    }
    self->chosen = xp__alloc(count > 0 ? count : 8 * sizeof(size_t) + 1, sizeof *self->chosen);
    if (self->chosen == NULL) {
        return xp__no_memory(error);
    }
    if (count == 0) {
        choose_some(self);
        return XP_OK;
    }
    memcpy(self->chosen, episodes, count * sizeof *episodes);
    qsort(self->chosen, count, sizeof *self->chosen, by_number);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || self->chosen[i] != self->chosen[i - 1]) {
            self->chosen[self->count++] = self->chosen[i];
        }
    }
    return XP_OK;
}

/* A spec with what no file name should have made '-': "boot_dqn-members-10". */
static void file_name(const char *spec, char name[NAME + 1]) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
    size_t length = 0;
    for (; spec[length] != '\0' && length < NAME; length++) {
        name[length] = strchr(allowed, spec[length]) != NULL ? spec[length] : '-';
    }
    name[length] = '\0';
}

/* How many of the agents before have the same name. */
static size_t namesakes(const album *self, const char *name) {
    size_t count = 0;
    for (size_t i = 0; i < self->agent; i++) {
        char other[NAME + 1];
        file_name(self->options->agents[i], other);
        count += strcmp(name, other) == 0;
    }
    return count;
}

static xp_status take(void *context, const xp__record *record, xp_error *error) {
    album *self = context;
    char name[NAME + 1];
    file_name(record->agent, name);
    const size_t same = namesakes(self, name), length = strlen(self->directory);
    xp__text path = {.data = NULL}, svg = {.data = NULL};
    xp__text_format(&path, "%s%s%s-%s", self->directory,
                    length > 0 && self->directory[length - 1] == '/' ? "" : "/", self->env, name);
    if (same > 0) {
        xp__text_format(&path, "-%zu", same + 1);
    }
    xp__text_format(&path, "-episode-%04zu.svg", record->episode);
    xp__record_svg(record, &svg);
    const xp_status status = path.failed || svg.failed
                                 ? xp__no_memory(error)
                                 : xp__file_write_regular(path.data, svg.data, svg.length, error);
    self->written += status == XP_OK;
    xp__text_deinit(&path);
    xp__text_deinit(&svg);
    return status;
}

static xp_status tick(void *context, size_t episode, xp_error *error) {
    const album *self = context;
    const xp_simulate_options *options = self->options;
    const size_t each = self->chosen[self->count - 1];
    if (options->progress != NULL &&
        options->progress(options->progress_context, self->agent * each + episode - 1,
                          options->agent_count * each) != 0) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
    }
    return XP_OK;
}

static xp_status draw_agents(album *self, const xp__problem *problem, const xp_demos *demos,
                             xp_error *error) {
    xp_status status = XP_OK;
    for (self->agent = 0; status == XP_OK && self->agent < self->options->agent_count;
         self->agent++) {
        const char *spec = self->options->agents[self->agent];
        xp__fitted fitted;
        status = xp__fitted_init(&fitted, spec, NULL, problem, demos, NULL, error);
        if (status == XP_OK) {
            const xp__recording what = {.problem = problem,
                                        .fitted = &fitted,
                                        .spec = spec,
                                        .task = 0,
                                        .episodes = self->options->episodes,
                                        .chosen = self->chosen,
                                        .count = self->count,
                                        .take = take,
                                        .tick = tick,
                                        .context = self};
            status = xp__record_run(&what, error);
        }
        xp__fitted_deinit(&fitted);
    }
    return status;
}

static xp_status check(const xp_simulate_options *options, const xp_env *env, xp_error *error) {
    const xp_env_info info = xp_env_describe(env);
    xp_status status = xp__record_check(env, error);
    for (size_t i = 0; status == XP_OK && i < options->agent_count; i++) {
        XP__NOT_NULL(options->agents, error);
        XP__NOT_NULL(options->agents[i], error);
        xp__agent_spec spec;
        status = xp__agent_spec_parse(options->agents[i], &info, &spec, error);
    }
    return status;
}

xp_status xp_picture_episodes(const xp_simulate_options *options, const size_t *episodes,
                              size_t count, const char *directory, size_t *written,
                              xp_error *error) {
    if (written != NULL) {
        *written = 0;
    }
    XP__NOT_NULL(options, error);
    XP__NOT_NULL(directory, error);
    if (count > 0) {
        XP__NOT_NULL(episodes, error);
    }
    xp_simulate_options chosen = xp_simulate_options_default();
    album self = {.options = &chosen, .directory = directory};
    xp__problem problem = {.env = NULL};
    xp_demos *demos = NULL;
    xp__params env, expert;
    xp_status status =
        xp__options_take(&chosen, sizeof chosen, options, "xp_simulate_options", error);
    options = &chosen;
    if (status == XP_OK && options->episodes < 1) {
        status = xp_error_set(error, XP_ERR_INPUT, "episodes = 0: there is nothing to draw");
    }
    if (status == XP_OK) {
        status = xp__env_params_read(options->env, &env, error);
    }
    if (status == XP_OK) {
        status = xp__expert_params_read(options->expert, &expert, error);
    }
    if (status == XP_OK) {
        self.env = env.owner;
        status = xp__problem_init(&problem, options->seed, 0, env.owner, &env, error);
    }
    if (status == XP_OK) {
        status = check(options, problem.env, error);
    }
    if (status == XP_OK) {
        status = choose(&self, episodes, count, error);
    }
    if (status == XP_OK) {
        status = xp__directory_create(directory, error);
    }
    if (status == XP_OK) {
        xp__directory_clean(directory);
        status = xp__problem_demos(&problem, expert.owner, &expert, options->demonstrations, &demos,
                                   error);
    }
    if (status == XP_OK) {
        status = draw_agents(&self, &problem, demos, error);
    }
    xp_demos_destroy(demos);
    xp__problem_deinit(&problem);
    xp__free(self.chosen);
    if (written != NULL) {
        *written = self.written;
    }
    return status;
}
