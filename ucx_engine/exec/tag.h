/*
 * tag.h - the tag of a message on a channel: 14 bits.
 *
 *     13       6 5   4 3    0
 *     sequence   kind  stage
 *
 * The sequence numbers the exchanges of a channel. The sequence wraps, which is harmless for expected messages:
 * messages of one sender with one tag stay in order, and all ranks start the exchanges of a communicator in the same
 * order. A message is unexpected if no receive is ever posted for it, because the counts of the program disagree. An
 * unexpected message must be discarded before its tag is used again (comm/unexpected.h). More bits would cost time: UCX
 * looks up receives in a hash table indexed by tag. With tags of 22 bits the lists of this table did not stay in the
 * processor's cache, and two ranks that exchanged messages of 2 KiB were a tenth slower.
 */
#ifndef IRR_TAG_H
#define IRR_TAG_H

#include <stdbool.h>
#include <stdint.h>

#define IRR_TAG_STAGE_BITS    4
#define IRR_TAG_KIND_BITS     2
#define IRR_TAG_SEQUENCE_BITS 8

#define IRR_TAG_KIND_SHIFT     IRR_TAG_STAGE_BITS
#define IRR_TAG_SEQUENCE_SHIFT (IRR_TAG_KIND_SHIFT + IRR_TAG_KIND_BITS)
#define IRR_TAG_BITS           (IRR_TAG_SEQUENCE_SHIFT + IRR_TAG_SEQUENCE_BITS)

#define IRR_TAG_FULL_MASK  UINT16_MAX
#define IRR_TAG_STAGES_MAX ((1 << IRR_TAG_STAGE_BITS) - 1)  /* stages count from 1; a notice has stage 0 */
#define IRR_TAG_SEQUENCES  (UINT32_C(1) << IRR_TAG_SEQUENCE_BITS)
#define IRR_TAG_HALF       (IRR_TAG_SEQUENCES / 2)   /* half of the number of sequences (comm/unexpected.h) */

/* A message of one of the first two kinds is the first message of a sender in a stage. */
typedef enum irr_tag_kind {
    IRR_TAG_DATA,    /* bytes whose layout both ends know */
    IRR_TAG_HEADER,  /* a description of data, and short data behind it */
    IRR_TAG_BODY,    /* bytes that a HEADER describes, in a separate message */
    IRR_TAG_SYNC     /* a message of an agreement, a barrier or a signal, or a notice */
} irr_tag_kind_t;

/* Returns the bits of the tag that all messages of an exchange share. */
static inline uint16_t irr_tag_base(uint32_t sequence)
{
    return (uint16_t)((sequence & (IRR_TAG_SEQUENCES - 1)) << IRR_TAG_SEQUENCE_SHIFT);
}

static inline uint16_t irr_tag(uint16_t base, irr_tag_kind_t kind, int stage)
{
    return (uint16_t)(base | (unsigned)kind << IRR_TAG_KIND_SHIFT | (unsigned)stage);
}

static inline irr_tag_kind_t irr_tag_kind(uint16_t tag)
{
    return (irr_tag_kind_t)(tag >> IRR_TAG_KIND_SHIFT & ((1u << IRR_TAG_KIND_BITS) - 1));
}

/*
 * Returns true if the message carries only user data. Returns false for a HEADER and for messages of the engine itself.
 */
static inline bool irr_tag_is_data(uint16_t tag)
{
    return irr_tag_kind(tag) == IRR_TAG_DATA || irr_tag_kind(tag) == IRR_TAG_BODY;
}

static inline int irr_tag_stage(uint16_t tag)
{
    return tag & IRR_TAG_STAGES_MAX;
}

/*
 * Returns the mask that selects the kind, and the sequence except its low_bits lowest bits. `discard` (transport.h)
 * uses the mask.
 */
static inline uint16_t irr_tag_sequence_mask(int low_bits)
{
    unsigned kinds = (1u << IRR_TAG_KIND_BITS) - 1;

    return (uint16_t)(~((1u << (IRR_TAG_SEQUENCE_SHIFT + low_bits)) - 1) | kinds << IRR_TAG_KIND_SHIFT);
}

#endif
