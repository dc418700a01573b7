/* budget.h: how much memory one table, document or ensemble may take.
 *
 * A few bytes of input can ask for gigabytes: the number 65535 is as many network inputs. What is
 * needed is computed before anything is allocated, and refused with a sentence. */
#ifndef XP_BASE_BUDGET_H
#define XP_BASE_BUDGET_H

#include "experior/base.h"

#define XP__BUDGET ((size_t)1 << 30)

/* Refuses, as XP_ERR_INPUT, count × size bytes above the budget. The sentence begins with `what`,
 * the thing that needs them, and ends with `way_out`, how to need less. */
xp_status xp__budget_check(size_t count, size_t size, const char *what, const char *way_out,
                           xp_error *error);

#endif
