/* plot_layout.c: what a study's picture shows and where.
 *
 * Rows become bars (one panel a group) for groups that are also panels of curves, as in the paper's
 * Figure 2, or dots if the study has no series, as for its tables. Series become one panel for each
 * `panel` they name. An agent keeps its colour through the picture, and the usual agents keep
 * theirs through all pictures. */
#include "picture/plot_parts.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    TITLE = 26,         /* a panel's title, above it */
    TITLE_LINE = 18,    /* each further line of it */
    AXIS = 50,          /* tics and label, below it */
    BESIDE_SERIES = 64, /* tics and label, left of it */
    GAP = 26,           /* between panels */
    EDGE = 16,          /* right of the last panel */
    LEGEND_LINE = 20
};

/* Okabe and Ito's colours, which people with any colour vision tell apart, without their yellow
 * (too light for lines on white) and with a grey; then some of Tol's for pictures with more agents
 * than anyone's palette can hold apart. Black is the reference's. */
static const char *const palette[] = {"#000000", "#0072b2", "#009e73", "#d55e00", "#e69f00",
                                      "#cc79a7", "#808080", "#56b4e9", "#8c6d31", "#5e3c99",
                                      "#882255", "#999933", "#44aa99"};
enum { PALETTE = sizeof palette / sizeof palette[0] };
static const struct {
    const char *prefix;
    size_t colour;
} usual[] = {{"Oracle-TS (SGLD)", 12},
             {"Oracle", 0},
             {"ExPerior-MaxEnt (authors", 8},
             {"ExPerior-MaxEnt (β=10", 7},
             {"ExPerior-MaxEnt", 1},
             {"ExPerior-Param", 2},
             {"ExPerior", 1},
             {"Naive-TS (SGLD)", 9},
             {"Naive-TS", 3},
             {"Naive-UCB", 4},
             {"UCB-ExPLORe", 5},
             {"BC", 6},
             {"Behaviour cloning", 6},
             {"Successive elimination", 10},
             {"bound", 1}};

/* Index of the colour that an agent usually has, or PALETTE. */
static size_t usual_colour(const char *agent) {
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (strncasecmp(agent, usual[i].prefix, strlen(usual[i].prefix)) == 0) {
            return usual[i].colour;
        }
    }
    return PALETTE;
}

/* What labels of rows there are. */
static const char *agent_of(const xp__chart_row *row) {
    return row->agent;
}

static const char *group_of(const xp__chart_row *row) {
    return row->group;
}

static const char *measure_of(const xp__chart_row *row) {
    return row->measure;
}

/* Adds that label of the rows of a measure (any if NULL). */
static bool add_labels(xp__labels *labels, const xp__chart *chart, const char *measure,
                       const char *(*label_of)(const xp__chart_row *row)) {
    bool good = true;
    for (size_t i = 0; good && i < chart->row_count; i++) {
        if (measure == NULL || strcmp(chart->rows[i].measure, measure) == 0) {
            good = xp__labels_add(labels, label_of(&chart->rows[i]));
        }
    }
    return good;
}

/* The usual agents first; variants of them and all others share what is left, then repeat it. */
static bool choose_colours(xp__picture *picture) {
    const xp__chart *chart = picture->chart;
    bool good = add_labels(&picture->agents, chart, NULL, agent_of);
    for (size_t i = 0; good && i < chart->series_count; i++) {
        good = xp__labels_add(&picture->agents, chart->series[i].agent);
    }
    picture->colours = good ? xp__alloc(picture->agents.count, sizeof *picture->colours) : NULL;
    if (picture->colours == NULL) {
        return false;
    }
    bool taken[PALETTE + 1] = {[PALETTE] = true};
    for (size_t i = 0; i < picture->agents.count; i++) {
        const size_t colour = usual_colour(picture->agents.name[i]);
        if (!taken[colour]) {
            taken[colour] = true;
            picture->colours[i] = palette[colour];
        }
    }
    size_t next = 0;
    for (size_t i = 0; i < picture->agents.count; i++) {
        if (picture->colours[i] == NULL) {
            size_t tried = 0;
            do {
                next = next + 1 < PALETTE ? next + 1 : 1;
                tried++;
            } while (tried < PALETTE && taken[next]);
            taken[next] = true;
            picture->colours[i] = palette[next];
        }
    }
    return true;
}

