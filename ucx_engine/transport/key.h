/*
 * key.h - channel, tag and sender in one number of 64 bits, for transports that match such numbers.  Bit 39 and the
 * bits from 56 on are free for the transport.
 *
 *     bits 55 to 40   channel
 *     bits 38 to 24   tag (15 bits, see exec/tag.h)
 *     bits 23 to 0    rank of the sender
 *
 * The keys of a channel are the same in all its exchanges, except for the few bits of the tag that count exchanges.
 * Transports find keys in a hash table, and equal keys make lookups fast; exec/tag.h has a measurement.
 */
#ifndef IRR_KEY_H
#define IRR_KEY_H

#include "transport/transport.h"

#define IRR_KEY_TAG_SHIFT IRR_CHANNEL_RANK_BITS
#define IRR_KEY_ID_SHIFT  40

static inline uint64_t irr_key(uint32_t id, uint16_t tag, int from)
{
    return (uint64_t)id << IRR_KEY_ID_SHIFT | (uint64_t)tag << IRR_KEY_TAG_SHIFT | (uint64_t)from;
}

/*
 * Returns the mask of a key that selects the channel and the bits of the tag that are set in `mask`. The returned mask
 * does not select a sender.
 */
static inline uint64_t irr_key_mask(uint16_t mask)
{
    return ~((UINT64_C(1) << IRR_KEY_ID_SHIFT) - 1) | (uint64_t)mask << IRR_KEY_TAG_SHIFT;
}

#endif
