/* tensors.c: see tensors.h. */
#include "base/bytes/tensors.h"

#include "base/budget.h"
#include "base/bytes/checksum.h"
#include "base/grow.h"
#include "base/text/json.h"
#include "base/text/jsonl.h"
#include "base/text/scan.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written low byte first");

/* The largest ensemble, of 65,536 members, has a header of some 45 MB. */
enum { LENGTH_BYTES = 8, MAX_HEADER = 64 << 20, SUM_DIGITS = 16 };

static const struct kind {
    const char *name;
    size_t bytes;
} kinds[XP__TENSOR_KINDS] = {{"F32", 4}, {"F64", 8}, {"U32", 4}, {"U64", 8}};

static const char checksum_key[] = "checksum";

void xp__tensors_add(xp__tensors *file, const char *name, xp__tensor_kind kind, size_t rows,
                     size_t columns, const void *data) {
    xp__tensor *list =
        file->failed ? NULL : xp__reserve(file->list, &file->room, file->count + 1, sizeof *list);
    if (list == NULL) {
        file->failed = true;
        return;
    }
    file->list = list;
    xp__tensor *tensor = &list[file->count++];
    *tensor = (xp__tensor){.kind = kind,
                           .dimensions = columns > 0 ? 2 : 1,
                           .rows = rows,
                           .columns = columns > 0 ? columns : 1,
                           .data = data};
    (void)snprintf(tensor->name, sizeof tensor->name, "%s", name);
}

void *xp__tensors_block(xp__tensors *file, size_t bytes) {
    void **owned = file->failed ? NULL
                                : xp__reserve(file->owned, &file->owned_room, file->owned_count + 1,
                                              sizeof *owned);
    void *block = owned != NULL ? xp__alloc(1, bytes) : NULL;
    file->owned = owned != NULL ? owned : file->owned;
    if (block == NULL) {
        file->failed = true;
        return NULL;
    }
    file->owned[file->owned_count++] = block;
    return block;
}

void xp__tensors_note(xp__tensors *file, const char *key, const char *text) {
    if (file->metadata == NULL) {
        file->metadata = json_object();
    }
    file->failed |= json_object_set_new(file->metadata, key, json_string(text)) != 0;
}

void xp__tensors_deinit(xp__tensors *file) {
    for (size_t i = 0; i < file->owned_count; i++) {
        xp__free(file->owned[i]);
    }
    xp__free(file->owned);
    xp__free(file->list);
    json_decref(file->metadata);
    *file = (xp__tensors){.list = NULL};
}

static size_t tensor_bytes(const xp__tensor *tensor) {
    return tensor->rows * tensor->columns * kinds[tensor->kind].bytes;
}

/* The header as an object, with `sum` as its checksum. */
static json_t *header_of(const xp__tensors *file, const char *sum) {
    json_t *header = json_object();
    json_t *metadata = file->metadata != NULL ? json_copy(file->metadata) : json_object();
    bool good =
        header != NULL && json_object_set_new(metadata, checksum_key, json_string(sum)) == 0;
    good = json_object_set_new(header, "__metadata__", metadata) == 0 && good;
    size_t offset = 0;
    for (size_t i = 0; good && i < file->count; i++) {
        const xp__tensor *tensor = &file->list[i];
        const size_t end = offset + tensor_bytes(tensor);
        json_t *shape = tensor->dimensions == 2 ? json_pack("[I, I]", (json_int_t)tensor->rows,
                                                            (json_int_t)tensor->columns)
                                                : json_pack("[I]", (json_int_t)tensor->rows);
        json_t *entry =
            json_pack("{s:s, s:o, s:[I, I]}", "dtype", kinds[tensor->kind].name, "shape", shape,
                      "data_offsets", (json_int_t)offset, (json_int_t)end);
        good = json_object_set_new(header, tensor->name, entry) == 0;
        offset = end;
    }
    if (!good) {
        json_decref(header);
        return NULL;
    }
    return header;
}

/* Adds to `sum` the metadata, without a checksum, and the places of all tensors. */
static uint64_t sum_header(uint64_t sum, json_t *header) {
    json_t *bare = json_copy(header);
    json_t *metadata = json_copy(json_object_get(header, "__metadata__"));
    (void)json_object_del(metadata, checksum_key);
    char *text = NULL;
    if (json_object_set_new(bare, "__metadata__", metadata) == 0) {
        text = json_dumps(bare, JSON_COMPACT | JSON_SORT_KEYS);
    }
    sum = text != NULL ? xp__checksum(sum, text, strlen(text)) : sum;
    free(text);
    json_decref(bare);
    return sum;
}

static void write_sum(char digits[SUM_DIGITS + 1], uint64_t sum) {
    (void)snprintf(digits, SUM_DIGITS + 1, "%016" PRIx64, sum);
}

