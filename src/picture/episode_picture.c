/* episode_picture.c: a recorded episode as a picture.
 *
 * The board at the left: how many of the agent's plans pass each cell in blue, the truth in green
 * and orange, the path in ink. If episodes end in the last row, its shares stand below once more,
 * as bars. The legend at the right. Nothing is referred to, not even inside the file: there are no
 * ids, so any number of pictures can stand in one page. The path is drawn whole; the dot that walks
 * it rests at its end where animation is not supported. */
#include "picture/episode_picture.h"

#include "math/argmax.h"
#include "picture/shapes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum {
    MARGIN = 28,
    TOP = 88,         /* of the board */
    SIDE = 540,       /* of the board */
    PANEL = 600,      /* left edge of the legend */
    LEGEND_TEXT = 36, /* from there */
    WIDTH = 860,
    BAR_TOP = 14, /* below the board */
    BAR_HEIGHT = 48,
    STRIP = 92
};

typedef struct sketch {
    const xp__record *record;
    double cell; /* width of one */
    double left; /* of the board: it is in the middle of its place if it is narrow */
    xp__text *text;
} sketch;

static double middle_x(const sketch *to, size_t cell) {
    assert(to->record->board.columns > 0);
    return to->left + ((double)(cell % to->record->board.columns) + 0.5) * to->cell;
}

static double middle_y(const sketch *to, size_t cell) {
    assert(to->record->board.columns > 0);
    return TOP + ((double)(cell / to->record->board.columns) + 0.5) * to->cell;
}

/* Its ink grows with the root, so that one plan among fifty can be seen. */
static double opacity(double share) {
    return 0.75 * sqrt(share < 1 ? share : 1);
}

static void heading(sketch *to) {
    const xp__record *record = to->record;
    xp__text line = {.data = NULL};
    xp__text_format(&line, "%s · episode %zu · return ", record->board.title, record->episode);
    xp__shape_neat(&line, record->total);
    xp__text_format(&line, " · %zu step%s", record->length, record->length == 1 ? "" : "s");
    to->text->failed |= line.failed;
    if (line.data != NULL) {
        xp__text name = {.data = NULL};
        xp__text_line(&name, record->agent, 76, '\0');
        to->text->failed |= name.failed;
        xp__text_append(to->text, "<title>");
        xp__text_html(to->text, name.data != NULL ? name.data : "");
        xp__text_append(to->text, ": ");
        xp__text_html(to->text, line.data);
        xp__text_append(to->text, "</title>\n");
        xp__text_append(to->text, xp__shape_style);
        xp__shape_rectangle(to->text, "xpb-paper", 0, 0, WIDTH,
                            TOP + SIDE + MARGIN + (record->board.ends != NULL ? STRIP : 0), "",
                            "/>\n");
        xp__shape_text(to->text, MARGIN, 42, " class=\"xpb-title\"",
                       name.data != NULL ? name.data : "");
        xp__shape_text(to->text, MARGIN, 66, " class=\"xpb-soft\"", line.data);
        xp__text_deinit(&name);
    }
    xp__text_deinit(&line);
}

