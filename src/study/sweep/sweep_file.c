/* sweep_file.c: reading a sweep file. */
#include "study/sweep/sweep_reader.h"

#include "base/budget.h"
#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text/json.h"
#include "study/study_type.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE ((size_t)1 << 24)

static void read_counts(xp__sweep_reader *self, const json_t *file) {
    xp_sweep *sweep = self->sweep;
    const struct {
        const char *key;
        size_t *into, standard, most;
    } counts[] = {{"problems", &sweep->problems, 8, XP__SWEEP_SELECTING},
                  {"tasks", &sweep->tasks, 16, 100000},
                  {"episodes", &sweep->episodes, 500, 1000000}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const json_t *value = json_object_get(file, counts[i].key);
        *counts[i].into = counts[i].standard;
        if (value != NULL) {
            (void)xp__sweep_whole(self, value, counts[i].key, 1, counts[i].most, counts[i].into);
        }
    }
    const json_t *name = json_object_get(file, "name");
    const char *text = name != NULL ? json_string_value(name) : "sweep";
    const char *allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
    char shown[XP__SHOWN];
    if (text == NULL || text[0] == '\0' || strlen(text) >= XP__SWEEP_NAME ||
        strspn(text, allowed) != strlen(text)) {
        xp__sweep_complain(self,
                           "name = %s is not made of 1 to %d lower-case letters, digits and _",
                           xp__sweep_show(name, shown), (int)XP__SWEEP_NAME - 1);
    } else if (xp__study_find(text) != NULL) {
        xp__sweep_complain(self,
                           "name = \"%s\" is the name of a study, whose report has the same file "
                           "names: choose another",
                           text);
    } else {
        strcpy(sweep->name, text);
    }
}

static void read_search(xp__sweep_reader *self, const json_t *file) {
    xp__sweep_search *search = &self->sweep->search;
    json_t *object = json_object_get(file, "search"), *value;
    const char *key;
    char shown[XP__SHOWN];
    if (object == NULL) {
        return;
    }
    if (!json_is_object(object)) {
        xp__sweep_complain(self, "search = %s is not an object like {\"rounds\": 3, \"keep\": 0.5}",
                           xp__sweep_show(object, shown));
        return;
    }
    *search = (xp__sweep_search){.rounds = 3, .problems = 4, .keep = 0.5};
    json_object_foreach(object, key, value) {
        const char *text = json_string_value(value);
        if (strcmp(key, "rounds") == 0) {
            (void)xp__sweep_whole(self, value, "search.rounds", 1, 10, &search->rounds);
        } else if (strcmp(key, "problems") == 0) {
            (void)xp__sweep_whole(self, value, "search.problems", 1, 1000, &search->problems);
        } else if (strcmp(key, "keep") == 0) {
            search->keep = json_is_number(value) ? json_number_value(value) : NAN;
            if (!(search->keep > 0 && search->keep < 1)) {
                xp__sweep_complain(self, "search.keep = %s is not a share between 0 and 1",
                                   xp__sweep_show(value, shown));
            }
        } else if (strcmp(key, "measure") == 0) {
            search->by_return = text != NULL && strcmp(text, "mean return") == 0;
            if (text == NULL || (!search->by_return && strcmp(text, "final regret") != 0)) {
                xp__sweep_complain(self,
                                   "search.measure = %s is not 'final regret' or 'mean return'",
                                   xp__sweep_show(value, shown));
            }
        } else {
            xp__sweep_complain(self,
                               "search.%.60s: there is no such key; the keys are rounds, problems, "
                               "keep and measure",
                               key);
        }
    }
}

static void check_keys(xp__sweep_reader *self, json_t *file) {
    static const char *const known[] = {"name",     "environments", "experts",  "demonstrations",
                                        "agents",   "seeds",        "problems", "tasks",
                                        "episodes", "search",       "folder"};
    const char *key;
    json_t *value;
    json_object_foreach(file, key, value) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            found = found || strcmp(key, known[i]) == 0;
        }
        if (!found) {
            xp__sweep_complain(
                self,
                "'%.60s': there is no such key; the keys are name, environments, experts, "
                "demonstrations, agents, seeds, problems, tasks, episodes, search and folder",
                key);
        }
    }
}

/* Files are looked for there only if it is a directory. */
static void read_folder(xp__sweep_reader *self, const json_t *file) {
    const json_t *value = json_object_get(file, "folder");
    if (value == NULL) {
        return;
    }
    self->folder = json_string_value(value);
    const bool named = self->folder != NULL && self->folder[0] != '\0';
    char *path = named ? xp__sweep_path(self, ".") : NULL;
    char shown[XP__SHOWN];
    struct stat found;
    if (named && path == NULL) {
        self->no_memory = true;
    } else if (!named || stat(path, &found) != 0) {
        xp__sweep_complain(self, "folder = %s: %s", xp__sweep_show(value, shown),
                           named ? strerror(errno) : "that is not the name of a directory");
        self->no_folder = true;
    }
    xp__free(path);
}

