/* aggregate.c: interquartile means, probabilities of improvement and failures, over runs.
 *
 * Values are laid out as group → problem → runs. A resample draws as many problems as there are,
 * with replacement. Its draws serve all groups, since groups may hold the same problems (and runs)
 * over again, which must not count as more evidence; and the reference, which met the same
 * problems. Resample i of a measure draws from fork(fork(seed, measure), i), so that agents are
 * resampled alike. A resample is a weight for each problem, so that values are sorted once; a test
 * compares with the plain statistics.
 *
 * Intervals are expanded percentile intervals (Hesterberg, "What Teachers Should Know About the
 * Bootstrap", 2015): a resample of P problems varies less than a sample by P / (P - 1), and its
 * percentiles know nothing of Student's t. Percentiles further out make up for both. They cannot
 * where resamples reach no further than the problems themselves do: fewer than five have no
 * interval.
 *
 * A group in which an agent lacks runs that another has (units that are not finished, a fit without
 * a solution) has no part in its aggregates, as it has no row in the report. */
#include "study/aggregate.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/text/labels.h"
#include "experior/rng.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void xp_aggregate_options_init(xp_aggregate_options *options, size_t size) {
    const xp_aggregate_options own = {.size = sizeof own, .resamples = 2000, .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

static int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double xp__interquartile_mean(double *values, size_t n) {
    qsort(values, n, sizeof *values, compare_doubles);
    const size_t cut = n / 4;
    double sum = 0;
    for (size_t i = cut; i < n - cut; i++) {
        sum += values[i];
    }
    return n > 0 ? sum / (double)(n - 2 * cut) : NAN;
}

double xp__probability_of_improvement(const double *x, size_t n, const double *y, size_t m) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            sum += x[i] > y[j] ? 1 : x[i] == y[j] ? 0.5 : 0;
        }
    }
    return n > 0 && m > 0 ? sum / ((double)n * (double)m) : NAN;
}

void xp__clopper_pearson(size_t failures, size_t trials, double *low, double *high) {
    const double k = (double)failures, n = (double)trials;
    *low = failures == 0 ? 0 : xp__beta_quantile(0.025, k, n - k + 1);
    *high = failures == trials ? 1 : xp__beta_quantile(0.975, k + 1, n - k);
}

/* The runs of one agent by one measure, group by group, problem by problem. */
typedef struct cluster {
    const char *key; /* of the unit */
    size_t group, problem;
    size_t first, count; /* of the values */
    size_t peer;         /* the reference's cluster of the same problem; SIZE_MAX: none */
    bool repeated;       /* an earlier group has the same runs */
} cluster;

typedef struct ranked {
    double value;
    size_t cluster;
} ranked;

typedef struct sample {
    ranked *values; /* group by group; rising in each */
    ranked *sorted; /* all values, rising */
    size_t count;
    cluster *clusters;
    size_t cluster_count, group_count;
    size_t problem_count; /* of the group that has most */
} sample;

/* The single runs of a result by one measure. */
typedef struct runs {
    const xp_study_result *result;
    const char *measure;
    const xp__labels *agents, *groups;
    size_t *whole; /* group: the runs of an agent that has all of them */
    bool shares;   /* all values are 0 or 1 */
} runs;

static void sample_deinit(sample *self) {
    xp__free(self->values);
    xp__free(self->sorted);
    xp__free(self->clusters);
}

static int compare_ranked(const void *left, const void *right) {
    return compare_doubles(&((const ranked *)left)->value, &((const ranked *)right)->value);
}

static int compare_keys(const void *left, const void *right) {
    const cluster *a = *(cluster *const *)left, *b = *(cluster *const *)right;
    const int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

/* Finds the runs that several groups share. */
static xp_status mark_repeated(sample *self, xp_error *error) {
    cluster **sorted = xp__alloc(self->cluster_count, sizeof(cluster *));
    if (sorted == NULL && self->cluster_count > 0) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < self->cluster_count; i++) {
        sorted[i] = &self->clusters[i];
    }
    qsort(sorted, self->cluster_count, sizeof *sorted, compare_keys);
    for (size_t i = 0, first = 0; i < self->cluster_count; i++) {
        first = strcmp(sorted[i]->key, sorted[first]->key) == 0 ? first : i;
        sorted[i]->repeated = sorted[i]->group != sorted[first]->group;
    }
    xp__free(sorted);
    return XP_OK;
}

static bool is_run(const runs *all, const xp_study_value *value) {
    return value->run > 0 && strcmp(value->measure, all->measure) == 0;
}

