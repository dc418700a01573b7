/* svg.c: gnuplot's SVG made fit to stand alone and to stand in a page.
 *
 * The head is replaced by one with a viewBox, a title for readers that speak, and fonts that exist
 * on every system; tool tips and empty groups are dropped; ids get a prefix, so that several
 * pictures can stand in one page. Text between tags is copied as it is: gnuplot has escaped it. */
#include "report/report_parts.h"

#include <stdio.h>
#include <string.h>

static const char fonts[] = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\"";

/* After each of these, inside a tag, comes an id or a reference to one. */
static const char *const before_id[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
enum { IDS = sizeof before_id / sizeof before_id[0] };
/* Fonts of the scripts: one family, set once in the head, plain or bold. */
static const char plain[] = " font-family=\"sans\"", strong[] = " font-family=\"strong\"";

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Copies one tag, from its '<' through its '>'. */
static void copy_tag(const char *tag, size_t length, const char *prefix, xp__text *text) {
    for (const char *p = tag; p < tag + length;) {
        size_t k = 0;
        while (k < IDS && !starts(p, before_id[k])) {
            k++;
        }
        if (k < IDS) {
            xp__text_format(text, "%s%s-", before_id[k], prefix);
            p += strlen(before_id[k]);
        } else if (starts(p, plain)) {
            p += strlen(plain);
        } else if (starts(p, strong)) {
            xp__text_append(text, " font-weight=\"bold\"");
            p += strlen(strong);
        } else {
            xp__text_bytes(text, p, 1);
            p++;
        }
    }
}

/* Past an element that is not wanted ("<title>…</title>", or a group with nothing in it), or `p`.
 */
static const char *past_unwanted(const char *p) {
    if (starts(p, "<title>") || starts(p, "<desc>")) {
        const char *end = strstr(p, p[1] == 't' ? "</title>" : "</desc>");
        return end != NULL ? strchr(end, '>') + 1 : p;
    }
    if (starts(p, "<g ")) {
        const char *end = strchr(p, '>');
        end = end != NULL ? end + 1 + strspn(end + 1, " \t\r\n") : p;
        return starts(end, "</g>") ? end + 4 : p;
    }
    return p;
}

bool xp__svg_tidy(const char *svg, const char *prefix, const char *title, xp__text *text) {
    unsigned width, height;
    const char *box = strstr(svg, "viewBox=\"0 0 "), *end = strstr(svg, "</svg>");
    if (box == NULL || end == NULL || sscanf(box, "viewBox=\"0 0 %u %u\"", &width, &height) != 2) {
        return false;
    }
    const char *p = strchr(box, '>');
    if (p == NULL) {
        return false;
    }
    xp__text_format(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %u %u\" width=\"%u\" "
        "height=\"%u\" role=\"img\" %s>\n<title>",
        width, height, width, height, fonts);
    xp__text_html(text, title);
    xp__text_append(text, "</title>");
    for (p++; p < end;) {
        const char *past = past_unwanted(p);
        if (past != p) {
            p = past + strspn(past, " \t\r\n");
        } else if (*p == '<') {
            const size_t length = strcspn(p, ">") + 1;
            copy_tag(p, length, prefix, text);
            p += length;
        } else {
            const size_t blank = strspn(p, " \t\r\n");
            const size_t length = strcspn(p, "<");
            /* Blank text between tags is layout of the file, not of the picture. */
            xp__text_bytes(text, blank == length ? "\n" : p, blank == length ? 1 : length);
            p += length;
        }
    }
    xp__text_append(text, "</svg>\n");
    return true;
}

bool xp__svg_inline(const char *svg, xp__text *text) {
    unsigned width, height;
    const char *box = strstr(svg, "viewBox=\"0 0 "), *body = strstr(svg, "<title>");
    if (!starts(svg, "<svg ") || box == NULL || body == NULL || box > body ||
        sscanf(box, "viewBox=\"0 0 %u %u\"", &width, &height) != 2 || height <= XP__PLOT_HEADING) {
        return false;
    }
    xp__text_format(text, "<svg viewBox=\"0 %d %u %u\" role=\"img\" %s>\n", XP__PLOT_HEADING, width,
                    height - XP__PLOT_HEADING, fonts);
    xp__text_append(text, body);
    return true;
}
