/*
 * stash.c - messages that came before a receive for them: they wait on the heap, so that the messages behind them can
 * be reached.
 */
#include "transport/shm/shm.h"

#include "core/alloc.h"
#include "transport/key.h"

irr_shm_message_t *irr_shm_stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room)
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

void irr_shm_forget(irr_peer_t *peer, const irr_shm_message_t *message)
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

    while (message != NULL && (message->key != key || message->dropped || message->taker != NULL)) {
        message = message->next;
    }
    return message;
}

/* ---- what nobody receives ---- */

size_t irr_shm_drop(irr_peer_t *peer, uint64_t key, uint64_t mask)
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
            irr_shm_end_single(peer, message->token);
        }
        if (message->have == message->total) {
            unlink_message(peer, link);
        } else {
            message->dropped = true;   /* the rest of it is on its way */
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
        all = irr_shm_clear(peer) && all;
        *count += irr_shm_drop(peer, irr_key(id, tag, 0), irr_key_mask(mask));
        if (peer->stashing != NULL) {
            irr_shm_activate(peer);
        }
    }
    return all ? IRR_OK : IRR_IN_PROGRESS;
}
