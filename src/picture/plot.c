/* plot.c: gnuplot as a process: script in, SVG out.
 *
 * The program is started directly, with an argument vector and no shell. Script, output and
 * messages are temporary files without a name (tmpfile), so that nothing is left behind however the
 * run ends and no pipe can fill up. */
#include "picture/chart.h"

#include "base/file.h"
#include "base/check.h"
#include "base/memory.h"
#include "picture/svg.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* passed on as it is; not read */

/* gnuplot's output beyond this is no picture of ours. */
#define LARGEST_OUTPUT ((long)1 << 28)

typedef struct streams {
    FILE *script, *output, *messages;
} streams;

static void streams_close(streams *files) {
    FILE *const all[] = {files->script, files->output, files->messages};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] != NULL) {
            (void)fclose(all[i]);
        }
    }
}

static xp_status streams_open(streams *files, const char *script, size_t bytes, xp_error *error) {
    *files = (streams){tmpfile(), tmpfile(), tmpfile()};
    if (files->script == NULL || files->output == NULL || files->messages == NULL ||
        fwrite(script, 1, bytes, files->script) != bytes || fflush(files->script) != 0 ||
        fseek(files->script, 0, SEEK_SET) != 0) {
        const xp_status status = xp_error_set(
            error, XP_ERR_FILE, "cannot write a temporary file for gnuplot: %s", strerror(errno));
        streams_close(files);
        return status;
    }
    return XP_OK;
}

/* All that the program wrote, zero-terminated. */
static xp_status collect(FILE *stream, char **data, size_t *bytes, xp_error *error) {
    long size = -1;
    if (fseek(stream, 0, SEEK_END) == 0) {
        size = ftell(stream);
    }
    if (size < 0 || size > LARGEST_OUTPUT || fseek(stream, 0, SEEK_SET) != 0) {
        return xp_error_set(error, XP_ERR_FILE, "cannot read what gnuplot wrote: %s",
                            size > LARGEST_OUTPUT ? "too large" : strerror(errno));
    }
    *data = xp__alloc((size_t)size + 1, 1);
    if (*data == NULL) {
        return xp__no_memory(error);
    }
    *bytes = fread(*data, 1, (size_t)size, stream);
    return XP_OK;
}

/* Starts the program and waits for it. Returns 0 or the errno of the start; *code is its exit
 * status, or minus the signal that ended it. */
static int run(const streams *files, int *code) {
    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0) {
        return problem;
    }
    FILE *const standard[] = {files->script, files->output, files->messages};
    for (int i = 0; i < 3 && problem == 0; i++) {
        problem = posix_spawn_file_actions_adddup2(&actions, fileno(standard[i]), i);
    }
    /* -d: no start-up files of the user's; -: the script is standard input. */
    char program[] = "gnuplot", plain[] = "-d", from_input[] = "-";
    char *const arguments[] = {program, plain, from_input, NULL};
    pid_t child = 0;
    if (problem == 0) {
        problem = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) {
        return problem;
    }
    int status = 0;
    pid_t waited;
    do {
        waited = waitpid(child, &status, 0);
    } while (waited < 0 && errno == EINTR);
    /* If the caller ignores SIGCHLD the status is lost; then the output alone decides. */
    *code = waited != child ? 0 : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

/* gnuplot shows the command, a caret, then "line 12: what is wrong": that last line is the one to
 * repeat, or else the first with any text. */
static void first_message(const char *messages, xp__text *line) {
    const char *chosen = NULL;
    size_t length = 0;
    for (const char *p = messages; *p != '\0';) {
        p += strspn(p, " \t\r\n");
        const size_t here = strcspn(p, "\r\n");
        const bool located = strncmp(p, "line ", 5) == 0 || strncmp(p, "\"-\" line ", 9) == 0;
        if (here > 0 && (chosen == NULL || located)) {
            chosen = p;
            length = here;
        }
        if (located) {
            break;
        }
        p += here;
    }
    if (chosen != NULL) {
        xp__text_bytes(line, chosen, length < 300 ? length : 300);
    }
}

