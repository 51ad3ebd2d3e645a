/*
 * receive.c - turns slots of a FIFO (fifo.h) into messages, and copies each message to its receive. If no receive is
 * posted yet, copies the message to the stash (stash.c).
 *
 * recv itself completes a receive whose message is short and in the next slot of its FIFO. Reading a slot takes long if
 * the sender has just written it, because the cache line must move; callers therefore start sends before receives.
 * Progress reads the FIFOs of all peers for which receives are pending.
 *
 * Another process writes the slots, so each number is read once and then checked. After an invalid slot the FIFO is not
 * read any more, and receives from its sender end in IRR_ERR_PROTOCOL.
 */
#include "transport/shm/shm.h"

#include <string.h>

static inline void finish(irr_shm_op_t *op, irr_status_t status)
{
    irr_request_t *request = irr_shm_request_of(op);

    request->done(request, status);
}

/* ---- slots ---- */

/* Returns the pointer to the first posted receive with this key, or to the NULL at the end of the queue. */
static irr_shm_op_t **find_posted(irr_peer_t *peer, uint64_t key)
{
    irr_shm_op_t **link = &peer->posted.first;

    while (*link != NULL && (*link)->key != key) {
        link = &(*link)->next;
    }
    return link;
}

static irr_shm_op_t *remove_posted(irr_peer_t *peer, uint64_t key)
{
    irr_shm_op_t **link = find_posted(peer, key);

    return *link != NULL ? irr_shm_pull(&peer->posted, link) : NULL;
}

/* Consumes the next slot, and wakes the sender if this publishes the count. */
static inline void consume(irr_peer_t *peer, bool wants_count)
{
    if (irr_fifo_consume(&peer->in, wants_count)) {
        irr_shm_wake(peer);
    }
}

/* Returns true if a piece is first or not as expected, lies in the data ring, and is not longer than its message. */
static bool is_good_piece(const irr_peer_t *peer, uint64_t total, uint64_t offset, uint64_t length, bool first)
{
    return first == (peer->missing == 0) && length > 0 && length <= IRR_FIFO_PIECE &&
           offset <= IRR_FIFO_DATA - length && length <= (first ? total : peer->missing);
}

/* Copies a message, which is contiguous in the FIFO, to the stash, because no receive waits for it. */
__attribute__((noinline))
static void stash_whole(irr_peer_t *peer, const unsigned char *bytes, size_t total, uint64_t key)
{
    irr_shm_message_t *message = irr_shm_stash(peer, key, total, total);

    if (message != NULL) {
        memcpy(message->bytes, bytes, total);
        message->have = total;
    } else {
        irr_shm_lose(peer->shm, key);
    }
}

/* Copies a message, which is contiguous in the FIFO, to a receive. Returns the status of the receive. */
static inline irr_status_t receive_whole(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total,
                                         bool wants_count)
{
    const irr_status_t status = irr_shm_fill(peer, op, bytes, total);

    consume(peer, wants_count);
    return status;
}

static void handle_whole(irr_peer_t *peer, const unsigned char *bytes, size_t total, bool wants_count, uint64_t key)
{
    irr_shm_op_t *op = remove_posted(peer, key);

    if (op != NULL) {
        finish(op, receive_whole(peer, op, bytes, total, wants_count));
    } else {
        stash_whole(peer, bytes, total, key);
        consume(peer, wants_count);
    }
}

/* Reads a message from the memory of its sender to a receive, which stays pending if the message is sent again. */
static void receive_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token)
{
    const irr_status_t status = irr_shm_read_single(peer, op, address, total, token);

    if (status != IRR_IN_PROGRESS) {
        finish(op, status);
    }
}

/* Handles the slot of a message by single copy (single.c). Returns false if the slot is invalid. */
static bool handle_single(irr_peer_t *peer, const irr_fifo_slot_t *slot, uint64_t key)
{
    const uint64_t total = irr_fifo_read(&slot->single.total), address = irr_fifo_read(&slot->single.address);
    const uint64_t token = irr_fifo_read(&slot->single.token);
    irr_shm_message_t *message;
    irr_shm_op_t *op;

    if (token >= IRR_SHM_TOKENS || address == 0) {
        peer->broken = true;
        return false;
    }
    op = remove_posted(peer, key);
    if (op != NULL) {
        consume(peer, false);
        receive_single(peer, op, address, total, (unsigned)token);
        return true;
    }
    message = irr_shm_stash(peer, key, total, 0);
    if (message != NULL) {
        message->have = total;
        message->address = address;
        message->token = (unsigned)token;
    } else {
        irr_shm_lose(peer->shm, key);
        irr_shm_end_single(peer, (unsigned)token);
    }
    consume(peer, false);
    return true;
}

