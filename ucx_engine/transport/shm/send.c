/*
 * send.c - turns messages into slots of a FIFO (fifo.h): a short message into one slot, a message by single copy into
 * one slot with its address, any other message into one slot for each piece.
 *
 * Messages to a process are sent in the order of the calls of send. If there is no free slot, or too little room in the
 * data ring, a message waits in a queue, and later messages to the process wait behind it.
 */
#include "transport/shm/shm.h"

#include <string.h>

/*
 * The result of an attempt to send a message. WAITS: not all of it is sent yet. BEING_READ: the message is sent by
 * single copy, and the receiver has not read it yet.
 */
typedef enum state { WAITS, IS_SENT, BEING_READ } state_t;

/* Sends the next slot, and wakes the receiver if it sleeps. */
static inline void send_slot(irr_peer_t *peer, irr_fifo_slot_t *slot, uint64_t header)
{
    irr_fifo_put(&peer->out, slot, header);
    irr_shm_wake(peer);
}

/* Counts the bytes that were copied for the form gather. */
static inline void count_gathered(irr_peer_t *peer, const irr_request_t *request, size_t bytes)
{
    peer->shm->gathered += irr_request_gathers(request) ? bytes : 0;
}

static inline void gather(irr_peer_t *peer, const irr_request_t *request, unsigned char *to)
{
    for (const irr_iov_t *piece = request->iov, *end = piece + request->count; piece < end; piece++) {
        const size_t length = piece->length;

        irr_fifo_copy(to, piece->base, length);
        to += length;
    }
    count_gathered(peer, request, request->length);
}

/* Sends a message that fits into a slot. Returns false if no slot is free. */
static bool put_short(irr_peer_t *peer, uint64_t key, const irr_request_t *request)
{
    irr_fifo_slot_t *slot = irr_fifo_next(&peer->out);

    if (slot != NULL) {
        gather(peer, request, slot->bytes);
        send_slot(peer, slot, irr_fifo_header(&peer->out, key, request->length));
    }
    return slot != NULL;
}

/* Sends the address of a message by single copy. Returns false if no slot is free. */
static bool put_single(irr_peer_t *peer, irr_shm_op_t *op)
{
    irr_fifo_slot_t *slot = irr_fifo_next(&peer->out);

    if (slot == NULL) {
        return false;
    }
    slot->single.total = op->left;
    slot->single.address = (uintptr_t)irr_shm_request_of(op)->iov[0].base;
    slot->single.token = irr_shm_send_single(peer, op);
    send_slot(peer, slot, irr_fifo_header(&peer->out, op->key, IRR_FIFO_SINGLE));
    return true;
}

/* ---- pieces ---- */

/*
 * Fills the slot of a piece. room: the piece in the data ring. left: number of bytes of the message from this piece on.
 */
static inline void fill_piece_slot(irr_peer_t *peer, irr_fifo_slot_t *slot, const unsigned char *room, size_t bytes,
                              size_t left)
{
    slot->piece.total = left;
    slot->piece.offset = (uint64_t)(room - peer->out.data);
    slot->piece.length = bytes;
    slot->piece.wants_count = irr_fifo_wants_count(&peer->out);
}

static uint64_t form_of_piece(const irr_shm_op_t *op, bool first)
{
    return !first ? IRR_FIFO_NEXT : irr_shm_is_again(op->key) ? IRR_FIFO_AGAIN : IRR_FIFO_FIRST;
}

/* Sends the next piece of a message. Returns false if there is no free slot, or no room in the data ring. */
static bool put_piece(irr_peer_t *peer, irr_shm_op_t *op, bool first)
{
    const size_t bytes = op->left < IRR_FIFO_PIECE ? op->left : IRR_FIFO_PIECE;
    irr_fifo_slot_t *slot = irr_fifo_next(&peer->out);
    unsigned char *room = slot != NULL ? irr_fifo_room(&peer->out, bytes) : NULL;

    if (room == NULL) {
        return false;
    }
    irr_shm_gather(op, room, bytes);
    count_gathered(peer, irr_shm_request_of(op), bytes);
    fill_piece_slot(peer, slot, room, bytes, op->left);
    slot->piece.token = op->key >> IRR_SHM_AGAIN_SHIFT;
    send_slot(peer, slot, irr_fifo_header(&peer->out, irr_fifo_key(op->key), form_of_piece(op, first)));
    op->left -= bytes;
    return true;
}

