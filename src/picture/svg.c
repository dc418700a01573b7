/* svg.c: gnuplot's SVG made fit to stand alone, and SVG files made fit to stand in a page.
 *
 * The head of gnuplot's is replaced by one with a viewBox, a title for readers that speak, and
 * fonts that exist on every system; tool tips and empty groups are dropped; ids get a prefix, so
 * that several pictures can stand in one page. Text between tags is copied as it is: gnuplot has
 * escaped it.
 *
 * A page takes files from a directory in which others may write. The seal tells a file that was
 * changed or put there by accident; it is no secret and does not stop a forger. That a forged file
 * can do no harm is the browser's rule for images. */
#include "picture/svg.h"

#include "picture/chart.h"

#include <stdio.h>
#include <string.h>

static const char fonts[] = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\"";

/* After each of these, inside a tag, comes an id or a reference to one. */
static const char *const before_id[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
enum { IDS = sizeof before_id / sizeof before_id[0] };
/* Fonts of the scripts: one family, set once in the head, plain or bold. */
static const char plain[] = " font-family=\"sans\"", strong[] = " font-family=\"strong\"";

/* Colours in the dark. A page's style does not reach into images, so a picture carries its own, in
 * which what gnuplot writes is matched by value. Colours of the palette (plot_layout.c) that are
 * too dim on a dark ground get lighter ones. */
#define DARK(value, colour)                                                                        \
    "[color='" value "']{color:" colour "}[fill='" value "']{fill:" colour "}[stroke='" value      \
    "']{stroke:" colour "}"
#define DARK_INK "#e6e8ec"
static const char dark_style[] = "@media (prefers-color-scheme:dark){" DARK("black", DARK_INK)
    DARK("rgb(0,0,0)", DARK_INK) DARK("rgb(  0,   0,   0)", DARK_INK)
        DARK("rgb(228, 228, 228)", "#30353e") DARK("rgb(200, 200, 200)", "#4b525e")
            DARK("rgb(  0, 114, 178)", "#4d8df6") DARK("rgb(140, 109,  49)", "#b8944f")
                DARK("rgb( 94,  60, 153)", "#a88be0") DARK("rgb(136,  34,  85)", "#d06a9c");
/* The ground: alone a picture has its own, in a page it has the page's. */
static const char ground_alone[] = "rect[fill='#ffffff']{fill:#14171c}}";
static const char ground_in_page[] = "}rect[fill='#ffffff']{fill:none}";

static void append_style(xp__text *text, const char *ground) {
    xp__text_append(text, "<style>");
    xp__text_append(text, dark_style);
    xp__text_append(text, ground);
    xp__text_append(text, "</style>\n");
}

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
        "height=\"%u\" role=\"img\" %s>\n",
        width, height, width, height, fonts);
    append_style(text, ground_alone);
    xp__text_append(text, "<title>");
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

static const char seal_head[] = "<!-- ExPerior ", seal_tail[] = " -->\n";
enum { SEAL_DIGITS = 16, SEAL = sizeof seal_head - 1 + SEAL_DIGITS + sizeof seal_tail - 1 };

static void write_seal(const char *svg, size_t bytes, char seal[SEAL + 1]) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ (unsigned char)svg[i]) * UINT64_C(0x100000001b3);
    }
    (void)snprintf(seal, SEAL + 1, "%s%016llx%s", seal_head, (unsigned long long)hash, seal_tail);
}

void xp__svg_seal(xp__text *svg) {
    if (!svg->failed && svg->data != NULL) {
        char seal[SEAL + 1];
        write_seal(svg->data, svg->length, seal);
        xp__text_append(svg, seal);
    }
}

bool xp__svg_is_sealed(const char *svg, size_t bytes) {
    if (bytes < SEAL || strlen(svg) != bytes || !starts(svg, "<svg ")) {
        return false;
    }
    char seal[SEAL + 1];
    write_seal(svg, bytes - SEAL, seal);
    return strcmp(svg + bytes - SEAL, seal) == 0;
}

static void base64(const char *bytes, size_t count, xp__text *text) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i < 3 ? count - i : 3;
        unsigned word = 0;
        for (size_t j = 0; j < 3; j++) {
            word = word << 8 | (j < left ? (unsigned char)bytes[i + j] : 0);
        }
        char group[4];
        for (size_t j = 0; j < 4; j++) {
            group[j] = j <= left ? digit[word >> (18 - 6 * j) & 63] : '=';
        }
        xp__text_bytes(text, group, 4);
    }
}

void xp__svg_embed(const char *svg, const char *title, xp__text *text) {
    xp__text_append(text, "<img alt=\"");
    xp__text_html(text, title);
    xp__text_append(text, "\" src=\"data:image/svg+xml;base64,");
    base64(svg, strlen(svg), text);
    xp__text_append(text, "\">\n");
}

bool xp__svg_embed_plot(const char *svg, const char *title, xp__text *text) {
    unsigned width, height;
    const char *box = strstr(svg, "viewBox=\"0 0 "), *body = strstr(svg, "<title>");
    if (box == NULL || body == NULL || box > body ||
        sscanf(box, "viewBox=\"0 0 %u %u\"", &width, &height) != 2 || height <= XP__PLOT_HEADING) {
        return false;
    }
    xp__text plot = {.data = NULL};
    xp__text_format(&plot,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 %d %u %u\" "
                    "width=\"%u\" height=\"%u\" %s>\n",
                    XP__PLOT_HEADING, width, height - XP__PLOT_HEADING, width,
                    height - XP__PLOT_HEADING, fonts);
    append_style(&plot, ground_in_page);
    xp__text_append(&plot, body);
    text->failed = text->failed || plot.failed;
    if (!plot.failed) {
        xp__svg_embed(plot.data, title, text);
    }
    xp__text_deinit(&plot);
    return true;
}
