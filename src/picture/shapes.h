/* shapes.h: what pictures are made of: shapes, signs and numbers as SVG text.
 *
 * Coordinates are pixels from the top left, written with one decimal and a point whatever the
 * locale. Colours are classes of one style sheet, whose names begin with "xpb" so that the pictures
 * can stand in a page. Nothing is checked here: a failed allocation is remembered by the text. */
#ifndef XP_PICTURE_SHAPES_H
#define XP_PICTURE_SHAPES_H

#include "base/text/text.h"
#include "env/board.h"

/* A whole <style> element: light or dark as the reader's system. */
extern const char xp__shape_style[];

void xp__shape_number(xp__text *text, double value);
/* ` name="value"` */
void xp__shape_attribute(xp__text *text, const char *name, double value, int decimals);
/* A line of text; `attributes` are written as they are, with a space before each. */
void xp__shape_text(xp__text *text, double x, double y, const char *attributes,
                    const char *content);
/* Text broken at spaces into lines for the legend; returns the y of the line after the last. */
double xp__shape_paragraph(xp__text *text, double x, double y, const char *attributes,
                           const char *words);
/* `more` are further attributes; `close` is "/>", ">" for an element with content, or "" if more
 * attributes follow. */
void xp__shape_rectangle(xp__text *text, const char *class, double x, double y, double width,
                         double height, const char *more, const char *close);
/* Left open for attributes. */
void xp__shape_circle(xp__text *text, const char *class, double x, double y, double r,
                      double stroke);
/* A sign in a square of that size around a point. */
void xp__shape_sign(xp__text *text, xp__sign kind, double x, double y, double size);

/* "0.99", "−102": at most four places. */
void xp__shape_neat(xp__text *text, double value);
/* "37 %", "3.2 %" */
void xp__shape_percent(xp__text *text, double share);

#endif
