/* Any bytes are refused in a sentence, or are a session that can be written, read back to the same
 * bytes, and goes on. The first byte says which model it was made with. The fingerprint of that
 * model and the checksum are put right first, so that the checks behind them are reached. */
#include "act.h"

#include "base/bytes/checksum.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TEXT = 12,
    SUM = 16,
    MODEL = 24,
    NUMBERS = 48,
    HEAD = 136
}; /* as in src/model/session_file.c */

/* Models to choose from; the last is none. */
static const struct {
    const char *demonstrations, *agent;
} sources[] = {
    {"action,count\n0,5\n1,3\n2,1\n", "experior_maxent"},
    {"{\"states\":[[0],[1]],\"actions\":[1,0],\"count\":3}\n{\"states\":[[0],[2]],\"actions\":[0,0]"
     "}\n",
     "experior_maxent:members=2,hidden=4,draws=2,batch=4,warmup=2,buffer=64"},
    {NULL, NULL},
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

static xp_model *model_of(size_t which) {
    static xp_model *models[SOURCES];
    if (sources[which].demonstrations != NULL && models[which] == NULL) {
        const char *text = sources[which].demonstrations;
        xp_demos *demos;
        assert(xp_demos_parse(text, strlen(text), "demos", &demos, NULL) == XP_OK);
        assert(xp_model_fit(sources[which].agent, NULL, demos, NULL, &models[which], NULL) ==
               XP_OK);
        xp_demos_destroy(demos);
    }
    return models[which];
}

/* The fingerprint of a model, from a session that was made with it. */
static void put_fingerprint(const xp_model *model, unsigned char *at) {
    void *bytes;
    size_t size;
    xp_session *session;
    memset(at, 0, sizeof(uint64_t));
    if (model != NULL) {
        assert(xp_session_create(model, NULL, &session, NULL) == XP_OK);
        assert(xp_session_to_bytes(session, &bytes, &size, NULL) == XP_OK);
        memcpy(at, (unsigned char *)bytes + MODEL, sizeof(uint64_t));
        xp_release(bytes);
        xp_session_destroy(session);
    }
}

static void write_and_read_back(const xp_session *session, const xp_model *model) {
    void *first, *second;
    size_t first_bytes, second_bytes;
    xp_session *again;
    assert(xp_session_to_bytes(session, &first, &first_bytes, NULL) == XP_OK);
    assert(xp_session_parse(first, first_bytes, "saved", model, &again, NULL) == XP_OK);
    assert(xp_session_to_bytes(again, &second, &second_bytes, NULL) == XP_OK);
    assert(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    xp_session_destroy(again);
    xp_release(first);
    xp_release(second);
}

/* Without a model the categories of the space follow the text. Large ones make large networks,
 * which only takes time here; test_session_budget.c is about them. */
static void make_small(unsigned char *block, size_t bytes) {
    uint32_t text;
    uint64_t numbers;
    memcpy(&text, block + TEXT, sizeof text);
    memcpy(&numbers, block + NUMBERS, sizeof numbers);
    size_t at = (size_t)HEAD + text;
    for (uint64_t j = 0; j < numbers && at + 8 <= bytes; j++, at += 8) {
        memset(block + at + 1, 0, 7);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char prints[SOURCES][sizeof(uint64_t)];
    static bool printed[SOURCES];
    if (size < 1) {
        return 0;
    }
    const size_t which = data[0] % SOURCES, bytes = size - 1;
    const xp_model *model = model_of(which);
    if (!printed[which]) {
        put_fingerprint(model, prints[which]);
        printed[which] = true;
    }
    unsigned char *block = malloc(bytes + 1);
    assert(block != NULL);
    memcpy(block, data + 1, bytes);
    if (model == NULL && bytes > HEAD) {
        make_small(block, bytes);
    }
    if (bytes > MODEL + sizeof(uint64_t)) {
        memcpy(block + MODEL, prints[which], sizeof(uint64_t));
        const uint64_t sum = xp__checksum(XP__CHECKSUM_START, block + MODEL, bytes - MODEL);
        memcpy(block + SUM, &sum, sizeof sum);
    }
    xp_error error = {XP_OK, ""};
    xp_session *session;
    const xp_status read = xp_session_parse(block, bytes, "input", model, &session, &error);
    assert((read == XP_OK) == (session != NULL) && read == error.status);
    if (read == XP_OK) {
        write_and_read_back(session, model);
        if (model != NULL) {
            const xp_space space = xp_model_describe(model).space;
            act_some(session, &space);
        }
    }
    xp_session_destroy(session);
    free(block);
    return 0;
}
