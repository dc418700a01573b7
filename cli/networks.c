/* networks.c: see networks.h. */
#include "networks.h"

#include "json.h"
#include "options.h"
#include "output.h"

#include <string.h>

bool cli_means_networks(const char *path) {
    static const char ending[] = ".safetensors";
    const size_t length = strlen(path), tail = sizeof ending - 1;
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

int cli_inspect_networks(const char *path, bool json) {
    xp_error error;
    xp_model *model;
    if (xp_model_load(path, &model, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const xp_model_info info = xp_model_describe(model);
    if (json) {
        cli_json out = {.depth = 0};
        cli_json_object(&out, NULL);
        cli_json_text(&out, "agent", info.agent);
        cli_json_text(&out, "method", info.method);
        cli_json_text(&out, "parameters", info.params);
        cli_json_integer(&out, "actions", info.space.actions);
        cli_json_integer(&out, "state_size", info.space.state_size);
        cli_json_integer(&out, "horizon", info.space.horizon);
        cli_json_integer(&out, "demonstrations", info.demonstrations);
        cli_json_integer(&out, "distinct", info.distinct);
        cli_json_end(&out);
    } else {
        (void)printf("%-16s %s\n", "agent", info.agent);
        (void)printf("%-16s %s\n", "method", info.method != NULL ? info.method : "none");
        (void)printf("%-16s %zu\n", "actions", info.space.actions);
        (void)printf("%-16s %zu numbers, at most %zu steps\n", "states", info.space.state_size,
                     info.space.horizon);
        (void)printf("%-16s %llu, %zu distinct\n", "demonstrations",
                     (unsigned long long)info.demonstrations, info.distinct);
    }
    xp_model_destroy(model);
    return CLI_DONE;
}
