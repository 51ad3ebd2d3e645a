/*
 * route.h - routes: the ranks through which a byte travels.
 *
 *     direct   from the source to the destination
 *     grid     along the dimensions of a grid (route/grid.h); long messages may be sent directly
 *     node     through leaders: ranks that send to another node, or to one of its ranks, for all ranks of their node
 *
 * Routes are pure.  A rank learns the lengths of the messages that it forwards during the exchange, or from the counts
 * of all ranks; see plan/strategy.h.
 */
#ifndef IRR_ROUTE_H
#define IRR_ROUTE_H

#include "order/order.h"
#include "plan/plan.h"

typedef struct irr_route {
    const char *name;
    /*
     * Appends the messages and copies of the problem to an empty plan, in the steps of an order that a rank computes
     * alone.  Returns the errors of irr_plan_add only.  NULL: a rank cannot build its plan from its problem alone.
     */
    irr_status_t (*build)(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan);
} irr_route_t;

extern const irr_route_t irr_route_direct;
extern const irr_route_t irr_route_grid;
extern const irr_route_t irr_route_node;

#endif
