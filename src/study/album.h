/* album.h: pictures of episodes in the report of a study. */
#ifndef XP_STUDY_ALBUM_H
#define XP_STUDY_ALBUM_H

#include "study/grid.h"
#include "study/result.h"

/* Adds pictures of the chosen episodes (ascending, from 1) of a block's agent in the first task of
 * its first problem, which is played anew: as in the study, where agents learn for `episodes`. A
 * note says so if it cannot be done. A partial report has none. */
void xp__album_add(const xp__grid *grid, xp__builder *builder, size_t block, size_t episodes,
                   const size_t *chosen, size_t count);

#endif
