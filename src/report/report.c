/* report.c: what is written where.
 *
 * A study's JSON, CSV and SVG are written first, then the page is made from the directory's JSON
 * files that are named after studies and sweeps and the SVG files beside them. Each file is
 * replaced whole; one that no longer belongs to the numbers is removed. A page without a picture
 * says why.
 *
 * Others may write in the directory: what is read there is never trusted. */
#include "report/report_parts.h"

#include "base/check.h"
#include "base/file.h"
#include "base/grow.h"
#include "study/study_type.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_PICTURE ((size_t)1 << 28)

static const char gnuplot_missing[] =
    "gnuplot was not found, so this study has no picture. Install it (on Debian and Ubuntu: "
    "gnuplot-nox) and run the study again to draw it; its finished units are kept.";
static const char picture_missing[] =
    "The picture of this study is missing. Run the study again to draw it (gnuplot is needed); its "
    "finished units are kept.";
static const char picture_foreign[] =
    "The SVG file beside this page is not one that ExPerior wrote; it is not shown.";

char *xp__report_path(const char *directory, const char *name, const char *ending) {
    xp__text path = {.data = NULL};
    const size_t length = strlen(directory);
    xp__text_format(&path, "%s%s%s%s", directory,
                    length > 0 && directory[length - 1] == '/' ? "" : "/", name, ending);
    char *result = NULL;
    (void)xp__text_take(&path, &result, NULL, NULL);
    return result;
}

xp_status xp__report_file_write(const char *directory, const char *name, const char *ending,
                                const void *data, size_t bytes, xp_error *error) {
    char *path = xp__report_path(directory, name, ending);
    const xp_status status =
        path != NULL ? xp__file_write_regular(path, data, bytes, error) : xp__no_memory(error);
    xp__free(path);
    return status;
}

xp_status xp__report_file_remove(const char *directory, const char *name, const char *ending,
                                 bool *there, xp_error *error) {
    char *path = xp__report_path(directory, name, ending);
    if (path == NULL) {
        return xp__no_memory(error);
    }
    const bool removed = unlink(path) == 0;
    xp_status status = XP_OK;
    if (!removed && errno != ENOENT) {
        status = xp_error_set(error, XP_ERR_FILE, "cannot remove '%s': %s", path, strerror(errno));
    }
    if (there != NULL) {
        *there = removed;
    }
    xp__free(path);
    return status;
}

/* Writes `text` to DIR/NAMEending and empties it. */
static xp_status write_text(xp__text *text, const char *directory, const char *name,
                            const char *ending, xp_error *error) {
    char *data = NULL;
    size_t bytes = 0;
    xp_status status = xp__text_take(text, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp__report_file_write(directory, name, ending, data, bytes, error);
    }
    xp__free(data);
    return status;
}

/* A study's name is part of file names, ids and a command line. */
static bool is_name(const char *study) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return study[0] != '\0' && study[strspn(study, allowed)] == '\0';
}

/* The picture of `result`, for xp__free; NULL if there is nothing to draw or no gnuplot
 * (*missing). */
static xp_status draw(const xp_study_result *result, char **svg, size_t *bytes, bool *missing,
                      xp_error *error) {
    *svg = NULL;
    *missing = false;
    xp__chart_row *rows = xp__alloc(result->row_count, sizeof *rows);
    if (rows == NULL) {
        return xp__no_memory(error);
    }
    const xp__chart chart = xp__report_chart(result, rows);
    const xp_status status = xp__plot_draw(&chart, result->study, svg, bytes, missing, error);
    xp__free(rows);
    return status;
}

/* Everything about the studies of a directory that the page shows; sized for all its files. */
typedef struct collection {
    char **names; /* of the JSON files, without ".json", sorted */
    size_t name_count, name_room;
    xp__report_study *studies;
    char **pictures;
    const char **absent;
    size_t count;
    char **skipped;
    size_t skipped_count;
} collection;

static void collection_deinit(collection *all) {
    for (size_t i = 0; i < all->name_count; i++) {
        xp__free(all->names[i]);
    }
    for (size_t i = 0; i < all->count; i++) {
        xp__report_study_deinit(&all->studies[i]);
        xp__free(all->pictures[i]);
    }
    for (size_t i = 0; i < all->skipped_count; i++) {
        xp__free(all->skipped[i]);
    }
    xp__free(all->names);
    xp__free(all->studies);
    xp__free(all->pictures);
    xp__free(all->absent);
    xp__free(all->skipped);
}

