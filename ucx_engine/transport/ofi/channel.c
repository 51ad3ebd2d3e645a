/*
 * channel.c - channels over libfabric: their pending receives, and discarding unexpected messages.
 *
 * Some providers cannot report whether a message has arrived (FI_PEEK). discard therefore posts a sink, a receive that
 * discards its message, and cancels the sink at once. libfabric then reports either a message or the cancellation. If a
 * provider cancels late, the sink also discards a message that arrives before.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"

/* Number of operations that are allocated in advance for each rank: one send and two receives. */
#define OPS_A_RANK 3

irr_status_t irr_ofi_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  const irr_page_t *pages, irr_channel_t **channel_p)
{
    if (ranks > 1 << irr_ofi_of(transport)->rank_bits) {
        return IRR_ERR_NOT_SUPPORTED;   /* all members get this error */
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
        (void)irr_ofi_queue_leave(irr_ofi_of(given->transport), op);   /* so that its end starts no later receive */
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
 * Records the result of a sink; op->room is its index. A message counts as discarded at its last fragment. After any
 * other fragment, sinks must also match the fragments that follow (ofi->orphans).
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
        sink->state = IRR_OFI_MATCHED;
    }
}

/*
 * Returns the sink that an earlier call of discard has used for this key. If there is none, returns a sink that is
 * free, or else one whose result nobody has read; NULL: all sinks are busy.
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

/* Posts the receive of a sink, and cancels it. */
static void post_sink(irr_ofi_t *ofi, irr_ofi_sink_t *sink)
{
    irr_ofi_op_t *op = irr_ofi_op_take(ofi, IRR_OFI_SINK, true, NULL);
    bool posted;

    if (op == NULL) {
        return;   /* a later call of discard tries again */
    }
    op->to = FI_ADDR_UNSPEC;
    op->key = sink->key;
    op->ignore = sink->ignore;
    op->room = (size_t)(sink - ofi->sinks);
    irr_ofi_use_scrap(ofi, op);
    sink->state = IRR_OFI_BUSY;
    if (irr_ofi_post(ofi, op, &ofi->receives, &posted) != IRR_IN_PROGRESS) {
        sink->state = IRR_OFI_FREE;
        irr_ofi_op_put(ofi, op);
        return;
    }
    irr_ofi_cancel(ofi, op);
    if (!posted) {
        sink->state = IRR_OFI_FREE;   /* libfabric has not accepted the receive */
    }
}

/*
 * Returns the bits of a key that a sink ignores: the sender, and the bits of the tag outside `mask`. If fragments of
 * messages without a receive may arrive, the sink also ignores the mark of later fragments (fragment.c). It does not
 * ignore the mark while a matching receive is pending: libfabric may already have matched this receive with a first
 * fragment, and then the sink must not discard the second fragment.
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
        if (sink->state == IRR_OFI_MATCHED) {
            ++*count;
            sink->state = IRR_OFI_FREE;
        }
        if (sink->state == IRR_OFI_FREE) {
            post_sink(ofi, sink);
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
