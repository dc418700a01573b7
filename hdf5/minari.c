/* minari.c: the episodes of a Minari dataset (data/main_data.hdf5), in the order of their numbers:
 *
 *     episode_<n>/observations    T + 1 rows, or T; the state after the last action is left out
 *     episode_<n>/actions         T whole numbers
 *
 * Rewards, terminations, truncations, infos and attributes are not looked at. The layout is that of
 * Minari 0.3 to 0.5. A refusal ends the program, so nothing is closed on the way to one. Calls that
 * would open another file than the one given (links, virtual and external datasets) are not made.
 */
#include "minari.h"

#include "send.h"

#include "demos/hdf5_stream.h"

#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "episode_";
/* Opening standard input again finds the same file, whatever its path leads to by now. */
static const char input[] = "/proc/self/fd/0";
/* H5F_ACC_RDONLY is a macro that also calls H5check, which prints and aborts when the library is
 * another release than the header; check_version() asks the same and refuses. */
static const unsigned read_only = 0;
static const uint64_t number_max = UINT64_C(1) << 53; /* of an episode */

typedef struct episodes {
    uint64_t *number;
    size_t count, room;
} episodes;

/* A dataset with its shape. */
typedef struct table {
    char place[64]; /* episode_<n>/<name> */
    hid_t id;
    int rank;
    hsize_t size[H5S_MAX_RANK]; /* size[0] rows */
    uint64_t width;             /* numbers per row; UINT64_MAX if they are even more */
    size_t bytes;               /* of a number in the file */
} table;

static void *take(void *block, size_t count, size_t size) {
    void *moved = count <= SIZE_MAX / size ? realloc(block, count * size) : NULL;
    if (moved == NULL) {
        send_no_memory();
    }
    return moved;
}

static herr_t note_reason(unsigned depth, const H5E_error2_t *entry, void *text) {
    (void)depth;
    (void)snprintf(text, 120, "%s", entry->desc != NULL ? entry->desc : "");
    return 1;
}

/* What HDF5 said at the bottom of its last failed call; `text` has 120 bytes. To be asked before
 * any other call. */
static const char *last_reason(char *text) {
    text[0] = '\0';
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, text);
    return text[0] != '\0' ? text : "HDF5 gives no reason";
}

static void check_version(void) {
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
        minor != H5_VERS_MINOR) {
        send_refusal("is HDF5, for which experior was built with HDF5 %d.%d but finds %u.%u",
                     H5_VERS_MAJOR, H5_VERS_MINOR, major, minor);
    }
}

static hid_t open_file(void) {
    const hid_t file = H5Fopen(input, read_only, H5P_DEFAULT);
    if (file < 0) {
        char text[120];
        const char *reason = last_reason(text);
        if (H5Fis_hdf5(input) == 0) {
            send_refusal("is not an HDF5 file, though named like one");
        }
        send_refusal("cannot be opened, it may be damaged or open elsewhere (%s)", reason);
    }
    return file;
}

/* A number as Minari writes it: digits, no sign, no leading zero. */
static bool read_number(const char *text, uint64_t *number) {
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 16 || text[digits] != '\0' || (text[0] == '0' && digits > 1)) {
        return false;
    }
    *number = strtoull(text, NULL, 10);
    return *number <= number_max;
}

static herr_t list_episode(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    (void)group;
    episodes *found = data;
    uint64_t number;
    const size_t skipped = sizeof prefix - 1;
    if (strncmp(name, prefix, skipped) != 0 || !read_number(name + skipped, &number)) {
        return 0;
    }
    if (info->type != H5L_TYPE_HARD) {
        send_refusal("%s%" PRIu64 " is a link, which is not followed", prefix, number);
    }
    if (found->count == found->room) {
        found->room = found->room == 0 ? 64 : 2 * found->room;
        found->number = take(found->number, found->room, sizeof *found->number);
    }
    found->number[found->count++] = number;
    return 0;
}

