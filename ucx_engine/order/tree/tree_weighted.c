/*
 * tree_weighted.c - contention-free steps for irregular counts: the shortest of three schedules.
 *
 * As a rule that of tree_greedy.c is within a hundredth of the bound, irr_tree_bound.  Where it exceeds that by a
 * 50th, two others may be shorter: the phases of the paper (phases.h), which are exact for counts that are alike;
 * and, where each link has room for all messages that there can be, so that only the ranks' own edges count,
 * preemptive open shop (optimal.c), which always is exact and has the most transmissions.
 *
 * Makespan by the bound, over the patterns and trees of tests/test_weighted.c: seldom above 1.015, and below 1.05.
 * Cost: see the three files; the phases take O(P * P).
 */
#include "order/tree/tree_weighted.h"

#include "core/alloc.h"
#include "order/order.h"
#include "order/tree/phases.h"

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
                                const irr_deadline_t *deadline, irr_schedule_t *schedule)
{
    const irr_scheduled_params_t params = { .max_steps = max_steps, .deadline = deadline };
    irr_schedule_t optimal;
    irr_status_t status;

    if (!is_flat(tree)) {
        return IRR_OK;
    }
    status = irr_order_schedule(&irr_order_optimal, matrix, &params, &optimal);
    if (status == IRR_OK) {
        keep(schedule, &optimal, max_steps);
    }
    return status == IRR_ERR_TIMEOUT ? IRR_OK : status;   /* there is one */
}

static irr_status_t improve(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                            const irr_deadline_t *deadline, irr_schedule_t *schedule)
{
    irr_tree_bound_t bound;
    irr_status_t status = irr_tree_bound(tree, matrix, &bound);

    if (status == IRR_OK && irr_schedule_makespan(schedule) > bound.bytes + bound.bytes / ENOUGH) {
        status = try_phases(tree, matrix, max_steps, schedule);
    }
    if (status == IRR_OK && irr_schedule_makespan(schedule) > bound.bytes + bound.bytes / ENOUGH) {
        status = try_optimal(tree, matrix, max_steps, deadline, schedule);
    }
    return status;
}

/* ---- all ---- */

irr_status_t irr_tree_weighted(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                               const irr_deadline_t *deadline, irr_schedule_t *schedule)
{
    irr_schedule_t made;
    irr_status_t status = tree->ranks == matrix->ranks ? irr_tree_greedy(tree, matrix, max_steps, deadline, &made)
                                                       : IRR_ERR_BAD_PARAM;

    if (status != IRR_OK) {
        return status;
    }
    status = improve(tree, matrix, max_steps, deadline, &made);
    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    *schedule = made;
    return IRR_OK;
}