/* ---- messages in pieces ---- */

/*
 * Begins a message of several pieces: finds its receive, or adds it to the stash. A message that is sent again is
 * discarded if its receive was cancelled.
 */
static void begin(irr_peer_t *peer, uint64_t key, uint64_t total)
{
    peer->filling = remove_posted(peer, key);
    peer->stashing = NULL;
    if (peer->filling != NULL) {
        peer->filling->at = (irr_shm_cursor_t){ .kept = 0 };
    } else if (!irr_shm_is_again(key) && (peer->stashing = irr_shm_stash(peer, key, total, total)) == NULL) {
        irr_shm_lose(peer->shm, key);
    }
    peer->pieces_total = peer->missing = total;
    peer->truncated = false;
}

static void end(irr_peer_t *peer)
{
    irr_shm_op_t *op = peer->filling;
    irr_shm_message_t *message = peer->stashing;

    peer->filling = NULL;
    peer->stashing = NULL;
    if (op != NULL) {
        finish(op, irr_shm_outcome(peer, op, peer->pieces_total, peer->truncated));
    } else if (message == NULL) {
        return;   /* the message is lost, because memory was missing, or discarded */
    } else if (message->dropped) {
        irr_shm_forget(peer, message);
    } else if (message->receive != NULL) {
        op = message->receive;
        finish(op, irr_shm_unpack(peer, message, op));
    }
}

/* Ends a message whose remaining pieces will not arrive. Returns the receive of the message, or NULL. */
static irr_shm_op_t *break_off(irr_peer_t *peer)
{
    irr_shm_op_t *op = peer->filling;

    if (peer->stashing != NULL) {
        op = peer->stashing->receive;
        irr_shm_forget(peer, peer->stashing);
    }
    peer->filling = NULL;
    peer->stashing = NULL;
    peer->missing = 0;
    return op;
}

/* Copies a piece of the current message to its receive or to the stash. */
static void store(irr_peer_t *peer, const unsigned char *from, size_t bytes)
{
    irr_shm_message_t *message = peer->stashing;

    if (peer->filling != NULL) {
        peer->truncated = irr_shm_scatter(peer->filling, from, bytes) > 0 || peer->truncated;
    } else if (message != NULL) {
        memcpy(message->bytes + message->have, from, bytes);
        message->have += bytes;
    }
}

/* Handles the slot of a piece. Returns false if the slot is invalid. */
static bool handle_piece(irr_peer_t *peer, const irr_fifo_slot_t *slot, uint64_t key, unsigned form)
{
    const uint64_t total = irr_fifo_read(&slot->piece.total), offset = irr_fifo_read(&slot->piece.offset);
    const uint64_t length = irr_fifo_read(&slot->piece.length);
    const bool wants_count = slot->piece.wants_count != 0, first = form != IRR_FIFO_NEXT;

    if (!irr_shm_find_data(peer) || !is_good_piece(peer, total, offset, length, first)) {
        peer->broken = true;
        return false;
    }
    if (form == IRR_FIFO_FIRST && length == total) {
        handle_whole(peer, peer->in.data + offset, total, wants_count, key);
        return true;
    }
    if (first) {
        begin(peer, key, total);
    }
    store(peer, peer->in.data + offset, length);
    peer->missing -= length;
    consume(peer, wants_count);
    if (peer->missing == 0) {
        end(peer);
    }
    return true;
}

/* Handles a slot that announces that the sender has cancelled the message in pieces. Returns false if it is invalid. */
static bool handle_end(irr_peer_t *peer)
{
    irr_shm_op_t *op;

    if (peer->missing == 0) {
        peer->broken = true;
        return false;
    }
    op = break_off(peer);
    consume(peer, false);
    if (op != NULL) {
        finish(op, IRR_ERR_PEER);
    }
    return true;
}

