/* episode_picture.h: a recorded episode as a picture. */
#ifndef XP_PICTURE_EPISODE_PICTURE_H
#define XP_PICTURE_EPISODE_PICTURE_H

#include "base/text/text.h"
#include "run/record.h"

/* The record as an SVG file that stands alone and can stand in a page: light and dark, the path
 * drawn and a dot that walks it. */
void xp__record_svg(const xp__record *record, xp__text *text);

#endif
