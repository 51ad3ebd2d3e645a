/*
 * direct.h - plans of direct messages, in the steps of an order or of a schedule.
 */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "order/order.h"
#include "order/schedule.h"
#include "plan/plan.h"

/* Returns the number of a transmission's step in a plan.  Sends wait for a receive from its last step on. */
static inline int irr_direct_number(irr_step_kind_t kind, const irr_transmission_t *t)
{
    return kind == IRR_STEP_RECV ? irr_transmission_last(t) : t->step;
}

/* Selects messages of a rank, and their stage. */
typedef struct irr_direct_side {
    irr_step_kind_t kind;    /* its sends or its receives */
    int             stage;
    size_t          least;   /* shorter messages are left out */
    const bool     *but;     /* by rank: true leaves out its message; NULL: none is left out */
} irr_direct_side_t;

/*
 * Appends these messages of the problem, without the rank's message to itself, in the steps of an order that a rank
 * computes alone.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_add_side(const irr_problem_t *problem, const irr_order_t *order, const irr_direct_side_t *side,
                                 irr_plan_t *plan);

/*
 * Builds the plan of the problem's rank from a schedule or from the messages that irr_schedule_own returns.  The
 * lengths of messages are those of the schedule, and the blocks to send must have these lengths.  A receive block that
 * is too short takes less, and running the plan ends in IRR_ERR_TRUNCATE.  O(n).  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan);

#endif
