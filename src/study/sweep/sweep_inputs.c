/* sweep_inputs.c: the files that a sweep was read from, which its report must not replace. */
#include "study/sweep/sweep_type.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

xp__sweep_input xp__sweep_input_at(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 ? (xp__sweep_input){found.st_dev, found.st_ino}
                                   : (xp__sweep_input){.inode = 0};
}

static bool is_same(const xp__sweep_input *left, const xp__sweep_input *right) {
    return left->inode != 0 && left->inode == right->inode && left->device == right->device;
}

/* What a file was read as, or NULL. */
static const char *role_of(const xp_sweep *sweep, const xp__sweep_input *file) {
    if (is_same(&sweep->input, file)) {
        return "the sweep file itself";
    }
    for (size_t i = 0; i < sweep->demos_count; i++) {
        if (is_same(&sweep->demos[i].input, file)) {
            return "a file of demonstrations";
        }
    }
    return NULL;
}

xp_status xp__sweep_check_inputs(const xp_sweep *sweep, const char *directory, xp_error *error) {
    static const char page[] = "index.html", copy[] = ".sweep";
    /* What a report writes, or removes where the numbers have no use for it (docs/report.md). */
    static const char *const endings[] = {
        ".json",           ".csv", ".svg", "-runs.csv", "-values.csv", "-values.sqlite", copy,
        "-aggregates.csv", page};
    const size_t bytes = strlen(directory) + strlen(sweep->name) + sizeof "/-aggregates.csv";
    char *path = xp__alloc(bytes, 1);
    if (path == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < sizeof endings / sizeof endings[0]; i++) {
        const char *name = endings[i] == page ? "" : sweep->name;
        (void)snprintf(path, bytes, "%s/%s%s", directory, name, endings[i]);
        const xp__sweep_input there = xp__sweep_input_at(path);
        /* A sweep may be resumed from its own copy. */
        const bool resumes = endings[i] == copy && is_same(&sweep->input, &there);
        const char *role = resumes ? NULL : role_of(sweep, &there);
        if (role != NULL) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "the report would overwrite '%.300s', %s: choose another "
                                  "directory, or give the sweep another name",
                                  path, role);
        }
    }
    xp__free(path);
    return status;
}
