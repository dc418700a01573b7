/* shapes.c: shapes, signs and numbers of pictures as SVG text. */
#include "picture/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE = 18,      /* from one line of a paragraph to the next */
    LINE_CHARS = 29 /* that fit in one */
};

/* Classes carry the colours: the reader's system chooses between light and dark. */
const char xp__shape_style[] =
    "<style>"
    ".xpb text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu "
    "Sans',sans-serif;font-size:13px;fill:#1d2129}"
    ".xpb .xpb-title{font-size:19px;font-weight:600}"
    ".xpb .xpb-soft{fill:#5c6470}"
    ".xpb .xpb-paper{fill:#ffffff}"
    ".xpb .xpb-ice{fill:#f6f7f9}"
    ".xpb .xpb-grid{fill:none;stroke:#dfe3e8;stroke-width:1}"
    ".xpb .xpb-frame{fill:none;stroke:#aab1bb;stroke-width:1}"
    ".xpb .xpb-share{fill:#0072b2}"
    ".xpb .xpb-halo{fill:none;stroke:#ffffff;stroke-opacity:.85}"
    ".xpb .xpb-path{fill:none;stroke:#1d2129}"
    ".xpb .xpb-end{fill:#1d2129;stroke:#ffffff}"
    ".xpb .xpb-start{fill:none;stroke:#1d2129}"
    ".xpb .xpb-goal{fill:#ffffff;fill-opacity:.75;stroke:#009e73}"
    ".xpb .xpb-gem{fill:#009e73}"
    ".xpb .xpb-risk{fill:none;stroke:#d55e00}"
    ".xpb .xpb-danger{fill:none;stroke:#d55e00}"
    "@media (prefers-color-scheme:dark){"
    ".xpb text{fill:#e6e8ec}"
    ".xpb .xpb-soft{fill:#9aa3b0}"
    ".xpb .xpb-paper{fill:#14171c}"
    ".xpb .xpb-ice{fill:#1c2027}"
    ".xpb .xpb-grid{stroke:#2a2f38}"
    ".xpb .xpb-frame{stroke:#4b525e}"
    ".xpb .xpb-share{fill:#4d9df6}"
    ".xpb .xpb-halo{stroke:#14171c}"
    ".xpb .xpb-path,.xpb .xpb-start{stroke:#f2f3f5}"
    ".xpb .xpb-end{fill:#f2f3f5;stroke:#14171c}"
    ".xpb .xpb-goal{stroke:#2cc295;fill:#14171c}"
    ".xpb .xpb-gem{fill:#2cc295}"
    ".xpb .xpb-risk,.xpb .xpb-danger{stroke:#f08a4b}}"
    "@media (prefers-reduced-motion:reduce){.xpb .xpb-walker{display:none}}"
    "</style>\n";

void xp__shape_number(xp__text *text, double value) {
    xp__text_fixed(text, value, 1, "-");
}

void xp__shape_attribute(xp__text *text, const char *name, double value, int decimals) {
    xp__text_format(text, " %s=\"", name);
    xp__text_fixed(text, value, decimals, "-");
    xp__text_append(text, "\"");
}

void xp__shape_text(xp__text *text, double x, double y, const char *attributes,
                    const char *content) {
    xp__text_append(text, "<text");
    xp__shape_attribute(text, "x", x, 1);
    xp__shape_attribute(text, "y", y, 1);
    xp__text_format(text, "%s>", attributes);
    xp__text_html(text, content);
    xp__text_append(text, "</text>\n");
}

void xp__shape_rectangle(xp__text *text, const char *class, double x, double y, double width,
                         double height, const char *more, const char *close) {
    xp__text_format(text, "<rect class=\"%s\"", class);
    xp__shape_attribute(text, "x", x, 1);
    xp__shape_attribute(text, "y", y, 1);
    xp__shape_attribute(text, "width", width, 1);
    xp__shape_attribute(text, "height", height, 1);
    xp__text_format(text, "%s%s", more, close);
}

