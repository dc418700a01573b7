/* grid.c: laying out a study's units. */
#include "study/grid.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const xp__expert_entry xp__expert_optimal_entry = {.name = "optimal"};
const char *const xp__scale_name[XP__SCALES] = {"smoke", "quick", "paper"};

static xp_status make_room_for_set(xp__grid *grid, xp_error *error) {
    xp__problem_set *sets =
        xp__reserve(grid->sets, &grid->set_room, grid->set_count + 1, sizeof *grid->sets);
    if (sets == NULL) {
        return xp__no_memory(error);
    }
    grid->sets = sets;
    return XP_OK;
}

xp_status xp__grid_select(xp__grid *grid, const xp__selection *selection, size_t *set,
                          xp_error *error) {
    *set = grid->set_count;
    if (make_room_for_set(grid, error) != XP_OK) {
        return XP_ERR_MEMORY;
    }
    const xp_status status =
        xp__problem_set_init(&grid->sets[grid->set_count], grid->seed, selection, error);
    grid->set_count += status == XP_OK;
    return status;
}

static size_t at_most(const xp__grid *grid, size_t count) {
    return grid->most > 0 && grid->most < count ? grid->most : count;
}

xp_status xp__grid_list(xp__grid *grid, const char *env, const xp__params *params, size_t first,
                        size_t count, size_t *set, xp_error *error) {
    *set = grid->set_count;
    if (make_room_for_set(grid, error) != XP_OK) {
        return XP_ERR_MEMORY;
    }
    const xp_status status = xp__problem_set_list(&grid->sets[grid->set_count], grid->seed, env,
                                                  params, first, at_most(grid, count), error);
    grid->set_count += status == XP_OK;
    return status;
}

xp_status xp__grid_make(xp__grid *grid, const char *setting, xp__env_maker *create,
                        const void *context, size_t first, size_t count, size_t *set,
                        xp_error *error) {
    *set = grid->set_count;
    if (make_room_for_set(grid, error) != XP_OK) {
        return XP_ERR_MEMORY;
    }
    const xp_status status =
        xp__problem_set_make(&grid->sets[grid->set_count], grid->seed, setting, create, context,
                             first, at_most(grid, count), error);
    grid->set_count += status == XP_OK;
    return status;
}

const xp__expert_entry *xp__grid_expert(xp__grid *grid, const xp__expert_entry *expert) {
    xp__expert_entry **all = xp__reserve(grid->experts, &grid->expert_room, grid->expert_count + 1,
                                         sizeof(xp__expert_entry *));
    if (all == NULL) {
        return NULL;
    }
    grid->experts = all;
    xp__expert_entry *copy = xp__alloc(1, sizeof *copy);
    if (copy != NULL) {
        *copy = *expert;
        grid->experts[grid->expert_count++] = copy;
    }
    return copy;
}

const xp__agent_entry *xp__grid_agent(xp__grid *grid, const xp__agent_entry *agent) {
    assert(strlen(agent->label) < XP__AGENT_TEXT && strlen(agent->spec) < XP__AGENT_TEXT);
    xp__made_agent **all =
        xp__reserve(grid->made, &grid->made_room, grid->made_count + 1, sizeof(xp__made_agent *));
    if (all == NULL) {
        return NULL;
    }
    grid->made = all;
    xp__made_agent *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    grid->made[grid->made_count++] = made;
    made->entry = *agent;
    made->entry.label = strcpy(made->label, agent->label);
    made->entry.spec = strcpy(made->spec, agent->spec);
    return &made->entry;
}

void xp__spec_extend(char spec[XP__AGENT_TEXT], const char *options) {
    if (options != NULL && options[0] != '\0') {
        const size_t used = strlen(spec);
        assert(used + 1 + strlen(options) < XP__AGENT_TEXT);
        spec[used] = strchr(spec, ':') != NULL ? ',' : ':';
        strcpy(spec + used + 1, options);
    }
}

size_t xp__grid_block(xp__grid *grid, size_t set, const xp__expert_entry *expert,
                      const xp__agent_entry *agent) {
    assert(set < grid->set_count);
    xp__block *blocks =
        xp__reserve(grid->blocks, &grid->block_room, grid->block_count + 1, sizeof *grid->blocks);
    if (blocks == NULL) {
        grid->failed = true;
        return grid->block_count > 0 ? grid->block_count - 1 : 0;
    }
    grid->blocks = blocks;
    grid->blocks[grid->block_count] =
        (xp__block){.set = set, .expert = expert, .agent = agent, .first = grid->unit_count};
    grid->unit_count += grid->sets[set].count;
    return grid->block_count++;
}

