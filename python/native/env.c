/* env.c: the library's environments and their tasks, as objects of the module. A task has a stream
 * of its own. */
#include "native.h"

PyTypeObject *native_env_type, *native_task_type;

typedef struct native_task {
    PyObject_HEAD xp_task *task;
    PyObject *env;
    xp_rng rng;
    size_t actions, state_size;
    bool drawn, running;
} native_task;

static void env_dealloc(PyObject *object) {
    native_env *self = (native_env *)object;
    PyTypeObject *type = Py_TYPE(object);
    xp_expert_destroy(self->expert);
    xp_env_destroy(self->env);
    Py_XDECREF(self->family);
    Py_XDECREF(self->name);
    Py_XDECREF(self->raised_type);
    Py_XDECREF(self->raised_value);
    Py_XDECREF(self->raised_trace);
    PyMem_Free(self->categories);
    PyObject_Free(object);
    Py_DECREF(type);
}

static void task_dealloc(PyObject *object) {
    native_task *self = (native_task *)object;
    PyTypeObject *type = Py_TYPE(object);
    xp_task_destroy(self->task);
    Py_XDECREF(self->env);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *env_create(PyObject *self, PyObject *arguments) {
    (void)self;
    const char *spec;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "sK", &spec, &seed)) {
        return NULL;
    }
    xp_rng rng = xp_rng_seed(seed);
    xp_env *env = NULL;
    xp_error error;
    const xp_status status = xp_env_create(spec, &rng, &env, &error);
    if (status != XP_OK) {
        return native_raise(status, &error);
    }
    native_env *made = PyObject_New(native_env, native_env_type);
    if (made == NULL) {
        xp_env_destroy(env);
        return NULL;
    }
    made->env = env;
    made->family = made->name = made->raised_type = made->raised_value = made->raised_trace = NULL;
    made->categories = NULL;
    made->expert = NULL;
    return (PyObject *)made;
}

static PyObject *env_describe(PyObject *object, PyObject *unused) {
    (void)unused;
    const xp_env_info info = xp_env_describe(((native_env *)object)->env);
    PyObject *categories = PyTuple_New((Py_ssize_t)info.state_size);
    for (size_t j = 0; categories != NULL && j < info.state_size; j++) {
        (void)PyTuple_SetItem(categories, (Py_ssize_t)j, PyLong_FromSize_t(info.categories[j]));
    }
    return categories != NULL
               ? Py_BuildValue("{s:s,s:n,s:n,s:N,s:n}", "name", info.name, "actions",
                               (Py_ssize_t)info.actions, "horizon", (Py_ssize_t)info.horizon,
                               "categories", categories, "contexts", (Py_ssize_t)info.contexts)
               : NULL;
}

/* Demonstrations of an expert, who is one of the library's by spec, or NULL for the family's. */
static PyObject *demonstrate(PyObject *object, PyObject *arguments) {
    native_env *self = (native_env *)object;
    const char *spec;
    unsigned long long count, seed;
    if (!PyArg_ParseTuple(arguments, "zKK", &spec, &count, &seed)) {
        return NULL;
    }
    if (spec == NULL && self->expert == NULL) {
        return native_refuse("no expert was given");
    }
    xp_expert *expert = NULL;
    xp_demos *demos = NULL;
    xp_error error;
    xp_status status;
    xp_rng rng = xp_rng_seed(seed);
    Py_BEGIN_ALLOW_THREADS;
    status = spec != NULL ? xp_expert_create(spec, &expert, &error) : XP_OK;
    if (status == XP_OK) {
        status = xp_demos_draw(self->env, spec != NULL ? expert : self->expert, count, &rng, &demos,
                               &error);
    }
    xp_expert_destroy(expert);
    Py_END_ALLOW_THREADS;
    if (status != XP_OK) {
        return native_env_raise(self, status, &error);
    }
    native_demos *made = PyObject_New(native_demos, native_demos_type);
    if (made == NULL) {
        xp_demos_destroy(demos);
        return NULL;
    }
    made->demos = demos;
    return (PyObject *)made;
}

