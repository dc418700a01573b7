/* describe.h: a model in words or as JSON: what it is for, and how its fit ended. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "options.h"

/* `choices` is the table that it was fitted to, and `path` where it was written; either may be
 * NULL. */
void cli_describe_model(const xp_model *model, const xp_choices *choices, const char *path,
                        bool json);

#endif
