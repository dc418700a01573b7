/* status.c: statuses in words, and the one place where an xp_error is filled. */
#include "base/text/text.h"

#include <stdarg.h>

#define XP_STRINGIFY_(x) #x
#define XP_STRINGIFY(x)  XP_STRINGIFY_(x)

const char *xp_version(void) {
    return XP_STRINGIFY(XP_VERSION_MAJOR) "." XP_STRINGIFY(XP_VERSION_MINOR) "." XP_STRINGIFY(
        XP_VERSION_PATCH);
}

const char *xp_status_summary(xp_status status) {
    static const char *const summaries[] = {
#define XP_STATUS_SUMMARY(name, summary) summary,
        XP_STATUS_LIST(XP_STATUS_SUMMARY)
#undef XP_STATUS_SUMMARY
    };
    const size_t count = sizeof summaries / sizeof summaries[0];
    return (size_t)status < count ? summaries[status] : "unknown status";
}

xp_status xp_error_set(xp_error *error, xp_status status, const char *format, ...) {
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        (void)xp__vformat(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}
