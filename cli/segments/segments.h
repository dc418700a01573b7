/* segments.h: the segments of a model on the command line. */
#ifndef CLI_SEGMENTS_SEGMENTS_H
#define CLI_SEGMENTS_SEGMENTS_H

#include "json.h"
#include "options.h"

#define CLI_TABLE_BY                                                                               \
    {                                                                                              \
        .name = "by", .kind = CLI_TEXT, .value = "COLUMN",                                         \
        .summary = "column of the segments (age group, shop): one prior per segment, shrunk "      \
                   "toward the overall one by an amount estimated from the table"                  \
    }
#define CLI_OPTION_SEGMENT                                                                         \
    {                                                                                              \
        .name = "segment", .kind = CLI_TEXT, .value = "NAME",                                      \
        .summary = "segment of a model that was fitted with --by; without it, the overall prior"   \
    }

/* Segments and their pooling, as lines on standard output or as fields of the object that is open;
 * nothing for a model without segments. */
void cli_segments_print(const xp_model *model);
void cli_segments_json(cli_json *json, const xp_model *model);
/* The pooling alone, as the field "pooling". */
void cli_pooling_json(cli_json *json, const xp_pooling *pooling);

#endif
