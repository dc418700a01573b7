/* sweep_reader.h: what the parts of reading a sweep file share: the list of everything that is
 * wrong with it, and values of the file.
 *
 * A mistake does not end the reading: what can still be checked is. What follows from a mistake is
 * not told as another one, nor is the same sentence told twice; after XP__SWEEP_TOLD of them the
 * rest is only counted. */
#ifndef XP_STUDY_SWEEP_SWEEP_READER_H
#define XP_STUDY_SWEEP_SWEEP_READER_H

#include "base/text/scan.h"
#include "study/sweep/sweep_type.h"

#include <jansson.h>

enum { XP__SWEEP_TOLD = 100, XP__SWEEP_LIST = 10000 };

typedef struct xp__sweep_reader {
    xp_sweep *sweep;
    const char *path;
    xp_notice fault;
    void *context;
    size_t faults;
    uint64_t told[XP__SWEEP_TOLD]; /* checksums of the sentences */
    bool no_memory;
    const char *folder; /* of demonstrations, as the file says; NULL: beside it */
    bool no_folder;     /* it is not there */
} xp__sweep_reader;

/* Tells of a mistake. */
void xp__sweep_complain(xp__sweep_reader *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says how many mistakes were not told, if any. */
void xp__sweep_complain_rest(const xp__sweep_reader *self);

/* The same of entry i of a list, by the sentence of another part of the library; that memory ran
 * out is no mistake. */
void xp__sweep_blame(xp__sweep_reader *self, const char *list, size_t i, const xp_error *error);

/* Room for one more; NULL when memory ran out. */
void *xp__sweep_grow(xp__sweep_reader *self, void **block, size_t count, size_t *room, size_t size);

/* A value as a message may show it. Returns `buffer`. */
const char *xp__sweep_show(const json_t *value, char buffer[XP__SHOWN]);

/* A list of at most XP__SWEEP_LIST, or one value that stands for a list of one; NULL and told
 * if it is missing, empty or longer. */
json_t *xp__sweep_list(xp__sweep_reader *self, const json_t *file, const char *key, bool required);
size_t xp__sweep_list_size(const json_t *list); /* 0 for NULL */
json_t *xp__sweep_list_at(json_t *list, size_t i);
/* A spec that fits its room; NULL and told if it is none. */
const char *xp__sweep_spec_at(xp__sweep_reader *self, json_t *list, size_t i, const char *key);
/* Whether a spec, good otherwise, sets a parameter twice, which is told. */
bool xp__sweep_repeats(xp__sweep_reader *self, const char *key, size_t i, const char *spec);
/* A checksum of the parameters that were given, as keys of units have them: in one order, numbers
 * in one form. Goes on from `sum`. */
uint64_t xp__sweep_meaning(xp__sweep_reader *self, const xp__params *params, uint64_t sum);
/* Tells that two specs of a list are the same. */
void xp__sweep_complain_twice(xp__sweep_reader *self, const char *key, const char *spec,
                              const char *earlier);
/* A whole number from low to high into *number, also if it is written as 1e3; false and told if it
 * is none. */
bool xp__sweep_whole(xp__sweep_reader *self, const json_t *value, const char *name, size_t low,
                     size_t high, size_t *number);

/* Where a file that the sweep names lies, for xp__free; NULL when memory ran out. */
char *xp__sweep_path(const xp__sweep_reader *self, const char *name);

/* The axes of the grid. */
void xp__sweep_read_envs(xp__sweep_reader *self, const json_t *file);
void xp__sweep_read_experts(xp__sweep_reader *self, const json_t *file);
void xp__sweep_read_demos(xp__sweep_reader *self, const json_t *file);
void xp__sweep_read_agents(xp__sweep_reader *self, const json_t *file);
void xp__sweep_read_seeds(xp__sweep_reader *self, const json_t *file);
/* Whether demonstrations can come from environment i, which `info` describes; those of files are
 * made ready for it. */
void xp__sweep_check_demos(xp__sweep_reader *self, size_t i, const xp_env_info *info);
/* What is good by itself may not fit together. Agents are tried in an environment only if both are
 * good by themselves. */
void xp__sweep_check_together(xp__sweep_reader *self);

#endif
