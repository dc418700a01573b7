/* plot_script.c: a picture as a gnuplot script, data inline, SVG on standard output.
 *
 * Every label is a single-quoted string, in which gnuplot expands nothing, on a terminal without
 * text markup: a label can only be text. Numbers are written with a point whatever the locale. */
#include "picture/plot_parts.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

xp__number xp__num(double value) {
    xp__number number;
    (void)xp__format_double(number.text, value);
    if (!isfinite(value)) {
        strcpy(number.text, "NaN");
    }
    return number;
}

void xp__script_label(xp__text *script, const char *label, size_t limit) {
    xp__text_append(script, "'");
    xp__text_line(script, label, limit, '\'');
    xp__text_append(script, "'");
}

/* A title as an expression: its lines, and what ends them. */
static void script_title(xp__text *script, const xp__panel *panel) {
    const char *rest = panel->title;
    do {
        const size_t length = xp__title_line(rest, panel->title_limit);
        char line[4 * XP__PLOT_WIDTH];
        const size_t shown = length - (length > 0 && rest[length - 1] == ' ');
        (void)snprintf(line, sizeof line, "%.*s", (int)shown, rest);
        xp__script_label(script, line, panel->title_limit);
        rest += length;
        xp__text_append(script, *rest != '\0' ? ".\"\\n\"." : "");
    } while (*rest != '\0');
}

/* Screen units, with as many places as pixels need. */
static xp__number across(double x) {
    return xp__num(round(1e5 * x / XP__PLOT_WIDTH) / 1e5);
}

static xp__number up(const xp__picture *picture, double y) {
    return xp__num(round(1e5 * (1 - y / picture->height)) / 1e5);
}

static void begin(xp__text *script, const xp__picture *picture) {
    xp__text_format(script,
                    "set encoding utf8\n"
                    "set terminal svg size %d,%s fixed noenhanced font 'sans,12' linewidth 1 "
                    "background '#ffffff'\n"
                    "set multiplot\n"
                    "set border 3 lc rgb '#999999'\n"
                    "set tics out nomirror scale 0.5 textcolor rgb '#000000'\n"
                    "set grid lc rgb '#e4e4e4' lw 1 lt 1\n"
                    "set key off\n"
                    "set clip two\n"
                    "set xtics offset 0,0.5\n"
                    "set format '%%g'\n",
                    XP__PLOT_WIDTH, xp__num(picture->height).text);
    if (picture->chart->title != NULL && picture->chart->title[0] != '\0') {
        xp__text_append(script, "set label ");
        xp__script_label(script, picture->chart->title, 110);
        xp__text_format(script, " at screen 0.5,screen %s center font 'strong,14'\n",
                        up(picture, XP__PLOT_HEADING / 2.0).text);
    }
}

/* A horizontal stroke. A dashed one is drawn dash by dash: gnuplot joins arrows of one colour into
 * one path and would lose the pattern. */
static void stroke(xp__text *script, const xp__picture *picture, const xp__legend_entry *entry,
                   double from, double to) {
    const xp__number y = up(picture, entry->y);
    xp__text_format(script,
                    "set arrow from screen %s,screen %s to screen %s,screen %s nohead lw 2.2 "
                    "lc rgb '%s'\n",
                    across(entry->x + from).text, y.text, across(entry->x + to).text, y.text,
                    entry->colour);
}

static void legend(xp__text *script, const xp__picture *picture) {
    for (size_t i = 0; i < picture->legend_count; i++) {
        const xp__legend_entry *entry = &picture->legend[i];
        const xp__number y = up(picture, entry->y);
        xp__text_append(script, "set label ");
        xp__script_label(script, entry->label, XP__LABEL_LIMIT);
        xp__text_format(script, " at screen %s,screen %s left\n", across(entry->x).text, y.text);
        switch (entry->mark) {
        case XP__MARK_LINE:
            stroke(script, picture, entry, -34, -8);
            break;
        case XP__MARK_DASH:
            stroke(script, picture, entry, -34, -27);
            stroke(script, picture, entry, -24, -17);
            stroke(script, picture, entry, -14, -7);
            break;
        case XP__MARK_BOX:
        case XP__MARK_FRAME:
            xp__text_format(
                script,
                "set object rectangle from screen %s,screen %s to screen %s,screen %s fs %s "
                "fc rgb '%s'\n",
                across(entry->x - 30).text, up(picture, entry->y + 5).text,
                across(entry->x - 8).text, up(picture, entry->y - 5).text,
                entry->mark == XP__MARK_BOX ? "solid noborder" : "empty border lc rgb '#777777'",
                entry->colour);
            break;
        default:
            xp__text_format(script,
                            "set label '' at screen %s,screen %s point pt %s ps 0.8 lc rgb '%s'\n",
                            across(entry->x - 14).text, y.text,
                            entry->mark == XP__MARK_DOT ? "7" : "6", entry->colour);
        }
    }
}