/* The order that studies name, then the others by name. */
static unsigned rank(const char *name) {
    const xp__study_type *type = xp__study_find(name);
    return type != NULL && type->order > 0 ? type->order : UINT_MAX;
}

static int by_rank(const void *left, const void *right) {
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    const unsigned rank_a = rank(a), rank_b = rank(b);
    return rank_a != rank_b ? (rank_a < rank_b ? -1 : 1) : strcmp(a, b);
}

/* Adds the name of a JSON file, without its ending. */
static bool add_name(collection *all, const char *file) {
    char **names = xp__reserve(all->names, &all->name_room, all->name_count + 1, sizeof *names);
    if (names == NULL) {
        return false;
    }
    all->names = names;
    char *name = xp__strdup(file);
    if (name == NULL) {
        return false;
    }
    name[strlen(name) - strlen(".json")] = '\0';
    all->names[all->name_count++] = name;
    return true;
}

static xp_status list_studies(collection *all, const char *directory, xp_error *error) {
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        return xp_error_set(error, XP_ERR_FILE, "cannot list '%s': %s", directory, strerror(errno));
    }
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(stream)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] != '.' && length > 5 &&
            strcmp(entry->d_name + length - 5, ".json") == 0) {
            good = add_name(all, entry->d_name);
        }
    }
    (void)closedir(stream);
    if (good && all->name_count > 0) {
        qsort(all->names, all->name_count, sizeof *all->names, by_rank);
    }
    all->studies = xp__alloc(all->name_count, sizeof *all->studies);
    all->pictures = xp__alloc(all->name_count, sizeof *all->pictures);
    all->absent = xp__alloc(all->name_count, sizeof *all->absent);
    all->skipped = xp__alloc(all->name_count, sizeof *all->skipped);
    return good && all->studies != NULL && all->pictures != NULL && all->absent != NULL &&
                   all->skipped != NULL
               ? XP_OK
               : xp__no_memory(error);
}

/* The study's picture if there is one; *absent becomes the reason if it is not shown. */
static xp_status read_picture(const char *directory, const char *name, char **svg,
                              const char **absent, xp_error *error) {
    char *path = xp__report_path(directory, name, ".svg");
    if (path == NULL) {
        return xp__no_memory(error);
    }
    struct stat info;
    size_t bytes = 0;
    const bool there = lstat(path, &info) == 0;
    const xp_status status = xp__file_read_regular(path, LARGEST_PICTURE, svg, &bytes, NULL);
    xp__free(path);
    if (status == XP_ERR_MEMORY) {
        return xp__no_memory(error);
    }
    if (there && (status != XP_OK || !xp__svg_is_sealed(*svg, bytes))) {
        xp__free(*svg);
        *svg = NULL;
        *absent = picture_foreign;
    }
    return XP_OK;
}

/* The directory may hold other JSON: that is no error, but it is said. */
static xp_status skip(collection *all, const char *why, xp_error *error) {
    char *sentence = xp__strdup(why);
    if (sentence == NULL) {
        return xp__no_memory(error);
    }
    all->skipped[all->skipped_count++] = sentence;
    return XP_OK;
}

/* `absent`: what to say if there is no picture. */
static xp_status load_study(collection *all, const char *directory, const char *name,
                            const char *absent, xp_error *error) {
    char *path = xp__report_path(directory, name, ".json");
    if (path == NULL) {
        return xp__no_memory(error);
    }
    xp_error problem;
    const xp_status status = xp__report_read(path, name, &all->studies[all->count], &problem);
    xp__free(path);
    if (status == XP_OK) {
        const size_t i = all->count++;
        const xp_study_result *result = &all->studies[i].result;
        if (result->row_count > 0 || result->series_count > 0) {
            all->absent[i] = absent;
        }
        const xp_status read = xp__report_pictures_read(&all->studies[i].result, directory, error);
        return read == XP_OK
                   ? read_picture(directory, name, &all->pictures[i], &all->absent[i], error)
                   : read;
    }
    return status == XP_ERR_MEMORY ? xp__no_memory(error) : skip(all, problem.message, error);
}

/* Whether a JSON file is named after a study, or after a sweep whose file lies beside it. */
static xp_status is_ours(const char *directory, const char *name, bool *ours, xp_error *error) {
    char *path = xp__report_path(directory, name, ".sweep");
    struct stat info;
    *ours = xp__study_find(name) != NULL ||
            (is_name(name) && path != NULL && lstat(path, &info) == 0 && S_ISREG(info.st_mode));
    xp__free(path);
    return path != NULL ? XP_OK : xp__no_memory(error);
}

