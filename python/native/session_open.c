/* session_open.c: sessions are opened, restored from bytes and closed. */
#include "session.h"

#include <string.h>

void native_session_empty(native_session *self) {
    xp_session_destroy(self->session);
    self->session = NULL;
    Py_CLEAR(self->model);
    Py_CLEAR(self->labels);
    Py_CLEAR(self->numbers);
    PyMem_Free(self->state);
    self->state = NULL;
    self->acted = false;
}

/* What all ways to open share. */
static int take(native_session *self, xp_session *session, PyObject *model, PyObject *labels,
                size_t actions, size_t state_size) {
    native_session_empty(self);
    self->session = session;
    self->model = model != Py_None ? Py_NewRef(model) : NULL;
    self->actions = actions;
    self->state_size = state_size;
    self->state = PyMem_Calloc(2 * state_size + 1, sizeof(double));
    const xp_session_info info = xp_session_describe(session);
    self->brief = state_size == 0 && (info.kind == NULL || strcmp(info.kind, "computed") == 0);
    self->busy = false;
    if (self->state == NULL) {
        PyErr_NoMemory();
    } else if (labels != Py_None) {
        self->labels = Py_NewRef(labels);
        self->numbers = PyDict_New();
        for (Py_ssize_t i = 0; self->numbers != NULL && i < PyTuple_Size(labels); i++) {
            PyObject *number = PyLong_FromSsize_t(i);
            if (number == NULL ||
                PyDict_SetItem(self->numbers, PyTuple_GetItem(labels, i), number) != 0) {
                Py_CLEAR(self->numbers);
            }
            Py_XDECREF(number);
        }
    }
    if (PyErr_Occurred() != NULL) {
        native_session_empty(self);
        return -1;
    }
    return 0;
}

/* Checks what comes with a model: its type, and as many labels as it has actions. */
static bool fits(PyObject *model, PyObject *labels, size_t actions) {
    if ((model == Py_None || PyObject_TypeCheck(model, native_model_type)) &&
        (labels == Py_None ||
         (PyTuple_Check(labels) && PyTuple_Size(labels) == (Py_ssize_t)actions))) {
        return true;
    }
    (void)native_refuse("a session takes a model and one label per action");
    return false;
}

PyObject *native_session_open(PyObject *object, PyObject *arguments) {
    native_session *self = (native_session *)object;
    PyObject *model, *space, *labels;
    xp_session_options options = xp_session_options_default();
    unsigned long long seed;
    Py_ssize_t episodes;
    if (!PyArg_ParseTuple(arguments, "OzKnOzO", &model, &options.agent, &seed, &episodes, &space,
                          &options.segment, &labels)) {
        return NULL;
    }
    if (self->busy) {
        return native_refuse("the session is in use by another thread");
    }
    native_space own;
    if ((model != Py_None && !fits(model, Py_None, 0)) || native_space_init(&own, space) != 0) {
        return NULL;
    }
    const xp_model *handle = model != Py_None ? ((native_model *)model)->model : NULL;
    const xp_space shape = handle != NULL      ? xp_model_describe(handle).space
                           : own.space != NULL ? own.value
                                               : (xp_space){0};
    const size_t actions = shape.actions, state_size = shape.state_size;
    options.seed = seed;
    options.space = handle == NULL ? own.space : NULL;
    options.episodes = episodes > 0 ? (size_t)episodes : options.episodes;
    xp_session *session = NULL;
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (fits(model, labels, actions)) {
        Py_BEGIN_ALLOW_THREADS;
        status = xp_session_create(handle, &options, &session, &error);
        Py_END_ALLOW_THREADS;
    }
    native_space_deinit(&own);
    if (status != XP_OK) {
        return native_raise(status, &error);
    }
    return take(self, session, model, labels, actions, state_size) == 0 ? Py_NewRef(Py_None) : NULL;
}

PyObject *native_session_restore(PyObject *object, PyObject *arguments) {
    native_session *self = (native_session *)object;
    PyObject *model, *labels;
    const char *data, *name;
    Py_ssize_t bytes, actions, state_size;
    if (!PyArg_ParseTuple(arguments, "y#sOOnn", &data, &bytes, &name, &model, &labels, &actions,
                          &state_size)) {
        return NULL;
    }
    if (self->busy || actions < 0 || state_size < 0 || !fits(model, labels, (size_t)actions)) {
        return PyErr_Occurred() != NULL ? NULL : native_refuse("the session cannot be restored");
    }
    const xp_model *handle = model != Py_None ? ((native_model *)model)->model : NULL;
    if (handle != NULL) {
        const xp_space shape = xp_model_describe(handle).space;
        if (shape.actions != (size_t)actions || shape.state_size != (size_t)state_size) {
            return native_refuse("the session is for another space than the model");
        }
    }
    xp_session *session = NULL;
    xp_error error;
    const xp_status status = xp_session_parse(data, (size_t)bytes, name, handle, &session, &error);
    if (status != XP_OK) {
        return native_raise(status, &error);
    }
    return take(self, session, model, labels, (size_t)actions, (size_t)state_size) == 0
               ? Py_NewRef(Py_None)
               : NULL;
}

PyObject *native_session_close(PyObject *object, PyObject *unused) {
    (void)unused;
    if (((native_session *)object)->busy) {
        return native_refuse("the session is in use by another thread");
    }
    native_session_empty((native_session *)object);
    return Py_NewRef(Py_None);
}
