/* tensors.h: named arrays of numbers in one block of bytes: the safetensors format
 * (huggingface.co/docs/safetensors), which other tools read.
 *
 * 8 bytes with the length N of the header, low byte first; N bytes of JSON, an object from tensor
 * names to {"dtype", "shape", "data_offsets": [begin, end)}, offsets counted from the end of the
 * header; then the numbers, low byte first, without gaps or overlaps. "__metadata__" holds short
 * texts.
 *
 * Bytes are not trusted: before anything is handed out, every shape, offset and length has been
 * checked against the others, and the header's size against the memory that it would take. */
#ifndef XP_BASE_BYTES_TENSORS_H
#define XP_BASE_BYTES_TENSORS_H

#include "experior/base.h"

#include <jansson.h>

typedef enum xp__tensor_kind {
    XP__F32,
    XP__F64,
    XP__U32,
    XP__U64,
    XP__TENSOR_KINDS
} xp__tensor_kind;

enum { XP__TENSOR_NAME = 64 };

/* A tensor of one or two dimensions; in a file to be written, or in one that was read. */
typedef struct xp__tensor {
    char name[XP__TENSOR_NAME];
    xp__tensor_kind kind;
    size_t dimensions, rows, columns; /* columns is 1 in one dimension */
    const void *data;
} xp__tensor;

/* A file on its way out. All zero is an empty one. What tensors point to must stay until it is
 * written; a failed allocation is remembered. */
typedef struct xp__tensors {
    xp__tensor *list;
    size_t count, room;
    json_t *metadata; /* texts; made by the first xp__tensors_note */
    void **owned;     /* blocks that go with the file */
    size_t owned_count, owned_room;
    bool failed;
} xp__tensors;

/* A tensor of one dimension, or of two if `columns` is not 0. */
void xp__tensors_add(xp__tensors *file, const char *name, xp__tensor_kind kind, size_t rows,
                     size_t columns, const void *data);
/* A block of `bytes` bytes that lives as long as the file, for tensors to point to; NULL when
 * memory runs out. */
void *xp__tensors_block(xp__tensors *file, size_t bytes);
/* A text of the metadata; UTF-8. */
void xp__tensors_note(xp__tensors *file, const char *key, const char *text);
/* The bytes of the file, for xp__free. The metadata gets a checksum of all else. */
xp_status xp__tensors_write(const xp__tensors *file, void **data, size_t *bytes, xp_error *error);
void xp__tensors_deinit(xp__tensors *file);

/* A file that was read; it points into the bytes it was read from. */
typedef struct xp__tensor_file {
    const char *name; /* for messages */
    xp__tensor *list; /* in the order of their names */
    size_t count;
    json_t *header;
} xp__tensor_file;

xp_status xp__tensor_file_init(xp__tensor_file *file, const void *data, size_t bytes,
                               const char *name, xp_error *error);
void xp__tensor_file_deinit(xp__tensor_file *file); /* also one that is all zero */
/* A text of the metadata, or NULL. */
const char *xp__tensor_file_note(const xp__tensor_file *file, const char *key);
/* The tensor of that name, or NULL. */
const xp__tensor *xp__tensor_file_find(const xp__tensor_file *file, const char *name);
/* The same where it must be there, of that kind and shape (columns 0: one dimension; rows SIZE_MAX:
 * any number of them). */
xp_status xp__tensor_file_need(const xp__tensor_file *file, const char *name, xp__tensor_kind kind,
                               size_t rows, size_t columns, const xp__tensor **tensor,
                               xp_error *error);

#endif