static int by_number(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static episodes list_episodes(hid_t file) {
    episodes found = {.count = 0};
    if (H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, list_episode, &found) < 0) {
        char text[120];
        send_refusal("its episodes cannot be listed (%s)", last_reason(text));
    }
    if (found.count == 0) {
        send_refusal("holds no episodes: a Minari dataset has groups episode_0, episode_1, ...");
    }
    qsort(found.number, found.count, sizeof *found.number, by_number);
    return found;
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

/* That the dataset holds numbers which fill their bytes, as all do that programs compute with: HDF5
 * can describe others, and converts them without looking whether a damaged description makes
 * sense. */
static void check_numbers(table *at) {
    const hid_t type = H5Dget_type(at->id);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if (class == H5T_NO_CLASS) {
        send_refusal("%s: cannot be read, it may be damaged", at->place);
    }
    if (class != H5T_INTEGER && class != H5T_FLOAT) {
        send_refusal("%s: holds %s, not numbers", at->place, class_name(class));
    }
    at->bytes = H5Tget_size(type);
    if (at->bytes > 8 || H5Tget_precision(type) != 8 * at->bytes || H5Tget_offset(type) != 0) {
        send_refusal("%s: holds numbers that are not of 1, 2, 4 or 8 whole bytes", at->place);
    }
    (void)H5Tclose(type);
}

static void measure(table *at) {
    const hid_t space = H5Dget_space(at->id);
    at->rank = space >= 0 ? H5Sget_simple_extent_dims(space, at->size, NULL) : -1;
    if (at->rank < 0) {
        send_refusal("%s: cannot be read, it may be damaged", at->place);
    }
    (void)H5Sclose(space);
    if (at->rank == 0) {
        send_refusal("%s: is a single value, not one row per step", at->place);
    }
    at->width = 1;
    for (int i = 1; i < at->rank; i++) {
        at->width = at->size[i] == 0 || at->width <= UINT64_MAX / at->size[i]
                        ? at->width * at->size[i]
                        : UINT64_MAX;
    }
}

static table open_table(hid_t group, uint64_t episode, const char *name) {
    table at;
    (void)snprintf(at.place, sizeof at.place, "%s%" PRIu64 "/%s", prefix, episode, name);
    H5L_info_t link;
    const htri_t there = H5Lexists(group, name, H5P_DEFAULT);
    if (there == 0) {
        send_refusal("%s: is missing", at.place);
    }
    if (there < 0 || H5Lget_info(group, name, &link, H5P_DEFAULT) < 0) {
        send_refusal("%s: cannot be read, it may be damaged", at.place);
    }
    if (link.type != H5L_TYPE_HARD) {
        send_refusal("%s: is a link, which is not followed", at.place);
    }
    at.id = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t type = at.id >= 0 ? H5Iget_type(at.id) : H5I_BADID;
    if (type == H5I_GROUP) {
        send_refusal("%s: is a group: Dict and Tuple spaces are not read; flatten the space before "
                     "recording",
                     at.place);
    }
    if (type != H5I_DATASET) {
        send_refusal("%s: cannot be read as a dataset", at.place);
    }
    check_numbers(&at);
    measure(&at);
    return at;
}

/* Whether all chunks of a dataset were written. Their bytes do not tell: they may be compressed. */
static bool has_all_chunks(const table *at, hid_t plist) {
    hsize_t size[H5S_MAX_RANK], there, wanted = 1;
    if (H5Pget_chunk(plist, H5S_MAX_RANK, size) != at->rank) {
        return false;
    }
    for (int i = 0; i < at->rank; i++) {
        wanted *= size[i] == 0 ? 0 : at->size[i] / size[i] + (at->size[i] % size[i] != 0 ? 1 : 0);
    }
    const hid_t space = H5Dget_space(at->id);
    const bool whole =
        space >= 0 && H5Dget_num_chunks(at->id, space, &there) >= 0 && there == wanted;
    (void)H5Sclose(space);
    return whole;
}

/* That all of the dataset was written, and to this file. HDF5 gives zeros for what was not. */
static void check_storage(const table *at) {
    const hid_t plist = H5Dget_create_plist(at->id);
    if (plist < 0) {
        send_refusal("%s: cannot be read, it may be damaged", at->place);
    }
    const H5D_layout_t layout = H5Pget_layout(plist);
    if (H5Pget_external_count(plist) != 0 || layout == H5D_VIRTUAL) {
        send_refusal("%s: lies in another file, which is not read", at->place);
    }
    const hsize_t stored = H5Dget_storage_size(at->id);
    if (stored == 0) {
        send_refusal("%s: was never written", at->place);
    }
    const bool whole = layout == H5D_CHUNKED ? has_all_chunks(at, plist)
                                             : stored >= at->size[0] * at->width * at->bytes;
    if (!whole) {
        send_refusal("%s: was written only in part; record the dataset again", at->place);
    }
    (void)H5Pclose(plist);
}

/* The first `rows` rows. */
static void read_rows(const table *at, hsize_t rows, double *numbers) {
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    memcpy(count, at->size, sizeof count);
    count[0] = rows;
    const hid_t file = H5Dget_space(at->id), memory = H5Screate_simple(at->rank, count, NULL);
    if (file < 0 || memory < 0 ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(at->id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, numbers) < 0) {
        char text[120];
        send_refusal("%s: cannot be read, it may be damaged (%s)", at->place, last_reason(text));
    }
    (void)H5Sclose(memory);
    (void)H5Sclose(file);
}

static void convert_actions(const table *at, const double *number, uint64_t steps,
                            uint32_t *action) {
    for (uint64_t step = 0; step < steps; step++) {
        const double value = number[step];
        if (!isfinite(value) || floor(value) != value) {
            send_refusal("%s: action of step %" PRIu64 " = %g is not a whole number; continuous "
                         "actions are not read",
                         at->place, step, value);
        }
        if (value < 0 || value >= XP__HDF5_ACTIONS) {
            send_refusal("%s: action of step %" PRIu64 " = %.17g is outside 0 .. %d", at->place,
                         step, value, XP__HDF5_ACTIONS - 1);
        }
        action[step] = (uint32_t)value;
    }
}

/* That actions and states belong together and their memory may be taken. */
static void check_shapes(const table *actions, const table *states, uint64_t episode,
                         uint64_t budget) {
    const uint64_t steps = actions->size[0], rows = states->size[0];
    if (actions->width != 1) {
        send_refusal("%s: has %" PRIu64 " numbers per step; an action is one", actions->place,
                     actions->width);
    }
    if (steps == 0) {
        send_refusal("%s: has no steps", actions->place);
    }
    if (rows != steps && rows - 1 != steps) {
        send_refusal("%s: has %" PRIu64 " rows for %" PRIu64 " actions; expected %" PRIu64
                     ", or %" PRIu64 " with the last state",
                     states->place, rows, steps, steps, steps + 1);
    }
    if (states->width == 0) {
        send_refusal("%s: has no numbers per state", states->place);
    }
    const double bytes = xp__hdf5_bytes(steps, states->width);
    if (bytes > (double)budget) {
        send_refusal("%s%" PRIu64 " needs %.1f GiB of memory (%" PRIu64 " steps of %" PRIu64
                     " numbers), more than the %.1f GiB allowed; record shorter episodes or "
                     "smaller states",
                     prefix, episode, bytes / 0x1p30, steps, states->width,
                     (double)budget / 0x1p30);
    }
}

static void read_episode(hid_t file, uint64_t episode, uint64_t budget) {
    char name[sizeof prefix + 24];
    (void)snprintf(name, sizeof name, "%s%" PRIu64, prefix, episode);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0) {
        send_refusal("%s cannot be read as a group", name);
    }
    const table actions = open_table(group, episode, "actions"),
                states = open_table(group, episode, "observations");
    check_shapes(&actions, &states, episode, budget);
    check_storage(&actions);
    check_storage(&states);
    const size_t steps = (size_t)actions.size[0], width = (size_t)states.width;
    double *number = take(NULL, steps * width, sizeof *number);
    uint32_t *action = take(NULL, steps, sizeof *action);
    read_rows(&actions, steps, number); /* width is not 0: there is room */
    convert_actions(&actions, number, steps, action);
    read_rows(&states, steps, number);
    send_episode(episode, steps, width, action, number);
    free(number);
    free(action);
    (void)H5Oclose(actions.id);
    (void)H5Oclose(states.id);
    (void)H5Gclose(group);
}

_Noreturn void minari_send(uint64_t budget) {
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print */
    check_version();
    (void)H5PLset_loading_state(0); /* no filters from shared libraries that lie about */
    const hid_t file = open_file();
    const episodes found = list_episodes(file);
    for (size_t i = 0; i < found.count; i++) {
        read_episode(file, found.number[i], budget);
    }
    send_end(found.count);
}
