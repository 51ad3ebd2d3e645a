/*
 * strategy.h - a strategy (irr_strategy_t): one value that states how an exchange runs.
 *
 * A strategy has a route (through which ranks a byte travels), an order (in which step each message is sent), a pacing
 * (when a message may start), their parameters, the composition of messages, and the window of sends in flight.  The
 * table of algorithms lists the strategies that have a name.  irr_strategy_of makes a strategy from settings.  A trial
 * compares several strategies (choose/candidates.h).
 *
 * The strategy determines what a rank needs to build its plan:
 *
 * - direct, with an order that a rank computes from its index (rotate, natural): the problem of the rank
 * - direct, with an order that computes a schedule: the local schedule of the rank
 * - grid or node, without a schedule: the messages that arrive in the exchange (exec/relay.h), or the problems of all
 *   ranks (study/grid_plans.h)
 * - node, with a schedule: lengths from the count matrix, and the local schedule of the messages between nodes
 *   (route/forward.h)
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
    IRR_SHAPE_SQUARE,  /* two dimensions, as square as possible; or the dimensions that the user has set */
    IRR_SHAPE_HALVES   /* dimensions of two ranks each; or the dimensions that the user has set */
} irr_shape_t;

typedef struct irr_strategy {
    const irr_route_t *route;
    const irr_order_t *order;
    const irr_pacing_t *pacing;
    size_t             grants;      /* pacing grant: number of senders that a rank admits at a time */
    size_t             lead;        /* pacing sync: a receiver sends its signal when this number of bytes is still
                                       missing */
    size_t             piece_max;   /* longest piece of a message in a schedule, in bytes; 0: no limit */
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;
    irr_shape_t        shape;       /* this and the next two members: only for route grid */
    bool               balanced;
    irr_dims_t         dims;
    size_t             slice_min;
    size_t             direct_from; /* routes grid and node: shortest message that is sent directly; 0: no message is
                                       sent directly */
    irr_overlap_t      overlap;
} irr_strategy_t;

/* ---- the table (plan/algorithms.c): one row for each name that a user can choose ---- */

/* Returns the strategy of a row, with its default pacing, or NULL past the last row. */
const irr_strategy_t *irr_algorithm_strategy(int algorithm);

/*
 * Returns the row that replaces row "auto"; any other row replaces itself.  hosts: with a topology, the number of hosts
 * of all ranks; otherwise 1.  All ranks get the same result.
 */
int irr_algorithm_resolve(int algorithm, int hosts);

/* Returns whether the algorithm of a row uses a topology if there is one. */
bool irr_algorithm_asks_topology(int algorithm);

/* ---- strategies ---- */

/*
 * Returns the strategy of settings; hosts: as for irr_algorithm_resolve.  The default pacing of the algorithm replaces
 * IRR_PACING_AUTO.  The pacing of a grid is always free, because the sender and the receiver of a message may have it
 * in different steps.
 */
irr_strategy_t irr_strategy_of(const irr_settings_t *settings, int hosts);

/*
 * Returns the strategy that replaces a strategy with a schedule if there is no schedule: it has the order of direct,
 * and pacing loose instead of sync.
 */
irr_strategy_t irr_strategy_unscheduled(const irr_strategy_t *strategy);

/* Returns whether a strategy needs a schedule, which is computed from the counts of all ranks. */
static inline bool irr_strategy_is_scheduled(const irr_strategy_t *strategy)
{
    return strategy->order->schedule != NULL;
}

/* Returns whether a rank can build its plan from its own problem. */
static inline bool irr_strategy_is_local(const irr_strategy_t *strategy)
{
    return strategy->route->build != NULL && strategy->order->send_step != NULL;
}

/* Returns whether long messages are sent directly and all other messages are forwarded. */
static inline bool irr_strategy_is_split(const irr_strategy_t *strategy)
{
    return strategy->direct_from > 0;
}

/* Returns whether long messages are sent directly and all other messages through a grid. */
static inline bool irr_strategy_is_hybrid(const irr_strategy_t *strategy)
{
    return strategy->route == &irr_route_grid && irr_strategy_is_split(strategy);
}

/* Returns whether ranks forward the messages of other ranks of their node, and send them in the order of a schedule. */
static inline bool irr_strategy_forwards(const irr_strategy_t *strategy)
{
    return strategy->route == &irr_route_node && irr_strategy_is_scheduled(strategy);
}

/*
 * Returns the grid of a strategy.  nodes is borrowed; it is required for route node, and ignored for other routes.
 * Returns IRR_ERR_BAD_PARAM if the strategy is direct or has a schedule, if nodes is NULL for route node, or if the
 * grid has more stages than IRR_STAGES_MAX.
 */
irr_status_t irr_strategy_grid(const irr_strategy_t *strategy, int ranks, const irr_nodes_t *nodes, irr_grid_t *grid);

/* Largest number of stages of an exchange, limited by the bits of a tag. */
#define IRR_STAGES_MAX 15

/* ---- plans ---- */

/* The transmissions of one rank in a schedule, and their signals.  Zeroed: empty. */
typedef struct irr_share {
    irr_schedule_t own;       /* the rank's transmissions, in pieces */
    irr_signals_t  signals;   /* signals and waits of pacing sync; empty with any other pacing */
} irr_share_t;

/*
 * Computes the share of a rank; borrows nothing.  The caller frees *share, even after an error.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_share_init(irr_share_t *share, const irr_strategy_t *strategy, const irr_local_schedule_t *local,
                            int rank);
void         irr_share_fini(irr_share_t *share);

/*
 * Replaces the contents of *plan by the plan of the problem's rank, with its pacing.  share: required if the strategy
 * has a schedule, otherwise NULL.  forward: required if irr_strategy_forwards returns true, otherwise ignored.  Returns
 * IRR_ERR_BAD_PARAM if the plan needs the counts of other ranks, and the strategy has no schedule.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_strategy_build(const irr_strategy_t *strategy, const irr_problem_t *problem, const irr_share_t *share,
                                const irr_forward_t *forward, irr_plan_t *plan);

#endif
