/* session.h: a session as an object of the module, for the files that make it up: session.c acts
 * and observes, session_open.c opens and closes, session_bulk.c handles many numbers at once.
 *
 * A session belongs to one thread at a time, so one that is asked while another thread is in it
 * refuses. */
#ifndef EXPERIOR_NATIVE_SESSION_H
#define EXPERIOR_NATIVE_SESSION_H

#include "native.h"

typedef struct native_session {
    PyObject_HEAD xp_session *session;
    PyObject *model;   /* native_model or NULL; outlives the session */
    PyObject *labels;  /* tuple of what actions are called, or NULL: numbers */
    PyObject *numbers; /* dict from label to number, or NULL */
    size_t actions, state_size;
    double *state; /* in which it acted last, and room for the next */
    bool acted;    /* `state` is valid */
    bool brief;    /* its calls are too short to give up the interpreter's lock */
    bool busy;     /* a thread is in it */
} native_session;

/* The session, if one may go into it; NULL with an exception. */
native_session *native_session_enter(PyObject *object);
/* Frees what it holds. */
void native_session_empty(native_session *self);

/* Around a call of the library that may take long. */
#define NATIVE_LONG_CALL(self, call)                                                               \
    do {                                                                                           \
        (self)->busy = true;                                                                       \
        Py_BEGIN_ALLOW_THREADS;                                                                    \
        call;                                                                                      \
        Py_END_ALLOW_THREADS;                                                                      \
        (self)->busy = false;                                                                      \
    } while (0)

/* Methods. */
PyObject *native_session_open(PyObject *object, PyObject *arguments);
PyObject *native_session_restore(PyObject *object, PyObject *arguments);
PyObject *native_session_close(PyObject *object, PyObject *unused);
PyObject *native_session_act_batch(PyObject *object, PyObject *out);
PyObject *native_session_observe_batch(PyObject *object, PyObject *const *arguments,
                                       Py_ssize_t count);
PyObject *native_session_draw_means(PyObject *object, PyObject *arguments);
PyObject *native_session_policies(PyObject *object, PyObject *unused);

#endif
