/*
 * rotate.c - in step k, member m sends to member m + k and receives from member m - k, modulo the size of the group.
 *
 * The order has size - 1 steps.  In each step every member receives exactly one message, so no receiver gets several
 * messages at the same time.  O(1) time for a step.  Liu, Wang, Prasanna 3.1.1.
 */
#include "order/order.h"

static int send_step(irr_group_t group, int to)
{
    return to > group.me ? to - group.me : to - group.me + group.size;
}

static int recv_step(irr_group_t group, int from)
{
    return from < group.me ? group.me - from : group.me - from + group.size;
}

const irr_order_t irr_order_rotate = {
    .name = "rotate", .contention_free = true, .send_step = send_step, .recv_step = recv_step
};
