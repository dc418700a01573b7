/* own_bandit.c: a bandit that the library does not have, from what experts chose to a learner that
 * outlives the program.
 *
 * A clinic knows which of four treatments its doctors gave to 200 patients. It knows neither why
 * nor how they fared. The model infers what the doctors must have known. A session treats new
 * patients, learns from the outcomes, and is kept in a file between visits. */
#include <experior/experior.h>

#include <stdio.h>

static const char *const treatments[] = {"standard care", "drug A", "drug B", "half dose"};
enum { TREATMENTS = 4, PATIENTS = 30 };

/* Prints what went wrong and returns the exit status. */
static int fail(const xp_error *error) {
    (void)fprintf(stderr, "own_bandit: %s\n", error->message);
    return 1;
}

/* What the doctors chose, as counts. */
static xp_status choices(xp_demos **demos, xp_error *error) {
    static const uint64_t given[TREATMENTS] = {30, 120, 45, 5};
    xp_status status = xp_demos_create(0, TREATMENTS, demos, error);
    for (uint32_t action = 0; status == XP_OK && action < TREATMENTS; action++) {
        status = xp_demos_add(*demos, NULL, &action, 1, given[action], error);
    }
    return status == XP_OK ? xp_demos_name_actions(*demos, treatments, error) : status;
}

/* Treats patients for whom drug B is best. This is the caller's world, not the library's. */
static xp_status treat(xp_session *session, size_t patients, xp_rng *luck, xp_error *error) {
    static const double cured[TREATMENTS] = {0.3, 0.4, 0.8, 0.2};
    size_t times[TREATMENTS] = {0}, well = 0;
    for (size_t i = 0; i < patients; i++) {
        size_t action;
        xp_status status = xp_session_act(session, NULL, &action, error);
        if (status != XP_OK) {
            return status;
        }
        const bool success = xp_rng_uniform(luck) < cured[action];
        const xp_transition seen = {
            .action = action, .reward = success ? 1 : 0, .end = XP_TERMINATED};
        status = xp_session_observe(session, &seen, error);
        if (status != XP_OK) {
            return status;
        }
        times[action]++;
        well += success;
    }
    (void)printf("%zu patients, %zu cured:", patients, well);
    for (size_t a = 0; a < TREATMENTS; a++) {
        (void)printf(" %s %zu%s", treatments[a], times[a], a + 1 < TREATMENTS ? "," : "\n");
    }
    return XP_OK;
}

int main(void) {
    xp_error error;
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    xp_session *session = NULL, *later = NULL;
    xp_rng luck = xp_rng_seed(7);
    if (choices(&demos, &error) != XP_OK ||
        xp_model_fit("experior_maxent", NULL, demos, NULL, &model, &error) != XP_OK ||
        xp_session_create(model, NULL, &session, &error) != XP_OK) {
        return fail(&error);
    }
    double law[TREATMENTS];
    if (xp_session_law(session, NULL, 0, law, NULL, &error) != XP_OK) {
        return fail(&error);
    }
    (void)printf("before the first patient:");
    for (size_t a = 0; a < TREATMENTS; a++) {
        (void)printf(" %s %.2f%s", treatments[a], law[a], a + 1 < TREATMENTS ? "," : "\n");
    }
    if (treat(session, PATIENTS, &luck, &error) != XP_OK) {
        return fail(&error);
    }
    /* A reward that the model cannot use is refused, not counted as something else. */
    const xp_transition odd = {.action = 1, .reward = 0.45, .end = XP_TERMINATED};
    (void)xp_session_observe(session, &odd, &error);
    (void)printf("a reward of 0.45: %s\n", error.message);
    /* Outcomes of 50 patients elsewhere arrive at once; then the session continues from its file.
     */
    if (xp_session_observe_rewards(session, 2, 50, 41, &error) != XP_OK ||
        xp_session_save(session, "own_bandit.session", &error) != XP_OK ||
        xp_session_load("own_bandit.session", model, &later, &error) != XP_OK ||
        treat(later, PATIENTS, &luck, &error) != XP_OK) {
        return fail(&error);
    }
    (void)remove("own_bandit.session");
    xp_session_destroy(later);
    xp_session_destroy(session);
    xp_model_destroy(model);
    xp_demos_destroy(demos);
    return 0;
}
