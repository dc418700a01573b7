/* Demonstrations in files: every shape that is read, every way a file can be wrong, and that what
 * is saved is loaded. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "demos/demos_type.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARSE(text, demos, error) xp_demos_parse(text, sizeof text - 1, "demos", demos, error)

/* A demonstration as the tests write it down: its actions, and how often. */
typedef struct row {
    const char *actions;
    uint64_t count;
} row;

/* Checks that `text` is read as these trajectories of one-digit actions. */
static void expect_rows(const char *text, size_t bytes, const row *rows, size_t count) {
    xp_demos *demos;
    xp_error error = {XP_OK, ""};
    EXPECT(xp_demos_parse(text, bytes, "demos", &demos, &error) == XP_OK);
    if (demos == NULL) {
        EXPECT_TEXT("", error.message);
        return;
    }
    EXPECT(xp_demos_distinct(demos) == count);
    for (size_t i = 0; i < count && i < xp_demos_distinct(demos); i++) {
        const xp_trajectory got = xp_demos_trajectory(demos, i);
        EXPECT(got.count == rows[i].count && got.length == strlen(rows[i].actions));
        for (size_t step = 0; step < got.length; step++) {
            EXPECT(got.actions[step] == (uint32_t)(rows[i].actions[step] - '0'));
        }
    }
    xp_demos_destroy(demos);
}
#define EXPECT_ROWS(text, ...)                                                                     \
    expect_rows(text, sizeof text - 1, (const row[]){__VA_ARGS__},                                 \
                sizeof((const row[]){__VA_ARGS__}) / sizeof(row))

CLAIM(a_list_of_actions_is_read_with_or_without_header_and_line_endings) {
    EXPECT_ROWS("3\n1\n3\n", {"3", 2}, {"1", 1});
    EXPECT_ROWS("action\n3\n1\n3", {"3", 2}, {"1", 1});
    EXPECT_ROWS("\xef\xbb\xbf\"Action\"\r\n3\r\n 1 \r\n\"3\"\r\n\r\n", {"3", 2}, {"1", 1});
    EXPECT_ROWS("\n \n0\n\n \t\n", {"0", 1});
    EXPECT_ROWS("0", {"0", 1});
    EXPECT_ROWS("\xef\xbb\xbf"
                "0",
                {"0", 1});
}