void xp__script_place(xp__text *script, const xp__picture *picture, const xp__panel *panel) {
    xp__text_format(script,
                    "set lmargin at screen %s\nset rmargin at screen %s\n"
                    "set tmargin at screen %s\nset bmargin at screen %s\nset title ",
                    across(panel->left).text, across(panel->right).text,
                    up(picture, panel->top).text, up(picture, panel->bottom).text);
    script_title(script, panel);
    xp__text_append(script, " offset 0,-0.5 font 'strong,12'\n");
}

void xp__script_axis_labels(xp__text *script, const xp__picture *picture, const xp__panel *panel,
                            const char *x_label, const char *y_label) {
    xp__text_append(script, "set label ");
    xp__script_label(script, x_label, 60);
    xp__text_format(script, " at screen %s,screen %s center\n",
                    across((panel->left + panel->right) / 2).text,
                    up(picture, panel->bottom + 34).text);
    xp__text_append(script, "set label ");
    xp__script_label(script, y_label, 60);
    xp__text_format(script, " at screen %s,screen %s center rotate by 90\n",
                    across(panel->left - 46).text,
                    up(picture, (panel->top + panel->bottom) / 2).text);
}

/* A step of 1, 2 or 5 times a power of ten that cuts the range into at most `parts`. */
static double nice_step(double range, double parts) {
    if (!(range > 0) || !isfinite(range)) {
        return 1;
    }
    const double unit = pow(10, floor(log10(range / parts)));
    const double ratio = range / parts / unit;
    return unit * (ratio <= 1.0000001 ? 1 : ratio <= 2.0000001 ? 2 : ratio <= 5.0000001 ? 5 : 10);
}

/* Tics at 1, 2 and 5 times the powers of ten, or at the powers alone if there are many. */
static void log_tics(xp__text *script, char name, double low, double high) {
    const bool fine = log10(high / low) < 2.2;
    xp__text_format(script, "set logscale %c\nset %ctics (", name, name);
    const char *separator = "";
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (int digit = 1; digit < 10; digit++) {
            const double at = digit * pow(10, power);
            const bool labelled = digit == 1 || (fine && (digit == 2 || digit == 5));
            if (at >= low && at <= high) {
                xp__text_format(script, labelled ? "%s%s" : "%s'' %s 1", separator,
                                xp__num(at).text);
                separator = ", ";
            }
        }
    }
    xp__text_append(script, ")\n");
}

void xp__script_axis(xp__text *script, char name, double low, double high, bool logarithmic,
                     double parts) {
    xp__text_format(script, "set %crange [%s:%s]\n", name, xp__num(low).text, xp__num(high).text);
    if (logarithmic) {
        log_tics(script, name, low, high);
    } else {
        xp__text_format(script, "unset logscale %c\nset %ctics %s\n", name, name,
                        xp__num(nice_step(high - low, parts)).text);
    }
}

void xp__range_include(xp__range *r, double value) {
    if (isfinite(value)) {
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
        r->least_positive = value > 0 ? fmin(r->least_positive, value) : r->least_positive;
    }
}

const xp__range xp__range_nothing = {INFINITY, -INFINITY, INFINITY};

/* A range that can be drawn: not empty, not a point. */
void xp__range_settle(xp__range *r) {
    if (r->low > r->high) {
        *r = (xp__range){0, 1, 1};
    }
    if (!(r->high > r->low)) {
        r->high = r->low + (r->low != 0 ? fabs(r->low) : 1);
    }
}

xp_status xp__plot_script(const xp__chart *chart, xp__text *script, xp_error *error) {
    xp__picture picture;
    const xp_status status = xp__picture_init(&picture, chart, error);
    if (status != XP_OK) {
        return status;
    }
    if (picture.panel_count > 0) {
        begin(script, &picture);
        legend(script, &picture);
    }
    for (size_t i = 0; i < picture.panel_count; i++) {
        if (picture.panels[i].kind == XP__PANEL_SERIES) {
            xp__script_series(script, &picture, i);
        } else {
            xp__script_rows(script, &picture, i);
        }
        /* What is placed on the whole picture belongs to the first panel's plot. */
        xp__text_append(script, "unset label\nunset arrow\nunset object\n");
    }
    if (picture.panel_count > 0) {
        xp__text_append(script, "unset multiplot\n");
    }
    xp__picture_deinit(&picture);
    return script->failed ? xp__no_memory(error) : XP_OK;
}
