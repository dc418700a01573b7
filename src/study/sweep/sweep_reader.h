/* sweep_reader.h: what the parts of reading a sweep file share: the list of everything that is
 * wrong with it, and values of the file.
 *
 * A mistake does not end the reading: what can still be checked is. What follows from a mistake is
 * not told as another one. */
#ifndef XP_STUDY_SWEEP_SWEEP_READER_H
#define XP_STUDY_SWEEP_SWEEP_READER_H

#include "study/sweep/sweep_type.h"

#include <jansson.h>

typedef struct xp__sweep_reader {
    xp_sweep *sweep;
    const char *path;
    xp_notice fault;
    void *context;
    size_t faults;
    bool no_memory;
    const char *folder; /* of demonstrations, as the file says; NULL: beside it */
} xp__sweep_reader;

/* Tells of a mistake. */
void xp__sweep_complain(xp__sweep_reader *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of entry i of a list, by the sentence of another part of the library; that memory ran
 * out is no mistake. */
void xp__sweep_blame(xp__sweep_reader *self, const char *list, size_t i, const xp_error *error);

/* Room for one more; NULL when memory ran out. */
void *xp__sweep_grow(xp__sweep_reader *self, void **block, size_t count, size_t *room, size_t size);

/* A list, or one value that stands for a list of one; NULL and told if it is missing or empty. */
json_t *xp__sweep_list(xp__sweep_reader *self, const json_t *file, const char *key, bool required);
size_t xp__sweep_list_size(const json_t *list); /* 0 for NULL */
json_t *xp__sweep_list_at(json_t *list, size_t i);
/* A spec that fits its room; NULL and told if it is none. */
const char *xp__sweep_spec_at(xp__sweep_reader *self, json_t *list, size_t i, const char *key);
/* A whole number from low to high into *number; false and told if it is none. */
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
