/* data.c: demonstrations and tables of choices, as objects of the module. */
#include "native.h"

#include <string.h>

PyTypeObject *native_demos_type, *native_choices_type;

static PyObject *wrap_demos(xp_demos *demos) {
    native_demos *self = PyObject_New(native_demos, native_demos_type);
    if (self == NULL) {
        xp_demos_destroy(demos);
        return NULL;
    }
    self->demos = demos;
    return (PyObject *)self;
}

static PyObject *wrap_choices(xp_choices *choices) {
    native_choices *self = PyObject_New(native_choices, native_choices_type);
    if (self == NULL) {
        xp_choices_destroy(choices);
        return NULL;
    }
    self->choices = choices;
    return (PyObject *)self;
}

static void free_object(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_Free(object);
    Py_DECREF(type);
}

static void demos_dealloc(PyObject *object) {
    xp_demos_destroy(((native_demos *)object)->demos);
    free_object(object);
}

static void choices_dealloc(PyObject *object) {
    xp_choices_destroy(((native_choices *)object)->choices);
    free_object(object);
}

static PyObject *demos_create(PyObject *self, PyObject *arguments) {
    (void)self;
    Py_ssize_t state_size, actions;
    xp_demos *demos;
    xp_error error;
    if (!PyArg_ParseTuple(arguments, "nn", &state_size, &actions)) {
        return NULL;
    }
    if (state_size < 0 || actions < 0) {
        return native_refuse("sizes of demonstrations are not negative");
    }
    const xp_status status = xp_demos_create((size_t)state_size, (size_t)actions, &demos, &error);
    return status == XP_OK ? wrap_demos(demos) : native_raise(status, &error);
}

