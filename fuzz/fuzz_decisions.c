/* Any bytes are refused in a sentence, or are kept decisions that can be written, read back to the
 * same bytes, and go on; any table of rewards is refused or counts. The first byte says which of
 * the two it is. The fingerprint of the model and the checksum are put right first, so that the
 * checks behind them are reached. */
#include "base/bytes/checksum.h"
#include "base/memory.h"
#include "model/kept/decisions_type.h"
#include "model/session_type.h"

#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARMS = 3, SUM = 16, MODEL = 24 }; /* as in src/model/kept/decisions_file.c */

static xp_model *model_of(void) {
    static xp_model *model;
    static const char text[] = "action,count\n0,5\n1,3\n2,1\n";
    if (model == NULL) {
        xp_demos *demos;
        assert(xp_demos_parse(text, strlen(text), "demos", &demos, NULL) == XP_OK);
        assert(xp_model_fit(NULL, NULL, demos, NULL, &model, NULL) == XP_OK);
        xp_demos_destroy(demos);
    }
    return model;
}

/* What a file is read into, without the file. */
static xp_decisions *empty(void) {
    xp_decisions *state = xp__alloc(1, sizeof *state);
    assert(state != NULL);
    state->lock = -1;
    state->model = model_of();
    state->path = xp__strdup("input");
    assert(xp__model_fingerprint(state->model, &state->fingerprint, NULL) == XP_OK);
    return state;
}

static void write_and_read_back(const xp_decisions *state) {
    void *first, *second;
    size_t first_bytes, second_bytes;
    xp_decisions *again = empty();
    assert(xp__decisions_to_bytes(state, &first, &first_bytes, NULL) == XP_OK);
    assert(xp__decisions_parse(again, first, first_bytes, NULL) == XP_OK);
    assert(xp__decisions_to_bytes(again, &second, &second_bytes, NULL) == XP_OK);
    assert(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    xp_decisions_close(again);
    xp__free(first);
    xp__free(second);
}

/* Whatever was read can be asked, drawn from and rewarded. */
static void go_on(xp_decisions *state) {
    double law[ARMS];
    xp_decision drawn;
    const double reward = 1;
    if (xp_decisions_law(state, 10, law, NULL, NULL) != XP_OK ||
        xp_decisions_draw(state, law, 0, 1, &drawn, NULL) != XP_OK) {
        return;
    }
    assert(xp_decisions_observe(state, &drawn.id, &reward, 1, NULL) == XP_OK);
    assert(xp_decisions_observe(state, &drawn.id, &reward, 1, NULL) == XP_ERR_INPUT);
    for (size_t i = 0; i < xp_decisions_describe(state).pending; i++) {
        assert(xp_decisions_pending(state, i).action < ARMS);
    }
    write_and_read_back(state);
}

static void read_file(const uint8_t *data, size_t bytes) {
    unsigned char *block = malloc(bytes + 1);
    assert(block != NULL);
    memcpy(block, data, bytes);
    xp_decisions *state = empty();
    if (bytes > MODEL + sizeof(uint64_t)) {
        memcpy(block + MODEL, &state->fingerprint, sizeof(uint64_t));
        const uint64_t sum = xp__checksum(XP__CHECKSUM_START, block + MODEL, bytes - MODEL);
        memcpy(block + SUM, &sum, sizeof sum);
    }
    xp_error error = {XP_OK, ""};
    const xp_status read = xp__decisions_parse(state, block, bytes, &error);
    assert(read == error.status);
    if (read == XP_OK) {
        write_and_read_back(state);
        go_on(state);
    }
    xp_decisions_close(state);
    free(block);
}

static void read_table(const uint8_t *data, size_t bytes) {
    xp_decisions_options options = xp_decisions_options_default();
    options.read_only = true;
    xp_decisions *state;
    xp_decision drawn[4];
    size_t count = 0;
    xp_error error = {XP_OK, ""};
    assert(xp_decisions_open("/nowhere/state", model_of(), &options, &state, NULL) == XP_OK);
    assert(xp_decisions_draw(state, NULL, 0, 4, drawn, NULL) == XP_OK);
    const xp_status read =
        xp_decisions_observe_table(state, (const char *)data, bytes, "input", &count, &error);
    assert(read == error.status && count <= 4);
    assert(xp_decisions_describe(state).pending == 4 - count);
    xp_decisions_close(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] % 2 == 0) {
        read_file(data + 1, size - 1);
    } else if (size > 0) {
        read_table(data + 1, size - 1);
    }
    return 0;
}
