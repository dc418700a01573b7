/* pictures.c: the pictures that a study drew itself, as files and back.
 *
 * The JSON names each with its title; the SVG is in a file beside it, whose name follows from the
 * study's and the number, and which is sealed. */
#include "report/report_parts.h"

#include "base/file.h"
#include "base/memory.h"

#define LARGEST_PICTURE ((size_t)1 << 26)

void xp__report_picture_name(const char *study, size_t index, xp__text *name) {
    xp__text_format(name, "%s-picture-%zu.svg", study, index + 1);
}

static char *path_of(const xp_study_result *result, const char *directory, size_t index) {
    xp__text name = {.data = NULL};
    xp__report_picture_name(result->study, index, &name);
    char *path = name.failed ? NULL : xp__report_path(directory, name.data, "");
    xp__text_deinit(&name);
    return path;
}

static xp_status write_picture(const xp_study_result *result, const char *directory,
                               const char *name, size_t index, xp_error *error) {
    xp__text svg = {.data = NULL};
    xp__text_append(&svg, result->pictures[index].svg);
    xp__svg_seal(&svg);
    const xp_status status =
        svg.failed ? xp__no_memory(error)
                   : xp__report_file_write(directory, name, "", svg.data, svg.length, error);
    xp__text_deinit(&svg);
    return status;
}

xp_status xp__report_pictures_write(const xp_study_result *result, const char *directory,
                                    xp_error *error) {
    xp_status status = XP_OK;
    bool more = true;
    for (size_t i = 0; status == XP_OK && more; i++) {
        xp__text name = {.data = NULL};
        xp__report_picture_name(result->study, i, &name);
        status = name.failed ? xp__no_memory(error)
                 : i < result->picture_count
                     ? write_picture(result, directory, name.data, i, error)
                     : xp__report_file_remove(directory, name.data, "", &more, error);
        xp__text_deinit(&name);
    }
    return status;
}

xp_status xp__report_pictures_read(xp_study_result *result, const char *directory,
                                   xp_error *error) {
    for (size_t i = 0; i < result->picture_count; i++) {
        char *path = path_of(result, directory, i), *svg = NULL;
        size_t bytes = 0;
        if (path == NULL) {
            return xp__no_memory(error);
        }
        const xp_status status = xp__file_read_regular(path, LARGEST_PICTURE, &svg, &bytes, NULL);
        xp__free(path);
        if (status == XP_ERR_MEMORY) {
            return xp__no_memory(error);
        }
        if (status == XP_OK && xp__svg_is_sealed(svg, bytes)) {
            result->pictures[i].svg = svg;
        } else if (status == XP_OK) {
            xp__free(svg);
        }
    }
    return XP_OK;
}
