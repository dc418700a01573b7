/* sweep_demos.c: the demonstrations of a sweep: numbers of them, or files.
 *
 * Keys of units have a checksum of what was read, not of the file's bytes: the file is read once,
 * and whatever its format, equal demonstrations are equal and others are not. What was read never
 * changes; an environment with more actions than the file mentions has a copy (xp__sweep_demos). */
#include "study/sweep/sweep_reader.h"

#include "base/bytes/checksum.h"
#include "base/grow.h"
#include "demos/demos_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void xp__sweep_demos_deinit(xp__sweep_demos *demos) {
    for (size_t i = 0; i < demos->given_count; i++) {
        xp_demos_destroy(demos->given[i].demos);
    }
    xp__free(demos->given);
}

const xp__given_demos *xp__sweep_given(const xp__sweep_demos *demos, size_t actions) {
    for (size_t i = 0; i < demos->given_count; i++) {
        if (xp_demos_actions(demos->given[i].demos) == actions) {
            return &demos->given[i];
        }
    }
    return NULL;
}

static uint64_t add_number(uint64_t sum, uint64_t number) {
    return xp__checksum(sum, &number, sizeof number);
}

/* Of all that a learner can see. */
static uint64_t checksum_of(const xp_demos *demos) {
    const size_t state_size = xp_demos_state_size(demos);
    uint64_t sum = add_number(XP__CHECKSUM_START, state_size);
    sum = add_number(sum, xp_demos_actions(demos));
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory each = xp_demos_trajectory(demos, i);
        sum = add_number(add_number(sum, each.length), each.count);
        sum = xp__checksum(sum, each.actions, each.length * sizeof *each.actions);
        sum = xp__checksum(sum, each.states, each.length * state_size * sizeof *each.states);
    }
    return sum;
}

/* Takes the demonstrations over, also if memory runs out. */
static xp_status add_given(xp__sweep_demos *self, xp_demos *demos, xp_error *error) {
    xp__given_demos *given =
        xp__reserve(self->given, &self->given_room, self->given_count + 1, sizeof *given);
    if (given == NULL) {
        xp_demos_destroy(demos);
        return xp__no_memory(error);
    }
    self->given = given;
    given += self->given_count++;
    given->demos = demos;
    (void)snprintf(given->name, sizeof given->name, "demos-%016" PRIx64, checksum_of(demos));
    return XP_OK;
}

/* A sweep is read again whenever it is resumed or reported on, and what came through a pipe is gone
 * by then. What is not there is for the reading to tell. */
