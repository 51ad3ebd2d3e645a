/*
 * send.c - turns messages into slots.
 *
 * Messages to a process are sent in the order of the calls of send. If the ring is full, the message waits, and all
 * later messages to the process wait behind it.
 */
#include "transport/shm/shm.h"

#include <string.h>

/* The progress of a send.  BEING_READ: the receiver still copies the message from the sender's memory. */
typedef enum state { WAITS, IS_SENT, BEING_READ } state_t;

/* Sends the next slot, and wakes the receiver if it sleeps. */
static inline void hand_over(irr_peer_t *peer, irr_lane_slot_t *slot, uint64_t header)
{
    irr_lane_put(&peer->out, slot, header);
    irr_shm_wake(peer);
}

/* Counts bytes that were copied from several pieces. */
static inline void count_gathered(irr_peer_t *peer, const irr_request_t *request, size_t bytes)
{
    peer->shm->gathered += irr_request_gathers(request) ? bytes : 0;
}

/* Copies the pieces of a message to its slot. */
static inline void gather(irr_peer_t *peer, const irr_request_t *request, unsigned char *to)
{
    for (const irr_iov_t *piece = request->iov, *end = piece + request->count; piece < end; piece++) {
        const size_t length = piece->length;

        irr_lane_copy(to, piece->base, length);
        to += length;
    }
    count_gathered(peer, request, request->length);
}

/* Sends a message that fits a slot. Returns false if no slot is free. */
static bool put_short(irr_peer_t *peer, uint64_t key, const irr_request_t *request)
{
    irr_lane_slot_t *slot = irr_lane_next(&peer->out);

    if (slot != NULL) {
        gather(peer, request, slot->bytes);
        hand_over(peer, slot, irr_lane_header(&peer->out, key, request->length));
    }
    return slot != NULL;
}

static bool put_single(irr_peer_t *peer, irr_shm_op_t *op)
{
    irr_lane_slot_t *slot = irr_lane_next(&peer->out);

    if (slot == NULL) {
        return false;
    }
    slot->single.total = op->left;
    slot->single.address = (uintptr_t)irr_shm_request_of(op)->iov[0].base;
    slot->single.token = irr_shm_send_single(peer, op);
    hand_over(peer, slot, irr_lane_header(&peer->out, op->key, IRR_LANE_SINGLE));
    return true;
}

/* ---- pieces ---- */

/* Fills the slot of a piece in `room`. left: number of bytes of the message from this piece on. */
static inline void put_beside(irr_peer_t *peer, irr_lane_slot_t *slot, const unsigned char *room, size_t bytes,
                              size_t left)
{
    slot->piece.total = left;
    slot->piece.offset = (uint64_t)(room - peer->out.beside);
    slot->piece.length = bytes;
    slot->piece.hurry = irr_lane_hurries(&peer->out);
}

static bool put_piece(irr_peer_t *peer, irr_shm_op_t *op, bool first)
{
    const size_t bytes = op->left < IRR_LANE_PIECE ? op->left : IRR_LANE_PIECE;
    irr_lane_slot_t *slot = irr_lane_next(&peer->out);
    unsigned char *room = slot != NULL ? irr_lane_room(&peer->out, bytes) : NULL;

    if (room == NULL) {
        return false;
    }
    irr_shm_gather(op, room, bytes);
    count_gathered(peer, irr_shm_request_of(op), bytes);
    put_beside(peer, slot, room, bytes, op->left);
    hand_over(peer, slot, irr_lane_header(&peer->out, op->key, first ? IRR_LANE_FIRST : IRR_LANE_NEXT));
    op->left -= bytes;
    return true;
}

static bool put_end(irr_peer_t *peer)
{
    irr_lane_slot_t *slot = irr_lane_next(&peer->out);

    if (slot == NULL) {
        return false;
    }
    hand_over(peer, slot, irr_lane_header(&peer->out, peer->stand_in.key, IRR_LANE_END));
    return true;
}

/* ---- any message ---- */

static inline bool has_begun(const irr_shm_op_t *op)
{
    return op->at.index > 0 || op->at.skip > 0;
}

