/*
 * route.h - routes: the ranks through which a byte travels.
 *
 *     direct   from its source to its destination
 *     grid     along the dimensions of a grid (route/grid.h), with or without long messages sent directly
 *     node     inside the node to the rank that serves the destination, then to the destination on the other node
 *
 * Routes are pure.  A rank learns what it forwards in the exchange, or from the counts of all ranks; see
 * plan/strategy.h.
 */
#ifndef IRR_ROUTE_H
#define IRR_ROUTE_H

#include "order/order.h"
#include "plan/plan.h"

typedef struct irr_route {
    const char *name;
    /*
     * Appends to the empty plan of the problem's rank the steps that carry its blocks, in the steps of an order that a
     * rank computes alone.  Returns the errors of irr_plan_add only.  NULL: the rank needs to know more than its
     * problem.
     */
    irr_status_t (*build)(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan);
} irr_route_t;

extern const irr_route_t irr_route_direct;
extern const irr_route_t irr_route_grid;
extern const irr_route_t irr_route_node;

#endif
