/*
 * lanes_channel.c - channels of the combined transport; see lanes.h.
 *
 * open_channel chooses the lane of each member. A member of the lane `far` may be unresolved: its peer is looked up
 * before the first send to the member. A receive from the member needs no peer.
 */
#include "transport/lanes.h"

#include "core/alloc.h"

enum { UNRESOLVED = IRR_LANE_KINDS };

_Static_assert(UNRESOLVED + 1 == IRR_CHANNEL_LANES, "a lane of each kind, and one for unresolved members");

typedef struct channel {
    irr_channel_t super;       /* super.lanes: inner channels (NULL: no member uses this lane), and `unresolved` */
    irr_channel_t unresolved;
    irr_finder_t *finder;      /* NULL: all members have peers */
    uint8_t      *kinds;       /* by rank: irr_lane_kind_t, or UNRESOLVED */
    irr_page_t    pages[];     /* the members' peers in their inner transports */
} channel_t;

static channel_t *channel_of(irr_channel_t *base)
{
    return (channel_t *)base;
}

/* ---- operations on all inner channels ---- */

static void on_each(irr_channel_t *base, void (*operation)(irr_channel_t *inner))
{
    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        if (base->lanes[k] != NULL) {
            operation(base->lanes[k]);
        }
    }
}

void irr_lanes_close_channel(irr_channel_t *channel)
{
    on_each(channel, irr_channel_close);
    for (size_t i = 0; i < irr_channel_pages(channel->ranks); i++) {
        irr_free(channel->pages[i]);
    }
    irr_free(channel);
}

void irr_lanes_abandon(irr_channel_t *channel)
{
    on_each(channel, irr_channel_abandon);
}

void irr_lanes_take_back(irr_channel_t *channel)
{
    on_each(channel, irr_channel_take_back);
}

/* ---- unresolved members ---- */

