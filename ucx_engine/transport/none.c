/*
 * none.c - a transport that reaches nobody: what an engine has before it needs one, and communicators whose ranks need
 * none.  Nothing is ever pending, so all that asks it finds nothing to do.
 */
#include "transport/transport.h"

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    (void)transport;
    (void)address_p;
    (void)length_p;
    return IRR_ERR_NOT_SUPPORTED;
}

static irr_status_t connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p)
{
    (void)transport;
    (void)address;
    (void)length;
    (void)peer_p;
    return IRR_ERR_UNREACHABLE;
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    (void)transport;
    (void)peer;
    return IRR_ERR_UNREACHABLE;
}

static irr_status_t open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 irr_peer_t *const *members, irr_channel_t **channel_p)
{
    (void)transport;
    (void)id;
    (void)ranks;
    (void)rank;
    (void)members;
    (void)channel_p;
    return IRR_ERR_NOT_SUPPORTED;
}

static void leave_channel(irr_channel_t *channel)
{
    (void)channel;
}

static irr_status_t move(irr_channel_t *channel, int peer, uint16_t tag, const irr_iov_t *iov, size_t count,
                         irr_form_t form, irr_request_t *request)
{
    (void)channel;
    (void)peer;
    (void)tag;
    (void)iov;
    (void)count;
    (void)form;
    (void)request;
    return IRR_ERR_UNREACHABLE;
}

static irr_status_t discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    (void)transport;
    (void)id;
    (void)tag;
    (void)mask;
    (void)count;
    return IRR_OK;
}

static unsigned progress(irr_transport_t *transport)
{
    (void)transport;
    return 0;
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    (void)transport;
    (void)fd_p;
    return IRR_ERR_NOT_SUPPORTED;
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    (void)transport;
    *endpoints = *bytes_gathered = 0;
}

static void leave(irr_transport_t *transport)
{
    (void)transport;
}

static irr_status_t drain(irr_transport_t *transport)
{
    (void)transport;
    return IRR_OK;
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = connect,
    .reach = reach,
    .open_channel = open_channel,
    .close_channel = leave_channel,
    .send = move,
    .recv = move,
    .abandon = leave_channel,
    .discard = discard,
    .progress = progress,
    .arm = arm,
    .statistics = statistics,
    .close = leave,
    .drain = drain,
    .free = leave
};

irr_transport_t *irr_transport_none(void)
{
    static irr_transport_t none = {
        .ops = &ops, .caps = { .name = "none", .pieces_max = { 1, 1 }, .zero_copy_min = SIZE_MAX }
    };

    return &none;
}
