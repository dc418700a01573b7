/* plot_rows.c: the panels of a picture that show rows: agents down the side, ours and the paper's
 * for each, as bars or as dots. */
#include "picture/plot_parts.h"

#include <math.h>
#include <string.h>

/* The row of an agent in a panel; NULL if there is none. */
static const xp__chart_row *row_find(const xp__picture *picture, const xp__panel *panel,
                                     const char *agent) {
    for (size_t i = 0; i < picture->chart->row_count; i++) {
        const xp__chart_row *row = &picture->chart->rows[i];
        if (strcmp(row->agent, agent) == 0 && strcmp(row->group, panel->group) == 0 &&
            strcmp(row->measure, picture->measure) == 0) {
            return row;
        }
    }
    return NULL;
}

/* Columns: height on the axis, mean, its ends, the paper's mean, its ends, and where the mean's
 * text goes. */
static void rows_data(xp__text *script, const xp__picture *picture, const xp__panel *panel,
                      size_t index, xp__range *values) {
    const size_t count = picture->down_side.count;
    for (size_t i = 0; i < count; i++) {
        const xp__chart_row *row = row_find(picture, panel, picture->down_side.name[i]);
        if (row != NULL) {
            xp__range_include(values, row->mean);
            xp__range_include(values, row->paper_mean);
        }
    }
    xp__text_format(script, "$rows%zu << END\n", index);
    for (size_t i = 0; i < count; i++) {
        const xp__chart_row *row = row_find(picture, panel, picture->down_side.name[i]);
        const double mean = row != NULL ? row->mean : NAN, se = row != NULL ? row->se : NAN;
        const double paper = row != NULL ? row->paper_mean : NAN;
        const double paper_se = row != NULL ? row->paper_se : NAN;
        /* On a log axis a bar that would reach 0 ends at the left edge. */
        const double floor_at = picture->log_rows ? 0.5 * values->least_positive : -INFINITY;
        const double low = fmax(mean - se, floor_at), paper_low = fmax(paper - paper_se, floor_at);
        const bool whole = isfinite(se), paper_whole = isfinite(paper_se);
        xp__range_include(values, whole ? mean + se : mean);
        xp__range_include(values, whole ? low : mean);
        xp__range_include(values, paper_whole ? paper + paper_se : paper);
        xp__text_format(script, "%zu %s %s %s %s %s %s %s\n", count - 1 - i, xp__num(mean).text,
                        xp__num(whole ? low : NAN).text, xp__num(mean + se).text,
                        xp__num(paper).text, xp__num(paper_whole ? paper_low : NAN).text,
                        xp__num(paper + paper_se).text, xp__num(whole ? mean + se : mean).text);
    }
    xp__text_append(script, "END\n");
}

static void bars(xp__text *script, const xp__picture *picture, size_t index,
                 const xp__range *values) {
    const int decimals = fmax(fabs(values->low), fabs(values->high)) < 2 ? 2 : 1;
    const bool paper = picture->rows_have_paper;
    for (size_t i = 0; i < picture->down_side.count; i++) {
        const char *colour = xp__picture_colour(picture, picture->down_side.name[i]);
        xp__text_format(script,
                        "%s$rows%zu every ::%zu::%zu using 2:1:(0):2:%s with boxxyerror fs solid 1 "
                        "noborder lc rgb '%s'",
                        i != 0 ? ", " : "plot ", index, i, i,
                        paper ? "($1+0.04):($1+0.38)" : "($1-0.3):($1+0.3)", colour);
        if (paper) {
            xp__text_format(script,
                            ", $rows%zu every ::%zu::%zu using 5:1:(0):5:($1-0.36):($1-0.04) with "
                            "boxxyerror fs empty lc rgb '%s' lw 1.2",
                            index, i, i, colour);
        }
    }
    const char *at = paper ? "($1+0.21)" : "1";
    xp__text_format(script,
                    ", $rows%zu using 3:%s:($4-$3):(0) with vectors nohead lc rgb '#999999' lw 1.6",
                    index, at);
    if (paper) {
        xp__text_format(script,
                        ", $rows%zu using 6:($1-0.2):($7-$6):(0) with vectors nohead lc rgb "
                        "'#999999' lw 1.2",
                        index);
    }
    xp__text_format(
        script,
        ", $rows%zu using 8:%s:(sprintf('%%.%df',abs($2)<%s?0:$2)) with labels left offset "
        "0.6,0 font 'sans,10'\n",
        index, at, decimals, decimals == 2 ? "0.005" : "0.05");
}

static void dots(xp__text *script, const xp__picture *picture, size_t index) {
    xp__text_format(script,
                    "plot $rows%zu using 5:1:($2-$5):(0) with vectors nohead lc rgb '#c8c8c8' "
                    "lw 1.5",
                    index);
    for (size_t i = 0; i < picture->down_side.count; i++) {
        const char *colour = xp__picture_colour(picture, picture->down_side.name[i]);
        xp__text_format(
            script,
            ", $rows%zu every ::%zu::%zu using 6:1:($7-$6):(0) with vectors nohead lc rgb '%s' "
            "lw 0.8, $rows%zu every ::%zu::%zu using 5:1 with points pt 6 ps 0.8 lc rgb '%s'"
            ", $rows%zu every ::%zu::%zu using 3:1:($4-$3):(0) with vectors nohead lc rgb '%s' "
            "lw 2, $rows%zu every ::%zu::%zu using 2:1 with points pt 7 ps 0.8 lc rgb '%s'",
            index, i, i, colour, index, i, i, colour, index, i, i, colour, index, i, i, colour);
    }
    xp__text_append(script, "\n");
}

void xp__script_rows(xp__text *script, const xp__picture *picture, size_t index) {
    const xp__panel *panel = &picture->panels[index];
    xp__range values = xp__range_nothing;
    rows_data(script, picture, panel, index, &values);
    xp__range_settle(&values);
    xp__script_place(script, picture, panel);
    const bool filled = panel->kind == XP__PANEL_BARS;
    if (picture->log_rows) {
        xp__script_axis(script, 'x', 0.8 * values.least_positive, 1.25 * values.high, true, 0);
    } else {
        const double low = fmin(values.low, 0), high = fmax(values.high, 0);
        const double room = (high - low) * (filled ? 0.2 : 0.05);
        xp__script_axis(script, 'x', low < 0 ? low - room : 0, high + room, false, 5.5);
    }
    const size_t count = picture->down_side.count;
    xp__text_format(script, "set yrange [-0.6:%s]\nunset logscale y\nset ytics (",
                    xp__num((double)count - 0.4).text);
    for (size_t i = 0; i < count; i++) {
        xp__text_append(script, i != 0 ? ", " : "");
        xp__script_label(script, panel->first_column ? picture->down_side.name[i] : "",
                         XP__LABEL_LIMIT);
        xp__text_format(script, " %zu", count - 1 - i);
    }
    xp__text_append(script, ")\nset grid noytics\nset grid xtics\n");
    xp__script_axis_labels(script, picture, panel, panel->last_row ? picture->measure : "", "");
    if (filled) {
        bars(script, picture, index, &values);
    } else {
        xp__text_append(script, "set grid ytics\n");
        dots(script, picture, index);
    }
}
