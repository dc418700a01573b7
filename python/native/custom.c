/* custom.c: families of tasks that are written in Python, as environments of the library.
 *
 * The family is a Python object with the methods task(), which makes one task, and of the task
 * draw(seed), reset(seed) → state, step(action) → (state, reward, end) and expert(seed) → action.
 * The library may call from a thread of its own, so every callback takes the interpreter's lock. An
 * exception is kept and raised when the library's call has come back. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

typedef struct own_task {
    PyObject *object;
    native_env *env;
    size_t state_size;
} own_task;

/* Keeps what is raised now, unless something is kept already, and says so to the library. */
static xp_status keep(native_env *env, xp_error *error) {
    if (env->raised_type == NULL) {
        PyErr_Fetch(&env->raised_type, &env->raised_value, &env->raised_trace);
    } else {
        PyErr_Clear();
    }
    return xp_error_set(error, XP_ERR_INPUT, "the environment raised an exception");
}

PyObject *native_env_raise(native_env *env, xp_status status, const xp_error *error) {
    if (env != NULL && env->raised_type != NULL && PyErr_Occurred() == NULL) {
        PyErr_Restore(env->raised_type, env->raised_value, env->raised_trace);
        env->raised_type = env->raised_value = env->raised_trace = NULL;
        return NULL;
    }
    return native_raise(status, error);
}

static void *task_create(void *context) {
    native_env *env = context;
    own_task *made = calloc(1, sizeof *made);
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *object = made != NULL ? PyObject_CallMethod(env->family, "task", NULL) : NULL;
    if (object == NULL) {
        (void)keep(env, NULL);
        free(made);
        made = NULL;
    } else {
        *made = (own_task){
            .object = object, .env = env, .state_size = xp_env_describe(env->env).state_size};
    }
    PyGILState_Release(held);
    return made;
}

static void task_destroy(void *task) {
    own_task *self = task;
    const PyGILState_STATE held = PyGILState_Ensure();
    Py_DECREF(self->object);
    PyGILState_Release(held);
    free(self);
}

static bool copy_state(const own_task *self, PyObject *given, double *state) {
    if (self->state_size == 0) {
        return true;
    }
    native_array array = {.taken = false};
    if (native_array_doubles(given, "state", false, &array) != 0) {
        return false;
    }
    const bool fit = array.length == self->state_size;
    if (fit) {
        memcpy(state, array.items, self->state_size * sizeof *state);
    } else {
        (void)native_refuse("the state has %zu numbers, not %zu", array.length, self->state_size);
    }
    native_array_release(&array);
    return fit;
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    own_task *self = task;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *done =
        PyObject_CallMethod(self->object, "draw", "K", (unsigned long long)xp_rng_bits(rng) >> 1);
    const xp_status status = done != NULL ? XP_OK : keep(self->env, error);
    Py_XDECREF(done);
    PyGILState_Release(held);
    return status;
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    own_task *self = task;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *first =
        PyObject_CallMethod(self->object, "reset", "K", (unsigned long long)xp_rng_bits(rng) >> 1);
    const xp_status status =
        first != NULL && copy_state(self, first, state) ? XP_OK : keep(self->env, error);
    Py_XDECREF(first);
    PyGILState_Release(held);
    return status;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)rng; /* the task's own stream began with its episode */
    own_task *self = task;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *result = PyObject_CallMethod(self->object, "step", "n", (Py_ssize_t)action), *next;
    int end = 0;
    const bool good = result != NULL &&
                      PyArg_ParseTuple(result, "Odi", &next, &outcome->reward, &end) &&
                      copy_state(self, next, state);
    outcome->end = (xp_end)end;
    const xp_status status = good ? XP_OK : keep(self->env, error);
    Py_XDECREF(result);
    PyGILState_Release(held);
    return status;
}

static xp_status expert_act(void *context, xp_rng *rng, const xp_task *task, const double *state,
                            size_t *action, xp_error *error) {
    (void)state; /* the task knows where it is */
    native_env *env = context;
    const own_task *self = xp_task_custom(task);
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *chosen =
        PyObject_CallMethod(self->object, "expert", "K", (unsigned long long)xp_rng_bits(rng) >> 1);
    if (chosen != NULL) {
        *action = PyLong_AsSize_t(chosen);
        Py_DECREF(chosen);
    }
    const xp_status status = PyErr_Occurred() == NULL ? XP_OK : keep(env, error);
    PyGILState_Release(held);
    return status;
}

/* env_custom(family, name, space, has_expert, rewards) */
static PyObject *env_custom(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *family, *name, *space_given;
    int has_expert;
    xp_env_custom custom = xp_env_custom_default();
    native_space space;
    if (!PyArg_ParseTuple(arguments, "OSOpz", &family, &name, &space_given, &has_expert,
                          &custom.rewards) ||
        native_space_init(&space, space_given) != 0) {
        return NULL;
    }
    native_env *self = space.space != NULL ? PyObject_New(native_env, native_env_type) : NULL;
    if (self == NULL) {
        return PyErr_Occurred() != NULL ? NULL : native_refuse("a family of tasks has a space");
    }
    self->env = NULL;
    self->expert = NULL;
    self->family = Py_NewRef(family);
    self->name = Py_NewRef(name);
    self->raised_type = self->raised_value = self->raised_trace = NULL;
    self->categories = space.categories;
    space.categories = NULL;
    custom.name = PyBytes_AsString(self->name);
    custom.actions = space.value.actions;
    custom.state_size = space.value.state_size;
    custom.categories = custom.state_size > 0 ? self->categories : NULL;
    custom.horizon = space.value.horizon;
    custom.context = self;
    custom.task_create = task_create;
    custom.task_destroy = task_destroy;
    custom.task_draw = task_draw;
    custom.task_reset = task_reset;
    custom.task_step = task_step;
    native_space_deinit(&space);
    xp_error error;
    xp_status status = xp_env_create_custom(&custom, &self->env, &error);
    if (status == XP_OK && has_expert) {
        status = xp_expert_create_custom("the expert", expert_act, self, &self->expert, &error);
    }
    if (status != XP_OK) {
        Py_DECREF(self);
        return native_raise(status, &error);
    }
    return (PyObject *)self;
}

static PyMethodDef functions[] = {
    {"env_custom", env_custom, METH_VARARGS, "A family of tasks that is written in Python."},
    {NULL, NULL, 0, NULL},
};

int native_custom_init(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
