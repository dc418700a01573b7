/* budget.c: see budget.h. */
#include "base/budget.h"

xp_status xp__budget_check(size_t count, size_t size, const char *what, const char *way_out,
                           xp_error *error) {
    const double mebibyte = 1024 * 1024;
    const double needed = (double)count * (double)size; /* exact wherever it decides */
    return needed <= (double)XP__BUDGET
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "%.250s would take %.0f MiB of memory, and at most %.0f are allowed; "
                              "%s",
                              what, needed / mebibyte, (double)XP__BUDGET / mebibyte, way_out);
}
