/* safetensors.c: ensembles as safetensors files.
 *
 * The format (huggingface.co/docs/safetensors): 8 bytes with the length N of the header, low byte
 * first; N bytes of JSON, an object from tensor names to {"dtype", "shape", "data_offsets": [begin,
 * end)}, offsets counted from the end of the header; then the numbers, low byte first, without gaps
 * or overlaps. "__metadata__" may hold texts and is not read.
 *
 * A file is not trusted: nothing is allocated by its word before its length bears it out, and every
 * offset, shape and number is checked. */
#include "net/net_type.h"

#include "base/budget.h"
#include "base/file.h"
#include "base/text/json.h"
#include "base/text/jsonl.h"
#include "base/memory.h"
#include "base/text/scan.h"
#include "base/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest ensemble, of 65,536 members, has a header of some 45 MB. */
enum { LENGTH_BYTES = 8, MAX_HEADER = 64 << 20, TENSORS = 6, NAME = 64 };

/* The tensors of a member in the order of xp_net_get, with their shapes. */
typedef struct tensor {
    const char *name;
    size_t dimensions, rows, columns;
} tensor;

static void tensors_of(const xp_net_options *o, tensor list[TENSORS]) {
    list[0] = (tensor){"layer1.weight", 2, o->hidden, o->inputs};
    list[1] = (tensor){"layer1.bias", 1, o->hidden, 1};
    list[2] = (tensor){"layer2.weight", 2, o->hidden, o->hidden};
    list[3] = (tensor){"layer2.bias", 1, o->hidden, 1};
    list[4] = (tensor){"layer3.weight", 2, o->actions, o->hidden};
    list[5] = (tensor){"layer3.bias", 1, o->actions, 1};
}

static void tensor_name(char name[NAME], size_t member, const tensor *t) {
    (void)snprintf(name, NAME, "member.%zu.%s", member, t->name);
}

static void put_low_first(unsigned char *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t get_low_first(const unsigned char *from, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) {
        value = value << 8 | from[i];
    }
    return value;
}

static void write_header(const xp_net *net, xp__text *text) {
    tensor list[TENSORS];
    tensors_of(&net->options, list);
    xp__text_append(text, "{\"__metadata__\":{\"format\":\"experior-net\",\"version\":\"1\"}");
    size_t offset = 0;
    for (size_t member = 0; member < net->options.members; member++) {
        for (size_t t = 0; t < TENSORS; t++) {
            char name[NAME];
            tensor_name(name, member, &list[t]);
            const size_t bytes = list[t].rows * list[t].columns * 4;
            xp__text_format(text, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu", name, list[t].rows);
            if (list[t].dimensions == 2) {
                xp__text_format(text, ",%zu", list[t].columns);
            }
            xp__text_format(text, "],\"data_offsets\":[%zu,%zu]}", offset, offset + bytes);
            offset += bytes;
        }
    }
    xp__text_append(text, "}");
    xp__text_fill(text, ' ', (8 - text->length % 8) % 8); /* numbers start at a multiple of 8 */
}

xp_status xp_net_to_bytes(const xp_net *net, void **data, size_t *bytes, xp_error *error) {
    *data = NULL;
    *bytes = 0;
    xp__text text = {.data = NULL};
    write_header(net, &text);
    char *header;
    size_t length;
    xp_status status = xp__text_take(&text, &header, &length, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t count = xp_net_parameter_count(net), members = net->options.members;
    const size_t total = LENGTH_BYTES + length + members * count * 4;
    float *parameters = xp__alloc(count, sizeof *parameters);
    unsigned char *block = xp__realloc(NULL, total, 1);
    if (parameters == NULL || block == NULL) {
        xp__free(parameters);
        xp__free(block);
        xp__free(header);
        return xp__no_memory(error);
    }
    put_low_first(block, length, LENGTH_BYTES);
    memcpy(block + LENGTH_BYTES, header, length);
    unsigned char *at = block + LENGTH_BYTES + length;
    bool finite = true;
    for (size_t member = 0; member < members; member++) {
        xp_net_get(net, member, parameters);
        for (size_t i = 0; i < count; i++, at += 4) {
            finite = finite && isfinite(parameters[i]);
            uint32_t word;
            memcpy(&word, &parameters[i], sizeof word);
            put_low_first(at, word, 4);
        }
    }
    xp__free(parameters);
    xp__free(header);
    if (!finite) {
        xp__free(block);
        return xp_error_set(error, XP_ERR_NUMERIC,
                            "networks with parameters that are not finite are not written: train "
                            "them with a smaller step size, or on states scaled to about 1");
    }
    *data = block;
    *bytes = total;
    return XP_OK;
}

xp_status xp_net_save(const xp_net *net, const char *path, xp_error *error) {
    void *data;
    size_t bytes;
    xp_status status = xp_net_to_bytes(net, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp__file_write(path, data, bytes, error);
        xp__free(data);
    }
    return status;
}

/* A file while it is read. */
typedef struct reader {
    const char *name; /* of the file */
    const unsigned char *numbers;
    size_t bytes; /* of the numbers */
    json_t *header;
} reader;

static const char *show(char buffer[XP__SHOWN], const json_t *value) {
    return xp__jsonl_show(buffer, value);
}

/* A whole number of at most 2^53; false for anything else. */
static bool whole(const json_t *value, size_t *out) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > INT64_C(1) << 53) {
        return false;
    }
    *out = (size_t)json_integer_value(value);
    return true;
}