xp_status xp__tensors_write(const xp__tensors *file, void **data, size_t *bytes, xp_error *error) {
    *data = NULL;
    *bytes = 0;
    char digits[SUM_DIGITS + 1] = "";
    json_t *header = file->failed ? NULL : header_of(file, digits);
    if (header == NULL) {
        return xp__no_memory(error);
    }
    uint64_t sum = sum_header(XP__CHECKSUM_START, header);
    size_t numbers = 0;
    for (size_t i = 0; i < file->count; i++) {
        sum = xp__checksum(sum, file->list[i].data, tensor_bytes(&file->list[i]));
        numbers += tensor_bytes(&file->list[i]);
    }
    write_sum(digits, sum);
    json_t *metadata = json_object_get(header, "__metadata__");
    char *text = json_object_set_new(metadata, checksum_key, json_string(digits)) == 0
                     ? json_dumps(header, JSON_COMPACT)
                     : NULL;
    json_decref(header);
    const size_t length = text != NULL ? strlen(text) : 0, padded = (length + 7) / 8 * 8;
    unsigned char *block =
        text != NULL ? xp__realloc(NULL, LENGTH_BYTES + padded + numbers, 1) : NULL;
    if (block == NULL || padded > MAX_HEADER) {
        free(text);
        xp__free(block);
        return block == NULL
                   ? xp__no_memory(error)
                   : xp_error_set(error, XP_ERR_INPUT, "%zu tensors are more than a file can list",
                                  file->count);
    }
    const uint64_t stored = padded;
    memcpy(block, &stored, LENGTH_BYTES);
    memset(block + LENGTH_BYTES, ' ', padded);
    for (size_t i = 0; i < length; i++) { /* not a string there: no memcpy of one */
        block[LENGTH_BYTES + i] = (unsigned char)text[i];
    }
    unsigned char *at = block + LENGTH_BYTES + padded;
    for (size_t i = 0; i < file->count; i++) {
        const size_t size = tensor_bytes(&file->list[i]);
        if (size > 0) {
            memcpy(at, file->list[i].data, size);
        }
        at += size;
    }
    free(text);
    *data = block;
    *bytes = LENGTH_BYTES + padded + numbers;
    return XP_OK;
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

static bool read_shape(const json_t *shape, xp__tensor *tensor) {
    tensor->dimensions = json_array_size(shape);
    tensor->columns = 1;
    return (tensor->dimensions == 1 || tensor->dimensions == 2) &&
           whole(json_array_get(shape, 0), &tensor->rows) &&
           (tensor->dimensions == 1 || whole(json_array_get(shape, 1), &tensor->columns));
}

/* One entry of the header; *begin and *end are its offsets. */
static xp_status read_entry(const xp__tensor_file *file, const char *name, const json_t *entry,
                            xp__tensor *tensor, size_t *begin, size_t *end, xp_error *error) {
    char shown[XP__SHOWN];
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t kind = 0;
    while (kind < XP__TENSOR_KINDS && (dtype == NULL || strcmp(dtype, kinds[kind].name) != 0)) {
        kind++;
    }
    if (strlen(name) >= XP__TENSOR_NAME || kind == XP__TENSOR_KINDS ||
        !read_shape(json_object_get(entry, "shape"), tensor) || json_array_size(offsets) != 2 ||
        !whole(json_array_get(offsets, 0), begin) || !whole(json_array_get(offsets, 1), end)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: tensor '%.60s' is %s, not {\"dtype\": \"F32\", \"F64\", \"U32\" "
                            "or \"U64\", \"shape\": one or two sizes, \"data_offsets\": [begin, "
                            "end]}",
                            file->name, name, xp__jsonl_show(shown, entry));
    }
    tensor->kind = (xp__tensor_kind)kind;
    (void)snprintf(tensor->name, sizeof tensor->name, "%s", name);
    /* Sizes are at most 2^53 and offsets too: the division cannot be fooled by an overflow. */
    const size_t room = *end >= *begin ? (*end - *begin) / kinds[kind].bytes : 0;
    const bool fits = *end >= *begin && (*end - *begin) % kinds[kind].bytes == 0 &&
                      (tensor->columns == 0 || tensor->rows == 0
                           ? room == 0
                           : room % tensor->columns == 0 && room / tensor->columns == tensor->rows);
    if (!fits) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: tensor '%s' has data_offsets [%zu, %zu], which do not hold its "
                            "shape",
                            file->name, name, *begin, *end);
    }
    return XP_OK;
}

typedef struct place {
    xp__tensor tensor;
    size_t begin, end;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return (x->end > y->end) - (x->end < y->end);
}

