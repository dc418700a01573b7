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
    xp_net *net;
    if (xp_net_load(path, NULL, &net, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const xp_net_options *sizes = xp_net_get_options(net);
    if (json) {
        cli_json out = {.depth = 0};
        cli_json_object(&out, NULL);
        cli_json_integer(&out, "networks", sizes->members);
        cli_json_integer(&out, "inputs", sizes->inputs);
        cli_json_integer(&out, "hidden", sizes->hidden);
        cli_json_integer(&out, "actions", sizes->actions);
        cli_json_integer(&out, "parameters", xp_net_parameter_count(net));
        cli_json_end(&out);
    } else {
        (void)printf("%zu networks of %zu-%zu-%zu-%zu, %zu parameters each; all numbers finite\n",
                     sizes->members, sizes->inputs, sizes->hidden, sizes->hidden, sizes->actions,
                     xp_net_parameter_count(net));
    }
    xp_net_destroy(net);
    return CLI_DONE;
}
