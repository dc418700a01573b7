/* evidence.c: see evidence.h: what is known of each policy, and how it is recorded. What follows
 * from it is in law.c. */
#include "agent/states/evidence/evidence.h"

#include "agent/states/evidence/law.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static size_t policies_of(const xp__evidence *evidence) {
    return evidence->options.fixed + evidence->options.changing;
}

xp_status xp__evidence_init(xp__evidence *evidence, const xp__evidence_options *options,
                            xp_error *error) {
    *evidence = (xp__evidence){.options = *options};
    const size_t policies = policies_of(evidence), fixed = options->fixed;
    evidence->prior = xp__alloc(fixed, sizeof(double));
    evidence->count = xp__alloc(policies, sizeof(double));
    evidence->mean = xp__alloc(policies, sizeof(double));
    evidence->square = xp__alloc(policies, sizeof(double));
    evidence->strange = xp__alloc(fixed, sizeof(double));
    evidence->least = xp__alloc(fixed, sizeof(double));
    evidence->most = xp__alloc(fixed, sizeof(double));
    evidence->tried = xp__alloc(fixed, sizeof(size_t));
    evidence->known = xp__alloc(fixed, sizeof(double));
    evidence->term = xp__alloc(xp__evidence_terms(fixed), sizeof(double));
    if (evidence->prior == NULL || evidence->count == NULL || evidence->mean == NULL ||
        evidence->square == NULL || evidence->strange == NULL || evidence->least == NULL ||
        evidence->most == NULL || evidence->tried == NULL || evidence->known == NULL ||
        evidence->term == NULL) {
        xp__evidence_deinit(evidence);
        return xp__no_memory(error);
    }
    xp__evidence_clear(evidence);
    return XP_OK;
}

void xp__evidence_deinit(xp__evidence *evidence) {
    xp__free(evidence->prior);
    xp__free(evidence->count);
    xp__free(evidence->mean);
    xp__free(evidence->square);
    xp__free(evidence->strange);
    xp__free(evidence->least);
    xp__free(evidence->most);
    xp__free(evidence->tried);
    xp__free(evidence->known);
    xp__free(evidence->term);
    *evidence = (xp__evidence){.count = NULL};
}

void xp__evidence_clear(xp__evidence *evidence) {
    const size_t bytes = policies_of(evidence) * sizeof(double);
    memset(evidence->count, 0, bytes);
    memset(evidence->mean, 0, bytes);
    memset(evidence->square, 0, bytes);
    memset(evidence->strange, 0, evidence->options.fixed * sizeof(double));
    for (size_t k = 0; k < evidence->options.fixed; k++) {
        evidence->least[k] = INFINITY;
        evidence->most[k] = -INFINITY;
    }
    evidence->tried_count = 0;
    evidence->pool_count = evidence->pool_mean = 0;
    evidence->before = 1;
    evidence->low = INFINITY;
    evidence->high = -INFINITY;
}

/* Episodes of others, of which each makes the changing policies forget as much together as one of
 * their own. */
static const double idle_memory = 4;

static void add_return(xp__evidence *evidence, size_t at, double value, double keep) {
    double *count = &evidence->count[at], *mean = &evidence->mean[at];
    const double away = value - *mean;
    *count = keep * *count + 1;
    *mean += away / *count;
    evidence->square[at] = keep * evidence->square[at] + away * (value - *mean);
}

void xp__evidence_record(xp__evidence *evidence, size_t policy, double value, bool strange) {
    const xp__evidence_options *o = &evidence->options;
    assert(policy < policies_of(evidence));
    evidence->low = fmin(evidence->low, value);
    evidence->high = fmax(evidence->high, value);
    /* What changes does so in the others' episodes too. */
    const double slowly = 1 - 1 / (o->memory * (double)o->changing);
    evidence->before *= slowly;
    for (size_t k = o->fixed; k < policies_of(evidence); k++) {
        evidence->count[k] *= slowly;
        evidence->square[k] *= slowly;
    }
    evidence->pool_count *= 1 - 1 / (o->memory * idle_memory);
    if (policy >= o->fixed) {
        evidence->pool_count = evidence->pool_count * (1 - 1 / o->memory) + 1;
        evidence->pool_mean += (value - evidence->pool_mean) / evidence->pool_count;
        add_return(evidence, policy, value, 1 - 1 / o->memory);
        return;
    }
    if (evidence->count[policy] == 0) {
        evidence->tried[evidence->tried_count++] = policy;
    }
    add_return(evidence, policy, value, 1);
    evidence->strange[policy] += strange;
}

void xp__evidence_record_rewards(xp__evidence *evidence, size_t policy, double least, double most) {
    if (policy < evidence->options.fixed) {
        evidence->least[policy] = fmin(evidence->least[policy], least);
        evidence->most[policy] = fmax(evidence->most[policy], most);
    }
}

/* Those that were tried are listed once each, and are those that have returns. */
static void archive_tried(xp__evidence *evidence, xp__archive *archive) {
    const size_t fixed = evidence->options.fixed;
    size_t with_returns = 0;
    for (size_t k = 0; k < fixed; k++) {
        with_returns += evidence->count[k] > 0;
    }
    xp__archive_size(archive, &evidence->tried_count, fixed);
    for (size_t t = 0; t < evidence->tried_count; t++) {
        xp__archive_size(archive, &evidence->tried[t], fixed - 1);
        bool is_new = evidence->count[evidence->tried[t]] > 0;
        for (size_t u = 0; u < t; u++) {
            is_new = is_new && evidence->tried[u] != evidence->tried[t];
        }
        xp__archive_check(archive, is_new, "a policy is listed as tried that was not, or twice");
    }
    xp__archive_check(archive, with_returns == evidence->tried_count,
                      "a policy has returns that was not tried");
}

void xp__evidence_archive(xp__evidence *evidence, xp__archive *archive) {
    const size_t policies = policies_of(evidence), fixed = evidence->options.fixed;
    xp__archive_within(archive, evidence->prior, fixed, 0, 1 + 1e-9);
    xp__archive_within(archive, evidence->count, policies, 0, 0x1p52);
    xp__archive_finite(archive, evidence->mean, policies);
    xp__archive_within(archive, evidence->square, policies, 0, DBL_MAX);
    xp__archive_whole(archive, evidence->strange, fixed, 0x1p52);
    for (size_t k = 0; k < fixed; k++) {
        xp__archive_check(archive, evidence->strange[k] <= evidence->count[k],
                          "a policy has more strange episodes than episodes");
    }
    if (evidence->options.relative) {
        xp__archive_within(archive, &evidence->pool_count, 1, 0, 0x1p52);
        xp__archive_finite(archive, &evidence->pool_mean, 1);
    }
    xp__archive_within(archive, &evidence->before, 1, 0, 1);
    xp__archive_within(archive, &evidence->low, 1, -DBL_MAX, INFINITY);
    xp__archive_within(archive, &evidence->high, 1, -INFINITY, DBL_MAX);
    archive_tried(evidence, archive);
    if (evidence->options.relative) {
        xp__archive_within(archive, evidence->least, fixed, -DBL_MAX, INFINITY);
        xp__archive_within(archive, evidence->most, fixed, -INFINITY, DBL_MAX);
    }
}