/* The shape of a tensor that must be there, with the given number of dimensions. */
static xp_status read_shape(const reader *file, const char *name, size_t dimensions,
                            size_t shape[2], xp_error *error) {
    char shown[XP__SHOWN];
    const json_t *entry = json_object_get(file->header, name);
    if (entry == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: there is no tensor '%s'", file->name, name);
    }
    if (!json_is_object(entry)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: tensor '%s' is %s, not an object", file->name,
                            name, show(shown, entry));
    }
    const json_t *dtype = json_object_get(entry, "dtype"), *value = json_object_get(entry, "shape");
    if (!json_is_string(dtype) || strcmp(json_string_value(dtype), "F32") != 0) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: tensor '%s' has dtype %s, not \"F32\"",
                            file->name, name, dtype != NULL ? show(shown, dtype) : "missing");
    }
    bool good = json_is_array(value) && json_array_size(value) == dimensions;
    shape[1] = 1;
    for (size_t i = 0; good && i < dimensions; i++) {
        good = whole(json_array_get(value, i), &shape[i]) && shape[i] > 0;
    }
    if (!good) {
        return xp_error_set(
            error, XP_ERR_INPUT, "%s: tensor '%s' has shape %s, not %zu positive whole numbers",
            file->name, name, value != NULL ? show(shown, value) : "missing", dimensions);
    }
    return XP_OK;
}

/* One size from the file: the caller's if it gave one, which the file must then have. */
static xp_status settle_size(const reader *file, const char *what, size_t found, size_t *size,
                             xp_error *error) {
    if (*size != 0 && *size != found) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: has %zu %s where %zu were expected",
                            file->name, found, what, *size);
    }
    *size = found;
    return XP_OK;
}

static size_t count_tensors(const reader *file) {
    return json_object_size(file->header) -
           (json_object_get(file->header, "__metadata__") != NULL ? 1 : 0);
}

/* The sizes of the ensemble, from the first member's tensors and the number of all. */
static xp_status read_sizes(const reader *file, xp_net_options *options, xp_error *error) {
    size_t first[2] = {0, 0}, last[2] = {0, 0};
    xp_status status = read_shape(file, "member.0.layer1.weight", 2, first, error);
    if (status == XP_OK) {
        status = read_shape(file, "member.0.layer3.weight", 2, last, error);
    }
    const size_t tensors = count_tensors(file);
    if (status == XP_OK && tensors % TENSORS != 0) {
        status = xp_error_set(error, XP_ERR_INPUT, "%s: has %zu tensors, not %d for each member",
                              file->name, tensors, TENSORS);
    }
    const struct {
        const char *what;
        size_t found, *size;
    } sizes[] = {
        {"members", tensors / TENSORS, &options->members},
        {"hidden units", first[0], &options->hidden},
        {"inputs", first[1], &options->inputs},
        {"actions", last[0], &options->actions},
    };
    for (size_t i = 0; status == XP_OK && i < sizeof sizes / sizeof sizes[0]; i++) {
        status = settle_size(file, sizes[i].what, sizes[i].found, sizes[i].size, error);
    }
    return status;
}

