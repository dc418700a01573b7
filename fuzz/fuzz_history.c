/* Any bytes are refused in a sentence, or are a history with actions and rewards in range. */
#include "experior/history.h"

#undef NDEBUG
#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"left", "right", "a,\"b\""};
    for (int named = 0; named < 2; named++) {
        xp_error error = {XP_OK, ""};
        xp_history *history;
        const xp_status read = xp_history_parse((const char *)data, size, "input", 3,
                                                named ? names : NULL, &history, &error);
        assert((read == XP_OK) == (history != NULL) && read == error.status);
        bool binary = true;
        for (size_t i = 0; read == XP_OK && i < xp_history_count(history) && i < 5000; i++) {
            const double reward = xp_history_reward(history, i);
            binary = binary && (reward == 0 || reward == 1);
            assert(xp_history_action(history, i) < 3 && isfinite(reward));
        }
        assert(read != XP_OK || xp_history_count(history) > 5000 ||
               (xp_history_require_binary(history, NULL) == XP_OK) == binary);
        xp_history_destroy(history);
    }
    return 0;
}
