/*
 * tag.h - the tag of a message: 48 bits, because that is what the narrowest transport matches.
 *
 *     47          32 31      24 23   20 19             0
 *     communicator   sequence   stage   rank of the sender
 *
 * Communicator ids are agreed by the members, so no two communicators that share a process have the same.
 * The sequence counts exchanges; that it wraps does no harm, because messages of one sender with one tag
 * stay in order and all ranks start the exchanges of a communicator in the same order.  Only a message that
 * no receive ever asked for, from a program whose counts disagree, could meet the receive of a later one.
 */
#ifndef IRR_TAG_H
#define IRR_TAG_H

#include <stdint.h>

#define IRR_TAG_COMM_BITS     16
#define IRR_TAG_SEQUENCE_BITS 8
#define IRR_TAG_STAGE_BITS    4
#define IRR_TAG_RANK_BITS     20
#define IRR_TAG_BITS (IRR_TAG_COMM_BITS + IRR_TAG_SEQUENCE_BITS + IRR_TAG_STAGE_BITS + IRR_TAG_RANK_BITS)

#define IRR_TAG_STAGES_MAX ((1 << IRR_TAG_STAGE_BITS) - 1)  /* stages count from 1 */
#define IRR_TAG_RANKS_MAX  (1 << IRR_TAG_RANK_BITS)

/* The part of the tag that all messages of an exchange share. */
static inline uint64_t irr_tag_base(uint32_t comm, uint32_t sequence)
{
    return (uint64_t)comm << (IRR_TAG_SEQUENCE_BITS + IRR_TAG_STAGE_BITS + IRR_TAG_RANK_BITS) |
           (uint64_t)(sequence & ((1u << IRR_TAG_SEQUENCE_BITS) - 1)) << (IRR_TAG_STAGE_BITS + IRR_TAG_RANK_BITS);
}

static inline uint64_t irr_tag(uint64_t base, int stage, int sender)
{
    return base | (uint64_t)stage << IRR_TAG_RANK_BITS | (uint64_t)sender;
}

#endif
