/*
 * receive.c - slots to messages: those that receives wait for, and those that wait for a receive.
 *
 * A lane is read while a receive waits for its sender.  An unexpected message is copied to the heap, so that the
 * messages behind it can be reached; without memory for it the lane waits.  A slot is memory of another process: each
 * number is read once and checked.  After a slot that breaks the rules the lane is read no more, and receives from that
 * process end in IRR_ERR_PROTOCOL.
 */
#include "transport/shm/shm.h"

#include "core/alloc.h"
#include "transport/key.h"

#include <string.h>

enum { VECTORS = 64 };

/* ---- the end of a receive ---- */

static irr_status_t outcome(irr_peer_t *peer, irr_shm_op_t *op, size_t total, bool spilled)
{
    irr_shm_request_of(op)->bytes = total;
    peer->shm->gathered += op->gathers ? op->at.kept : 0;
    return spilled ? IRR_ERR_TRUNCATE : IRR_OK;
}

static void finish(irr_shm_op_t *op, irr_status_t status)
{
    irr_request_t *request = irr_shm_request_of(op);

    request->done(request, status);
}

/* ---- single copy ---- */

/* Up to so many bytes of the message, each vector as long as the piece that it goes to. */
static size_t next_vectors(irr_shm_cursor_t *at, uint64_t address, size_t bytes, struct iovec *to, struct iovec *from,
                           size_t *count)
{
    size_t done = 0;

    for (*count = 0; *count < VECTORS && done < bytes && at->index < at->count;) {
        const irr_iov_t *piece = &at->iov[at->index++];
        const size_t some = piece->length < bytes - done ? piece->length : bytes - done;

        if (piece->base != NULL && some > 0) {
            to[*count] = (struct iovec){ piece->base, some };
            from[(*count)++] = (struct iovec){ (void *)(uintptr_t)(address + done), some };
            at->kept += some;
        }
        done += some;
    }
    return done;
}

static bool has_room(const irr_shm_cursor_t *at, size_t bytes)
{
    for (size_t i = 0; i < at->count && bytes > 0; i++) {
        bytes -= at->iov[i].length < bytes ? at->iov[i].length : bytes;
    }
    return bytes == 0;
}

static void end_single(irr_peer_t *peer, unsigned token)
{
    atomic_fetch_add_explicit(&peer->own->ended[token], 1, memory_order_release);
    irr_shm_wake(peer);
}

/* Reads a message from the memory of its sender, who is told so in any case. */
static irr_status_t read_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token)
{
    struct iovec to[VECTORS], from[VECTORS];
    const bool spilled = !has_room(&op->at, total);
    irr_status_t status = spilled ? IRR_ERR_TRUNCATE : IRR_OK;
    size_t count;

    for (size_t done = 0; status == IRR_OK && done < total;) {
        done += next_vectors(&op->at, address + done, total - done, to, from, &count);
        status = irr_lend_read(peer->address.memory.process, to, from, count);
    }
    end_single(peer, token);
    (void)outcome(peer, op, total, spilled);
    return status;
}

/* ---- messages that no receive was posted for ---- */

static irr_shm_message_t *stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room)
{
    irr_shm_message_t *message = room <= SIZE_MAX - sizeof(*message) ? irr_alloc(1, sizeof(*message) + room) : NULL;

    if (message != NULL) {
        *message = (irr_shm_message_t){ .key = key, .total = total };
        *(peer->unexpected != NULL ? peer->unexpected_end : &peer->unexpected) = message;
        peer->unexpected_end = &message->next;
    }
    return message;
}

static void unlink_message(irr_peer_t *peer, irr_shm_message_t **link)
{
    irr_shm_message_t *message = *link;

    *link = message->next;
    if (peer->unexpected_end == &message->next) {
        peer->unexpected_end = link;
    }
    irr_free(message);
}

static void forget(irr_peer_t *peer, const irr_shm_message_t *message)
{
    irr_shm_message_t **link = &peer->unexpected;

    while (*link != message) {
        link = &(*link)->next;
    }
    unlink_message(peer, link);
}

