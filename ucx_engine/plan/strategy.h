/*
 * strategy.h - a strategy (irr_strategy_t) is one value with all choices for an exchange; the table of algorithms has
 * those with a name.
 *
 * A strategy is a route, an order and a pacing, with their parameters, the composition of messages, and the window of
 * sends in flight.  irr_strategy_of makes a strategy of settings, and a trial takes one of several
 * (choose/candidates.h). The executor's caller reads composition and window from it, and tools plan with it.
 *
 * The strategy determines the input of a plan:
 *
 * - direct, with an order that a rank computes alone (rotate, natural): the problem of the rank
 * - direct, with an order that computes a schedule: the rank's part of the schedule
 * - grid or node, without a schedule: the messages of the exchange (exec/relay.h), or the problems of all ranks
 *   (study/grid_plans.h)
 * - node, with a schedule: the ranks of a node first forward messages to each other, and the schedule then takes them
 *   from node to node (route/forward.h)
 *
 * Pure.
 */
#ifndef IRR_STRATEGY_H
#define IRR_STRATEGY_H

#include "order/order.h"
#include "pacing/pacing.h"
#include "route/local_schedule.h"
#include "route/forward.h"
#include "route/grid.h"
#include "route/route.h"
#include "pacing/signals.h"

/* The dimensions of a grid. */
typedef enum irr_shape {
    IRR_SHAPE_LINE,    /* all ranks in one dimension */
    IRR_SHAPE_SQUARE,  /* as square as possible, or the user's */
    IRR_SHAPE_HALVES   /* two ranks each, or the user's */
} irr_shape_t;

typedef struct irr_strategy {
    const irr_route_t *route;
    const irr_order_t *order;
    const irr_pacing_t *pacing;
    size_t             grants;      /* of pacing grant */
    size_t             lead;        /* of pacing sync, in bytes */
    size_t             piece_max;   /* longest piece of a message in a schedule, in bytes; 0: no limit */
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;
    irr_shape_t        shape;       /* of route grid, as `balanced`; the members below are also for node */
    bool               balanced;
    irr_dims_t         dims;
    size_t             slice_min;
    size_t             direct_from; /* grid and node: shortest message that goes directly; 0: none does */
    irr_overlap_t      overlap;
} irr_strategy_t;

/* ---- the table (plan/algorithms.c): one row for each name that a user can choose ---- */

/* Returns the strategy of row i, with its default pacing, or NULL past the last. */
const irr_strategy_t *irr_algorithm_strategy(int algorithm);

/*
 * Returns the row that "auto" becomes, or the same row for any other.  hosts: with a topology, the number of hosts of
 * all ranks; otherwise 1.  Alike on all ranks.
 */
int irr_algorithm_resolve(int algorithm, int hosts);

/* Returns whether the row uses a topology, if there is one. */
bool irr_algorithm_asks_topology(int algorithm);

/* ---- strategies ---- */

/*
 * Returns the strategy of settings; hosts: as for irr_algorithm_resolve.  IRR_PACING_AUTO becomes a pacing here.  The
 * pacing of a grid is always free, because the two ends of a message have no common order.
 */
irr_strategy_t irr_strategy_of(const irr_settings_t *settings, int hosts);

/* Returns the strategy for an exchange without a schedule: direct instead of a schedule, loose instead of sync. */
irr_strategy_t irr_strategy_alone(const irr_strategy_t *strategy);

/* Returns whether a strategy needs a schedule, and so the counts of all ranks. */
static inline bool irr_strategy_is_scheduled(const irr_strategy_t *strategy)
{
    return strategy->order->schedule != NULL;
}

/* Returns whether a rank can build its plan from its own problem. */
static inline bool irr_strategy_is_local(const irr_strategy_t *strategy)
{
    return strategy->route->build != NULL && strategy->order->send_step != NULL;
}

/* Returns whether some messages go directly, beside those that are forwarded. */
static inline bool irr_strategy_is_split(const irr_strategy_t *strategy)
{
    return strategy->direct_from > 0;
}

/* Returns whether it is a grid beside which long messages go directly.  Such strategies differ by their limits. */
static inline bool irr_strategy_is_hybrid(const irr_strategy_t *strategy)
{
    return strategy->route == &irr_route_grid && irr_strategy_is_split(strategy);
}

/* Returns whether a rank sends for others between nodes, by a schedule. */
static inline bool irr_strategy_forwards(const irr_strategy_t *strategy)
{
    return strategy->route == &irr_route_node && irr_strategy_is_scheduled(strategy);
}

/*
 * Returns the grid of a strategy; nodes is borrowed, for route node.  IRR_ERR_BAD_PARAM: the strategy is direct or has
 * a schedule, nodes are missing for route node, or there are more stages than IRR_STAGES_MAX.
 */
irr_status_t irr_strategy_grid(const irr_strategy_t *strategy, int ranks, const irr_nodes_t *nodes, irr_grid_t *grid);

/* Most stages of an exchange: a tag has room for this number. */
#define IRR_STAGES_MAX 15

/* ---- plans ---- */

/* The part of a rank in a schedule, for one strategy.  Zeroed: empty. */
typedef struct irr_share {
    irr_schedule_t own;       /* the rank's transmissions, in pieces */
    irr_signals_t  signals;   /* signals and waits of pacing sync; empty with any other */
} irr_share_t;

/* Computes the share of a rank, and borrows nothing.  Freed by irr_share_fini in any case.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_share_init(irr_share_t *share, const irr_strategy_t *strategy, const irr_local_schedule_t *local,
                            int rank);
void         irr_share_fini(irr_share_t *share);

/*
 * Builds the plan of the problem's rank, with its pacing; the plan is reset first.  share: for a strategy with a
 * schedule, else NULL; forward: for one that forwards, else ignored.  IRR_ERR_BAD_PARAM: the strategy neither has a
 * schedule nor is local; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_strategy_build(const irr_strategy_t *strategy, const irr_problem_t *problem, const irr_share_t *share,
                                const irr_forward_t *forward, irr_plan_t *plan);

#endif
