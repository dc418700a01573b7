/* load_path.c: what lies at a path: text, an HDF5 file or a Minari dataset (a directory).
 *
 * Only plain files are looked into before they are read: what was taken from a pipe is gone. */
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/text/scan.h"
#include "base/text/text.h"

#include <string.h>
#include <sys/stat.h>

static bool is_plain_file(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* By its first bytes; or by its name, so that a damaged one is not taken for text. */
static bool is_hdf5(const char *path) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    const char *dot = strrchr(path, '.');
    if (dot != NULL && (xp__scan_same(dot, ".hdf5") || xp__scan_same(dot, ".h5"))) {
        return true;
    }
    if (!is_plain_file(path)) {
        return false;
    }
    char start[sizeof signature];
    FILE *file = fopen(path, "rb");
    const bool same = file != NULL && fread(start, 1, sizeof start, file) == sizeof start &&
                      memcmp(start, signature, sizeof start) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return same;
}

/* A Minari dataset is named by its directory; the one below that holds the file will do too. */
static xp_status load_directory(const char *path, const xp_env_info *env, xp_demos **demos,
                                xp_error *error) {
    static const char *const places[] = {"data/main_data.hdf5", "main_data.hdf5"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        xp__text text = {.data = NULL};
        char *inside;
        xp__text_format(&text, "%s/%s", path, places[i]);
        xp_status status = xp__text_take(&text, &inside, NULL, error);
        if (status != XP_OK) {
            return status;
        }
        const bool found = is_plain_file(inside);
        if (found) {
            status = xp__demos_load_hdf5(inside, env, demos, error);
        }
        xp__free(inside);
        if (found) {
            return status;
        }
    }
    return xp_error_set(error, XP_ERR_FILE,
                        "cannot read '%.300s': Is a directory, and no Minari dataset: it has no "
                        "data/main_data.hdf5",
                        path);
}

static bool is_directory(const char *path) {
    struct stat found;
    return strcmp(path, "-") != 0 && stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool xp__demos_is_dataset(const char *path) {
    return is_directory(path) || is_hdf5(path);
}

xp_status xp_demos_load_for(const char *path, const xp_env_info *env, xp_demos **demos,
                            xp_error *error) {
    XP__NOT_NULL(demos, error);
    *demos = NULL;
    XP__NOT_NULL(path, error);
    if (is_directory(path)) {
        return load_directory(path, env, demos, error);
    }
    return is_hdf5(path) ? xp__demos_load_hdf5(path, env, demos, error)
                         : xp__demos_load_text(path, env, demos, error);
}

xp_status xp_demos_load(const char *path, xp_demos **demos, xp_error *error) {
    return xp_demos_load_for(path, NULL, demos, error);
}
