/*
 * loopback.c - the loopback transport: the ranks of a fabric in one process and one thread.
 *
 * Loopback runs whole exchanges without a network, so that a test or tool can observe every rank.  Loopback follows the
 * contract of transports strictly: messages move only during progress().  Where the contract permits several orders of
 * messages, a seed selects one of them.  Long sends complete only when they are matched.
 *
 * An eager message (up to eager_max bytes) is copied once when sent and once when received.  A rendezvous, which is a
 * longer message, is copied once, when it is matched with its receive.  Only connect, open_channel and send allocate
 * memory.  If a send lacks memory, it has no effect.
 */
#include "study/loopback.h"

#include "core/alloc.h"
#include "transport/key.h"

#include <string.h>

irr_status_t irr_fabric_create(int ranks, uint64_t seed, size_t eager_max, irr_fabric_t **fabric_p)
{
    irr_fabric_t *fabric;

    if (ranks < 1) {
        return IRR_ERR_BAD_PARAM;
    }
    fabric = irr_alloc_zero(1, sizeof(*fabric) + (size_t)ranks * sizeof(fabric->ports[0]));
    if (fabric == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    fabric->ranks = ranks;
    fabric->shuffles = seed != 0;
    fabric->random = seed;
    fabric->eager_max = eager_max;
    for (int i = 0; i < ranks; i++) {
        irr_loopback_queue_init(&fabric->ports[i].wire);
    }
    *fabric_p = fabric;
    return IRR_OK;
}

void irr_fabric_destroy(irr_fabric_t *fabric)
{
    if (fabric == NULL) {
        return;
    }
    for (int i = 0; i < fabric->ranks; i++) {
        irr_loopback_free_all(&fabric->ports[i].wire);
    }
    irr_free(fabric);
}

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    *address_p = &irr_loopback_of(transport)->address;
    *length_p = sizeof(irr_loopback_address_t);
    return IRR_OK;
}

static irr_status_t connect(irr_transport_t *transport, const void *bytes, size_t length, irr_peer_t **peer_p)
{
    irr_loopback_t *loopback = irr_loopback_of(transport);
    irr_loopback_address_t name;
    irr_peer_t *peer;

    if (length != sizeof(name)) {
        return IRR_ERR_BAD_PARAM;
    }
    memcpy(&name, bytes, sizeof(name));
    if (name.fabric != loopback->fabric || name.rank < 0 || name.rank >= loopback->fabric->ranks) {
        return IRR_ERR_UNREACHABLE;
    }
    peer = irr_alloc(1, sizeof(*peer));
    if (peer == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    peer->rank = (int)name.rank;
    peer->open = false;
    peer->next = loopback->peers;
    loopback->peers = peer;
    *peer_p = peer;
    return IRR_OK;
}

static void open_endpoint(irr_loopback_t *loopback, irr_peer_t *peer)
{
    loopback->endpoints += peer->open ? 0 : 1;
    peer->open = true;
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_loopback_t *loopback = irr_loopback_of(transport);

    if (loopback->closed) {
        return IRR_ERR_CANCELED;
    }
    open_endpoint(loopback, peer);
    return IRR_OK;
}

/* Checks the number of pieces, and sets *bytes to the sum of their lengths, without pieces that discard bytes. */
static irr_status_t check(const irr_loopback_t *loopback, const irr_request_t *request, bool receives, size_t *bytes)
{
    const irr_transport_caps_t *caps = &loopback->super.caps;
    const size_t count = request->count;

    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const irr_iov_t *piece = &request->iov[i];
        const bool sinks = receives && piece->base == NULL;

        if (__builtin_add_overflow(*bytes, sinks ? 0 : piece->length, bytes)) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    return count > 1 && count > caps->pieces_max[request->form] ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
}

/* Creates a message, with room for its bytes if it is eager.  Returns NULL if memory is exhausted. */
static irr_loopback_message_t *create_message(irr_loopback_t *loopback, uint64_t key, size_t bytes, bool eager)
{
    size_t payload = eager ? bytes : 0, size;
    irr_loopback_message_t *message;

    if (__builtin_add_overflow(sizeof(*message), payload, &size)) {
        return NULL;
    }
    message = irr_alloc(1, size);
    if (message != NULL) {
        message->item.key = key;
        message->source = (int)loopback->address.rank;
        message->bytes = bytes;
        message->sender = loopback;
    }
    return message;
}

static void hold_copy(irr_loopback_message_t *message, const irr_request_t *request)
{
    message->whole = (irr_iov_t){ .base = message->payload, .length = message->bytes };
    message->iov = &message->whole;
    message->count = 1;
    message->form = IRR_FORM_IOVEC;
    message->request = NULL;
    irr_loopback_move(&message->whole, 1, request->iov, request->count, NULL);
    if (irr_request_gathers(request)) {
        message->sender->bytes_gathered += message->bytes;
    }
}

static void hold_request(irr_loopback_message_t *message, irr_request_t *request)
{
    irr_loopback_slot_t *slot = irr_loopback_slot_of(request);

    message->iov = request->iov;
    message->count = request->count;
    message->form = request->form;
    message->request = request;
    slot->send = true;
    message->sender->sends++;
}

/* ---- channels ---- */

static irr_status_t open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 const irr_page_t *pages, irr_channel_t **channel_p)
{
    return irr_channel_create(transport, id, ranks, rank, pages, sizeof(irr_channel_t), channel_p);
}