/* ---- any slot ---- */

/* Returns the key of the message in a slot with this header. */
static uint64_t key_of(const irr_fifo_slot_t *slot, uint64_t head)
{
    const uint64_t key = irr_fifo_key(head);

    return irr_fifo_form(head) == IRR_FIFO_AGAIN ? irr_shm_again(key, irr_fifo_read(&slot->piece.token)) : key;
}

/* Handles the next slot. Returns false if the slot is invalid. */
__attribute__((noinline))
static bool handle_slot(irr_peer_t *peer, uint64_t head)
{
    const irr_fifo_slot_t *slot = peer->in.next;
    const unsigned form = irr_fifo_form(head);

    if (form <= IRR_FIFO_SHORT) {
        handle_whole(peer, slot->bytes, form, false, irr_fifo_key(head));
        return true;
    }
    switch (form) {
    case IRR_FIFO_FIRST:
    case IRR_FIFO_NEXT:
    case IRR_FIFO_AGAIN:
        return handle_piece(peer, slot, key_of(slot, head), form);
    case IRR_FIFO_SINGLE:
        return handle_single(peer, slot, irr_fifo_key(head));
    case IRR_FIFO_END:
        return handle_end(peer);
    default:
        peer->broken = true;
        return false;
    }
}

/* Fails all receives from a process that has sent an invalid slot. */
static unsigned fail(irr_peer_t *peer)
{
    irr_shm_op_t *op = break_off(peer);
    unsigned events = 0;

    if (op != NULL) {
        irr_shm_push(&peer->posted, op);
    }
    for (; peer->posted.first != NULL; events++) {
        finish(irr_shm_pull(&peer->posted, &peer->posted.first), IRR_ERR_PROTOCOL);
    }
    return events;
}

/* ---- progress ---- */

/* Returns true if progress must read the FIFO of the peer. False if the peer is broken: its receives have failed. */
static inline bool has_receives(const irr_peer_t *peer)
{
    return peer->posted.first != NULL || peer->missing > 0;
}

static inline bool has_sends(const irr_peer_t *peer)
{
    return peer->sending.first != NULL || peer->nsingle > 0;
}

/* Handles the next slot, if it is written. Returns the number of events. Usually the first receive matches the slot. */
static inline unsigned progress_receives(irr_peer_t *peer)
{
    irr_shm_op_t *op = peer->posted.first;
    const uint64_t head = irr_fifo_head(&peer->in);
    const uint64_t bytes = op != NULL ? irr_fifo_whole(&peer->in, head, op->key) : UINT64_MAX;

    if (bytes <= IRR_FIFO_SHORT) {
        irr_shm_pull(&peer->posted, &peer->posted.first);
        finish(op, receive_whole(peer, op, peer->in.next->bytes, bytes, false));
        return 1;
    }
    if (!irr_fifo_is_written(&peer->in, head)) {
        return 0;
    }
    return handle_slot(peer, head) ? 1 : fail(peer);
}

/* Searches for the FIFO of a peer that has receives. If the search fails, the receives fail. */
__attribute__((noinline))
static bool find(irr_peer_t *peer, unsigned *events)
{
    const bool found = irr_shm_find(peer);

    *events += peer->broken ? fail(peer) : 0;
    return found;
}

/* Progresses sends to and receives from one peer. Usually this is only a check of one slot. */
static inline unsigned progress_peer(irr_peer_t *peer)
{
    unsigned events = 0, more = 1;

    if (has_sends(peer)) {
        events += irr_shm_progress_sends(peer);
    }
    while (more > 0 && has_receives(peer) && (peer->in.slots != NULL || find(peer, &events))) {
        more = progress_receives(peer);
        events += more;
    }
    return events;
}

unsigned irr_shm_progress(irr_transport_t *transport)
{
    irr_shm_t *shm = irr_shm_of(transport);
    unsigned events = 0;

    if (shm->armed) {
        irr_shm_disarm(shm);
    }
    for (size_t i = 0; i < shm->nactive; i++) {
        irr_fifo_prefetch(&shm->active[i]->in);
    }
    for (size_t i = 0; i < shm->nactive;) {   /* `done` may append peers to the array */
        irr_peer_t *peer = shm->active[i];

        if (!has_receives(peer) && !has_sends(peer)) {   /* nothing is pending */
            peer->active = false;
            shm->active[i] = shm->active[--shm->nactive];
            continue;
        }
        events += progress_peer(peer);
        i++;
    }
    if (shm->closed) {
        irr_shm_empty_all(shm);
    }
    return events;
}

