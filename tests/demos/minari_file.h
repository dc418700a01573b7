/* minari_file.h: writes HDF5 files as Minari 0.5 lays them out, for tests. */
#ifndef XP_TESTS_DEMOS_MINARI_FILE_H
#define XP_TESTS_DEMOS_MINARI_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A test that cannot write its file has nothing to test. */
static void must(bool done) {
    if (!done) {
        (void)fputs("a test file cannot be written\n", stderr);
        abort();
    }
}

/* Writes a dataset, and the groups above it; `data` may be NULL: then nothing is written. */
static void put_laid_out(hid_t file, const char *name, hid_t layout, hid_t type, int rank,
                         const hsize_t *size, const void *data) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    (void)H5Pset_create_intermediate_group(links, 1);
    const hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(file, name, type, space, links, layout, H5P_DEFAULT);
    must(set >= 0);
    if (data != NULL) {
        must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    }
    (void)H5Dclose(set);
    (void)H5Sclose(space);
    (void)H5Pclose(links);
}
static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size,
                const void *data) {
    put_laid_out(file, name, H5P_DEFAULT, type, rank, size, data);
}
#define SIZE(...)                                                                                  \
    (int)(sizeof((hsize_t[]){__VA_ARGS__}) / sizeof(hsize_t)), (const hsize_t[]) {                 \
        __VA_ARGS__                                                                                \
    }

/* Three episodes of 3, 2 and 3 steps, the last like the first, with states of two numbers
 * (those of the last in compressed chunks) and all that Minari writes besides. */
static hid_t minari_file(const char *path) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    static const float states[] = {0.5F, 1, 0.25F, 2, -0.0F, 3, 9, 9};
    static const int64_t actions[] = {2, 0, 1};
    static const double rewards[] = {0, 0, 1};
    static const hsize_t steps[] = {3, 2, 3};
    for (int i = 0; i < 3; i++) {
        static const char *const rewards_of[] = {"episode_0/rewards", "episode_1/rewards",
                                                 "episode_2/rewards"};
        static const char *const states_of[] = {"episode_0/observations", "episode_1/observations",
                                                "episode_2/observations"};
        static const char *const actions_of[] = {"episode_0/actions", "episode_1/actions",
                                                 "episode_2/actions"};
        put(file, rewards_of[i], H5T_NATIVE_DOUBLE, SIZE(steps[i]), rewards);
        put(file, states_of[i], H5T_NATIVE_FLOAT, SIZE(steps[i] + 1, 2), states);
        put(file, actions_of[i], H5T_NATIVE_INT64, SIZE(steps[i]), actions);
    }
    const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
    must(H5Pset_chunk(chunks, SIZE(2, 2)) >= 0 && H5Pset_deflate(chunks, 9) >= 0 &&
         H5Ldelete(file, "episode_2/observations", H5P_DEFAULT) >= 0);
    put_laid_out(file, "episode_2/observations", chunks, H5T_NATIVE_FLOAT, SIZE(4, 2), states);
    (void)H5Pclose(chunks);
    put(file, "episode_0/infos/note", H5T_NATIVE_INT, SIZE(1), &(int){7});
    return file;
}

#endif
