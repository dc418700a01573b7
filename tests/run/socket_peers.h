/* socket_peers.h: peers without MPI: processes that were forked, with a socket between any of them
 * and the leader. Messages are packets. */
#ifndef XP_TESTS_RUN_SOCKET_PEERS_H
#define XP_TESTS_RUN_SOCKET_PEERS_H

#include "experior/peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET_PEERS = 8, SOCKET_MESSAGE = 1 << 17 };

typedef struct socket_peers {
    xp_peers peers;
    int end[SOCKET_PEERS]; /* leader: to each other; others: [0] to the leader */
    pid_t child[SOCKET_PEERS];
    unsigned char message[SOCKET_MESSAGE];
    size_t next; /* whom the leader asks first */
} socket_peers;

static inline xp_status socket_send(void *context, size_t to, const void *bytes, size_t length,
                                    xp_error *error) {
    const socket_peers *self = context;
    const int end = self->end[self->peers.rank == 0 ? to : 0];
    return send(end, bytes, length, MSG_NOSIGNAL) == (ssize_t)length
               ? XP_OK
               : xp_error_set(error, XP_ERR_PROGRAM, "cannot send: %s", strerror(errno));
}

static inline xp_status socket_receive(void *context, size_t *from, const void **bytes,
                                       size_t *length, xp_error *error) {
    (void)error;
    socket_peers *self = context;
    const size_t ends = self->peers.rank == 0 ? self->peers.count : 1;
    *length = 0;
    for (size_t i = 0; i < ends && *length == 0; i++) {
        const size_t which = self->peers.rank == 0 ? (self->next + i) % ends : 0;
        if (self->peers.rank == 0 && which == 0) {
            continue;
        }
        const ssize_t got =
            recv(self->end[which], self->message, sizeof self->message, MSG_DONTWAIT);
        if (got > 0) {
            *from = self->peers.rank == 0 ? which : 0;
            *bytes = self->message;
            *length = (size_t)got;
            self->next = which + 1;
        }
    }
    return XP_OK;
}

/* Forks count − 1 processes; returns in each of them, with its rank. */
static inline void socket_peers_start(socket_peers *self, size_t count) {
    *self = (socket_peers){.peers = {.size = sizeof self->peers,
                                     .count = count,
                                     .context = self,
                                     .send = socket_send,
                                     .receive = socket_receive}};
    (void)fflush(NULL);
    for (size_t rank = 1; rank < count; rank++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) {
            abort();
        }
        self->child[rank] = fork();
        if (self->child[rank] == 0) {
            self->peers.rank = rank;
            self->end[0] = pair[1];
            return;
        }
        (void)close(pair[1]);
        self->end[rank] = pair[0];
    }
}

/* The others end here with 0 for true; the leader learns whether all did. */
static inline bool socket_peers_end(socket_peers *self, bool good) {
    if (self->peers.rank != 0) {
        _exit(good ? 0 : 1);
    }
    for (size_t rank = 1; rank < self->peers.count; rank++) {
        int status = 0;
        good = waitpid(self->child[rank], &status, 0) > 0 && status == 0 && good;
        (void)close(self->end[rank]);
    }
    return good;
}

#endif
