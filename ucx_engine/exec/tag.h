/*
 * tag.h - the tag of a message: 48 bits, because that is what the narrowest transport matches.
 *
 *     47          32 31      26 25  24 23   20 19             0
 *     communicator   sequence   kind   stage   rank of the sender
 *
 * Communicator ids are agreed by the members, so no two communicators that share a process have the same.
 * The sequence counts exchanges; that it wraps does no harm, because messages of one sender with one tag
 * stay in order and all ranks start the exchanges of a communicator in the same order.  Only a message that
 * no receive ever asked for, from a program whose counts disagree, could meet the receive of a later one.
 *
 * A probe for the leads of a stage leaves the sender and the lower bit of the kind open.  In such an exchange
 * every rank hears from its neighbours in each stage, so none is ahead by more than a few exchanges.
 */
#ifndef IRR_TAG_H
#define IRR_TAG_H

#include <stdint.h>

#define IRR_TAG_COMM_BITS     16
#define IRR_TAG_SEQUENCE_BITS 6
#define IRR_TAG_KIND_BITS     2
#define IRR_TAG_STAGE_BITS    4
#define IRR_TAG_RANK_BITS     20

#define IRR_TAG_STAGE_SHIFT    IRR_TAG_RANK_BITS
#define IRR_TAG_KIND_SHIFT     (IRR_TAG_STAGE_SHIFT + IRR_TAG_STAGE_BITS)
#define IRR_TAG_SEQUENCE_SHIFT (IRR_TAG_KIND_SHIFT + IRR_TAG_KIND_BITS)
#define IRR_TAG_COMM_SHIFT     (IRR_TAG_SEQUENCE_SHIFT + IRR_TAG_SEQUENCE_BITS)
#define IRR_TAG_BITS           (IRR_TAG_COMM_SHIFT + IRR_TAG_COMM_BITS)

#define IRR_TAG_STAGES_MAX ((1 << IRR_TAG_STAGE_BITS) - 1)  /* stages count from 1 */
#define IRR_TAG_RANKS_MAX  (1 << IRR_TAG_RANK_BITS)

/* The first two are leads: the first message of a sender in a stage. */
typedef enum irr_tag_kind {
    IRR_TAG_DATA,    /* bytes whose layout both ends know */
    IRR_TAG_HEADER,  /* a description, and small pieces behind it */
    IRR_TAG_PART,    /* one large piece that a header announced */
    IRR_TAG_SYNC     /* of a barrier, a consensus or a grant */
} irr_tag_kind_t;

/* The part of the tag that all messages of an exchange share. */
static inline uint64_t irr_tag_base(uint32_t comm, uint32_t sequence)
{
    return (uint64_t)comm << IRR_TAG_COMM_SHIFT |
           (uint64_t)(sequence & ((1u << IRR_TAG_SEQUENCE_BITS) - 1)) << IRR_TAG_SEQUENCE_SHIFT;
}

static inline uint64_t irr_tag(uint64_t base, irr_tag_kind_t kind, int stage, int sender)
{
    return base | (uint64_t)kind << IRR_TAG_KIND_SHIFT | (uint64_t)stage << IRR_TAG_STAGE_SHIFT | (uint64_t)sender;
}

/* What a probe for the leads of a stage compares. */
static inline uint64_t irr_tag_lead_mask(void)
{
    uint64_t all = (UINT64_C(1) << IRR_TAG_BITS) - 1, senders = (UINT64_C(1) << IRR_TAG_RANK_BITS) - 1;

    return all & ~senders & ~(UINT64_C(1) << IRR_TAG_KIND_SHIFT);
}

static inline irr_tag_kind_t irr_tag_kind(uint64_t tag)
{
    return (irr_tag_kind_t)(tag >> IRR_TAG_KIND_SHIFT & ((1u << IRR_TAG_KIND_BITS) - 1));
}

static inline int irr_tag_sender(uint64_t tag)
{
    return (int)(tag & ((1u << IRR_TAG_RANK_BITS) - 1));
}

#endif