static PyObject *task_create(PyObject *object, PyObject *unused) {
    (void)unused;
    native_env *env = (native_env *)object;
    xp_task *task = NULL;
    xp_error error;
    const xp_status status = xp_task_create(env->env, &task, &error);
    if (status != XP_OK) {
        return native_env_raise(env, status, &error);
    }
    native_task *made = PyObject_New(native_task, native_task_type);
    if (made == NULL) {
        xp_task_destroy(task);
        return NULL;
    }
    const xp_env_info info = xp_env_describe(env->env);
    made->task = task;
    made->env = Py_NewRef(object);
    made->rng = xp_rng_seed(1);
    made->actions = info.actions;
    made->state_size = info.state_size;
    made->drawn = made->running = false;
    return (PyObject *)made;
}

static PyObject *task_draw(PyObject *object, PyObject *arguments) {
    native_task *self = (native_task *)object;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "K", &seed)) {
        return NULL;
    }
    self->rng = xp_rng_seed(seed);
    xp_task_draw(self->task, &self->rng);
    self->drawn = true;
    self->running = false;
    return Py_NewRef(Py_None);
}

/* The caller's array for a state. */
static int state_array(const native_task *self, PyObject *out, native_array *state) {
    if (native_array_doubles(out, "state", true, state) != 0) {
        return -1;
    }
    if (state->length != self->state_size) {
        (void)native_refuse("state has %zu numbers, not %zu", state->length, self->state_size);
        native_array_release(state);
        return -1;
    }
    return 0;
}

static PyObject *task_reset(PyObject *object, PyObject *out) {
    native_task *self = (native_task *)object;
    native_array state = {.taken = false};
    if (!self->drawn) {
        return native_refuse("draw a task before its first episode");
    }
    if (state_array(self, out, &state) != 0) {
        return NULL;
    }
    xp_task_reset(self->task, &self->rng, state.items);
    self->running = true;
    native_array_release(&state);
    return Py_NewRef(Py_None);
}

static PyObject *task_step(PyObject *object, PyObject *arguments) {
    native_task *self = (native_task *)object;
    Py_ssize_t action;
    PyObject *out;
    native_array state = {.taken = false};
    if (!PyArg_ParseTuple(arguments, "nO", &action, &out)) {
        return NULL;
    }
    if (!self->running) {
        return native_refuse("the episode is over, or none has begun: reset first");
    }
    if (action < 0 || (size_t)action >= self->actions) {
        return native_refuse("action %zd is not one of 0 to %zu", action, self->actions - 1);
    }
    if (state_array(self, out, &state) != 0) {
        return NULL;
    }
    const xp_step step = xp_task_step(self->task, &self->rng, (size_t)action, state.items);
    self->running = step.end == XP_CONTINUES;
    native_array_release(&state);
    return Py_BuildValue("(ddi)", step.reward, step.regret, (int)step.end);
}

static PyMethodDef env_methods[] = {
    {"describe", env_describe, METH_NOARGS, "What a learner may know of it."},
    {"demonstrate", demonstrate, METH_VARARGS, "Demonstrations of an expert."},
    {"task", task_create, METH_NOARGS, "A task, not drawn yet."},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef task_methods[] = {
    {"draw", task_draw, METH_VARARGS, "Draws a hidden context, from a seed."},
    {"reset", task_reset, METH_O, "Starts an episode and writes its first state."},
    {"step", task_step, METH_VARARGS, "Takes an action and writes the next state."},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef functions[] = {
    {"env_create", env_create, METH_VARARGS, "One of the library's environments."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot env_slots[] = {
    {Py_tp_dealloc, env_dealloc}, {Py_tp_methods, env_methods}, {0, NULL}};
static PyType_Spec env_spec = {"experior._core.Env", sizeof(native_env), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, env_slots};
static PyType_Slot task_slots[] = {
    {Py_tp_dealloc, task_dealloc}, {Py_tp_methods, task_methods}, {0, NULL}};
static PyType_Spec task_spec = {"experior._core.Task", sizeof(native_task), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, task_slots};

int native_env_init(PyObject *module) {
    return native_add_type(module, &env_spec, &native_env_type) == 0 &&
                   native_add_type(module, &task_spec, &native_task_type) == 0
               ? PyModule_AddFunctions(module, functions)
               : -1;
}
