/*
 * single.c - single copy: the receiver reads a long message from the memory of its sender.
 *
 * The sender puts the address of the message into a slot, and must not change the message until the receiver has read
 * it. Until then the message has a token, a small number. Several messages to a process may be in progress, with
 * different tokens. For each token, the receiver publishes how many messages it has read, and the sender counts how
 * many it has sent. If the counts are equal, the receiver has read the last message.
 *
 * The kernel may refuse to read a message. The receiver then publishes a bit for the token, and counts the message as
 * read. It also withdraws its permission to use single copy, so no token is refused twice. The sender sends the message
 * again, in pieces and with the token. The receive of the message was matched before later messages were, so it waits
 * with a key of its own (irr_shm_again), which no other message has. If the sender cancels the message meanwhile, the
 * receive gets no message. If the receive is cancelled, the pieces are discarded when they arrive.
 */
#include "transport/shm/shm.h"

#include "core/log.h"

#include <inttypes.h>

enum { VECTORS = 64 };   /* maximum number of ranges per call of process_vm_readv */

/* ---- the sender's end ---- */

bool irr_shm_may_send_single(irr_peer_t *peer, irr_shm_op_t *op)
{
    const irr_request_t *request = irr_shm_request_of(op);

    if (op->left < IRR_SHM_SINGLE_MIN || request->count != 1 || request->form == IRR_FORM_GATHER ||
        irr_shm_is_again(op->key) || peer->nsingle == IRR_SHM_TOKENS) {
        return false;
    }
    (void)irr_shm_find(peer);
    return peer->their_link != NULL && atomic_load_explicit(&peer->their_link->reads, memory_order_relaxed) == 1;
}

unsigned irr_shm_send_single(irr_peer_t *peer, irr_shm_op_t *op)
{
    unsigned token = 0;

    while (peer->single[token] != NULL) {
        token++;
    }
    if (atomic_load_explicit(&peer->our_link->revoked[token], memory_order_relaxed) != 0) {
        atomic_store_explicit(&peer->our_link->revoked[token], 0, memory_order_relaxed);   /* before the slot is sent */
    }
    peer->single[token] = op;
    peer->singles[token]++;
    peer->nsingle++;
    return token;
}

/* Returns true if the receiver has read the message with this token, or has failed to. */
static bool has_ended(const irr_peer_t *peer, unsigned token)
{
    return peer->single[token] != NULL &&
           atomic_load_explicit(&peer->their_link->ended[token], memory_order_acquire) == peer->singles[token];
}

/* Completes a send by single copy whose token is free again, or queues the message to send it again. */
static void end_send(irr_peer_t *peer, irr_shm_op_t *op, unsigned token)
{
    irr_request_t *request = irr_shm_request_of(op);

    if ((atomic_load_explicit(&peer->their_link->refused, memory_order_relaxed) >> token & 1) != 0) {
        op->key = irr_shm_again(op->key, token);
        irr_shm_push(&peer->sending, op);
    } else {
        request->done(request, IRR_OK);
    }
}

unsigned irr_shm_end_singles(irr_peer_t *peer)
{
    unsigned events = 0;

    for (unsigned token = 0; peer->nsingle > 0 && token < IRR_SHM_TOKENS; token++) {
        if (has_ended(peer, token)) {
            irr_shm_op_t *op = peer->single[token];

            peer->single[token] = NULL;
            peer->nsingle--;
            events++;
            if (op != &peer->stand_in) {
                end_send(peer, op, token);
            }
        }
    }
    return events;
}

bool irr_shm_single_ended(const irr_peer_t *peer)
{
    bool ended = false;

    for (unsigned token = 0; peer->nsingle > 0 && token < IRR_SHM_TOKENS; token++) {
        ended = ended || has_ended(peer, token);
    }
    return ended;
}