/* Announces that the rest of a cancelled message will not arrive. Returns false if no slot is free. */
static bool put_end(irr_peer_t *peer)
{
    irr_fifo_slot_t *slot = irr_fifo_next(&peer->out);

    if (slot == NULL) {
        return false;
    }
    send_slot(peer, slot, irr_fifo_header(&peer->out, peer->stand_in.key, IRR_FIFO_END));
    return true;
}

/* ---- any message ---- */

static inline bool has_begun(const irr_shm_op_t *op)
{
    return op->at.index > 0 || op->at.skip > 0;
}

/* Sends as much of a message as possible. */
static state_t put(irr_peer_t *peer, irr_shm_op_t *op)
{
    const bool begins = !has_begun(op);

    if (op == &peer->stand_in) {
        return put_end(peer) ? IS_SENT : WAITS;
    }
    if (begins && op->left <= IRR_FIFO_SHORT) {
        return put_short(peer, op->key, irr_shm_request_of(op)) ? IS_SENT : WAITS;
    }
    if (begins && irr_shm_may_send_single(peer, op)) {
        return put_single(peer, op) ? BEING_READ : WAITS;
    }
    for (bool first = begins; op->left > 0; first = false) {
        if (!put_piece(peer, op, first)) {
            return WAITS;
        }
    }
    return IS_SENT;
}

/* Opens the FIFO to a process, and its data ring if a message of `bytes` bytes may need it. */
static irr_status_t open_fifo(irr_peer_t *peer, size_t bytes)
{
    irr_status_t status = peer->out.slots == NULL ? irr_shm_open_fifo(peer) : IRR_OK;

    return status == IRR_OK && bytes > IRR_FIFO_SHORT ? irr_shm_open_data(peer) : status;
}

/* Starts the send of any message. Queues the message if it cannot be sent at once. */
static irr_status_t start(irr_peer_t *peer, uint64_t key, irr_request_t *request)
{
    const size_t bytes = request->length;
    irr_shm_op_t *op = irr_shm_op_of(request);
    irr_status_t status = peer->shm->closed ? IRR_ERR_CANCELED : open_fifo(peer, bytes);
    state_t state = WAITS;

    if (status != IRR_OK) {
        return status;
    }
    *op = (irr_shm_op_t){ .key = key, .left = bytes };
    if (peer->sending.first == NULL) {
        state = put(peer, op);
    }
    if (state == IS_SENT) {
        return IRR_OK;
    }
    if (state == WAITS) {
        irr_shm_push(&peer->sending, op);
    }
    irr_shm_activate(peer);
    return IRR_IN_PROGRESS;
}

/* Sends a message of one piece through the data ring. Returns false if there is no room now, or no data ring yet. */
static bool put_long(irr_peer_t *peer, uint64_t key, const irr_iov_t *iov)
{
    irr_fifo_slot_t *slot = irr_fifo_next(&peer->out);
    unsigned char *room = slot != NULL && peer->out.data != NULL ? irr_fifo_room(&peer->out, iov->length) : NULL;

    if (room != NULL) {
        memcpy(room, iov->base, iov->length);
        fill_piece_slot(peer, slot, room, iov->length, iov->length);
        send_slot(peer, slot, irr_fifo_header(&peer->out, key, IRR_FIFO_FIRST));
    }
    return room != NULL;
}

/*
 * Sends a message that fits into a slot, or that is one contiguous piece of at most IRR_FIFO_PIECE bytes. Returns false
 * for other messages, and if there is no room now.
 */
static bool put_whole(irr_peer_t *peer, uint64_t key, const irr_request_t *request)
{
    return request->length <= IRR_FIFO_SHORT ? put_short(peer, key, request)
           : request->count == 1 && request->length <= IRR_FIFO_PIECE && put_long(peer, key, request->iov);
}

/* Returns true if the FIFO is open and no earlier message waits. A message may then be sent without the queue. */
static inline bool can_send_now(const irr_peer_t *peer)
{
    return peer->out.slots != NULL && peer->sending.first == NULL && !peer->shm->closed;
}

