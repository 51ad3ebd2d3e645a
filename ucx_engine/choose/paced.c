/*
 * paced.c - see paced.h.
 *
 * The strategies, in the order of the table:
 *
 * - node, sync: ranks of a host forward messages to each other, so few and long messages travel between hosts.
 * - direct, sync, 32 KiB: signals keep messages that share a link apart; pieces are short enough to be counted as they
 *   arrive.
 * - direct, sync, 60 KiB: pieces just below what UCX sends eagerly over tcp, and a larger lead, for processes that
 *   answer late.
 * - direct, sync, no lead: for networks where bytes sent ahead would queue in several switches, with the signals behind
 *   them.
 * - direct, grant: the receiver admits senders.
 * - direct and node, loose or free: no schedule.  These win if signals cost more than they save, as with short
 *   messages, or if one link delays everything in any order.  loose is the pairwise exchange of other libraries.
 */
#include "choose/paced.h"

#define KIB ((size_t)1024)

static const irr_way_t tried[] = {
    { .route = &irr_route_node, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 60 * KIB,
      .lead = 96 * KIB },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB },
    { .route = &irr_route_direct, .pace = &irr_pace_grant, .grants = 6, .piece_max = 16 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_loose, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_free, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_node, .pace = &irr_pace_free, .grants = IRR_GRANTS_DEFAULT }
};

enum { TRIED = sizeof(tried) / sizeof(tried[0]) };

_Static_assert(TRIED <= IRR_PACED_WAYS_MAX, "there is room for all strategies");

static bool known(const irr_way_t *ways, int count, const irr_way_t *way)
{
    for (int i = 0; i < count; i++) {
        if (ways[i].route == way->route && ways[i].order == way->order && ways[i].pace == way->pace &&
            ways[i].piece_max == way->piece_max && ways[i].lead == way->lead && ways[i].grants == way->grants) {
            return true;
        }
    }
    return false;
}

/* Returns whether the user has left this pacing open, or asked for it. */
static bool allows(const irr_settings_t *settings, const irr_pace_t *pace, int ranks)
{
    return settings->pace == IRR_PACE_AUTO ? pace != &irr_pace_sync || ranks <= IRR_PACED_SYNC_RANKS
                                           : pace == irr_pace_of(settings->pace);
}

/* Returns the base's order if the user asks for a pacing or for pieces; otherwise whole messages need no schedule. */
static const irr_order_t *order_of(const irr_settings_t *settings, const irr_way_t *base, const irr_way_t *row)
{
    const bool open = settings->pace == IRR_PACE_AUTO && settings->piece_bytes == IRR_BYTES_AUTO;

    return open && row->route == &irr_route_direct && row->piece_max == 0 ? &irr_order_rotate : base->order;
}

int irr_paced_ways(const irr_settings_t *settings, const irr_way_t *base, unsigned routes, int ranks,
                   irr_way_t ways[IRR_PACED_WAYS_MAX])
{
    int count = 0;

    for (int i = 0; i < TRIED; i++) {
        const irr_way_t *row = &tried[i];
        const unsigned route = row->route == &irr_route_node ? IRR_PACED_NODE : IRR_PACED_DIRECT;
        irr_way_t way = *base;

        way.route = row->route;
        way.order = order_of(settings, base, row);
        way.pace = row->pace;
        if (settings->piece_bytes == IRR_BYTES_AUTO) {
            way.piece_max = row->piece_max;
            way.grants = settings->grants > 0 ? settings->grants : row->grants;
        }
        way.lead = settings->lead_bytes == IRR_BYTES_AUTO ? row->lead : base->lead;
        if ((routes & route) != 0 && allows(settings, way.pace, ranks) && !known(ways, count, &way)) {
            ways[count++] = way;
        }
    }
    if (count == 0) {
        ways[count] = *base;
        ways[count++].pace = allows(settings, base->pace, ranks) ? base->pace : &irr_pace_grant;
    }
    return count;
}

irr_way_t irr_paced_first(const irr_settings_t *settings, const irr_way_t *base, unsigned routes, int ranks)
{
    irr_way_t ways[IRR_PACED_WAYS_MAX];

    (void)irr_paced_ways(settings, base, routes, ranks, ways);
    return ways[0];
}