/* Finds out how many runs each group has, by the agent that has most. */
static xp_status count_runs(runs *all, xp_error *error) {
    const size_t groups = all->groups->count, agents = all->agents->count;
    size_t *counts = xp__alloc(groups * agents + 1, sizeof *counts);
    all->whole = xp__alloc(groups + 1, sizeof *all->whole);
    if (counts == NULL || all->whole == NULL) {
        xp__free(counts);
        return xp__no_memory(error);
    }
    all->shares = true;
    for (size_t i = 0; i < all->result->value_count; i++) {
        const xp_study_value *value = &all->result->values[i];
        if (is_run(all, value)) {
            const size_t group = xp__labels_find(all->groups, value->group);
            const size_t count =
                ++counts[group * agents + xp__labels_find(all->agents, value->agent)];
            all->whole[group] = count > all->whole[group] ? count : all->whole[group];
            all->shares = all->shares && (value->value == 0 || value->value == 1);
        }
    }
    xp__free(counts);
    return XP_OK;
}

/* Takes the values of an agent; those of a problem follow each other in a result. */
static xp_status take(const runs *all, const char *agent, sample *self, xp_error *error) {
    const xp_study_result *result = all->result;
    *self = (sample){.values = xp__alloc(result->value_count, sizeof *self->values),
                     .sorted = xp__alloc(result->value_count, sizeof *self->sorted),
                     .clusters = xp__alloc(result->value_count, sizeof *self->clusters)};
    if (self->values == NULL || self->sorted == NULL || self->clusters == NULL) {
        return xp__no_memory(error);
    }
    for (size_t group = 0; group < all->groups->count; group++) {
        const size_t before = self->cluster_count, values_before = self->count;
        for (size_t i = 0; i < result->value_count; i++) {
            const xp_study_value *value = &result->values[i];
            if (!is_run(all, value) || strcmp(value->agent, agent) != 0 ||
                strcmp(value->group, all->groups->name[group]) != 0) {
                continue;
            }
            cluster *last =
                self->cluster_count > before ? &self->clusters[self->cluster_count - 1] : NULL;
            if (last == NULL || last->problem != value->problem || value->run == 1) {
                last = &self->clusters[self->cluster_count++];
                *last = (cluster){.key = value->key,
                                  .group = group,
                                  .problem = value->problem,
                                  .first = self->count,
                                  .peer = SIZE_MAX};
            }
            self->values[self->count++] = (ranked){value->value, self->cluster_count - 1};
            last->count++;
        }
        if (self->count - values_before < all->whole[group]) {
            self->cluster_count = before;
            self->count = values_before;
        }
        qsort(self->values + values_before, self->count - values_before, sizeof *self->values,
              compare_ranked);
        const size_t problems = self->cluster_count - before;
        self->group_count += problems > 0;
        self->problem_count = problems > self->problem_count ? problems : self->problem_count;
    }
    memcpy(self->sorted, self->values, self->count * sizeof *self->sorted);
    qsort(self->sorted, self->count, sizeof *self->sorted, compare_ranked);
    return mark_repeated(self, error);
}

/* Clusters of a group: [first, first + count). */
static size_t group_end(const sample *self, size_t first) {
    size_t end = first;
    while (end < self->cluster_count && self->clusters[end].group == self->clusters[first].group) {
        end++;
    }
    return end;
}

/* Its values, and how many they are. */
static const ranked *group_values(const sample *self, size_t first, size_t end, size_t *count) {
    const cluster *last = &self->clusters[end - 1];
    *count = last->first + last->count - self->clusters[first].first;
    return self->values + self->clusters[first].first;
}

/* Pairs the groups in which the reference met the same problems; they can be resampled together. */
static void pair_up(sample *self, const sample *reference) {
    size_t other = 0;
    for (size_t first = 0, end; first < self->cluster_count; first = end) {
        end = group_end(self, first);
        while (other < reference->cluster_count &&
               reference->clusters[other].group < self->clusters[first].group) {
            other++;
        }
        bool same = other < reference->cluster_count &&
                    reference->clusters[other].group == self->clusters[first].group &&
                    group_end(reference, other) - other == end - first;
        for (size_t i = first; same && i < end; i++) {
            same = reference->clusters[other + i - first].problem == self->clusters[i].problem;
        }
        for (size_t i = first; same && i < end; i++) {
            self->clusters[i].peer = other + i - first;
        }
    }
}

/* How often a resample has each cluster, of its own and of the reference; without rng, once. The
 * draws are the same in every group. */
