/*
 * natural.c - in step k to member k - 1 and from member k - 1; a member has no business in its own step.
 *
 * size steps.  All members start with member 0, so receivers are contended for: this is what a program
 * without a schedule does, and the baseline of the papers.  O(1) a step.  Ranka 4 (AC).
 */
#include "order/order.h"

static int step_of(irr_group_t group, int peer)
{
    (void)group;
    return peer + 1;
}

const irr_order_t irr_order_natural = {
    .name = "natural",
    .contention_free = false,
    .send_step = step_of,
    .recv_step = step_of
};
