/*
 * lane.h - one direction between two processes of a node: a ring of slots that the sender writes and the receiver
 * reads.
 *
 * A slot is one cache line: a header of eight bytes and up to 56 bytes of a message.  The sender writes the header
 * last, with release; the receiver looks at the header of the next slot alone.  So a short message moves one cache
 * line.  A longer message goes in pieces through a ring of bytes beside the slots; the slot of a piece says where it
 * lies.  The receiver counts the slots that it has taken in a word of its own segment.  It publishes this count once
 * for half a ring of slots, and whenever a slot asks for it.  Slots ask while more than half of the bytes beside are in
 * use.  No line is written by both ends.
 *
 *     63  58 57  52 51                       0
 *      lap    form   key (transport/key.h)
 *
 * The lap says in which round through the ring the slot was written, so a slot of the round before is no message.  It
 * begins with 1, because memory that was never written is zero.
 *
 * Everything here is memory and arithmetic; the caller makes the memory and knows the messages.
 */
#ifndef IRR_LANE_H
#define IRR_LANE_H

#include "irr.h"

#include <stdatomic.h>
#include <string.h>

#define IRR_LANE_SLOTS  8
#define IRR_LANE_SHORT  56                     /* bytes of a message that fits a slot */
#define IRR_LANE_PIECE  ((size_t)8 << 10)      /* most bytes of a piece */
#define IRR_LANE_BESIDE (4 * IRR_LANE_PIECE)   /* bytes of the ring beside the slots */

#define IRR_LANE_FORM_SHIFT 52
#define IRR_LANE_LAP_SHIFT  58

/*
 * The form of a slot: up to IRR_LANE_SHORT the length of a whole message, or one of these.  IRR_LANE_END: the rest of
 * the message that comes in pieces does not come.
 */
enum { IRR_LANE_FIRST = IRR_LANE_SHORT + 1, IRR_LANE_NEXT, IRR_LANE_SINGLE, IRR_LANE_END };

/* What a slot holds: a whole message, a piece of one, or where the receiver reads it (single copy). */
typedef struct irr_lane_slot {
    _Alignas(64) _Atomic uint64_t head;
    union {
        unsigned char bytes[IRR_LANE_SHORT];
        struct { uint64_t total, offset, length, hurry; } piece;
        struct { uint64_t total, address, token; } single;
    };
} irr_lane_slot_t;

_Static_assert(sizeof(irr_lane_slot_t) == 64, "a slot is a cache line");

static inline uint64_t irr_lane_key(uint64_t head)
{
    return head & ((UINT64_C(1) << IRR_LANE_FORM_SHIFT) - 1);
}

static inline unsigned irr_lane_form(uint64_t head)
{
    return head >> IRR_LANE_FORM_SHIFT & 63;
}

static inline uint64_t irr_lane_lap(uint32_t number)
{
    return (number / IRR_LANE_SLOTS + 1) % 64;
}

/* Copies what fits a slot: a call of memcpy takes longer than most of these messages.  The last word may overlap. */
static inline void irr_lane_copy(unsigned char *to, const unsigned char *from, size_t bytes)
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

/* A number of a slot, which its sender may change at any time: whoever checks it reads it once. */
static inline uint64_t irr_lane_read(const uint64_t *number)
{
    return *(const volatile uint64_t *)number;
}

/* ---- the sender's end ---- */

typedef struct irr_lane_out {
    irr_lane_slot_t        *slots;      /* NULL: not open */
    uint32_t                sent, taken;   /* slots */
    uint64_t                head, tail;   /* bytes beside: handed out and free again so far, with those that are left
                                             out at the end of the ring */
    uint64_t                end[IRR_LANE_SLOTS];   /* of the bytes beside in use, behind each slot */
    unsigned char          *beside;     /* NULL: none yet */
    const _Atomic uint32_t *taken_there;   /* what the receiver publishes; NULL: not found yet */
} irr_lane_out_t;

/* Reads what the receiver has published. */
void irr_lane_look_back(irr_lane_out_t *out);

