/* session.c: sessions as objects of the module.
 *
 * act and observe of a bandit are the calls that count in microseconds: they parse their arguments
 * by hand and keep the interpreter's lock where the library's call is a matter of nanoseconds.
 * Longer ones give it up. */
#include "session.h"

#include <string.h>

PyTypeObject *native_session_type;

static void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    native_session_empty((native_session *)object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

native_session *native_session_enter(PyObject *object) {
    native_session *self = (native_session *)object;
    if (self->session == NULL) {
        (void)native_refuse("the session is closed, or was never opened");
        return NULL;
    }
    if (self->busy) {
        (void)native_refuse("the session is in use by another thread; give each thread its own");
        return NULL;
    }
    return self;
}

/* The number of an action that was given by its label or number. */
static bool action_of(const native_session *self, PyObject *given, size_t *action) {
    if (self->numbers != NULL) {
        PyObject *number = PyDict_GetItemWithError(self->numbers, given);
        if (number != NULL) {
            *action = PyLong_AsSize_t(number);
            return true;
        }
        PyErr_Clear(); /* not hashable: no label */
        if (PyUnicode_Check(given) ||
            PyLong_Check(PyTuple_GetItem(self->labels, 0))) { /* labels that are numbers */
            (void)native_refuse("action %R is not one of %R", given, self->labels);
            return false;
        }
    }
    const Py_ssize_t number = PyNumber_AsSsize_t(given, NULL);
    if (number == -1 && PyErr_Occurred() != NULL) {
        PyErr_Clear();
        (void)native_refuse("action %R is not a whole number", given);
        return false;
    }
    if (number < 0 || (size_t)number >= self->actions) {
        (void)native_refuse("action %zd is not one of 0 to %zu", number, self->actions - 1);
        return false;
    }
    *action = (size_t)number;
    return true;
}

static PyObject *label_of(const native_session *self, size_t action) {
    return self->labels != NULL ? Py_NewRef(PyTuple_GetItem(self->labels, (Py_ssize_t)action))
                                : PyLong_FromSize_t(action);
}

/* Numbers of anything that can be counted through, or one number. */
static bool numbers_of(PyObject *given, const char *what, double *into, size_t count) {
    const Py_ssize_t length = PySequence_Check(given) ? PySequence_Size(given) : -1;
    if (length < 0) { /* an array without dimensions is a sequence without a length */
        PyErr_Clear();
        into[0] = PyFloat_AsDouble(given);
        if (count == 1 && PyErr_Occurred() == NULL) {
            return true;
        }
        PyErr_Clear();
        (void)native_refuse("%s is not an array of %zu numbers", what, count);
        return false;
    }
    if ((size_t)length != count) {
        (void)native_refuse("%s has %zd numbers, not %zu", what, length, count);
        return false;
    }
    for (size_t j = 0; j < count; j++) {
        PyObject *item = PySequence_GetItem(given, (Py_ssize_t)j);
        into[j] = item != NULL && !PySequence_Check(item) ? PyFloat_AsDouble(item) : -1;
        const bool bad = item == NULL || PyErr_Occurred() != NULL || PySequence_Check(item);
        Py_XDECREF(item);
        if (bad) {
            PyErr_Clear();
            (void)native_refuse("%s: item %zu is not a number", what, j);
            return false;
        }
    }
    return true;
}

/* Copies a state; NULL and None only in a bandit. */
static bool state_of(const native_session *self, PyObject *given, const char *what, double *into) {
    if (self->state_size == 0) {
        if (given == NULL || given == Py_None) {
            return true;
        }
        (void)native_refuse("%s was given, but a bandit has no states", what);
        return false;
    }
    if (given == NULL || given == Py_None) {
        (void)native_refuse("%s is missing: states have %zu numbers", what, self->state_size);
        return false;
    }
    native_array array = {.taken = false};
    if (native_array_doubles(given, what, false, &array) != 0) {
        PyErr_Clear();
        return numbers_of(given, what, into, self->state_size);
    }
    const bool fit = array.length == self->state_size;
    if (fit) {
        memcpy(into, array.items, self->state_size * sizeof *into);
    } else {
        (void)native_refuse("%s has %zu numbers, not %zu", what, array.length, self->state_size);
    }
    native_array_release(&array);
    return fit;
}

/* Puts arguments where their names say; false with an exception for one that has no place. */
static bool place(const char *const *names, size_t places, PyObject **slots,
                  PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    const Py_ssize_t named = keywords != NULL ? PyTuple_Size(keywords) : 0;
    if ((size_t)(count + named) > places) {
        (void)native_refuse("%zd arguments, where %zu are the most", count + named, places);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        slots[i] = arguments[i];
    }
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        size_t at = 0;
        while (at < places && PyUnicode_CompareWithASCIIString(name, names[at]) != 0) {
            at++;
        }
        if (at == places || slots[at] != NULL) {
            PyErr_Format(PyExc_TypeError, "argument %R is %s", name,
                         at == places ? "unknown" : "given twice");
            return false;
        }
        slots[at] = arguments[count + i];
    }
    return true;
}

