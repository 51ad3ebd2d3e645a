/*
 * channel.c - channels over libfabric: their pending receives, and discarding unexpected messages.
 *
 * Not all providers can look for messages (FI_PEEK). To discard a message, the transport posts a receive without room
 * (a sink), and cancels the sink at once. libfabric reports whether the sink has matched a message. If a provider
 * cancels late, the sink also discards a message that arrives in the meantime.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"

/* Number of operations per rank that are allocated in advance: one send and two receives. */
#define OPS_A_RANK 3

irr_status_t irr_ofi_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  const irr_page_t *pages, irr_channel_t **channel_p)
{
    if (ranks > 1 << irr_ofi_of(transport)->rank_bits) {
        return IRR_ERR_NOT_SUPPORTED;   /* the same on all members */
    }
    if (irr_ofi_ops_reserve(irr_ofi_of(transport), (size_t)ranks * OPS_A_RANK) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    return irr_channel_create(transport, id, ranks, rank, pages, sizeof(irr_ofi_channel_t), channel_p);
}

void irr_ofi_close_channel(irr_channel_t *channel)
{
    irr_ofi_abandon(channel);
    irr_free(channel);
}

void irr_ofi_abandon(irr_channel_t *given)
{
    irr_ofi_channel_t *channel = (irr_ofi_channel_t *)given;
    irr_ofi_op_t *op = channel->pending;

    channel->pending = NULL;
    while (op != NULL) {
        irr_ofi_op_t *later = op->later;

        op->link = NULL;
        (void)irr_ofi_queue_leave(irr_ofi_of(given->transport), op);   /* no later receive of the same key starts */
        irr_ofi_cancel(irr_ofi_of(given->transport), op);
        op = later;
    }
}

/* ---- discarding ---- */

bool irr_ofi_discards(const irr_ofi_t *ofi)
{
    bool busy = false;

    for (int i = 0; i < IRR_OFI_SINKS; i++) {
        busy = busy || ofi->sinks[i].state == IRR_OFI_BUSY;
    }
    return busy;
}

/*
 * Records the result of a sink. op->room is the number of the sink. The last fragment of a message increases the number
 * of discarded messages. After any other fragment, sinks also accept later fragments.
 */
void irr_ofi_discarded(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_sink_t *sink = &ofi->sinks[op->room];

    if (op->status != IRR_OK && op->status != IRR_ERR_TRUNCATE) {
        sink->state = IRR_OFI_EMPTY;
    } else if (irr_ofi_is_followed(ofi, op->bytes)) {
        ofi->orphans = true;
        sink->state = IRR_OFI_FREE;
    } else {
        sink->state = IRR_OFI_TOOK;
    }
}

/*
 * Returns the sink that has looked for these messages before. If there is no such sink, returns an idle sink,
 * preferably a free sink; NULL: no sink is idle.
 */
static irr_ofi_sink_t *find_sink(irr_ofi_t *ofi, uint64_t key, uint64_t ignore)
{
    irr_ofi_sink_t *idle = NULL;

    for (int i = 0; i < IRR_OFI_SINKS; i++) {
        irr_ofi_sink_t *sink = &ofi->sinks[i];

        if (sink->state != IRR_OFI_FREE && sink->key == key && sink->ignore == ignore) {
            return sink;
        }
        if (sink->state != IRR_OFI_BUSY && (idle == NULL || sink->state == IRR_OFI_FREE)) {
            idle = sink;
        }
    }
    if (idle != NULL) {
        *idle = (irr_ofi_sink_t){ .state = IRR_OFI_FREE, .key = key, .ignore = ignore };
    }
    return idle;
}

/* Posts a receive for one message, and cancels the receive. */
static void sink_one(irr_ofi_t *ofi, irr_ofi_sink_t *sink)
{
    irr_ofi_op_t *op = irr_ofi_op_take(ofi, IRR_OFI_SINK, true, NULL);
    bool posted;

    if (op == NULL) {
        return;   /* retried later */
    }
    op->to = FI_ADDR_UNSPEC;
    op->key = sink->key;
    op->ignore = sink->ignore;
    op->room = (size_t)(sink - ofi->sinks);
    irr_ofi_take_scrap(ofi, op);
    sink->state = IRR_OFI_BUSY;
    if (irr_ofi_post(ofi, op, &ofi->receives, &posted) != IRR_IN_PROGRESS) {
        sink->state = IRR_OFI_FREE;
        irr_ofi_op_put(ofi, op);
        return;
    }
    irr_ofi_cancel(ofi, op);
    if (!posted) {
        sink->state = IRR_OFI_FREE;   /* the receive has seen nothing */
    }
}

/*
 * Returns the bits of a key that a sink must ignore: the sender, and the bits outside the mask. If fragments of
 * messages without a receive are left, the sink also ignores the mark of later fragments. The mark is not ignored while
 * a matching receive is pending, because libfabric may have given a first fragment to this receive, and the second
 * fragment then belongs to the receive.
 */
static uint64_t ignored(const irr_ofi_t *ofi, uint64_t key, uint16_t mask)
{
    const uint64_t mark = irr_ofi_fragment_bit(ofi), rank = (UINT64_C(1) << ofi->rank_bits) - 1;
    const uint64_t ignore = ((uint64_t)(uint16_t)~mask << ofi->rank_bits | rank) & ~mark;

    return ofi->orphans && !irr_ofi_is_awaited(ofi, key, ignore) ? ignore | mark : ignore;
}

irr_status_t irr_ofi_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);
    const uint64_t key = irr_ofi_key(ofi, id, tag & mask, 0), ignore = ignored(ofi, key, mask);
    irr_ofi_sink_t *sink = find_sink(ofi, key, ignore);

    while (sink != NULL && sink->state != IRR_OFI_EMPTY) {
        if (sink->state == IRR_OFI_TOOK) {
            ++*count;
            sink->state = IRR_OFI_FREE;
        }
        if (sink->state == IRR_OFI_FREE) {
            sink_one(ofi, sink);
        }
        irr_ofi_collect(ofi);
        if (sink->state == IRR_OFI_BUSY || sink->state == IRR_OFI_FREE) {
            return IRR_IN_PROGRESS;
        }
    }
    if (sink == NULL) {
        return IRR_IN_PROGRESS;
    }
    sink->state = IRR_OFI_FREE;
    return ofi->orphans && (ignore & irr_ofi_fragment_bit(ofi)) == 0 ? IRR_IN_PROGRESS : IRR_OK;
}
