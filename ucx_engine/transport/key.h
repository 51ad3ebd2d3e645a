/*
 * key.h - a channel, a tag and a sender in one number of 64 bits, for transports that match such numbers.
 *
 *     51          36 34          20 19             0
 *     channel        tag            rank of the sender
 *
 * Ranks of a channel have the same keys in all its exchanges but for the few bits of the tag that count these.  That
 * matters where the numbers are found in a table; exec/tag.h tells how much.
 */
#ifndef IRR_KEY_H
#define IRR_KEY_H

#include "transport/transport.h"

#define IRR_KEY_TAG_SHIFT IRR_CHANNEL_RANK_BITS
#define IRR_KEY_ID_SHIFT  36

static inline uint64_t irr_key(uint32_t id, uint16_t tag, int from)
{
    return (uint64_t)id << IRR_KEY_ID_SHIFT | (uint64_t)tag << IRR_KEY_TAG_SHIFT | (uint64_t)from;
}

/* What counts of a key where a mask says so of the tag, and the sender does not. */
static inline uint64_t irr_key_mask(uint16_t mask)
{
    return ~((UINT64_C(1) << IRR_KEY_ID_SHIFT) - 1) | (uint64_t)mask << IRR_KEY_TAG_SHIFT;
}

#endif
