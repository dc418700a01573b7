/* jsonl.c: jansson over lines.h. */
#include "base/text/jsonl.h"

#include "base/memory.h"
#include "base/text/scan.h"

#include <string.h>

xp_status xp__jsonl_object(const xp__lines *lines, json_t **object, xp_error *error) {
    json_error_t problem;
    char shown[XP__SHOWN];
    *object = json_loadb(lines->text, lines->length, JSON_REJECT_DUPLICATES, &problem);
    if (*object == NULL) {
        return json_error_code(&problem) == json_error_out_of_memory
                   ? xp__no_memory(error)
                   : xp__lines_fail(lines, error, "is not a JSON object, as every line must be: %s",
                                    xp__show(shown, problem.text, strlen(problem.text)));
    }
    if (!json_is_object(*object)) {
        json_decref(*object);
        *object = NULL;
        return xp__lines_fail(lines, error, "is not a JSON object");
    }
    return XP_OK;
}

const char *xp__jsonl_show(char *buffer, const json_t *value) {
    char text[XP__SHOWN];
    const size_t length = json_dumpb(value, text, sizeof text, JSON_ENCODE_ANY | JSON_COMPACT);
    return length > 0 && length <= sizeof text ? xp__show(buffer, text, length)
                                               : strcpy(buffer, "...");
}

xp_status xp__jsonl_action(const xp__lines *lines, const json_t *value, const char *key,
                           char digits[XP__JSONL_NUMBER], const char **text, size_t *length,
                           xp_error *error) {
    if (json_is_string(value)) {
        *text = json_string_value(value);
        *length = json_string_length(value);
        return XP_OK;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        char shown[XP__SHOWN];
        return xp__lines_fail(lines, error, "%s = %s is neither a whole number from 0 nor a text",
                              key, xp__jsonl_show(shown, value));
    }
    *length = (size_t)snprintf(digits, XP__JSONL_NUMBER, "%" JSON_INTEGER_FORMAT,
                               json_integer_value(value));
    *text = digits;
    return XP_OK;
}
