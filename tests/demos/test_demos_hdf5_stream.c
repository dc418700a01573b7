/* What the library makes of the answers of experior-hdf5, which a hostile file may have taken over:
 * only a whole stream gives demonstrations, and no number in it is believed. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "demos/demos_type.h"
#include "demos/hdf5_stream.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char stream[4096];
static size_t used;

static void add(const void *data, size_t bytes) {
    memcpy(stream + used, data, bytes);
    used += bytes;
}
static void add_frame(uint32_t kind, uint64_t number, uint64_t steps, uint64_t width) {
    add(&(xp__hdf5_frame){XP__HDF5_MAGIC, kind, number, steps, width}, sizeof(xp__hdf5_frame));
}
static void add_episode(uint64_t number, uint32_t second_action, double last_state) {
    add_frame(XP__HDF5_EPISODE, number, 2, 1);
    add((uint32_t[]){1, second_action}, 8);
    add((double[]){0.5, last_state}, 16);
}
static void begin(void) {
    used = 0;
}

typedef struct answer {
    xp_status status;
    bool broken;
    uint64_t count; /* of demonstrations; 0: there are none */
    xp_error error;
} answer;

/* Reads the first `bytes` of the stream. */
static answer read_part(size_t bytes, const xp_env_info *env, uint64_t budget) {
    FILE *file = tmpfile();
    EXPECT(file != NULL && fwrite(stream, 1, bytes, file) == bytes && fflush(file) == 0);
    EXPECT(lseek(fileno(file), 0, SEEK_SET) == 0);
    answer got = {.error = {XP_OK, ""}};
    xp_demos *demos;
    got.status =
        xp__demos_read_hdf5(fileno(file), "a.h5", env, budget, &demos, &got.broken, &got.error);
    got.count = demos != NULL ? xp_demos_count(demos) : 0;
    EXPECT((demos != NULL) == (got.status == XP_OK));
    xp_demos_destroy(demos);
    (void)fclose(file);
    return got;
}
static answer read_all(void) {
    return read_part(used, NULL, XP__HDF5_BUDGET);
}

CLAIM(a_whole_stream_is_read_and_every_shorter_one_is_broken) {
    begin();
    add_episode(0, 2, 7);
    add_episode(5, 2, 8);
    add_frame(XP__HDF5_END, 2, 0, 0);
    for (size_t bytes = 0; bytes < used; bytes++) {
        const answer got = read_part(bytes, NULL, XP__HDF5_BUDGET);
        EXPECT(got.broken && got.status == XP_ERR_INPUT);
    }
    EXPECT(read_all().status == XP_OK && read_all().count == 2 && !read_all().broken);
}

static void wrong_magic(void) {
    add(&(xp__hdf5_frame){1, XP__HDF5_END, 0, 0, 0}, sizeof(xp__hdf5_frame));
}
static void text(void) {
    add("Segmentation fault (core dumped), or any other words", 52);
}
static void unknown_kind(void) {
    add_frame(9, 0, 0, 0);
}
static void no_episodes(void) {
    add_frame(XP__HDF5_END, 0, 0, 0);
}
static void an_episode_less(void) {
    add_episode(0, 2, 7);
    add_frame(XP__HDF5_END, 2, 0, 0);
}
static void large_action(void) {
    add_episode(0, 1000000, 7);
    add_frame(XP__HDF5_END, 1, 0, 0);
}
static void no_steps(void) {
    add_frame(XP__HDF5_EPISODE, 0, 0, 1);
    add_frame(XP__HDF5_END, 1, 0, 0);
}
static void no_states(void) {
    add_frame(XP__HDF5_EPISODE, 0, 1, 0);
    add((uint32_t[]){1}, 4);
    add_frame(XP__HDF5_END, 1, 0, 0);
}
static void steps_beyond_memory(void) {
    add_frame(XP__HDF5_EPISODE, 0, UINT64_MAX, 1);
}
static void width_beyond_memory(void) {
    add_frame(XP__HDF5_EPISODE, 0, 2, UINT64_MAX / 4);
}
static void product_beyond_memory(void) { /* 2^64 bytes: 0, if one multiplies carelessly */
    add_frame(XP__HDF5_EPISODE, 0, UINT64_C(1) << 31, UINT64_C(1) << 30);
}
static void long_sentence(void) {
    add_frame(XP__HDF5_REFUSED, 0, XP__HDF5_SENTENCE + 1, 0);
    add((char[XP__HDF5_SENTENCE + 1]){0}, XP__HDF5_SENTENCE + 1);
}

CLAIM(what_is_no_stream_is_broken) {
    static void (*const cases[])(void) = {
        wrong_magic,           text,         unknown_kind, no_episodes,         an_episode_less,
        large_action,          no_steps,     no_states,    steps_beyond_memory, width_beyond_memory,
        product_beyond_memory, long_sentence};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        cases[i]();
        const answer got = read_all();
        EXPECT(got.broken && got.status == XP_ERR_INPUT);
    }
}

CLAIM(a_refusal_is_passed_on_in_printable_characters) {
    begin();
    add_frame(XP__HDF5_REFUSED, 0, 12, 0);
    add("no\n\033[1mworth\377", 12);
    const answer got = read_all();
    EXPECT(got.status == XP_ERR_INPUT && !got.broken);
    EXPECT_TEXT(got.error.message, "a.h5: no??[1mworth");
    begin();
    add_frame(XP__HDF5_NO_MEMORY, 0, 0, 0);
    EXPECT(read_all().status == XP_ERR_MEMORY && !read_all().broken);
}

CLAIM(episodes_together_stay_within_the_budget) {
    begin();
    add_episode(0, 2, 7); /* 2 steps of 12 bytes each */
    add_episode(1, 2, 7); /* the same again takes nothing */
    add_episode(2, 2, 8);
    add_frame(XP__HDF5_END, 3, 0, 0);
    EXPECT(read_part(used, NULL, 72).count == 3);
    const answer got = read_part(used, NULL, 47);
    EXPECT(got.status == XP_ERR_INPUT && !got.broken);
    EXPECT_TEXT(got.error.message, "a.h5: needs 0.0 GiB of memory up to episode_1, more than the "
                                   "0.0 GiB allowed; keep fewer episodes or smaller states");
    EXPECT(read_part(used, NULL, 23).broken); /* the program was told of the budget */
}

CLAIM(steps_must_fit_the_environment) {
    static const size_t categories[] = {8};
    xp_env_info env = {.name = "pond", .actions = 3, .state_size = 1, .categories = categories};
    begin();
    add_episode(4, 2, 7);
    add_frame(XP__HDF5_END, 1, 0, 0);
    EXPECT_TEXT(read_part(used, &env, 1000).error.message, "episode_4/observations: state 0 of "
                                                           "step 0 = 0.5; in pond it is a whole");
    env.categories = (const size_t[]){0};
    EXPECT(read_part(used, &env, 1000).count == 1);
    env.actions = 2;
    EXPECT_TEXT(read_part(used, &env, 1000).error.message,
                "a.h5: episode_4/actions: step 1: in pond there is no action '2'");
}