static void board(sketch *to) {
    const xp__board *board = &to->record->board;
    const double width = to->cell * (double)board->columns, height = to->cell * (double)board->rows;
    xp__shape_rectangle(to->text, "xpb-ice", to->left, TOP, width, height, "", "/>\n");
    for (size_t cell = 0; cell < board->rows * board->columns; cell++) {
        const double share = to->record->shares[cell];
        if (share >= 0.0005) {
            xp__shape_rectangle(to->text, "xpb-share", middle_x(to, cell) - to->cell / 2,
                                middle_y(to, cell) - to->cell / 2, to->cell, to->cell, "", "");
            xp__shape_attribute(to->text, "fill-opacity", opacity(share), 3);
            xp__text_append(to->text, "><title>");
            xp__shape_percent(to->text, share);
            xp__text_append(to->text, "</title></rect>\n");
        }
    }
    if (to->cell >= 6) { /* a finer grid would be grey all over */
        xp__text_append(to->text, "<path class=\"xpb-grid\" d=\"");
        for (size_t column = 1; column < board->columns; column++) {
            xp__text_append(to->text, "M");
            xp__shape_number(to->text, to->left + to->cell * (double)column);
            xp__text_format(to->text, " %dv", TOP);
            xp__shape_number(to->text, height);
        }
        for (size_t row = 1; row < board->rows; row++) {
            xp__text_append(to->text, "M");
            xp__shape_number(to->text, to->left);
            xp__text_append(to->text, " ");
            xp__shape_number(to->text, TOP + to->cell * (double)row);
            xp__text_append(to->text, "h");
            xp__shape_number(to->text, width);
        }
        xp__text_append(to->text, "\"/>\n");
    }
    xp__shape_rectangle(to->text, "xpb-frame", to->left, TOP, width, height, "", "/>\n");
}

static void marks(sketch *to) {
    for (size_t i = 0; i < to->record->board.mark_count; i++) {
        const xp__board_mark *mark = &to->record->board.marks[i];
        xp__shape_sign(to->text, mark->sign, middle_x(to, mark->cell), middle_y(to, mark->cell),
                       to->cell);
    }
}

static void polyline(sketch *to, const char *class, double stroke) {
    const xp__record *record = to->record;
    xp__text_format(to->text,
                    "<polyline class=\"%s\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
                    class);
    xp__shape_attribute(to->text, "stroke-width", stroke, 1);
    xp__text_append(to->text, " points=\"");
    for (size_t i = 0; i <= record->length; i++) {
        xp__text_append(to->text, i > 0 ? " " : "");
        xp__shape_number(to->text, middle_x(to, record->cells[i]));
        xp__text_append(to->text, ",");
        xp__shape_number(to->text, middle_y(to, record->cells[i]));
    }
    xp__text_append(to->text, "\"/>\n");
}

/* A dot at the end of the path, and one that walks to it. The motion is relative to where the dot
 * rests, and its last point is repeated: the dot stays there a moment. */
static void walker(sketch *to, double stroke) {
    const xp__record *record = to->record;
    const size_t last = record->cells[record->length], rest = record->length / 4 + 2;
    const double x = middle_x(to, last), y = middle_y(to, last);
    xp__shape_circle(to->text, "xpb-end", x, y, 1.7 * stroke, 0);
    xp__text_append(to->text, "/>\n");
    xp__shape_circle(to->text, "xpb-end xpb-walker", x, y, 2.2 * stroke, 0.6 * stroke);
    xp__text_append(to->text, "><animateMotion repeatCount=\"indefinite\" dur=\"");
    xp__shape_number(to->text, fmin(fmax(0.3 * (double)(record->length + rest), 2.5), 12));
    xp__text_append(to->text, "s\" values=\"");
    for (size_t i = 0; i <= record->length; i++) {
        xp__shape_number(to->text, middle_x(to, record->cells[i]) - x);
        xp__text_append(to->text, ",");
        xp__shape_number(to->text, middle_y(to, record->cells[i]) - y);
        xp__text_append(to->text, ";");
    }
    for (size_t i = 0; i < rest; i++) {
        xp__text_append(to->text, i > 0 ? ";0,0" : "0,0");
    }
    xp__text_append(to->text, "\"/></circle>\n");
}

static size_t likeliest_end(const xp__record *record) {
    const size_t columns = record->board.columns;
    const double *ends = record->shares + (record->board.rows - 1) * columns;
    return xp__argmax(ends, columns);
}

