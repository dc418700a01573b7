/* book.h: the experiments that a process works on: a cache in front of the store.
 *
 * An experiment is looked up once per group of commands, unless the store can tell that nobody else
 * has changed anything. Its row is then compared with what is cached; if another process changed
 * it, all of it is read again. What commands change is written
 * to the store by serve_book_flush, before the commit; after a group that failed, everything is
 * forgotten. So the store alone says what is true. */
#ifndef XP_SERVE_EXPERIMENTS_BOOK_H
#define XP_SERVE_EXPERIMENTS_BOOK_H

#include "serve/experiments/law.h"
#include "serve/experiments/models.h"

enum { SERVE_MOST_SEGMENTS = 10000 };

typedef struct serve_segment {
    char name[SERVE_SEGMENT_SIZE];
    serve_count *counts;  /* K */
    bool *changed, dirty; /* K: differs from the store; any of them does */
    serve_law *law;       /* NULL until asked for */
    bool fresh;           /* the law knows the counts */
    bool awake;           /* the law's memory is counted */
    uint64_t used;        /* group that used the law last */
} serve_segment;

typedef struct serve_entry {
    serve_experiment row;
    xp_model *model;
    size_t arms;
    bool *retired;  /* K */
    bool *open;     /* K: scratch, which arms may be taken */
    double *expert; /* K: share of the experts' choices */
    bool any_retired;
    serve_segment **segments; /* by name */
    size_t segment_count, segment_room;
    uint64_t group;              /* in which it was looked up */
    bool changed;                /* the row differs from the store */
    struct serve_entry *next;    /* in its slot */
    struct serve_entry *touched; /* the one before it that this group looked up */
} serve_entry;

typedef struct serve_book serve_book;

serve_book *serve_book_create(serve_store *store);
void serve_book_destroy(serve_book *book);
serve_store *serve_book_store(serve_book *book);

/* A new group of commands, all at `now`; the store has begun it. */
void serve_book_begin(serve_book *book, int64_t now);
int64_t serve_book_now(const serve_book *book);
/* The experiment, as the store has it now; refused with 404 if there is none. */
serve_outcome serve_book_find(serve_book *book, const char *id, serve_entry **entry,
                              serve_problem *problem);
/* Writes what changed. False if the store failed. */
bool serve_book_flush(serve_book *book);
/* Drops one entry, which is then read again, or all. */
void serve_book_drop(serve_book *book, const char *id);
void serve_book_forget(serve_book *book);

/* The segment of that name. Without `make` it is NULL if there were no decisions in it yet. */
serve_outcome serve_entry_segment(serve_book *book, serve_entry *entry, const char *name, bool make,
                                  serve_segment **segment, serve_problem *problem);
/* Its law, told the counts as they are. */
serve_outcome serve_entry_law(serve_book *book, serve_entry *entry, serve_segment *segment,
                              serve_law **law, serve_problem *problem);
/* The arm of that name; `arms` if there is none. */
size_t serve_entry_arm(const serve_entry *entry, const char *name);

/* "1,4" to flags (K) and back, for free(). */
bool serve_arms_parse(const char *text, size_t arms, bool *flags);
char *serve_arms_format(const bool *flags, size_t arms);

#endif
