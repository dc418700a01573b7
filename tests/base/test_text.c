/* The growing string: escapes, numbers whatever their size, and memory that runs out. */
#include "claim.h"

#include "base/text/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(xp__text *text, const char *wanted) {
    char *data = NULL;
    size_t length = 0;
    const bool same = xp__text_take(text, &data, &length, NULL) == XP_OK &&
                      strcmp(data, wanted) == 0 && length == strlen(wanted);
    xp_release(data);
    return same;
}

CLAIM(appended_pieces_stand_one_after_the_other) {
    xp__text text = {.data = NULL};
    xp__text_append(&text, "a");
    xp__text_format(&text, "%d-%s", 12, "b");
    xp__text_fill(&text, '.', 3);
    xp__text_bytes(&text, "xyz", 2);
    EXPECT(is(&text, "a12-b...xy"));
    EXPECT(is(&text, ""));
    for (int i = 0; i < 10000; i++) {
        xp__text_append(&text, "0123456789");
    }
    EXPECT(text.length == 100000 && strlen(text.data) == 100000);
    xp__text_deinit(&text);
}

CLAIM(html_csv_and_lines_escape_what_would_break_them) {
    xp__text text = {.data = NULL};
    xp__text_html(&text, "<a href=\"x\">&'\n\x01é");
    EXPECT(is(&text, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;  é"));
    xp__text_csv(&text, "plain text");
    xp__text_append(&text, "|");
    xp__text_csv(&text, "a,\"b\"\r\n");
    EXPECT(is(&text, "plain text|\"a,\"\"b\"\"\r\n\""));
    xp__text_line(&text, "it's\t\xff\xc3 β\x7f", 99, '\'');
    EXPECT(is(&text, "it''s \xef\xbf\xbd\xef\xbf\xbd β "));
    xp__text_line(&text, "αβγδε", 4, '\0');
    EXPECT(is(&text, "αβγ…"));
    xp__text_line(&text, "αβγδ", 4, '\0');
    EXPECT(is(&text, "αβγδ"));
    EXPECT(xp__text_width("β = ∞") == 5);
}

CLAIM(numbers_have_the_places_asked_for_and_a_sign_only_if_it_shows) {
    xp__text text = {.data = NULL};
    xp__text_fixed(&text, -1.005, 1, "−");
    xp__text_append(&text, " ");
    xp__text_fixed(&text, -0.001, 2, "−");
    xp__text_append(&text, " ");
    xp__text_double(&text, 0.1, "");
    xp__text_append(&text, " ");
    xp__text_double(&text, NAN, "none");
    EXPECT(is(&text, "−1.0 0.00 0.1 none"));
    xp__text_fixed(&text, 1.7976931348623157e308, 2, "-"); /* DBL_MAX: 309 digits */
    EXPECT(text.length == 312);
    xp__text_deinit(&text);
}

static void *refuse(void *context, void *block, size_t bytes) {
    int *left = context;
    return (*left)-- > 0 ? realloc(block, bytes) : NULL;
}

static void release(void *context, void *block) {
    (void)context;
    free(block);
}

CLAIM(a_lack_of_memory_is_remembered_until_the_text_is_taken) {
    int left = 1;
    const xp__allocator allocator = {refuse, release, &left};
    xp__allocator_install(&allocator);
    xp__text text = {.data = NULL};
    for (int i = 0; i < 100; i++) {
        xp__text_append(&text, "0123456789");
    }
    EXPECT(text.failed);
    char *data = NULL;
    xp_error error;
    EXPECT(xp__text_take(&text, &data, NULL, &error) == XP_ERR_MEMORY);
    EXPECT(data == NULL && text.data == NULL && !text.failed);
    xp__allocator_install(NULL);
}
