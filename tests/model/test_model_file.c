/* Files of models with states: laid out as the safetensors format says, so that other tools read
 * them; and bytes that are not one are refused in a sentence that names file, tensor and value. */
#include "claim.h"

#include "model_scene.h"

#include <jansson.h>
#include <stdlib.h>

static xp_model *fit(void) {
    static const char walks[] =
        "{\"states\": [[0, 0.5], [1, 0.25]], \"actions\": [\"on\", \"on\"]}\n"
        "{\"states\": [[2, 0.5]], \"actions\": [\"back\"], \"count\": 2}\n";
    xp_demos *demos;
    xp_model *model = NULL;
    EXPECT(xp_demos_parse(walks, strlen(walks), "walks", &demos, NULL) == XP_OK);
    EXPECT(xp_model_fit("experior_maxent:members=2,hidden=3,draws=2", NULL, demos, NULL, &model,
                        NULL) == XP_OK);
    xp_demos_destroy(demos);
    return model;
}

static unsigned char *bytes_of(size_t *bytes) {
    xp_model *model = fit();
    void *data = NULL;
    EXPECT(xp_model_to_bytes(model, &data, bytes, NULL) == XP_OK);
    xp_model_destroy(model);
    return data;
}

static size_t header_length(const unsigned char *data) {
    size_t length = 0;
    for (size_t i = 0; i < 8; i++) {
        length |= (size_t)data[i] << (8 * i); /* low byte first */
    }
    return length;
}

CLAIM(the_file_is_laid_out_as_the_format_says) {
    size_t bytes;
    unsigned char *data = bytes_of(&bytes);
    const size_t length = header_length(data);
    json_t *header = json_loadb((const char *)data + 8, length, 0, NULL);
    EXPECT(json_is_object(header));
    const json_t *weight = json_object_get(header, "member.0.layer1.weight");
    EXPECT_TEXT(json_string_value(json_object_get(weight, "dtype")), "F32");
    EXPECT(json_integer_value(json_array_get(json_object_get(weight, "shape"), 0)) == 3);
    const char *name;
    json_t *entry;
    json_int_t taken = 0;
    json_object_foreach(header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) {
            const char *key;
            json_t *text;
            json_object_foreach(entry, key, text) {
                EXPECT(json_is_string(text)); /* all that other readers accept there */
            }
            continue;
        }
        const json_t *offsets = json_object_get(entry, "data_offsets");
        taken += json_integer_value(json_array_get(offsets, 1)) -
                 json_integer_value(json_array_get(offsets, 0));
    }
    EXPECT((size_t)taken == bytes - 8 - length);
    json_decref(header);
    xp_release(data);
}

CLAIM(a_file_cut_anywhere_is_refused) {
    size_t bytes;
    unsigned char *data = bytes_of(&bytes);
    for (size_t cut = 0; cut < bytes; cut += cut < 64 || bytes - cut < 64 ? 1 : 37) {
        xp_model *model;
        xp_error error = {.message = ""};
        EXPECT(xp_model_parse(data, cut, "cut.model", &model, &error) == XP_ERR_INPUT);
        EXPECT(model == NULL);
        EXPECT_TEXT(error.message, "cut.model");
    }
    xp_release(data);
}

