/* limits.h: how much one client may ask for: requests per second, connections, time. */
#ifndef XP_SERVE_PROTOCOL_LIMITS_H
#define XP_SERVE_PROTOCOL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests per second, counted per name (a token's id, an address) in buckets that hold one
 * second's worth. Names that share a bucket share the limit. */
typedef struct serve_rate serve_rate;

serve_rate *serve_rate_create(double per_second); /* 0: no limit */
void serve_rate_destroy(serve_rate *rate);
/* Takes one from the bucket; false if it is empty. */
bool serve_rate_take(serve_rate *rate, const char *name, int64_t now_us);

/* Connections, each with the time at which it is cut off. */
typedef struct serve_guests serve_guests;
typedef struct serve_guest serve_guest;

serve_guests *serve_guests_create(size_t most);
void serve_guests_destroy(serve_guests *guests);
/* NULL if memory ran out. */
serve_guest *serve_guests_enter(serve_guests *guests, int socket, int64_t deadline_us);
void serve_guests_leave(serve_guests *guests, serve_guest *guest);
void serve_guests_allow(serve_guests *guests, serve_guest *guest, int64_t deadline_us);
/* More than `most` were there when it came. */
bool serve_guest_is_over(const serve_guest *guest);
/* Cuts off those whose time is over. Returns how many. */
size_t serve_guests_sweep(serve_guests *guests, int64_t now_us);
size_t serve_guests_count(serve_guests *guests);

/* Microseconds of a clock that never goes back. */
int64_t serve_ticks(void);

#endif
