/*
 * deal.h - one stage of one rank: what it holds is dealt out to the slots of the stage.
 */
#ifndef IRR_DEAL_H
#define IRR_DEAL_H

#include "plan/slice.h"
#include "route/stages.h"

#include <stdint.h>

/* A slice and where the rank that holds it has it. */
typedef struct irr_item {
    irr_slice_t slice;
    uintptr_t   place;   /* of its first byte: an address or an offset, as the owner of the item likes */
    size_t      owner;   /* goes with the item, and with the parts it is cut into */
} irr_item_t;

/* A growing list of items. */
typedef struct irr_items {
    irr_item_t *array;
    size_t      count, max;
} irr_items_t;

void         irr_items_fini(irr_items_t *items);
irr_status_t irr_items_add(irr_items_t *items, irr_item_t item);

/* Lists by slot, kept for the next stage.  Zeroed is empty. */
typedef struct irr_deal {
    irr_items_t *slots;
    size_t       count, max;
    size_t      *cuts;
    size_t       cuts_max;
} irr_deal_t;

void irr_deal_fini(irr_deal_t *deal);

/*
 * Deals out held, which is empty then: deal->slots[i] gets what goes to slot i, sorted by destination, source and
 * offset.  What a stage spreads is cut in slices of at least slice_min bytes.  The result depends on the slices
 * alone, not on their order.  On IRR_ERR_NO_MEMORY, both are undefined but can be finished.
 */
irr_status_t irr_deal(irr_deal_t *deal, const irr_stage_t *stage, size_t slice_min, irr_items_t *held);

#endif
