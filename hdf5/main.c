/* main.c: experior-hdf5, the program that reads Minari datasets for the library.
 *
 *     experior-hdf5 BUDGET <FILE >PIPE
 *
 * BUDGET is the most bytes an episode may take in memory; demos/hdf5_stream.h has what is written.
 * libhdf5 cannot be trusted with a damaged file, so the program first gives up what it will not
 * need: memory and processor time without end, open files, core dumps, files it could write. */
#define _GNU_SOURCE /* close_range */
#include "minari.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sanitizers reserve terabytes of addresses. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define XP_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define XP_SANITIZED 1
#endif
#endif
#ifndef XP_SANITIZED
#define XP_SANITIZED 0
#endif

static bool limit(int resource, uint64_t most, uint64_t grace) {
    const struct rlimit both = {(rlim_t)most, (rlim_t)(most + grace)};
    return setrlimit(resource, &both) == 0;
}

/* An episode is in memory as the file has it and as it is sent; libhdf5 needs room besides. The
 * time is far more than a good file takes. */
static bool limit_all(uint64_t budget, uint64_t file_bytes) {
    const uint64_t memory = 2 * budget + (UINT64_C(512) << 20), seconds = 10 + (file_bytes >> 20);
    /* Without grace the signal would be SIGKILL, which says nothing of time. */
    return limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0) && limit(RLIMIT_NOFILE, 16, 0) &&
           limit(RLIMIT_CPU, seconds, 1) && (XP_SANITIZED || limit(RLIMIT_AS, memory, 0));
}

static bool read_budget(const char *text, uint64_t *budget) {
    char *end;
    errno = 0;
    *budget = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 &&
           *budget <= UINT64_C(1) << 48;
}

int main(int argc, char **argv) {
    uint64_t budget;
    struct stat file;
    if (argc != 2 || !read_budget(argv[1], &budget) || fstat(STDIN_FILENO, &file) != 0 ||
        !S_ISREG(file.st_mode)) {
        (void)fputs("usage: experior-hdf5 BUDGET <FILE >PIPE (libexperior runs it to read HDF5)\n",
                    stderr);
        return 2;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)close_range(STDERR_FILENO + 1, ~0U, 0);
    if (!limit_all(budget, (uint64_t)file.st_size)) {
        return 1;
    }
    minari_send(budget);
}
