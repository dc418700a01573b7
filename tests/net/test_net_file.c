/* Networks in files: what is written is read back bit for bit, and everything else is refused in a
 * sentence that names file, tensor and value. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "experior/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xp_net *make_net(void) {
    xp_net_options options = xp_net_options_default(3, 2, 1);
    options.members = 2;
    options.hidden = 4;
    const xp_rng rng = xp_rng_seed(1);
    xp_net *net;
    return xp_net_create(&options, &rng, &net, NULL) == XP_OK ? net : NULL;
}

static xp_net_options any_size(void) {
    xp_net_options options = xp_net_options_default(0, 0, 1);
    options.members = options.hidden = 0;
    return options;
}

CLAIM(a_saved_network_is_read_back_bit_for_bit) {
    xp_net *net = make_net(), *copy;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/net.safetensors", claim_directory());
    const xp_net_options options = any_size();
    EXPECT(xp_net_save(net, path, NULL) == XP_OK);
    EXPECT(xp_net_load(path, &options, &copy, NULL) == XP_OK);
    EXPECT(xp_net_get_options(copy)->members == 2 && xp_net_get_options(copy)->hidden == 4);
    EXPECT(xp_net_get_options(copy)->inputs == 3 && xp_net_get_options(copy)->actions == 2);
    const size_t count = xp_net_parameter_count(net);
    float a[64], b[64];
    EXPECT(count == 12 + 4 + 16 + 4 + 8 + 2 && xp_net_parameter_count(copy) == count);
    for (size_t m = 0; m < 2; m++) {
        xp_net_get(net, m, a);
        xp_net_get(copy, m, b);
        EXPECT(memcmp(a, b, count * sizeof a[0]) == 0);
    }
    void *first, *second;
    size_t first_bytes, second_bytes;
    EXPECT(xp_net_to_bytes(net, &first, &first_bytes, NULL) == XP_OK);
    EXPECT(xp_net_to_bytes(copy, &second, &second_bytes, NULL) == XP_OK);
    EXPECT(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    xp_release(first);
    xp_release(second);
    xp_net_destroy(copy);
    EXPECT(xp_net_load(path, NULL, &copy, NULL) == XP_OK);
    EXPECT(xp_net_get_options(copy)->hot == 0);
    xp_net_destroy(copy);
    xp_net_destroy(net);
}

CLAIM(the_file_is_laid_out_as_the_format_says) {
    xp_net *net = make_net();
    void *data;
    size_t bytes;
    EXPECT(xp_net_to_bytes(net, &data, &bytes, NULL) == XP_OK);
    const unsigned char *b = data;
    const size_t length = b[0] | (size_t)b[1] << 8;
    EXPECT(length % 8 == 0 && bytes == 8 + length + 2 * 46 * 4);
    char *header = calloc(length + 1, 1);
    memcpy(header, b + 8, length);
    EXPECT_TEXT(header, "\"member.0.layer1.weight\":{\"dtype\":\"F32\",\"shape\":[4,3],"
                        "\"data_offsets\":[0,48]}");
    EXPECT_TEXT(header, "\"member.1.layer3.bias\":{\"dtype\":\"F32\",\"shape\":[2],"
                        "\"data_offsets\":[360,368]}");
    float parameters[46], first;
    xp_net_get(net, 0, parameters);
    memcpy(&first, b + 8 + length, sizeof first); /* tests run on machines with low byte first */
    EXPECT(first == parameters[0]);
    free(header);
    xp_release(data);
    xp_net_destroy(net);
}

/* Makes a file from a header and so many bytes of zeros, and expects it to be refused. */
static void expect_refused(const char *header, size_t numbers, const char *sentence) {
    const size_t length = strlen(header);
    unsigned char *file = calloc(8 + length + numbers, 1);
    file[0] = (unsigned char)length;
    file[1] = (unsigned char)(length >> 8);
    memcpy(file + 8, header, length);
    xp_net *net;
    xp_error error = {XP_OK, ""};
    const xp_net_options options = any_size();
    EXPECT(xp_net_parse(file, 8 + length + numbers, "q.safetensors", &options, &net, &error) ==
           XP_ERR_INPUT);
    EXPECT(net == NULL);
    EXPECT_TEXT(error.message, "q.safetensors");
    EXPECT_TEXT(error.message, sentence);
    free(file);
}

