/* inspect.c: what a bandit's model believes and is worth, as a dict. */
#include "native.h"

static PyObject *horizon_of(const xp_inspect_horizon *one) {
    return Py_BuildValue("{s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "decisions",
                         (Py_ssize_t)one->decisions, "regret", one->regret, "regret_se",
                         one->regret_se, "without", one->without, "without_se", one->without_se,
                         "saved", one->saved, "saved_se", one->saved_se, "share", one->share,
                         "share_se", one->share_se);
}

static PyObject *lists_of(const xp_inspection *found) {
    PyObject *horizons = PyList_New(0), *warnings = PyList_New(0);
    bool good = horizons != NULL && warnings != NULL;
    for (size_t i = 0; good && i < found->horizon_count; i++) {
        PyObject *one = horizon_of(&found->horizons[i]);
        good = one != NULL && PyList_Append(horizons, one) == 0;
        Py_XDECREF(one);
    }
    for (size_t i = 0; good && i < found->warning_count; i++) {
        PyObject *one = PyUnicode_FromString(found->warnings[i].sentence);
        good = one != NULL && PyList_Append(warnings, one) == 0;
        Py_XDECREF(one);
    }
    if (good) {
        return Py_BuildValue("{s:N,s:N}", "horizons", horizons, "warnings", warnings);
    }
    Py_XDECREF(horizons);
    Py_XDECREF(warnings);
    return NULL;
}

static PyObject *numbers_of(const xp_inspection *found) {
    const size_t arms = found->arms, size = sizeof(double);
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:s,s:s,"
        "s:s}",
        "share", native_bytes(found->share, arms, size), "probability",
        native_bytes(found->probability, arms, size), "mean", native_bytes(found->mean, arms, size),
        "sd", native_bytes(found->sd, arms, size), "quantiles",
        native_bytes(found->quantiles, arms * XP_INSPECT_QUANTILES, size), "curve",
        native_bytes(found->curve, arms * found->curve_points, size), "curve_points",
        (Py_ssize_t)found->curve_points, "curve_low", found->curve_low, "curve_high",
        found->curve_high, "entropy", found->entropy, "effective_arms", found->effective_arms,
        "regret", found->regret, "regret_se", found->regret_se, "uniform_regret",
        found->uniform_regret, "uniform_regret_se", found->uniform_regret_se, "saved", found->saved,
        "saved_se", found->saved_se, "head_start", found->head_start, "held_out", found->held_out,
        "held_out_guess", found->held_out_guess, "sampler", found->sampler, "answer", found->answer,
        "scale", found->scale);
}

static PyObject *inspect(PyObject *module, PyObject *arguments) {
    (void)module;
    xp_inspect_options options = xp_inspect_options_default();
    PyObject *model, *page, *progress;
    unsigned long long seed;
    Py_ssize_t tasks, episodes;
    if (!PyArg_ParseTuple(arguments, "O!KnnO&O", native_model_type, &model, &seed, &tasks,
                          &episodes, PyUnicode_FSConverter, &page, &progress)) {
        return NULL;
    }
    native_progress watch = {.callable = progress};
    options.seed = seed;
    options.tasks = tasks > 0 ? (size_t)tasks : options.tasks;
    options.episodes = episodes > 0 ? (size_t)episodes : options.episodes;
    options.progress = native_progress_tell;
    options.progress_context = &watch;
    const xp_model *handle = ((native_model *)model)->model;
    const char *path = PyBytes_AsString(page);
    xp_inspection *found = NULL;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = xp_inspect(handle, &options, &found, &error);
    if (status == XP_OK && path[0] != '\0') {
        status = xp_report_inspections(handle, (const xp_inspection *const *)&found, NULL, 1, path,
                                       &error);
    }
    Py_END_ALLOW_THREADS;
    PyObject *numbers = status == XP_OK ? numbers_of(found) : native_raise(status, &error);
    PyObject *lists = numbers != NULL ? lists_of(found) : NULL;
    if (lists == NULL || PyDict_Update(numbers, lists) != 0) {
        Py_CLEAR(numbers);
    }
    Py_XDECREF(lists);
    xp_inspection_destroy(found);
    Py_DECREF(page);
    return numbers;
}

static PyMethodDef functions[] = {
    {"inspect", inspect, METH_VARARGS, "What a model believes and is worth."},
    {NULL, NULL, 0, NULL},
};

int native_inspect_init(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
