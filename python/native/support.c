/* support.c: errors, progress, arrays, paths and spaces, for all of the module. */
#include "native.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static PyObject *error_class, *input_class, *file_class, *numeric_class, *program_class;

static PyObject *make_class(PyObject *module, const char *name, const char *doc, PyObject *also) {
    char full[64];
    (void)snprintf(full, sizeof full, "experior.%s", name);
    PyObject *bases =
        error_class == NULL ? Py_NewRef(PyExc_Exception) : PyTuple_Pack(2, error_class, also);
    PyObject *made = bases != NULL ? PyErr_NewExceptionWithDoc(full, doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    if (made != NULL && PyModule_AddObjectRef(module, name, made) != 0) {
        Py_CLEAR(made);
    }
    return made;
}

int native_errors_init(PyObject *module) {
    error_class =
        make_class(module, "Error", "A call that failed; its text is one sentence.", NULL);
    if (error_class == NULL) {
        return -1;
    }
    input_class = make_class(module, "InputError", "Input that cannot be used.", PyExc_ValueError);
    file_class =
        make_class(module, "FileError", "A file that cannot be read or written.", PyExc_OSError);
    numeric_class =
        make_class(module, "NumericError", "A problem that has no solution that can be computed.",
                   PyExc_ArithmeticError);
    program_class = make_class(module, "ProgramError", "Another program that is needed failed.",
                               PyExc_RuntimeError);
    return input_class != NULL && file_class != NULL && numeric_class != NULL &&
                   program_class != NULL
               ? 0
               : -1;
}

PyObject *native_raise(xp_status status, const xp_error *error) {
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    PyObject *kind = status == XP_ERR_INPUT         ? input_class
                     : status == XP_ERR_FILE        ? file_class
                     : status == XP_ERR_MEMORY      ? PyExc_MemoryError
                     : status == XP_ERR_NUMERIC     ? numeric_class
                     : status == XP_ERR_INTERRUPTED ? PyExc_KeyboardInterrupt
                     : status == XP_ERR_PROGRAM     ? program_class
                                                    : error_class;
    /* A sentence may hold bytes of a file that are not UTF-8. */
    PyObject *text =
        PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    if (text != NULL) {
        PyErr_SetObject(kind, text);
        Py_DECREF(text);
    }
    return NULL;
}

PyObject *native_refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(input_class, format, arguments);
    va_end(arguments);
    return NULL;
}

/* Signals and bars are looked after twenty times per second, however often the library tells. */
int native_progress_tell(void *context, size_t done, size_t total) {
    native_progress *self = context;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const double passed = (double)(now.tv_sec - self->last.tv_sec) +
                          1e-9 * (double)(now.tv_nsec - self->last.tv_nsec);
    if (passed < 0.05 && done < total) {
        return 0;
    }
    self->last = now;
    const PyGILState_STATE held = PyGILState_Ensure();
    int stop = PyErr_Occurred() != NULL || PyErr_CheckSignals() != 0;
    if (!stop && self->callable != NULL && self->callable != Py_None) {
        PyObject *said =
            PyObject_CallFunction(self->callable, "nn", (Py_ssize_t)done, (Py_ssize_t)total);
        stop = said == NULL;
        Py_XDECREF(said);
    }
    PyGILState_Release(held);
    return stop;
}

static int get_array(PyObject *object, const char *what, bool writable, const char *kinds,
                     const char *wanted, native_array *array) {
    array->taken = false;
    const int flags =
        PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : PyBUF_SIMPLE);
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        PyErr_Clear();
        (void)native_refuse("%s is no contiguous array of %s", what, wanted);
        return -1;
    }
    const char *format = array->view.format != NULL ? array->view.format : "B";
    format += *format == '@' || *format == '=' || *format == '<' ? 1 : 0;
    if (array->view.itemsize != 8 || format[0] == '\0' || format[1] != '\0' ||
        strchr(kinds, format[0]) == NULL) {
        (void)native_refuse("%s has items of the type '%s', not %s", what, array->view.format,
                            wanted);
        PyBuffer_Release(&array->view);
        return -1;
    }
    array->taken = true;
    array->items = array->view.buf;
    array->length = (size_t)(array->view.len / 8);
    return 0;
}

