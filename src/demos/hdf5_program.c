/* hdf5_program.c: finds and runs the program that reads HDF5.
 *
 * It is looked for where the build and the installation put it, seen from the library's own file
 * (which the kernel names in /proc/self/maps), and at the place that was configured; never in the
 * current directory or on a path of the environment. What lies near the library is run only if it
 * belongs to root, to the user or to the library's owner, and is run as it was checked: by its
 * descriptor.
 *
 * The child has the file as standard input, a pipe as standard output, no standard error, no
 * environment and default signals. No descriptor of ours is below 3 (a user may have closed 0 to 2,
 * which the child's take), and none outlives an exec that another thread starts. */
#define _GNU_SOURCE /* pipe2 */
#include "demos/hdf5_program.h"

#include "base/text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Moves a descriptor, or the -1 of a failed call, above the standard ones. */
static int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) {
        return descriptor;
    }
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int reason = errno;
    (void)close(descriptor);
    errno = reason;
    return moved;
}

/* The file that this code was loaded from: the shared library, or the program. */
static bool find_own_file(char *path, size_t room) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) {
        return false;
    }
    const uintptr_t here = (uintptr_t)find_own_file;
    char line[PATH_MAX + 128];
    bool found = false;
    while (!found && fgets(line, sizeof line, maps) != NULL) {
        char *end; /* start-end rights offset device inode path */
        const uintmax_t first = strtoumax(line, &end, 16);
        const uintmax_t last = *end == '-' ? strtoumax(end + 1, NULL, 16) : 0;
        const char *name = strchr(line, '/');
        if (first <= here && here < last && name != NULL) {
            found = snprintf(path, room, "%.*s", (int)strcspn(name, "\n"), name) < (int)room;
        }
    }
    (void)fclose(maps);
    return found;
}

/* Opens a program; one that lies near `own`, the library's file, only if no stranger put it there.
 * Returns -1 if there is none. */
static int open_program(const char *path, const char *own) {
    const int program = above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found, ours;
    if (program < 0) {
        return -1;
    }
    bool good = fstat(program, &found) == 0 && S_ISREG(found.st_mode);
    if (good && own != NULL) {
        const bool known = found.st_uid == 0 || found.st_uid == geteuid() ||
                           (stat(own, &ours) == 0 && found.st_uid == ours.st_uid);
        good = known && (found.st_mode & S_IWOTH) == 0;
    }
    if (!good) {
        (void)close(program);
    }
    return good ? program : -1;
}

static int find_program(void) {
    char own[PATH_MAX], path[2 * PATH_MAX];
    const bool known = find_own_file(own, sizeof own);
    int program = -1;
    for (const char *const *place = xp__hdf5_places; *place != NULL && program < 0; place++) {
        if (**place == '/') {
            program = open_program(*place, NULL);
        } else if (known) {
            const int directory = (int)(strrchr(own, '/') - own);
            (void)snprintf(path, sizeof path, "%.*s/%s", directory, own, *place);
            program = open_program(path, own);
        }
    }
    return program;
}

/* Starts `program` between two descriptors. Returns 0 or an errno. */
static int spawn(int program, int input, int output, uint64_t budget, pid_t *child) {
    char path[32], bytes[24], name[] = "experior-hdf5";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", program);
    (void)snprintf(bytes, sizeof bytes, "%" PRIu64, budget);
    char *const arguments[] = {name, bytes, NULL}, *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0) {
        return problem;
    }
    problem = posix_spawnattr_init(&attributes);
    if (problem != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return problem;
    }
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    if ((problem = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)) == 0 &&
        (problem = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0 &&
        (problem = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                                    0)) == 0 &&
        (problem = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
        (problem = posix_spawnattr_setsigdefault(&attributes, &all)) == 0 &&
        (problem = posix_spawnattr_setflags(&attributes,
                                            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) == 0) {
        problem = posix_spawn(child, path, &actions, &attributes, arguments, environment);
    }
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return problem;
}

static xp_status start(xp__hdf5_program *self, int program, int input, uint64_t budget,
                       xp_error *error) {
    int ends[2];
    int problem = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (problem == 0) {
        for (int i = 0; i < 2; i++) {
            ends[i] = above_standard(ends[i]);
            problem = ends[i] < 0 ? errno : problem;
        }
        problem = problem == 0 ? spawn(program, input, ends[1], budget, &self->child) : problem;
        if (ends[1] >= 0) {
            (void)close(ends[1]);
        }
        if (problem != 0 && ends[0] >= 0) {
            (void)close(ends[0]);
        }
        self->stream = ends[0];
    }
    return problem == 0 ? XP_OK
                        : xp_error_set(error, XP_ERR_PROGRAM,
                                       "cannot start experior-hdf5, which reads HDF5 files: %s",
                                       strerror(problem));
}

xp_status xp__hdf5_program_start(xp__hdf5_program *self, const char *path, uint64_t budget,
                                 xp_error *error) {
    /* A pipe that nobody writes to would be waited for. */
    const int input = above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (input < 0) {
        return xp_error_set(error, XP_ERR_FILE, "cannot read '%.300s': %s", path, strerror(errno));
    }
    const xp__lines place = {.name = path};
    struct stat found;
    const int program = find_program();
    xp_status status;
    if (fstat(input, &found) != 0 || !S_ISREG(found.st_mode)) {
        status = xp__lines_fail_file(
            &place, error, "is named like HDF5, which can be read from a plain file only");
    } else if (program < 0) {
        status = xp__lines_fail_file(
            &place, error,
            "HDF5 files are read by the program experior-hdf5, which is not installed with this "
            "experior: install libhdf5-dev and build it again with -DXP_HDF5=ON");
    } else {
        status = start(self, program, input, budget, error);
    }
    if (program >= 0) {
        (void)close(program);
    }
    (void)close(input);
    return status;
}

xp__hdf5_ending xp__hdf5_program_end(xp__hdf5_program *self) {
    (void)close(self->stream);
    int status = 0;
    pid_t waited;
    do {
        waited = waitpid(self->child, &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (waited != self->child) {
        return (xp__hdf5_ending){-1, -1}; /* SIGCHLD is ignored, or handled by a wait of its own */
    }
    return WIFSIGNALED(status) ? (xp__hdf5_ending){.signal = WTERMSIG(status)}
                               : (xp__hdf5_ending){.code = WEXITSTATUS(status)};
}
