/*
 * ids.h - the communicator ids that this process uses.
 *
 * A clear bit marks a free id. A search starts behind the id that was taken last, so that a freed id is not reused
 * soon.
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

/* Returns the first free id not below `from`, or IRR_IDS_NONE. */
uint32_t irr_ids_find(const irr_ids_t *ids, uint32_t from);

/* irr_ids_take marks an id as used; irr_ids_give marks it as free. */
void irr_ids_take(irr_ids_t *ids, uint32_t id);
void irr_ids_give(irr_ids_t *ids, uint32_t id);

#endif