/* One member of one input, one unit and one action: six tensors of one number each. */
#define ENTRY(name, shape, from, to)                                                               \
    "\"member.0." name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" #from        \
    "," #to "]}"
#define REST3                                                                                      \
    ENTRY("layer2.bias", "[1]", 12, 16)                                                            \
    "," ENTRY("layer3.weight", "[1,1]", 16, 20) "," ENTRY("layer3.bias", "[1]", 20, 24) "}"
#define REST4 ENTRY("layer2.weight", "[1,1]", 8, 12) "," REST3
#define REST5 ENTRY("layer1.bias", "[1]", 4, 8) "," REST4

CLAIM(a_file_that_is_not_a_network_is_refused_with_the_reason) {
    expect_refused("", 0, "line 1");
    expect_refused("[]", 0, "not a JSON object");
    expect_refused("{}", 0, "there is no tensor 'member.0.layer1.weight'");
    expect_refused("{\"member.0.layer1.weight\":3}", 0, "'member.0.layer1.weight' is 3");
    expect_refused("{\"member.0.layer1.weight\":{\"dtype\":\"F64\"}}", 0, "dtype \"F64\"");
    expect_refused("{\"member.0.layer1.weight\":{}}", 0, "dtype missing");
    expect_refused("{" ENTRY("layer1.weight", "[1]", 0, 4) "," REST5, 24, "has shape [1]");
    expect_refused("{" ENTRY("layer1.weight", "[0,1]", 0, 4) "," REST5, 24, "has shape [0");
    expect_refused("{" ENTRY("layer1.weight", "[-1,1]", 0, 4) "," REST5, 24, "has shape [-1");
    expect_refused("{" ENTRY("layer1.weight", "[1.5,1]", 0, 4) "," REST5, 24, "has shape [1.5");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0, 4) "," REST4, 24, "has 5 tensors");
    expect_refused("{\"x\":1," ENTRY("layer1.weight", "[1,1]", 0, 4) "," REST4, 24,
                   "there is no tensor 'member.0.layer1.bias'");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0, 4) "," REST5, 20, "20 bytes follow");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0, 4) "," REST5, 28, "28 bytes follow");
    expect_refused("{" ENTRY("layer1.weight", "[1,9007199254740992]", 0, 4) "," REST5, 24,
                   "which do not make 1 members");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0, 8) "," REST5, 24,
                   "'member.0.layer1.weight' has data_offsets [0");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 40, 44) "," REST5, 24, "has data_offsets");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 4, 0) "," REST5, 24, "has data_offsets");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 4, 8) "," REST5, 24,
                   "begins at 4, not at 0");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0,
                             4) "," ENTRY("layer1.bias", "[1]", 4,
                                          8) "," ENTRY("layer2.weight", "[1,2]", 8, 12) "," REST3,
                   24, "'member.0.layer2.weight' has shape [1");
    expect_refused("{" ENTRY("layer1.weight", "[1,1]", 0, 4) "," ENTRY("layer1.weight", "[1,1]", 0,
                                                                       4) "," REST5,
                   24, "duplicate");
}

