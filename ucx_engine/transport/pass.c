/* pass.c - passes all operations on to the inner transport; see pass.h. */
#include "transport/pass.h"

#include "core/alloc.h"

static irr_transport_t *inner_of(irr_transport_t *transport)
{
    return ((irr_pass_t *)transport)->inner;
}

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->address(inner, address_p, length_p);
}

static irr_status_t connect(irr_transport_t *transport, const void *bytes, size_t length, irr_peer_t **peer_p)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->connect(inner, bytes, length, peer_p);
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->reach(inner, peer);
}

static void settle(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_transport_t *inner = inner_of(transport);

    if (inner->ops->settle != NULL) {
        inner->ops->settle(inner, peer);
    }
}

static void leave(irr_transport_t *transport)
{
    irr_transport_t *inner = inner_of(transport);

    if (inner->ops->leave != NULL) {
        inner->ops->leave(inner);
    }
}

static irr_status_t open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 const irr_page_t *pages, irr_channel_t **channel_p)
{
    irr_transport_t *inner = inner_of(transport);
    irr_pass_channel_t *channel = irr_alloc(1, sizeof(*channel));
    irr_status_t status;

    if (channel == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = inner->ops->open_channel(inner, id, ranks, rank, pages, &channel->inner);
    if (status != IRR_OK) {
        irr_free(channel);
        return status;
    }
    irr_channel_init(&channel->super, transport, id, ranks, rank, pages);
    *channel_p = &channel->super;
    return IRR_OK;
}

void irr_pass_close_channel(irr_channel_t *channel)
{
    irr_channel_close(irr_pass_inner(channel));
    irr_free(channel);
}

static irr_status_t send(irr_channel_t *channel, irr_request_t *request)
{
    return inner_of(channel->transport)->ops->send(irr_pass_inner(channel), request);
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    return inner_of(channel->transport)->ops->recv(irr_pass_inner(channel), request);
}

static void abandon(irr_channel_t *channel)
{
    irr_channel_abandon(irr_pass_inner(channel));
}

static void take_back(irr_channel_t *channel)
{
    irr_channel_take_back(irr_pass_inner(channel));
}

static irr_status_t discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->discard(inner, id, tag, mask, count);
}

static unsigned progress(irr_transport_t *transport)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->progress(inner);
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->arm(inner, fd_p);
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    irr_transport_t *inner = inner_of(transport);

    inner->ops->statistics(inner, endpoints, bytes_gathered);
}

static void close_endpoints(irr_transport_t *transport)
{
    irr_transport_t *inner = inner_of(transport);

    inner->ops->close(inner);
}

static irr_status_t drain(irr_transport_t *transport)
{
    irr_transport_t *inner = inner_of(transport);

    return inner->ops->drain(inner);
}

void irr_pass_free(irr_transport_t *transport)
{
    irr_transport_t *inner = inner_of(transport);

    inner->ops->free(inner);
    irr_free(transport);
}

void irr_pass_init(irr_pass_t *pass, irr_transport_t *inner)
{
    pass->super = (irr_transport_t){ .ops = &pass->ops, .caps = inner->caps };
    pass->inner = inner;
    pass->ops = (irr_transport_ops_t){
        .address = address,
        .connect = connect,
        .reach = reach,
        .settle = settle,
        .leave = leave,
        .open_channel = open_channel,
        .close_channel = irr_pass_close_channel,
        .send = send,
        .recv = recv,
        .abandon = abandon,
        .take_back = take_back,
        .discard = discard,
        .progress = progress,
        .arm = arm,
        .statistics = statistics,
        .close = close_endpoints,
        .drain = drain,
        .free = irr_pass_free
    };
}
