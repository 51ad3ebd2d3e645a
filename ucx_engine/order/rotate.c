/*
 * rotate.c - in step k to the member k places ahead, from the member k places behind.
 *
 * size - 1 steps; in each, every member receives exactly one message, so no receiver is contended for.
 * O(1) a step.  JPDC 3.1.1.
 */
#include "order/order.h"

static int steps(irr_group_t group)
{
    return group.size - 1;
}

static void peers(irr_group_t group, int step, int *to, int *from)
{
    int ahead = group.me - (group.size - step);  /* me + step - size, which cannot overflow */

    *to = ahead >= 0 ? ahead : ahead + group.size;
    *from = group.me >= step ? group.me - step : group.me - step + group.size;
}

const irr_order_t irr_order_rotate = {
    .name = "rotate",
    .contention_free = true,
    .steps = steps,
    .peers = peers
};
