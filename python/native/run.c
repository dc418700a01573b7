/* run.c: simulations and studies. */
#include "native.h"

static PyObject *result_of(const char *agent, const xp_simulate_result *result) {
    return Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:d,s:K}", "agent", agent, "regret", result->regret,
                         "regret_se", result->regret_se, "regret_mean_over_episodes",
                         result->regret_mean_over_episodes, "fit_seconds", result->fit_seconds,
                         "seconds", result->seconds, "agent_steps",
                         (unsigned long long)result->agent_steps);
}

static PyObject *simulate(PyObject *module, PyObject *arguments) {
    (void)module;
    xp_simulate_options options = xp_simulate_options_default();
    PyObject *env, *model, *agents, *progress, *out;
    Py_ssize_t problems, tasks, episodes, threads;
    unsigned long long demonstrations, seed;
    if (!PyArg_ParseTuple(arguments, "zOzOOnnnKnKOO", &options.env, &env, &options.expert, &model,
                          &agents, &problems, &tasks, &episodes, &demonstrations, &threads, &seed,
                          &out, &progress)) {
        return NULL;
    }
    if ((env != Py_None && !PyObject_TypeCheck(env, native_env_type)) ||
        (model != Py_None && !PyObject_TypeCheck(model, native_model_type)) || problems < 1 ||
        tasks < 1 || episodes < 1) {
        return native_refuse("problems, tasks and episodes of a simulation are at least 1");
    }
    native_env *own = env != Py_None ? (native_env *)env : NULL;
    native_array returns = {.taken = false};
    const char **specs = native_strings(agents, "agents", &options.agent_count);
    if (specs == NULL || native_array_doubles(out, "returns", true, &returns) != 0) {
        PyMem_Free((void *)specs);
        return NULL;
    }
    native_progress watch = {.callable = progress};
    xp_simulate_result *results = PyMem_Calloc(options.agent_count + 1, sizeof *results);
    if (results == NULL || returns.length != options.agent_count * (size_t)episodes) {
        PyMem_Free(results);
        PyMem_Free((void *)specs);
        native_array_release(&returns);
        return native_refuse("returns has agents × episodes numbers");
    }
    options.agents = specs;
    options.custom_env = own != NULL ? own->env : NULL;
    options.custom_expert = own != NULL ? own->expert : NULL;
    options.model = model != Py_None ? ((native_model *)model)->model : NULL;
    options.problems = (size_t)problems;
    options.tasks = (size_t)tasks;
    options.episodes = (size_t)episodes;
    options.demonstrations = demonstrations;
    options.threads = threads > 0 ? (size_t)threads : 0;
    options.seed = seed;
    options.returns = returns.items;
    options.progress = native_progress_tell;
    options.progress_context = &watch;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = xp_simulate(&options, results, &error);
    Py_END_ALLOW_THREADS;
    PyObject *list = NULL;
    if (status != XP_OK) {
        (void)native_env_raise(own, status, &error);
    } else {
        list = PyList_New((Py_ssize_t)options.agent_count);
        for (size_t i = 0; list != NULL && i < options.agent_count; i++) {
            PyObject *one = result_of(specs[i], &results[i]);
            if (one == NULL || PyList_SetItem(list, (Py_ssize_t)i, one) != 0) {
                Py_CLEAR(list);
            }
        }
    }
    PyMem_Free(results);
    PyMem_Free((void *)specs);
    native_array_release(&returns);
    return list;
}

static PyObject *row_of(const xp_study_row *row) {
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "agent", row->agent,
                         "spec", row->spec, "group", row->group, "measure", row->measure,
                         "problems", (Py_ssize_t)row->problems, "mean", row->mean, "se", row->se,
                         "difference", row->difference, "difference_se", row->difference_se,
                         "degrees", row->degrees, "paper_mean", row->paper_mean, "paper_se",
                         row->paper_se);
}