/* Column numbers below the strip: the first, the last, and those with a goal. */
static void strip_numbers(sketch *to, double y) {
    const xp__board *board = &to->record->board;
    const size_t columns = board->columns;
    assert(columns > 0);
    const double room = fmax(34, to->cell);
    size_t goal = columns; /* none */
    for (size_t i = 0; i < board->mark_count; i++) {
        const size_t cell = board->marks[i].cell;
        if (board->marks[i].sign == XP__SIGN_GOAL && cell / columns + 1 == board->rows) {
            goal = cell % columns;
        }
    }
    const size_t shown[] = {0, columns - 1, goal};
    for (size_t i = 0; i < 3 && shown[i] < columns; i++) {
        const double x = to->left + to->cell * ((double)shown[i] + 0.5);
        const double away = fabs((double)shown[i] - (double)goal) * to->cell;
        if (i < 2 && goal < columns && away < room) {
            continue; /* the goal's number goes there */
        }
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", shown[i]);
        xp__shape_text(to->text, x, y + 18,
                       i == 2 ? " text-anchor=\"middle\" font-weight=\"600\""
                              : " class=\"xpb-soft\" text-anchor=\"middle\"",
                       number);
        if (i == 2) {
            xp__shape_sign(to->text, XP__SIGN_GOAL, x, y + 34, 13);
        }
    }
}

static void strip(sketch *to) {
    const xp__record *record = to->record;
    const size_t columns = record->board.columns;
    const double *ends = record->shares + (record->board.rows - 1) * columns;
    const double most = ends[likeliest_end(record)];
    const double bottom = TOP + SIDE + BAR_TOP + BAR_HEIGHT;
    for (size_t column = 0; column < columns && most > 0; column++) {
        if (ends[column] >= 0.0005) {
            const double height = BAR_HEIGHT * ends[column] / most, gap = fmin(2, to->cell * 0.15);
            xp__shape_rectangle(to->text, "xpb-share",
                                to->left + to->cell * (double)column + gap / 2, bottom - height,
                                to->cell - gap, height, " fill-opacity=\"0.8\"", ">");
            xp__text_append(to->text, "<title>");
            xp__text_format(to->text, "%s %zu: ", record->board.ends, column);
            xp__shape_percent(to->text, ends[column]);
            xp__text_append(to->text, "</title></rect>\n");
        }
    }
    xp__text_append(to->text, "<path class=\"xpb-frame\" d=\"M");
    xp__shape_number(to->text, to->left);
    xp__text_append(to->text, " ");
    xp__shape_number(to->text, bottom);
    xp__text_append(to->text, "h");
    xp__shape_number(to->text, to->cell * (double)columns);
    xp__text_append(to->text, "\"/>\n");
    strip_numbers(to, bottom);
}

static double legend_signs(sketch *to, double y) {
    const xp__board *board = &to->record->board;
    for (size_t i = 0; i < board->mark_count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++) {
            seen = seen || board->marks[j].sign == board->marks[i].sign;
        }
        if (!seen) {
            xp__shape_sign(to->text, board->marks[i].sign, PANEL + 11, y - 5, 20);
            y = xp__shape_paragraph(to->text, PANEL + LEGEND_TEXT, y, "", board->marks[i].label) +
                10;
        }
    }
    return y;
}

static double legend_scale(sketch *to, double y) {
    static const double shares[] = {0.01, 0.1, 0.25, 0.5, 1};
    enum { STEPS = sizeof shares / sizeof shares[0], STEP = 44 };
    for (size_t i = 0; i < STEPS; i++) {
        char number[16];
        const double x = PANEL + (double)(STEP * i);
        xp__shape_rectangle(to->text, "xpb-ice", x, y, STEP, 16, "", "/>\n");
        xp__shape_rectangle(to->text, "xpb-share", x, y, STEP, 16, "", "");
        xp__shape_attribute(to->text, "fill-opacity", opacity(shares[i]), 3);
        xp__text_append(to->text, "/>\n");
        (void)snprintf(number, sizeof number, "%.0f %%", 100 * shares[i]);
        xp__shape_text(to->text, x + STEP / 2.0, y + 32,
                       " class=\"xpb-soft\" text-anchor=\"middle\"", number);
    }
    xp__shape_rectangle(to->text, "xpb-frame", PANEL, y, STEP * STEPS, 16, "", "/>\n");
    return y + 58;
}

