/* watch.h: a caller who watches a long computation and may stop it.
 *
 * Whoever computes tells the watch now and then what share is done, and winds up when the answer is
 * true; what it then returns is thrown away. */
#ifndef XP_BASE_WATCH_H
#define XP_BASE_WATCH_H

#include "experior/base.h"

typedef struct xp__watch {
    xp_progress progress; /* NULL: nobody watches */
    void *context;
    double share; /* the largest told so far: a bar does not go back */
    bool stopped;
} xp__watch;

/* True when the computation must stop. A share that is no number leaves the last one. */
static inline bool xp__watch_tell(xp__watch *watch, double share) {
    enum { TOTAL = 100 };
    if (watch == NULL || watch->progress == NULL || watch->stopped) {
        return watch != NULL && watch->stopped;
    }
    if (share > watch->share) {
        watch->share = share < 1 ? share : 1;
    }
    watch->stopped = watch->progress(watch->context, (size_t)(watch->share * TOTAL), TOTAL) != 0;
    return watch->stopped;
}

/* The same share again, from inner loops that do not know it. */
static inline bool xp__watch_stopped(xp__watch *watch) {
    return xp__watch_tell(watch, 0);
}

#endif
