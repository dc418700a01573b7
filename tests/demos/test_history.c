/* Histories: what is read, and that what is wrong is named. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "experior/history.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"left", "right", "a,\"b\"\n"};

static xp_history *parse(const char *text, const char *const *known, xp_error *error) {
    xp_history *history;
    const xp_status status =
        xp_history_parse(text, strlen(text), "history", 3, known, &history, error);
    EXPECT((status == XP_OK) == (history != NULL));
    return history;
}

CLAIM(actions_and_rewards_are_read_in_order) {
    static const struct {
        const char *text;
        const char *const *names;
    } same[] = {
        {"action,reward\n0,1\n2,0.5\n0,-3e2\n", NULL},
        {"\xef\xbb\xbfReward, Action\r\n1,0\r\n0.5,2\r\n-300,0\r\n\r\n", NULL},
        {"{\"action\":0,\"reward\":1}\n{\"reward\":0.5,\"action\":\"2\"}\n"
         "{\"action\":0,\"reward\":-300}",
         NULL},
        {"action,reward\nleft,1\n\"a,\"\"b\"\"\n\",0.5\nleft,-300", names},
        {"{\"action\":\"left\",\"reward\":1.0}\n{\"action\":\"a,\\\"b\\\"\\n\",\"reward\":0.5}\n"
         "{\"action\":\"left\",\"reward\":-3e2}\n",
         names},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        xp_error error = {XP_OK, ""};
        xp_history *history = parse(same[i].text, same[i].names, &error);
        EXPECT_TEXT("", error.message);
        if (history == NULL) {
            continue;
        }
        EXPECT(xp_history_count(history) == 3);
        EXPECT(xp_history_action(history, 0) == 0 && xp_history_reward(history, 0) == 1);
        EXPECT(xp_history_action(history, 1) == 2 && xp_history_reward(history, 1) == 0.5);
        EXPECT(xp_history_action(history, 2) == 0 && xp_history_reward(history, 2) == -300);
        xp_history_destroy(history);
    }
}

CLAIM(tables_of_any_dialect_and_pending_rewards_are_read) {
    static const struct {
        const char *text;
        size_t count;
        uint64_t pending;
        double total;
    } same[] = {
        {"time;action;reward;who\n1;0;1;x\n2;2;;y\n\n3;1.0;0;z\n", 2, 1, 1},
        {"action\treward\r\n0\t1\r\n0\tNaN\r\n0\tNone\r\n", 1, 2, 1},
        {"reward,action\nTrue,0\nfalse,1\n", 2, 0, 1},
        {"action,reward\n0,1\n,\n,\n", 1, 0, 1},
        {"n,action,reward\n1,0,1\n2,1,0\n3,1,1\n", 3, 0, 2},
        {"action,reward,count\n0,1,1\n1,0,1\n", 2, 0, 1},
        {"action,trials,successes\n0,10,4\n1,3.0,0\n2,,\n", 13, 1, 4},
        {"action,trials,sum\n0,10,4\n1,4,2.5\n", 14, 0, 6.5},
        {"action,trials,sum\n0,10,40\n1,4,-2\n", 14, 0, 38},
        {"[{\"action\":0,\"reward\":1,\"at\":5},{\"action\":1,\"reward\":null}]", 1, 1, 1},
        {"[]", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        xp_error error = {XP_OK, ""};
        xp_history *history = parse(same[i].text, NULL, &error);
        double total = 0;
        EXPECT_TEXT("", error.message);
        EXPECT(xp_history_count(history) == same[i].count);
        EXPECT(xp_history_pending(history) == same[i].pending);
        EXPECT(xp_history_summed(history) == (strstr(same[i].text, "sum") != NULL));
        for (size_t j = 0; j < xp_history_count(history); j++) {
            total += xp_history_reward(history, j);
        }
        EXPECT_NEAR(total, same[i].total, 1e-15);
        xp_history_destroy(history);
    }
}

CLAIM(whole_numbers_that_are_names_may_be_written_as_reals) {
    static const char *const numbers[] = {"1", "2", "7"};
    xp_history *history = parse("action,reward\n7.0,1\n1,0\n", numbers, NULL);
    EXPECT(xp_history_action(history, 0) == 2 && xp_history_action(history, 1) == 0);
    xp_history_destroy(history);
}

CLAIM(nothing_yet_is_a_history) {
    static const char *const empty[] = {"", "\n\n", "action,reward", "reward,action\r\n\r\n",
                                        "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        xp_history *history = parse(empty[i], names, NULL);
        EXPECT(history != NULL && xp_history_count(history) == 0);
        EXPECT(history != NULL && xp_history_require_binary(history, NULL) == XP_OK);
        xp_history_destroy(history);
    }
}

CLAIM(every_mistake_is_one_sentence_with_file_line_and_value) {
    static const struct {
        const char *text;
        bool named;
        const char *sentence;
    } wrong[] = {
        {"action,reward\n0,1\n3,1\n", false,
         "history:3: there is no action '3'; actions are the whole numbers 0 to 2"},
        {"action,reward\n-1,1\n", false, "history:2: there is no action '-1'"},
        {"action,reward\n1.5,1\n", false, "history:2: there is no action '1.5'"},
        {"action,reward\nup,1\n", true,
         "history:2: there is no action 'up'; actions are left, right, a,\"b\"?"},
        {"action,reward\n0,1\n", true, "history:2: there is no action '0'"},
        {"action,reward\n0,yes\n", false, "history:2: reward = 'yes' is not a finite number"},
        {"action,reward\n0,\"0,5\"\n", false,
         "history:2: reward = '0,5' is not a finite number: it has a comma; write"},
        {"action,reward\n,1\n", false, "history:2: action is missing"},
        {"action,reward\n0,1e400\n", false, "history:2: reward = '1e400' is not a finite number"},
        {"action,reward\n0\n", false, "history:2: expected 2 fields, found 1"},
        {"0,1\n", false,
         "history:1: column 'action' is missing; the header of a history is action,reward"},
        {"action\n", false, "history:1: column 'reward' is missing"},
        {"reward\n", false, "history:1: column 'action' is missing"},
        {"action,trials\n", false, "history:1: column 'successes' or 'sum' is missing"},
        {"action,trials,successes\n0,3,4\n", false,
         "history:2: successes = '4' is more than the trials"},
        {"action,trials,successes\n0,2.5,2\n", false,
         "history:2: trials = '2.5' is not a whole number"},
        {"action,trials,successes\n0,1.000,0\n", false,
         "history:2: trials = '1.000' is not a whole number from 0 to 2^53: it may have a point"},
        {"action,reward\n0,100%\n", false,
         "history:2: reward = '100%' is not a finite number: it is a percentage"},
        {"action,reward,count\n0,1,30\n1,0,20\n", false,
         "history: column 'count' may say how often each row occurred"},
        {"n,action,reward\n3,0,1\n", false,
         "history: column 'n' may say how often each row occurred"},
        {"action,trials,successes,reward\n", false,
         "history:1: has more than one column of outcomes"},
        {"action,trials,sum\n0,0,4\n", false, "history:2: sum = '4' is the sum of no trials"},
        {"action,reward,action\n", false, "history:1: column 'action' appears twice"},
        {"{\"action\":0}\n", false, "history:1: column 'reward' is missing"},
        {"[0, 1]", false, "history:1: is not an object such as"},
        {"{\"action\":0,\"reward\":[1]}\n", false,
         "history:1: reward = '...' is not a finite number"},
        {"{\"action\":0,\"reward\":1e999}\n", false, "history:1: is not JSON: real number"},
        {"{\"action\":0,\"reward\":1}\n{\"action\":0.5,\"reward\":1}\n", false,
         "history:2: there is no action '0.5'"},
        {"{\"action\":0,\"reward\":1}\n{\"action\":0,", false, "history:2: is not JSON"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        xp_error error = {XP_OK, ""};
        EXPECT(parse(wrong[i].text, wrong[i].named ? names : NULL, &error) == NULL);
        EXPECT(error.status == XP_ERR_INPUT);
        EXPECT(strncmp(error.message, wrong[i].sentence, strlen(wrong[i].sentence)) == 0);
        EXPECT_TEXT(error.message, wrong[i].sentence);
    }
}

CLAIM(many_known_actions_are_not_listed) {
    char text[16][4];
    const char *many[16];
    for (size_t i = 0; i < 16; i++) {
        (void)snprintf(text[i], sizeof text[i], "n%zu", i);
        many[i] = text[i];
    }
    xp_history *history;
    xp_error error;
    const char bad[] = "action,reward\nx,1\n";
    EXPECT(xp_history_parse(bad, sizeof bad - 1, "h", 16, many, &history, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "h:2: there is no action 'x' among the 16 that are known");
}

CLAIM(rewards_that_are_not_0_or_1_are_named_with_their_line) {
    xp_error error;
    xp_history *history = parse("action,reward\n0,1\n1,0\n0,0.5\n1,2\n", NULL, NULL);
    EXPECT(xp_history_require_binary(history, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "history:4: reward = 0.5 is not 0 or 1");
    xp_history_destroy(history);
    history = parse("action,reward\n0,1\n1,-0\n0,1.0\n", NULL, NULL);
    EXPECT(xp_history_require_binary(history, &error) == XP_OK);
    xp_history_destroy(history);
}

CLAIM(files_are_read_and_missing_ones_named) {
    static const char *const treatments[] = {"standard care", "drug A", "drug B",
                                             "drug A, half dose"};
    xp_history *history;
    xp_error error;
    const char *path = XP_SOURCE_DIR "/examples/data/treatments_history.csv";
    EXPECT(xp_history_load(path, 4, treatments, &history, &error) == XP_OK);
    EXPECT(xp_history_count(history) == 4 && xp_history_action(history, 3) == 3);
    EXPECT(xp_history_require_binary(history, &error) == XP_OK);
    xp_history_destroy(history);
    EXPECT(xp_history_load("/no/such/file", 2, NULL, &history, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "cannot read '/no/such/file'");
    EXPECT(xp_history_load("/", 2, NULL, &history, &error) == XP_ERR_FILE && history == NULL);
    xp_history_destroy(NULL);
}

CLAIM(loading_survives_every_failed_allocation) {
    static const char *const texts[] = {"action,reward\nleft,1\nright,0\n",
                                        "{\"action\":\"left\",\"reward\":1}\n", ""};
    for (size_t i = 0; i < 3; i++) {
        failing_allocator allocator;
        xp_status status = XP_ERR_MEMORY;
        size_t n = 0;
        for (; n < 100 && status != XP_OK; n++) {
            failing_allocator_install(&allocator, n);
            xp_error error = {XP_OK, ""};
            xp_history *history;
            status = xp_history_parse(texts[i], strlen(texts[i]), "h", 3, names, &history, &error);
            EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && history == NULL));
            EXPECT(error.status == status);
            xp_history_destroy(history);
            EXPECT(allocator.alive == 0);
        }
        EXPECT(status == XP_OK && n > 5);
    }
    xp__allocator_install(NULL);
}