const char *xp__picture_colour(const xp__picture *picture, const char *agent) {
    const size_t index = xp__labels_find(&picture->agents, agent);
    return index < picture->agents.count ? picture->colours[index] : palette[0];
}

/* The measure for which the paper has most numbers, the first of equals: that is the one to set
 * beside it. */
static const char *choose_measure(const xp__chart *chart, const xp__labels *measures) {
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < measures->count; i++) {
        size_t count = 1;
        for (size_t j = 0; j < chart->row_count; j++) {
            count += strcmp(chart->rows[j].measure, measures->name[i]) == 0 &&
                     isfinite(chart->rows[j].paper_mean);
        }
        if (count > most) {
            most = count;
            best = measures->name[i];
        }
    }
    return best;
}

/* The panel of curves that shows a group: "low entropy" for "low". */
static const char *panel_of_group(const xp__labels *panels, const char *group) {
    const size_t length = strlen(group);
    for (size_t i = 0; i < panels->count; i++) {
        const char *name = panels->name[i];
        if (strncasecmp(name, group, length) == 0 &&
            (name[length] == '\0' || name[length] == ' ')) {
            return name;
        }
    }
    return NULL;
}

static bool has_paper(const xp__chart *chart, const char *measure) {
    bool found = false;
    for (size_t i = 0; i < chart->row_count; i++) {
        found |=
            strcmp(chart->rows[i].measure, measure) == 0 && isfinite(chart->rows[i].paper_mean);
    }
    return found;
}

static bool spans(double low, double high, double factor) {
    return low > 0 && isfinite(high) && high > factor * low;
}

/* A log axis for dots if the numbers differ by more than a linear one can show. */
static bool rows_span(const xp__chart *chart, const char *measure) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < chart->row_count; i++) {
        const xp__chart_row *row = &chart->rows[i];
        if (strcmp(row->measure, measure) == 0) {
            low = fmin(low, fmin(row->mean, row->paper_mean)); /* fmin passes over NAN */
            high = fmax(high, fmax(row->mean, row->paper_mean));
        }
    }
    return spans(low, high, 30);
}

/* The same for curves, judged by where they end. Returns are never drawn so: they may be below 0 on
 * the way, and what counts is how near they come to the best. */
static bool series_span(const xp__chart *chart, double *least) {
    double low = INFINITY, high = 0;
    bool returns = false;
    for (size_t i = 0; i < chart->series_count; i++) {
        const xp_series *series = &chart->series[i];
        if (!series->scatter && series->n > 0) {
            returns |= strstr(series->y_label, "return") != NULL;
            low = fmin(low, series->y[series->n - 1]);
            high = fmax(high, series->y[series->n - 1]);
        }
    }
    *least = low;
    return !returns && spans(low, high, 30);
}

static size_t columns_for(size_t panels) {
    return panels <= 3 ? panels : panels == 4 ? 2 : 3;
}

/* Pixels of a character whatever sans-serif font the reader has: on average, at most, and bold. */
static const double usual_pixels = 6.3, wide_pixels = 7, bold_pixels = 7.2;

size_t xp__title_line(const char *title, size_t limit) {
    size_t length = 0, width = 0;
    do {
        const char *part = title + length, *end = part + strcspn(part, ",");
        end += strspn(end, ", ");
        for (const char *at = part; at < end; at++) {
            width += ((unsigned char)*at & 0xc0) != 0x80; /* not a continuation byte */
        }
        if (length > 0 && width > limit) {
            break;
        }
        length = (size_t)(end - title);
    } while (title[length] != '\0');
    return length;
}

/* Pixels above a panel for a title of as many lines as it needs. */
static double title_height(const xp__panel *panel) {
    const char *rest = panel->title + xp__title_line(panel->title, panel->title_limit);
    double height = TITLE;
    for (; *rest != '\0'; rest += xp__title_line(rest, panel->title_limit)) {
        height += TITLE_LINE;
    }
    return height;
}

/* Sets `count` panels from `first` in a grid below `top`; returns where the next thing may begin.
 */