void xp__shape_circle(xp__text *text, const char *class, double x, double y, double r,
                      double stroke) {
    xp__text_format(text, "<circle class=\"%s\"", class);
    xp__shape_attribute(text, "cx", x, 1);
    xp__shape_attribute(text, "cy", y, 1);
    xp__shape_attribute(text, "r", r, 1);
    xp__shape_attribute(text, "stroke-width", stroke, 1);
}

void xp__shape_sign(xp__text *text, xp__sign kind, double x, double y, double size) {
    const double inset = size * 0.42, thick = fmin(fmax(size * 0.05, 1.6), 3.5);
    if (kind == XP__SIGN_START) {
        xp__shape_circle(text, "xpb-start", x, y, fmin(size * 0.3, 16), thick);
        xp__text_append(text, "/>\n");
    } else if (kind == XP__SIGN_DANGER) {
        const double arm = size * 0.25;
        xp__text_append(text, "<path class=\"xpb-danger\" stroke-linecap=\"round\"");
        xp__shape_attribute(text, "stroke-width", 1.5 * thick, 1);
        xp__text_append(text, " d=\"M");
        for (int i = 0; i < 4; i++) {
            xp__shape_number(text, x + (i % 2 == 0 ? -arm : arm));
            xp__text_append(text, " ");
            xp__shape_number(text, y + (i == 0 || i == 3 ? -arm : arm));
            xp__text_append(text, i == 3 ? "\"/>\n" : i == 1 ? "M" : "L");
        }
    } else {
        const bool goal = kind == XP__SIGN_GOAL;
        xp__shape_rectangle(text, goal ? "xpb-goal" : "xpb-risk", x - inset, y - inset, 2 * inset,
                            2 * inset, goal ? "" : " stroke-dasharray=\"4 3\"", "");
        xp__shape_attribute(text, "rx", size * 0.08, 1);
        xp__shape_attribute(text, "stroke-width", goal ? thick : fmax(0.7 * thick, 1.4), 1);
        xp__text_append(text, "/>\n");
    }
    if (kind == XP__SIGN_GOAL) { /* a square on its corner */
        const double half = size * 0.17;
        xp__shape_rectangle(text, "xpb-gem", x - half, y - half, 2 * half, 2 * half,
                            " transform=\"rotate(45", "");
        for (int i = 0; i < 2; i++) {
            xp__text_append(text, " ");
            xp__shape_number(text, i == 0 ? x : y);
        }
        xp__text_append(text, ")\"/>\n");
    }
}

void xp__shape_neat(xp__text *text, double value) {
    const size_t before = text->length;
    xp__text_fixed(text, value, 4, "−");
    while (text->length > before && text->data[text->length - 1] == '0') {
        text->data[--text->length] = '\0';
    }
    if (text->length > before && text->data[text->length - 1] == '.') {
        text->data[--text->length] = '\0';
    }
}

void xp__shape_percent(xp__text *text, double share) {
    const double value = 100 * share;
    xp__text_fixed(text, value, value < 9.95 && value > 0 ? 1 : 0, "−");
    xp__text_append(text, " %");
}

double xp__shape_paragraph(xp__text *text, double x, double y, const char *attributes,
                           const char *words) {
    while (*words != '\0') {
        size_t end = 0, width = 0, chosen = 0;
        for (; words[end] != '\0' && width <= LINE_CHARS; end++) {
            chosen = words[end] == ' ' ? end : chosen;
            width += ((unsigned char)words[end] & 0xc0) != 0x80;
        }
        if (words[end] == '\0' && width <= LINE_CHARS) {
            chosen = end;
        }
        chosen = chosen > 0 ? chosen : end - 1; /* a long word: before the first that is too much */
        char line[160];
        (void)snprintf(line, sizeof line, "%.*s", (int)chosen, words);
        xp__shape_text(text, x, y, attributes, line);
        y += LINE;
        words += chosen;
        words += strspn(words, " ");
    }
    return y;
}
