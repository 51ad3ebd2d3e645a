/*
 * message.c - messages of channels over libfabric.
 *
 * libfabric matches messages with receives by a key of at most 64 bits. The key contains the rank of the sender, so a
 * receive does not need the address of the sender:
 *
 *     channel 16 | mark of later fragments 1 | tag 15 | rank 16 to 24, as many bits as the provider has
 *
 * A message of one piece is passed to libfabric directly. Several pieces are packed into a buffer, or received in a
 * buffer. libfabric never gets a list of pieces, because rxm, a part of libfabric, has a defect in 1.17 to 2.6: if the
 * last pieces of a sent list lie beyond the end of the receive, neither operation ends. If memory for a buffer is
 * missing, send and recv return IRR_ERR_NO_MEMORY.
 *
 * libfabric copies a short message at once (FI_INJECT), so the send is complete for the caller. libfabric must still
 * report its end, because `drain` waits for all sends.
 */
#include "transport/ofi/ofi.h"

#include "core/log.h"

#include <string.h>

uint64_t irr_ofi_key(const irr_ofi_t *ofi, uint32_t id, uint16_t tag, int from)
{
    return ((uint64_t)id << IRR_OFI_TAG_BITS | tag) << ofi->rank_bits | (uint64_t)from;
}

/*
 * Sets *room to the length of the longest message that the pieces can take, and *kept to the number of bytes for which
 * libfabric needs memory. A piece without a base (a sink) discards its bytes. An endless sink (IRR_SINK_BYTES) needs no
 * memory. A shorter sink does, because some providers do not report the length of a message that exceeds the memory.
 */
static irr_status_t measure(const irr_iov_t *iov, size_t count, size_t *kept, size_t *room)
{
    size_t last = 0;

    *room = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = iov[i].length;

        if (length > IRR_SINK_BYTES - *room && iov[i].base != NULL && *room < IRR_SINK_BYTES) {
            return IRR_ERR_BAD_PARAM;
        }
        *room = length < IRR_SINK_BYTES - *room ? *room + length : IRR_SINK_BYTES;
        if (iov[i].base != NULL && *room < IRR_SINK_BYTES) {
            last = *room;
        }
    }
    *kept = *room < IRR_SINK_BYTES ? *room : last;
    return IRR_OK;
}

/* Returns true if the request is contiguous or may be packed. */
static bool is_supported(const irr_request_t *request)
{
    return request->count <= 1 || request->form == IRR_FORM_GATHER;
}

void irr_ofi_scatter(irr_ofi_t *ofi, const irr_ofi_op_t *op, size_t bytes)
{
    const char *from = op->buffer;
    size_t left = bytes < op->whole.length ? bytes : op->whole.length;

    for (size_t i = 0; i < op->count && left > 0; i++) {
        const size_t length = op->iov[i].length < left ? op->iov[i].length : left;

        if (op->iov[i].base != NULL) {
            memcpy(op->iov[i].base, from, length);
            ofi->bytes_gathered += length;
        }
        from += length;
        left -= length;
    }
}