/* Where the numbers of a tensor of the expected shape are. */
static xp_status read_place(const reader *file, const char *name, const tensor *t, size_t *begin,
                            xp_error *error) {
    size_t shape[2], end;
    const xp_status status = read_shape(file, name, t->dimensions, shape, error);
    if (status != XP_OK) {
        return status;
    }
    if (shape[0] != t->rows || shape[1] != t->columns) {
        char wanted[NAME] = "";
        if (t->dimensions == 2) {
            (void)snprintf(wanted, sizeof wanted, ", %zu", t->columns);
        }
        char shown[XP__SHOWN];
        const json_t *entry = json_object_get(file->header, name);
        return xp_error_set(error, XP_ERR_INPUT, "%s: tensor '%s' has shape %s, not [%zu%s]",
                            file->name, name, show(shown, json_object_get(entry, "shape")), t->rows,
                            wanted);
    }
    const json_t *offsets = json_object_get(json_object_get(file->header, name), "data_offsets");
    char shown[XP__SHOWN];
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 ||
        !whole(json_array_get(offsets, 0), begin) || !whole(json_array_get(offsets, 1), &end) ||
        *begin > end || end > file->bytes || end - *begin != t->rows * t->columns * 4) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: tensor '%s' has data_offsets %s, not %zu bytes within the %zu "
                            "that follow the header",
                            file->name, name, offsets != NULL ? show(shown, offsets) : "missing",
                            t->rows * t->columns * 4, file->bytes);
    }
    return XP_OK;
}

/* Reads one member; begins[t] is where each of its tensors began. */
static xp_status read_member(const reader *file, const xp_net *net, size_t member,
                             float *parameters, size_t begins[TENSORS], xp_error *error) {
    tensor list[TENSORS];
    tensors_of(&net->options, list);
    for (size_t t = 0; t < TENSORS; t++) {
        char name[NAME];
        tensor_name(name, member, &list[t]);
        const xp_status status = read_place(file, name, &list[t], &begins[t], error);
        if (status != XP_OK) {
            return status;
        }
        const size_t count = list[t].rows * list[t].columns;
        for (size_t i = 0; i < count; i++) {
            const uint32_t word = (uint32_t)get_low_first(file->numbers + begins[t] + 4 * i, 4);
            memcpy(parameters, &word, sizeof word);
            if (!isfinite(*parameters)) {
                return xp_error_set(error, XP_ERR_INPUT, "%s: tensor '%s': number %zu is %g",
                                    file->name, name, i, (double)*parameters);
            }
            parameters++;
        }
    }
    return XP_OK;
}

static int compare_places(const void *a, const void *b) {
    const size_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Tensors of the right sizes within the file neither overlap nor leave gaps. places[n][2] is begin
 * and number of each. */
static xp_status check_places(const reader *file, const xp_net *net, size_t (*places)[2],
                              xp_error *error) {
    tensor list[TENSORS];
    tensors_of(&net->options, list);
    const size_t count = net->options.members * TENSORS;
    qsort(places, count, sizeof places[0], compare_places);
    size_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        const tensor *t = &list[places[i][1] % TENSORS];
        if (places[i][0] != expected) {
            char name[NAME];
            tensor_name(name, places[i][1] / TENSORS, t);
            return xp_error_set(error, XP_ERR_INPUT,
                                "%s: tensor '%s' begins at %zu, not at %zu where the one before "
                                "it ends",
                                file->name, name, places[i][0], expected);
        }
        expected += t->rows * t->columns * 4;
    }
    if (expected != file->bytes) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: %zu bytes follow the last tensor", file->name,
                            file->bytes - expected);
    }
    return XP_OK;
}

