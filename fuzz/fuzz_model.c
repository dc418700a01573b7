/* Any bytes are refused in a sentence, or are a model that can be written and read back, and on
 * which a session acts. Seeds have no checksum, which a file may leave out: mutations of them reach
 * what is checked behind it. */
#include "act.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A prior over arm means has a density wherever it is asked. */
static void ask_prior(const xp_prior *prior) {
    double theta[1024], gradient[1024];
    for (size_t arm = 0; arm < xp_prior_arms(prior); arm++) {
        theta[arm] = 0.5 / (double)(arm + 1);
    }
    assert(!isnan(xp_prior_log_density(prior, theta)));
    xp_prior_gradient(prior, theta, gradient);
}

static void write_and_read_back(const xp_model *model) {
    xp_model *again;
    void *first, *second;
    size_t first_bytes, second_bytes;
    assert(xp_model_to_bytes(model, &first, &first_bytes, NULL) == XP_OK);
    assert(xp_model_parse(first, first_bytes, "saved", &again, NULL) == XP_OK);
    assert(xp_model_to_bytes(again, &second, &second_bytes, NULL) == XP_OK);
    assert(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    xp_model_destroy(again);
    xp_release(first);
    xp_release(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    xp_error error = {XP_OK, ""};
    xp_model *model;
    const xp_status read =
        xp_model_parse(data != NULL ? data : (const uint8_t *)"", size, "input", &model, &error);
    assert((read == XP_OK) == (model != NULL) && read == error.status);
    if (read == XP_OK) {
        if (xp_model_prior(model) != NULL) {
            ask_prior(xp_model_prior(model));
        }
        write_and_read_back(model);
        const xp_model_info info = xp_model_describe(model);
        xp_session_options options = xp_session_options_default();
        options.episodes = 8;
        xp_session *session;
        const xp_status made = xp_session_create(model, &options, &session, &error);
        assert((made == XP_OK) == (session != NULL));
        if (made == XP_OK) {
            act_some(session, &info.space);
        }
        xp_session_destroy(session);
    }
    xp_model_destroy(model);
    return 0;
}
