/*
 * natural.c - in step k every member sends to member k - 1 and receives from member k - 1.  Member k - 1 itself has no
 * messages in step k.
 *
 * The order has `size` steps.  All members first send to member 0, then to member 1, and so on, so many members send to
 * one receiver at the same time.  Programs often send in this order, and the papers use it as the baseline.  O(1) time
 * for a step.  Ranka, Wang, Kumar 4 (AC).
 */
#include "order/order.h"

static int step_of(irr_group_t group, int peer)
{
    (void)group;
    return peer + 1;
}

const irr_order_t irr_order_natural = {
    .name = "natural", .contention_free = false, .send_step = step_of, .recv_step = step_of
};