/* The slot that is next, or NULL: as far as this end knows, the ring is full. */
static inline irr_lane_slot_t *irr_lane_next_known(const irr_lane_out_t *out)
{
    return out->sent - out->taken < IRR_LANE_SLOTS ? &out->slots[out->sent % IRR_LANE_SLOTS] : NULL;
}

/* The slot that is next, or NULL: the ring is full. */
static inline irr_lane_slot_t *irr_lane_next(irr_lane_out_t *out)
{
    if (out->sent - out->taken == IRR_LANE_SLOTS) {
        irr_lane_look_back(out);
    }
    return irr_lane_next_known(out);
}

/* Room for a piece beside the slots, for the slot that is next; NULL: there is none now. */
unsigned char *irr_lane_room(irr_lane_out_t *out, size_t bytes);

/* Are the bytes beside running short, so that the receiver must publish its count at once? */
static inline bool irr_lane_hurries(const irr_lane_out_t *out)
{
    return out->head - out->tail > IRR_LANE_BESIDE / 2;
}

/* The header of the slot that is next. */
static inline uint64_t irr_lane_header(const irr_lane_out_t *out, uint64_t key, uint64_t form)
{
    return irr_lane_lap(out->sent) << IRR_LANE_LAP_SHIFT | form << IRR_LANE_FORM_SHIFT | key;
}

/* The slot that is next is written, but for its header; the receiver may look. */
static inline void irr_lane_put(irr_lane_out_t *out, irr_lane_slot_t *slot, uint64_t header)
{
    out->end[out->sent++ % IRR_LANE_SLOTS] = out->head;
    atomic_store_explicit(&slot->head, header, memory_order_release);
}

/* ---- the receiver's end ---- */

typedef struct irr_lane_in {
    const irr_lane_slot_t *slots;     /* NULL: the sender has none, or they were not found yet */
    const irr_lane_slot_t *next;      /* the one that is looked at, */
    uint64_t               lap;       /* and what its header begins with once it is written */
    const unsigned char   *beside;
    _Atomic uint32_t      *taken_here;   /* published */
    uint32_t               taken;
} irr_lane_in_t;

/* The slot that is next is known by the number of those that were taken. */
static inline void irr_lane_turn(irr_lane_in_t *in)
{
    in->next = &in->slots[in->taken % IRR_LANE_SLOTS];
    in->lap = irr_lane_lap(in->taken) << IRR_LANE_LAP_SHIFT;
}

/* The header of the slot that is next, whether it is written or not. */
static inline uint64_t irr_lane_head(const irr_lane_in_t *in)
{
    return atomic_load_explicit(&in->next->head, memory_order_acquire);
}

/* Is the slot that is next written, as its header says? */
static inline bool irr_lane_came(const irr_lane_in_t *in, uint64_t head)
{
    return (head ^ in->lap) >> IRR_LANE_LAP_SHIFT == 0;
}

/*
 * The length of a whole message with this key in the slot that is next; more than IRR_LANE_SHORT: its header says that
 * there is none, or another message.
 */
static inline uint64_t irr_lane_whole(const irr_lane_in_t *in, uint64_t head, uint64_t key)
{
    const uint64_t form = head ^ (in->lap | key);   /* all that is not as expected */

    return form >> IRR_LANE_FORM_SHIFT | form << (64 - IRR_LANE_FORM_SHIFT);
}

/* The slot that is next will be looked at soon.  So the cache lines of several senders come at the same time. */
static inline void irr_lane_expect(const irr_lane_in_t *in)
{
    __builtin_prefetch(in->next);
}

/* The slot that was looked at may be written again, and what lies beside it.  True: the sender can see it. */
static inline bool irr_lane_take(irr_lane_in_t *in, bool hurry)
{
    in->next++;
    if (++in->taken % (IRR_LANE_SLOTS / 2) != 0 && !hurry) {
        return false;
    }
    irr_lane_turn(in);   /* the ring may be at its end */
    atomic_store_explicit(in->taken_here, in->taken, memory_order_release);
    return true;
}

#endif