/* Allocates the buffer into which a list is packed or received. May return IRR_ERR_NO_MEMORY. */
static irr_status_t stage(irr_ofi_t *ofi, irr_ofi_op_t *op, size_t bytes)
{
    op->buffer = irr_ofi_buffer_take(ofi, bytes);
    op->whole = (irr_iov_t){ .base = op->buffer, .length = bytes };
    return op->buffer != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* ---- sending ---- */

/* Packs the pieces of a message into a buffer, if there are several. May return IRR_ERR_NO_MEMORY. */
static irr_status_t pack(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_status_t status = op->count > 1 ? stage(ofi, op, op->room) : IRR_OK;
    char *to = op->buffer;

    for (size_t i = 0; to != NULL && i < op->count; i++) {
        const irr_iov_t piece = op->iov[i];

        if (piece.length > 0) {
            memcpy(to, piece.base, piece.length);
            to += piece.length;
        }
    }
    ofi->bytes_gathered += op->buffer != NULL ? op->room : 0;
    return status;
}

/* Starts a send. Returns IRR_OK if libfabric has copied the message; it then no longer needs the request. */
static irr_status_t start_send(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_peer_t *peer)
{
    bool posted = false;
    irr_status_t status = pack(ofi, op);

    if (status == IRR_OK) {
        status = irr_ofi_start(ofi, op, &peer->backlog, &posted);
    }
    if (status == IRR_IN_PROGRESS && posted && (op->flags & FI_INJECT) != 0) {
        op->request = NULL;
        if (op->buffer != NULL) {
            irr_ofi_buffer_put(ofi, op->buffer);
            op->buffer = NULL;
        }
        return IRR_OK;
    }
    if (status != IRR_IN_PROGRESS) {
        irr_ofi_op_put(ofi, op);
    }
    return status;
}

irr_status_t irr_ofi_send(irr_channel_t *channel, irr_request_t *request)
{
    irr_ofi_t *ofi = irr_ofi_of(channel->transport);
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    const size_t bytes = request->length;
    irr_status_t status = irr_ofi_reach(&ofi->super, peer);
    irr_ofi_op_t *op;

    if (status == IRR_OK && !is_supported(request)) {
        status = IRR_ERR_NOT_SUPPORTED;
    }
    if (status != IRR_OK) {
        return status;
    }
    op = irr_ofi_op_take(ofi, IRR_OFI_SEND, bytes <= ofi->inject_max, request);
    if (op == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    op->iov = request->iov;
    op->count = request->count;
    op->room = op->kept = bytes;
    op->to = peer->to;
    op->key = irr_ofi_key(ofi, channel->id, request->tag, channel->rank);
    op->flags = op->room <= ofi->inject_max ? FI_INJECT : 0;
    return start_send(ofi, op, peer);
}

/* ---- receiving ---- */

static void link_op(irr_ofi_channel_t *channel, irr_ofi_op_t *op)
{
    op->later = channel->pending;
    op->link = &channel->pending;
    if (op->later != NULL) {
        op->later->link = &op->later;
    }
    channel->pending = op;
}

void irr_ofi_unlink(irr_ofi_op_t *op)
{
    if (op->link != NULL) {
        *op->link = op->later;
        if (op->later != NULL) {
            op->later->link = op->link;
        }
        op->link = NULL;
    }
}

static irr_status_t prepare(irr_ofi_t *ofi, irr_ofi_op_t *op, const irr_request_t *request)
{
    irr_status_t status = measure(request->iov, request->count, &op->kept, &op->room);

    op->iov = request->iov;
    op->count = request->count;
    if (status != IRR_OK) {
        return status;
    }
    if (!is_supported(request)) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    if (op->kept == 0) {
        irr_ofi_use_scrap(ofi, op);
        return IRR_OK;
    }
    return op->count > 1 || op->iov[0].base == NULL ? stage(ofi, op, op->kept) : IRR_OK;
}

irr_status_t irr_ofi_recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_ofi_t *ofi = irr_ofi_of(channel->transport);
    irr_ofi_op_t *op = irr_ofi_op_take(ofi, IRR_OFI_RECV, false, request);
    irr_status_t status;
    bool posted;

    if (op == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    op->to = FI_ADDR_UNSPEC;
    op->key = irr_ofi_key(ofi, channel->id, request->tag, request->peer);
    status = prepare(ofi, op, request);
    if (status == IRR_OK) {
        link_op((irr_ofi_channel_t *)channel, op);
        status = irr_ofi_start(ofi, op, &ofi->receives, &posted);
    }
    if (status != IRR_IN_PROGRESS) {
        irr_ofi_unlink(op);
        irr_ofi_op_put(ofi, op);
    }
    return status;
}
