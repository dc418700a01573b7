/* Any bytes are refused in a sentence, or are a prior that can be written, read back and asked. */
#include "prior/bandit/prior_type.h"

#include "base/memory.h"

#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    xp_error error = {XP_OK, ""};
    xp_prior *prior, *again;
    const xp_status read = xp_prior_from_json((const char *)data, size, "input", &prior, &error);
    assert((read == XP_OK) == (prior != NULL) && read == error.status);
    if (read == XP_OK) {
        double theta[1024], gradient[1024];
        for (size_t arm = 0; arm < xp_prior_arms(prior); arm++) {
            theta[arm] = 0.5 / (double)(arm + 1);
        }
        const double density = xp_prior_log_density(prior, theta);
        assert(!isnan(density));
        xp_prior_gradient(prior, theta, gradient);
        char *text, *second;
        assert(xp_prior_to_json(prior, &text, NULL) == XP_OK);
        assert(xp_prior_from_json(text, strlen(text), "saved", &again, NULL) == XP_OK);
        assert(xp_prior_to_json(again, &second, NULL) == XP_OK);
        assert(strcmp(text, second) == 0 && xp_prior_log_density(again, theta) == density);
        xp_release(text);
        xp_release(second);
        xp_prior_destroy(again);
    }
    xp_prior_destroy(prior);
    return 0;
}
