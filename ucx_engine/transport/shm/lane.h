/*
 * lane.h - a lane: one direction between two processes of a node, as a ring of slots that the sender writes and the
 * receiver reads.
 *
 * A slot is one cache line: a header of eight bytes and up to 56 bytes of a message. The sender writes the header last,
 * with release order. The receiver checks only the header of the next slot. A short message therefore moves one cache
 * line. A longer message travels in pieces. A second ring, the bytes beside the slots, has the pieces; the slot of a
 * piece has the position of the piece in this ring. The receiver counts the slots that it has taken, and publishes the
 * count in its own segment. It publishes the count whenever it has taken half a ring of slots, and also if a slot
 * requests the count. A slot requests the count if more than half of the bytes beside are in use. No cache line is
 * written by both ends.
 *
 *     63  58 57  52 51     32 31     16 15     0
 *      lap    form     zero    channel    tag
 *
 * Channel and tag are the key of a message. The key does not name the sender, because a lane has one sender.
 *
 * The lap is the number of the round through the ring. The lap distinguishes a new message from a slot of the previous
 * round. Laps begin with 1, because memory that was never written is zero.
 *
 * The functions only access memory. The caller allocates the memory and interprets the messages.
 */
#ifndef IRR_LANE_H
#define IRR_LANE_H

#include "irr.h"

#include <stdatomic.h>
#include <string.h>

#define IRR_LANE_SLOTS  8
#define IRR_LANE_SHORT  56                     /* longest message that fits into a slot, in bytes */
#define IRR_LANE_PIECE  ((size_t)8 << 10)      /* longest piece, in bytes */
#define IRR_LANE_BESIDE (4 * IRR_LANE_PIECE)   /* length of the ring beside the slots, in bytes */

#define IRR_LANE_FORM_SHIFT 52
#define IRR_LANE_LAP_SHIFT  58

/*
 * The form of a slot is the length of a whole message, up to IRR_LANE_SHORT, or one of these values. FIRST: the first
 * piece of a message. NEXT: a later piece. SINGLE: a message by single copy. END: the remaining pieces of a message
 * will not arrive.
 */
enum { IRR_LANE_FIRST = IRR_LANE_SHORT + 1, IRR_LANE_NEXT, IRR_LANE_SINGLE, IRR_LANE_END };

/*
 * A slot holds a whole message, the position of a piece, or the address of a message in its sender's memory (single
 * copy).
 */
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
    return head & UINT32_MAX;
}

static inline unsigned irr_lane_form(uint64_t head)
{
    return head >> IRR_LANE_FORM_SHIFT & 63;
}

static inline uint64_t irr_lane_lap(uint32_t number)
{
    return (number / IRR_LANE_SLOTS + 1) % 64;
}

/*
 * Copies up to IRR_LANE_SHORT bytes, because memcpy takes longer for most messages. The last word may overlap the
 * previous word.
 */
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

/* Reads a number of a slot exactly once, because the sender may change it between a check and its use. */
static inline uint64_t irr_lane_read(const uint64_t *number)
{
    return *(const volatile uint64_t *)number;
}

/* ---- the sender's end ---- */

typedef struct irr_lane_out {
    irr_lane_slot_t        *slots;      /* NULL: not open */
    uint32_t                sent, taken;   /* number of slots that were sent, and that are known to be taken */
    uint64_t                head, tail;   /* positions in the bytes beside: end of the allocated bytes, and end of the
                                             released bytes; they count the bytes of all rounds, including gaps at the
                                             end of the ring */
    uint64_t                end[IRR_LANE_SLOTS];   /* by slot: value of `head` when the slot was sent */
    unsigned char          *beside;     /* NULL: not allocated */
    const _Atomic uint32_t *taken_there;   /* count that the receiver publishes; NULL: not found yet */
} irr_lane_out_t;

/*
 * Reads the count that the receiver has published. Ignores the count if it is not plausible. Returns true if the count
 * is new.
 */
static inline bool irr_lane_look_back(irr_lane_out_t *out)
{
    const uint32_t taken = out->taken_there != NULL ? atomic_load_explicit(out->taken_there, memory_order_acquire)
                                                    : out->taken;

    if (taken == out->taken || taken - out->taken > out->sent - out->taken) {
        return false;
    }
    out->taken = taken;
    out->tail = out->end[(taken - 1) % IRR_LANE_SLOTS];
    return true;
}