/* Marks messages as revoked. Their tokens stay in use until the receiver has read or discarded the messages. */
void irr_shm_revoke(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *cancelled)
{
    for (unsigned token = 0; peer->nsingle > 0 && token < IRR_SHM_TOKENS; token++) {
        irr_shm_op_t *op = peer->single[token];

        if (op != NULL && op != &peer->stand_in && irr_shm_id(op->key) == id) {
            atomic_store_explicit(&peer->our_link->revoked[token], 1, memory_order_relaxed);
            peer->single[token] = &peer->stand_in;
            irr_shm_push(cancelled, op);
        }
    }
    atomic_thread_fence(memory_order_seq_cst);   /* `revoked` must be visible before the sender writes to the messages
                                                    again */
}

/* ---- the receiver's end ---- */

/*
 * Returns true if the sender has cancelled the send. The caller checks this after it has read the message. If the
 * result is false, the sender had not changed the message before.
 */
static bool was_revoked(const irr_peer_t *peer, unsigned token)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&peer->their_link->revoked[token], memory_order_relaxed) != 0;
}

/*
 * Sets vectors for the next bytes of a message, at most `bytes`. One vector covers at most one piece of the receive.
 * Returns the number of bytes of the message that the vectors cover, including discarded bytes.
 */
static size_t next_vectors(irr_shm_op_t *op, uint64_t address, size_t bytes, struct iovec *to, struct iovec *from,
                           size_t *count)
{
    const irr_request_t *request = irr_shm_request_of(op);
    size_t done = 0;

    for (*count = 0; *count < VECTORS && done < bytes && op->at.index < request->count;) {
        const irr_iov_t *piece = &request->iov[op->at.index++];
        const size_t some = piece->length < bytes - done ? piece->length : bytes - done;

        if (piece->base != NULL && some > 0) {
            to[*count] = (struct iovec){ piece->base, some };
            from[(*count)++] = (struct iovec){ (void *)(uintptr_t)(address + done), some };
            op->at.kept += some;
        }
        done += some;
    }
    return done;
}

/* Returns true if the pieces of a receive have room for a message of `bytes` bytes. */
static bool has_room(const irr_request_t *request, size_t bytes)
{
    for (size_t i = 0; i < request->count && bytes > 0; i++) {
        bytes -= request->iov[i].length < bytes ? request->iov[i].length : bytes;
    }
    return bytes == 0;
}

void irr_shm_end_single(irr_peer_t *peer, unsigned token)
{
    atomic_fetch_add_explicit(&peer->our_link->ended[token], 1, memory_order_release);
    irr_shm_wake(peer);
}

/* Requests a message again, in pieces, because the kernel refuses to read it. Posts the receive of the message. */
static irr_status_t request_again(irr_peer_t *peer, irr_shm_op_t *op, unsigned token)
{
    if (atomic_load_explicit(&peer->our_link->reads, memory_order_relaxed) != 0) {
        irr_log(IRR_LOG_DEBUG, "shm: the kernel refuses to read memory of process %" PRIu64 " of this node; long "
                "messages of the process to this one are copied twice from now on", peer->address.memory.process);
    }
    op->key = irr_shm_again(op->key, token);
    irr_shm_push(&peer->posted, op);
    irr_shm_activate(peer);
    atomic_store_explicit(&peer->our_link->reads, 0, memory_order_relaxed);
    atomic_fetch_or_explicit(&peer->our_link->refused, UINT32_C(1) << token, memory_order_relaxed);
    irr_shm_end_single(peer, token);
    return IRR_IN_PROGRESS;
}

irr_status_t irr_shm_read_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token)
{
    struct iovec to[VECTORS], from[VECTORS];
    const bool truncated = !has_room(irr_shm_request_of(op), total);
    irr_status_t status = truncated ? IRR_ERR_TRUNCATE : IRR_OK;
    size_t count;

    op->at = (irr_shm_cursor_t){ .kept = 0 };
    for (size_t done = 0; status == IRR_OK && done < total;) {
        done += next_vectors(op, address + done, total - done, to, from, &count);
        status = irr_remote_read(peer->address.memory.process, to, from, count);
    }
    if (was_revoked(peer, token)) {
        status = IRR_ERR_PEER;
    } else if (status == IRR_ERR_NOT_SUPPORTED) {
        return request_again(peer, op, token);
    }
    irr_shm_end_single(peer, token);
    (void)irr_shm_outcome(peer, op, total, truncated);
    return status;
}