static PyObject *demos_load(PyObject *self, PyObject *argument) {
    (void)self;
    PyObject *path = native_path(argument);
    if (path == NULL) {
        return NULL;
    }
    xp_demos *demos;
    xp_error error;
    xp_status status;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS;
    status = xp_demos_load(name, &demos, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return status == XP_OK ? wrap_demos(demos) : native_raise(status, &error);
}

/* Actions come as int64 and are narrowed to the library's numbers. */
static uint32_t *narrow(const native_array *actions) {
    uint32_t *numbers = PyMem_Calloc(actions->length + 1, sizeof *numbers);
    if (numbers == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    const int64_t *items = actions->items;
    for (size_t i = 0; i < actions->length; i++) {
        if (items[i] < 0 || items[i] >= 1000000) {
            PyMem_Free(numbers);
            (void)native_refuse("action %lld of step %zu is not from 0 to 999999",
                                (long long)items[i], i);
            return NULL;
        }
        numbers[i] = (uint32_t)items[i];
    }
    return numbers;
}

static PyObject *demos_add(PyObject *object, PyObject *arguments) {
    xp_demos *demos = ((native_demos *)object)->demos;
    PyObject *states, *actions;
    unsigned long long count;
    native_array state_array = {.taken = false}, action_array = {.taken = false};
    if (!PyArg_ParseTuple(arguments, "OOK", &states, &actions, &count)) {
        return NULL;
    }
    const size_t size = xp_demos_state_size(demos);
    uint32_t *numbers = NULL;
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (native_array_sizes(actions, "actions", false, &action_array) == 0 &&
        (size == 0 || native_array_doubles(states, "states", false, &state_array) == 0)) {
        if (size > 0 && state_array.length != size * action_array.length) {
            (void)native_refuse("%zu numbers of states for %zu actions, with %zu numbers each",
                                state_array.length, action_array.length, size);
        } else if ((numbers = narrow(&action_array)) != NULL) {
            status = xp_demos_add(demos, size > 0 ? state_array.items : NULL, numbers,
                                  action_array.length, count, &error);
        }
    }
    PyMem_Free(numbers);
    native_array_release(&state_array);
    native_array_release(&action_array);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *demos_trajectory(PyObject *object, PyObject *argument) {
    const xp_demos *demos = ((native_demos *)object)->demos;
    const size_t index = PyLong_AsSize_t(argument);
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    const xp_trajectory one = xp_demos_trajectory(demos, index);
    if (one.length == 0) {
        return native_refuse("there is no trajectory %zu", index);
    }
    return Py_BuildValue(
        "(NNK)", native_bytes(one.states, one.length * xp_demos_state_size(demos), sizeof(double)),
        native_bytes(one.actions, one.length, sizeof(uint32_t)), (unsigned long long)one.count);
}

static PyObject *demos_describe(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_demos *demos = ((native_demos *)object)->demos;
    const size_t size = xp_demos_state_size(demos);
    size_t *categories = PyMem_Calloc(size + 1, sizeof *categories);
    if (categories == NULL) {
        return PyErr_NoMemory();
    }
    const xp_env_info info = xp_demos_environment(demos, categories);
    PyObject *tuple = PyTuple_New((Py_ssize_t)size);
    for (size_t j = 0; tuple != NULL && j < size; j++) {
        (void)PyTuple_SetItem(tuple, (Py_ssize_t)j, PyLong_FromSize_t(categories[j]));
    }
    PyMem_Free(categories);
    return tuple != NULL
               ? Py_BuildValue("{s:n,s:n,s:K,s:n,s:n,s:N}", "actions",
                               (Py_ssize_t)xp_demos_actions(demos), "state_size", (Py_ssize_t)size,
                               "count", (unsigned long long)xp_demos_count(demos), "distinct",
                               (Py_ssize_t)xp_demos_distinct(demos), "longest",
                               (Py_ssize_t)info.horizon, "categories", tuple)
               : NULL;
}

static PyObject *demos_save(PyObject *object, PyObject *arguments) {
    PyObject *target;
    int jsonl;
    if (!PyArg_ParseTuple(arguments, "Op", &target, &jsonl)) {
        return NULL;
    }
    PyObject *path = native_path(target);
    if (path == NULL) {
        return NULL;
    }
    xp_error error;
    const xp_status status = xp_demos_save(((native_demos *)object)->demos, PyBytes_AsString(path),
                                           jsonl ? XP_DEMOS_JSONL : XP_DEMOS_CSV, &error);
    Py_DECREF(path);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyMethodDef demos_methods[] = {
    {"add", demos_add, METH_VARARGS, "Adds a trajectory so many times."},
    {"trajectory", demos_trajectory, METH_O, "States, actions and count of a distinct one."},
    {"describe", demos_describe, METH_NOARGS, "Sizes and counts."},
    {"save", demos_save, METH_VARARGS, "Writes a file."},
    {NULL, NULL, 0, NULL},
};

/* Reads a table from a path, or from text in memory; trajectories come back as Demos. */
static PyObject *choices_read(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *source, *progress;
    int in_memory, no_header, exact;
    Py_ssize_t arms;
    xp_choices_options options = xp_choices_options_default();
    if (!PyArg_ParseTuple(arguments, "OpzzzzznppO", &source, &in_memory, &options.action,
                          &options.segment, &options.expert, &options.weight, &options.count, &arms,
                          &no_header, &exact, &progress)) {
        return NULL;
    }
    native_progress watch = {.callable = progress};
    options.arms = arms > 0 ? (size_t)arms : 0;
    options.no_header = no_header != 0;
    options.exact = exact != 0;
    options.progress = native_progress_tell;
    options.progress_context = &watch;
    PyObject *held = in_memory ? Py_NewRef(source) : native_path(source);
    char *text;
    Py_ssize_t bytes;
    if (held == NULL || PyBytes_AsStringAndSize(held, &text, &bytes) != 0) {
        Py_XDECREF(held);
        return NULL;
    }
    xp_choices *choices = NULL;
    xp_demos *trajectories = NULL;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = in_memory ? xp_choices_parse(text, (size_t)bytes, "the table", &options, &choices,
                                          &trajectories, &error)
                       : xp_choices_load(text, &options, &choices, &trajectories, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(held);
    return status != XP_OK   ? native_raise(status, &error)
           : choices != NULL ? wrap_choices(choices)
                             : wrap_demos(trajectories);
}

static PyObject *choices_create(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *segment_names, *arm_names, *counts;
    Py_ssize_t arms;
    if (!PyArg_ParseTuple(arguments, "OnOO", &segment_names, &arms, &arm_names, &counts)) {
        return NULL;
    }
    const char **segments = NULL, **names = NULL;
    native_array array = {.taken = false};
    size_t segment_count = 1, arm_count = arms > 0 ? (size_t)arms : 0;
    xp_choices *choices = NULL;
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (segment_names != Py_None) {
        segments = native_strings(segment_names, "segments", &segment_count);
    }
    if (arm_names != Py_None && PyErr_Occurred() == NULL) {
        names = native_strings(arm_names, "arms", &arm_count);
    }
    if (PyErr_Occurred() == NULL && native_array_sizes(counts, "counts", false, &array) == 0) {
        if (array.length != segment_count * arm_count) {
            (void)native_refuse("%zu counts for %zu segments of %zu arms", array.length,
                                segment_count, arm_count);
        } else {
            status = xp_choices_create(segment_count, segments, arm_count, names, array.items,
                                       &choices, &error);
        }
    }
    native_array_release(&array);
    PyMem_Free((void *)segments);
    PyMem_Free((void *)names);
    return status == XP_OK ? wrap_choices(choices) : native_raise(status, &error);
}

static PyObject *choices_describe(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_choices *choices = ((native_choices *)object)->choices;
    return Py_BuildValue("{s:n,s:n}", "arms", (Py_ssize_t)xp_choices_arms(choices), "segments",
                         (Py_ssize_t)xp_choices_segments(choices));
}

static PyMethodDef choices_methods[] = {
    {"describe", choices_describe, METH_NOARGS, "Its sizes."},
    {NULL, NULL, 0, NULL},
};

/* Actions and rewards of a history's file, each as bytes. */
static PyObject *history_of(const xp_history *history) {
    const size_t count = xp_history_count(history);
    PyObject *actions = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int64_t)));
    PyObject *rewards = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    if (actions == NULL || rewards == NULL) {
        Py_XDECREF(actions);
        Py_XDECREF(rewards);
        return NULL;
    }
    char *action_bytes = PyBytes_AsString(actions), *reward_bytes = PyBytes_AsString(rewards);
    for (size_t i = 0; i < count; i++) {
        const int64_t action = (int64_t)xp_history_action(history, i);
        const double reward = xp_history_reward(history, i);
        memcpy(action_bytes + i * sizeof action, &action, sizeof action);
        memcpy(reward_bytes + i * sizeof reward, &reward, sizeof reward);
    }
    return Py_BuildValue("(NN)", actions, rewards);
}

static PyObject *history_load(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *path, *names;
    Py_ssize_t actions;
    if (!PyArg_ParseTuple(arguments, "O&nO", PyUnicode_FSConverter, &path, &actions, &names)) {
        return NULL;
    }
    size_t named = (size_t)actions;
    const char **strings = names != Py_None ? native_strings(names, "names", &named) : NULL;
    xp_history *history = NULL;
    xp_error error;
    xp_status status = XP_ERR_INPUT;
    if (PyErr_Occurred() == NULL && named != (size_t)actions) {
        (void)native_refuse("%zu names for %zd actions", named, actions);
    } else if (PyErr_Occurred() == NULL) {
        status = xp_history_load(PyBytes_AsString(path), named, strings, &history, &error);
    }
    PyMem_Free((void *)strings);
    Py_DECREF(path);
    PyObject *made = status == XP_OK ? history_of(history) : native_raise(status, &error);
    xp_history_destroy(history);
    return made;
}

static PyMethodDef functions[] = {
    {"history_load", history_load, METH_VARARGS, "Actions and rewards of a history's file."},
    {"demos_create", demos_create, METH_VARARGS, "Empty demonstrations."},
    {"demos_load", demos_load, METH_O, "Demonstrations from a file."},
    {"choices_read", choices_read, METH_VARARGS, "A table of choices, or trajectories."},
    {"choices_create", choices_create, METH_VARARGS, "A table of choices from counts."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot demos_slots[] = {
    {Py_tp_dealloc, demos_dealloc}, {Py_tp_methods, demos_methods}, {0, NULL}};
static PyType_Spec demos_spec = {"experior._core.Demos", sizeof(native_demos), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 demos_slots};
static PyType_Slot choices_slots[] = {
    {Py_tp_dealloc, choices_dealloc}, {Py_tp_methods, choices_methods}, {0, NULL}};
static PyType_Spec choices_spec = {"experior._core.Choices", sizeof(native_choices), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   choices_slots};

int native_data_init(PyObject *module) {
    return native_add_type(module, &demos_spec, &native_demos_type) == 0 &&
                   native_add_type(module, &choices_spec, &native_choices_type) == 0
               ? PyModule_AddFunctions(module, functions)
               : -1;
}
