/* describe.h: a model in words or as JSON: what it is for, and how its fit ended. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "options.h"

/* `path` is where it was written, or NULL. */
void cli_describe_model(const xp_model *model, const char *path, bool json);

#endif
