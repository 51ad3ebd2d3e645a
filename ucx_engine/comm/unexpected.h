/*
 * unexpected.h - finds, discards and reports unexpected messages: messages for which no receive was posted.
 *
 * A program may erroneously send a message although the receiver has an empty block for the sender, and no receive
 * matches the message. The message must not match a receive of a later exchange with the same tag, or a receive of
 * another communicator with the same id, and the sender must not wait forever. When an exchange is over on a rank, the
 * rank has received all expected messages of the exchange. The rank therefore discards any other message of the
 * exchange. A rank searches for unexpected messages:
 *
 *   - At the end of an exchange in which a rank might send an unexpected message (an exchange with gaps), and at the
 *     end of the exchange after it. Messages of one sender stay in order, so the next exchange that receives from this
 *     sender finds the message. This exchange, or the next exchange on the communicator, ends in IRR_ERR_TRUNCATE.
 *   - During an exchange with gaps and after it, from time to time while the engine is idle. The sender of a long
 *     message waits until it is received, even if this rank has left the exchange or freed the communicator.
 *   - Before an id is proposed for another communicator.
 *
 * Several users may use a communicator one after the other (irr_comm_use). The first exchange of a user discards
 * messages for earlier users, and does not report these messages.
 *
 * Epochs. The sequence numbers in tags wrap. Past and future exchanges can be distinguished if no rank is ahead of
 * another rank by half of all sequence numbers. All ranks therefore pass an epoch barrier, which is an agreement,
 * before the first exchange of each half. A half has about 120 exchanges. While the exchanges of one half run, all
 * exchanges of the other half are over. If a message stays in flight for a whole epoch, and its sender sends no other
 * message, the receiver mistakes the message for a message of a current exchange. It then reports the current message
 * as unexpected.
 *
 * A rank searches only for DATA messages, and only on communicators that send messages directly. Every message of a
 * store-and-forward algorithm is expected.
 *
 * Cost: a search makes one call of `discard` for each bit that is set in the sequence number of the exchange, and each
 * call searches all unexpected messages. There is no cost if no unexpected message is possible.
 */
#ifndef IRR_UNEXPECTED_H
#define IRR_UNEXPECTED_H

#include "comm/ids.h"
#include "exec/tag.h"

#define IRR_UNEXPECTED_FREED 8   /* number of recently freed ids whose late messages are searched */

struct irr_engine;

/* The state of an engine, which is locked in all functions below. A zeroed object is empty. */
typedef struct irr_unexpected {
    uint32_t    freed[IRR_UNEXPECTED_FREED];   /* freed ids + 1; 0: none */
    unsigned    freed_next;
    irr_comm_t *next_search;               /* next communicator to search; NULL: the freed ids */
} irr_unexpected_t;

/* Call this when an exchange is over and closed. Returns true if the exchange must report an unexpected message. */
bool irr_unexpected_end(irr_exchange_t *exchange);

/* Searches one communicator, or the freed ids, for unexpected messages. To be called when the engine is idle. */
void irr_unexpected_search(struct irr_engine *engine);

/* Discards all messages of an id that is about to be taken. Returns false if more such messages may exist. */
bool irr_unexpected_clear(struct irr_engine *engine, uint32_t id);

/* irr_unexpected_free_id records that an id was freed; irr_unexpected_take_id records that an id was taken. */
void irr_unexpected_free_id(irr_unexpected_t *unexpected, uint32_t id);
void irr_unexpected_take_id(irr_unexpected_t *unexpected, uint32_t id);

/* An exchange takes fewer sequence numbers than this. */
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
