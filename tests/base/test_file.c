/* Files that are written whole or not at all, and numbers that survive being text. */
#include "claim.h"

#include "base/file.h"
#include "base/memory.h"
#include "experior/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *in_directory(char *path, size_t bytes, const char *name) {
    (void)snprintf(path, bytes, "%s/%s", claim_directory(), name);
    return path;
}

static size_t entries(const char *path) {
    DIR *directory = opendir(path);
    size_t count = 0;
    while (directory != NULL && readdir(directory) != NULL) {
        count++;
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return count;
}

static bool holds(const char *path, const char *content) {
    char *data;
    size_t bytes;
    if (xp__file_read(path, 1 << 20, &data, &bytes, NULL) != XP_OK) {
        return false;
    }
    const bool same = bytes == strlen(content) && memcmp(data, content, bytes) == 0;
    xp__free(data);
    return same;
}

CLAIM(a_written_file_reads_back_and_leaves_no_neighbour) {
    char path[256];
    in_directory(path, sizeof path, "plain");
    const size_t before = entries(claim_directory());
    EXPECT(xp__file_write(path, "one\0two", 7, NULL) == XP_OK);
    EXPECT(entries(claim_directory()) == before + 1);
    char *data;
    size_t bytes;
    EXPECT(xp__file_read(path, 7, &data, &bytes, NULL) == XP_OK);
    EXPECT(bytes == 7 && memcmp(data, "one\0two", 8) == 0); /* with the zero after the end */
    xp__free(data);
    EXPECT(xp__file_write(path, "", 0, NULL) == XP_OK && holds(path, ""));
}

CLAIM(a_large_file_reads_back) {
    char path[256];
    in_directory(path, sizeof path, "large");
    const size_t bytes = 3 << 20;
    char *data = malloc(bytes), *back;
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (char)(i * 2654435761u >> 13);
    }
    size_t read_bytes;
    EXPECT(xp__file_write(path, data, bytes, NULL) == XP_OK);
    EXPECT(xp__file_read(path, bytes, &back, &read_bytes, NULL) == XP_OK);
    EXPECT(read_bytes == bytes && memcmp(data, back, bytes) == 0);
    xp__free(back);
    free(data);
}

