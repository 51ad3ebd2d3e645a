/*
 * ids.h - which communicator ids this process uses.
 *
 * A clear bit is a free id.  Ids are looked for from the last one given on, so that one is not used again
 * soon after it was freed.
 */
#ifndef IRR_IDS_H
#define IRR_IDS_H

#include "transport/transport.h"

#include <stdint.h>

#define IRR_IDS_COUNT (UINT32_C(1) << IRR_CHANNEL_ID_BITS)
#define IRR_IDS_NONE  IRR_IDS_COUNT

typedef struct irr_ids {
    uint64_t used[(1u << IRR_CHANNEL_ID_BITS) / 64];
    uint32_t next;
} irr_ids_t;

/* The first free id that is not below `from`; IRR_IDS_NONE if there is none. */
uint32_t irr_ids_find(const irr_ids_t *ids, uint32_t from);

void irr_ids_take(irr_ids_t *ids, uint32_t id);
void irr_ids_give(irr_ids_t *ids, uint32_t id);

#endif
