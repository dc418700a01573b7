/* shape.h: a table as somebody has it, and what must come of it. */
#ifndef XP_TESTS_TABLE_SHAPE_H
#define XP_TESTS_TABLE_SHAPE_H

#include "claim.h"

#include "experior/choices.h"

#include <stdio.h>
#include <string.h>

/* A table, how it is to be read, and what must come of it: "arm:count arm:count | rows dropped", or
 * a part of the refusal. */
typedef struct shape {
    const char *what, *text;
    size_t bytes; /* 0: strlen */
    const char *read, *refused;
    xp_choices_options options;
} shape;

#define WITH(...)                                                                                  \
    { .size = sizeof(xp_choices_options), __VA_ARGS__ }
#define PLAIN                                                                                      \
    { .size = sizeof(xp_choices_options) }
#define BYTES(text) text, sizeof text - 1

/* "left:3 right:1 | 4 0" */
static inline void describe(const xp_choices *choices, char *out, size_t size) {
    const xp_choices_info info = xp_choices_describe(choices);
    size_t used = 0;
    for (size_t arm = 0; arm < xp_choices_arms(choices); arm++) {
        const char *name = xp_choices_arm_name(choices, arm);
        char number[24];
        (void)snprintf(number, sizeof number, "#%zu", arm);
        used +=
            (size_t)snprintf(out + used, size - used, "%s:%llu ", name != NULL ? name : number,
                             (unsigned long long)xp_choices_count(choices, XP_ALL_SEGMENTS, arm));
    }
    (void)snprintf(out + used, size - used, "| %llu %llu", (unsigned long long)info.rows,
                   (unsigned long long)info.dropped);
}

static inline void expect_shape(const shape *own) {
    xp_choices *choices;
    xp_error error = {XP_OK, ""};
    char got[2048] = "refused";
    const size_t bytes = own->bytes != 0 ? own->bytes : strlen(own->text);
    const xp_status status =
        xp_choices_parse(own->text, bytes, "table", &own->options, &choices, NULL, &error);
    if (status == XP_OK) {
        describe(choices, got, sizeof got);
    }
    const bool good = own->read != NULL
                          ? status == XP_OK && strcmp(got, own->read) == 0
                          : status == XP_ERR_INPUT && choices == NULL && own->refused != NULL &&
                                strstr(error.message, own->refused) != NULL &&
                                strncmp(error.message, "table:", 6) == 0;
    if (!good) {
        printf("  %s: got '%s' and '%s'\n", own->what, got, error.message);
    }
    claim_expect(good, own->what, __FILE__, __LINE__);
    xp_choices_destroy(choices);
}

static inline void expect_shapes(const shape *shapes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        expect_shape(&shapes[i]);
    }
}
#define EXPECT_SHAPES(shapes) expect_shapes(shapes, sizeof(shapes) / sizeof(shapes)[0])

#endif