/* `absent`: why `study` has no picture, if it has none. */
static xp_status write_page(const char *directory, const char *study, const char *absent,
                            xp_error *error) {
    collection all = {.names = NULL};
    xp_status status = list_studies(&all, directory, error);
    for (size_t i = 0; status == XP_OK && i < all.name_count; i++) {
        const bool own = strcmp(all.names[i], study) == 0;
        bool ours = false;
        status = is_ours(directory, all.names[i], &ours, error);
        if (status == XP_OK && (own || ours)) {
            status = load_study(&all, directory, all.names[i],
                                own && absent != NULL ? absent : picture_missing, error);
        } else if (status == XP_OK) {
            xp_error problem;
            (void)xp_error_set(&problem, XP_ERR_INPUT,
                               "'%.200s.json' is named after neither a study nor a sweep whose "
                               "file ('.sweep') is beside it",
                               all.names[i]);
            status = skip(&all, problem.message, error);
        }
    }
    xp__text page = {.data = NULL};
    if (status == XP_OK) {
        const xp__page content = {.studies = all.studies,
                                  .pictures = all.pictures,
                                  .absent = all.absent,
                                  .count = all.count,
                                  .skipped = all.skipped,
                                  .skipped_count = all.skipped_count};
        status = xp__page_write(&content, &page, error);
    }
    if (status == XP_OK) {
        status = write_text(&page, directory, "index", ".html", error);
    }
    xp__text_deinit(&page);
    collection_deinit(&all);
    return status;
}

/* The files that hold the numbers; those of earlier numbers do not stay beside them. */
static xp_status write_numbers(const xp_study_result *result, const char *directory,
                               xp_error *error) {
    xp__text text = {.data = NULL};
    xp_status status = xp__report_json(result, &text, error);
    if (status == XP_OK) {
        status = write_text(&text, directory, result->study, ".json", error);
    }
    if (status == XP_OK) {
        xp__report_csv(result, &text);
        status = write_text(&text, directory, result->study, ".csv", error);
    }
    if (status == XP_OK && result->value_count > 0) {
        xp__report_runs(result, &text);
        status = write_text(&text, directory, result->study, "-runs.csv", error);
    } else if (status == XP_OK) {
        status = xp__report_file_remove(directory, result->study, "-runs.csv", NULL, error);
    }
    if (status == XP_OK) { /* xp_report_aggregates writes them, if somebody asks */
        status = xp__report_file_remove(directory, result->study, "-aggregates.csv", NULL, error);
    }
    xp__text_deinit(&text);
    return status;
}

xp_status xp_report_write(const xp_study_result *result, const char *directory, xp_error *error) {
    XP__NOT_NULL(result, error);
    XP__NOT_NULL(directory, error);
    if (!is_name(result->study)) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "'%.80s' cannot be the name of a study: use letters, digits, '_' and '-'",
            result->study);
    }
    xp_status status = xp__directory_create(directory, error);
    if (status == XP_OK) {
        status = write_numbers(result, directory, error);
    }
    if (status == XP_OK) {
        status = xp__report_pictures_write(result, directory, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp_error problem = {.status = XP_OK};
    char *svg;
    size_t bytes = 0;
    bool missing;
    const xp_status drawn = draw(result, &svg, &bytes, &missing, &problem);
    if (drawn == XP_OK || drawn == XP_ERR_PROGRAM) {
        status = svg != NULL
                     ? xp__report_file_write(directory, result->study, ".svg", svg, bytes, error)
                     : xp__report_file_remove(directory, result->study, ".svg", NULL, error);
    } else {
        status = xp_error_set(error, drawn, "%s", problem.message);
    }
    xp__free(svg);
    if (status == XP_OK) {
        const char *absent = missing ? gnuplot_missing : drawn != XP_OK ? problem.message : NULL;
        status = write_page(directory, result->study, absent, error);
    }
    /* A gnuplot that failed is reported last: the page is of use without the picture. */
    return status == XP_OK && drawn != XP_OK ? xp_error_set(error, drawn, "%s", problem.message)
                                             : status;
}

xp_status xp_report_table_text(const xp_study_result *result, char **text, xp_error *error) {
    XP__NOT_NULL(text, error);
    *text = NULL;
    XP__NOT_NULL(result, error);
    xp__text table = {.data = NULL};
    const xp_status status = xp__report_text(result, &table, error);
    if (status != XP_OK) {
        xp__text_deinit(&table);
        return status;
    }
    return xp__text_take(&table, text, NULL, error);
}