static xp_status read_all(const reader *file, xp_net *net, xp_error *error) {
    const size_t members = net->options.members;
    float *parameters = xp__alloc(xp_net_parameter_count(net), sizeof *parameters);
    size_t(*places)[2] = xp__alloc(members * TENSORS, sizeof places[0]);
    xp_status status = parameters != NULL && places != NULL ? XP_OK : xp__no_memory(error);
    for (size_t member = 0; status == XP_OK && member < members; member++) {
        size_t begins[TENSORS] = {0};
        status = read_member(file, net, member, parameters, begins, error);
        if (status == XP_OK) {
            xp_net_set(net, member, parameters);
            for (size_t t = 0; t < TENSORS; t++) {
                places[member * TENSORS + t][0] = begins[t];
                places[member * TENSORS + t][1] = member * TENSORS + t;
            }
        }
    }
    if (status == XP_OK) {
        status = check_places(file, net, places, error);
    }
    xp__free(places);
    xp__free(parameters);
    return status;
}

/* The numbers that a file of this shape holds must be there before memory is taken for them. */
static xp_status check_size(const reader *file, const xp_net_options *o, xp_error *error) {
    const size_t most = (size_t)1 << 24; /* each size; products of three fit */
    const bool small =
        o->members <= most && o->hidden <= 256 && o->inputs <= most && o->actions <= 256;
    const size_t count =
        small ? o->hidden * (o->inputs + o->hidden + 2) + o->actions * (o->hidden + 1) : 0;
    if (!small || o->members * count * 4 != file->bytes) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: %zu bytes follow the header, which do not make %zu members of "
                            "%zu inputs, %zu hidden units and %zu actions",
                            file->name, file->bytes, o->members, o->inputs, o->hidden, o->actions);
    }
    return XP_OK;
}

xp_status xp_net_parse(const void *data, size_t bytes, const char *name,
                       const xp_net_options *options, xp_net **net, xp_error *error) {
    *net = NULL;
    const unsigned char *block = data;
    if (bytes < LENGTH_BYTES) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: has %zu bytes, too few for the length of a header", name, bytes);
    }
    const uint64_t length = get_low_first(block, LENGTH_BYTES);
    if (length > MAX_HEADER) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: says that its header has %" PRIu64 " bytes; at most %d are read",
                            name, length, MAX_HEADER);
    }
    if (length > bytes - LENGTH_BYTES) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: says that its header has %" PRIu64 " bytes, but %zu follow", name,
                            length, bytes - LENGTH_BYTES);
    }
    reader file = {.name = name,
                   .numbers = block + LENGTH_BYTES + length,
                   .bytes = bytes - LENGTH_BYTES - (size_t)length};
    xp_status status = xp__json_parse((const char *)block + LENGTH_BYTES, (size_t)length, name,
                                      XP__BUDGET, &file.header, error);
    if (status != XP_OK) {
        return status;
    }
    xp_net_options sizes = xp_net_options_default(0, 0, 0);
    sizes.members = sizes.hidden = 0;
    sizes = options != NULL ? *options : sizes;
    status = read_sizes(&file, &sizes, error);
    if (status == XP_OK) {
        status = check_size(&file, &sizes, error);
    }
    if (status == XP_OK) {
        status = xp_net_create(&sizes, NULL, net, error);
    }
    if (status == XP_OK) {
        status = read_all(&file, *net, error);
        if (status != XP_OK) {
            xp_net_destroy(*net);
            *net = NULL;
        }
    }
    json_decref(file.header);
    return status;
}

xp_status xp_net_load(const char *path, const xp_net_options *options, xp_net **net,
                      xp_error *error) {
    *net = NULL;
    char *data;
    size_t bytes;
    xp_status status = xp__file_read(path, XP__BUDGET, &data, &bytes, error);
    if (status == XP_OK) {
        status = xp_net_parse(data, bytes, path, options, net, error);
        xp__free(data);
    }
    return status;
}