static void draw(const sample *self, const xp_rng *rng, size_t *weight, size_t *peer_weight) {
    for (size_t first = 0, end; first < self->cluster_count; first = end) {
        end = group_end(self, first);
        xp_rng draws = rng != NULL ? *rng : (xp_rng){.block = 0};
        for (size_t i = first; i < end; i++) {
            weight[i] = 0;
        }
        for (size_t i = first; i < end; i++) {
            weight[rng != NULL ? first + (size_t)(xp_rng_uniform(&draws) * (double)(end - first))
                               : i]++;
        }
        for (size_t i = first; i < end && self->clusters[i].peer != SIZE_MAX; i++) {
            peer_weight[self->clusters[i].peer] = weight[i];
        }
    }
}

/* xp__interquartile_mean of a resample. */
static double interquartile_mean(const sample *self, const size_t *weight) {
    size_t n = 0, begin = 0;
    for (size_t i = 0; i < self->cluster_count; i++) {
        n += weight[i] * self->clusters[i].count;
    }
    const size_t cut = n / 4;
    double sum = 0;
    for (size_t i = 0; i < self->count; i++) {
        const size_t end = begin + weight[self->sorted[i].cluster];
        const size_t from = begin > cut ? begin : cut, to = end < n - cut ? end : n - cut;
        sum += to > from ? (double)(to - from) * self->sorted[i].value : 0;
        begin = end;
    }
    return sum / (double)(n - 2 * cut);
}

/* xp__probability_of_improvement of a resample of n and m sorted values. */
static double improvement_of(const ranked *x, size_t n, const size_t *weight, const ranked *y,
                             size_t m, const size_t *peer_weight) {
    size_t below = 0, equal = 0, next = 0, all_x = 0, all_y = 0;
    double wins = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i].value != x[i - 1].value) {
            below += equal;
            equal = 0;
            for (; next < m && y[next].value < x[i].value; next++) {
                below += peer_weight[y[next].cluster];
            }
            for (; next < m && y[next].value == x[i].value; next++) {
                equal += peer_weight[y[next].cluster];
            }
        }
        wins += (double)weight[x[i].cluster] * ((double)below + (double)equal / 2);
        all_x += weight[x[i].cluster];
    }
    for (size_t j = 0; j < m; j++) {
        all_y += peer_weight[y[j].cluster];
    }
    return wins / ((double)all_x * (double)all_y);
}

/* The mean over the groups that the reference has too; NAN if there is none. */
static double mean_improvement(const sample *self, const sample *reference, const size_t *weight,
                               const size_t *peer_weight) {
    size_t compared = 0;
    double sum = 0;
    for (size_t first = 0, end; first < self->cluster_count; first = end) {
        end = group_end(self, first);
        const size_t peer = self->clusters[first].peer;
        if (peer != SIZE_MAX) {
            size_t n, m;
            const ranked *x = group_values(self, first, end, &n);
            const ranked *y = group_values(reference, peer, peer + end - first, &m);
            sum += improvement_of(x, n, weight, y, m, peer_weight);
            compared++;
        }
    }
    return compared > 0 ? sum / (double)compared : NAN;
}

static double percentile(const double *sorted, size_t n, double share) {
    const double at = share * (double)(n - 1);
    const size_t below = (size_t)at;
    const double rest = at - (double)below;
    return below + 1 < n ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                         : sorted[n - 1];
}

/* The share of resamples beyond either end of an expanded interval. */
static double tail_of(size_t problems) {
    enum { LEAST = 5 };
    const double n = (double)problems;
    return problems < LEAST ? NAN : xp__normal_cdf(-sqrt(n / (n - 1)) * xp__student_95(n - 1));
}

static void interval(double *values, size_t n, double tail, double *low, double *high) {
    *low = *high = NAN;
    if (!isnan(tail) && !isnan(values[0])) {
        qsort(values, n, sizeof *values, compare_doubles);
        *low = percentile(values, n, tail);
        *high = percentile(values, n, 1 - tail);
    }
}

/* Runs that groups share count once. */
static void count_failures(const sample *self, xp_aggregate *row) {
    size_t failures = 0, trials = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (!self->clusters[self->values[i].cluster].repeated) {
            failures += self->values[i].value == 0;
            trials++;
        }
    }
    row->failures = failures;
    row->failure_runs = trials;
    xp__clopper_pearson(failures, trials, &row->failure_low, &row->failure_high);
}