CLAIM(a_number_that_was_changed_is_noticed) {
    size_t bytes;
    unsigned char *data = bytes_of(&bytes);
    for (size_t at = 8 + header_length(data); at < bytes; at += 101) {
        xp_model *model;
        xp_error error = {.message = ""};
        data[at] ^= 1;
        EXPECT(xp_model_parse(data, bytes, "f", &model, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "is damaged: its checksum is");
        data[at] ^= 1;
    }
    xp_release(data);
}

/* Networks compute in single precision: a number beyond it is refused, not rounded to infinity. */
CLAIM(a_state_that_is_too_large_for_a_network_is_refused) {
    static const double far[] = {0, 3e38}, beyond[] = {0, 1e300}; /* 3e38 is a float */
    static const char agent[] = "behaviour_cloning:networks=2,hidden=3,pretrain_steps=2";
    static const char walk[] = "{\"states\": [[0, 0.5]], \"actions\": [1]}\n";
    xp_demos *demos = NULL;
    xp_model *cloned = NULL;
    xp_session *session = NULL;
    EXPECT(xp_demos_parse(walk, strlen(walk), "walk", &demos, NULL) == XP_OK);
    EXPECT(xp_model_fit(agent, NULL, demos, NULL, &cloned, NULL) == XP_OK);
    EXPECT(xp_session_create(cloned, NULL, &session, NULL) == XP_OK);
    double law[2];
    size_t action = 9;
    xp_error error = {.message = ""};
    EXPECT(xp_session_act(session, far, &action, NULL) == XP_OK && action < 2);
    EXPECT(xp_session_act(session, beyond, &action, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "number 1 is 1e+300, not a finite number, or too large");
    EXPECT(xp_session_law(session, beyond, 10, law, NULL, NULL) == XP_ERR_INPUT);
    xp_session_destroy(session);
    xp_model_destroy(cloned);
    xp_demos_destroy(demos);
}

/* A file of this header and so many zeros. */
static void expect_refused(const char *header, size_t zeros, const char *why) {
    const size_t length = strlen(header);
    unsigned char *file = calloc(1, 8 + length + zeros);
    for (size_t i = 0; i < 8; i++) {
        file[i] = (unsigned char)(length >> (8 * i));
    }
    memcpy(file + 8, header, length);
    xp_model *model;
    xp_error error = {.message = ""};
    EXPECT(xp_model_parse(file, 8 + length + zeros, "f", &model, &error) == XP_ERR_INPUT);
    EXPECT(model == NULL);
    EXPECT_TEXT(error.message, why);
    free(file);
}

#define ENTRY(dtype, shape, begin, end)                                                            \
    "{\"t\": {\"dtype\": \"" dtype "\", \"shape\": " shape ", \"data_offsets\": [" #begin          \
    ", " #end "]}}"

CLAIM(what_is_no_model_is_refused_with_the_reason) {
    expect_refused("", 0, "f: line 1");
    expect_refused("[]", 0, "not a JSON object");
    expect_refused("{}", 0, "is not a model of version");
    expect_refused(ENTRY("F16", "[1]", 0, 2), 2, "tensor 't' is {");
    expect_refused(ENTRY("F32", "[1, 1, 1]", 0, 4), 4, "one or two sizes");
    expect_refused(ENTRY("F32", "[-1]", 0, 4), 4, "tensor 't' is {");
    expect_refused(ENTRY("F32", "[2]", 0, 4), 4, "which do not hold its shape");
    expect_refused(ENTRY("F32", "[4294967296, 4294967296]", 0, 0), 0, "do not hold its shape");
    expect_refused(ENTRY("F32", "[1]", 4, 8), 8, "begins at 4, not at 0");
    expect_refused(ENTRY("F32", "[1]", 0, 4), 8, "take 4 bytes, but 8 follow the header");
    expect_refused("{\"__metadata__\": {\"format\": \"experior-net\"}}", 0,
                   "fit the demonstrations again with 'experior fit'");
    const unsigned char huge[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    xp_model *model;
    xp_error error;
    EXPECT(xp_model_parse(huge, sizeof huge, "f", &model, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "says that its header has");
}

/* Metadata may hold text that unfolds to more memory than its own bytes. */
CLAIM(texts_that_unfold_keep_to_the_budget) {
    const size_t room = (size_t)4 << 20;
    char *header = malloc(room + 512);
    size_t used = (size_t)sprintf(
        header, "{\"categories\": {\"dtype\": \"U64\", \"shape\": [1], \"data_offsets\": [0, 8]}, "
                "\"__metadata__\": {\"format\": \"experior-model\", \"version\": \"1\", "
                "\"agent\": \"boot_dqn\", \"actions\": \"2\", \"horizon\": \"2\", \"seed\": \"1\", "
                "\"action_names\": \"[");
    while (used < room) {
        memcpy(header + used, "{},", 3);
        used += 3;
    }
    (void)sprintf(header + used, "1]\"}}");
    expect_refused(header, 8, "f: 'action_names' are not 2 names");
    free(header);
}