static PyObject *series_of(const xp_series *one) {
    const size_t size = sizeof(double);
    return Py_BuildValue(
        "{s:s,s:s,s:s,s:s,s:O,s:N,s:N,s:N,s:N,s:N,s:N}", "agent", one->agent, "panel", one->panel,
        "x_label", one->x_label, "y_label", one->y_label, "scatter",
        one->scatter ? Py_True : Py_False, "x", native_bytes(one->x, one->n, size), "y",
        native_bytes(one->y, one->n, size), "se", native_bytes(one->se, one->n, size), "paper_x",
        native_bytes(one->paper_x, one->paper_n, size), "paper_y",
        native_bytes(one->paper_y, one->paper_n, size), "paper_se",
        native_bytes(one->paper_se, one->paper_n, size));
}

static PyObject *value_of(const xp_study_value *value) {
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:n,s:n,s:d}", "key", value->key, "agent", value->agent,
                         "group", value->group, "measure", value->measure, "problem",
                         (Py_ssize_t)value->problem, "run", (Py_ssize_t)value->run, "value",
                         value->value);
}

typedef PyObject *make_item(const void *context, size_t index);

static PyObject *make_row(const void *context, size_t index) {
    return row_of(&((const xp_study_result *)context)->rows[index]);
}
static PyObject *make_series(const void *context, size_t index) {
    return series_of(&((const xp_study_result *)context)->series[index]);
}
static PyObject *make_note(const void *context, size_t index) {
    return PyUnicode_FromString(((const xp_study_result *)context)->notes[index]);
}
static PyObject *make_finding(const void *context, size_t index) {
    return PyUnicode_FromString(((const xp_study_result *)context)->findings[index]);
}
static PyObject *make_value(const void *context, size_t index) {
    return value_of(&((const xp_study_result *)context)->values[index]);
}

static PyObject *list_of(const void *context, size_t count, make_item *make) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = make(context, i);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *study_of(const xp_study_result *result) {
    char *text = NULL;
    xp_error error;
    if (xp_report_table_text(result, &text, &error) != XP_OK) {
        return native_raise(error.status, &error);
    }
    PyObject *made = Py_BuildValue(
        "{s:s,s:s,s:s,s:z,s:K,s:d,s:n,s:n,s:s,s:N,s:N,s:N,s:N,s:N}", "study", result->study,
        "title", result->title, "scale", result->scale, "reference", result->reference, "seed",
        (unsigned long long)result->seed, "seconds", result->seconds, "units_done",
        (Py_ssize_t)result->units_done, "units_total", (Py_ssize_t)result->units_total, "text",
        text, "rows", list_of(result, result->row_count, make_row), "series",
        list_of(result, result->series_count, make_series), "notes",
        list_of(result, result->note_count, make_note), "findings",
        list_of(result, result->finding_count, make_finding), "values",
        list_of(result, result->value_count, make_value));
    xp_release(text);
    return made;
}

static PyObject *study(PyObject *module, PyObject *arguments) {
    (void)module;
    xp_study_options options = xp_study_options_default();
    const char *name;
    PyObject *directory, *report, *progress;
    Py_ssize_t threads;
    unsigned long long seed;
    int fresh, runs;
    if (!PyArg_ParseTuple(arguments, "ssO&O&nKppO", &name, &options.scale, PyUnicode_FSConverter,
                          &directory, PyUnicode_FSConverter, &report, &threads, &seed, &fresh,
                          &runs, &progress)) {
        return NULL;
    }
    native_progress watch = {.callable = progress};
    options.directory = PyBytes_AsString(directory);
    options.threads = threads > 0 ? (size_t)threads : 0;
    options.seed = seed;
    options.fresh = fresh != 0;
    options.runs = runs != 0;
    options.progress = native_progress_tell;
    options.progress_context = &watch;
    const char *place = PyBytes_AsString(report);
    xp_study_result *result = NULL;
    xp_error error;
    xp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = xp_study_run(name, &options, &result, &error);
    if (status == XP_OK && place[0] != '\0') {
        status = xp_report_write(result, place, &error);
    }
    Py_END_ALLOW_THREADS;
    PyObject *made = status == XP_OK ? study_of(result) : native_raise(status, &error);
    xp_study_result_destroy(result);
    Py_DECREF(directory);
    Py_DECREF(report);
    return made;
}

static PyMethodDef functions[] = {
    {"simulate", simulate, METH_VARARGS, "Measures agents in one setting."},
    {"study", study, METH_VARARGS, "Runs a study of the catalogue."},
    {NULL, NULL, 0, NULL},
};

int native_run_init(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
