/*
 * redistribution.c - what the schedules of a redistribution share, the plain one, and the choice; see
 * redistribution.h.
 *
 * The plain schedule is that of the paper's figure 1(b): max(p, q) steps, O(P * P) time.
 */
#include "order/redistribution.h"

#include <string.h>

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
