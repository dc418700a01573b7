/* peers_mpi.c: experior-mpi.so: sends messages between processes by MPI (experior/peers.h).
 *
 * The command line tool loads this plug-in when it is started by mpirun or srun, so neither the
 * tool nor the library depends on MPI. Only the thread that calls the library calls MPI
 * (MPI_THREAD_FUNNELED). It never waits inside MPI for anything that takes long: MPI waits in a
 * busy loop, which would take a core from the computation. */
#include "experior/peers.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_WORK = 1, TAG_END };

static MPI_Comm world = MPI_COMM_NULL;
static unsigned char *received; /* the last message */
static size_t room;

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

static xp_status send_bytes(void *context, size_t to, const void *bytes, size_t length,
                            xp_error *error) {
    (void)context;
    if (length > INT32_MAX) {
        return explain(MPI_ERR_COUNT, "send a message of 2 GiB", error);
    }
    const int code = MPI_Send(bytes, (int)length, MPI_BYTE, (int)to, TAG_WORK, world);
    return code == MPI_SUCCESS ? XP_OK : explain(code, "send", error);
}

static xp_status receive_bytes(void *context, size_t *from, const void **bytes, size_t *length,
                               xp_error *error) {
    (void)context;
    int here = 0, count = 0;
    MPI_Status status;
    *length = 0;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, TAG_WORK, world, &here, &status);
    if (code != MPI_SUCCESS || !here) {
        return code == MPI_SUCCESS ? XP_OK : explain(code, "look for messages", error);
    }
    code = MPI_Get_count(&status, MPI_BYTE, &count);
    if (code == MPI_SUCCESS && (size_t)count > room) {
        unsigned char *larger = realloc(received, (size_t)count);
        if (larger == NULL) {
            return explain(MPI_ERR_NO_MEM, "receive", error);
        }
        received = larger;
        room = (size_t)count;
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Recv(received, count, MPI_BYTE, status.MPI_SOURCE, TAG_WORK, world,
                        MPI_STATUS_IGNORE);
    }
    if (code != MPI_SUCCESS) {
        return explain(code, "receive", error);
    }
    *from = (size_t)status.MPI_SOURCE;
    *bytes = received;
    *length = (size_t)count;
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

static void pause_briefly(void) {
    (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* The tool calls this last. The others wait until process 0 has written its report; if that fails,
 * all end with its exit code, wherever they are. */
__attribute__((visibility("default"))) void experior_peers_close(const xp_peers *peers, int code);
void experior_peers_close(const xp_peers *peers, int code) {
    if (peers->rank == 0 && code != 0) {
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    }
    for (size_t to = 1; peers->rank == 0 && to < peers->count; to++) {
        (void)MPI_Send(NULL, 0, MPI_BYTE, (int)to, TAG_END, world);
    }
    int here = peers->rank == 0, failed = MPI_SUCCESS;
    while (!here && failed == MPI_SUCCESS) {
        failed = MPI_Iprobe(0, TAG_END, world, &here, MPI_STATUS_IGNORE);
        if (!here) {
            pause_briefly();
        }
    }
    if (peers->rank != 0 && here) {
        (void)MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, world, MPI_STATUS_IGNORE);
    }
    (void)MPI_Comm_free(&world);
    (void)MPI_Finalize();
    free(received);
    received = NULL;
    room = 0;
}
