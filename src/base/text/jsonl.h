/* jsonl.h: lines that are JSON objects. */
#ifndef XP_BASE_TEXT_JSONL_H
#define XP_BASE_TEXT_JSONL_H

#include "base/text/lines.h"

#include <jansson.h>

/* Reads the current line as one object without repeated keys; json_decref the result. */
xp_status xp__jsonl_object(const xp__lines *lines, json_t **object, xp_error *error);

/* A value as a message may carry it; `buffer` has room for XP__SHOWN bytes. */
const char *xp__jsonl_show(char *buffer, const json_t *value);

enum { XP__JSONL_NUMBER = 24 };
/* A text, or a whole number from 0 as its digits (in `digits`): how actions are written. `key`
 * names the value in messages. */
xp_status xp__jsonl_action(const xp__lines *lines, const json_t *value, const char *key,
                           char digits[XP__JSONL_NUMBER], const char **text, size_t *length,
                           xp_error *error);

#endif
