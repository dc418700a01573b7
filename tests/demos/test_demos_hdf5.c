/* Minari datasets: what is read of them, and that every way in which one can be wrong is one
 * sentence, on no stream, with file, episode and dataset. */
#include "claim.h"
#include "house/failing_allocator.h"
#include "minari_file.h"

#include "demos/demos_type.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path_of(const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    return path;
}

static void drop(hid_t file, const char *name) {
    EXPECT(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
}

static hid_t good_file(const char *name) {
    return minari_file(path_of(name));
}

CLAIM(states_and_actions_of_every_episode_are_read_without_the_last_state) {
    (void)H5Fclose(good_file("good.hdf5"));
    xp_demos *demos;
    xp_error error = {XP_OK, ""};
    EXPECT(xp_demos_load(path_of("good.hdf5"), &demos, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    EXPECT(xp_demos_count(demos) == 3 && xp_demos_distinct(demos) == 2);
    EXPECT(xp_demos_actions(demos) == 3 && xp_demos_state_size(demos) == 2);
    const xp_trajectory first = xp_demos_trajectory(demos, 0),
                        second = xp_demos_trajectory(demos, 1);
    EXPECT(first.count == 2 && first.length == 3 && second.count == 1 && second.length == 2);
    EXPECT(first.actions[0] == 2 && first.actions[1] == 0 && first.actions[2] == 1);
    EXPECT(first.states[0] == 0.5 && first.states[1] == 1 && first.states[2] == 0.25 &&
           first.states[3] == 2 && first.states[4] == 0 && first.states[5] == 3);
    xp_demos_destroy(demos);
}

CLAIM(a_file_is_known_by_its_first_bytes_and_a_dataset_by_its_directory) {
    xp_demos *demos;
    xp_error error = {XP_OK, ""};
    (void)H5Fclose(good_file("no_extension"));
    EXPECT(xp_demos_load(path_of("no_extension"), &demos, &error) == XP_OK);
    xp_demos_destroy(demos);
    EXPECT(mkdir(path_of("set"), 0700) == 0 && mkdir(path_of("set/data"), 0700) == 0);
    EXPECT(xp_demos_load(path_of("set"), &demos, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "Is a directory, and no Minari dataset: it has no data/main_data");
    (void)H5Fclose(good_file("set/data/main_data.hdf5"));
    static const char *const names[] = {"set", "set/data", "set/data/main_data.hdf5"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        EXPECT(xp_demos_load(path_of(names[i]), &demos, &error) == XP_OK);
        EXPECT(demos != NULL && xp_demos_count(demos) == 3);
        xp_demos_destroy(demos);
    }
    EXPECT(freopen(path_of("no_extension"), "r", stdin) != NULL);
    EXPECT(xp_demos_load("-", &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "standard input: is HDF5, which can be read from a plain file only");
}

/* As FrozenLake gives them: observations and actions are whole numbers. */
CLAIM(discrete_states_are_states_of_one_number_and_episodes_go_by_number) {
    const hid_t file = H5Fcreate(path_of("lake.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 11; i >= 0; i--) { /* by name, episode_10 comes before episode_2 */
        char name[64];
        (void)snprintf(name, sizeof name, "episode_%d/observations", i);
        put(file, name, H5T_NATIVE_INT64, SIZE(2), (int64_t[]){i, 100});
        (void)snprintf(name, sizeof name, "episode_%d/actions", i);
        put(file, name, H5T_NATIVE_UINT8, SIZE(1, 1), (uint8_t[]){(uint8_t)(i % 4)});
    }
    put(file, "episode_x", H5T_NATIVE_INT, SIZE(1), &(int){7}); /* is none, nor is the next */
    put(file, "episode_007", H5T_NATIVE_INT, SIZE(1), &(int){7});
    (void)H5Fclose(file);
    xp_demos *demos;
    EXPECT(xp_demos_load(path_of("lake.h5"), &demos, NULL) == XP_OK);
    EXPECT(xp_demos_distinct(demos) == 12 && xp_demos_actions(demos) == 4 &&
           xp_demos_state_size(demos) == 1);
    for (uint32_t i = 0; i < 12; i++) {
        const xp_trajectory got = xp_demos_trajectory(demos, i);
        EXPECT(got.length == 1 && got.states[0] == i && got.actions[0] == i % 4);
    }
    xp_demos_destroy(demos);
}

CLAIM(other_shapes_that_mean_the_same_are_read) {
    const hid_t file = good_file("shapes.h5");
    drop(file, "episode_1/actions"); /* whole numbers that are stored as reals */
    put(file, "episode_1/actions", H5T_NATIVE_DOUBLE, SIZE(2), (double[]){2, 0});
    drop(file, "episode_1/observations"); /* without the last state; as a picture of 1 by 2 */
    put(file, "episode_1/observations", H5T_STD_I16BE, SIZE(2, 1, 2), "\0\1\0\2\377\375\0\4");
    (void)H5Fclose(file);
    xp_demos *demos;
    EXPECT(xp_demos_load(path_of("shapes.h5"), &demos, NULL) == XP_OK);
    const xp_trajectory got = xp_demos_trajectory(demos, 1);
    EXPECT(got.length == 2 && got.actions[0] == 2 && got.actions[1] == 0);
    EXPECT(got.states[0] == 1 && got.states[1] == 2 && got.states[2] == -3 && got.states[3] == 4);
    xp_demos_destroy(demos);
}

static void replace_actions(hid_t file, hid_t type, int rank, const hsize_t *size,
                            const void *data) {
    drop(file, "episode_1/actions");
    put(file, "episode_1/actions", type, rank, size, data);
}

static void replace_states(hid_t file, hid_t type, int rank, const hsize_t *size,
                           const void *data) {
    drop(file, "episode_1/observations");
    put(file, "episode_1/observations", type, rank, size, data);
}

static void no_actions(hid_t file) {
    drop(file, "episode_1/actions");
}
static void no_states(hid_t file) {
    drop(file, "episode_1/observations");
}
static void no_episodes(hid_t file) {
    drop(file, "episode_0");
    drop(file, "episode_1");
    drop(file, "episode_2");
}
static void episode_is_a_dataset(hid_t file) {
    drop(file, "episode_1");
    put(file, "episode_1", H5T_NATIVE_INT, SIZE(1), &(int){1});
}
static void continuous_actions(hid_t file) {
    replace_actions(file, H5T_NATIVE_FLOAT, SIZE(2, 1), (float[]){1, 0.5F});
}
static void nan_action(hid_t file) {
    replace_actions(file, H5T_NATIVE_DOUBLE, SIZE(2), (double[]){1, (double)NAN});
}
static void negative_action(hid_t file) {
    replace_actions(file, H5T_NATIVE_INT8, SIZE(2), (int8_t[]){-1, 0});
}
static void large_action(hid_t file) {
    replace_actions(file, H5T_NATIVE_INT64, SIZE(2), (int64_t[]){1, 1000000});
}
static void two_actions_a_step(hid_t file) {
    replace_actions(file, H5T_NATIVE_INT64, SIZE(2, 3), (int64_t[]){1, 0, 1, 0, 0, 0});
}
static void no_steps(hid_t file) {
    replace_actions(file, H5T_NATIVE_INT64, SIZE(0), NULL);
}
static void one_value(hid_t file) {
    replace_actions(file, H5T_NATIVE_INT64, 0, NULL, &(int64_t){1});
}
static void text_actions(hid_t file) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, 4);
    replace_actions(file, type, SIZE(2), "left\0\0\0\0");
    (void)H5Tclose(type);
}
static void true_or_false(hid_t file) { /* as h5py stores truth values */
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    (void)H5Tenum_insert(type, "FALSE", &(int8_t){0});
    (void)H5Tenum_insert(type, "TRUE", &(int8_t){1});
    replace_states(file, type, SIZE(3, 2), (int8_t[]){0, 1, 0, 1, 0, 1});
    (void)H5Tclose(type);
}
static void pictures(hid_t file) { /* as Minari stores JPEG images of different sizes */
    const hid_t type = H5Tvlen_create(H5T_NATIVE_UINT8);
    replace_states(file, type, SIZE(3), NULL);
    (void)H5Tclose(type);
}
static void compound(hid_t file) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    (void)H5Tinsert(type, "x", 0, H5T_NATIVE_DOUBLE);
    replace_states(file, type, SIZE(3), (double[]){1, 2, 3});
    (void)H5Tclose(type);
}
static void odd_numbers(hid_t file) {
    const hid_t type = H5Tcopy(H5T_NATIVE_INT16);
    (void)H5Tset_precision(type, 11);
    replace_states(file, type, SIZE(3, 2), (int16_t[6]){0});
    (void)H5Tclose(type);
}
static void dict_states(hid_t file) {
    drop(file, "episode_1/observations");
    put(file, "episode_1/observations/position", H5T_NATIVE_FLOAT, SIZE(3), (float[]){1, 2, 3});
}
static void nan_state(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(3, 2), (float[]){0, 0, 0, NAN, 0, 0});
}
static void wider_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(3, 3), (float[9]){0});
}
static void flat_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(3), (float[3]){0});
}
static void empty_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(3, 0), NULL);
}
static void too_few_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(1, 2), (float[2]){0});
}
static void too_many_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(4, 2), (float[8]){0});
}
static void unwritten_states(hid_t file) {
    replace_states(file, H5T_NATIVE_FLOAT, SIZE(3, 2), NULL);
}
/* One chunk of one number is written; those that are not take no room in the file. */
static void put_huge(hid_t file, const char *name, int rank, const hsize_t *size) {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, size, NULL);
    const hsize_t chunk[3] = {1, 1, 1}, start[3] = {0};
    (void)H5Pset_chunk(layout, rank, chunk);
    const hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_INT8, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    const hid_t one = H5Screate_simple(rank, chunk, NULL);
    (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, chunk, NULL);
    EXPECT(H5Dwrite(set, H5T_NATIVE_INT8, one, space, H5P_DEFAULT, &(int8_t){0}) >= 0);
    (void)H5Sclose(one);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
    (void)H5Pclose(layout);
}
static void huge_states(hid_t file) {
    drop(file, "episode_1/observations");
    put_huge(file, "episode_1/observations", SIZE(3, UINT64_C(1) << 31, UINT64_C(1) << 20));
}
static void huge_episode(hid_t file) {
    drop(file, "episode_1/actions");
    drop(file, "episode_1/observations");
    put_huge(file, "episode_1/actions", SIZE(UINT64_C(1) << 40));
    put_huge(file, "episode_1/observations", SIZE(UINT64_C(1) << 40));
}
static void half_states(hid_t file) { /* as a recorder leaves them that was stopped */
    drop(file, "episode_1/observations");
    put_huge(file, "episode_1/observations", SIZE(3, 2));
}
static void half_actions(hid_t file) {
    drop(file, "episode_1/actions");
    put_huge(file, "episode_1/actions", SIZE(2));
}
static void linked_episode(hid_t file) {
    drop(file, "episode_1");
    (void)H5Lcreate_external("other.hdf5", "/episode_0", file, "episode_1", H5P_DEFAULT,
                             H5P_DEFAULT);
}
static void linked_states(hid_t file) {
    drop(file, "episode_1/observations");
    (void)H5Lcreate_soft("/episode_0/observations", file, "episode_1/observations", H5P_DEFAULT,
                         H5P_DEFAULT);
}
static void named_type(hid_t file) {
    drop(file, "episode_1/actions");
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    (void)H5Tcommit2(file, "episode_1/actions", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Tclose(type);
}
static void external_actions(hid_t file) {
    drop(file, "episode_1/actions");
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(SIZE(2), NULL);
    (void)H5Pset_external(layout, "/etc/passwd", 0, 16);
    (void)H5Dclose(H5Dcreate2(file, "episode_1/actions", H5T_NATIVE_INT64, space, H5P_DEFAULT,
                              layout, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Pclose(layout);
}

/* What is done to a good file, and the sentence, after the file's name. */
static const struct {
    void (*spoil)(hid_t file);
    const char *sentence;
} wrong[] = {
    {no_episodes, "holds no episodes: a Minari dataset has groups episode_0, episode_1, ..."},
    {no_actions, "episode_1/actions: is missing"},
    {no_states, "episode_1/observations: is missing"},
    {episode_is_a_dataset, "episode_1 cannot be read as a group"},
    {continuous_actions, "episode_1/actions: action of step 1 = 0.5 is not a whole number; "
                         "continuous actions are not read"},
    {nan_action, "episode_1/actions: action of step 1 = nan is not a whole number"},
    {negative_action, "episode_1/actions: action of step 0 = -1 is outside 0 .. 999999"},
    {large_action, "episode_1/actions: action of step 1 = 1000000 is outside 0 .. 999999"},
    {two_actions_a_step, "episode_1/actions: has 3 numbers per step; an action is one"},
    {no_steps, "episode_1/actions: has no steps"},
    {huge_episode, "episode_1 needs 12288.0 GiB of memory (1099511627776 steps of 1 numbers)"},
    {one_value, "episode_1/actions: is a single value, not one row per step"},
    {text_actions, "episode_1/actions: holds texts, not numbers"},
    {named_type, "episode_1/actions: cannot be read as a dataset"},
    {external_actions, "episode_1/actions: lies in another file, which is not read"},
    {true_or_false, "episode_1/observations: holds truth values or names, not numbers"},
    {pictures, "episode_1/observations: holds lists of varying length (images, as Minari "
               "compresses them), not numbers"},
    {compound, "episode_1/observations: holds compound values, not numbers"},
    {odd_numbers, "episode_1/observations: holds numbers that are not of 1, 2, 4 or 8 whole bytes"},
    {dict_states, "episode_1/observations: is a group: Dict and Tuple spaces are not read; flatten "
                  "the space before recording"},
    {nan_state, "episode_1/observations: state 1 of step 1 = nan is not a finite number"},
    {wider_states, "episode_1/observations: has states of 3 numbers, earlier ones have 2"},
    {flat_states, "episode_1/observations: has states of 1 numbers, earlier ones have 2"},
    {empty_states, "episode_1/observations: has no numbers per state"},
    {huge_states, "episode_1 needs 33554432.0 GiB of memory (2 steps of 2251799813685248 numbers), "
                  "more than the 1.0 GiB allowed; record shorter episodes or smaller states"},
    {too_few_states, "episode_1/observations: has 1 rows for 2 actions; expected 2, or 3 with the "
                     "last state"},
    {too_many_states, "episode_1/observations: has 4 rows for 2 actions; expected 2, or 3 with the "
                      "last state"},
    {unwritten_states, "episode_1/observations: was never written"},
    {half_states, "episode_1/observations: was written only in part; record the dataset again"},
    {half_actions, "episode_1/actions: was written only in part; record the dataset again"},
    {linked_episode, "episode_1 is a link, which is not followed"},
    {linked_states, "episode_1/observations: is a link, which is not followed"},
};

/* Standard error goes to a file between these two; the second tells how much was written. */
static int saved_stderr;
static void watch_stderr(void) {
    (void)fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    FILE *file = fopen(path_of("stderr"), "w");
    (void)dup2(fileno(file), STDERR_FILENO);
    (void)fclose(file);
}
static off_t stderr_bytes(void) {
    struct stat found;
    (void)fflush(stderr);
    (void)fstat(STDERR_FILENO, &found);
    (void)dup2(saved_stderr, STDERR_FILENO);
    (void)close(saved_stderr);
    return found.st_size;
}

CLAIM(every_mistake_is_one_sentence_with_file_episode_and_dataset_and_nothing_is_printed) {
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const hid_t file = good_file("wrong.h5");
        wrong[i].spoil(file);
        EXPECT(H5Fclose(file) >= 0);
        xp_demos *demos;
        xp_error error = {XP_OK, ""};
        watch_stderr();
        const xp_status status = xp_demos_load(path_of("wrong.h5"), &demos, &error);
        const xp_status silent = xp_demos_load(path_of("wrong.h5"), &demos, NULL);
        EXPECT(stderr_bytes() == 0);
        EXPECT(status == XP_ERR_INPUT && silent == status && demos == NULL);
        char sentence[700];
        (void)snprintf(sentence, sizeof sentence, "wrong.h5: %s", wrong[i].sentence);
        EXPECT_TEXT(error.message, sentence);
    }
}

static void write_bytes(const char *name, const char *bytes, size_t count) {
    FILE *file = fopen(path_of(name), "wb");
    EXPECT(fwrite(bytes, 1, count, file) == count);
    (void)fclose(file);
}

CLAIM(what_is_no_hdf5_or_was_cut_short_is_refused) {
    xp_demos *demos;
    xp_error error;
    write_bytes("text.h5", "1\n2\n", 4);
    EXPECT(xp_demos_load(path_of("text.h5"), &demos, &error) == XP_ERR_INPUT && demos == NULL);
    EXPECT_TEXT(error.message, "text.h5: is not an HDF5 file, though named like one");
    write_bytes("empty.HDF5", "", 0);
    EXPECT(xp_demos_load(path_of("empty.HDF5"), &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "empty.HDF5: is not an HDF5 file");
    EXPECT(xp_demos_load(path_of("none.h5"), &demos, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "No such file");

    (void)H5Fclose(good_file("whole"));
    static char bytes[1 << 16];
    FILE *file = fopen(path_of("whole"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    EXPECT(size > 4000 && size < sizeof bytes);
    watch_stderr();
    size_t refused = 0, tried = 0;
    for (size_t kept = 8; kept < size; kept += 97, tried++) {
        write_bytes("cut", bytes, kept);
        refused += xp_demos_load(path_of("cut"), &demos, &error) == XP_ERR_INPUT && demos == NULL &&
                           strstr(error.message, "/cut: ") != NULL
                       ? 1
                       : 0;
    }
    EXPECT(stderr_bytes() == 0 && tried > 40 && refused == tried);
    EXPECT_TEXT(error.message, "cannot be opened, it may be damaged or open elsewhere (truncated");
}

/* An environment of the kind of frozen_lake: one whole number in 0 .. 15 and one real. */
static const size_t categories[] = {16, 0};
static const xp_env_info lake = {
    .name = "lake", .actions = 3, .state_size = 2, .horizon = 100, .categories = categories};

CLAIM(a_dataset_must_fit_the_environment_it_is_loaded_for) {
    hid_t file = good_file("env.h5");
    xp_demos *demos;
    xp_error error;
    (void)H5Fclose(file);
    EXPECT(xp_demos_load_for(path_of("env.h5"), &lake, &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message,
                "env.h5: episode_0/observations: state 0 of step 0 = 0.5; in lake it "
                "is a whole number from 0 to 15, or -1 if it is not shown");
    xp_env_info other = lake;
    other.categories = (const size_t[]){0, 0};
    other.actions = 4;
    EXPECT(xp_demos_load_for(path_of("env.h5"), &other, &demos, &error) == XP_OK);
    EXPECT(demos != NULL && xp_demos_actions(demos) == 4);
    xp_demos_destroy(demos);
    other.actions = 2;
    EXPECT(xp_demos_load_for(path_of("env.h5"), &other, &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "env.h5: episode_0/actions: step 0: in lake there is no action '2'; "
                               "actions are the whole numbers 0 to 1");
    other.actions = 3;
    other.state_size = 1;
    EXPECT(xp_demos_load_for(path_of("env.h5"), &other, &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "env.h5: episode_0/observations: has states of 2 numbers, those of "
                               "lake have 1");
}

/* A dataset of `count` × `chunk` zeros: one compressed chunk, stored again and again. */
static void put_repeated(hid_t file, const char *name, hsize_t chunk, hsize_t count) {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(layout, 1, &chunk);
    (void)H5Pset_deflate(layout, 9);
    put_laid_out(file, name, layout, H5T_NATIVE_INT8, SIZE(chunk * count), NULL);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set),
                one = H5Screate_simple(1, &chunk, NULL);
    hsize_t start = 0, bytes;
    (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &chunk, NULL);
    void *zeros = calloc(chunk, 1);
    EXPECT(H5Dwrite(set, H5T_NATIVE_INT8, one, space, H5P_DEFAULT, zeros) >= 0);
    EXPECT(H5Dget_chunk_storage_size(set, &start, &bytes) >= 0 && bytes < chunk / 500);
    uint32_t filters;
    EXPECT(H5Dread_chunk(set, H5P_DEFAULT, &start, &filters, zeros) >= 0);
    for (hsize_t i = 1; i < count; i++) {
        start = i * chunk;
        EXPECT(H5Dwrite_chunk(set, H5P_DEFAULT, filters, &start, bytes, zeros) >= 0);
    }
    free(zeros);
    (void)H5Sclose(one);
    (void)H5Sclose(space);
    (void)H5Dclose(set);
    (void)H5Pclose(layout);
}

CLAIM(a_small_file_that_unpacks_to_gigabytes_is_refused_before_memory_is_taken) {
    const hid_t file = H5Fcreate(path_of("bomb.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Gclose(H5Gcreate2(file, "episode_0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_repeated(file, "episode_0/actions", 1 << 22, 64);
    put_repeated(file, "episode_0/observations", 1 << 22, 64);
    EXPECT(H5Fclose(file) >= 0);
    struct stat found;
    EXPECT(stat(path_of("bomb.h5"), &found) == 0 && found.st_size < 1 << 20);
    xp_demos *demos;
    xp_error error;
    EXPECT(xp_demos_load(path_of("bomb.h5"), &demos, &error) == XP_ERR_INPUT && demos == NULL);
    EXPECT_TEXT(error.message, "bomb.h5: episode_0 needs 3.0 GiB of memory (268435456 steps of 1 "
                               "numbers), more than the 1.0 GiB allowed");
    struct rusage reader;
    EXPECT(getrusage(RUSAGE_CHILDREN, &reader) == 0 && reader.ru_maxrss < 300 << 10); /* KiB */
}

CLAIM(a_pipe_is_not_waited_for) {
    xp_demos *demos;
    xp_error error;
    EXPECT(mkfifo(path_of("pipe.h5"), 0600) == 0);
    EXPECT(xp_demos_load(path_of("pipe.h5"), &demos, &error) == XP_ERR_INPUT && demos == NULL);
    EXPECT_TEXT(error.message, "pipe.h5: is named like HDF5, which can be read from a plain file");
    EXPECT(mkdir(path_of("folder.h5"), 0700) == 0);
    EXPECT(xp_demos_load(path_of("folder.h5"), &demos, &error) == XP_ERR_FILE && demos == NULL);
    EXPECT_TEXT(error.message, "Is a directory, and no Minari dataset");
}

static int open_descriptors(void) {
    int count = 0;
    for (int i = 0; i < 256; i++) {
        count += fcntl(i, F_GETFD) >= 0 ? 1 : 0;
    }
    return count;
}

CLAIM(no_descriptor_and_no_process_is_left_behind) {
    (void)H5Fclose(good_file("left.h5"));
    write_bytes("spoilt.h5", "x", 1);
    const int before = open_descriptors();
    static const char *const names[] = {"left.h5", "spoilt.h5", "none.h5", "pipe.h5"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        xp_demos *demos;
        (void)xp_demos_load(path_of(names[i]), &demos, NULL);
        xp_demos_destroy(demos);
        EXPECT(xp_demos_load_for(path_of(names[i]), &lake, &demos, NULL) !=
               XP_OK); /* stops early */
    }
    EXPECT(open_descriptors() == before);
    EXPECT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

CLAIM(a_program_that_ignores_its_children_reads_all_the_same) {
    (void)H5Fclose(good_file("ignored.h5"));
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    xp_demos *demos;
    EXPECT(xp_demos_load(path_of("ignored.h5"), &demos, NULL) == XP_OK);
    xp_demos_destroy(demos);
    write_bytes("bad.h5", "x", 1);
    EXPECT(xp_demos_load(path_of("bad.h5"), &demos, NULL) == XP_ERR_INPUT);
    (void)signal(SIGCHLD, before);
}

static void *load_often(void *path) {
    size_t *right = calloc(1, sizeof *right);
    for (int i = 0; i < 12; i++) {
        xp_demos *demos;
        *right += xp_demos_load(path, &demos, NULL) == XP_OK && xp_demos_count(demos) == 3 ? 1 : 0;
        xp_demos_destroy(demos);
    }
    return right;
}

CLAIM(threads_may_load_at_once) {
    char path[512];
    (void)H5Fclose(good_file("shared.h5"));
    (void)snprintf(path, sizeof path, "%s", path_of("shared.h5"));
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        EXPECT(pthread_create(&threads[i], NULL, load_often, path) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *right;
        EXPECT(pthread_join(threads[i], &right) == 0 && *(size_t *)right == 12);
        free(right);
    }
}

CLAIM(loading_survives_every_failed_allocation) {
    (void)H5Fclose(good_file("memory.h5"));
    EXPECT(mkdir(path_of("dir"), 0700) == 0);
    (void)H5Fclose(good_file("dir/main_data.hdf5"));
    static const char *const names[] = {"memory.h5", "dir"};
    for (size_t i = 0; i < 2; i++) {
        failing_allocator allocator;
        xp_status status = XP_ERR_MEMORY;
        size_t n = 0;
        for (; n < 100 && status != XP_OK; n++) {
            failing_allocator_install(&allocator, n);
            xp_demos *demos;
            xp_error error = {XP_OK, ""};
            status = xp_demos_load(path_of(names[i]), &demos, &error);
            EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && demos == NULL));
            EXPECT(error.status == status);
            xp_demos_destroy(demos);
            EXPECT(allocator.alive == 0);
        }
        EXPECT(status == XP_OK && n > 8);
    }
    xp__allocator_install(NULL);
}
