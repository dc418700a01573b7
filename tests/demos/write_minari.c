/* write_minari.c: writes a small Minari dataset to the path it is given; with an action, 0 or 1,
 * one of deep_sea:size=4 in which every expert takes that action at each step. */
#include "minari_file.h"

enum { SIZE_OF_SEA = 4 };

static hid_t deep_sea_file(const char *path, int64_t action) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int64_t cell[SIZE_OF_SEA + 1], actions[SIZE_OF_SEA];
    double rewards[SIZE_OF_SEA] = {0};
    for (int step = 0; step < SIZE_OF_SEA; step++) {
        cell[step] = step * SIZE_OF_SEA + step * action;
        actions[step] = action;
    }
    cell[SIZE_OF_SEA] = cell[SIZE_OF_SEA - 1];
    put(file, "episode_0/rewards", H5T_NATIVE_DOUBLE, SIZE(SIZE_OF_SEA), rewards);
    put(file, "episode_0/observations", H5T_NATIVE_INT64, SIZE(SIZE_OF_SEA + 1, 1), cell);
    put(file, "episode_0/actions", H5T_NATIVE_INT64, SIZE(SIZE_OF_SEA), actions);
    return file;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        (void)fputs("usage: write_minari PATH [ACTION]\n", stderr);
        return 2;
    }
    const hid_t file = argc == 3 ? deep_sea_file(argv[1], atoi(argv[2])) : minari_file(argv[1]);
    return H5Fclose(file) < 0;
}
