/*
 * tag.h - the tag of a message: 50 bits.
 *
 *     49          34 33      26 25  24 23   20 19             0
 *     communicator   sequence   kind   stage   rank of the sender
 *
 * Communicator ids are agreed by the members, so no two communicators that share a process have the same.  The
 * sequence counts exchanges.  That it wraps does no harm to messages that are asked for: those of one sender with one
 * tag stay in order, and all ranks start the exchanges of a communicator in the same order.  A message that no
 * receive ever asked for, from a program whose counts disagree, must be gone before its tag comes again; comm/stray.h
 * says how.  More numbers would cost time: UCX finds a receive in a table by its tag, and with 22 bits the lists of
 * that table were never in the cache, which took a tenth off the speed of two ranks with messages of 2 KiB.
 *
 * A probe for the leads of a stage leaves the sender and the lower bit of the kind open.  In such an exchange
 * every rank hears from its neighbours in each stage, so none is ahead by more than a few exchanges.
 */
#ifndef IRR_TAG_H
#define IRR_TAG_H

#include <stdint.h>

#define IRR_TAG_COMM_BITS     16
#define IRR_TAG_SEQUENCE_BITS 8
#define IRR_TAG_KIND_BITS     2
#define IRR_TAG_STAGE_BITS    4
#define IRR_TAG_RANK_BITS     20

#define IRR_TAG_STAGE_SHIFT    IRR_TAG_RANK_BITS
#define IRR_TAG_KIND_SHIFT     (IRR_TAG_STAGE_SHIFT + IRR_TAG_STAGE_BITS)
#define IRR_TAG_SEQUENCE_SHIFT (IRR_TAG_KIND_SHIFT + IRR_TAG_KIND_BITS)
#define IRR_TAG_COMM_SHIFT     (IRR_TAG_SEQUENCE_SHIFT + IRR_TAG_SEQUENCE_BITS)
#define IRR_TAG_BITS           (IRR_TAG_COMM_SHIFT + IRR_TAG_COMM_BITS)

#define IRR_TAG_FULL_MASK  UINT64_MAX
#define IRR_TAG_STAGES_MAX ((1 << IRR_TAG_STAGE_BITS) - 1)  /* stages count from 1; a notice has stage 0 */
#define IRR_TAG_RANKS_MAX  (1 << IRR_TAG_RANK_BITS)
#define IRR_TAG_SEQUENCES  (UINT32_C(1) << IRR_TAG_SEQUENCE_BITS)

/* The first two are leads: the first message of a sender in a stage. */
typedef enum irr_tag_kind {
    IRR_TAG_DATA,    /* bytes whose layout both ends know */
    IRR_TAG_HEADER,  /* a description, and small pieces behind it */
    IRR_TAG_PART,    /* one large piece that a header announced */
    IRR_TAG_SYNC     /* of a barrier, a consensus or a grant; or a notice */
} irr_tag_kind_t;

/* The part of the tag that all messages of an exchange share. */
static inline uint64_t irr_tag_base(uint32_t comm, uint32_t sequence)
{
    return (uint64_t)comm << IRR_TAG_COMM_SHIFT |
           (uint64_t)(sequence & (IRR_TAG_SEQUENCES - 1)) << IRR_TAG_SEQUENCE_SHIFT;
}

static inline uint64_t irr_tag(uint64_t base, irr_tag_kind_t kind, int stage, int sender)
{
    return base | (uint64_t)kind << IRR_TAG_KIND_SHIFT | (uint64_t)stage << IRR_TAG_STAGE_SHIFT | (uint64_t)sender;
}

/* ---- what a probe compares ---- */

/* All messages of a communicator. */
static inline uint64_t irr_tag_comm_mask(void)
{
    return ~((UINT64_C(1) << IRR_TAG_COMM_SHIFT) - 1);
}

/* Those of one kind whose sequence has the same bits, but for so many of the lowest. */
static inline uint64_t irr_tag_sequence_mask(int low_bits)
{
    uint64_t kinds = (UINT64_C(1) << IRR_TAG_KIND_BITS) - 1;

    return ~((UINT64_C(1) << (IRR_TAG_SEQUENCE_SHIFT + low_bits)) - 1) | kinds << IRR_TAG_KIND_SHIFT;
}

/* Those of any sender. */
static inline uint64_t irr_tag_senders_mask(void)
{
    return ~((UINT64_C(1) << IRR_TAG_RANK_BITS) - 1);
}

/* The leads of a stage. */
static inline uint64_t irr_tag_lead_mask(void)
{
    return irr_tag_senders_mask() & ~(UINT64_C(1) << IRR_TAG_KIND_SHIFT);
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