static xp_status aggregate(const sample *self, const sample *reference, const xp_rng *stream,
                           size_t resamples, xp_aggregate *row, xp_error *error) {
    size_t *weight = xp__alloc(self->cluster_count, sizeof *weight);
    size_t *peer_weight = xp__alloc(reference->cluster_count + 1, sizeof *peer_weight);
    double *iqms = xp__alloc(resamples, sizeof *iqms);
    double *improvements = xp__alloc(resamples, sizeof *improvements);
    const bool good = weight != NULL && peer_weight != NULL && iqms != NULL && improvements != NULL;
    if (good) {
        const double tail = tail_of(self->problem_count);
        draw(self, NULL, weight, peer_weight);
        row->iqm = interquartile_mean(self, weight);
        row->improvement = mean_improvement(self, reference, weight, peer_weight);
        for (size_t i = 0; i < resamples; i++) {
            const xp_rng rng = xp_rng_fork(stream, i);
            draw(self, &rng, weight, peer_weight);
            iqms[i] = interquartile_mean(self, weight);
            improvements[i] = mean_improvement(self, reference, weight, peer_weight);
        }
        interval(iqms, resamples, tail, &row->iqm_low, &row->iqm_high);
        interval(improvements, resamples, tail, &row->improvement_low, &row->improvement_high);
    }
    xp__free(weight);
    xp__free(peer_weight);
    xp__free(iqms);
    xp__free(improvements);
    return good ? XP_OK : xp__no_memory(error);
}

/* Rows of one measure. */
static xp_status add_measure(const runs *all, const xp_rng *stream, xp_aggregates *made,
                             xp_error *error) {
    const char *standard = all->result->reference;
    sample reference = {.count = 0};
    xp_status status = standard != NULL ? take(all, standard, &reference, error) : XP_OK;
    for (size_t i = 0; status == XP_OK && i < all->agents->count; i++) {
        const char *agent = all->agents->name[i];
        sample self;
        status = take(all, agent, &self, error);
        if (status == XP_OK && self.count > 0) {
            xp_aggregate *row = &made->rows[made->count];
            *row = (xp_aggregate){.agent = agent,
                                  .measure = all->measure,
                                  .groups = self.group_count,
                                  .problems = self.problem_count,
                                  .runs = self.count,
                                  .failures = SIZE_MAX,
                                  .failure_low = NAN,
                                  .failure_high = NAN};
            if (reference.count > 0 && strcmp(agent, standard) != 0) {
                pair_up(&self, &reference);
            }
            if (all->shares) {
                count_failures(&self, row);
            }
            status = aggregate(&self, &reference, stream, made->resamples, row, error);
            made->count += status == XP_OK;
        }
        sample_deinit(&self);
    }
    sample_deinit(&reference);
    return status;
}

xp_status xp_aggregates_create(const xp_study_result *result, const xp_aggregate_options *options,
                               xp_aggregates **aggregates, xp_error *error) {
    XP__NOT_NULL(aggregates, error);
    *aggregates = NULL;
    XP__NOT_NULL(result, error);
    xp_aggregate_options chosen = xp_aggregate_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_aggregate_options", error);
    }
    if (status == XP_OK && (chosen.resamples < 100 || chosen.resamples > 1000000)) {
        status = xp_error_set(error, XP_ERR_INPUT, "resamples = %zu is outside [100, 1000000]",
                              chosen.resamples);
    }
    if (status != XP_OK) {
        return status;
    }
    xp__labels agents = {.count = 0}, groups = {.count = 0}, measures = {.count = 0};
    bool good = true;
    for (size_t i = 0; good && i < result->value_count; i++) {
        const xp_study_value *value = &result->values[i];
        good = value->run == 0 ||
               (xp__labels_add(&agents, value->agent) && xp__labels_add(&groups, value->group) &&
                xp__labels_add(&measures, value->measure));
    }
    xp_aggregates *made = good ? xp__alloc(1, sizeof *made) : NULL;
    if (made != NULL) {
        *made = (xp_aggregates){.resamples = chosen.resamples, .seed = chosen.seed};
        made->rows = xp__alloc(agents.count * measures.count + 1, sizeof *made->rows);
    }
    status = made != NULL && made->rows != NULL ? XP_OK : xp__no_memory(error);
    const xp_rng root = xp_rng_seed(chosen.seed);
    for (size_t i = 0; status == XP_OK && i < measures.count; i++) {
        const xp_rng stream = xp_rng_fork(&root, i);
        runs all = {
            .result = result, .measure = measures.name[i], .agents = &agents, .groups = &groups};
        status = count_runs(&all, error);
        if (status == XP_OK) {
            status = add_measure(&all, &stream, made, error);
        }
        xp__free(all.whole);
    }
    xp__labels_deinit(&agents);
    xp__labels_deinit(&groups);
    xp__labels_deinit(&measures);
    if (status != XP_OK) {
        xp_aggregates_destroy(made);
        return status;
    }
    *aggregates = made;
    return XP_OK;
}

void xp_aggregates_destroy(xp_aggregates *aggregates) {
    if (aggregates != NULL) {
        xp__free(aggregates->rows);
        xp__free(aggregates);
    }
}
