/*
 * fifo.h - a FIFO: a queue of messages from one process to another process of the same node, in memory that the sender
 * writes and the receiver reads.
 *
 * A FIFO has a ring of slots. A slot is one cache line: a header of 8 bytes, and up to 56 bytes of a message. The
 * sender writes the header last, with release order, and the receiver checks only the header of the next slot. A short
 * message therefore moves one cache line. A longer message travels in pieces through a second ring of bytes, the data
 * ring; the slot of a piece has the position of the piece in this ring.
 *
 * The receiver counts the slots that it has consumed, and publishes the count in its own memory. The sender then uses
 * these slots and their data again. The count is published after each half ring of slots. In the slot of a piece, the
 * sender can request the count, and does so if more than half of the data ring is in use. Each cache line is written by
 * only one of the two processes.
 *
 * The header of a slot, by bits:
 *
 *     63  58 57  52 51     32 31     16 15     0
 *      lap    form     zero    channel    tag
 *
 * Channel and tag are the key of a message; the sender is known, because a FIFO has one sender. The lap is the number
 * of the round through the ring, modulo 64. It distinguishes a new slot from a slot of the previous round. The first
 * lap is 1, because memory that was never written is zero.
 *
 * The functions of this file only access memory. Their caller allocates the memory and interprets the messages.
 */
#ifndef IRR_FIFO_H
#define IRR_FIFO_H

#include "irr.h"

#include <stdatomic.h>
#include <string.h>

#define IRR_FIFO_SLOTS  8
#define IRR_FIFO_SHORT  56                     /* longest message in a slot, in bytes */
#define IRR_FIFO_PIECE  ((size_t)8 << 10)      /* longest piece of a message in the data ring, in bytes */
#define IRR_FIFO_DATA   (4 * IRR_FIFO_PIECE)   /* length of the data ring, in bytes */

#define IRR_FIFO_FORM_SHIFT 52
#define IRR_FIFO_LAP_SHIFT  58

/*
 * The form of a slot is the length of its message, from 0 to IRR_FIFO_SHORT, or one of these values. FIRST: the first
 * piece of a message. NEXT: a later piece. SINGLE: a message that the receiver reads from the memory of the sender
 * (single copy). AGAIN: the first piece of a message that the receiver could not read in this way. END: no further
 * pieces of the message will arrive, because the send was cancelled.
 */
enum { IRR_FIFO_FIRST = IRR_FIFO_SHORT + 1, IRR_FIFO_NEXT, IRR_FIFO_SINGLE, IRR_FIFO_END, IRR_FIFO_AGAIN };

/*
 * The contents of a slot depend on its form. `bytes`: a whole message. `piece`: bytes of the message from this piece
 * on, offset and length of the piece in the data ring, 1 if the sender requests the count, and for AGAIN the token of
 * the message. `single`: length, address and token of a message by single copy; the token identifies the message when
 * the receiver has read it, or has failed to.
 */
typedef struct irr_fifo_slot {
    _Alignas(64) _Atomic uint64_t head;
    union {
        unsigned char bytes[IRR_FIFO_SHORT];
        struct { uint64_t total, offset, length, wants_count, token; } piece;
        struct { uint64_t total, address, token; } single;
    };
} irr_fifo_slot_t;

_Static_assert(sizeof(irr_fifo_slot_t) == 64, "a slot is a cache line");

static inline uint64_t irr_fifo_key(uint64_t head)
{
    return head & UINT32_MAX;
}

static inline unsigned irr_fifo_form(uint64_t head)
{
    return head >> IRR_FIFO_FORM_SHIFT & 63;
}

static inline uint64_t irr_fifo_lap(uint32_t number)
{
    return (number / IRR_FIFO_SLOTS + 1) % 64;
}

/* Copies up to IRR_FIFO_SHORT bytes in words, of which the last two may overlap. memcpy usually takes longer. */
static inline void irr_fifo_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes < 8) {
        for (size_t i = 0; i < bytes; i++) {
            to[i] = from[i];
        }
        return;
    }
    for (size_t at = 0; at < bytes - 8; at += 8) {
        memcpy(to + at, from + at, 8);
    }
    memcpy(to + bytes - 8, from + bytes - 8, 8);
}

/* Reads a number of a slot once. A second read could return another value, because the sender may write at any time. */
static inline uint64_t irr_fifo_read(const uint64_t *number)
{
    return *(const volatile uint64_t *)number;
}

/* ---- the sender's end ---- */

typedef struct irr_fifo_out {
    irr_fifo_slot_t        *slots;      /* NULL: the FIFO is not open */
    uint32_t                sent;       /* number of sent slots */
    uint32_t                consumed;   /* number of consumed slots, according to the count that was last read */
    uint64_t                head, tail;   /* end of the allocated and of the released bytes of the data ring; positions
                                             do not wrap around: they count the bytes and gaps of all rounds */
    uint64_t                end[IRR_FIFO_SLOTS];   /* by slot: value of `head` when the slot was sent */
    unsigned char          *data;       /* the data ring; NULL: not allocated */
    const _Atomic uint32_t *count;      /* the count of the receiver; NULL: not found yet */
} irr_fifo_out_t;