CLAIM(the_smallest_network_is_accepted) {
    static const char header[] = "{" ENTRY("layer1.weight", "[1,1]", 0, 4) "," REST5;
    unsigned char file[1024] = {0};
    const size_t length = strlen(header);
    file[0] = (unsigned char)length;
    file[1] = (unsigned char)(length >> 8);
    memcpy(file + 8, header, length);
    xp_net *net;
    const xp_net_options options = any_size();
    xp_error error;
    EXPECT(xp_net_parse(file, 8 + length + 24, "f", &options, &net, &error) == XP_OK);
    xp_net_destroy(net);
    const float broken = NAN;
    memcpy(file + 8 + length + 12, &broken, sizeof broken);
    EXPECT(xp_net_parse(file, 8 + length + 24, "f", &options, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "tensor 'member.0.layer2.bias': number 0 is nan");
}

CLAIM(networks_that_are_not_finite_are_not_written) {
    static const float broken[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        xp_net *net = make_net();
        float parameters[64];
        xp_net_get(net, 1, parameters);
        parameters[xp_net_parameter_count(net) - 1] = broken[i];
        xp_net_set(net, 1, parameters);
        char path[512];
        (void)snprintf(path, sizeof path, "%s/broken.safetensors", claim_directory());
        xp_error error = {.message = ""};
        EXPECT(xp_net_save(net, path, &error) == XP_ERR_NUMERIC);
        EXPECT_TEXT(error.message, "networks with parameters that are not finite are not written");
        EXPECT(fopen(path, "rb") == NULL);
        void *data;
        size_t bytes;
        EXPECT(xp_net_to_bytes(net, &data, &bytes, NULL) == XP_ERR_NUMERIC && data == NULL);
        xp_net_destroy(net);
    }
}

CLAIM(a_file_cut_anywhere_is_refused) {
    xp_net *net = make_net(), *copy;
    void *data;
    size_t bytes;
    EXPECT(xp_net_to_bytes(net, &data, &bytes, NULL) == XP_OK);
    const xp_net_options options = any_size();
    for (size_t cut = 0; cut < bytes; cut++) {
        xp_error error = {XP_OK, ""};
        EXPECT(xp_net_parse(data, cut, "cut", &options, &copy, &error) == XP_ERR_INPUT);
        EXPECT(error.message[0] != '\0');
    }
    unsigned char *b = data;
    memset(b, 0xff, 8);
    xp_error error;
    EXPECT(xp_net_parse(data, bytes, "huge", &options, &copy, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "huge: says that its header has 18446744073709551615 bytes");
    xp_release(data);
    xp_net_destroy(net);
}

CLAIM(sizes_that_are_asked_for_must_be_those_of_the_file) {
    xp_net *net = make_net(), *copy;
    void *data;
    size_t bytes;
    EXPECT(xp_net_to_bytes(net, &data, &bytes, NULL) == XP_OK);
    xp_net_options options = any_size();
    xp_error error;
    options.inputs = 900;
    EXPECT(xp_net_parse(data, bytes, "f", &options, &copy, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "f: has 3 inputs where 900 were expected");
    options.inputs = 3;
    options.members = 25;
    EXPECT(xp_net_parse(data, bytes, "f", &options, &copy, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "f: has 2 members where 25 were expected");
    EXPECT(xp_net_load("/nowhere/net", &options, &copy, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "/nowhere/net");
    xp_release(data);
    xp_net_destroy(net);
}

CLAIM(running_out_of_memory_anywhere_leaves_nothing_behind) {
    xp_net *net = make_net();
    void *data;
    size_t bytes;
    EXPECT(xp_net_to_bytes(net, &data, &bytes, NULL) == XP_OK);
    void *kept = malloc(bytes);
    memcpy(kept, data, bytes);
    xp_release(data);
    xp_net_destroy(net);
    const xp_net_options options = any_size();
    xp_status status = XP_ERR_MEMORY;
    size_t fail_at = 0;
    for (; status != XP_OK && fail_at < 1000; fail_at++) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, fail_at);
        void *again = NULL;
        size_t again_bytes;
        xp_net_batch batch = {.rows = NULL};
        status = xp_net_parse(kept, bytes, "f", &options, &net, NULL);
        if (status == XP_OK) {
            status = xp_net_to_bytes(net, &again, &again_bytes, NULL);
        }
        if (status == XP_OK) {
            status = xp_net_batch_init(&batch, net, 10, NULL);
        }
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
        xp_net_batch_deinit(&batch);
        xp_release(again);
        xp_net_destroy(net);
        EXPECT(allocator.alive == 0);
    }
    EXPECT(status == XP_OK && fail_at > 8);
    xp_allocator_install(NULL);
    free(kept);
}

CLAIM(training_and_evaluating_take_no_memory) {
    failing_allocator allocator;
    failing_allocator_install(&allocator, SIZE_MAX);
    xp_net *net = make_net();
    xp_net_batch batch;
    EXPECT(xp_net_batch_init(&batch, net, 10, NULL) == XP_OK);
    const size_t calls = allocator.calls;
    const uint32_t state = 1;
    (void)xp_net_batch_add(&batch, &state, 1);
    xp_net_td td = xp_net_td_of(&batch);
    const xp_net_rows rows = xp_net_batch_rows(&batch);
    xp_net_train(net, &rows, xp_net_td_loss, &td, NULL);
    (void)xp_net_greedy(net, 1, &rows);
    xp_net_batch_clear(&batch);
    EXPECT(allocator.calls == calls);
    xp_net_batch_deinit(&batch);
    xp_net_destroy(net);
    EXPECT(allocator.alive == 0);
    xp_allocator_install(NULL);
}
