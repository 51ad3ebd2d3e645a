/*
 * tree_weighted.c - contention-free steps on a tree, for messages of different lengths: the shortest of three
 * schedules.
 *
 * The first schedule is the one of tree_greedy.c.  It is usually at most a hundredth longer than the bound, the time of
 * the busiest edge (irr_tree_bound).  If it is longer than the bound by more than a 50th, two other schedules may be
 * shorter.  The paper's phases (phases.h) reach the bound for equal counts.  The schedule of optimal.c always reaches
 * the bound, and has the most transmissions.  It ignores links, so it is possible only if each link has room for all
 * messages that the ranks on its two sides can send at the same time.
 *
 * For the patterns and trees of tests/test_weighted.c, the makespan divided by the bound is seldom above 1.015, and
 * always below 1.05.  The three files state their costs; the phases take O(P * P) time.
 */
#include "order/tree/tree_weighted.h"

#include "core/alloc.h"
#include "order/order.h"
#include "order/tree/phases.h"

#define ENOUGH 50   /* no other schedules are computed if the first one exceeds the bound by at most 1 / ENOUGH of it */

/* Keeps `other` instead of the schedule if it is shorter and has at most max_steps steps; frees the unused one. */
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

/* Returns whether each link has the capacity for a message of each rank on the side with fewer ranks. */
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
    return status == IRR_ERR_TIMEOUT ? IRR_OK : status;   /* after the deadline the schedule found before is kept */
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

/* ---- the shortest of all ---- */

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
