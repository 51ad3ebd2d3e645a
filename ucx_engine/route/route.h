/*
 * route.h - through which ranks does a byte travel?
 *
 * direct   from its source to its destination
 * grid     along the dimensions of a grid (route/grid.h), maybe with long messages from source to destination
 * node     inside the node, or host, to a rank that serves the destination, then from node to node
 *
 * Routes are pure.  What a rank forwards it learns in the exchange, or from what all ranks send; plan/way.h says how.
 */
#ifndef IRR_ROUTE_H
#define IRR_ROUTE_H

#include "order/order.h"
#include "plan/plan.h"

typedef struct irr_route {
    const char *name;
    /*
     * Appends to a plan, which is empty and belongs to the problem's rank, the steps that carry its blocks, in the
     * steps of an order that a rank knows alone.  Fails only where irr_plan_add does.  NULL: the rank has to know more.
     */
    irr_status_t (*build)(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan);
    /* The most that build can add, for any counts. */
    irr_plan_bounds_t (*bounds)(int ranks);
} irr_route_t;

extern const irr_route_t irr_route_direct;
extern const irr_route_t irr_route_grid;
extern const irr_route_t irr_route_node;

#endif