static irr_status_t unpack(irr_peer_t *peer, irr_shm_message_t *message, irr_shm_op_t *op)
{
    irr_status_t status;

    if (message->address != 0) {
        status = read_single(peer, op, message->address, message->total, message->token);
    } else {
        status = outcome(peer, op, message->total, irr_shm_scatter(&op->at, message->bytes, message->total) > 0);
    }
    forget(peer, message);
    return status;
}

static irr_shm_message_t *find_message(const irr_peer_t *peer, uint64_t key)
{
    irr_shm_message_t *message = peer->unexpected;

    while (message != NULL && (message->key != key || message->dropped || message->taker != NULL)) {
        message = message->next;
    }
    return message;
}

/* ---- slots ---- */

static irr_shm_op_t **find_posted(irr_peer_t *peer, uint64_t key)
{
    irr_shm_op_t **link = &peer->posted.first;

    while (*link != NULL && (*link)->key != key) {
        link = &(*link)->next;
    }
    return link;
}

static irr_shm_op_t *take_posted(irr_peer_t *peer, uint64_t key)
{
    irr_shm_op_t **link = find_posted(peer, key);

    return *link != NULL ? irr_shm_pull(&peer->posted, link) : NULL;
}

/* The slot that was looked at is the sender's again, which may sleep until there is room. */
static void take(irr_peer_t *peer, bool hurry)
{
    if (irr_lane_take(&peer->in, hurry)) {
        irr_shm_wake(peer);
    }
}

static bool take_short(irr_peer_t *peer, const irr_lane_slot_t *slot, uint64_t key, size_t bytes)
{
    irr_shm_op_t *op = take_posted(peer, key);
    irr_shm_message_t *message;
    irr_status_t status;

    if (op != NULL) {
        status = outcome(peer, op, bytes, irr_shm_scatter(&op->at, slot->bytes, bytes) > 0);
        take(peer, false);
        finish(op, status);
        return true;
    }
    message = stash(peer, key, bytes, bytes);
    if (message == NULL) {
        return false;
    }
    memcpy(message->bytes, slot->bytes, bytes);
    message->have = bytes;
    take(peer, false);
    return true;
}

static bool take_single(irr_peer_t *peer, const irr_lane_slot_t *slot, uint64_t key)
{
    const uint64_t total = slot->single.total, address = slot->single.address, token = slot->single.token;
    irr_shm_message_t *message;
    irr_shm_op_t *op;

    if (token >= IRR_SHM_TOKENS || address == 0) {
        peer->broken = true;
        return false;
    }
    op = take_posted(peer, key);
    if (op != NULL) {
        take(peer, false);
        finish(op, read_single(peer, op, address, total, (unsigned)token));
        return true;
    }
    message = stash(peer, key, total, 0);
    if (message == NULL) {
        return false;
    }
    message->have = total;
    message->address = address;
    message->token = (unsigned)token;
    take(peer, false);
    return true;
}

/* A message that comes in pieces begins: where does it go? */
static bool begin(irr_peer_t *peer, uint64_t key, uint64_t total)
{
    peer->filling = take_posted(peer, key);
    peer->stashing = peer->filling == NULL ? stash(peer, key, total, total) : NULL;
    peer->came = peer->missing = total;
    peer->spilled = false;
    return peer->filling != NULL || peer->stashing != NULL;
}

static void end(irr_peer_t *peer)
{
    irr_shm_op_t *op = peer->filling;
    irr_shm_message_t *message = peer->stashing;

    peer->filling = NULL;
    peer->stashing = NULL;
    if (op != NULL) {
        finish(op, outcome(peer, op, peer->came, peer->spilled));
    } else if (message->dropped) {
        forget(peer, message);
    } else if (message->taker != NULL) {
        op = message->taker;
        finish(op, unpack(peer, message, op));
    }
}

