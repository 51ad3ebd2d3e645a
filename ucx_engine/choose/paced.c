/*
 * paced.c - lists strategies with different pacings; see paced.h.
 *
 * With pacing sync, the receiver of a message signals the ranks whose later messages share a link with it.  It sends
 * the signal when a number of bytes, the lead, is still missing.  With grant, a receiver allows each send by an empty
 * message.  With loose, a rank begins a step when its messages of earlier steps are complete.  The rows of the table:
 *
 * - node, sync: ranks of a host forward messages for each other, so few and long messages travel between hosts.
 * - direct, sync, 32 KiB: signals keep messages that share a link apart.  The receiver learns from complete pieces how
 *   many bytes are missing, so pieces must be short.
 * - direct, sync, 60 KiB: pieces are just short enough that UCX sends them eagerly over tcp.  A larger lead suits
 *   processes that respond late.
 * - direct, sync, no lead: for networks in which the bytes of a lead would wait in queues of several switches, and
 *   signals would wait behind them.
 * - direct, grant: the receiver admits senders.
 * - direct and node, loose or free: without a schedule.  They are the fastest if signals cost more than they save, as
 *   with short messages, or if one link delays all messages in any order.  Other libraries call loose pairwise
 *   exchange.
 */
#include "choose/paced.h"

#define KIB ((size_t)1024)

static const irr_strategy_t tried[] = {
    { .route = &irr_route_node, .pacing = &irr_pacing_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pacing = &irr_pacing_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pacing = &irr_pacing_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 60 * KIB,
      .lead = 96 * KIB },
    { .route = &irr_route_direct, .pacing = &irr_pacing_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB },
    { .route = &irr_route_direct, .pacing = &irr_pacing_grant, .grants = 6, .piece_max = 16 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pacing = &irr_pacing_loose, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_direct, .pacing = &irr_pacing_free, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_node, .pacing = &irr_pacing_free, .grants = IRR_GRANTS_DEFAULT }
};

enum { TRIED = sizeof(tried) / sizeof(tried[0]) };

_Static_assert(TRIED <= IRR_PACED_STRATEGIES_MAX, "there is room for all strategies");

static bool known(const irr_strategy_t *strategies, int count, const irr_strategy_t *strategy)
{
    for (int i = 0; i < count; i++) {
        if (strategies[i].route == strategy->route && strategies[i].order == strategy->order &&
            strategies[i].pacing == strategy->pacing &&
            strategies[i].piece_max == strategy->piece_max && strategies[i].lead == strategy->lead &&
                strategies[i].grants == strategy->grants) {
            return true;
        }
    }
    return false;
}

static bool allows(const irr_settings_t *settings, const irr_pacing_t *pacing, int ranks)
{
    return settings->pacing == IRR_PACING_AUTO ? pacing != &irr_pacing_sync || ranks <= IRR_PACED_SYNC_RANKS
                                           : pacing == irr_pacing_of(settings->pacing);
}

/*
 * Returns the order of a strategy.  Direct messages that are not cut into pieces need no schedule, unless the user has
 * set a pacing or the length of pieces.
 */
static const irr_order_t *order_of(const irr_settings_t *settings, const irr_strategy_t *base,
                                   const irr_strategy_t *row)
{
    const bool open = settings->pacing == IRR_PACING_AUTO && settings->piece_bytes == IRR_BYTES_AUTO;

    return open && row->route == &irr_route_direct && row->piece_max == 0 ? &irr_order_rotate : base->order;
}

int irr_paced_strategies(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks,
                         irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX])
{
    int count = 0;

    for (int i = 0; i < TRIED; i++) {
        const irr_strategy_t *row = &tried[i];
        const unsigned route = row->route == &irr_route_node ? IRR_PACED_NODE : IRR_PACED_DIRECT;
        irr_strategy_t strategy = *base;

        strategy.route = row->route;
        strategy.order = order_of(settings, base, row);
        strategy.pacing = row->pacing;
        if (settings->piece_bytes == IRR_BYTES_AUTO) {
            strategy.piece_max = row->piece_max;
            strategy.grants = settings->grants > 0 ? settings->grants : row->grants;
        }
        strategy.lead = settings->lead_bytes == IRR_BYTES_AUTO ? row->lead : base->lead;
        if ((routes & route) != 0 && allows(settings, strategy.pacing, ranks) && !known(strategies, count, &strategy)) {
            strategies[count++] = strategy;
        }
    }
    if (count == 0) {
        strategies[count] = *base;
        strategies[count++].pacing = allows(settings, base->pacing, ranks) ? base->pacing : &irr_pacing_grant;
    }
    return count;
}

irr_strategy_t irr_paced_first(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks)
{
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];

    (void)irr_paced_strategies(settings, base, routes, ranks, strategies);
    return strategies[0];
}
