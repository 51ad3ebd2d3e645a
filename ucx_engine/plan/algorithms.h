/*
 * algorithms.h - the table of algorithms: every name that a user can choose is one row.
 */
#ifndef IRR_ALGORITHMS_H
#define IRR_ALGORITHMS_H

#include "order/order.h"
#include "route/route.h"

typedef struct irr_algorithm {
    const char        *name;
    const irr_route_t *route;
    const irr_order_t *order;
    const char        *text;   /* one sentence, with the source */
} irr_algorithm_t;

/* Row i, with "auto" resolved for that number of ranks; NULL if there is no such row. */
const irr_algorithm_t *irr_algorithm_resolve(int algorithm, int ranks);

#endif
