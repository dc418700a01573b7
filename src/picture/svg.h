/* svg.h: SVG files that stand alone, and SVG files made fit to stand in a page. */
#ifndef XP_PICTURE_SVG_H
#define XP_PICTURE_SVG_H

#include "base/text/text.h"

/* Appends gnuplot's SVG as a file that stands alone. False if it is not a whole SVG. */
bool xp__svg_tidy(const char *svg, const char *prefix, const char *title, xp__text *text);
/* Ends a file with a seal, a comment that holds a hash of all before it. */
void xp__svg_seal(xp__text *svg);
/* Whether a file is whole and as it was sealed. */
bool xp__svg_is_sealed(const char *svg, size_t bytes);
/* Appends an image element with the file inside. In an image a browser runs no scripts and fetches
 * nothing, whatever the file holds. */
void xp__svg_embed(const char *svg, const char *title, xp__text *text);
/* The same for a plot, in the page's colours and without the heading that the page has already.
 * False if it is none. */
bool xp__svg_embed_plot(const char *svg, const char *title, xp__text *text);

#endif
