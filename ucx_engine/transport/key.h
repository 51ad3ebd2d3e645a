/*
 * key.h - the key of a message: channel, tag and sender in one 64-bit number, by which network libraries match messages
 * with receives. Bit 39 and the bits 56 to 63 are not used.
 *
 *     bits 55 to 40   channel
 *     bits 38 to 24   tag; exec/tag.h uses 14 of the 15 bits
 *     bits 23 to 0    rank of the sender
 *
 * Within a channel the keys of successive exchanges differ only in a few bits of the tag, which count exchanges. A
 * network library looks up keys in a hash table; with few different keys the table stays in the cache (exec/tag.h).
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

/* Returns a mask that selects from a key the channel and the bits `mask` of the tag, but not the sender. */
static inline uint64_t irr_key_mask(uint16_t mask)
{
    return ~((UINT64_C(1) << IRR_KEY_ID_SHIFT) - 1) | (uint64_t)mask << IRR_KEY_TAG_SHIFT;
}

#endif
