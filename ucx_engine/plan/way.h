/*
 * way.h - a way to run an exchange, all that can be chosen of it in one value; and the table of those that have a name.
 *
 * A way is a route, an order and a pace, with what these take, and how messages are composed and how many are under way
 * at a time.  Settings become a way (irr_way_of), a trial takes one of several (choose/candidates.h), the executor's
 * caller reads composition and window from it, and tools plan by it.
 *
 * A direct way whose order a rank knows alone (rotate, natural) needs nothing but the problem.  One whose order
 * computes a schedule needs the rank's share of that.  By the routes grid and node without a schedule a rank learns
 * in the exchange what it forwards (exec/relay.h), or the problems of all are at hand (study/grid_plans.h).  The
 * route node with a schedule forwards inside of nodes what the schedule then takes from node to node
 * (route/forward.h).
 *
 * Pure.
 */
#ifndef IRR_WAY_H
#define IRR_WAY_H

#include "order/order.h"
#include "pace/pace.h"
#include "route/excerpt.h"
#include "route/forward.h"
#include "route/grid.h"
#include "route/route.h"
#include "pace/signals.h"

/* How a grid has its dimensions. */
typedef enum irr_shape {
    IRR_SHAPE_LINE,    /* all ranks in one dimension */
    IRR_SHAPE_SQUARE,  /* as square as it goes, or the user's */
    IRR_SHAPE_HALVES   /* two ranks each, or the user's */
} irr_shape_t;

typedef struct irr_way {
    const irr_route_t *route;
    const irr_order_t *order;
    const irr_pace_t  *pace;
    size_t             grants;      /* of the pace grant */
    size_t             lead;        /* of the pace sync, in bytes */
    size_t             piece_max;   /* bytes of a message by a schedule; 0: no limit */
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;
    irr_shape_t        shape;       /* of the route grid, as is `balanced`; what follows, of node, too */
    bool               balanced;
    irr_dims_t         dims;
    size_t             slice_min;
    size_t             direct_from; /* of the routes grid and node: so long messages go directly; 0: none */
    irr_overlap_t      overlap;
} irr_way_t;

/* ---- the table (plan/algorithms.c): every name that a user can choose is one row ---- */

/* The way of row i, with the pace that goes with it; NULL past the last. */
const irr_way_t *irr_algorithm_way(int algorithm);

/*
 * The one place where "auto" becomes another row, from what all ranks know: with a topology the hosts that the ranks
 * are on, all of them, else 1.  Any other row is itself.
 */
int irr_algorithm_resolve(int algorithm, int hosts);

/* Does the row look at a topology, if there is one? */
bool irr_algorithm_asks_topology(int algorithm);

/* ---- ways ---- */

/*
 * What settings ask for, whose algorithm is a row; hosts as above.  The one place where IRR_PACE_AUTO becomes a pace.
 * Ways by a grid have no pace but free, because they have no order of messages that both ends keep.
 */
irr_way_t irr_way_of(const irr_settings_t *settings, int hosts);

/* The same where there is no schedule: a1 for a way that has one, and loose for sync. */
irr_way_t irr_way_alone(const irr_way_t *way);

/* Does it need a schedule, and with that what all ranks send? */
static inline bool irr_way_is_scheduled(const irr_way_t *way)
{
    return way->order->schedule != NULL;
}

/* Does a rank know its plan from its own problem? */
static inline bool irr_way_is_local(const irr_way_t *way)
{
    return way->route->build != NULL && way->order->send_step != NULL;
}

/* Do some messages go directly, beside those that are forwarded? */
static inline bool irr_way_is_split(const irr_way_t *way)
{
    return way->direct_from > 0;
}

/* Is it a grid beside which long messages go directly?  Such ways differ by their limits. */
static inline bool irr_way_is_hybrid(const irr_way_t *way)
{
    return way->route == &irr_route_grid && irr_way_is_split(way);
}

/* Between nodes, does a rank send for others, by a schedule? */
static inline bool irr_way_forwards(const irr_way_t *way)
{
    return way->route == &irr_route_node && irr_way_is_scheduled(way);
}

/*
 * The grid of a way; nodes is borrowed, for the route node.  IRR_ERR_BAD_PARAM: the way is direct or has a schedule,
 * no nodes for the one that needs them, or more stages than a tag can tell.
 */
irr_status_t irr_way_grid(const irr_way_t *way, int ranks, const irr_nodes_t *nodes, irr_grid_t *grid);

/* Most stages of an exchange. */
#define IRR_STAGES_MAX 15

/* ---- plans ---- */

/* What a rank does in a schedule that goes one way.  Zeroed is empty. */
typedef struct irr_share {
    irr_schedule_t own;       /* what it sends and receives, in pieces */
    irr_signals_t  signals;   /* what it tells and awaits with the pace sync; empty with any other */
} irr_share_t;

/* That of a rank, whose excerpt may be freed then.  The caller's to irr_share_fini in any case.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_share_init(irr_share_t *share, const irr_way_t *way, const irr_excerpt_t *excerpt, int rank);
void         irr_share_fini(irr_share_t *share);

/*
 * Makes the plan of the problem's rank, with its pace.  share: for a way that is scheduled, else NULL; forward: for one
 * that forwards, else not looked at.  The plan is reset first.  IRR_ERR_BAD_PARAM: the way is neither scheduled nor
 * local; IRR_ERR_NO_MEMORY, not within the bounds.
 */
irr_status_t irr_way_build(const irr_way_t *way, const irr_problem_t *problem, const irr_share_t *share,
                           const irr_forward_t *forward, irr_plan_t *plan);

/*
 * What irr_plan_reserve needs for it, for any counts; the way is one that irr_way_build takes, or a split one: then for
 * what goes directly.  more: blocks that are
 * not the first of their rank.
 */
irr_plan_bounds_t irr_way_bounds(const irr_way_t *way, int ranks, size_t more, const irr_share_t *share,
                                 const irr_forward_t *forward);

#endif
