/*
 * stash.c - the stash of a peer: messages that arrived before their receives were posted. In the FIFO they would block
 * later messages.
 *
 * Each peer has memory for as many messages as its FIFO has slots, of at most IRR_FIFO_PIECE bytes each
 * (irr_peer.room). Other messages use the heap. If memory is missing, the message is lost and its channel fails. If it
 * stayed in the FIFO, it would block messages of other channels, and the notice by which ranks end a failed exchange.
 */
#include "transport/shm/shm.h"

#include "core/alloc.h"
#include "transport/key.h"

enum { STRIDE = sizeof(irr_shm_message_t) + IRR_FIFO_PIECE };

irr_status_t irr_shm_make_room(irr_peer_t *peer)
{
    if (peer->room == NULL) {
        peer->room = irr_alloc(IRR_FIFO_SLOTS, STRIDE);
    }
    return peer->room != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* Returns a free message of the room, or NULL. The kernel gives no memory to messages that were never used. */
static irr_shm_message_t *get_spare(irr_peer_t *peer)
{
    irr_shm_message_t *message = peer->spare;

    if (message != NULL) {
        peer->spare = message->next;
    } else if (peer->used < IRR_FIFO_SLOTS) {
        message = (irr_shm_message_t *)(peer->room + (size_t)STRIDE * peer->used++);
    }
    return message;
}

irr_shm_message_t *irr_shm_stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room)
{
    irr_shm_message_t *message = room <= IRR_FIFO_PIECE ? get_spare(peer) : NULL;
    const bool on_heap = message == NULL;

    if (on_heap) {
        message = room <= SIZE_MAX - sizeof(*message) ? irr_alloc(1, sizeof(*message) + room) : NULL;
    }
    if (message != NULL) {
        *message = (irr_shm_message_t){ .key = key, .total = total, .on_heap = on_heap };
        *(peer->unexpected != NULL ? peer->unexpected_end : &peer->unexpected) = message;
        peer->unexpected_end = &message->next;
    }
    return message;
}

void irr_shm_lose(irr_shm_t *shm, uint64_t key)
{
    const uint64_t id = key >> IRR_SHM_ID_SHIFT;

    shm->loses = true;
    shm->lost[id / 64] |= UINT64_C(1) << id % 64;
}

static void unlink_message(irr_peer_t *peer, irr_shm_message_t **link)
{
    irr_shm_message_t *message = *link;

    *link = message->next;
    if (peer->unexpected_end == &message->next) {
        peer->unexpected_end = link;
    }
    if (message->on_heap) {
        irr_free(message);
    } else {
        message->next = peer->spare;
        peer->spare = message;
    }
}

void irr_shm_forget(irr_peer_t *peer, irr_shm_message_t *message)
{
    irr_shm_message_t **link = &peer->unexpected;

    while (*link != message) {
        link = &(*link)->next;
    }
    unlink_message(peer, link);
}

irr_status_t irr_shm_unpack(irr_peer_t *peer, irr_shm_message_t *message, irr_shm_op_t *op)
{
    irr_status_t status;

    if (message->address != 0) {
        status = irr_shm_read_single(peer, op, message->address, message->total, message->token);
    } else {
        status = irr_shm_fill(peer, op, message->bytes, message->total);
    }
    irr_shm_forget(peer, message);
    return status;
}

irr_shm_message_t *irr_shm_find_message(const irr_peer_t *peer, uint64_t key)
{
    irr_shm_message_t *message = peer->unexpected;

    while (message != NULL && (message->key != key || message->dropped || message->receive != NULL)) {
        message = message->next;
    }
    return message;
}

/* ---- discarding ---- */

size_t irr_shm_drop(irr_peer_t *peer, uint64_t key, uint64_t mask)
{
    irr_shm_message_t **link = &peer->unexpected;
    size_t count = 0;

    while (*link != NULL) {
        irr_shm_message_t *message = *link;

        if ((message->key & mask) != (key & mask) || message->receive != NULL || message->dropped) {
            link = &message->next;
            continue;
        }
        count++;
        if (message->address != 0) {
            irr_shm_end_single(peer, message->token);
        }
        if (message->have == message->total) {
            unlink_message(peer, link);
        } else {
            message->dropped = true;   /* freed when the rest of the message has arrived */
            link = &message->next;
        }
    }
    return count;
}

irr_status_t irr_shm_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_shm_t *shm = irr_shm_of(transport);
    bool all = true;

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        all = irr_shm_stash_arrived(peer) && all;
        *count += irr_shm_drop(peer, irr_shm_key(id, tag), irr_shm_key(UINT32_MAX, mask));
        if (peer->missing > 0) {
            irr_shm_activate(peer);
        }
    }
    if (mask == 0) {
        shm->lost[id / 64] &= ~(UINT64_C(1) << id % 64);
    }
    if (irr_shm_has_lost(shm, id)) {
        return IRR_ERR_NO_MEMORY;
    }
    return all ? IRR_OK : IRR_IN_PROGRESS;
}