bool irr_shm_may_receive(irr_peer_t *peer)
{
    return (has_receives(peer) || (peer->shm->closed && !peer->broken)) && irr_shm_find(peer) &&
           irr_fifo_is_written(&peer->in, irr_fifo_head(&peer->in));
}

/* Returns true if a receive is posted for the message of the next slot, which has this header. */
static bool is_expected(irr_peer_t *peer, uint64_t head)
{
    if (irr_fifo_form(head) == IRR_FIFO_NEXT || irr_fifo_form(head) == IRR_FIFO_END) {
        return peer->filling != NULL || (peer->stashing != NULL && peer->stashing->receive != NULL);
    }
    return *find_posted(peer, key_of(peer->in.next, head)) != NULL;
}

bool irr_shm_stash_arrived(irr_peer_t *peer)
{
    uint64_t head;

    if (peer->broken || peer->apart || (peer->in.slots == NULL && !irr_shm_find_quietly(peer))) {
        return true;
    }
    while (!peer->broken && irr_fifo_is_written(&peer->in, head = irr_fifo_head(&peer->in))) {
        if (is_expected(peer, head)) {
            return false;
        }
        (void)handle_slot(peer, head);
    }
    return true;
}

/* ---- receives ---- */

static inline irr_status_t post(irr_peer_t *peer, irr_shm_op_t *op)
{
    irr_shm_push(&peer->posted, op);
    irr_shm_activate(peer);
    return IRR_IN_PROGRESS;
}

/* Starts any receive. Not inline, so that irr_shm_recv saves no registers for it in the common case. */
__attribute__((noinline))
static irr_status_t receive(irr_peer_t *peer, irr_shm_op_t *op)
{
    irr_status_t status = peer->our_link == NULL ? irr_shm_link(peer) : IRR_OK;
    irr_shm_message_t *message;

    if (status == IRR_OK && peer->broken) {
        status = IRR_ERR_PROTOCOL;
    } else if (status == IRR_OK && irr_shm_has_lost(peer->shm, irr_shm_id(op->key))) {
        status = IRR_ERR_NO_MEMORY;
    }
    if (status != IRR_OK) {
        return status;
    }
    message = irr_shm_find_message(peer, op->key);
    if (message == NULL) {
        return post(peer, op);
    }
    if (message->have == message->total) {
        return irr_shm_unpack(peer, message, op);
    }
    message->receive = op;
    irr_shm_activate(peer);
    return IRR_IN_PROGRESS;
}

irr_status_t irr_shm_recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_shm_op_t *op = irr_shm_op_of(request);
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    uint64_t bytes;

    op->key = irr_shm_key(channel->id, request->tag);
    if (peer->in.slots == NULL || peer->unexpected != NULL || peer->broken || peer->shm->loses) {
        return receive(peer, op);
    }
    if (has_receives(peer)) {
        return post(peer, op);
    }
    bytes = irr_fifo_whole(&peer->in, irr_fifo_head(&peer->in), op->key);
    return bytes <= IRR_FIFO_SHORT ? receive_whole(peer, op, peer->in.next->bytes, bytes, false) : post(peer, op);
}

static void abandon_posted(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *cancelled)
{
    irr_shm_op_t **link = &peer->posted.first;

    while (*link != NULL) {
        if (irr_shm_id((*link)->key) == id) {
            irr_shm_push(cancelled, irr_shm_pull(&peer->posted, link));
        } else {
            link = &(*link)->next;
        }
    }
}

void irr_shm_abandon(irr_channel_t *channel)
{
    irr_shm_t *shm = irr_shm_of(channel->transport);
    irr_shm_queue_t cancelled = { .first = NULL };

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        abandon_posted(peer, channel->id, &cancelled);
    }
    while (cancelled.first != NULL) {
        finish(irr_shm_pull(&cancelled, &cancelled.first), IRR_ERR_CANCELED);
    }
}
