/*
 * algorithms.h - the table of algorithms: every name that a user can choose is one row.
 */
#ifndef IRR_ALGORITHMS_H
#define IRR_ALGORITHMS_H

#include "order/order.h"
#include "order/scheduled.h"
#include "route/grid.h"
#include "route/route.h"

/* How a grid row chooses its dimensions. */
typedef enum irr_shape {
    IRR_SHAPE_NONE,    /* a direct route */
    IRR_SHAPE_LINE,    /* all ranks in one dimension */
    IRR_SHAPE_SQUARE,  /* as square as it goes, or the user's */
    IRR_SHAPE_HALVES,  /* two ranks each, or the user's */
    IRR_SHAPE_NODES    /* ranks of a node, nodes */
} irr_shape_t;

/*
 * A rank can build the plan of a direct row alone; a grid row needs what others send (route/grid_plan.h), which
 * the exchange learns on the way (exec/relay.h).
 */
typedef struct irr_algorithm {
    const char        *name;
    const irr_route_t *route;     /* NULL for a grid */
    const irr_order_t *order;     /* NULL for a grid: priority */
    irr_shape_t        shape;
    bool               balanced;
    const char        *text;      /* one sentence, with the source */
} irr_algorithm_t;

/* Row i of those before the scheduled ones, with "auto" resolved for that number of ranks; NULL: it is none. */
const irr_algorithm_t *irr_algorithm_resolve(int algorithm, int ranks);

/*
 * The rows behind those are the scheduled orders (order/scheduled.c) over the direct route.  A rank needs the
 * counts of all ranks for them (comm/schedules.h).  NULL: the row is none.
 */
const irr_scheduled_t *irr_algorithm_scheduled(int algorithm);

/* Does the row look at a topology, if there is one? */
bool irr_algorithm_asks_topology(int algorithm);

/*
 * The row where the ranks are on so many hosts of a topology, all of them: "auto" becomes aapc for two and more.  Any
 * other row is itself.
 */
int irr_algorithm_on_hosts(int algorithm, int hosts);

/* What a row does where there is no schedule: a1 for a scheduled one, and else itself. */
int irr_algorithm_alone(int algorithm);

/*
 * The one place where IRR_PACE_AUTO becomes a pace, from what all ranks know: that of the scheduled row, else
 * free.  Rows of a grid have no other than free, because they have no order of messages that both ends keep
 * (exec/grant.h).  Never IRR_PACE_AUTO.
 */
irr_pacing_t irr_algorithm_pacing(const irr_settings_t *settings, int ranks);

/*
 * The grid of a row, with the user's dimensions where it takes them; nodes is borrowed, for the row that needs it.
 * IRR_ERR_BAD_PARAM: a direct row, no nodes for the row that needs them, or more stages than a tag can tell.
 */
irr_status_t irr_algorithm_grid(const irr_algorithm_t *row, int ranks, const irr_dims_t *dims,
                                const irr_nodes_t *nodes, irr_grid_t *grid);

/* Most stages of an exchange. */
#define IRR_STAGES_MAX 15

#endif