static xp_status failure(FILE *stream, int code, xp_error *error) {
    char *messages = NULL;
    size_t bytes = 0;
    const xp_status status = collect(stream, &messages, &bytes, error);
    if (status != XP_OK) {
        return status;
    }
    xp__text line = {.data = NULL};
    first_message(messages, &line);
    xp__free(messages);
    if (line.data != NULL) {
        (void)xp_error_set(error, XP_ERR_PROGRAM, "gnuplot failed: %s", line.data);
    } else if (code < 0) {
        (void)xp_error_set(error, XP_ERR_PROGRAM, "gnuplot was ended by signal %d", -code);
    } else {
        (void)xp_error_set(error, XP_ERR_PROGRAM, "gnuplot failed with exit status %d and no word",
                           code);
    }
    xp__text_deinit(&line);
    return XP_ERR_PROGRAM;
}

static xp_status finish(const streams *files, int code, const char *prefix, const char *title,
                        char **svg, size_t *svg_bytes, xp_error *error) {
    if (code != 0) {
        return failure(files->messages, code, error);
    }
    char *raw = NULL;
    size_t bytes = 0;
    xp_status status = collect(files->output, &raw, &bytes, error);
    if (status != XP_OK) {
        return status;
    }
    xp__text text = {.data = NULL};
    const bool whole = xp__svg_tidy(raw, prefix, title, &text);
    xp__free(raw);
    if (!whole) {
        xp__text_deinit(&text);
        return failure(files->messages, code, error);
    }
    xp__svg_seal(&text);
    return xp__text_take(&text, svg, svg_bytes, error);
}

static xp_status run_script(const xp__text *script, const char *prefix, const char *title,
                            char **svg, size_t *svg_bytes, bool *missing, xp_error *error) {
    streams files;
    xp_status status = streams_open(&files, script->data, script->length, error);
    if (status != XP_OK) {
        return status;
    }
    int code = 0;
    const int problem = run(&files, &code);
    /* Where the system starts programs by fork, a program that is not there exits with 127. */
    if (problem == ENOENT || problem == ENOTDIR || (problem == 0 && code == 127)) {
        *missing = true;
    } else if (problem != 0) {
        status = xp_error_set(error, XP_ERR_PROGRAM, "cannot start gnuplot: %s", strerror(problem));
    } else {
        status = finish(&files, code, prefix, title, svg, svg_bytes, error);
    }
    streams_close(&files);
    return status;
}

xp_status xp__plot_draw(const xp__chart *chart, const char *prefix, char **svg, size_t *svg_bytes,
                        bool *missing, xp_error *error) {
    *svg = NULL;
    *missing = false;
    xp__text script = {.data = NULL};
    xp_status status = xp__plot_script(chart, &script, error);
    if (status == XP_OK && script.length > 0) {
        status = run_script(&script, prefix, chart->title, svg, svg_bytes, missing, error);
    }
    xp__text_deinit(&script);
    return status;
}

xp_status xp_picture_series(const xp_series *series, size_t count, const char *title,
                            const char *path, xp_error *error) {
    if (count > 0) {
        XP__NOT_NULL(series, error);
    }
    XP__NOT_NULL(title, error);
    XP__NOT_NULL(path, error);
    const xp__chart chart = {.title = title, .series = series, .series_count = count};
    char *svg;
    size_t bytes = 0;
    bool missing;
    xp_status status = xp__plot_draw(&chart, "picture", &svg, &bytes, &missing, error);
    if (status == XP_OK && svg != NULL) {
        status = xp__file_write(path, svg, bytes, error);
    } else if (status == XP_OK && missing) {
        status = xp_error_set(error, XP_ERR_PROGRAM,
                              "cannot draw '%s': gnuplot was not found (on Debian and Ubuntu: "
                              "gnuplot-nox)",
                              path);
    } else if (status == XP_OK) {
        status = xp_error_set(error, XP_ERR_INPUT, "there is nothing to draw in '%s'", path);
    }
    xp__free(svg);
    return status;
}
