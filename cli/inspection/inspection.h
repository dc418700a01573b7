/* inspection.h: what was found about a model, for people and for programs. */
#ifndef CLI_INSPECTION_INSPECTION_H
#define CLI_INSPECTION_INSPECTION_H

#include "json.h"
#include "model.h"

/* The answer, the warnings, then the arms and what stands behind the answer. */
void cli_inspection_text(const xp_inspection *self, const xp_model *model);
/* The fields of one inspection into an object that is open. */
void cli_inspection_json(cli_json *json, const xp_inspection *self, const xp_model *model);
/* The segments of a model, if it has any: a table, and an array with the fields of each. */
void cli_inspection_segments(xp_inspection *const *segments, const xp_model *model);
void cli_inspection_segments_json(cli_json *json, xp_inspection *const *segments,
                                  const xp_model *model);

#endif