int native_array_doubles(PyObject *object, const char *what, bool writable, native_array *array) {
    return get_array(object, what, writable, "d", "float64", array);
}

int native_array_sizes(PyObject *object, const char *what, bool writable, native_array *array) {
    return get_array(object, what, writable, "lLqQnN", "int64", array);
}

void native_array_release(native_array *array) {
    if (array->taken) {
        PyBuffer_Release(&array->view);
        array->taken = false;
    }
}

PyObject *native_path(PyObject *object) {
    PyObject *bytes = NULL;
    return PyUnicode_FSConverter(object, &bytes) != 0 ? bytes : NULL;
}

const char **native_strings(PyObject *sequence, const char *what, size_t *count) {
    const Py_ssize_t length = PyTuple_Check(sequence) ? PyTuple_Size(sequence) : -1;
    if (length < 0) {
        (void)native_refuse("%s is not a tuple of names", what);
        return NULL;
    }
    const char **strings = PyMem_Calloc((size_t)length + 1, sizeof *strings);
    if (strings == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_ssize_t bytes;
        strings[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(sequence, i), &bytes);
        if (strings[i] == NULL || strlen(strings[i]) != (size_t)bytes) {
            if (strings[i] != NULL) {
                (void)native_refuse("%s: name %zd holds a zero byte", what, i);
            }
            PyMem_Free((void *)strings);
            return NULL;
        }
    }
    *count = (size_t)length;
    return strings;
}

int native_space_init(native_space *space, PyObject *object) {
    *space = (native_space){.space = NULL};
    if (object == NULL || object == Py_None) {
        return 0;
    }
    PyObject *names, *categories;
    Py_ssize_t actions, horizon;
    if (!PyTuple_Check(object) || !PyArg_ParseTuple(object, "nOO!n", &actions, &names,
                                                    &PyTuple_Type, &categories, &horizon)) {
        PyErr_Clear();
        (void)native_refuse("a space is (actions, names or None, categories, horizon)");
        return -1;
    }
    if (actions < 1 || horizon < 1) {
        (void)native_refuse("a space has at least one action and one step");
        return -1;
    }
    const Py_ssize_t size = PyTuple_Size(categories);
    space->value = (xp_space){.actions = (size_t)actions,
                              .state_size = (size_t)size,
                              .horizon = (size_t)horizon,
                              .discount = 1};
    size_t named = (size_t)actions;
    space->names = names != Py_None ? native_strings(names, "action names", &named) : NULL;
    if (PyErr_Occurred() != NULL) {
        return -1;
    }
    if (named != (size_t)actions) {
        (void)native_refuse("%zu names for %zd actions", named, actions);
        native_space_deinit(space);
        return -1;
    }
    space->categories = PyMem_Calloc((size_t)size + 1, sizeof(size_t));
    if (space->categories == NULL) {
        native_space_deinit(space);
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t j = 0; j < size; j++) {
        space->categories[j] = PyLong_AsSize_t(PyTuple_GetItem(categories, j));
    }
    if (PyErr_Occurred() != NULL) {
        native_space_deinit(space);
        return -1;
    }
    space->value.action_names = space->names;
    space->value.categories = size > 0 ? space->categories : NULL;
    space->space = &space->value;
    return 0;
}

void native_space_deinit(native_space *space) {
    PyMem_Free((void *)space->names);
    PyMem_Free(space->categories);
    *space = (native_space){.space = NULL};
}

int native_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **place) {
    *place = (PyTypeObject *)PyType_FromSpec(spec);
    return *place != NULL ? PyModule_AddType(module, *place) : -1;
}

PyObject *native_bytes(const void *items, size_t count, size_t size) {
    return items != NULL ? PyBytes_FromStringAndSize(items, (Py_ssize_t)(count * size))
                         : Py_NewRef(Py_None);
}