static xp_status check_path(const char *name, const char *path, xp_error *error) {
    struct stat found;
    if (strcmp(name, "-") != 0 &&
        (stat(path, &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) {
        return XP_OK;
    }
    return xp_error_set(error, XP_ERR_INPUT,
                        "'%.200s' is %s, but a sweep must be able to read its demonstrations again "
                        "later: write them to a file and give its name",
                        name, strcmp(name, "-") == 0 ? "standard input" : "a pipe or a device");
}

static xp_status read_file(const xp__sweep_reader *self, const char *name, xp__sweep_demos *into,
                           xp_error *error) {
    char *path = xp__sweep_path(self, name);
    xp_demos *demos = NULL;
    xp_status status = path != NULL ? check_path(name, path, error) : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp_demos_load(path, &demos, error);
    }
    if (status == XP_OK) {
        status = add_given(into, demos, error);
        into->input = xp__sweep_input_at(path);
    }
    xp__free(path);
    return status;
}

/* Entry i of the list; false and told if it is no good. */
static bool read_entry(xp__sweep_reader *self, json_t *list, size_t i, xp__sweep_demos *into) {
    static const char key[] = "demonstrations";
    json_t *value = xp__sweep_list_at(list, i);
    if (json_is_string(value)) {
        const char *name = xp__sweep_spec_at(self, list, i, key);
        xp_error error;
        if (name == NULL || (self->no_folder && name[0] != '/')) {
            return false;
        }
        strcpy(into->text, name);
        if (read_file(self, name, into, &error) != XP_OK) {
            xp__sweep_blame(self, key, i, &error);
            return false;
        }
        return true;
    }
    char name[48];
    size_t count = 0;
    (void)snprintf(name, sizeof name, "%s[%zu]", key, i);
    if (!xp__sweep_whole(self, value, name, 1, 1000000000, &count)) {
        return false;
    }
    into->count = count;
    (void)snprintf(into->text, sizeof into->text, "%zu", count);
    return true;
}

/* Whether an earlier entry says the same, which is told. */
static bool is_there(xp__sweep_reader *self, size_t i, const xp__sweep_demos *made) {
    for (size_t j = 0; j < self->sweep->demos_count; j++) {
        const xp__sweep_demos *other = &self->sweep->demos[j];
        if (strcmp(other->text, made->text) == 0) {
            xp__sweep_complain(self, "demonstrations[%zu]: '%s' is listed twice", i, made->text);
            return true;
        }
        if (other->given != NULL && made->given != NULL &&
            strcmp(other->given->name, made->given->name) == 0) {
            xp__sweep_complain(self,
                               "demonstrations[%zu]: '%s' holds the same demonstrations as '%s'", i,
                               made->text, other->text);
            return true;
        }
    }
    return false;
}

void xp__sweep_read_demos(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    json_t *list = xp__sweep_list(self, file, "demonstrations", true);
    for (size_t i = 0; i < xp__sweep_list_size(list); i++) {
        xp__sweep_demos made = {.count = 0};
        xp__sweep_demos *place = NULL;
        if (read_entry(self, list, i, &made) && !is_there(self, i, &made)) {
            place = xp__sweep_grow(self, (void **)&sweep->demos, sweep->demos_count,
                                   &sweep->demos_room, sizeof *sweep->demos);
        }
        if (place != NULL) {
            *place = made;
            sweep->demos_count++;
        } else {
            xp__sweep_demos_deinit(&made);
        }
    }
}

/* The first action that is no whole number: one such makes names of all. */
static const char *first_name(const xp_demos *demos) {
    const char *name = xp_demos_action_name(demos, 0);
    for (size_t i = 0; i < xp_demos_actions(demos); i++) {
        const char *other = xp_demos_action_name(demos, i);
        if (other != NULL && other[strspn(other, "0123456789")] != '\0') {
            return other;
        }
    }
    return name;
}

/* Whether demonstrations of a file can come from an environment, as far as a learner knows it. */
static xp_status check_fit(const xp_demos *demos, const xp_env_info *info, xp_error *error) {
    if (xp_demos_action_name(demos, 0) != NULL) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "their actions have names, such as '%.40s'; those of %s are numbers from 0 to %zu",
            first_name(demos), info->name, info->actions - 1);
    }
    if (xp_demos_actions(demos) > info->actions) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "they have %zu actions, but the environment has %zu: the numbers from 0 to %zu",
            xp_demos_actions(demos), info->actions, info->actions - 1);
    }
    if (xp_demos_state_size(demos) != info->state_size) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "their states have size %zu, but those of the environment have size %zu",
            xp_demos_state_size(demos), info->state_size);
    }
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory each = xp_demos_trajectory(demos, i);
        if (each.length > info->horizon) {
            return xp_error_set(
                error, XP_ERR_INPUT,
                "one of them has %zu steps, but an episode of the environment has at most %zu",
                each.length, info->horizon);
        }
        for (size_t step = 0; info->state_size > 0 && step < each.length; step++) {
            const double *state = each.states + step * info->state_size;
            const xp_status status = xp__env_check_state(info, state, step, error);
            if (status != XP_OK) {
                return status;
            }
        }
    }
    return XP_OK;
}

/* The file's demonstrations with the environment's number of actions. */
static xp_status make_ready(xp__sweep_demos *self, size_t actions, xp_error *error) {
    if (xp__sweep_given(self, actions) != NULL) {
        return XP_OK;
    }
    xp_demos *copy;
    const xp_status status = xp__demos_copy(self->given->demos, actions, &copy, error);
    return status == XP_OK ? add_given(self, copy, error) : status;
}

/* Trajectories of states are in memory, one by one where they differ. */
static void check_steps(xp__sweep_reader *self, const xp__sweep_demos *demos, size_t i,
                        const xp_env_info *info) {
    static const double most_steps = 1e9;
    const double steps = (double)demos->count * (double)info->horizon;
    if (info->state_size > 0 && steps > most_steps) {
        xp__sweep_complain(self,
                           "%s demonstrations in '%s', each of up to %zu steps, are %.0f steps, "
                           "more than %.0f",
                           demos->text, self->sweep->envs[i].spec, info->horizon, steps,
                           most_steps);
    }
}

void xp__sweep_check_demos(xp__sweep_reader *self, size_t i, const xp_env_info *info) {
    for (size_t j = 0; j < self->sweep->demos_count; j++) {
        xp__sweep_demos *demos = &self->sweep->demos[j];
        xp_error error;
        if (demos->given == NULL) {
            check_steps(self, demos, i, info);
            continue;
        }
        xp_status status = check_fit(demos->given->demos, info, &error);
        if (status == XP_OK) {
            status = make_ready(demos, info->actions, &error);
        }
        if (status == XP_ERR_MEMORY) {
            self->no_memory = true;
        } else if (status != XP_OK) {
            xp__sweep_complain(self, "demonstrations '%s' in '%s': %s", demos->text,
                               self->sweep->envs[i].spec, error.message);
        }
    }
}
