/* save_session MODEL FILE SEED: a session of the model, saved; then says so. */
#include "experior/session.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    xp_error error = {.message = "usage: save_session MODEL FILE SEED"};
    xp_model *model = NULL;
    xp_session *session = NULL;
    xp_session_options options = xp_session_options_default();
    options.seed = count == 4 ? strtoull(words[3], NULL, 10) : 0;
    const bool good = count == 4 && xp_model_load(words[1], &model, &error) == XP_OK &&
                      xp_session_create(model, &options, &session, &error) == XP_OK &&
                      xp_session_save(session, words[2], &error) == XP_OK;
    (void)fprintf(good ? stdout : stderr, "%s\n", good ? "saved" : error.message);
    xp_session_destroy(session);
    xp_model_destroy(model);
    return good ? 0 : 1;
}
