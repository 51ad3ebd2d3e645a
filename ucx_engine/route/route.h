/*
 * route.h - routes: the ranks through which a byte travels from its source to its destination.
 *
 *     direct   from the source to the destination
 *     grid     along the dimensions of a grid of ranks (route/grid.h); long messages may be sent directly
 *     node     through leaders: ranks that send to another node, or to one of its ranks, for all ranks of their node
 *
 * On a grid or node route a rank forwards messages of other ranks.  It reads the lengths of these messages from the
 * messages that arrive, or computes them from the counts of all ranks; see plan/strategy.h.
 */
#ifndef IRR_ROUTE_H
#define IRR_ROUTE_H

#include "order/order.h"
#include "plan/plan.h"

typedef struct irr_route {
    const char *name;
    /*
     * Appends the messages and copies of the problem (the rank's blocks) to an empty plan.  The order determines the
     * step of each message; it must not need the counts of other ranks.  Returns the errors of irr_plan_add only.
     * build is NULL if a plan of this route needs more than the rank's problem.
     */
    irr_status_t (*build)(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan);
} irr_route_t;

extern const irr_route_t irr_route_direct;
extern const irr_route_t irr_route_grid;
extern const irr_route_t irr_route_node;

#endif
