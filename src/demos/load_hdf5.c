/* load_hdf5.c: demonstrations from the HDF5 file of a Minari dataset (data/main_data.hdf5):
 *
 *     episode_<n>/observations    T + 1 rows, or T; the state after the last action is left out
 *     episode_<n>/actions         T whole numbers
 *
 * in the order of n, one episode in memory at a time. Rewards, terminations, truncations, infos and
 * attributes are not looked at. The layout is that of Minari 0.3 to 0.5.
 *
 * HDF5 need not be built thread-safe, so a mutex (the one mutable object with static storage in the
 * library) lets one thread in at a time. It prints its errors unless told not to; that is turned
 * off here and back to what it was. Its calls that would open another file than the one named
 * (links, virtual and external datasets) are not made. */
#include "demos/demos_type.h"

#include "base/grow.h"
#include "base/scan.h"

#include <assert.h>
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Numbers in the states of one episode: 2 GiB of them. A damaged file can claim any number. */
static const uint64_t number_max = UINT64_C(1) << 28;
static const char prefix[] = "episode_";
/* H5F_ACC_RDONLY is a macro that also calls H5check, which prints and aborts when the library is
 * another release than the header; check_version() asks the same and returns. */
static const unsigned read_only = 0;

typedef struct reader {
    const char *path;
    const xp_env_info *env; /* NULL: any */
    xp_demos *demos;
    hid_t file;
    uint64_t *episodes; /* their numbers */
    size_t episode_count, episode_room;
    bool no_memory; /* in the callback that lists them */
    uint64_t foreign;
    bool has_foreign; /* episode `foreign` is a link into another file */
    uint64_t episode; /* the one being read */
    double *number;   /* its actions as they are read */
    uint32_t *action; /* and as numbers of actions */
    size_t number_room, action_room;
    double *state;
    size_t state_room;
} reader;

/* A dataset with its shape. */
typedef struct table {
    const char *name;
    hid_t id;
    int rank;
    hsize_t size[H5S_MAX_RANK]; /* size[0] rows */
    uint64_t width;             /* numbers a row, at most number_max + 1 */
} table;

/* Fails with "<path>: <sentence>". */
static xp_status fail_file(const reader *self, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static xp_status fail_file(const reader *self, xp_error *error, const char *format, ...) {
    char sentence[320];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const xp__lines place = {.name = self->path};
    return xp__lines_fail_file(&place, error, sentence);
}

/* Fails with "<path>: episode_<n>/<name>: <sentence>". */
static xp_status fail(const reader *self, const char *name, xp_error *error, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
static xp_status fail(const reader *self, const char *name, xp_error *error, const char *format,
                      ...) {
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail_file(self, error, "%s%" PRIu64 "/%s: %s", prefix, self->episode, name, sentence);
}

static herr_t note_reason(unsigned depth, const H5E_error2_t *entry, void *text) {
    (void)depth;
    (void)snprintf(text, 120, "%s", entry->desc != NULL ? entry->desc : "");
    return 1;
}

/* What HDF5 said at the bottom of its last failed call, for messages; `text` has 120 bytes. To be
 * asked before any other call. */
static const char *last_reason(char *text) {
    text[0] = '\0';
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, text);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    return text[0] != '\0' ? text : "HDF5 gives no reason";
}

static xp_status check_version(const reader *self, xp_error *error) {
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
        minor != H5_VERS_MINOR) {
        return fail_file(self, error,
                         "is HDF5, for which experior was built with HDF5 %d.%d but finds %u.%u",
                         H5_VERS_MAJOR, H5_VERS_MINOR, major, minor);
    }
    return XP_OK;
}

static xp_status open_file(reader *self, xp_error *error) {
    self->file = H5Fopen(self->path, read_only, H5P_DEFAULT);
    if (self->file >= 0) {
        return XP_OK;
    }
    char text[120];
    const char *reason = last_reason(text);
    if (H5Fis_hdf5(self->path) == 0) {
        return fail_file(self, error, "is not an HDF5 file, though named like one");
    }
    return fail_file(self, error, "cannot be opened, it may be damaged or open elsewhere (%s)",
                     reason);
}