/*
 * Reads the count that the receiver has published, and releases the consumed slots and their data. Ignores a count that
 * is impossible. Returns true if slots were released.
 */
static inline bool irr_fifo_update(irr_fifo_out_t *out)
{
    const uint32_t consumed =
        out->count != NULL ? atomic_load_explicit(out->count, memory_order_acquire) : out->consumed;

    if (consumed == out->consumed || consumed - out->consumed > out->sent - out->consumed) {
        return false;
    }
    out->consumed = consumed;
    out->tail = out->end[(consumed - 1) % IRR_FIFO_SLOTS];
    return true;
}

/* Returns the next slot, or NULL if the ring is full. */
static inline irr_fifo_slot_t *irr_fifo_next(irr_fifo_out_t *out)
{
    const bool is_free = out->sent - out->consumed < IRR_FIFO_SLOTS || irr_fifo_update(out);

    return is_free ? &out->slots[out->sent % IRR_FIFO_SLOTS] : NULL;
}

/* Allocates room in the data ring for the piece of the next slot. Returns NULL if too little is free now. */
unsigned char *irr_fifo_room(irr_fifo_out_t *out, size_t bytes);

/* Returns true if more than half of the data ring is in use. The receiver should then publish its count at once. */
static inline bool irr_fifo_wants_count(const irr_fifo_out_t *out)
{
    return out->head - out->tail > IRR_FIFO_DATA / 2;
}

/* Returns the header for the next slot to send. */
static inline uint64_t irr_fifo_header(const irr_fifo_out_t *out, uint64_t key, uint64_t form)
{
    return irr_fifo_lap(out->sent) << IRR_FIFO_LAP_SHIFT | form << IRR_FIFO_FORM_SHIFT | key;
}

/* Sends the next slot, which the caller has written except for its header. */
static inline void irr_fifo_put(irr_fifo_out_t *out, irr_fifo_slot_t *slot, uint64_t header)
{
    out->end[out->sent++ % IRR_FIFO_SLOTS] = out->head;
    atomic_store_explicit(&slot->head, header, memory_order_release);
}

/* ---- the receiver's end ---- */

typedef struct irr_fifo_in {
    const irr_fifo_slot_t *slots;      /* NULL: the sender has not opened the FIFO, or we have not found it yet */
    const irr_fifo_slot_t *next;       /* next slot to check */
    uint64_t               lap;        /* lap of the next slot, at the position of the lap in a header */
    const unsigned char   *data;       /* the data ring; NULL: not found yet */
    _Atomic uint32_t      *count;      /* where this process publishes its count */
    uint32_t               consumed;   /* number of consumed slots */
} irr_fifo_in_t;

/* Computes the next slot and its lap from the number of consumed slots. */
static inline void irr_fifo_find_next(irr_fifo_in_t *in)
{
    in->next = &in->slots[in->consumed % IRR_FIFO_SLOTS];
    in->lap = irr_fifo_lap(in->consumed) << IRR_FIFO_LAP_SHIFT;
}

/* Returns the header of the next slot, even if the slot is not written yet. */
static inline uint64_t irr_fifo_head(const irr_fifo_in_t *in)
{
    return atomic_load_explicit(&in->next->head, memory_order_acquire);
}

/* Returns true if this header shows that the sender has written the next slot. */
static inline bool irr_fifo_is_written(const irr_fifo_in_t *in, uint64_t head)
{
    return (head ^ in->lap) >> IRR_FIFO_LAP_SHIFT == 0;
}

/*
 * Returns the length of the message in the next slot if three conditions hold: the slot is written, its message has
 * this key, and the slot has the whole message. Otherwise returns a number above IRR_FIFO_SHORT.
 */
static inline uint64_t irr_fifo_whole(const irr_fifo_in_t *in, uint64_t head, uint64_t key)
{
    const uint64_t form = head ^ (in->lap | key);   /* the bits of lap and key are now 0 if they are as expected */

    return form >> IRR_FIFO_FORM_SHIFT | form << (64 - IRR_FIFO_FORM_SHIFT);
}

/* Prefetches the next slot. If a receiver does this for several FIFOs, their cache lines move in parallel. */
static inline void irr_fifo_prefetch(const irr_fifo_in_t *in)
{
    __builtin_prefetch(in->next);
}

/* Consumes the next slot and its piece. If the count is due or requested, publishes it and returns true. */
static inline bool irr_fifo_consume(irr_fifo_in_t *in, bool wants_count)
{
    in->next++;
    if (++in->consumed % (IRR_FIFO_SLOTS / 2) != 0 && !wants_count) {
        return false;
    }
    irr_fifo_find_next(in);   /* `next` may have passed the end of the ring */
    atomic_store_explicit(in->count, in->consumed, memory_order_release);
    return true;
}

#endif