static state_t put(irr_peer_t *peer, irr_shm_op_t *op)
{
    const bool begins = !has_begun(op);

    if (op == &peer->stand_in) {
        return put_end(peer) ? IS_SENT : WAITS;
    }
    if (begins && op->left <= IRR_LANE_SHORT) {
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

/* Opens the lane. Also opens the bytes beside if the message needs them. */
static irr_status_t open_lanes(irr_peer_t *peer, size_t bytes)
{
    irr_status_t status = peer->out.slots == NULL ? irr_shm_open_lane(peer) : IRR_OK;

    return status == IRR_OK && bytes > IRR_LANE_SHORT ? irr_shm_open_beside(peer) : status;
}

/* Starts any message: may open a lane, split the message, begin a single copy, or queue the message. */
static irr_status_t start(irr_peer_t *peer, uint64_t key, irr_request_t *request)
{
    const size_t bytes = request->length;
    irr_shm_op_t *op = irr_shm_op_of(request);
    irr_status_t status = peer->shm->closed ? IRR_ERR_CANCELED : open_lanes(peer, bytes);
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

/* Sends a message of one piece that fits the longest piece beside a slot. Returns false if there is no room yet. */
static bool put_long(irr_peer_t *peer, uint64_t key, const irr_iov_t *iov)
{
    irr_lane_slot_t *slot = irr_lane_next(&peer->out);
    unsigned char *room = slot != NULL && peer->out.beside != NULL ? irr_lane_room(&peer->out, iov->length) : NULL;

    if (room != NULL) {
        memcpy(room, iov->base, iov->length);
        put_beside(peer, slot, room, iov->length, iov->length);
        hand_over(peer, slot, irr_lane_header(&peer->out, key, IRR_LANE_FIRST));
    }
    return room != NULL;
}

/* Sends a message that fits a slot, or has one piece that fits beside a slot. Returns false if there is no room yet. */
static bool put_whole(irr_peer_t *peer, uint64_t key, const irr_request_t *request)
{
    return request->length <= IRR_LANE_SHORT ? put_short(peer, key, request)
           : request->count == 1 && request->length <= IRR_LANE_PIECE && put_long(peer, key, request->iov);
}

/*
 * Returns true if the lane is open and no earlier message waits, so that a message may be sent at once if there is
 * room.
 */
static inline bool is_direct(const irr_peer_t *peer)
{
    return peer->out.slots != NULL && peer->sending.first == NULL && !peer->shm->closed;
}

/* Handles any send. Not inline, so that a short message does not have to save registers. */
__attribute__((noinline, noclone))
static irr_status_t send_any(irr_channel_t *channel, irr_request_t *request)
{
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    const uint64_t key = irr_shm_key(channel->id, request->tag);

    return is_direct(peer) && put_whole(peer, key, request) ? IRR_OK : start(peer, key, request);
}

/* Sends a message, which is usually short. is_piece: the message has one piece. */
__attribute__((always_inline))
static inline irr_status_t send_short(irr_channel_t *channel, irr_request_t *request, bool is_piece)
{
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    irr_lane_slot_t *slot;

    if (!is_direct(peer) || request->length > IRR_LANE_SHORT || (slot = irr_lane_next(&peer->out)) == NULL) {
        return send_any(channel, request);
    }
    irr_lane_expect(&peer->in);   /* prefetch, because most partners answer */
    if (is_piece) {
        irr_lane_copy(slot->bytes, request->iov->base, request->length);
    } else {
        gather(peer, request, slot->bytes);
    }
    hand_over(peer, slot, irr_lane_header(&peer->out, irr_shm_key(channel->id, request->tag), request->length));
    return IRR_OK;
}

/* Not inline, so that irr_shm_send saves no registers for the pieces. */
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

        if (peer->its == NULL) {
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
    return irr_shm_single_ended(peer) || (peer->sending.first != NULL && irr_lane_next(&peer->out) != NULL);
}

/* ---- taking back ---- */

/* Takes back the queued messages of a channel. Only the first message of a queue may be partly sent. */
static void take_queued(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *gone)
{
    irr_shm_op_t **link = &peer->sending.first;

    while (*link != NULL) {
        irr_shm_op_t *op = *link;

        if (op == &peer->stand_in || op->key >> IRR_SHM_ID_SHIFT != id) {
            link = &op->next;
            continue;
        }
        if (has_begun(op)) {
            peer->stand_in = (irr_shm_op_t){ .key = op->key, .next = op->next };
            *link = &peer->stand_in;
            peer->sending.end = peer->sending.end == &op->next ? &peer->stand_in.next : peer->sending.end;
        } else {
            (void)irr_shm_pull(&peer->sending, link);
        }
        irr_shm_push(gone, op);
    }
}

void irr_shm_take_back(irr_channel_t *channel)
{
    irr_shm_t *shm = irr_shm_of(channel->transport);
    irr_shm_queue_t gone = { .first = NULL };

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        take_queued(peer, channel->id, &gone);
        irr_shm_revoke(peer, channel->id, &gone);
    }
    while (gone.first != NULL) {
        irr_request_t *request = irr_shm_request_of(irr_shm_pull(&gone, &gone.first));

        request->done(request, IRR_ERR_CANCELED);
    }
}