static double arrange(xp__picture *picture, size_t first, size_t count, double top, double beside,
                      double gap, double tall) {
    const size_t columns = columns_for(count);
    const double width =
        (XP__PLOT_WIDTH - beside - EDGE - gap * (double)(columns - 1)) / (double)columns;
    double title = TITLE;
    for (size_t i = 0; i < count; i++) {
        xp__panel *panel = &picture->panels[first + i];
        panel->title_limit = (size_t)((width + gap) / bold_pixels);
        title = fmax(title, title_height(panel));
    }
    for (size_t i = 0; i < count; i++) {
        xp__panel *panel = &picture->panels[first + i];
        const size_t column = i % columns, row = i / columns;
        panel->first_column = column == 0;
        panel->last_row = i + columns >= count;
        panel->left = beside + (width + gap) * (double)column;
        panel->right = panel->left + width;
        panel->top = top + title + (tall + title + AXIS) * (double)row;
        panel->bottom = panel->top + tall;
    }
    return top + (tall + title + AXIS) * (double)((count + columns - 1) / columns);
}

static double text_width(const char *label, double pixels) {
    const size_t width = xp__text_width(label);
    return pixels * (double)(width < XP__LABEL_LIMIT ? width : XP__LABEL_LIMIT);
}

static double widest(const xp__labels *labels) {
    double width = 0;
    for (size_t i = 0; i < labels->count; i++) {
        width = fmax(width, text_width(labels->name[i], wide_pixels));
    }
    return width;
}

static double entry_width(const xp__legend_entry *entry) {
    return 40 + text_width(entry->label, usual_pixels) + 18;
}

/* Places the entries from `first`: in one centred line if they fit, else in even columns. */
static void place_entries(xp__picture *picture, size_t first, double *y) {
    const size_t count = picture->legend_count - first;
    xp__legend_entry *entries = picture->legend + first;
    double sum = 0, most = 1;
    for (size_t i = 0; i < count; i++) {
        sum += entry_width(&entries[i]);
        most = fmax(most, entry_width(&entries[i]));
    }
    const double room = XP__PLOT_WIDTH - 2 * EDGE;
    const bool one_line = sum <= room;
    const size_t fit = most < room ? (size_t)(room / most) : 1;
    const size_t columns = one_line ? count : fit;
    double x = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % columns == 0) {
            x = EDGE + (room - (one_line ? sum : most * (double)columns)) / 2;
        }
        entries[i].x = x + 40;
        entries[i].y = *y + LEGEND_LINE * ((double)(i / columns) + 0.5);
        x += one_line ? entry_width(&entries[i]) : most;
    }
    *y += count > 0 ? LEGEND_LINE * (double)((count + columns - 1) / columns) : 0;
}

static void explain(xp__picture *picture, xp__mark mark, const char *colour, const char *label) {
    picture->legend[picture->legend_count++] =
        (xp__legend_entry){.mark = mark, .colour = colour, .label = label};
}

/* Agents by colour if there are curves; then what filled, open, solid and dashed mean. */
static bool make_legend(xp__picture *picture, const xp__labels *curves, double *y) {
    const xp__chart *chart = picture->chart;
    picture->legend = xp__alloc(curves->count + XP__LEGEND_MARKS, sizeof *picture->legend);
    if (picture->legend == NULL) {
        return false;
    }
    for (size_t i = 0; i < curves->count; i++) {
        explain(picture, XP__MARK_LINE, xp__picture_colour(picture, curves->name[i]),
                curves->name[i]);
    }
    place_entries(picture, 0, y);
    const size_t marks = picture->legend_count;
    const char *grey = "#777777";
    if (picture->measure != NULL && picture->rows_have_paper) {
        const bool bars = picture->panels[0].kind == XP__PANEL_BARS;
        explain(picture, bars ? XP__MARK_BOX : XP__MARK_DOT, grey, "this run");
        explain(picture, bars ? XP__MARK_FRAME : XP__MARK_RING, grey, "the paper");
    }
    bool paper_series = false;
    for (size_t i = 0; i < chart->series_count; i++) {
        paper_series |= chart->series[i].paper_n > 0;
    }
    if (paper_series) {
        explain(picture, XP__MARK_LINE, grey, "this run");
        explain(picture, XP__MARK_DASH, grey, "the paper");
    }
    place_entries(picture, marks, y);
    return true;
}

