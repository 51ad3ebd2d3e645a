/*
 * direct.h - plans of direct messages, in the steps of an order or of a schedule.
 */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "order/order.h"
#include "order/schedule.h"
#include "plan/plan.h"

/* Returns the step number of a transmission in a plan: its first step for a send, and its last step for a receive. */
static inline int irr_direct_number(irr_step_kind_t kind, const irr_transmission_t *t)
{
    return kind == IRR_STEP_RECV ? irr_transmission_last(t) : t->step;
}

/* Selects messages of a rank, and sets their stage. */
typedef struct irr_direct_side {
    irr_step_kind_t kind;    /* IRR_STEP_SEND or IRR_STEP_RECV */
    int             stage;
    size_t          least;   /* shortest message that is selected, in bytes */
    const bool     *but;     /* by peer: true if the message is not selected; NULL: all messages are selected */
} irr_direct_side_t;

/*
 * Appends the selected messages of the problem, without the rank's message to itself, in the steps of an order that a
 * rank computes alone.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_add_side(const irr_problem_t *problem, const irr_order_t *order, const irr_direct_side_t *side,
                                 irr_plan_t *plan);

/*
 * Builds the plan of the problem's rank from a schedule or from the messages that irr_schedule_own returns.  The
 * schedule determines the lengths of messages, and the blocks to send must have these lengths.  If the blocks for a
 * received message are too short, the plan still runs, and the exchange ends in IRR_ERR_TRUNCATE.  O(n).  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_direct_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan);

#endif
