/* limits.c: buckets and deadlines. */
#include "serve/protocol/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum { BUCKETS = 4096 };

struct serve_rate {
    double per_second;
    pthread_mutex_t lock;
    struct {
        double left;
        int64_t filled; /* when */
    } bucket[BUCKETS];
};

int64_t serve_ticks(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

serve_rate *serve_rate_create(double per_second) {
    serve_rate *rate = calloc(1, sizeof *rate);
    if (rate != NULL) {
        rate->per_second = per_second;
        (void)pthread_mutex_init(&rate->lock, NULL);
    }
    return rate;
}

void serve_rate_destroy(serve_rate *rate) {
    if (rate != NULL) {
        (void)pthread_mutex_destroy(&rate->lock);
        free(rate);
    }
}

bool serve_rate_take(serve_rate *rate, const char *name, int64_t now_us) {
    if (rate->per_second <= 0) {
        return true;
    }
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    }
    const double most = rate->per_second > 1 ? rate->per_second : 1;
    (void)pthread_mutex_lock(&rate->lock);
    double *left = &rate->bucket[hash % BUCKETS].left;
    int64_t *filled = &rate->bucket[hash % BUCKETS].filled;
    *left = *filled == 0 ? most : *left + (double)(now_us - *filled) * 1e-6 * rate->per_second;
    *left = *left > most ? most : *left;
    *filled = now_us;
    const bool good = *left >= 1;
    *left -= good ? 1 : 0;
    (void)pthread_mutex_unlock(&rate->lock);
    return good;
}

struct serve_guest {
    int socket;
    bool over, cut;
    int64_t deadline;
    serve_guest *before, *next;
};

struct serve_guests {
    size_t most, count;
    pthread_mutex_t lock;
    serve_guest *first;
};

serve_guests *serve_guests_create(size_t most) {
    serve_guests *guests = calloc(1, sizeof *guests);
    if (guests != NULL) {
        guests->most = most;
        (void)pthread_mutex_init(&guests->lock, NULL);
    }
    return guests;
}

void serve_guests_destroy(serve_guests *guests) {
    if (guests != NULL) {
        (void)pthread_mutex_destroy(&guests->lock);
        free(guests);
    }
}

serve_guest *serve_guests_enter(serve_guests *guests, int socket, int64_t deadline_us) {
    serve_guest *guest = calloc(1, sizeof *guest);
    if (guest == NULL) {
        return NULL;
    }
    guest->socket = socket;
    guest->deadline = deadline_us;
    (void)pthread_mutex_lock(&guests->lock);
    guest->over = ++guests->count > guests->most;
    guest->next = guests->first;
    if (guest->next != NULL) {
        guest->next->before = guest;
    }
    guests->first = guest;
    (void)pthread_mutex_unlock(&guests->lock);
    return guest;
}

void serve_guests_leave(serve_guests *guests, serve_guest *guest) {
    if (guest == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&guests->lock);
    guests->count--;
    if (guest->before != NULL) {
        guest->before->next = guest->next;
    } else {
        guests->first = guest->next;
    }
    if (guest->next != NULL) {
        guest->next->before = guest->before;
    }
    (void)pthread_mutex_unlock(&guests->lock);
    free(guest);
}

void serve_guests_allow(serve_guests *guests, serve_guest *guest, int64_t deadline_us) {
    if (guest != NULL) {
        (void)pthread_mutex_lock(&guests->lock);
        guest->deadline = deadline_us;
        (void)pthread_mutex_unlock(&guests->lock);
    }
}

bool serve_guest_is_over(const serve_guest *guest) {
    return guest == NULL || guest->over;
}

size_t serve_guests_sweep(serve_guests *guests, int64_t now_us) {
    size_t cut = 0;
    (void)pthread_mutex_lock(&guests->lock);
    for (serve_guest *guest = guests->first; guest != NULL; guest = guest->next) {
        if (guest->deadline < now_us && !guest->cut) {
            (void)shutdown(guest->socket, SHUT_RDWR); /* whoever reads from it learns of the end */
            guest->cut = true;
            cut++;
        }
    }
    (void)pthread_mutex_unlock(&guests->lock);
    return cut;
}

size_t serve_guests_count(serve_guests *guests) {
    (void)pthread_mutex_lock(&guests->lock);
    const size_t count = guests->count;
    (void)pthread_mutex_unlock(&guests->lock);
    return count;
}
