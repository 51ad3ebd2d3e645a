/*
 * direct.h - plans of direct messages, in the steps of a schedule.
 */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "order/order.h"
#include "order/schedule.h"
#include "plan/plan.h"

/* The number of its step in a plan: sends wait for a receive from the step on in which the last of it comes. */
static inline int irr_direct_number(irr_step_kind_t kind, const irr_transmission_t *t)
{
    return kind == IRR_STEP_RECV ? irr_transmission_last(t) : t->step;
}

/* Which messages of a rank, and as those of which stage. */
typedef struct irr_direct_side {
    irr_step_kind_t kind;    /* those that it sends, or those that it receives */
    int             stage;
    size_t          least;   /* shorter ones are left out, */
    const bool     *but;     /* and those of these ranks; NULL: none */
} irr_direct_side_t;

/*
 * Appends these messages of the problem, but that of the rank to itself, in the steps of an order that a rank knows
 * alone.  IRR_ERR_NO_MEMORY, not within the bounds of the route.
 */
irr_status_t irr_direct_add_side(const irr_problem_t *problem, const irr_order_t *order, const irr_direct_side_t *side,
                                 irr_plan_t *plan);

/*
 * Builds the plan of the problem's rank from a schedule, or from what irr_schedule_own left of it; the lengths of
 * messages are those of the schedule, and the blocks of what is sent must have them.  A block that is too short for
 * what comes takes less, and running the plan ends in IRR_ERR_TRUNCATE.  O(n).  IRR_ERR_NO_MEMORY, not within the
 * bounds.
 */
irr_status_t irr_direct_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan);

/* What irr_plan_reserve needs for the plan of a rank. */
irr_plan_bounds_t irr_direct_plan_bounds(const irr_schedule_t *own);

#endif