static void abandon(irr_channel_t *channel)
{
    irr_loopback_withdraw(irr_loopback_of(channel->transport), (uint16_t)channel->id);
}

static void close_channel(irr_channel_t *channel)
{
    abandon(channel);
    irr_free(channel);
}

static irr_status_t send(irr_channel_t *channel, irr_request_t *request)
{
    irr_loopback_t *loopback = irr_loopback_of(channel->transport);
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    irr_loopback_message_t *message;
    irr_status_t status;
    size_t bytes;
    bool eager;

    if (loopback->closed) {
        return IRR_ERR_CANCELED;
    }
    status = check(loopback, request, false, &bytes);
    if (status != IRR_OK) {
        return status;
    }
    eager = bytes <= loopback->fabric->eager_max;
    message = create_message(loopback, irr_key(channel->id, request->tag, channel->rank), bytes, eager);
    if (message == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    if (eager) {
        hold_copy(message, request);
    } else {
        hold_request(message, request);
    }
    open_endpoint(loopback, peer);
    irr_loopback_queue_push(&loopback->fabric->ports[peer->rank].wire, &message->item);
    return eager ? IRR_OK : IRR_IN_PROGRESS;
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_loopback_t *loopback = irr_loopback_of(channel->transport);
    irr_loopback_slot_t *slot = irr_loopback_slot_of(request);
    const uint64_t key = irr_key(channel->id, request->tag, request->peer);
    irr_loopback_message_t *message;
    size_t room;
    irr_status_t status = check(loopback, request, true, &room);

    if (status != IRR_OK) {
        return status;
    }
    message = (irr_loopback_message_t *)irr_loopback_queue_take(irr_loopback_bucket(loopback->unexpected, key), key);
    if (message != NULL) {
        return irr_loopback_consume(loopback, message, request);
    }
    slot->item.key = key;
    slot->send = false;
    irr_loopback_queue_push(irr_loopback_bucket(loopback->posted, key), &slot->item);
    return IRR_IN_PROGRESS;
}

/* Discards all matching messages in one call. */
static irr_status_t discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };
    irr_loopback_t *loopback = irr_loopback_of(transport);
    irr_loopback_message_t *message;
    irr_request_t request;

    irr_request_set(&request, 0, 0, &sink, 1, IRR_FORM_IOVEC);
    while ((message = irr_loopback_take_any(loopback, irr_key(id, tag, 0), irr_key_mask(mask))) != NULL) {
        irr_loopback_consume(loopback, message, &request);
        ++*count;
    }
    return IRR_OK;
}

/* ---- progress and shutdown ---- */

static unsigned progress(irr_transport_t *transport)
{
    irr_loopback_t *loopback = irr_loopback_of(transport);
    unsigned events = irr_loopback_finish(loopback);

    return events + irr_loopback_deliver(loopback);
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    (void)transport;
    (void)fd_p;
    return IRR_ERR_NOT_SUPPORTED;
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    *endpoints = irr_loopback_of(transport)->endpoints;
    *bytes_gathered = irr_loopback_of(transport)->bytes_gathered;
}

static void close_endpoints(irr_transport_t *transport)
{
    irr_loopback_of(transport)->closed = true;
}

static irr_status_t drain(irr_transport_t *transport)
{
    irr_loopback_t *loopback = irr_loopback_of(transport);

    if (loopback->sends > 0) {
        return IRR_IN_PROGRESS;
    }
    loopback->endpoints = 0;
    return IRR_OK;
}

static void free_transport(irr_transport_t *transport)
{
    irr_loopback_t *loopback = irr_loopback_of(transport);

    for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
        irr_loopback_free_all(&loopback->unexpected[i]);
    }
    while (loopback->peers != NULL) {
        irr_peer_t *peer = loopback->peers;

        loopback->peers = peer->next;
        irr_free(peer);
    }
    loopback->fabric->ports[loopback->address.rank].open = false;
    irr_free(loopback);
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = connect,
    .reach = reach,
    .open_channel = open_channel,
    .close_channel = close_channel,
    .send = send,
    .recv = recv,
    .abandon = abandon,
    .discard = discard,
    .progress = progress,
    .arm = arm,
    .statistics = statistics,
    .close = close_endpoints,
    .drain = drain,
    .free = free_transport
};

irr_status_t irr_loopback_open(irr_fabric_t *fabric, int rank, irr_transport_t **transport_p)
{
    irr_loopback_t *loopback;

    if (rank < 0 || rank >= fabric->ranks || fabric->ports[rank].open) {
        return IRR_ERR_BAD_PARAM;
    }
    loopback = irr_alloc_zero(1, sizeof(*loopback));
    if (loopback == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    loopback->super.ops = &ops;
    loopback->super.caps = (irr_transport_caps_t){
        .name = "loopback", .pieces_max = { SIZE_MAX, SIZE_MAX }, .iov_wire_max = SIZE_MAX, .zero_copy_min = SIZE_MAX
    };
    loopback->fabric = fabric;
    loopback->address = (irr_loopback_address_t){ .fabric = fabric, .rank = rank };
    irr_loopback_queue_init(&loopback->finished);
    for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
        irr_loopback_queue_init(&loopback->posted[i]);
        irr_loopback_queue_init(&loopback->unexpected[i]);
    }
    fabric->ports[rank].open = true;
    *transport_p = &loopback->super;
    return IRR_OK;
}
