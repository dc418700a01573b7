/* reward.c: the registry of families of rewards, and what they share. */
#include "reward/reward_type.h"

#include <math.h>
#include <string.h>

const xp__reward_type *xp__reward_find(const char *name) {
    for (size_t i = 0; i < xp__reward_type_count; i++) {
        if (strcmp(xp__reward_types[i]->name, name) == 0) {
            return xp__reward_types[i];
        }
    }
    return NULL;
}

static xp_status check_one(const xp__reward_type *type, const char *name, double value,
                           xp_error *error) {
    if (isnan(value)) {
        return XP_OK;
    }
    for (size_t i = 0; i < type->param_count; i++) {
        const xp_param *param = &type->params[i];
        if (strcmp(param->name, name) == 0) {
            return value >= param->low && value <= param->high
                       ? XP_OK
                       : xp_error_set(error, XP_ERR_INPUT, "%s.%s = %g is outside [%g, %g]",
                                      type->name, name, value, param->low, param->high);
        }
    }
    return xp_error_set(error, XP_ERR_INPUT, "%s = %g: %s rewards have no such parameter", name,
                        value, type->name);
}

xp_status xp__reward_check(const xp__reward *reward, xp_error *error) {
    xp_status status = check_one(reward->type, "location", reward->location, error);
    if (status == XP_OK) {
        status = check_one(reward->type, "scale", reward->scale, error);
    }
    if (status == XP_OK) {
        status = check_one(reward->type, "noise", reward->noise, error);
    }
    return status == XP_OK && reward->type->check != NULL ? reward->type->check(reward, error)
                                                          : status;
}

bool xp__reward_known(const xp__reward *reward) {
    bool known = true;
    for (size_t i = 0; reward->type != NULL && i < reward->type->param_count; i++) {
        const char *name = reward->type->params[i].name;
        known = known && !isnan(strcmp(name, "location") == 0 ? reward->location
                                : strcmp(name, "scale") == 0  ? reward->scale
                                                              : reward->noise);
    }
    return known;
}

void xp__reward_add(xp__reward_seen *seen, double count, double sum, double deviations) {
    if (seen->count > 0) {
        const double apart = sum / count - seen->sum / seen->count;
        deviations += apart * apart * (seen->count / (seen->count + count) * count);
    }
    seen->count += count;
    seen->sum += sum;
    seen->deviations += deviations;
}

xp__reward_shared xp__reward_draw(const xp__reward *reward, size_t arms, xp_rng *rng,
                                  double *theta) {
    static const double none[XP__REWARD_TERMS] = {0};
    static const xp__reward_seen nothing = {0};
    const xp__reward_type *type = reward->type;
    /* Without rewards the evidence is the logarithm of the components' weights. */
    double weight[XP__REWARD_COMPONENTS];
    const size_t count = type->components(reward);
    for (size_t h = 0; h < count; h++) {
        weight[h] = exp(type->log_evidence(reward, h, none) - type->log_evidence(reward, 0, none));
    }
    const size_t h = xp_rng_categorical(rng, weight, count);
    const xp__reward_shared shared = type->draw_shared(reward, h, none, rng);
    const xp__arm_law law = type->arm_law(reward, h, &shared, &nothing);
    for (size_t arm = 0; arm < arms; arm++) {
        theta[arm] = type->draw_mean(law, rng);
    }
    return shared;
}
