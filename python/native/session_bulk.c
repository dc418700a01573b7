/* session_bulk.c: many decisions, rewards, means or weights in one call, in arrays of the caller's.
 */
#include "session.h"

PyObject *native_session_act_batch(PyObject *object, PyObject *out) {
    native_session *self = native_session_enter(object);
    native_array actions = {.taken = false};
    if (self == NULL || native_array_sizes(out, "actions", true, &actions) != 0) {
        return NULL;
    }
    xp_error error;
    xp_status status = XP_OK;
    enum { AT_ONCE = 65536 }; /* then signals are looked at */
    for (size_t done = 0; status == XP_OK && done < actions.length; done += AT_ONCE) {
        const size_t count = actions.length - done < AT_ONCE ? actions.length - done : AT_ONCE;
        NATIVE_LONG_CALL(self, status = xp_session_act_batch(
                                   self->session, count, (size_t *)actions.items + done, &error));
        if (PyErr_CheckSignals() != 0) {
            status = XP_ERR_INTERRUPTED;
        }
    }
    native_array_release(&actions);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

PyObject *native_session_observe_batch(PyObject *object, PyObject *const *arguments,
                                       Py_ssize_t count) {
    native_session *self = native_session_enter(object);
    native_array actions = {.taken = false}, rewards = {.taken = false};
    if (self == NULL || count != 2) {
        return self == NULL ? NULL : native_refuse("observe_batch takes actions and rewards");
    }
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (native_array_sizes(arguments[0], "actions", false, &actions) == 0 &&
        native_array_doubles(arguments[1], "rewards", false, &rewards) == 0) {
        if (actions.length != rewards.length) {
            (void)native_refuse("%zu actions with %zu rewards", actions.length, rewards.length);
        } else {
            NATIVE_LONG_CALL(self, status = xp_session_observe_batch(self->session, actions.items,
                                                                     rewards.items, actions.length,
                                                                     &error));
        }
    }
    native_array_release(&actions);
    native_array_release(&rewards);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

PyObject *native_session_draw_means(PyObject *object, PyObject *arguments) {
    native_session *self = native_session_enter(object);
    PyObject *out;
    unsigned long long seed;
    native_array means = {.taken = false};
    if (self == NULL || !PyArg_ParseTuple(arguments, "KO", &seed, &out) ||
        native_array_doubles(out, "out", true, &means) != 0) {
        return NULL;
    }
    xp_error error;
    xp_status status = XP_OK;
    xp_rng rng = xp_rng_seed(seed);
    if (means.length % self->actions != 0) {
        (void)native_refuse("out has one number per action and draw");
        status = XP_ERR_INPUT;
    }
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; status == XP_OK && i < means.length; i += self->actions) {
        status = xp_session_draw_means(self->session, &rng, (double *)means.items + i, &error);
    }
    Py_END_ALLOW_THREADS;
    self->busy = false;
    native_array_release(&means);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

PyObject *native_session_policies(PyObject *object, PyObject *unused) {
    (void)unused;
    native_session *self = native_session_enter(object);
    if (self == NULL) {
        return NULL;
    }
    const size_t count = xp_session_policies(self->session, NULL);
    double *weight = PyMem_Calloc(count + 1, sizeof *weight);
    if (weight == NULL) {
        return PyErr_NoMemory();
    }
    NATIVE_LONG_CALL(self, (void)xp_session_policies(self->session, weight));
    PyObject *made = native_bytes(weight, count, sizeof *weight);
    PyMem_Free(weight);
    return made;
}