/* Returns the next slot, or NULL if the ring is full. */
static inline irr_lane_slot_t *irr_lane_next(irr_lane_out_t *out)
{
    const bool is_free = out->sent - out->taken < IRR_LANE_SLOTS || irr_lane_look_back(out);

    return is_free ? &out->slots[out->sent % IRR_LANE_SLOTS] : NULL;
}

/* Allocates `bytes` bytes beside the slots for the piece of the next slot. Returns NULL if there is no room now. */
unsigned char *irr_lane_room(irr_lane_out_t *out, size_t bytes);

/*
 * Returns true if more than half of the bytes beside are in use, so that the receiver must publish its count at once.
 */
static inline bool irr_lane_hurries(const irr_lane_out_t *out)
{
    return out->head - out->tail > IRR_LANE_BESIDE / 2;
}

/* Returns the header of the next slot. */
static inline uint64_t irr_lane_header(const irr_lane_out_t *out, uint64_t key, uint64_t form)
{
    return irr_lane_lap(out->sent) << IRR_LANE_LAP_SHIFT | form << IRR_LANE_FORM_SHIFT | key;
}

/* Sends the next slot. The caller must have written all of the slot except the header. */
static inline void irr_lane_put(irr_lane_out_t *out, irr_lane_slot_t *slot, uint64_t header)
{
    out->end[out->sent++ % IRR_LANE_SLOTS] = out->head;
    atomic_store_explicit(&slot->head, header, memory_order_release);
}

/* ---- the receiver's end ---- */

typedef struct irr_lane_in {
    const irr_lane_slot_t *slots;     /* NULL: the sender has no lane, or its lane has not been found yet */
    const irr_lane_slot_t *next;      /* next slot to check */
    uint64_t               lap;       /* the lap of the next slot, in the top bits */
    const unsigned char   *beside;
    _Atomic uint32_t      *taken_here;   /* count published to the sender */
    uint32_t               taken;
} irr_lane_in_t;

/* Finds the next slot from the number of slots taken. */
static inline void irr_lane_find_next(irr_lane_in_t *in)
{
    in->next = &in->slots[in->taken % IRR_LANE_SLOTS];
    in->lap = irr_lane_lap(in->taken) << IRR_LANE_LAP_SHIFT;
}

/* Returns the header of the next slot, even if the slot is not written yet. */
static inline uint64_t irr_lane_head(const irr_lane_in_t *in)
{
    return atomic_load_explicit(&in->next->head, memory_order_acquire);
}

/* Returns true if the header says that the next slot is written. */
static inline bool irr_lane_came(const irr_lane_in_t *in, uint64_t head)
{
    return (head ^ in->lap) >> IRR_LANE_LAP_SHIFT == 0;
}

/*
 * Returns the length of the whole message with this key in the next slot. Returns a number above IRR_LANE_SHORT if the
 * slot is not written, or has another form or key.
 */
static inline uint64_t irr_lane_whole(const irr_lane_in_t *in, uint64_t head, uint64_t key)
{
    const uint64_t form = head ^ (in->lap | key);   /* a bit is 1 where the header differs from the expected header */

    return form >> IRR_LANE_FORM_SHIFT | form << (64 - IRR_LANE_FORM_SHIFT);
}

/* Prefetches the next slot, so that the cache lines of several senders arrive in parallel. */
static inline void irr_lane_expect(const irr_lane_in_t *in)
{
    __builtin_prefetch(in->next);
}

/*
 * Releases the next slot and the bytes beside of its piece. hurry: the slot requests a published count. Returns true if
 * the count was published.
 */
static inline bool irr_lane_take(irr_lane_in_t *in, bool hurry)
{
    in->next++;
    if (++in->taken % (IRR_LANE_SLOTS / 2) != 0 && !hurry) {
        return false;
    }
    irr_lane_find_next(in);   /* the ring may be at its end */
    atomic_store_explicit(in->taken_here, in->taken, memory_order_release);
    return true;
}

#endif