static void keep(irr_peer_t *peer, const unsigned char *from, size_t bytes)
{
    irr_shm_message_t *message = peer->stashing;

    if (message == NULL) {
        peer->spilled = irr_shm_scatter(&peer->filling->at, from, bytes) > 0 || peer->spilled;
        return;
    }
    memcpy(message->bytes + message->have, from, bytes);
    message->have += bytes;
}

/* Does a piece lie where it may, and is it no more than its message has left? */
static bool is_good_piece(const irr_peer_t *peer, uint64_t total, uint64_t offset, uint64_t length, bool first)
{
    const bool open = peer->filling != NULL || peer->stashing != NULL;

    return first != open && length > 0 && length <= IRR_LANE_PIECE && offset <= IRR_LANE_BESIDE - length &&
           length <= (first ? total : peer->missing);
}

static bool take_piece(irr_peer_t *peer, const irr_lane_slot_t *slot, uint64_t key, bool first)
{
    const uint64_t total = slot->piece.total, offset = slot->piece.offset, length = slot->piece.length;
    const bool hurry = slot->piece.hurry != 0;

    if (peer->in.beside == NULL) {
        (void)irr_shm_find(peer);
    }
    if (peer->in.beside == NULL || !is_good_piece(peer, total, offset, length, first)) {
        peer->broken = true;
        return false;
    }
    if (first && !begin(peer, key, total)) {
        return false;
    }
    keep(peer, peer->in.beside + offset, length);
    peer->missing -= length;
    take(peer, hurry);
    if (peer->missing == 0) {
        end(peer);
    }
    return true;
}

/* False: it stays where it is. */
static bool take_slot(irr_peer_t *peer, const irr_lane_slot_t *slot, uint64_t head)
{
    const unsigned form = irr_lane_form(head);
    const uint64_t key = irr_lane_key(head);

    switch (form) {
    case IRR_LANE_FIRST:
    case IRR_LANE_NEXT:
        return take_piece(peer, slot, key, form == IRR_LANE_FIRST);
    case IRR_LANE_SINGLE:
        return take_single(peer, slot, key);
    default:
        peer->broken = form > IRR_LANE_SHORT;
        return !peer->broken && take_short(peer, slot, key, form);
    }
}

/* Receives of a process that does not keep the rules, and the one that its pieces went to. */
static unsigned fail(irr_peer_t *peer)
{
    unsigned events = 0;

    if (peer->filling != NULL) {
        irr_shm_push(&peer->posted, peer->filling);
        peer->filling = NULL;
    }
    if (peer->stashing != NULL && peer->stashing->taker != NULL) {
        irr_shm_push(&peer->posted, peer->stashing->taker);
    }
    if (peer->stashing != NULL) {
        forget(peer, peer->stashing);
        peer->stashing = NULL;
    }
    for (; peer->posted.first != NULL; events++) {
        finish(irr_shm_pull(&peer->posted, &peer->posted.first), IRR_ERR_PROTOCOL);
    }
    return events;
}

static bool wants(const irr_peer_t *peer)
{
    return peer->posted.first != NULL || peer->filling != NULL || peer->stashing != NULL || peer->shm->closed;
}

unsigned irr_shm_progress_receives(irr_peer_t *peer)
{
    const irr_lane_slot_t *slot;
    unsigned events = 0;
    uint64_t head;

    if (!wants(peer) || (peer->in.slots == NULL && !irr_shm_find(peer))) {
        return 0;
    }
    while (!peer->broken && wants(peer) && (slot = irr_lane_look(&peer->in, &head)) != NULL &&
           take_slot(peer, slot, head)) {
        events++;
    }
    return peer->broken ? events + fail(peer) : events;
}

bool irr_shm_may_receive(irr_peer_t *peer)
{
    uint64_t head;

    return wants(peer) && !peer->broken && irr_shm_find(peer) && irr_lane_look(&peer->in, &head) != NULL;
}

/* ---- receives ---- */

