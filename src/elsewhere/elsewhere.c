/* elsewhere.c: environments of the suite. */
#include "elsewhere/elsewhere_type.h"

#include "base/memory.h"

const char *const xp__half_name[XP__HALVES] = {"selection", "reporting"};
const double xp__reward_scale[XP__REWARD_SCALES] = {1, 0.01, 100};

void *xp__place_task(size_t size, const xp__place *place) {
    void *task = xp__alloc(1, size);
    if (task != NULL) {
        *(const xp__place **)task = place;
    }
    return task;
}

xp_status xp__elsewhere_create(const xp__place *place, xp_env **env, xp_error *error) {
    size_t categories[XP__ELSEWHERE_NUMBERS] = {0};
    xp_env_custom custom = xp_env_custom_default();
    custom.name = place->type->name;
    custom.context = (void *)(uintptr_t)place; /* it is only read */
    custom.parallel = true;
    custom.categories = categories;
    place->type->describe(place, &custom, categories);
    return xp_env_create_custom(&custom, env, error);
}
