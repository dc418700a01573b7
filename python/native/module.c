/* module.c: the extension module experior._core: its exceptions, its objects, the catalogue. */
#include "native.h"

static PyObject *param_of(const xp_param *param) {
    return Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:z}", "name", param->name, "summary",
                         param->summary, "low", param->low, "high", param->high, "standard",
                         param->standard, "choices", param->choices);
}

static PyObject *entry_of(const xp_catalogue_entry *entry) {
    PyObject *params = PyList_New((Py_ssize_t)entry->param_count);
    for (size_t i = 0; params != NULL && i < entry->param_count; i++) {
        PyObject *param = param_of(&entry->params[i]);
        if (param == NULL || PyList_SetItem(params, (Py_ssize_t)i, param) != 0) {
            Py_CLEAR(params);
        }
    }
    return params != NULL
               ? Py_BuildValue("{s:s,s:s,s:O,s:N}", "name", entry->name, "summary", entry->summary,
                               "states", entry->states ? Py_True : Py_False, "params", params)
               : NULL;
}

static PyObject *catalogue(PyObject *self, PyObject *arguments) {
    (void)self;
    int kind;
    if (!PyArg_ParseTuple(arguments, "i", &kind)) {
        return NULL;
    }
    const size_t count = xp_catalogue_count((xp_kind)kind);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        const xp_catalogue_entry entry = xp_catalogue_get((xp_kind)kind, i);
        PyObject *made = entry_of(&entry);
        if (made == NULL || PyList_SetItem(list, (Py_ssize_t)i, made) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *check(PyObject *self, PyObject *arguments) {
    (void)self;
    int kind;
    const char *spec;
    xp_error error;
    if (!PyArg_ParseTuple(arguments, "is", &kind, &spec)) {
        return NULL;
    }
    const xp_status status = xp_catalogue_check((xp_kind)kind, spec, &error);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyMethodDef functions[] = {
    {"catalogue", catalogue, METH_VARARGS, "What the library offers of a kind."},
    {"check", check, METH_VARARGS, "Checks a spec of a kind."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "experior._core",
    "The C library, for the package experior.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddStringConstant(module, "__version__", xp_version()) != 0 ||
        native_errors_init(module) != 0 || native_data_init(module) != 0 ||
        native_model_init(module) != 0 || native_session_init(module) != 0 ||
        native_env_init(module) != 0 || native_custom_init(module) != 0 ||
        native_run_init(module) != 0 || native_inspect_init(module) != 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
