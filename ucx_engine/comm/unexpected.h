/*
 * unexpected.h - finds, discards and reports unexpected messages: messages for which no receive was posted.
 *
 * If a program passes counts that contradict each other, a rank may send a message for which the receiver expects
 * nothing. This message must not match a receive of a later exchange with the same tag, or of another communicator with
 * the same id. Its sender must not wait forever. When an exchange is over on a rank, all expected messages have
 * arrived, so the rank discards all others of this exchange. A rank searches for unexpected messages on three
 * occasions:
 *
 *   - At the end of an exchange with gaps, in which this rank expects no message from some rank, and at the end of the
 *     next exchange. Messages of one sender arrive in order, so the message has arrived when the next message of its
 *     sender has. The exchange that ends next returns IRR_ERR_TRUNCATE.
 *   - From time to time while the engine is idle, during and after an exchange with gaps. The sender of a long message
 *     waits for its receiver, even if the receiver has ended the exchange or freed the communicator.
 *   - Before the id of a freed communicator is proposed for another one.
 *
 * Several users may use a communicator one after the other (irr_comm_use). The first exchange of a user discards
 * messages for earlier users, and does not report these messages.
 *
 * Epochs. A tag has an 8-bit sequence number of the exchange, which wraps around. A rank can tell messages of past
 * exchanges from those of future ones only if no rank is ahead of another by 128 exchanges. All ranks therefore pass an
 * epoch barrier (an all-reduce) before the first number of each half of the 256 numbers. While exchanges of one half
 * run, all exchanges of the other half are over. One case is not detected: an unexpected message is in flight for a
 * whole epoch in which its sender sends no other message. It then matches a receive of a current exchange, and the
 * message that belongs to this receive counts as unexpected.
 *
 * A rank searches only for messages of the kind DATA that are sent directly, because every message that ranks forward
 * is expected.
 *
 * Cost: a search makes up to nine calls of `discard` (transport/transport.h), each of which searches all messages
 * without a receive. An exchange without gaps costs nothing.
 */
#ifndef IRR_UNEXPECTED_H
#define IRR_UNEXPECTED_H

#include "comm/ids.h"
#include "exec/tag.h"

#define IRR_UNEXPECTED_FREED 8   /* number of recently freed ids for which late messages are discarded */

struct irr_engine;

/* The state of the search of one engine. The engine is locked in all functions below. A zeroed object is empty. */
typedef struct irr_unexpected {
    uint32_t    freed[IRR_UNEXPECTED_FREED];   /* recently freed ids, plus 1; 0: none */
    unsigned    freed_next;
    irr_comm_t *next_search;               /* communicator to search next; NULL: search the freed ids next */
} irr_unexpected_t;

/* Searches when an exchange has left the queue. Returns true if it must report an unexpected message. */
bool irr_unexpected_end(irr_exchange_t *exchange);

/* Searches one communicator, or the freed ids. Called when the engine is idle. */
void irr_unexpected_search(struct irr_engine *engine);

/* Discards all messages of a free id. Returns false if more may arrive later. */
bool irr_unexpected_clear(struct irr_engine *engine, uint32_t id);

/* Record that an id was freed, and that a communicator uses it again. */
void irr_unexpected_free_id(irr_unexpected_t *unexpected, uint32_t id);
void irr_unexpected_take_id(irr_unexpected_t *unexpected, uint32_t id);

/* An exchange uses fewer sequence numbers than this. */
#define IRR_UNEXPECTED_MARGIN 8

/*
 * irr_unexpected_needs_barrier returns true if an epoch barrier must precede the exchange that begins with `sequence`.
 * irr_unexpected_after_barrier returns the first sequence number after this barrier.
 */
static inline bool irr_unexpected_needs_barrier(uint32_t sequence)
{
    return sequence % IRR_TAG_HALF >= IRR_TAG_HALF - IRR_UNEXPECTED_MARGIN;
}

static inline uint32_t irr_unexpected_after_barrier(uint32_t sequence)
{
    return (sequence / IRR_TAG_HALF + 1) * IRR_TAG_HALF;
}

#endif
