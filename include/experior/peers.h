/* peers.h: processes that compute one study together.
 *
 * Every process runs the same program with the same options. Process 0 leads: it hands out units
 * and collects their results; it alone writes files and returns results. The library needs only a
 * way to send bytes from one process to another. MPI is one (mpi/); to use another, fill in this
 * struct. Results are bit-identical for any number of processes and threads. */
#ifndef EXPERIOR_PEERS_H
#define EXPERIOR_PEERS_H

#include "experior/base.h"

typedef struct xp_peers {
    size_t size; /* sizeof(xp_peers) */
    size_t rank; /* this process, from 0 */
    size_t count;
    void *context;
    /* Sends bytes to another process. Messages from one process to another arrive in order. Called
     * by one thread at a time, the one that called the library. The other may be sending, too: if
     * this has to wait, it must take in what comes meanwhile, for `receive` to return. */
    xp_status (*send)(void *context, size_t to, const void *bytes, size_t length, xp_error *error);
    /* Takes a message, if one is here: who sent it, and its bytes, which stay until the next call.
     * *length = 0: there is none. It never waits. */
    xp_status (*receive)(void *context, size_t *from, const void **bytes, size_t *length,
                         xp_error *error);
    uint64_t round; /* the library's: how often they have computed together; begin with 0. If a
                       call fails in a process by itself, not by the word of process 0, the peers
                       cannot be used again */
} xp_peers;

/* Instead of a call that computes, from a process that cannot take part in it (it cannot read a
 * file, say): the others end with its error, and none waits. Nothing happens if it leads nobody and
 * follows nobody; NULL is fine. */
XP_API void xp_peers_fail(xp_peers *peers, const xp_error *error);

#endif
