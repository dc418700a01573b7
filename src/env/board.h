/* board.h: an environment as a board of cells, for pictures.
 *
 * Cells are numbered row by row from the top left. What is here is what a learner knows: where a
 * state is on the board, and where an action would lead if nothing hidden interfered. The marks of
 * a task, which tell what is hidden, are behind xp__task_board (context.h). */
#ifndef XP_ENV_BOARD_H
#define XP_ENV_BOARD_H

#include "experior/env.h"

/* How a mark is drawn. */
typedef enum xp__sign {
    XP__SIGN_START,
    XP__SIGN_GOAL,
    XP__SIGN_RISK,  /* may be dangerous */
    XP__SIGN_DANGER /* is so in this episode */
} xp__sign;

/* `label` is what the legend says of all marks of that sign; a static string. */
typedef struct xp__board_mark {
    size_t cell;
    xp__sign sign;
    const char *label;
} xp__board_mark;

enum { XP__BOARD_MARKS = 12, XP__BOARD_TITLE = 96 };

typedef struct xp__board {
    char title[XP__BOARD_TITLE]; /* "Deep Sea, 30 × 30, goal in column 29" */
    size_t rows, columns;
    /* What the columns of the last row are if episodes end in one of them: their shares are then
     * drawn once more, as bars below. NULL: they are not. */
    const char *ends;
    xp__board_mark marks[XP__BOARD_MARKS];
    size_t mark_count;
} xp__board;

/* Whether the environment can be drawn. The other functions need that. */
bool xp__board_exists(const xp_env *env);
/* Cell of a state. */
size_t xp__board_cell(const xp_env *env, const double *state);
/* Replaces a state by the one to which the action leads by the rules that a learner knows; what it
 * is not shown does not happen. False if that ends the episode; the state is then where it ends. */
bool xp__board_move(const xp_env *env, size_t action, double *state);

#endif
