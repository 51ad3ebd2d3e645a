/*
 * redistribution.c - the schedules of block-cyclic redistributions (algorithm redistribution).  An array with blocks of
 * x elements on p ranks, the sources, gets blocks of y elements on q ranks, the targets.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution
 *
 * There are three methods: algorithm 1, algorithm 2, and a plain schedule.  The first method that supports the
 * redistribution computes the schedule.  The method computes the step of each message from x, p, y and q; the length of
 * a message is taken from the matrix.  A matrix may have other messages than the redistribution.  The check at the end
 * finds that such messages have no step.
 *
 * Algorithm 1 (section 4.1, theorem 1) requires gcd(x, q) = gcd(y, p) = 1.  All messages of a step have the same
 * length.  The table of lengths has a row for each source and a column for each target.  Entries (i + yk mod p, j + xk
 * mod q) are equal for all k, because the distribution repeats after xy elements, that is, after y blocks of the
 * sources and x blocks of the targets.  For p <= q the p entries with k from 0 to p - 1 form a step: they contain each
 * source once, and p different targets.  The q steps with i = 0 and any j contain each message once.  If p > q, sources
 * and targets are swapped first, because the steps of the paper's algorithm would then contain a target twice.  There
 * are at most max(p, q) steps, and fewer if some ranks exchange no data.  O(pq) time.
 *
 * Algorithm 2 is in redistribution_two.c.  The plain schedule is the one of the paper's figure 1(b).  For P ranks it
 * has at most P - 1 steps and takes O(P * P) time.  The check takes O(P * P + n log n) time for n messages.
 */
#include "order/messages.h"
#include "order/order.h"
#include "order/redistribution.h"

#include <string.h>

/* ---- common code ---- */

irr_redistribution_view_t irr_redistribution_view(const irr_redistribution_t *redistribution, bool turned,
                                                  const irr_matrix_t *matrix, irr_large_t *large)
{
    const uint64_t common = irr_gcd(redistribution->x, redistribution->y);
    const uint64_t x = redistribution->x / common, y = redistribution->y / common;
    irr_redistribution_view_t view = {
        .sides = *redistribution, .turned = turned, .matrix = matrix, .large = large
    };

    view.sides.x = turned ? y : x;
    view.sides.y = turned ? x : y;
    view.sides.p = turned ? redistribution->q : redistribution->p;
    view.sides.q = turned ? redistribution->p : redistribution->q;
    memset(large, 0, sizeof(*large));
    large->schedule.ranks = matrix->ranks;
    return view;
}

irr_status_t irr_redistribution_send(const irr_redistribution_view_t *view, int number, int small, int i, int j)
{
    const int from = view->turned ? j : i, to = view->turned ? i : j;

    return irr_large_add(view->large, number, small, from, to, *irr_matrix_at(view->matrix, from, to));
}

irr_status_t irr_redistribution_end(irr_large_t *large, irr_status_t status)
{
    if (status == IRR_OK) {
        irr_schedule_sort(&large->schedule);
    } else {
        irr_large_fini(large);
    }
    return status;
}

bool irr_redistribution_aligns(const irr_redistribution_t *redistribution)
{
    const uint64_t common = irr_gcd(redistribution->x, redistribution->y);

    return irr_gcd(redistribution->x / common, (uint64_t)redistribution->q) == 1 &&
           irr_gcd(redistribution->y / common, (uint64_t)redistribution->p) == 1;
}

/* ---- the three algorithms ---- */

irr_status_t irr_redistribution_one(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large)
{
    const bool turned = redistribution->p > redistribution->q;
    const irr_redistribution_view_t view = irr_redistribution_view(redistribution, turned, matrix, large);
    const int p = view.sides.p, q = view.sides.q;
    const int hop_i = (int)(view.sides.y % (uint64_t)p), hop_j = (int)(view.sides.x % (uint64_t)q);
    irr_status_t status = IRR_OK;

    if (!irr_redistribution_aligns(redistribution)) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    for (int first = 0; first < q; first++) {
        for (int k = 0, i = 0, j = first; status == IRR_OK && k < p; k++) {
            status = irr_redistribution_send(&view, first + 1, 1, i, j);
            i = (int)(((int64_t)i + hop_i) % p);
            j = (int)(((int64_t)j + hop_j) % q);
        }
    }
    return irr_redistribution_end(large, status);
}

irr_status_t irr_redistribution_rotate(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                       irr_large_t *large)
{
    const irr_redistribution_view_t view = irr_redistribution_view(redistribution, false, matrix, large);
    const int ranks = matrix->ranks;
    irr_status_t status = IRR_OK;

    for (int k = 1; k < ranks; k++) {
        for (int i = 0; status == IRR_OK && i < ranks; i++) {
            status = irr_redistribution_send(&view, k, 1, i, (int)(((int64_t)i + k) % ranks));
        }
    }
    return irr_redistribution_end(large, status);
}

irr_status_t irr_redistribution_order(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                      irr_large_t *large)
{
    static const irr_redistribution_order_t orders[] = {
        irr_redistribution_one, irr_redistribution_two, irr_redistribution_rotate
    };
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;

    for (size_t i = 0; status == IRR_ERR_NOT_SUPPORTED && i < sizeof(orders) / sizeof(orders[0]); i++) {
        status = orders[i](redistribution, matrix, large);
    }
    return status;
}

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    const irr_redistribution_t *redistribution = &params->redistribution;
    irr_messages_sum_t sum;
    irr_status_t status = irr_messages_sum(matrix, &sum);
    irr_large_t large;

    if (status != IRR_OK || !irr_redistribution_has_sides(redistribution)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (redistribution->p > matrix->ranks || redistribution->q > matrix->ranks) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    status = irr_redistribution_order(redistribution, matrix, &large);
    if (status != IRR_OK) {
        return status;
    }
    status = irr_schedule_check(&large.schedule, matrix, NULL, 0);
    if (status == IRR_OK) {
        *schedule = large.schedule;
        memset(&large.schedule, 0, sizeof(large.schedule));
    }
    irr_large_fini(&large);
    return status == IRR_ERR_INVALID_PLAN ? IRR_ERR_NOT_SUPPORTED : status;
}

const irr_order_t irr_order_redistribution = {
    .name = "redistribution", .contention_free = true, .schedule = make_schedule
};