/* All tensors, in the order of their numbers, which neither overlap nor leave gaps. */
static xp_status read_list(xp__tensor_file *file, place *places, const unsigned char *numbers,
                           size_t bytes, xp_error *error) {
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) {
            continue;
        }
        place *at = &places[file->count];
        const xp_status status =
            read_entry(file, name, entry, &at->tensor, &at->begin, &at->end, error);
        if (status != XP_OK) {
            return status;
        }
        file->count++;
    }
    qsort(places, file->count, sizeof *places, by_place);
    size_t expected = 0;
    for (size_t i = 0; i < file->count; i++) {
        if (places[i].begin != expected) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "%s: tensor '%s' begins at %zu, not at %zu where the one before "
                                "it ends",
                                file->name, places[i].tensor.name, places[i].begin, expected);
        }
        expected = places[i].end;
        file->list[i] = places[i].tensor;
        file->list[i].data = numbers + (places[i].begin <= bytes ? places[i].begin : 0);
    }
    return expected == bytes ? XP_OK
                             : xp_error_set(error, XP_ERR_INPUT,
                                            "%s: its tensors take %zu bytes, but %zu follow the "
                                            "header",
                                            file->name, expected, bytes);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const xp__tensor *)a)->name, ((const xp__tensor *)b)->name);
}

static xp_status check_sum(const xp__tensor_file *file, const unsigned char *numbers, size_t bytes,
                           xp_error *error) {
    const char *stored = xp__tensor_file_note(file, checksum_key);
    if (stored == NULL) {
        return XP_OK; /* another program's file */
    }
    char digits[SUM_DIGITS + 1];
    write_sum(digits, xp__checksum(sum_header(XP__CHECKSUM_START, file->header), numbers, bytes));
    return strcmp(stored, digits) == 0
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "%s: is damaged: its checksum is %.20s where %s was expected",
                              file->name, stored, digits);
}

xp_status xp__tensor_file_init(xp__tensor_file *file, const void *data, size_t bytes,
                               const char *name, xp_error *error) {
    *file = (xp__tensor_file){.name = name};
    uint64_t length = 0;
    if (bytes < LENGTH_BYTES) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: has %zu bytes, too few for the length of a header", name, bytes);
    }
    memcpy(&length, data, LENGTH_BYTES);
    const unsigned char *text = (const unsigned char *)data + LENGTH_BYTES;
    if (length > bytes - LENGTH_BYTES) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: says that its header has %" PRIu64 " bytes, but %zu follow", name,
                            length, bytes - LENGTH_BYTES);
    }
    if (length > MAX_HEADER) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: has a header of %" PRIu64 " bytes; at most %d are read", name,
                            length, (int)MAX_HEADER);
    }
    const unsigned char *numbers = text + length;
    const size_t left = bytes - LENGTH_BYTES - (size_t)length;
    xp_status status =
        xp__json_parse((const char *)text, (size_t)length, name, XP__BUDGET, &file->header, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t most = json_object_size(file->header);
    file->list = xp__alloc(most, sizeof *file->list);
    place *places = xp__alloc(most, sizeof *places);
    status = file->list != NULL && places != NULL ? read_list(file, places, numbers, left, error)
                                                  : xp__no_memory(error);
    xp__free(places);
    if (status == XP_OK) {
        qsort(file->list, file->count, sizeof *file->list, by_name);
        status = check_sum(file, numbers, left, error);
    }
    if (status != XP_OK) {
        xp__tensor_file_deinit(file);
    }
    return status;
}

void xp__tensor_file_deinit(xp__tensor_file *file) {
    xp__free(file->list);
    json_decref(file->header);
    *file = (xp__tensor_file){.name = NULL};
}

const char *xp__tensor_file_note(const xp__tensor_file *file, const char *key) {
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

const xp__tensor *xp__tensor_file_find(const xp__tensor_file *file, const char *name) {
    xp__tensor wanted = {.data = NULL};
    (void)snprintf(wanted.name, sizeof wanted.name, "%s", name);
    return file->count > 0 ? bsearch(&wanted, file->list, file->count, sizeof wanted, by_name)
                           : NULL;
}

xp_status xp__tensor_file_need(const xp__tensor_file *file, const char *name, xp__tensor_kind kind,
                               size_t rows, size_t columns, const xp__tensor **tensor,
                               xp_error *error) {
    *tensor = xp__tensor_file_find(file, name);
    if (*tensor == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: there is no tensor '%s'", file->name, name);
    }
    const size_t dimensions = columns > 0 ? 2 : 1;
    if ((*tensor)->kind != kind || (*tensor)->dimensions != dimensions ||
        (rows != SIZE_MAX && (*tensor)->rows != rows) ||
        (dimensions == 2 && (*tensor)->columns != columns)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s: tensor '%s' has dtype %s and shape [%zu, %zu]; dtype %s and shape "
                            "[%zu, %zu] were expected",
                            file->name, name, kinds[(*tensor)->kind].name, (*tensor)->rows,
                            (*tensor)->columns, kinds[kind].name,
                            rows != SIZE_MAX ? rows : (*tensor)->rows, columns > 0 ? columns : 1);
    }
    return XP_OK;
}