CLAIM(a_file_above_the_limit_is_refused) {
    char path[256];
    in_directory(path, sizeof path, "limit");
    xp_error error;
    char *data;
    size_t bytes;
    EXPECT(xp__file_write(path, "12345678", 8, NULL) == XP_OK);
    EXPECT(xp__file_read(path, 7, &data, &bytes, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "is larger than 7 bytes");
    EXPECT_TEXT(error.message, path);
}

CLAIM(until_the_commit_the_old_file_stays_and_abandoning_keeps_it) {
    char path[256];
    in_directory(path, sizeof path, "kept");
    EXPECT(xp__file_write(path, "old", 3, NULL) == XP_OK);
    const size_t before = entries(claim_directory());
    xp__file_writer writer;
    EXPECT(xp__file_writer_open(&writer, path, NULL) == XP_OK);
    (void)fputs("new", writer.stream);
    (void)fflush(writer.stream);
    EXPECT(holds(path, "old"));
    xp__file_writer_abandon(&writer);
    EXPECT(holds(path, "old") && entries(claim_directory()) == before);
    EXPECT(xp__file_writer_open(&writer, path, NULL) == XP_OK);
    (void)fputs("new", writer.stream);
    EXPECT(xp__file_writer_commit(&writer, NULL) == XP_OK);
    EXPECT(holds(path, "new") && entries(claim_directory()) == before);
}

CLAIM(two_writers_of_one_path_do_not_meet) {
    char path[256];
    in_directory(path, sizeof path, "shared");
    xp__file_writer first, second;
    EXPECT(xp__file_writer_open(&first, path, NULL) == XP_OK);
    EXPECT(xp__file_writer_open(&second, path, NULL) == XP_OK);
    (void)fputs("first", first.stream);
    (void)fputs("second", second.stream);
    EXPECT(xp__file_writer_commit(&second, NULL) == XP_OK && holds(path, "second"));
    EXPECT(xp__file_writer_commit(&first, NULL) == XP_OK && holds(path, "first"));
}

CLAIM(a_write_that_fails_half_way_leaves_the_old_file) {
    char path[256];
    in_directory(path, sizeof path, "old");
    EXPECT(xp__file_write(path, "old", 3, NULL) == XP_OK);
    const size_t before = entries(claim_directory());
    xp__file_writer writer;
    xp_error error;
    EXPECT(xp__file_writer_open(&writer, path, NULL) == XP_OK);
    /* What the stream meets when the disk is full: a descriptor that takes no more. */
    const int full = open("/dev/full", O_WRONLY);
    EXPECT(full >= 0 && dup2(full, fileno(writer.stream)) >= 0);
    (void)close(full);
    for (int i = 0; i < 100000; i++) {
        (void)fputs("new ", writer.stream);
    }
    EXPECT(xp__file_writer_commit(&writer, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, path);
    EXPECT_TEXT(error.message, "No space left on device");
    EXPECT(holds(path, "old") && entries(claim_directory()) == before);
}

CLAIM(a_full_device_is_reported) {
    xp_error error;
    EXPECT(xp__file_write("/dev/full", "lost", 4, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "cannot write '/dev/full': No space left on device");
    EXPECT(xp__file_write("/dev/null", "gone", 4, &error) == XP_OK);
    struct stat status; /* devices are written to, not replaced */
    EXPECT(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
}

CLAIM(places_that_cannot_hold_a_file_are_reported) {
    char path[256], below[300];
    xp_error error;
    EXPECT(xp__file_write(claim_directory(), "x", 1, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "it is a directory");
    in_directory(path, sizeof path, "regular");
    EXPECT(xp__file_write(path, "x", 1, NULL) == XP_OK);
    (void)snprintf(below, sizeof below, "%s/below", path);
    EXPECT(xp__file_write(below, "x", 1, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "Not a directory");
    (void)snprintf(below, sizeof below, "%s/missing/file", claim_directory());
    EXPECT(xp__file_write(below, "x", 1, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "No such file or directory");
    EXPECT(xp__file_write("", "x", 1, &error) == XP_ERR_FILE);
    char *data;
    size_t bytes;
    EXPECT(xp__file_read(below, 10, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, below);
    EXPECT(xp__file_read(claim_directory(), 10, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "Is a directory");
}

CLAIM(a_new_file_obeys_the_mask_and_a_replaced_one_keeps_its_mode) {
    char path[256];
    in_directory(path, sizeof path, "mode");
    struct stat status;
    const mode_t mask = umask(027);
    EXPECT(xp__file_write(path, "x", 1, NULL) == XP_OK);
    (void)umask(mask);
    EXPECT(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
    EXPECT(chmod(path, 0604) == 0 && xp__file_write(path, "y", 1, NULL) == XP_OK);
    EXPECT(stat(path, &status) == 0 && (status.st_mode & 0777) == 0604);
}

CLAIM(directories_are_made_with_their_parents) {
    char path[256], file[300];
    xp_error error;
    in_directory(path, sizeof path, "a/b//c/");
    EXPECT(xp__directory_create(path, &error) == XP_OK);
    EXPECT(xp__directory_create(path, &error) == XP_OK);
    (void)snprintf(file, sizeof file, "%s/file", path);
    EXPECT(xp__file_write(file, "x", 1, &error) == XP_OK);
    EXPECT(xp__directory_create(file, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "is not a directory");
    (void)snprintf(file, sizeof file, "%s/file/below", path);
    EXPECT(xp__directory_create(file, &error) == XP_ERR_FILE);
    EXPECT(xp__directory_create("", &error) == XP_ERR_FILE);
    EXPECT(xp__directory_create("/", &error) == XP_OK);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool survives(double value) {
    char text[32];
    double back;
    const size_t length = xp__format_double(text, value);
    return length == strlen(text) && length < sizeof text && xp__parse_double(text, &back) &&
           (bits_of(back) == bits_of(value) || (isnan(value) && isnan(back)));
}

CLAIM(any_double_survives_being_text_bit_for_bit) {
    xp_rng rng = xp_rng_seed(1);
    bool all = true;
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = xp_rng_bits(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        all = all && survives(value) && survives(xp_rng_uniform(&rng));
    }
    EXPECT(all);
    static const double special[] = {0.0,
                                     -0.0,
                                     5e-324,
                                     2.2250738585072009e-308,
                                     2.2250738585072014e-308,
                                     1.7976931348623157e308,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     1.0 / 3};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        EXPECT(survives(special[i]));
    }
}

CLAIM(short_numbers_have_short_texts) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {10, "10"},
                 {-2.5, "-2.5"},
                 {1e300, "1e+300"},
                 {0, "0"},
                 {5e-324, "5e-324"},
                 {1e-5, "1e-05"},
                 {INFINITY, "inf"},
                 {NAN, "nan"},
                 {-INFINITY, "-inf"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        (void)xp__format_double(text, cases[i].value);
        EXPECT(strcmp(text, cases[i].text) == 0);
    }
}

CLAIM(only_whole_decimal_numbers_are_numbers) {
    static const char *const bad[] = {
        "",       " 1",    "1 ",   "\t1",    "1\n",  "1,5",      "1.5.2", "1x",   "x",
        "0x10",   "0x1p3", "-0x1", "nan(1)", "NaN",  "infinity", "INF",   "+inf", "--1",
        "1e",     "1e+",   "e5",   ".",      "-",    "+",        "-.",    ".e1",  "1e999",
        "-1e999", "1 2",   "0b1",  "1_000",  "-nan", "１",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 42;
        EXPECT(!xp__parse_double(bad[i], &value) && value == 42);
    }
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},        {"-1", -1},    {"+1", 1},         {"007", 7},
                {"1.", 1},       {".5", 0.5},   {"-.5e1", -5},     {"1E3", 1000},
                {"1e-3", 0.001}, {"1e-999", 0}, {"inf", INFINITY}, {"-inf", -INFINITY},
                {"1.e2", 100}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = 42;
        EXPECT(xp__parse_double(good[i].text, &value) && value == good[i].value);
    }
    char long_text[200];
    memset(long_text, '1', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    double value;
    EXPECT(!xp__parse_double(long_text, &value));
}

CLAIM(writing_through_a_link_replaces_the_file_and_keeps_the_link) {
    char target[160], link_path[160];
    (void)snprintf(target, sizeof target, "%s/linked", claim_directory());
    (void)snprintf(link_path, sizeof link_path, "%s/link", claim_directory());
    EXPECT(xp__file_write(target, "old", 3, NULL) == XP_OK);
    EXPECT(symlink(target, link_path) == 0);
    EXPECT(xp__file_write(link_path, "new!", 4, NULL) == XP_OK);
    struct stat status;
    EXPECT(lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode));
    EXPECT(stat(target, &status) == 0 && status.st_size == 4);
}

CLAIM(what_a_killed_writer_left_is_removed_and_what_a_running_one_has_is_not) {
    char place[256], path[300], running[300];
    (void)in_directory(place, sizeof place, "killed");
    EXPECT(xp__directory_create(place, NULL) == XP_OK);
    (void)snprintf(path, sizeof path, "%s/report.json", place);
    (void)snprintf(running, sizeof running, "%s/other.json", place);
    const size_t empty = entries(place);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        xp__file_writer writer;
        if (xp__file_writer_open(&writer, path, NULL) == XP_OK) {
            (void)kill(getpid(), SIGKILL);
        }
        _exit(1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    xp__file_writer writer;
    EXPECT(xp__file_writer_open(&writer, running, NULL) == XP_OK);
    EXPECT(entries(place) == empty + 2);
    xp__directory_clean(place);
    EXPECT(entries(place) == empty + 1);
    (void)fputs("whole", writer.stream);
    EXPECT(xp__file_writer_commit(&writer, NULL) == XP_OK && holds(running, "whole"));
    xp__directory_clean(place);
    EXPECT(entries(place) == empty + 1 && holds(running, "whole"));
    xp__directory_clean("/nowhere/at/all"); /* is nobody's mistake */
}

CLAIM(only_regular_files_are_read_and_written_where_others_may_have_been) {
    char place[256], path[300], link[300];
    char *data;
    size_t bytes;
    xp_error error;
    (void)in_directory(place, sizeof place, "kinds");
    EXPECT(xp__directory_create(place, NULL) == XP_OK);
    (void)snprintf(path, sizeof path, "%s/pipe", place);
    (void)snprintf(link, sizeof link, "%s/link", place);
    EXPECT(mkfifo(path, 0666) == 0);
    EXPECT(xp__file_read_regular(path, 100, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "pipe' is not a regular file");
    EXPECT(xp__file_write_regular(path, "x", 1, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "pipe': it is not a regular file");
    EXPECT(xp__file_read_regular(place, 100, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "kinds' is not a regular file");
    EXPECT(xp__file_read_regular("/dev/zero", 100, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT(unlink(path) == 0 && xp__file_write_regular(path, "own", 3, NULL) == XP_OK);
    EXPECT(symlink(path, link) == 0);
    EXPECT(xp__file_read_regular(link, 100, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "link' is not a regular file");
    EXPECT(xp__file_write_regular(link, "new", 3, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "link': it is not a regular file");
    EXPECT(holds(path, "own"));
    xp__file_writer writer; /* a link that is put there while the file is written is replaced */
    EXPECT(unlink(link) == 0 && xp__file_writer_open_regular(&writer, link, NULL) == XP_OK);
    EXPECT(symlink(path, link) == 0 && fputs("new", writer.stream) >= 0);
    EXPECT(xp__file_writer_commit(&writer, NULL) == XP_OK);
    EXPECT(holds(link, "new") && holds(path, "own"));
    EXPECT(xp__file_read_regular(path, 100, &data, &bytes, NULL) == XP_OK && bytes == 3);
    xp__free(data);
    EXPECT(xp__file_read_regular(path, 2, &data, &bytes, &error) == XP_ERR_INPUT);
    EXPECT(xp__file_read_regular("/nowhere/x", 2, &data, &bytes, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "No such file");
}

CLAIM(a_file_that_may_not_grow_says_why) {
    char path[256];
    (void)in_directory(path, sizeof path, "grows");
    const size_t before = entries(claim_directory());
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        static const char much[100000];
        const struct rlimit limit = {20000, 20000};
        (void)signal(SIGXFSZ, SIG_IGN);
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        xp_error error = {.message = ""};
        const xp_status status = xp__file_write(path, much, sizeof much, &error);
        _exit(status == XP_ERR_FILE && strstr(error.message, "File too large") != NULL ? 0 : 1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(entries(claim_directory()) == before);
}