/* Allocates the page of a member if necessary. */
static irr_status_t make_page(channel_t *channel, int rank)
{
    irr_page_t *page = &channel->pages[rank / IRR_CHANNEL_PAGE];

    if (*page == NULL) {
        *page = irr_alloc_zero(IRR_CHANNEL_PAGE, sizeof(**page));
    }
    return *page != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* Sets the lane of a member, and the peer of the member in this lane. */
static irr_status_t set_member(channel_t *channel, int rank, irr_lane_kind_t kind, irr_peer_t *peer)
{
    irr_status_t status = make_page(channel, rank);

    if (status == IRR_OK) {
        status = irr_lanes_inner(peer, kind, &channel->pages[rank / IRR_CHANNEL_PAGE][rank % IRR_CHANNEL_PAGE]);
    }
    if (status == IRR_OK) {
        channel->kinds[rank] = (uint8_t)kind;
    }
    return status;
}

irr_status_t irr_lanes_resolve(irr_channel_t *base, int rank)
{
    channel_t *channel = channel_of(base);
    irr_peer_t *peer = NULL;
    irr_status_t status;

    if (channel->kinds[rank] != UNRESOLVED) {
        return IRR_OK;
    }
    status = channel->finder->find(channel->finder, rank, IRR_LANE_FAR, &peer);
    return status == IRR_OK ? set_member(channel, rank, IRR_LANE_FAR, peer) : status;
}

static channel_t *channel_of_unresolved(irr_channel_t *unresolved)
{
    return (channel_t *)((char *)unresolved - offsetof(channel_t, unresolved));
}

static irr_status_t send_first(irr_channel_t *unresolved, irr_request_t *request)
{
    irr_channel_t *channel = &channel_of_unresolved(unresolved)->super;
    const irr_status_t status = irr_lanes_resolve(channel, request->peer);

    return status == IRR_OK ? irr_channel_send(channel, request) : status;
}

static irr_status_t recv_unresolved(irr_channel_t *unresolved, irr_request_t *request)
{
    return irr_channel_recv(channel_of_unresolved(unresolved)->super.lanes[IRR_LANE_FAR], request);
}

void irr_lanes_init_unresolved(irr_transport_t *unresolved, const irr_transport_t *far)
{
    static const irr_transport_ops_t ops = { .send = send_first, .recv = recv_unresolved };

    *unresolved = (irr_transport_t){ .ops = &ops, .caps = far->caps };
}

/* ---- creation ---- */

static irr_status_t create(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_finder_t *finder,
                           channel_t **channel_p)
{
    const size_t pages = irr_channel_pages(ranks);
    channel_t *channel = irr_alloc_zero(1, sizeof(*channel) + pages * sizeof(irr_page_t) + (size_t)ranks);

    if (channel == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_channel_init(&channel->super, &lanes->super, id, ranks, rank, channel->pages);
    irr_channel_init(&channel->unresolved, &lanes->unresolved, id, ranks, rank, channel->pages);
    channel->kinds = (uint8_t *)(channel->pages + pages);
    channel->super.kinds = channel->kinds;
    channel->super.lanes[UNRESOLVED] = &channel->unresolved;
    channel->finder = finder;
    *channel_p = channel;
    return IRR_OK;
}

/* Opens the inner channel of a kind if necessary. */
static irr_status_t open_inner(channel_t *channel, irr_lane_kind_t kind)
{
    irr_channel_t *super = &channel->super;
    irr_transport_t *inner = ((irr_lanes_t *)super->transport)->inner[kind];

    if (inner == NULL) {
        return IRR_ERR_UNREACHABLE;
    }
    return super->lanes[kind] != NULL ? IRR_OK
           : inner->ops->open_channel(inner, (uint16_t)super->id, super->ranks, super->rank, channel->pages,
                                      &super->lanes[kind]);
}

static irr_status_t add_member(channel_t *channel, int member, irr_lane_kind_t kind, irr_peer_t *peer)
{
    const irr_status_t status = set_member(channel, member, kind, peer);

    return status == IRR_OK ? open_inner(channel, kind) : status;
}

/* Adds a member whose peer the finder looks up: now for `near`, before the first send for `far`. */
static irr_status_t add_found(channel_t *channel, int member, bool is_near)
{
    irr_peer_t *peer = NULL;
    irr_status_t status;

    if (!is_near) {
        channel->kinds[member] = UNRESOLVED;
        status = open_inner(channel, IRR_LANE_FAR);
        channel->unresolved.looks = status == IRR_OK && channel->super.lanes[IRR_LANE_FAR]->looks;
        return status;
    }
    status = channel->finder->find(channel->finder, member, IRR_LANE_NEAR, &peer);
    return status == IRR_OK ? add_member(channel, member, IRR_LANE_NEAR, peer) : status;
}

static irr_status_t created(channel_t *channel, irr_status_t status, irr_channel_t **channel_p)
{
    if (status != IRR_OK) {
        irr_lanes_close_channel(&channel->super);
        return status;
    }
    *channel_p = &channel->super;
    return IRR_OK;
}

irr_status_t irr_lanes_open_channel(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_finder_t *finder,
                                    const int *labels, irr_channel_t **channel_p)
{
    channel_t *channel;
    irr_status_t status = create(lanes, id, ranks, rank, finder, &channel);

    if (status != IRR_OK) {
        return status;
    }
    for (int i = 0; i < ranks && status == IRR_OK; i++) {
        if (i != rank) {
            status = add_found(channel, i, labels != NULL && labels[i] == labels[rank]);
        }
    }
    return created(channel, status, channel_p);
}

irr_status_t irr_lanes_open_to(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                               const irr_page_t *pages, irr_channel_t **channel_p)
{
    const irr_channel_t given = { .pages = pages };
    channel_t *channel;
    irr_status_t status = create((irr_lanes_t *)transport, id, ranks, rank, NULL, &channel);

    if (status != IRR_OK) {
        return status;
    }
    for (int i = 0; i < ranks && status == IRR_OK; i++) {
        irr_peer_t *peer = pages[i / IRR_CHANNEL_PAGE] != NULL ? irr_channel_peer(&given, i) : NULL;

        if (peer != NULL) {
            status = add_member(channel, i, irr_lanes_nearest(peer), peer);
        }
    }
    return created(channel, status, channel_p);
}
