/* archive.c: all that training changes in an ensemble, as bytes (base/archive.h).
 *
 * Rows are kept as they lie, pending steps and all: settling them would round. Padding is not kept,
 * nor are the moments of a row that no batch has had, which are zero. What Adam's schedule says is
 * a function of the step. */
#include "net/net_type.h"

#include <float.h>
#include <string.h>

/* Far below the step at which the counters of rows end. */
static const uint64_t most_steps = UINT32_MAX / 2;

/* Which rows batches have had, in order of appearance, and when last. */
static void archive_visits(xp__net *net, xp__archive *archive) {
    const size_t inputs = net->options.hot > 0 ? net->options.inputs : 0;
    xp__archive_size(archive, &net->visited_count, inputs);
    if (xp__archive_reading(archive)) {
        memset(net->last, 0, inputs * sizeof net->last[0]);
    }
    for (size_t i = 0; i < net->visited_count; i++) {
        uint32_t input = net->visited[i];
        XP__ARCHIVE(archive, input);
        const bool is_new =
            input < inputs && (!xp__archive_reading(archive) || net->last[input] == 0);
        xp__archive_check(archive, is_new, "an input of a network is unknown or listed twice");
        net->visited[i] = input = is_new ? input : 0;
        XP__ARCHIVE(archive, net->last[input]);
        /* Without tails (schedule.h) no row may be late. */
        xp__archive_check(archive,
                          net->last[input] > 0 && net->last[input] <= net->step &&
                              (net->schedule.tail != NULL || net->last[input] == net->step),
                          "a row of a network was last used at an impossible step");
    }
}

static void archive_records(xp__net *net, size_t member, xp__archive *archive) {
    const size_t hidden = net->options.hidden, stride = net->stride;
    float *row = xp__net_records(net, member);
    for (size_t i = 0; i < net->options.inputs && archive->fault == NULL; i++, row += 3 * stride) {
        xp__archive_floats(archive, row, hidden, -FLT_MAX);
        if (net->options.hot > 0 && net->last[i] == 0) {
            memset(row + stride, 0, 2 * stride * sizeof *row);
            continue;
        }
        xp__archive_floats(archive, row + stride, hidden, -FLT_MAX);
        xp__archive_floats(archive, row + 2 * stride, hidden, 0);
    }
}

/* Parameters, first and second moments. */
static void archive_small(xp__net *net, size_t member, xp__archive *archive) {
    const size_t tail = xp__net_bias3(net);
    for (size_t part = 0; part < 3; part++) {
        float *block = xp__net_small(net, member) + part * net->small;
        const float low = part < 2 ? -FLT_MAX : 0;
        for (size_t at = 0; at < tail; at += net->stride) {
            xp__archive_floats(archive, block + at, net->options.hidden, low);
        }
        xp__archive_floats(archive, block + tail, net->options.actions, low);
    }
}

void xp__net_archive(xp__net *net, xp__archive *archive) {
    xp__archive_number(archive, &net->step, most_steps);
    archive_visits(net, archive);
    /* What is too short for its networks is not walked to their end. */
    for (size_t member = 0; member < net->options.members && archive->fault == NULL; member++) {
        archive_records(net, member, archive);
        archive_small(net, member, archive);
    }
}
