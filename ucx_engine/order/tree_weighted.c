/*
 * tree_weighted.c - contention-free steps for irregular counts: the shortest of three schedules.
 *
 * As a rule that of tree_greedy.c is within a hundredth of the bound, irr_tree_bound.  Where it exceeds that by a
 * 50th, two others may be shorter: the phases of the paper (aapc.h), which are exact for counts that are alike;
 * and, where each link has room for all messages that there can be, so that only the ranks' own edges count,
 * preemptive open shop (optimal.c), which always is exact and has the most transmissions.
 *
 * Makespan by the bound, over the patterns and trees of tests/test_weighted.c: seldom above 1.015, and below 1.05.
 * Cost: see the three files; the phases take O(P * P).
 */
#include "order/tree_weighted.h"

#include "core/alloc.h"
#include "order/aapc.h"
#include "order/scheduled.h"

#define ENOUGH 50   /* a schedule that exceeds the bound by this part of it is left as it is */

/* Keeps the shorter schedule, if it has not too many steps; the other one is released. */
static void keep(irr_schedule_t *schedule, irr_schedule_t *other, int max_steps)
{
    const bool fits = max_steps <= 0 || other->steps <= max_steps;

    if (fits && irr_schedule_makespan(other) < irr_schedule_makespan(schedule)) {
        irr_schedule_fini(schedule);
        *schedule = *other;
    } else {
        irr_schedule_fini(other);
    }
}

static irr_status_t try_phases(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                               irr_schedule_t *schedule)
{
    irr_schedule_t phased;
    irr_status_t status = irr_tree_phased(tree, matrix, &phased);

    if (status == IRR_OK) {
        keep(schedule, &phased, max_steps);
    }
    return status == IRR_ERR_NOT_SUPPORTED ? IRR_OK : status;
}

/* Has each link room for a message of each rank on its smaller side? */
static bool is_flat(const irr_tree_t *tree)
{
    bool flat = true;

    for (int v = 0; flat && v < tree->links; v++) {
        const int below = tree->below[v], above = tree->ranks - below;

        flat = tree->capacity[v] >= (below < above ? below : above);
    }
    return flat;
}

static irr_status_t try_optimal(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                                irr_schedule_t *schedule)
{
    const irr_scheduled_params_t params = { .max_steps = max_steps };
    irr_schedule_t optimal;
    irr_status_t status;

    if (!is_flat(tree)) {
        return IRR_OK;
    }
    status = irr_scheduled_build(irr_scheduled_find("optimal"), matrix, &params, &optimal);
    if (status == IRR_OK) {
        keep(schedule, &optimal, max_steps);
    }
    return status;
}

static irr_status_t improve(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                            irr_schedule_t *schedule)
{
    irr_tree_bound_t bound;
    irr_status_t status = irr_tree_bound(tree, matrix, &bound);

    if (status == IRR_OK && irr_schedule_makespan(schedule) > bound.bytes + bound.bytes / ENOUGH) {
        status = try_phases(tree, matrix, max_steps, schedule);
    }
    if (status == IRR_OK && irr_schedule_makespan(schedule) > bound.bytes + bound.bytes / ENOUGH) {
        status = try_optimal(tree, matrix, max_steps, schedule);
    }
    return status;
}

/* ---- all ---- */

/* Pairs of ranks that have the widest edge of a path between them. */
static uint64_t widest(const irr_tree_t *tree, const int *path, int edges)
{
    uint64_t most = 0;

    for (int k = 0; k < edges; k++) {
        const uint64_t below = (uint64_t)tree->below[path[k] / 2], pairs = below * ((uint64_t)tree->ranks - below);

        most = pairs > most ? pairs : most;
    }
    return most;
}

/* Would tree_greedy.c take too long?  It looks for a message among the pairs that one of its edges is between. */
static irr_status_t check_work(const irr_tree_t *tree, const irr_matrix_t *matrix)
{
    int *path = irr_alloc((size_t)tree->longest, sizeof(*path));
    uint64_t work = 0;

    if (path == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int from = 0; from < tree->ranks; from++) {
        for (int to = 0; to < tree->ranks; to++) {
            if (from != to && *irr_matrix_at(matrix, from, to) > 0) {
                work += widest(tree, path, irr_tree_path(tree, from, to, path));
            }
        }
    }
    irr_free(path);
    return work > IRR_TREE_WORK_MAX ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
}

irr_status_t irr_tree_weighted(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                               irr_schedule_t *schedule)
{
    irr_status_t status = tree->ranks == matrix->ranks ? check_work(tree, matrix) : IRR_ERR_BAD_PARAM;
    irr_schedule_t made;

    if (status == IRR_OK) {
        status = irr_tree_greedy(tree, matrix, max_steps, &made);
    }
    if (status != IRR_OK) {
        return status;
    }
    status = improve(tree, matrix, max_steps, &made);
    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    *schedule = made;
    return IRR_OK;
}
