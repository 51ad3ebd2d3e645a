/*
 * ids.h - which communicator ids this process uses.
 *
 * The ids are a bit set. Searches usually start at `next`, so that a freed id is not used again soon: late messages of
 * its communicator may still arrive.
 */
#ifndef IRR_IDS_H
#define IRR_IDS_H

#include "transport/transport.h"

#include <stdint.h>

#define IRR_IDS_COUNT (UINT32_C(1) << IRR_CHANNEL_ID_BITS)
#define IRR_IDS_NONE  IRR_IDS_COUNT

typedef struct irr_ids {
    uint64_t used[(1u << IRR_CHANNEL_ID_BITS) / 64];   /* bit i: id i is used */
    uint32_t next;   /* the id after the one that was marked as used last */
} irr_ids_t;

/* Returns the smallest free id that is at least `from`; IRR_IDS_NONE: there is none. */
uint32_t irr_ids_find(const irr_ids_t *ids, uint32_t from);

/* irr_ids_take marks an id as used; irr_ids_give marks it as free. */
void irr_ids_take(irr_ids_t *ids, uint32_t id);
void irr_ids_give(irr_ids_t *ids, uint32_t id);

#endif
