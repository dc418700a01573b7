/* claim.c: runs the registered claims and counts them. An argument runs only claims whose name
 * contains it. */
#include "claim.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static claim *first, **last = &first;
static bool current_holds;
static char directory[64];

void claim_register(claim *entry) {
    *last = entry;
    last = &entry->next;
}

void claim_expect(bool holds, const char *what, const char *file, int line) {
    if (!holds) {
        printf("  %s:%d: does not hold: %s\n", file, line, what);
        current_holds = false;
    }
}

void claim_expect_near(double got, double wanted, double tolerance, const char *what,
                       const char *file, int line) {
    const bool near = fabs(got - wanted) <= tolerance * fmax(1.0, fabs(wanted));
    if (!near && !(got == wanted)) {
        printf("  %s:%d: %s = %.17g, wanted %.17g ± %g\n", file, line, what, got, wanted,
               tolerance);
        current_holds = false;
    }
}

void claim_expect_text(const char *got, const char *part, const char *file, int line) {
    if (got == NULL || strstr(got, part) == NULL) {
        printf("  %s:%d: \"%s\" does not contain \"%s\"\n", file, line,
               got != NULL ? got : "(null)", part);
        current_holds = false;
    }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void remove_directory(void) {
    (void)nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *claim_directory(void) {
    if (directory[0] == '\0') {
        strcpy(directory, "/tmp/experior-test-XXXXXX");
        if (mkdtemp(directory) == NULL) {
            perror("mkdtemp");
            exit(1);
        }
        (void)atexit(remove_directory);
    }
    return directory;
}

bool claim_instrumented(void) {
    const char *said = getenv("XP_INSTRUMENTED");
    return said != NULL && strcmp(said, "1") == 0;
}

int main(int argc, char **argv) {
    size_t passed = 0, failed = 0;
    for (claim *entry = first; entry != NULL; entry = entry->next) {
        if (argc > 1 && strstr(entry->name, argv[1]) == NULL) {
            continue;
        }
        current_holds = true;
        entry->check();
        if (!current_holds) {
            printf("FAILED %s\n", entry->name);
            failed++;
        } else {
            passed++;
        }
        (void)fflush(stdout);
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
