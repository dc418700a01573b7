/* service.c: finds and becomes the program experior-serve. Like experior-hdf5 it is looked for
 * where the build and the installation put it, seen from this program's own file, and at the place
 * that was configured; never on a path of the environment. */
#include "service.h"

#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 2 * CLI_OPTION_MAX + 4 };

/* One that a stranger put there is not run: whoever owns this program is none. */
static bool is_trusted(const char *path) {
    struct stat found, own;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & S_IWOTH) == 0 &&
           (found.st_uid == 0 || found.st_uid == geteuid() ||
            (stat("/proc/self/exe", &own) == 0 && found.st_uid == own.st_uid));
}

bool cli_service_find(const char *const *places, char *path, size_t room) {
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = '\0';
        *strrchr(own, '/') = '\0';
    }
    for (const char *const *place = places; *place != NULL; place++) {
        const bool absolute = **place == '/';
        if (!absolute && length <= 0) {
            continue;
        }
        const int used = absolute ? snprintf(path, room, "%s", *place)
                                  : snprintf(path, room, "%s/%s", own, *place);
        if (used > 0 && (size_t)used < room && is_trusted(path)) {
            return true;
        }
    }
    return false;
}

int cli_service_run(const cli_arguments *arguments, const char *action) {
    static char dashed[CLI_OPTION_MAX][64];
    char path[2 * PATH_MAX];
    const char *words[MOST_WORDS];
    size_t count = 0;
    if (!cli_service_find(cli_service_places, path, sizeof path)) {
        cli_complain(
            "the program experior-serve is not installed; build with libmicrohttpd-dev and "
            "libssl-dev");
        return CLI_BAD;
    }
    words[count++] = "experior-serve";
    words[count++] = arguments->command->name;
    if (action != NULL) {
        words[count++] = action;
    }
    for (size_t i = 0; arguments->command->options[i].name != NULL; i++) {
        const cli_option *option = &arguments->command->options[i];
        const char *value = option->kind == CLI_FLAG
                                ? (cli_flag(arguments, option->name) ? "yes" : NULL)
                                : cli_text(arguments, option->name);
        if (value != NULL) {
            (void)snprintf(dashed[i], sizeof dashed[i], "--%s", option->name);
            words[count++] = dashed[i];
            words[count++] = value;
        }
    }
    words[count] = NULL;
    (void)fflush(NULL);
    (void)execv(path, (char *const *)words);
    cli_complain("experior-serve cannot be run: %s", strerror(errno));
    return CLI_BAD;
}
