/* hash.c: SipHash (Aumasson and Bernstein, 2012) with one round per word and three at the end,
 * under a key that the process draws once. */
#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t key[2];
static pthread_once_t key_drawn = PTHREAD_ONCE_INIT;

static void draw_key(void) {
    if (getrandom(key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) {
        /* The system has no random bytes yet: what differs from process to process must do. */
        struct timespec now = {.tv_sec = 0};
        (void)clock_gettime(CLOCK_REALTIME, &now);
        key[0] = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
        key[1] = (uint64_t)(uintptr_t)&key_drawn ^ (uint64_t)getpid() << 32;
    }
}

static uint64_t rotate(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void absorb(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

static uint64_t word_of(const unsigned char *bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = count; i-- > 0;) {
        word = word << 8 | bytes[i];
    }
    return word;
}

uint64_t xp__siphash(const uint64_t secret[2], const void *bytes, size_t size) {
    uint64_t v[4] = {
        secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
        secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
    const unsigned char *at = bytes;
    const uint64_t last = (uint64_t)size << 56;
    for (; size >= 8; size -= 8, at += 8) {
        absorb(v, word_of(at, 8));
    }
    absorb(v, last | word_of(at, size));
    v[2] ^= 0xff;
    mix(v);
    mix(v);
    mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t xp__hash(uint64_t hash, const void *bytes, size_t size) {
    (void)pthread_once(&key_drawn, draw_key);
    const uint64_t own[2] = {key[0], key[1] ^ hash};
    return xp__siphash(own, bytes, size);
}
