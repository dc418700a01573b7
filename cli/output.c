/* output.c: messages, exit codes, colours and pictures made of characters. */
#include "output.h"

#include "options.h"
#include "peers.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *subcommand_name;
static bool silent;
static char first_complaint[512]; /* of those that were not printed */
static bool coloured[2];          /* standard output, standard error */
static int output_errno;          /* why writing to standard output failed, once it has */

void cli_output_start(void) {
    (void)signal(SIGPIPE, SIG_IGN);
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    /* A launcher's terminal is its own: what it passes on may go to a file. */
    const bool allowed = (no_color == NULL || *no_color == '\0') && term != NULL &&
                         strcmp(term, "dumb") != 0 && !cli_peers_launched();
    coloured[0] = allowed && isatty(STDOUT_FILENO);
    coloured[1] = allowed && isatty(STDERR_FILENO);
}

void cli_output_name(const char *subcommand) {
    subcommand_name = subcommand;
}

void cli_output_silence(void) {
    silent = true;
    if (freopen("/dev/null", "w", stdout) == NULL) {
        (void)fclose(stdout);
    }
}

const char *cli_first_complaint(void) {
    return first_complaint;
}

bool cli_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) != 0;
}

bool cli_means_standard_output(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool may_colour(FILE *stream) {
    return coloured[stream == stderr];
}

const char *cli_bold(FILE *stream) {
    return may_colour(stream) ? "\033[1m" : "";
}

const char *cli_dim(FILE *stream) {
    return may_colour(stream) ? "\033[2m" : "";
}

const char *cli_plain_style(FILE *stream) {
    return may_colour(stream) ? "\033[0m" : "";
}

void cli_complain(const char *format, ...) {
    char sentence[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    if (silent) {
        if (*first_complaint == '\0') {
            cli_copy(first_complaint, sizeof first_complaint, sentence, strlen(sentence));
        }
        return;
    }
    (void)fflush(stdout); /* so that the order on a terminal is the order of events */
    (void)fprintf(stderr, "%sexperior%s%s:%s %s\n", cli_bold(stderr),
                  subcommand_name != NULL ? " " : "",
                  subcommand_name != NULL ? subcommand_name : "", cli_plain_style(stderr),
                  cli_plain(sentence));
}

/* The exit code of an error. */
static int code_of(const xp_error *error) {
    /* A problem without a solution and an interrupted run are answers; the rest is bad input. */
    const bool ran = error->status == XP_ERR_NUMERIC || error->status == XP_ERR_INTERRUPTED;
    return ran ? CLI_NO : CLI_BAD;
}

void cli_notice(void *context, const char *sentence) {
    (void)context;
    cli_complain("%s", sentence);
}

int cli_failed(const xp_error *error) {
    cli_complain("%s", error->message);
    return code_of(error);
}

int cli_failed_on(const char *file, const xp_error *error) {
    cli_complain("%s: %s", file, error->message);
    return code_of(error);
}

bool cli_print_bytes(const void *bytes, size_t count) {
    if (output_errno == 0 && fwrite(bytes, 1, count, stdout) != count) {
        output_errno = errno;
    }
    return output_errno == 0;
}

int cli_finish(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return code;
    }
    const int reason = output_errno != 0 ? output_errno : errno;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    const bool closed = poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
    if (reason == EPIPE || closed) {
        return code; /* `experior list | head -1` is no mistake */
    }
    cli_complain("cannot write standard output: %s",
                 reason != 0 ? strerror(reason) : "the device failed");
    return CLI_BAD;
}

void *cli_alloc(size_t count, size_t size) {
    void *block = calloc(count != 0 ? count : 1, size != 0 ? size : 1);
    if (block == NULL) {
        cli_complain("out of memory");
        exit(CLI_BAD);
    }
    return block;
}

void cli_copy(char *buffer, size_t size, const char *text, size_t length) {
    const size_t kept = length < size ? length : size - 1;
    memcpy(buffer, text, kept);
    buffer[kept] = '\0';
}

char *cli_plain(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        /* 0xc2 0x80 to 0xc2 0x9f are control characters too. */
        const bool control = *at < 0x20 || *at == 0x7f;
        const bool second = *at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f;
        if (control) {
            *at = '?';
        } else if (second) {
            at[0] = '?';
            at[1] = '?';
        }
    }
    return text;
}

size_t cli_columns(const char *text) {
    size_t columns = 0;
    for (const char *at = text; *at != '\0'; at++) {
        columns += ((unsigned char)*at & 0xc0) != 0x80; /* not a continuation byte */
    }
    return columns;
}

bool cli_next_word(const char **text, char *word, size_t size) {
    if (**text == '\0') {
        return false;
    }
    *text += strspn(*text, " ");
    size_t length = strcspn(*text, " ");
    if (strncmp(*text + length, " %", 2) == 0) { /* "45 %" is not torn apart */
        length += 1 + strcspn(*text + length + 1, " ");
    }
    cli_copy(word, size, *text, length);
    *text += length;
    return true;
}

void cli_wrap(FILE *stream, size_t indent, const char *text) {
    enum { WIDTH = 80 };
    size_t column = indent;
    bool first = true;
    char word[256];
    while (cli_next_word(&text, word, sizeof word)) {
        const size_t columns = cli_columns(word);
        if (!first && column + 1 + columns > WIDTH) {
            (void)fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        (void)fprintf(stream, "%s%s", first ? "" : " ", word);
        column += columns + !first;
        first = false;
    }
    (void)fputc('\n', stream);
}

const char *cli_bar(char *buffer, size_t width, double share) {
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double clipped = share > 0 ? fmin(share, 1) : 0; /* NaN is an empty bar */
    const size_t eighths = (size_t)(clipped * 8 * (double)width + 0.5);
    buffer[0] = '\0';
    for (size_t i = 0; i < eighths / 8; i++) {
        (void)strcat(buffer, "█");
    }
    return strcat(buffer, part[eighths % 8]);
}

const char *cli_sparkline(char *buffer, const double *value, size_t n) {
    static const char *const height[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, value[i]);
    }
    buffer[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const double share = largest > 0 && value[i] > 0 ? value[i] / largest : 0;
        (void)strcat(buffer, height[(size_t)(share * 7 + 0.5)]);
    }
    return buffer;
}

const char *cli_number(char buffer[32], double value) {
    if (isnan(value)) {
        return strcpy(buffer, "-");
    }
    (void)snprintf(buffer, 32, "%.4g", value);
    return buffer;
}

void cli_field(const char *name, double value, const char *unit) {
    char number[32];
    if (!isnan(value)) {
        (void)printf("%-16s %s%s\n", name, cli_number(number, value), unit);
    }
}