static void read_all(xp__sweep_reader *self, json_t *file) {
    check_keys(self, file);
    read_counts(self, file);
    xp__sweep_read_envs(self, file);
    xp__sweep_read_experts(self, file);
    read_folder(self, file);
    xp__sweep_read_demos(self, file);
    xp__sweep_read_agents(self, file);
    xp__sweep_read_seeds(self, file);
    read_search(self, file);
    xp__sweep_check_together(self);
}

/* Entries point into arrays that no longer move. */
static void connect(xp_sweep *sweep) {
    for (size_t i = 0; i < sweep->expert_count; i++) {
        sweep->experts[i].entry.spec = sweep->experts[i].spec;
    }
    for (size_t i = 0; i < sweep->agent_count; i++) {
        sweep->agents[i].entry = (xp__agent_entry){
            .label = sweep->agents[i].spec, .spec = sweep->agents[i].spec, .may_fail = true};
    }
}

/* The full path of the folder of files into a copy of the sweep file, which is kept elsewhere. */
static xp_status name_folder(const xp__sweep_reader *self, json_t *file, xp_error *error) {
    char *folder = xp__sweep_path(self, "."), full[PATH_MAX];
    if (folder == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    if (realpath(folder, full) == NULL) {
        status = xp_error_set(error, XP_ERR_FILE, "cannot find the folder '%.300s': %s", folder,
                              strerror(errno));
    } else if (!xp__scan_utf8(full, strlen(full))) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "the path of the folder '%.300s' is not valid UTF-8, which a sweep "
                              "file must be",
                              full);
    } else if (json_object_set_new(file, "folder", json_string(full)) != 0) {
        status = xp__no_memory(error);
    }
    xp__free(folder);
    return status;
}

/* The file as text. A folder that no file is looked for in may be gone when it is read again. */
static xp_status keep_text(const xp__sweep_reader *self, json_t *file, xp_error *error) {
    xp_sweep *sweep = self->sweep;
    bool has_files = false;
    for (size_t i = 0; i < sweep->demos_count; i++) {
        has_files = has_files || (sweep->demos[i].given != NULL && sweep->demos[i].text[0] != '/');
    }
    xp_status status = XP_OK;
    if (has_files) {
        status = name_folder(self, file, error);
    } else {
        (void)json_object_del(file, "folder");
    }
    if (status != XP_OK) {
        return status;
    }
    char *text = json_dumps(file, JSON_INDENT(2));
    xp__free(sweep->text);
    sweep->text = text != NULL ? xp__strdup(text) : NULL;
    free(text);
    return sweep->text != NULL ? XP_OK : xp__no_memory(error);
}

/* The file as JSON; a mark of UTF-8 at its start, as some editors leave it, is passed over. */
static xp_status parse(const char *path, const char *text, size_t bytes, json_t **file,
                       xp_error *error) {
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped = strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return xp_error_set(error, XP_ERR_INPUT, "'%s' is in UTF-16: save it as UTF-8", path);
    }
    return xp__json_parse(text + skipped, bytes - skipped, path, XP__BUDGET, file, error);
}

xp_status xp_sweep_load(const char *path, xp_notice fault, void *fault_context, xp_sweep **sweep,
                        xp_error *error) {
    XP__NOT_NULL(sweep, error);
    *sweep = NULL;
    XP__NOT_NULL(path, error);
    xp_sweep *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    size_t bytes = 0;
    xp_status status = xp__file_read(path, LARGEST_FILE, &made->text, &bytes, error);
    json_t *file = NULL;
    made->input = xp__sweep_input_at(path);
    if (status == XP_OK) {
        status = parse(path, made->text, bytes, &file, error);
    }
    xp__sweep_reader self = {.sweep = made, .path = path, .fault = fault, .context = fault_context};
    if (status == XP_OK) {
        read_all(&self, file);
        xp__sweep_complain_rest(&self);
        if (self.no_memory) {
            status = xp__no_memory(error);
        } else if (self.faults > 0) {
            status =
                xp_error_set(error, XP_ERR_INPUT, "'%s' has %zu mistake%s; nothing was computed",
                             path, self.faults, self.faults == 1 ? "" : "s");
        }
    }
    if (status == XP_OK) {
        status = keep_text(&self, file, error);
    }
    json_decref(file);
    if (status != XP_OK) {
        xp_sweep_destroy(made);
        return status;
    }
    connect(made);
    *sweep = made;
    return XP_OK;
}

void xp_sweep_destroy(xp_sweep *sweep) {
    if (sweep != NULL) {
        for (size_t i = 0; i < sweep->demos_count; i++) {
            xp__sweep_demos_deinit(&sweep->demos[i]);
        }
        xp__free(sweep->text);
        xp__free(sweep->envs);
        xp__free(sweep->experts);
        xp__free(sweep->demos);
        xp__free(sweep->agents);
        xp__free(sweep->seeds);
        xp__free(sweep);
    }
}
