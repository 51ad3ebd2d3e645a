/*
 * tag.h - the tag of a message: 14 bits.
 *
 *     13       6 5   4 3    0
 *     sequence   kind  stage
 *
 * sequence: the number of the exchange on its communicator. The number wraps around after 256 exchanges. Messages with
 * the same tag from the same sender arrive in the order of their exchanges, which is the same on all ranks, so each
 * matches its receive. The exception is a message without a receive, because the program passes counts that contradict
 * each other. It must be discarded before its tag is used again (comm/unexpected.h).
 *
 * kind: see irr_tag_kind_t. stage: if messages are forwarded in stages, the number of the stage, from 1.
 *
 * More bits would cost time: UCX has a hash table of receives, indexed by tag. With tags of 22 bits the table did not
 * stay in the processor's cache, and two ranks that exchanged messages of 2 KiB took a tenth more time.
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

#define IRR_TAG_FULL_MASK  UINT16_MAX
#define IRR_TAG_STAGES_MAX ((1 << IRR_TAG_STAGE_BITS) - 1)  /* stage 0: a notice of comm/failure.h */
#define IRR_TAG_SEQUENCES  (UINT32_C(1) << IRR_TAG_SEQUENCE_BITS)
#define IRR_TAG_HALF       (IRR_TAG_SEQUENCES / 2)   /* see Epochs in comm/unexpected.h */

/* The first message of a sender in a stage has one of the first two kinds. */
typedef enum irr_tag_kind {
    IRR_TAG_DATA,    /* bytes whose layout both ends know */
    IRR_TAG_HEADER,  /* a description of data (exec/header.h), and the data if it is short */
    IRR_TAG_BODY,    /* bytes that a HEADER describes, in a separate message */
    IRR_TAG_SYNC     /* messages of the engine itself: signals, all-reduces, barriers, notices */
} irr_tag_kind_t;

/* Returns the part of the tag that is the same for all messages of an exchange. */
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

/* Returns true if a message with this tag has only data of the user. */
static inline bool irr_tag_is_data(uint16_t tag)
{
    return irr_tag_kind(tag) == IRR_TAG_DATA || irr_tag_kind(tag) == IRR_TAG_BODY;
}

static inline int irr_tag_stage(uint16_t tag)
{
    return tag & IRR_TAG_STAGES_MAX;
}

/*
 * Returns the mask with which `discard` (transport/transport.h) compares the kind, and the sequence without its lowest
 * low_bits bits.
 */
static inline uint16_t irr_tag_sequence_mask(int low_bits)
{
    unsigned kinds = (1u << IRR_TAG_KIND_BITS) - 1;

    return (uint16_t)(~((1u << (IRR_TAG_SEQUENCE_SHIFT + low_bits)) - 1) | kinds << IRR_TAG_KIND_SHIFT);
}

#endif