static bool add_panels(xp__picture *picture, const xp__labels *groups, const xp__labels *series,
                       xp__panel_kind kind) {
    picture->panels = xp__alloc(groups->count + series->count, sizeof *picture->panels);
    if (picture->panels == NULL) {
        return false;
    }
    for (size_t i = 0; i < groups->count; i++) {
        const char *shown = panel_of_group(series, groups->name[i]);
        picture->panels[picture->panel_count++] =
            (xp__panel){.kind = kind,
                        .group = groups->name[i],
                        .title = shown != NULL ? shown : groups->name[i]};
    }
    for (size_t i = 0; i < series->count; i++) {
        picture->panels[picture->panel_count++] = (xp__panel){
            .kind = XP__PANEL_SERIES, .name = series->name[i], .title = series->name[i]};
    }
    return true;
}

/* Keeps the groups that are drawn: all of them without series, else those with a panel of curves.
 */
static void keep_shown(xp__labels *groups, const xp__labels *series) {
    size_t kept = 0;
    for (size_t i = 0; i < groups->count; i++) {
        if (series->count == 0 || panel_of_group(series, groups->name[i]) != NULL) {
            groups->name[kept++] = groups->name[i];
        }
    }
    groups->count = kept;
}

static bool compose(xp__picture *picture, xp__labels *measures, xp__labels *groups,
                    xp__labels *series, xp__labels *curves) {
    const xp__chart *chart = picture->chart;
    bool good = choose_colours(picture) && add_labels(measures, chart, NULL, measure_of);
    for (size_t i = 0; good && i < chart->series_count; i++) {
        if (chart->series[i].n > 0) {
            good = xp__labels_add(series, chart->series[i].panel) &&
                   xp__labels_add(curves, chart->series[i].agent);
        }
    }
    picture->measure = choose_measure(chart, measures);
    good = good && add_labels(groups, chart, picture->measure, group_of);
    if (good) {
        keep_shown(groups, series);
    }
    const bool rows = good && groups->count > 0;
    picture->measure = rows ? picture->measure : NULL;
    good = good && (!rows || add_labels(&picture->down_side, chart, picture->measure, agent_of));
    good = good &&
           add_panels(picture, groups, series, series->count > 0 ? XP__PANEL_BARS : XP__PANEL_DOTS);
    if (!good || picture->panel_count == 0) {
        return good;
    }
    double y = XP__PLOT_HEADING;
    if (rows) {
        picture->rows_have_paper = has_paper(chart, picture->measure);
        picture->log_rows = series->count == 0 && rows_span(chart, picture->measure);
        const double step = series->count > 0 && picture->rows_have_paper ? 26 : 20;
        y = arrange(picture, 0, groups->count, y, widest(&picture->down_side) + 20, GAP,
                    step * (double)picture->down_side.count + 8);
    }
    if (series->count > 0) {
        picture->log_series = series_span(chart, &picture->least_end);
        const double tall = series->count == 1 ? 330 : series->count == 2 ? 270 : 220;
        y = arrange(picture, groups->count, series->count, y + (rows ? 10 : 0), BESIDE_SERIES,
                    BESIDE_SERIES, tall);
    }
    good = make_legend(picture, curves, &y);
    picture->height = ceil(y + 10);
    return good;
}

xp_status xp__picture_init(xp__picture *picture, const xp__chart *chart, xp_error *error) {
    *picture = (xp__picture){.chart = chart};
    xp__labels measures = {.name = NULL}, groups = {.name = NULL}, series = {.name = NULL},
               curves = {.name = NULL};
    const bool good = compose(picture, &measures, &groups, &series, &curves);
    xp__labels_deinit(&measures);
    xp__labels_deinit(&groups);
    xp__labels_deinit(&series);
    xp__labels_deinit(&curves);
    if (!good) {
        xp__picture_deinit(picture);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__picture_deinit(xp__picture *picture) {
    xp__labels_deinit(&picture->agents);
    xp__labels_deinit(&picture->down_side);
    xp__free(picture->colours);
    xp__free(picture->panels);
    xp__free(picture->legend);
    *picture = (xp__picture){.chart = NULL};
}
