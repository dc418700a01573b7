/* peers_mpi.c: experior-mpi.so: sends messages between processes by MPI (experior/peers.h).
 *
 * The command line tool loads this plug-in when it is started by mpirun or srun, so neither the
 * tool nor the library depends on MPI. Only the thread that calls the library calls MPI
 * (MPI_THREAD_FUNNELED). It never waits inside MPI for anything that takes long: MPI waits in a
 * busy loop, which would take a core from the computation.
 *
 * MPI may keep a message with its sender until it is received. So a process that is sending takes
 * in what arrives meanwhile: otherwise two that send to each other would wait for ever. */
#include "experior/peers.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_WORK = 1 };
/* Nanoseconds between two looks: whether a message has gone, and whether all are at the end. */
enum { BETWEEN_SENDING = 100000, BETWEEN_ENDING = 5000000 };

/* A message that was received, and that after it. */
typedef struct message {
    struct message *next;
    size_t from, length;
    unsigned char bytes[];
} message;

static MPI_Comm world = MPI_COMM_NULL;
static message *first, *last; /* came while this process was sending */
static message *read_now;     /* its bytes are with the caller */

static xp_status explain(int code, const char *what, xp_error *error) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    if (error != NULL) {
        error->status = XP_ERR_PROGRAM;
        (void)snprintf(error->message, sizeof error->message, "MPI cannot %s: %.200s", what, text);
    }
    return XP_ERR_PROGRAM;
}

static xp_status refuse(const char *sentence, xp_error *error) {
    error->status = XP_ERR_PROGRAM;
    (void)snprintf(error->message, sizeof error->message, "%s", sentence);
    return XP_ERR_PROGRAM;
}

static void nap(long nanoseconds) {
    (void)nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* Receives a message, if one is here, for free; *taken = NULL: there is none. MPI's code. */
static int take_in(message **taken) {
    int here = 0, count = 0;
    MPI_Status status;
    *taken = NULL;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, TAG_WORK, world, &here, &status);
    if (code != MPI_SUCCESS || !here) {
        return code;
    }
    code = MPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) {
        return code;
    }
    message *made = malloc(sizeof *made + (size_t)count);
    if (made == NULL) {
        return MPI_ERR_NO_MEM; /* the message stays where it is */
    }
    made->next = NULL;
    made->from = (size_t)status.MPI_SOURCE;
    made->length = (size_t)count;
    code = MPI_Recv(made->bytes, count, MPI_BYTE, status.MPI_SOURCE, TAG_WORK, world,
                    MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        free(made);
        return code;
    }
    *taken = made;
    return MPI_SUCCESS;
}

/* Keeps what has come for receive_bytes. Whatever prevents it, it is tried again. */
static void take_in_for_later(void) {
    message *taken;
    while (take_in(&taken) == MPI_SUCCESS && taken != NULL) {
        *(first == NULL ? &first : &last->next) = taken;
        last = taken;
    }
}

static xp_status send_bytes(void *context, size_t to, const void *bytes, size_t length,
                            xp_error *error) {
    (void)context;
    if (length > INT32_MAX) {
        return explain(MPI_ERR_COUNT, "send a message of 2 GiB", error);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    int sent = 0;
    int code = MPI_Isend(bytes, (int)length, MPI_BYTE, (int)to, TAG_WORK, world, &request);
    while (code == MPI_SUCCESS && !sent) {
        code = MPI_Request_get_status(request, &sent, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS && !sent) {
            take_in_for_later();
            nap(BETWEEN_SENDING);
        }
    }
    const int ended = MPI_Wait(&request, MPI_STATUS_IGNORE); /* it has gone, or failed */
    code = code == MPI_SUCCESS ? ended : code;
    return code == MPI_SUCCESS ? XP_OK : explain(code, "send", error);
}

static xp_status receive_bytes(void *context, size_t *from, const void **bytes, size_t *length,
                               xp_error *error) {
    (void)context;
    free(read_now);
    read_now = first;
    *length = 0;
    if (first != NULL) {
        first = first->next;
    } else {
        const int code = take_in(&read_now);
        if (code != MPI_SUCCESS) {
            return explain(code, "receive", error);
        }
    }
    if (read_now != NULL) {
        *from = read_now->from;
        *bytes = read_now->bytes;
        *length = read_now->length;
    }
    return XP_OK;
}

/* The tool calls this first, with peers->size set; the rest of `peers` is filled in. */
__attribute__((visibility("default"))) xp_status experior_peers_open(xp_peers *peers,
                                                                     xp_error *error);
xp_status experior_peers_open(xp_peers *peers, xp_error *error) {
    int provided = 0, rank = 0, count = 0;
    if (peers->size != sizeof *peers) {
        return refuse(
            "this plug-in and the program are of different versions; install both from one build",
            error);
    }
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_dup(MPI_COMM_WORLD, &world);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_rank(world, &rank);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_size(world, &count);
    }
    if (code != MPI_SUCCESS) {
        return explain(code, "start", error);
    }
    if (provided < MPI_THREAD_FUNNELED) {
        return refuse("this MPI does not support programs with threads (MPI_THREAD_FUNNELED)",
                      error);
    }
    *peers = (xp_peers){.size = sizeof *peers,
                        .rank = (size_t)rank,
                        .count = (size_t)count,
                        .send = send_bytes,
                        .receive = receive_bytes};
    return XP_OK;
}

/* Drops what nobody reads any more: who sent it may still wait for it to be received. */
static void drop_messages(void) {
    take_in_for_later();
    while (first != NULL) {
        message *next = first->next;
        free(first);
        first = next;
    }
}

/* The tool calls this last. All wait here for each other, and so for process 0 until it has written
 * its report; if that fails, all end with its exit code, wherever they are. */
__attribute__((visibility("default"))) void experior_peers_close(const xp_peers *peers, int code);
void experior_peers_close(const xp_peers *peers, int code) {
    if (peers->rank == 0 && code != 0) {
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Request all;
    int here = 0, failed = MPI_Ibarrier(world, &all);
    while (failed == MPI_SUCCESS && !here) {
        drop_messages();
        failed = MPI_Test(&all, &here, MPI_STATUS_IGNORE);
        if (failed == MPI_SUCCESS && !here) {
            nap(BETWEEN_ENDING);
        }
    }
    drop_messages();
    free(read_now);
    read_now = NULL;
    (void)MPI_Comm_free(&world);
    (void)MPI_Finalize();
}
