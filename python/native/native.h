/* native.h: what the files of the extension module share: errors, buffers, progress, the objects.
 *
 * The module is written against the limited API of CPython 3.11, so that one wheel serves every
 * later version, and against the public headers of the library alone. The Python files of the
 * package check and convert what people give; this module trusts nothing all the same. */
#ifndef EXPERIOR_NATIVE_NATIVE_H
#define EXPERIOR_NATIVE_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "experior/experior.h"

#include <time.h>

/* Sets the exception that a status stands for, with its sentence, and returns NULL. An exception
 * that is set already (a signal's, a callback's) stays. */
PyObject *native_raise(xp_status status, const xp_error *error);
/* The same for input that this module itself refuses. */
PyObject *native_refuse(const char *format, ...);
/* Adds the exception classes to the module. */
int native_errors_init(PyObject *module);

/* A Python callable that is told of progress, rate-limited; Ctrl-C stops the call. */
typedef struct native_progress {
    PyObject *callable; /* borrowed; NULL or None: only signals are looked at */
    struct timespec last;
} native_progress;
int native_progress_tell(void *context, size_t done, size_t total);

/* Borrowed views of arrays. Each get fails with an exception; release accepts one that was not
 * taken. `length` counts the items. */
typedef struct native_array {
    Py_buffer view;
    bool taken;
    void *items;
    size_t length;
} native_array;
int native_array_doubles(PyObject *object, const char *what, bool writable, native_array *array);
int native_array_sizes(PyObject *object, const char *what, bool writable, native_array *array);
void native_array_release(native_array *array);

/* A path as bytes, from str, bytes or os.PathLike: a new reference, or NULL. */
PyObject *native_path(PyObject *object);

/* A space from (actions, names or None, categories, horizon); freed with its deinit. `space` is
 * NULL for None. */
typedef struct native_space {
    xp_space value;
    const xp_space *space;
    const char **names;
    size_t *categories;
} native_space;
int native_space_init(native_space *space, PyObject *object);
void native_space_deinit(native_space *space);
/* A NULL-terminated array of the strings in a sequence, borrowed from it; for PyMem_Free. */
const char **native_strings(PyObject *sequence, const char *what, size_t *count);

/* The objects. Each holds one handle of the library and what must outlive it. */
typedef struct native_demos {
    PyObject_HEAD xp_demos *demos;
} native_demos;
typedef struct native_choices {
    PyObject_HEAD xp_choices *choices;
} native_choices;
typedef struct native_model {
    PyObject_HEAD xp_model *model;
} native_model;
typedef struct native_env {
    PyObject_HEAD xp_env *env;
    PyObject *family; /* the Python object behind an environment of the caller's, or NULL */
    PyObject *name;   /* bytes */
    size_t *categories;
    xp_expert *expert;                                   /* the family's own, or NULL */
    PyObject *raised_type, *raised_value, *raised_trace; /* by a callback, kept until told */
} native_env;

extern PyTypeObject *native_demos_type, *native_choices_type, *native_model_type,
    *native_session_type, *native_env_type, *native_task_type;

int native_data_init(PyObject *module);    /* data.c */
int native_model_init(PyObject *module);   /* model.c */
int native_session_init(PyObject *module); /* session.c */
int native_env_init(PyObject *module);     /* env.c */
int native_custom_init(PyObject *module);  /* custom.c */
int native_run_init(PyObject *module);     /* run.c */
int native_inspect_init(PyObject *module); /* inspect.c */

/* Raises what a callback of the family raised, if any did, instead of the library's sentence. */
PyObject *native_env_raise(native_env *env, xp_status status, const xp_error *error);

/* Adds a type made from its spec to the module, and keeps it in *place. */
int native_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **place);

/* An array of doubles as bytes; None for NULL. */
PyObject *native_bytes(const void *items, size_t count, size_t size);

#endif