static herr_t list_episode(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    (void)group;
    reader *self = data;
    uint64_t number;
    const size_t skipped = sizeof prefix - 1;
    if (strncmp(name, prefix, skipped) != 0 ||
        !xp__scan_whole(name + skipped, strlen(name + skipped), XP__COUNT_MAX, &number)) {
        return 0;
    }
    if (info->type != H5L_TYPE_HARD && !self->has_foreign) {
        self->has_foreign = true;
        self->foreign = number;
    }
    uint64_t *moved =
        xp__reserve(self->episodes, &self->episode_room, self->episode_count + 1, sizeof *moved);
    if (moved == NULL) {
        self->no_memory = true;
        return -1;
    }
    self->episodes = moved;
    self->episodes[self->episode_count++] = number;
    return 0;
}

static int by_number(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static xp_status list_episodes(reader *self, xp_error *error) {
    if (H5Literate(self->file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, list_episode, self) < 0) {
        char text[120];
        return self->no_memory ? xp__no_memory(error)
                               : fail_file(self, error, "its episodes cannot be listed (%s)",
                                           last_reason(text));
    }
    if (self->has_foreign) {
        return fail_file(self, error, "%s%" PRIu64 " is a link, which is not followed", prefix,
                         self->foreign);
    }
    if (self->episode_count == 0) {
        return fail_file(
            self, error,
            "holds no episodes: a Minari dataset has groups episode_0, episode_1, ...");
    }
    qsort(self->episodes, self->episode_count, sizeof *self->episodes, by_number);
    return XP_OK;
}

/* What values of a class that is not a number are called. */
static const char *class_name(H5T_class_t class) {
    switch (class) {
    case H5T_STRING:
        return "texts";
    case H5T_ENUM:
        return "truth values or names";
    case H5T_VLEN:
        return "lists of varying length (images, as Minari compresses them)";
    default:
        return "compound values";
    }
}

/* Whether the dataset lies in this file, and is there at all. */
static xp_status check_storage(const reader *self, const table *at, xp_error *error) {
    const hid_t plist = H5Dget_create_plist(at->id);
    const bool elsewhere =
        plist >= 0 && (H5Pget_external_count(plist) != 0 || H5Pget_layout(plist) == H5D_VIRTUAL);
    if (plist < 0) {
        return fail(self, at->name, error, "cannot be read, it may be damaged");
    }
    (void)H5Pclose(plist);
    if (elsewhere) {
        return fail(self, at->name, error, "lies in another file, which is not read");
    }
    if (at->size[0] != 0 && at->width != 0 && H5Dget_storage_size(at->id) == 0) {
        return fail(self, at->name, error, "was never written");
    }
    return XP_OK;
}

/* Whether numbers fill their bytes, as all do that programs compute with: HDF5 can describe others,
 * and converts them without looking whether a damaged description makes sense. */
static bool is_plain(hid_t type) {
    const size_t bytes = H5Tget_size(type);
    return bytes <= 8 && H5Tget_precision(type) == 8 * bytes && H5Tget_offset(type) == 0;
}

/* Finds the shape of an open dataset, and that it holds numbers. */
static xp_status measure(const reader *self, table *at, xp_error *error) {
    const hid_t type = H5Dget_type(at->id), space = H5Dget_space(at->id);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const bool number = class == H5T_INTEGER || class == H5T_FLOAT;
    const bool plain = number && is_plain(type);
    at->rank = space >= 0 ? H5Sget_simple_extent_dims(space, at->size, NULL) : -1;
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (class == H5T_NO_CLASS || at->rank < 0) {
        return fail(self, at->name, error, "cannot be read, it may be damaged");
    }
    if (!number) {
        return fail(self, at->name, error, "holds %s, not numbers", class_name(class));
    }
    if (!plain) {
        return fail(self, at->name, error,
                    "holds numbers that are not of 1, 2, 4 or 8 whole bytes");
    }
    if (at->rank == 0) {
        return fail(self, at->name, error, "is a single value, not one row a step");
    }
    at->width = 1;
    for (int i = 1; i < at->rank; i++) {
        at->width = at->size[i] == 0 || at->width <= number_max / at->size[i]
                        ? at->width * at->size[i]
                        : number_max + 1;
    }
    return check_storage(self, at, error);
}

/* Opens dataset `name` of an episode; close at->id if it is not negative, whatever is returned. */
static xp_status open_table(const reader *self, hid_t group, const char *name, table *at,
                            xp_error *error) {
    *at = (table){.name = name, .id = -1};
    H5L_info_t link;
    const htri_t there = H5Lexists(group, name, H5P_DEFAULT);
    if (there == 0) {
        return fail(self, name, error, "is missing");
    }
    if (there < 0 || H5Lget_info(group, name, &link, H5P_DEFAULT) < 0) {
        return fail(self, name, error, "cannot be read, it may be damaged");
    }
    if (link.type != H5L_TYPE_HARD) {
        return fail(self, name, error, "is a link, which is not followed");
    }
    at->id = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t type = at->id >= 0 ? H5Iget_type(at->id) : H5I_BADID;
    if (type == H5I_GROUP) {
        return fail(self, name, error,
                    "is a group: Dict and Tuple spaces are not read; flatten the space before "
                    "recording");
    }
    if (type != H5I_DATASET) {
        return fail(self, name, error, "cannot be read as a dataset");
    }
    return measure(self, at, error);
}

/* Reads the first `rows` rows into `numbers`. */
static xp_status read_rows(const reader *self, const table *at, hsize_t rows, double *numbers,
                           xp_error *error) {
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    memcpy(count, at->size, sizeof count);
    count[0] = rows;
    const hid_t file = H5Dget_space(at->id), memory = H5Screate_simple(at->rank, count, NULL);
    xp_status status = XP_OK;
    if (file < 0 || memory < 0 ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(at->id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, numbers) < 0) {
        char text[120];
        status = fail(self, at->name, error, "cannot be read, it may be damaged (%s)",
                      last_reason(text));
    }
    if (memory >= 0) {
        (void)H5Sclose(memory);
    }
    if (file >= 0) {
        (void)H5Sclose(file);
    }
    return status;
}

/* Turns self->number into self->action. */
static xp_status convert_actions(reader *self, const table *at, size_t steps, xp_error *error) {
    for (size_t step = 0; step < steps; step++) {
        const double value = self->number[step];
        if (!isfinite(value) || floor(value) != value) {
            return fail(self, at->name, error,
                        "action of step %zu = %g is not a whole number; continuous actions are not "
                        "read",
                        step, value);
        }
        if (value < 0 || value >= XP__ACTION_MAX) {
            return fail(self, at->name, error, "action of step %zu = %.17g is outside 0 .. %d",
                        step, value, XP__ACTION_MAX - 1);
        }
        self->action[step] = (uint32_t)value;
        if (self->env != NULL && self->action[step] >= self->env->actions) {
            char text[16];
            xp_error inner;
            const int length = snprintf(text, sizeof text, "%" PRIu32, self->action[step]);
            (void)xp__env_check_action(self->env, text, (size_t)length, &inner);
            return fail(self, at->name, error, "step %zu: %s", step, inner.message);
        }
    }
    return XP_OK;
}

static xp_status read_actions(reader *self, hid_t group, size_t *steps, xp_error *error) {
    table at;
    xp_status status = open_table(self, group, "actions", &at, error);
    if (status == XP_OK && at.width != 1) {
        status = fail(self, at.name, error, "has %" PRIu64 " numbers a step; an action is one",
                      at.width);
    } else if (status == XP_OK && (at.size[0] == 0 || at.size[0] > number_max)) {
        status = fail(self, at.name, error, "has %" PRIu64 " steps; expected 1 to %" PRIu64,
                      (uint64_t)at.size[0], number_max);
    }
    if (status == XP_OK) {
        *steps = (size_t)at.size[0];
        double *number =
            xp__reserve(self->number, &self->number_room, *steps, sizeof *self->number);
        self->number = number != NULL ? number : self->number;
        uint32_t *action =
            xp__reserve(self->action, &self->action_room, *steps, sizeof *self->action);
        self->action = action != NULL ? action : self->action;
        status = number != NULL && action != NULL
                     ? read_rows(self, &at, at.size[0], self->number, error)
                     : xp__no_memory(error);
    }
    if (status == XP_OK) {
        status = convert_actions(self, &at, *steps, error);
    }
    if (at.id >= 0) {
        (void)H5Oclose(at.id);
    }
    return status;
}

static xp_status check_states(const reader *self, const table *at, size_t steps, xp_error *error) {
    if (at->size[0] != steps && at->size[0] != (hsize_t)steps + 1) {
        return fail(self, at->name, error,
                    "has %" PRIu64 " rows for %zu actions; expected %zu, or %zu with the last "
                    "state",
                    (uint64_t)at->size[0], steps, steps, steps + 1);
    }
    assert(steps > 0); /* read_actions() saw to it */
    if (at->width == 0 || at->width > number_max / steps) {
        return fail(self, at->name, error, "has %s numbers a state",
                    at->width == 0 ? "no" : "too many");
    }
    if (self->demos != NULL && xp_demos_state_size(self->demos) != at->width) {
        return fail(self, at->name, error,
                    "has states of %" PRIu64 " numbers, earlier ones have %zu", at->width,
                    xp_demos_state_size(self->demos));
    }
    xp_error inner;
    return self->env == NULL || xp__env_check_size(self->env, (size_t)at->width, &inner) == XP_OK
               ? XP_OK
               : fail(self, at->name, error, "%s", inner.message);
}

static xp_status read_states(reader *self, hid_t group, size_t steps, size_t *size,
                             xp_error *error) {
    table at;
    xp_status status = open_table(self, group, "observations", &at, error);
    if (status == XP_OK) {
        status = check_states(self, &at, steps, error);
    }
    if (status == XP_OK) {
        *size = (size_t)at.width;
        double *state =
            xp__reserve(self->state, &self->state_room, steps * *size, sizeof *self->state);
        self->state = state != NULL ? state : self->state;
        status =
            state != NULL ? read_rows(self, &at, steps, self->state, error) : xp__no_memory(error);
    }
    for (size_t step = 0; status == XP_OK && self->env != NULL && step < steps; step++) {
        xp_error inner;
        if (xp__env_check_state(self->env, self->state + step * *size, step, &inner) != XP_OK) {
            status = fail(self, at.name, error, "%s", inner.message);
        }
    }
    if (at.id >= 0) {
        (void)H5Oclose(at.id);
    }
    return status;
}

static xp_status read_episode(reader *self, xp_error *error) {
    char name[sizeof prefix + 24];
    (void)snprintf(name, sizeof name, "%s%" PRIu64, prefix, self->episode);
    const hid_t group = H5Gopen2(self->file, name, H5P_DEFAULT);
    if (group < 0) {
        return fail_file(self, error, "%s cannot be read as a group", name);
    }
    size_t steps = 0, size = 0;
    xp_status status = read_actions(self, group, &steps, error);
    if (status == XP_OK) {
        status = read_states(self, group, steps, &size, error);
    }
    (void)H5Gclose(group);
    if (status == XP_OK && self->demos == NULL) {
        status =
            xp_demos_create(size, self->env != NULL ? self->env->actions : 0, &self->demos, error);
    }
    xp_error inner;
    if (status == XP_OK) {
        status = xp_demos_add(self->demos, self->state, self->action, steps, 1, &inner);
        if (status == XP_ERR_INPUT) {
            return fail(self, "observations", error, "%s", inner.message);
        }
        if (status != XP_OK && error != NULL) {
            *error = inner;
        }
    }
    return status;
}

static xp_status read_file(reader *self, xp_error *error) {
    xp_status status = check_version(self, error);
    if (status == XP_OK) {
        status = open_file(self, error);
    }
    if (status != XP_OK) {
        return status;
    }
    status = list_episodes(self, error);
    for (size_t i = 0; status == XP_OK && i < self->episode_count; i++) {
        self->episode = self->episodes[i];
        status = read_episode(self, error);
    }
    (void)H5Fclose(self->file);
    return status;
}

xp_status xp__demos_load_hdf5(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error) {
    reader self = {.path = path, .env = env, .file = -1};
    xp_status status;
    (void)pthread_mutex_lock(&gate);
    H5E_BEGIN_TRY {
        status = read_file(&self, error);
    }
    H5E_END_TRY;
    (void)pthread_mutex_unlock(&gate);
    xp__free(self.episodes);
    xp__free(self.number);
    xp__free(self.action);
    xp__free(self.state);
    if (status != XP_OK) {
        xp_demos_destroy(self.demos);
        self.demos = NULL;
    }
    *demos = self.demos;
    return status;
}
