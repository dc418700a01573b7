/* model.c: models as objects of the module. A model never changes, so threads may share one. */
#include "native.h"

#include <math.h>

PyTypeObject *native_model_type;

static PyObject *wrap(xp_model *model) {
    native_model *self = PyObject_New(native_model, native_model_type);
    if (self == NULL) {
        xp_model_destroy(model);
        return NULL;
    }
    self->model = model;
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    xp_model_destroy(((native_model *)object)->model);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* What a fit stands on, of which most may be absent. */
typedef struct fit_inputs {
    const char *agent;
    const xp_demos *demos;
    const xp_choices *choices;
    const xp_env *env;
    bool by;
    native_space space;
    native_progress watch;
    xp_model_options options;
} fit_inputs;

static xp_status fit_one(const fit_inputs *inputs, xp_model **model, xp_error *error) {
    if (inputs->by) {
        return xp_model_fit_segments(inputs->agent, inputs->choices, &inputs->options, model,
                                     error);
    }
    if (inputs->env != NULL) {
        return xp_model_fit_env(inputs->agent, inputs->env, inputs->demos, &inputs->options, model,
                                error);
    }
    xp_demos *own = NULL;
    xp_status status = inputs->choices != NULL
                           ? xp_choices_demos(inputs->choices, XP_ALL_SEGMENTS, &own, error)
                           : XP_OK;
    if (status == XP_OK) {
        status = xp_model_fit(inputs->agent, inputs->space.space, own != NULL ? own : inputs->demos,
                              &inputs->options, model, error);
    }
    xp_demos_destroy(own);
    return status;
}

static PyObject *fit(PyObject *self, PyObject *arguments) {
    (void)self;
    fit_inputs inputs = {.options = xp_model_options_default()};
    PyObject *demos, *choices, *env, *space, *progress;
    int by;
    unsigned long long seed;
    Py_ssize_t threads;
    if (!PyArg_ParseTuple(arguments, "sOOOOpKnO", &inputs.agent, &demos, &choices, &env, &space,
                          &by, &seed, &threads, &progress)) {
        return NULL;
    }
    if ((demos != Py_None && !PyObject_TypeCheck(demos, native_demos_type)) ||
        (choices != Py_None && !PyObject_TypeCheck(choices, native_choices_type)) ||
        (env != Py_None && !PyObject_TypeCheck(env, native_env_type)) ||
        (by && choices == Py_None)) {
        return native_refuse("a fit takes demonstrations, choices and an environment");
    }
    if (native_space_init(&inputs.space, space) != 0) {
        return NULL;
    }
    inputs.demos = demos != Py_None ? ((native_demos *)demos)->demos : NULL;
    inputs.choices = choices != Py_None ? ((native_choices *)choices)->choices : NULL;
    inputs.env = env != Py_None ? ((native_env *)env)->env : NULL;
    inputs.by = by != 0;
    inputs.watch.callable = progress;
    inputs.options.seed = seed;
    inputs.options.threads = threads > 0 ? (size_t)threads : 0;
    inputs.options.source = inputs.choices;
    inputs.options.progress = native_progress_tell;
    inputs.options.progress_context = &inputs.watch;
    xp_model *model = NULL;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = fit_one(&inputs, &model, &error);
    Py_END_ALLOW_THREADS;
    native_space_deinit(&inputs.space);
    return status == XP_OK ? wrap(model) : native_raise(status, &error);
}

static PyObject *load(PyObject *self, PyObject *argument) {
    (void)self;
    PyObject *path = native_path(argument);
    if (path == NULL) {
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    xp_model *model = NULL;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = xp_model_load(name, &model, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return status == XP_OK ? wrap(model) : native_raise(status, &error);
}

static PyObject *parse(PyObject *self, PyObject *arguments) {
    (void)self;
    const char *data, *name;
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(arguments, "y#s", &data, &bytes, &name)) {
        return NULL;
    }
    xp_model *model = NULL;
    xp_error error;
    const xp_status status = xp_model_parse(data, (size_t)bytes, name, &model, &error);
    return status == XP_OK ? wrap(model) : native_raise(status, &error);
}

static const xp_model *model_of(PyObject *object) {
    return ((native_model *)object)->model;
}

static PyObject *save(PyObject *object, PyObject *argument) {
    PyObject *path = native_path(argument);
    if (path == NULL) {
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = xp_model_save(model_of(object), name, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return status == XP_OK ? Py_NewRef(Py_None) : native_raise(status, &error);
}

static PyObject *to_bytes(PyObject *object, PyObject *unused) {
    (void)unused;
    void *data = NULL;
    size_t bytes = 0;
    xp_error error;
    const xp_status status = xp_model_to_bytes(model_of(object), &data, &bytes, &error);
    if (status != XP_OK) {
        return native_raise(status, &error);
    }
    PyObject *made = PyBytes_FromStringAndSize(data, (Py_ssize_t)bytes);
    xp_release(data);
    return made;
}

static PyObject *names_of(const xp_model *model, size_t actions) {
    if (xp_model_action_name(model, 0) == NULL) {
        return Py_NewRef(Py_None);
    }
    PyObject *names = PyTuple_New((Py_ssize_t)actions);
    for (size_t a = 0; names != NULL && a < actions; a++) {
        PyObject *name = PyUnicode_FromString(xp_model_action_name(model, a));
        if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)a, name) != 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

static PyObject *categories_of(const xp_space *space) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)space->state_size);
    for (size_t j = 0; tuple != NULL && j < space->state_size; j++) {
        (void)PyTuple_SetItem(tuple, (Py_ssize_t)j, PyLong_FromSize_t(space->categories[j]));
    }
    return tuple;
}

static PyObject *describe(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_model *model = model_of(object);
    const xp_model_info info = xp_model_describe(model);
    PyObject *names = names_of(model, info.space.actions);
    PyObject *categories = names != NULL ? categories_of(&info.space) : NULL;
    if (categories == NULL) {
        Py_XDECREF(names);
        return NULL;
    }
    return Py_BuildValue(
        "{s:n,s:N,s:N,s:n,s:s,s:z,s:z,s:K,s:n,s:K,s:s,s:s,s:z,s:z,s:z}", "actions",
        (Py_ssize_t)info.space.actions, "action_names", names, "categories", categories, "horizon",
        (Py_ssize_t)info.space.horizon, "agent", info.agent, "method", info.method, "params",
        info.params, "demonstrations", (unsigned long long)info.demonstrations, "distinct",
        (Py_ssize_t)info.distinct, "seed", (unsigned long long)info.seed, "version", info.version,
        "machine", info.machine, "environment", info.environment, "rewards", info.rewards,
        "warning", xp_model_warning(model));
}

static PyObject *diagnose(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_model_diagnosis found = xp_model_diagnose(model_of(object));
    return Py_BuildValue("{s:O,s:n,s:d,s:d,s:d,s:d,s:d,s:z,s:n,s:n,s:n}", "converged",
                         found.converged ? Py_True : Py_False, "iterations",
                         (Py_ssize_t)found.iterations, "lambda", found.lambda, "divergence",
                         found.divergence, "duality_gap", found.duality_gap, "log_likelihood",
                         found.log_likelihood, "effective", found.effective, "effective_of",
                         found.effective_of, "networks", (Py_ssize_t)found.networks, "inputs",
                         (Py_ssize_t)found.inputs, "hidden", (Py_ssize_t)found.hidden);
}

static PyObject *action_counts(PyObject *object, PyObject *argument) {
    native_array array = {.taken = false};
    const xp_model *model = model_of(object);
    if (native_array_sizes(argument, "counts", true, &array) != 0) {
        return NULL;
    }
    const bool fits = array.length == xp_model_describe(model).space.actions;
    if (fits) {
        xp_model_action_counts(model, array.items);
    }
    native_array_release(&array);
    return fits ? Py_NewRef(Py_None) : native_refuse("counts has one number per action");
}

static PyObject *segments(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_model *model = model_of(object);
    const size_t count = xp_model_segments(model);
    const size_t actions = xp_model_describe(model).space.actions;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        const xp_segment one = xp_model_segment(model, i);
        PyObject *made = Py_BuildValue("{s:s,s:K,s:d,s:d,s:N,s:N}", "name", one.name, "choices",
                                       (unsigned long long)one.choices, "own", one.own, "effective",
                                       one.effective, "target",
                                       native_bytes(one.target, actions, sizeof(double)), "counts",
                                       native_bytes(one.counts, actions, sizeof(uint64_t)));
        if (made == NULL || PyList_SetItem(list, (Py_ssize_t)i, made) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *pooling(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_pooling found = xp_model_pooling(model_of(object));
    return Py_BuildValue("{s:n,s:d,s:d,s:d,s:d,s:d,s:d}", "segments", (Py_ssize_t)found.segments,
                         "strength", found.strength, "strength_low", found.strength_low,
                         "strength_high", found.strength_high, "none", found.none, "full",
                         found.full, "estimated", found.estimated);
}

static PyObject *segment(PyObject *object, PyObject *arguments) {
    const char *name;
    xp_model *made = NULL;
    xp_error error;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    const xp_status status = xp_model_segment_create(model_of(object), name, &made, &error);
    return status == XP_OK ? wrap(made) : native_raise(status, &error);
}

static PyObject *action_find(PyObject *object, PyObject *arguments) {
    const char *name;
    size_t action;
    xp_error error;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    const xp_status status = xp_model_action_find(model_of(object), name, &action, &error);
    return status == XP_OK ? PyLong_FromSize_t(action) : native_raise(status, &error);
}

static PyObject *evidence(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_model_evidence known = xp_model_recall(model_of(object));
    return Py_BuildValue(
        "{s:K,s:K,s:d,s:n,s:d,s:d,s:d,s:d}", "rows", (unsigned long long)known.rows, "dropped",
        (unsigned long long)known.dropped, "choices", known.choices, "experts",
        (Py_ssize_t)known.agreement.experts, "agreement_p_value", known.agreement.p_value,
        "design_effect", known.agreement.design_effect, "drift_p_value", known.drift.p_value,
        "stickiness", known.drift.stickiness);
}

static PyMethodDef methods[] = {
    {"save", save, METH_O, "Writes the model's file."},
    {"to_bytes", to_bytes, METH_NOARGS, "The bytes of its file."},
    {"describe", describe, METH_NOARGS, "What it is."},
    {"diagnose", diagnose, METH_NOARGS, "How its fit ended."},
    {"evidence", evidence, METH_NOARGS, "What is known of its table."},
    {"action_counts", action_counts, METH_O, "Times each action was demonstrated."},
    {"action_find", action_find, METH_VARARGS, "Number of the action so written."},
    {"segments", segments, METH_NOARGS, "Its segments."},
    {"pooling", pooling, METH_NOARGS, "How much segments have in common."},
    {"segment", segment, METH_VARARGS, "A model of one segment."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {
    {"model_fit", fit, METH_VARARGS, "Fits a model."},
    {"model_load", load, METH_O, "Reads a model's file."},
    {"model_parse", parse, METH_VARARGS, "Reads the bytes of such a file."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"experior._core.Model", sizeof(native_model), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int native_model_init(PyObject *module) {
    return native_add_type(module, &spec, &native_model_type) == 0
               ? PyModule_AddFunctions(module, functions)
               : -1;
}