/* A unit's key beside its number, for sorting. */
typedef struct named {
    char key[XP__UNIT_KEY];
    uint64_t seed;
    size_t unit;
} named;

static int compare(const void *left, const void *right) {
    const named *a = left, *b = right;
    const int order = strcmp(a->key, b->key);
    return order != 0           ? order
           : a->seed != b->seed ? (a->seed > b->seed) - (a->seed < b->seed)
                                : (a->unit > b->unit) - (a->unit < b->unit);
}

/* slot[unit] becomes the lowest unit with the same key, then that one's place among the kept. */
static xp_status find_duplicates(xp__grid *grid, xp_error *error) {
    named *names = xp__alloc(grid->unit_count, sizeof *names);
    if (names == NULL) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < grid->unit_count; i++) {
        names[i].unit = i;
        names[i].seed = grid->units[i].problem->seed;
        xp__unit_key(&grid->units[i], &grid->shape, names[i].key);
    }
    qsort(names, grid->unit_count, sizeof *names, compare);
    size_t lowest = 0;
    for (size_t i = 0; i < grid->unit_count; i++) {
        if (i == 0 || names[i].seed != names[i - 1].seed ||
            strcmp(names[i].key, names[i - 1].key) != 0) {
            lowest = names[i].unit;
        }
        grid->slot[names[i].unit] = lowest;
    }
    xp__free(names);
    for (size_t i = 0; i < grid->unit_count; i++) {
        if (grid->slot[i] == i) {
            grid->distinct[grid->distinct_count] = i;
            grid->slot[i] = grid->distinct_count++;
        } else {
            grid->slot[i] = grid->slot[grid->slot[i]]; /* a lower unit, placed already */
        }
    }
    return XP_OK;
}

xp_status xp__grid_complete(xp__grid *grid, xp_error *error) {
    const size_t n = grid->unit_count;
    if (grid->failed) {
        return xp__no_memory(error);
    }
    grid->units = xp__alloc(n, sizeof *grid->units);
    grid->slot = xp__alloc(n, sizeof *grid->slot);
    grid->distinct = xp__alloc(n, sizeof *grid->distinct);
    grid->results = xp__alloc(n, sizeof *grid->results);
    const size_t kept = grid->shape.tasks * xp__shape_numbers(&grid->shape);
    if (kept > 0) {
        grid->numbers = xp__alloc(n, kept * sizeof *grid->numbers);
    }
    if (grid->units == NULL || grid->slot == NULL || grid->distinct == NULL ||
        grid->results == NULL || (kept > 0 && grid->numbers == NULL)) {
        return xp__no_memory(error);
    }
    for (size_t b = 0; b < grid->block_count; b++) {
        const xp__block *block = &grid->blocks[b];
        const xp__problem_set *set = &grid->sets[block->set];
        for (size_t i = 0; i < set->count; i++) {
            grid->units[block->first + i] = (xp__unit){.problem = &set->problems[i],
                                                       .expert = block->expert,
                                                       .agent = block->agent,
                                                       .episodes = block->episodes,
                                                       .demonstrations = block->demonstrations,
                                                       .given = block->given};
        }
    }
    return find_duplicates(grid, error);
}

void xp__grid_deinit(xp__grid *grid) {
    for (size_t i = 0; i < grid->set_count; i++) {
        xp__problem_set_deinit(&grid->sets[i]);
    }
    xp__free(grid->sets);
    xp__free(grid->blocks);
    xp__free(grid->units);
    xp__free(grid->slot);
    xp__free(grid->distinct);
    xp__free(grid->results);
    xp__free(grid->numbers);
    for (size_t i = 0; i < grid->made_count; i++) {
        xp__free(grid->made[i]);
    }
    xp__free(grid->made);
    for (size_t i = 0; i < grid->expert_count; i++) {
        xp__free(grid->experts[i]);
    }
    xp__free(grid->experts);
}

const xp__unit_result *xp__grid_result(const xp__grid *grid, size_t block, size_t i) {
    return &grid->results[grid->slot[grid->blocks[block].first + i]];
}

const double *xp__grid_numbers(const xp__grid *grid, size_t block, size_t i) {
    const size_t kept = grid->shape.tasks * xp__shape_numbers(&grid->shape);
    return grid->numbers + kept * grid->slot[grid->blocks[block].first + i];
}

const xp__problem_set *xp__grid_set(const xp__grid *grid, size_t block) {
    return &grid->sets[grid->blocks[block].set];
}

size_t xp__grid_find(const xp__grid *grid, const xp__agent_entry *agent) {
    size_t block = 0;
    while (block < grid->block_count && grid->blocks[block].agent != agent) {
        block++;
    }
    assert(block < grid->block_count);
    return block;
}