irr_status_t irr_shm_recv(irr_channel_t *channel, int from, uint16_t tag, const irr_iov_t *iov, size_t count,
                          irr_form_t form, irr_request_t *request)
{
    irr_shm_op_t *op = irr_shm_op_of(request);
    irr_peer_t *peer = channel->members[from];
    const uint64_t key = irr_key(channel->id, tag, from);
    irr_shm_message_t *message;
    irr_status_t status = peer->own == NULL ? irr_shm_link(peer) : IRR_OK;

    if (status != IRR_OK || peer->broken) {
        return status != IRR_OK ? status : IRR_ERR_PROTOCOL;
    }
    *op = (irr_shm_op_t){ .key = key, .at = { .iov = iov, .count = count },
                          .gathers = form == IRR_FORM_GATHER && count > 1 };
    message = peer->unexpected != NULL ? find_message(peer, key) : NULL;
    if (message != NULL && message->have == message->total) {
        return unpack(peer, message, op);
    }
    if (message != NULL) {
        message->taker = op;
    } else {
        irr_shm_push(&peer->posted, op);
    }
    irr_shm_activate(peer);
    return IRR_IN_PROGRESS;
}

static void abandon_posted(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *gone)
{
    irr_shm_op_t **link = &peer->posted.first;

    while (*link != NULL) {
        if ((*link)->key >> IRR_KEY_ID_SHIFT == id) {
            irr_shm_push(gone, irr_shm_pull(&peer->posted, link));
        } else {
            link = &(*link)->next;
        }
    }
}

void irr_shm_abandon(irr_channel_t *channel)
{
    irr_shm_t *shm = irr_shm_of(channel->transport);
    irr_shm_queue_t gone = { .first = NULL };

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        abandon_posted(peer, channel->id, &gone);
    }
    while (gone.first != NULL) {
        finish(irr_shm_pull(&gone, &gone.first), IRR_ERR_CANCELED);
    }
}

/* ---- what nobody receives ---- */

static size_t drop(irr_peer_t *peer, uint64_t key, uint64_t mask)
{
    irr_shm_message_t **link = &peer->unexpected;
    size_t count = 0;

    while (*link != NULL) {
        irr_shm_message_t *message = *link;

        if ((message->key & mask) != (key & mask) || message->taker != NULL || message->dropped) {
            link = &message->next;
            continue;
        }
        count++;
        if (message->address != 0) {
            end_single(peer, message->token);
        }
        if (message->have == message->total) {
            unlink_message(peer, link);
        } else {
            message->dropped = true;   /* the rest of it is on its way */
        }
    }
    return count;
}

/* Would the slot end a receive?  Then it is for progress. */
static bool is_received(irr_peer_t *peer, uint64_t head)
{
    if (irr_lane_form(head) == IRR_LANE_NEXT) {
        return peer->filling != NULL || (peer->stashing != NULL && peer->stashing->taker != NULL);
    }
    return *find_posted(peer, irr_lane_key(head)) != NULL;
}

/* Takes from the lane what no receive waits for.  False: there is more. */
static bool clear(irr_peer_t *peer)
{
    const irr_lane_slot_t *slot;
    uint64_t head;

    if (peer->broken || (peer->in.slots == NULL && !irr_shm_find(peer))) {
        return true;
    }
    while (!peer->broken && (slot = irr_lane_look(&peer->in, &head)) != NULL) {
        if (is_received(peer, head) || !take_slot(peer, slot, head)) {
            return peer->broken;
        }
    }
    return true;
}

irr_status_t irr_shm_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_shm_t *shm = irr_shm_of(transport);
    bool all = true;

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        all = clear(peer) && all;
        *count += drop(peer, irr_key(id, tag, 0), irr_key_mask(mask));
        if (peer->stashing != NULL) {
            irr_shm_activate(peer);
        }
    }
    return all ? IRR_OK : IRR_IN_PROGRESS;
}

void irr_shm_drop_all(irr_peer_t *peer)
{
    (void)drop(peer, 0, 0);
}