CLAIM(counted_actions_are_read_in_any_column_order) {
    EXPECT_ROWS("action,count\n2,5\n0,1\n2,4\n", {"2", 9}, {"0", 1});
    EXPECT_ROWS("count, action\n5,2\n1,0\n", {"2", 5}, {"0", 1});
    EXPECT_ROWS("action,count\n0,9007199254740992\n", {"0", XP__COUNT_MAX});
    xp_demos *demos;
    const char zero[] = "action,count\n1,5\n6,0\n";
    EXPECT(PARSE(zero, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_actions(demos) == 7 && xp_demos_distinct(demos) == 1);
    xp_demos_destroy(demos);
}

CLAIM(steps_are_read_from_0_or_from_1) {
    EXPECT_ROWS("demonstration,step,action\na,0,1\na,1,0\nb,0,1\nb,1,0\nc,0,1\n", {"10", 2},
                {"1", 1});
    EXPECT_ROWS("demonstration,step,action\n7,1,1\n7,2,0\n6,1,1\n", {"10", 1}, {"1", 1});
    EXPECT_ROWS("step,action,demonstration\n0,1,\"a\nb\"\n1,0,\"a\nb\"\n", {"10", 1});
}

CLAIM(states_are_read_in_column_order) {
    xp_demos *demos;
    const char text[] = "demonstration,state,step,action,state_velocity\n"
                        "0,1.5,0,1,-2e-3\n0,+.25,1,0,7\n1,1.5,0,1,-0.002\n1,0.25,1,0,7.0\n";
    EXPECT(PARSE(text, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_state_size(demos) == 2 && xp_demos_distinct(demos) == 1);
    const xp_trajectory got = xp_demos_trajectory(demos, 0);
    EXPECT(got.count == 2 && got.length == 2);
    EXPECT(got.states[0] == 1.5 && got.states[1] == -2e-3 && got.states[2] == 0.25 &&
           got.states[3] == 7);
    xp_demos_destroy(demos);
}

CLAIM(json_lines_are_read) {
    EXPECT_ROWS("{\"actions\":[1,0],\"count\":3}\r\n {\"actions\": [1, 0]}\n{\"action\":2}\n\n",
                {"10", 4}, {"2", 1});
    EXPECT_ROWS("{\"actions\":[1,0],\"states\":[[],[]]}\n{\"actions\":[\"1\",0]}", {"10", 2});
    xp_demos *demos;
    const char text[] = "{\"action\":9,\"count\":0}\n"
                        "{\"actions\":[1,0],\"states\":[[1,2.5],[-3,1e2]],\"count\":2}\n";
    EXPECT(PARSE(text, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_state_size(demos) == 2 && xp_demos_actions(demos) == 10);
    const xp_trajectory got = xp_demos_trajectory(demos, 0);
    EXPECT(got.count == 2 && got.states[1] == 2.5 && got.states[3] == 100);
    xp_demos_destroy(demos);
}

CLAIM(actions_are_numbers_if_all_are_and_names_in_order_of_appearance_otherwise) {
    xp_demos *demos;
    EXPECT(PARSE("999999\n0\n2000\n", &demos, NULL) == XP_OK);
    EXPECT(xp_demos_actions(demos) == 1000000 && xp_demos_action_name(demos, 0) == NULL);
    EXPECT(xp_demos_trajectory(demos, 0).actions[0] == 999999);
    xp_demos_destroy(demos);
    static const char *const mixed[] = {"7\n5\nx\n5\n", "7\n5\n007\n", "7\n5\n-1\n",
                                        "7\n5\n1000000\n", "7\n5\n1.0\n"};
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        EXPECT(xp_demos_parse(mixed[i], strlen(mixed[i]), "demos", &demos, NULL) == XP_OK);
        EXPECT(xp_demos_actions(demos) == 3 && xp_demos_trajectory(demos, 0).actions[0] == 0);
        EXPECT(strcmp(xp_demos_action_name(demos, 1), "5") == 0);
        xp_demos_destroy(demos);
    }
}

/* Every one of these is refused; the sentence is given whole. */
static const struct {
    const char *text, *sentence;
    size_t bytes; /* 0: strlen */
} wrong[] = {
    {"", "demos: is empty", 0},
    {"\xef\xbb\xbf", "demos: is empty", 0},
    {"\n \r\n\n", "demos: is empty", 0},
    {"action\n", "demos: has a header but no demonstrations", 0},
    {"demonstration,step,action", "demos: has a header but no demonstrations", 0},
    {"action,count\n1,0\n", "demos: holds no demonstrations", 0},
    {"1\n2,3\n", "demos:2: expected 1 field, found 2", 0},
    {"action,count\n1,2\n2,3,4\n", "demos:3: expected 2 fields, found 3", 0},
    {"action,count\n1\n", "demos:2: expected 2 fields, found 1", 0},
    {"1\n\n2\n", "demos:2: is a blank line inside the data", 0},
    {"arm\n1\n2\n",
     "demos: starts with 'arm' but all other actions are numbers; if that is a header, write "
     "'action'",
     0},
    {"action,count\n1,-2\n", "demos:2: count = '-2' is not a whole number from 0 to 2^53", 0},
    {"action,count\n1,2.5\n", "demos:2: count = '2.5' is not a whole number from 0 to 2^53", 0},
    {"action,count\n1,9007199254740993\n",
     "demos:2: count = '9007199254740993' is not a whole number from 0 to 2^53", 0},
    {"action,count\n1,9007199254740992\n2,1\n",
     "demos:3: count = 1 makes more than 2^53 steps in all", 0},
    {"action,count\n,1\n", "demos:2: action is empty", 0},
    {"action,reward\n1,0\n",
     "demos:1: column 'reward': demonstrations have no rewards, only states and actions; leave it "
     "out",
     0},
    {"action,colour\n1,0\n",
     "demos:1: unknown column 'colour'; columns are demonstration, step, state..., action, or "
     "action, count",
     0},
    {"3,4\n", "demos:1: unknown column '3'; columns are", 0},
    {"action,action\n1,0\n", "demos:1: column 'action' appears twice", 0},
    {"action,Action\n1,0\n", "demos:1: column 'action' appears twice", 0},
    {"demonstration,step,state,state,action\n", "demos:1: column 'state' appears twice", 0},
    {"demonstration,action\n", "demos:1: column 'step' is missing", 0},
    {"state,action\n", "demos:1: column 'demonstration' is missing", 0},
    {"demonstration,step\n", "demos:1: column 'action' is missing", 0},
    {"demonstration,step,action,count\n",
     "demos:1: column 'count' goes with 'action' alone, not with steps", 0},
    {"demonstration,step,action\n0,2,1\n",
     "demos:2: step = '2' cannot be the first: steps start at 0 or 1", 0},
    {"demonstration,step,action\n0,0,1\n0,2,1\n", "demos:3: step = '2' follows step 0, expected 1",
     0},
    {"demonstration,step,action\n0,0,1\n0,0,1\n", "demos:3: step = '0' follows step 0, expected 1",
     0},
    {"demonstration,step,action\n0,0,1\n1,0,1\n0,1,1\n",
     "demos:4: demonstration '0' starts at step 1, expected 0 (the rows of a demonstration must "
     "stand together)",
     0},
    {"demonstration,step,action\n0,x,1\n",
     "demos:2: step = 'x' is not a whole number from 0 to 2^53", 0},
    {"demonstration,step,action\n,0,1\n", "demos:2: demonstration is empty", 0},
    {"demonstration,step,state_0,state_1,action\n0,0,1,nan,0\n",
     "demos:2: state_1 = 'nan' is not a finite number", 0},
    {"demonstration,step,state,action\n0,0,-inf,0\n",
     "demos:2: state = '-inf' is not a finite number", 0},
    {"demonstration,step,state,action\n0,0,1e999,0\n",
     "demos:2: state = '1e999' is not a finite number", 0},
    {"demonstration,step,state,action\n0,0,,0\n", "demos:2: state = '' is not a finite number", 0},
    {"demonstration,step,state,action\n0,0,0x1p3,0\n",
     "demos:2: state = '0x1p3' is not a finite number", 0},
    {"demonstration,step,state,action\n0,0,-,0\n", "demos:2: state = '-' is not a finite number",
     0},
    {"demonstration,step,state,action\n0,0,"
     "0123456789012345678901234567890123456\xe2\x82\xac\xe2\x82\xac,0\n", /* cut between the euros
                                                                           */
     "demos:2: state = '0123456789012345678901234567890123456\xe2\x82\xac...' is not a finite", 0},
    {"\x89HDF\r\n\x1a\n\0\0", "demos: is HDF5, which can be read from a plain file only", 10},
    {"a\0b\n", "demos:1: holds a zero byte, so it is not UTF-8 text", 4},
    {"1\n2\n\"3\n4\n", "demos:3: opens a quote that is never closed", 0},
    {"1\n\"", "demos:2: opens a quote that is never closed", 0},
    {"1\n2\"3\n", "demos:2: has a quote inside a field that is not quoted", 0},
    {"1\n\"2\"3\n", "demos:2: has text after a closing quote", 0},
    {"1\r2\r3\r", "demos:1: has a carriage return inside a field; lines end in LF or CRLF", 0},
    {"ok\ncaf\xe9\n", "demos:2: action = 'caf?' is not valid UTF-8", 0},
    {"\xed\xa0\x80\n", "demos:1: action = '\?\?\?' is not valid UTF-8", 0},
    {"\xf0\x9f\x98\n", "demos:1: action = '\?\?\?' is not valid UTF-8", 0},
    {"\xe2\x28\xa1\n", "demos:1: action = '\?(\?' is not valid UTF-8", 0},
    {"\xc0\xaf\n", "demos:1: action = '\?\?' is not valid UTF-8", 0},
    {"{\"action\":1}\n{\"action\":\n",
     "demos:2: is not a JSON object, as every line must be: unexpected token near end of file", 0},
    {"{\"action\":1}\n[1]\n", "demos:2: is not a JSON object", 0},
    {"{\"action\":1}\n\n{\"action\":1}\n", "demos:2: is a blank line inside the data", 0},
    {"{\"action\":1,\"action\":2}\n",
     "demos:1: is not a JSON object, as every line must be: duplicate object key near", 0},
    {"{\"action\":1.5}\n", "demos:1: action = 1.5 is neither a whole number from 0 nor a text", 0},
    {"{\"actions\":[0,-1]}\n",
     "demos:1: action of step 1 = -1 is neither a whole number from 0 nor a text", 0},
    {"{\"actions\":[]}\n", "demos:1: 'actions' is not a list of at least one action", 0},
    {"{\"actions\":3}\n", "demos:1: 'actions' is not a list of at least one action", 0},
    {"{\"count\":3}\n", "demos:1: needs one of 'action' and 'actions'", 0},
    {"{\"action\":1,\"actions\":[1]}\n", "demos:1: needs one of 'action' and 'actions'", 0},
    {"{\"action\":1,\"states\":[[1]]}\n", "demos:1: has 'states', which go with 'actions'", 0},
    {"{\"actions\":[1,2],\"states\":[[1]]}\n",
     "demos:1: 'states' is not a list of 2 states, one for each action", 0},
    {"{\"actions\":[1,2],\"states\":[[1],[1,2]]}\n",
     "demos:1: state of step 1 is not a list of 1 numbers", 0},
    {"{\"actions\":[1],\"states\":[[1]]}\n{\"actions\":[1],\"states\":[[1,2]]}\n",
     "demos:2: has states of 2 numbers, earlier ones have 1", 0},
    {"{\"actions\":[1],\"states\":[[null]]}\n",
     "demos:1: state 0 of step 0 = null is not a finite number", 0},
    {"{\"action\":1,\"count\":-1}\n", "demos:1: count = -1 is not a whole number from 0 to 2^53",
     0},
    {"{\"action\":1,\"count\":1.5}\n", "demos:1: count = 1.5 is not a whole number from 0 to 2^53",
     0},
    {"{\"action\":1,\"rewards\":[0]}\n",
     "demos:1: key 'rewards': demonstrations have no rewards, only states and actions; leave it "
     "out",
     0},
    {"{\"action\":1,\"colour\":0}\n", "demos:1: unknown key 'colour'; keys are", 0},
    {"{\"action\":\"\"}\n", "demos:1: action is empty", 0},
};

CLAIM(every_mistake_is_one_sentence_with_file_line_and_value) {
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        xp_demos *demos;
        xp_error error = {XP_OK, ""};
        const size_t bytes = wrong[i].bytes != 0 ? wrong[i].bytes : strlen(wrong[i].text);
        EXPECT(xp_demos_parse(wrong[i].text, bytes, "demos", &demos, &error) == XP_ERR_INPUT);
        EXPECT(demos == NULL && error.status == XP_ERR_INPUT);
        EXPECT(strncmp(error.message, wrong[i].sentence, strlen(wrong[i].sentence)) == 0);
        EXPECT_TEXT(error.message, wrong[i].sentence);
        EXPECT(xp_demos_parse(wrong[i].text, bytes, "demos", &demos, NULL) == XP_ERR_INPUT);
    }
}

/* A text of `count` copies of `unit` between `before` and `after`, to be freed. */
static char *repeated(const char *before, const char *unit, size_t count, const char *after) {
    const size_t length = strlen(unit);
    char *text = malloc(strlen(before) + count * length + strlen(after) + 1);
    char *at = text + sprintf(text, "%s", before);
    for (size_t i = 0; i < count; i++, at += length) {
        memcpy(at, unit, length);
    }
    strcpy(at, after);
    return text;
}

CLAIM(lines_names_and_their_number_are_bounded) {
    xp_demos *demos;
    xp_error error;
    char *text = repeated("{\"actions\":[0", " ", XP__LINE_MAX - 15, "]}\n");
    EXPECT(xp_demos_parse(text, strlen(text), "demos", &demos, &error) == XP_OK);
    xp_demos_destroy(demos);
    free(text);
    text = repeated("0\n{", "0", XP__LINE_MAX, "");
    EXPECT(xp_demos_parse(text, strlen(text), "demos", &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "demos:2: is longer than 1048576 bytes");
    free(text);
    text = repeated("1\n\"", "x\n", XP__LINE_MAX, "");
    EXPECT(xp_demos_parse(text, strlen(text), "demos", &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "demos:2: is longer than 1048576 bytes");
    free(text);
    text = repeated("1\n", "x", 1025, "\n");
    EXPECT(xp_demos_parse(text, strlen(text), "demos", &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "demos:2: action is longer than 1024 bytes");
    free(text);

    text = malloc(70000 * 8);
    for (size_t names = 65536; names <= 65537; names++) {
        size_t used = 0;
        for (size_t i = 0; i < names; i++) {
            used += (size_t)sprintf(text + used, "a%zu\n", i);
        }
        const bool few = names == 65536;
        EXPECT(xp_demos_parse(text, used, "demos", &demos, &error) == (few ? XP_OK : XP_ERR_INPUT));
        EXPECT(few ? xp_demos_actions(demos) == names : demos == NULL);
        xp_demos_destroy(demos);
    }
    EXPECT_TEXT(error.message, "demos:65537: has more than 65536 distinct action names");
    free(text);
}

/* The buffer is refilled at many places of a record when records of many lengths follow. */
CLAIM(records_survive_every_refill_of_the_buffer) {
    char *text = malloc(3000000);
    size_t used = (size_t)sprintf(text, "demonstration,step,action\n");
    for (size_t i = 0; i < 20000; i++) {
        used += (size_t)sprintf(text + used, "\"%0*zu\r\n\"\"\",0,\"left,\n\"\"%zu\"\r\n",
                                (int)(i % 97), i, i % 10);
    }
    xp_demos *demos;
    xp_error error = {XP_OK, ""};
    EXPECT(xp_demos_parse(text, used, "demos", &demos, &error) == XP_OK);
    EXPECT(xp_demos_count(demos) == 20000 && xp_demos_distinct(demos) == 10);
    EXPECT(strcmp(xp_demos_action_name(demos, 7), "left,\n\"7") == 0);
    xp_demos_destroy(demos);
    free(text);
}

static const char *path_of(const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    return path;
}

/* Saves and loads in both formats and compares. */
static void expect_round_trip(const xp_demos *demos) {
    for (int format = XP_DEMOS_CSV; format <= XP_DEMOS_JSONL; format++) {
        xp_demos *again;
        xp_error error = {XP_OK, ""};
        const char *path = path_of("saved");
        EXPECT(xp_demos_save(demos, path, (xp_demos_format)format, &error) == XP_OK);
        EXPECT(xp_demos_load(path, &again, &error) == XP_OK);
        EXPECT_TEXT("", error.message);
        EXPECT(again != NULL && xp__demos_equal(demos, again));
        xp_demos_destroy(again);
    }
}

CLAIM(what_is_saved_is_loaded_with_odd_names_and_exact_states) {
    xp_demos *demos;
    const char names[] = "action,count\n\"a,b\",2\n\"say \"\"hi\"\"\",1\n\"two\nlines\",3\n"
                         "\"two\r\nlines\",1\n\" blank \",1\n\"\ttab\",1\n\xc3\xa9t\xc3\xa9,1\n"
                         "back\\slash,1\n{,1\naction,1\n\"\x01\",1\n7,1\n";
    EXPECT(PARSE(names, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_actions(demos) == 12);
    expect_round_trip(demos);
    xp_demos_destroy(demos);

    xp_rng rng = xp_rng_seed(2);
    EXPECT(xp_demos_create(3, 0, &demos, NULL) == XP_OK);
    for (uint32_t i = 0; i < 200; i++) {
        double states[12];
        uint32_t actions[4];
        for (size_t j = 0; j < 12; j++) {
            states[j] = i % 3 == 0 ? (double)(j % 2) : xp_rng_normal(&rng) * 1e-300;
        }
        for (size_t j = 0; j < 4; j++) {
            actions[j] = (uint32_t)xp_rng_below(&rng, 3);
        }
        EXPECT(xp_demos_add(demos, states, actions, 1 + i % 4, 1 + i % 5, NULL) == XP_OK);
    }
    expect_round_trip(demos);
    xp_demos_destroy(demos);
}

CLAIM(the_saved_text_is_the_documented_one) {
    xp_demos *demos;
    char buffer[512] = "";
    const char text[] = "{\"actions\":[2,0],\"states\":[[1,0.1],[0,-3]],\"count\":2}\n"
                        "{\"actions\":[1],\"states\":[[1e300,0]]}\n{\"action\":4,\"count\":0}\n";
    EXPECT(PARSE(text, &demos, NULL) == XP_OK);
    FILE *stream = fmemopen(buffer, sizeof buffer, "w");
    EXPECT(xp__demos_write(demos, stream, XP_DEMOS_CSV, NULL) == XP_OK);
    (void)fclose(stream);
    EXPECT_TEXT(buffer, "demonstration,step,state_0,state_1,action\n"
                        "0,0,1,0.1,2\n0,1,0,-3,0\n1,0,1,0.1,2\n1,1,0,-3,0\n2,0,1e+300,0,1\n");
    stream = fmemopen(buffer, sizeof buffer, "w");
    EXPECT(xp__demos_write(demos, stream, XP_DEMOS_JSONL, NULL) == XP_OK);
    (void)fclose(stream);
    EXPECT_TEXT(buffer, "{\"action\":4,\"count\":0}\n"
                        "{\"actions\":[2,0],\"states\":[[1,0.1],[0,-3]],\"count\":2}\n"
                        "{\"actions\":[1],\"states\":[[1e+300,0]],\"count\":1}\n");
    xp_demos_destroy(demos);
}

CLAIM(untaken_actions_live_in_jsonl_and_csv_says_what_it_cannot_hold) {
    xp_demos *demos, *again;
    xp_error error;
    const char text[] = "action,count\nc,0\nb,2\na,1\n";
    EXPECT(PARSE(text, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, path_of("x.csv"), XP_DEMOS_CSV, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message,
                "CSV cannot keep an action that was named before any demonstration took it");
    EXPECT(access(path_of("x.csv"), F_OK) != 0);
    EXPECT(xp_demos_save(demos, path_of("x.jsonl"), XP_DEMOS_JSONL, &error) == XP_OK);
    EXPECT(xp_demos_load(path_of("x.jsonl"), &again, &error) == XP_OK);
    EXPECT(xp__demos_equal(demos, again) && xp_demos_actions(again) == 3);
    xp_demos_destroy(again);
    xp_demos_destroy(demos);

    const char late[] = "action,count\na,0\nb,2\na,1\n"; /* a is number 0, but b is first */
    EXPECT(PARSE(late, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, path_of("x.csv"), XP_DEMOS_CSV, &error) == XP_ERR_INPUT);
    EXPECT(xp_demos_save(demos, path_of("x.jsonl"), XP_DEMOS_JSONL, &error) == XP_OK);
    EXPECT(xp_demos_load(path_of("x.jsonl"), &again, &error) == XP_OK);
    EXPECT(xp__demos_equal(demos, again));
    xp_demos_destroy(again);
    xp_demos_destroy(demos);

    EXPECT(xp_demos_create(0, 9, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, path_of("x.csv"), XP_DEMOS_CSV, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there are no demonstrations to save");
    const uint32_t two = 2;
    EXPECT(xp_demos_add(demos, NULL, &two, 1, UINT64_C(2000000000), NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, path_of("x.csv"), XP_DEMOS_CSV, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "2000000000 steps are too many for CSV");
    EXPECT(xp_demos_save(demos, path_of("x.jsonl"), XP_DEMOS_JSONL, &error) == XP_OK);
    EXPECT(xp_demos_load(path_of("x.jsonl"), &again, &error) == XP_OK);
    EXPECT(xp__demos_equal(demos, again) && xp_demos_actions(again) == 9);
    xp_demos_destroy(again);
    xp_demos_destroy(demos);
}

CLAIM(a_line_too_long_to_be_read_back_is_not_written) {
    xp_demos *demos;
    xp_error error;
    const size_t steps = 600000;
    uint32_t *actions = calloc(steps, sizeof *actions);
    EXPECT(xp_demos_create(0, 0, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, NULL, actions, steps, 1, NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, path_of("x"), XP_DEMOS_JSONL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "longer than the 1048576 bytes that can be read back");
    EXPECT(xp_demos_save(demos, path_of("x"), XP_DEMOS_CSV, &error) == XP_OK);
    xp_demos_destroy(demos);
    free(actions);
}

CLAIM(files_that_cannot_be_read_or_written_are_named) {
    xp_demos *demos;
    xp_error error;
    EXPECT(xp_demos_load("/no/such/file", &demos, &error) == XP_ERR_FILE && demos == NULL);
    EXPECT_TEXT(error.message, "cannot read '/no/such/file': No such file or directory");
    EXPECT(xp_demos_load(claim_directory(), &demos, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "Is a directory");
    EXPECT(PARSE("0\n", &demos, NULL) == XP_OK);
    EXPECT(xp_demos_save(demos, "/no/such/file", XP_DEMOS_CSV, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "/no/such/file");
    xp_demos_destroy(demos);
}

CLAIM(a_dash_is_standard_input) {
    const char *path = path_of("stdin.csv");
    FILE *file = fopen(path, "w");
    (void)fputs("1\n0\n", file);
    (void)fclose(file);
    xp_demos *demos;
    xp_error error;
    EXPECT(freopen(path, "r", stdin) != NULL);
    EXPECT(xp_demos_load("-", &demos, &error) == XP_OK && xp_demos_count(demos) == 2);
    xp_demos_destroy(demos);
    EXPECT(xp_demos_load("-", &demos, &error) == XP_ERR_INPUT); /* it is read now */
    EXPECT_TEXT(error.message, "standard input: is empty");
}

/* An environment with a state of a whole number in 0 .. 15 and a real one. */
static const size_t lake_categories[] = {16, 0};
static const xp_env_info lake = {
    .name = "lake", .actions = 3, .state_size = 2, .horizon = 9, .categories = lake_categories};

static xp_status load_for_lake(const char *text, xp_demos **demos, xp_error *error) {
    FILE *file = fopen(path_of("lake"), "w");
    (void)fputs(text, file);
    (void)fclose(file);
    return xp_demos_load_for(path_of("lake"), &lake, demos, error);
}

CLAIM(a_file_must_fit_the_environment_it_is_loaded_for) {
#define HEADER "demonstration,step,state_0,state_1,action\n"
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {HEADER "a,0,1,0.5,0\na,1,2,0.5,1\nb,0,3,0.5,3\n",
         "lake:4: in lake there is no action '3'; actions are the whole numbers 0 to 2"},
        {HEADER "a,0,1,0.5,0\na,1,2,0.5,left\n", "lake:3: in lake there is no action 'left'"},
        {HEADER "a,0,1,0.5,0\na,1,16,0.5,1\na,2,16,0.5,1\n",
         "lake:3: state 0 of step 1 = 16; in lake it is a whole number from 0 to 15, or -1 if it "
         "is not shown"},
        {HEADER "a,0,1.5,0.5,0\n", "lake:2: state 0 of step 0 = 1.5; in lake"},
        {"demonstration,step,state,action\na,0,1,0\n",
         "lake:1: has states of 1 numbers, those of lake have 2"},
        {"0\n1\n", "lake:1: has states of 0 numbers, those of lake have 2"},
        {"action,count\n0,5\n", "lake:1: has states of 0 numbers, those of lake have 2"},
        {"{\"actions\":[0],\"states\":[[1,2]]}\n{\"actions\":[0,7],\"states\":[[1,2],[1,2]]}\n",
         "lake:2: in lake there is no action '7'; actions are the whole numbers 0 to 2"},
        {"{\"actions\":[0],\"states\":[[1,2]]}\n{\"actions\":[0],\"states\":[[1,2,3]]}\n",
         "lake:2: has states of 3 numbers, those of lake have 2"},
        {"{\"actions\":[0],\"states\":[[1,2]]}\n{\"actions\":[0]}\n",
         "lake:2: has states of 0 numbers, those of lake have 2"},
        {"{\"actions\":[0,1],\"states\":[[-1,2],[-2,2]]}\n", "lake:1: state 0 of step 1 = -2; in"},
    };
    xp_demos *demos;
    xp_error error;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EXPECT(load_for_lake(cases[i].text, &demos, &error) == XP_ERR_INPUT && demos == NULL);
        EXPECT_TEXT(error.message, cases[i].sentence);
    }
    /* Trajectories of different lengths are fine, and actions that nobody took are counted. */
    static const char *const good[] = {
        HEADER "a,0,1,0.5,0\na,1,-1,0.5,1\nb,0,15,0.5,1\n",
        "{\"actions\":[0,1],\"states\":[[1,0.5],[-1,0.5]]}\n"
        "{\"actions\":[1],\"states\":[[15,0.5]]}\n",
    };
#undef HEADER
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        EXPECT(load_for_lake(good[i], &demos, &error) == XP_OK);
        EXPECT(xp_demos_actions(demos) == 3 && xp_demos_distinct(demos) == 2);
        EXPECT(xp_demos_trajectory(demos, 0).length == 2 &&
               xp_demos_trajectory(demos, 1).length == 1);
        xp_demos_destroy(demos);
    }
}

#ifdef XP_WITHOUT_HDF5
CLAIM(a_build_without_hdf5_says_how_to_get_one) {
    xp_demos *demos;
    xp_error error;
    FILE *file = fopen(path_of("data"), "wb");
    EXPECT(fwrite("\x89HDF\r\n\x1a\n\0\0", 1, 10, file) == 10);
    (void)fclose(file);
    EXPECT(xp_demos_load(path_of("data"), &demos, &error) == XP_ERR_INPUT && demos == NULL);
    EXPECT_TEXT(error.message,
                "data: HDF5 files are read by the program experior-hdf5, which is not installed "
                "with this experior: install libhdf5-dev and build it again with -DXP_HDF5=ON");
}
#endif

CLAIM(loading_survives_every_failed_allocation) {
    static const char *const texts[] = {
        "demonstration,step,state_0,action\n0,0,1,left\n0,1,2,\"a\nb\"\n1,0,0,c\n2,0,0,d\n",
        "action,count\n1,2\n0,3\n5,0\n",
        "{\"actions\":[0,1],\"states\":[[1],[2]]}\n{\"actions\":[1],\"states\":[[4]]}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        failing_allocator allocator;
        xp_status status = XP_ERR_MEMORY;
        size_t n = 0;
        for (; n < 200 && status != XP_OK; n++) {
            failing_allocator_install(&allocator, n);
            xp_demos *demos;
            xp_error error = {XP_OK, ""};
            status = xp_demos_parse(texts[i], strlen(texts[i]), "demos", &demos, &error);
            EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && demos == NULL));
            EXPECT(error.status == status);
            xp_demos_destroy(demos);
            EXPECT(allocator.alive == 0);
        }
        EXPECT(status == XP_OK && n > 5);
    }
    xp__allocator_install(NULL);
}

CLAIM(the_example_files_are_read) {
    static const struct {
        const char *name;
        uint64_t count;
        size_t actions, state_size;
    } examples[] = {{"treatments.csv", 120, 4, 0},
                    {"arms.txt", 40, 5, 0},
                    {"corridor.csv", 3, 2, 1},
                    {"corridor.jsonl", 9, 2, 1}};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/examples/data/%s", XP_SOURCE_DIR, examples[i].name);
        xp_demos *demos;
        xp_error error = {XP_OK, ""};
        EXPECT(xp_demos_load(path, &demos, &error) == XP_OK);
        EXPECT(demos != NULL && xp_demos_count(demos) == examples[i].count);
        EXPECT(demos != NULL && xp_demos_actions(demos) == examples[i].actions);
        EXPECT(demos != NULL && xp_demos_state_size(demos) == examples[i].state_size);
        xp_demos_destroy(demos);
    }
}