/* How many plans, and how uncertain it is between them. */
static void plans(xp__text *words, const xp__record *record) {
    const double all = (double)record->policies;
    xp__text_format(words, "%zu plan%s", record->policies, record->policies == 1 ? "" : "s");
    if (record->policies > 1 && record->effective < 1.05) {
        xp__text_append(words, ", nearly all weight on one");
    } else if (record->policies > 1 && record->effective > all - 0.05) {
        xp__text_append(words, ", equally likely");
    } else if (record->policies > 1) {
        xp__text_append(words, ", as uncertain as ");
        xp__text_fixed(words, record->effective, 1, "−");
        xp__text_append(words, " equally likely ones");
    }
}

static void legend(sketch *to) {
    const xp__record *record = to->record;
    double y = TOP + 14;
    xp__text_format(to->text,
                    "<path class=\"xpb-path\" stroke-width=\"2.6\" stroke-linecap=\"round\" "
                    "d=\"M%d %.0fh18\"/>\n",
                    PANEL + 2, y - 5);
    xp__shape_circle(to->text, "xpb-end", PANEL + 20, y - 5, 4.4, 0);
    xp__text_append(to->text, "/>\n");
    y = xp__shape_paragraph(to->text, PANEL + LEGEND_TEXT, y, "", "path of this episode") + 10;
    y = legend_signs(to, y) + 12;
    xp__text words = {.data = NULL};
    if (record->policies == 0) {
        xp__text_append(&words, "This agent tells of no plans among which it draws.");
    } else {
        y = xp__shape_paragraph(to->text, PANEL, y, " font-weight=\"600\"",
                                "What the agent believed") +
            2;
        y = xp__shape_paragraph(to->text, PANEL, y, " class=\"xpb-soft\"",
                                "share of its plans that pass a square, before the episode");
        y = legend_scale(to, y - 4);
        plans(&words, record);
    }
    (void)xp__shape_paragraph(to->text, PANEL, y, " class=\"xpb-soft\"",
                              words.data != NULL ? words.data : "");
    to->text->failed |= words.failed;
    xp__text_deinit(&words);
    if (record->board.ends != NULL && record->policies > 0) {
        xp__text end = {.data = NULL};
        const size_t best = likeliest_end(record);
        xp__text_format(&end, "where the plans end; likeliest: %s %zu, ", record->board.ends, best);
        xp__shape_percent(&end,
                          record->shares[(record->board.rows - 1) * record->board.columns + best]);
        (void)xp__shape_paragraph(to->text, PANEL, TOP + SIDE + BAR_TOP + 24, " class=\"xpb-soft\"",
                                  end.data != NULL ? end.data : "");
        to->text->failed |= end.failed;
        xp__text_deinit(&end);
    }
}

void xp__record_svg(const xp__record *record, xp__text *text) {
    const xp__board *shape = &record->board;
    const size_t longer = shape->rows > shape->columns ? shape->rows : shape->columns;
    sketch to = {.record = record, .cell = SIDE / (double)longer, .text = text};
    to.left = MARGIN + (SIDE - to.cell * (double)shape->columns) / 2;
    const int height = TOP + SIDE + MARGIN + (shape->ends != NULL ? STRIP : 0);
    xp__text_format(text,
                    "<svg class=\"xpb\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                    "%d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
                    WIDTH, height, WIDTH, height);
    heading(&to);
    board(&to);
    marks(&to);
    const double stroke = fmin(fmax(to.cell * 0.13, 1.6), 3.4);
    polyline(&to, "xpb-halo", 2.4 * stroke);
    polyline(&to, "xpb-path", stroke);
    walker(&to, stroke);
    if (shape->ends != NULL) {
        strip(&to);
    }
    legend(&to);
    xp__text_append(text, "</svg>\n");
}
