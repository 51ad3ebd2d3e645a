/*
 * algorithms.h - the table of algorithms: every name that a user can choose is one row.
 */
#ifndef IRR_ALGORITHMS_H
#define IRR_ALGORITHMS_H

#include "order/order.h"
#include "route/grid.h"
#include "route/route.h"

/*
 * A rank can build the plan of a direct row alone.  The plans of a grid row need the counts of all ranks
 * (irr_plans_build); the host is not offered those until the executor can learn them on the way.
 */
typedef struct irr_algorithm {
    const char        *name;
    const irr_route_t *route;                        /* NULL for a grid */
    const irr_order_t *order;
    void             (*grid)(int ranks, irr_grid_t *grid);  /* NULL for a direct route */
    const char        *text;                         /* one sentence, with the source */
} irr_algorithm_t;

/* Row i of the whole table, with "auto" resolved for that number of ranks; NULL if there is no such row. */
const irr_algorithm_t *irr_algorithm_resolve(int algorithm, int ranks);

#endif