/* Sends any message. Not inline, so that irr_shm_send saves no registers for it when a message is short. */
__attribute__((noinline, noclone))
static irr_status_t send_any(irr_channel_t *channel, irr_request_t *request)
{
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    const uint64_t key = irr_shm_key(channel->id, request->tag);

    return can_send_now(peer) && put_whole(peer, key, request) ? IRR_OK : start(peer, key, request);
}

/* Sends any message, but is optimised for short ones. is_piece: the message has one piece. */
__attribute__((always_inline))
static inline irr_status_t send_short(irr_channel_t *channel, irr_request_t *request, bool is_piece)
{
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    irr_fifo_slot_t *slot;

    if (!can_send_now(peer) || request->length > IRR_FIFO_SHORT || (slot = irr_fifo_next(&peer->out)) == NULL) {
        return send_any(channel, request);
    }
    irr_fifo_prefetch(&peer->in);   /* because most receivers answer soon */
    if (is_piece) {
        irr_fifo_copy(slot->bytes, request->iov->base, request->length);
    } else {
        gather(peer, request, slot->bytes);
    }
    send_slot(peer, slot, irr_fifo_header(&peer->out, irr_shm_key(channel->id, request->tag), request->length));
    return IRR_OK;
}

/* Sends several pieces. Not inline, so that irr_shm_send saves no registers for them. */
__attribute__((noinline))
static irr_status_t send_pieces(irr_channel_t *channel, irr_request_t *request)
{
    return send_short(channel, request, false);
}

irr_status_t irr_shm_send(irr_channel_t *channel, irr_request_t *request)
{
    return request->count == 1 ? send_short(channel, request, true) : send_pieces(channel, request);
}

unsigned irr_shm_progress_sends(irr_peer_t *peer)
{
    unsigned events = peer->nsingle > 0 ? irr_shm_end_singles(peer) : 0;

    while (peer->sending.first != NULL) {
        irr_shm_op_t *op = peer->sending.first;
        const size_t left = op->left;
        state_t state;

        if (peer->their_link == NULL) {
            (void)irr_shm_find(peer);
        }
        state = put(peer, op);
        if (state == WAITS) {
            return events + (op->left < left);
        }
        irr_shm_pull(&peer->sending, &peer->sending.first);
        events++;
        if (state == IS_SENT && op != &peer->stand_in) {
            irr_request_t *request = irr_shm_request_of(op);

            request->done(request, IRR_OK);
        }
    }
    return events;
}

bool irr_shm_may_send(irr_peer_t *peer)
{
    return irr_shm_single_ended(peer) || (peer->sending.first != NULL && irr_fifo_next(&peer->out) != NULL);
}

/* ---- cancelling ---- */

/*
 * Cancels the queued sends of a channel, and appends them to `cancelled`. If the first send of the queue has sent a
 * part of its message, irr_peer.stand_in replaces it, and announces that the rest will not arrive.
 */
static void cancel_queued(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *cancelled)
{
    irr_shm_op_t **link = &peer->sending.first;

    while (*link != NULL) {
        irr_shm_op_t *op = *link;

        if (op == &peer->stand_in || irr_shm_id(op->key) != id) {
            link = &op->next;
            continue;
        }
        if (has_begun(op)) {
            peer->stand_in = (irr_shm_op_t){ .key = irr_fifo_key(op->key), .next = op->next };
            *link = &peer->stand_in;
            peer->sending.end = peer->sending.end == &op->next ? &peer->stand_in.next : peer->sending.end;
        } else {
            (void)irr_shm_pull(&peer->sending, link);
        }
        irr_shm_push(cancelled, op);
    }
}

void irr_shm_take_back(irr_channel_t *channel)
{
    irr_shm_t *shm = irr_shm_of(channel->transport);
    irr_shm_queue_t cancelled = { .first = NULL };

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        cancel_queued(peer, channel->id, &cancelled);
        irr_shm_revoke(peer, channel->id, &cancelled);
    }
    while (cancelled.first != NULL) {
        irr_request_t *request = irr_shm_request_of(irr_shm_pull(&cancelled, &cancelled.first));

        request->done(request, IRR_ERR_CANCELED);
    }
}