static PyObject *act(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords) {
    native_session *self = native_session_enter(object);
    if (self == NULL) {
        return NULL;
    }
    size_t action = 0;
    xp_error error;
    xp_status status;
    if (self->brief && count == 0 && keywords == NULL) {
        status = xp_session_act(self->session, NULL, &action, &error);
    } else {
        PyObject *state = NULL;
        if (!place((const char *const[]){"state"}, 1, &state, arguments, count, keywords) ||
            !state_of(self, state, "state", self->state)) {
            return NULL;
        }
        self->acted = self->state_size > 0;
        NATIVE_LONG_CALL(self,
                         status = xp_session_act(self->session, self->state, &action, &error));
    }
    return status == XP_OK ? label_of(self, action) : native_raise(status, &error);
}

enum { ACTION, REWARD, NEXT_STATE, HAS_ENDED, WAS_CUT, STATE, PLACES };
static const char *const places[PLACES] = {"action",     "reward",    "next_state",
                                           "terminated", "truncated", "state"};

/* A truth value of an argument that may be absent; -1 with an exception. */
static int truth(PyObject *given) {
    return given == NULL ? 0 : PyObject_IsTrue(given);
}

static PyObject *observe_step(native_session *self, PyObject *const *slots, xp_transition *seen) {
    const int ended = truth(slots[HAS_ENDED]), cut = truth(slots[WAS_CUT]);
    if (ended < 0 || cut < 0) {
        return NULL;
    }
    seen->end = ended ? XP_TERMINATED : cut ? XP_TRUNCATED : XP_CONTINUES;
    if (slots[STATE] != NULL && slots[STATE] != Py_None) {
        if (!state_of(self, slots[STATE], "state", self->state)) {
            return NULL;
        }
    } else if (!self->acted) {
        return native_refuse("in which state was the action taken? Call act first, or give it");
    }
    PyObject *given = slots[NEXT_STATE];
    const bool none = given == NULL || given == Py_None;
    double *next = self->state + self->state_size;
    seen->state = self->state;
    seen->next_state = next;
    if (none && seen->end == XP_TERMINATED) {
        seen->next_state = NULL;
    } else if (!state_of(self, given, "next_state", next)) {
        return NULL;
    }
    xp_error error;
    xp_status status;
    NATIVE_LONG_CALL(self, status = xp_session_observe(self->session, seen, &error));
    self->acted = self->acted && status != XP_OK;
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *observe(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords) {
    native_session *self = native_session_enter(object);
    PyObject *slots[PLACES] = {NULL};
    if (self == NULL || !place(places, PLACES, slots, arguments, count, keywords)) {
        return NULL;
    }
    if (slots[ACTION] == NULL || slots[REWARD] == NULL) {
        return native_refuse("observe takes an action and its reward");
    }
    xp_transition seen = {.end = XP_TERMINATED};
    if (!action_of(self, slots[ACTION], &seen.action)) {
        return NULL;
    }
    seen.reward = PyFloat_AsDouble(slots[REWARD]);
    if (seen.reward == -1 && PyErr_Occurred() != NULL) {
        PyErr_Clear();
        return native_refuse("the reward %R is not a number", slots[REWARD]);
    }
    if (self->state_size > 0) {
        return observe_step(self, slots, &seen);
    }
    if (!state_of(self, slots[NEXT_STATE], "next_state", NULL)) {
        return NULL;
    }
    xp_error error;
    xp_status status;
    if (self->brief) {
        status = xp_session_observe(self->session, &seen, &error);
    } else {
        NATIVE_LONG_CALL(self, status = xp_session_observe(self->session, &seen, &error));
    }
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *begin(PyObject *object, PyObject *given) {
    native_session *self = native_session_enter(object);
    if (self == NULL || !state_of(self, given, "state", self->state)) {
        return NULL;
    }
    xp_error error;
    xp_status status;
    self->acted = false;
    NATIVE_LONG_CALL(self, status = xp_session_begin(self->session, self->state, &error));
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *advise(PyObject *object, PyObject *given) {
    native_session *self = native_session_enter(object);
    double *state = self != NULL ? PyMem_Calloc(self->state_size + 1, sizeof *state) : NULL;
    if (state == NULL || !state_of(self, given, "state", state)) {
        PyMem_Free(state);
        return self == NULL || PyErr_Occurred() != NULL ? NULL : PyErr_NoMemory();
    }
    size_t action = 0;
    xp_error error;
    xp_status status;
    NATIVE_LONG_CALL(self, status = xp_session_advise(self->session, state, &action, &error));
    PyMem_Free(state);
    return status == XP_OK ? label_of(self, action) : native_raise(status, &error);
}

static PyObject *observe_sum(PyObject *object, PyObject *arguments) {
    native_session *self = native_session_enter(object);
    PyObject *given;
    unsigned long long trials;
    double sum, squares;
    size_t action;
    if (self == NULL || !PyArg_ParseTuple(arguments, "OKdd", &given, &trials, &sum, &squares) ||
        !action_of(self, given, &action)) {
        return NULL;
    }
    xp_error error;
    xp_status status;
    NATIVE_LONG_CALL(self, status = xp_session_observe_squares(self->session, action, trials, sum,
                                                               squares, &error));
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *law(PyObject *object, PyObject *arguments) {
    native_session *self = native_session_enter(object);
    PyObject *given, *out;
    Py_ssize_t draws;
    native_array probability = {.taken = false};
    if (self == NULL || !PyArg_ParseTuple(arguments, "OnO", &given, &draws, &out)) {
        return NULL;
    }
    double *state = PyMem_Calloc(self->state_size + 1, sizeof *state);
    size_t used = 0;
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (state != NULL && state_of(self, given, "state", state) &&
        native_array_doubles(out, "out", true, &probability) == 0) {
        if (probability.length != self->actions || draws < 0) {
            (void)native_refuse("out has one number per action, draws are not negative");
        } else {
            NATIVE_LONG_CALL(self, status = xp_session_law(self->session, state, (size_t)draws,
                                                           probability.items, &used, &error));
        }
    }
    native_array_release(&probability);
    PyMem_Free(state);
    return status == XP_OK ? PyLong_FromSize_t(used) : native_raise(status, &error);
}

static PyObject *reset(PyObject *object, PyObject *arguments) {
    native_session *self = native_session_enter(object);
    unsigned long long seed;
    xp_error error;
    if (self == NULL || !PyArg_ParseTuple(arguments, "K", &seed)) {
        return NULL;
    }
    const xp_status status = xp_session_reset(self->session, seed, &error);
    self->acted = false;
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *to_bytes(PyObject *object, PyObject *unused) {
    (void)unused;
    native_session *self = native_session_enter(object);
    if (self == NULL) {
        return NULL;
    }
    void *data = NULL;
    size_t bytes = 0;
    xp_error error;
    xp_status status;
    NATIVE_LONG_CALL(self, status = xp_session_to_bytes(self->session, &data, &bytes, &error));
    if (status != XP_OK) {
        return native_raise(status, &error);
    }
    PyObject *made = PyBytes_FromStringAndSize(data, (Py_ssize_t)bytes);
    xp_release(data);
    return made;
}

static PyObject *save(PyObject *object, PyObject *argument) {
    native_session *self = native_session_enter(object);
    PyObject *path = self != NULL ? native_path(argument) : NULL;
    if (path == NULL) {
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    xp_error error;
    xp_status status;
    NATIVE_LONG_CALL(self, status = xp_session_save(self->session, name, &error));
    Py_DECREF(path);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *describe(PyObject *object, PyObject *unused) {
    (void)unused;
    native_session *self = native_session_enter(object);
    if (self == NULL) {
        return NULL;
    }
    const xp_session_info info = xp_session_describe(self->session);
    return Py_BuildValue(
        "{s:s,s:z,s:z,s:n,s:K,s:K,s:O,s:z,s:z,s:n,s:n}", "agent", info.agent, "sampler",
        info.sampler, "kind", info.kind, "episodes", (Py_ssize_t)info.episodes, "observations",
        (unsigned long long)info.observations, "episodes_begun",
        (unsigned long long)info.episodes_begun, "within_episode",
        info.within_episode ? Py_True : Py_False, "segment", info.segment, "rewards", info.rewards,
        "actions", (Py_ssize_t)self->actions, "state_size", (Py_ssize_t)self->state_size);
}

#define FAST(function) (PyCFunction)(void (*)(void)) function
static PyMethodDef methods[] = {
    {"_open", native_session_open, METH_VARARGS, "Makes a new session."},
    {"_restore", native_session_restore, METH_VARARGS, "Reads a session's bytes."},
    {"_act_batch", native_session_act_batch, METH_O, "Actions of a bandit, before their rewards."},
    {"_observe_batch", FAST(native_session_observe_batch), METH_FASTCALL,
     "Rewards of a bandit's actions."},
    {"_observe_sum", observe_sum, METH_VARARGS, "Rewards known by their sum."},
    {"_law", law, METH_VARARGS, "The probability of each action."},
    {"_draw_means", native_session_draw_means, METH_VARARGS, "Mean rewards from the posterior."},
    {"_policies", native_session_policies, METH_NOARGS, "Weights of the policies it may act by."},
    {"_begin", begin, METH_O, "Starts an episode."},
    {"_advise", advise, METH_O, "The action of one who no longer explores."},
    {"_reset", reset, METH_VARARGS, "Starts over in a new task."},
    {"_save", save, METH_O, "Writes the session's file."},
    {"act", FAST(act), METH_FASTCALL | METH_KEYWORDS,
     "act(state=None)\n--\n\nThe agent's action; a task with states needs the state."},
    {"observe", FAST(observe), METH_FASTCALL | METH_KEYWORDS,
     "observe(action, reward, next_state=None, terminated=False, truncated=False, state=None)\n"
     "--\n\nWhat came of an action. Rewards may come late and in any order in a bandit. A task "
     "with states needs the next state and how the episode stands; the state is the one last acted "
     "in, unless it is given."},
    {"to_bytes", to_bytes, METH_NOARGS, "The bytes of the session's file."},
    {"close", native_session_close, METH_NOARGS,
     "Frees what the session holds; it is of no use then."},
    {"describe", describe, METH_NOARGS, "What the session is, as a dict."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"experior._core.Session", sizeof(native_session), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int native_session_init(PyObject *module) {
    return native_add_type(module, &spec, &native_session_type);
}
