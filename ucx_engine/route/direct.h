/* direct.h - plans in which each message travels directly, in the steps of an order or of a schedule. */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "order/order.h"
#include "order/schedule.h"
#include "plan/plan.h"

/* Returns the step of a transmission in a plan: its first step for a send, and its last step for a receive. */
static inline int irr_direct_number(irr_step_kind_t kind, const irr_transmission_t *t)
{
    return kind == IRR_STEP_RECV ? irr_transmission_last(t) : t->step;
}

/* Which messages of a rank are appended to a plan, and in which stage. */
typedef struct irr_direct_side {
    irr_step_kind_t kind;    /* IRR_STEP_SEND or IRR_STEP_RECV */
    int             stage;
    size_t          least;   /* only messages of at least so many bytes */
    const bool     *but;     /* by peer: true to leave out its message; NULL: no message is left out */
} irr_direct_side_t;

/*
 * Appends the selected messages of the problem, without the message of the rank to itself.  A rank must be able to
 * compute the order alone (order/order.h).  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_add_side(const irr_problem_t *problem, const irr_order_t *order, const irr_direct_side_t *side,
                                 irr_plan_t *plan);

/*
 * Builds the plan of the problem's rank from a schedule, or from the rank's own transmissions (irr_schedule_own).  The
 * lengths of the blocks to send must be those of the schedule.  If the blocks for a received message are too short, the
 * plan still runs, and the exchange returns IRR_ERR_TRUNCATE.  O(n).  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan);

#endif
