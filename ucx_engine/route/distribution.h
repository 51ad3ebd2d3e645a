/*
 * distribution.h - distributes the slices that a rank holds to the slots of a stage.
 */
#ifndef IRR_DISTRIBUTION_H
#define IRR_DISTRIBUTION_H

#include "plan/slice.h"
#include "route/stages.h"

#include <stdint.h>

/* A slice and its place on the rank that holds it. */
typedef struct irr_item {
    irr_slice_t slice;
    uintptr_t   place;   /* of its first byte: an address or an offset, as the owner of the item defines */
    size_t      owner;   /* copied to the items into which the item is cut */
} irr_item_t;

/* A growing list of items. */
typedef struct irr_items {
    irr_item_t *array;
    size_t      count, max;
} irr_items_t;

void         irr_items_fini(irr_items_t *items);
irr_status_t irr_items_add(irr_items_t *items, irr_item_t item);

/* Lists by slot, which the next stage reuses.  Zeroed: empty. */
typedef struct irr_distribute {
    irr_items_t *slots;
    size_t       count, max;
    size_t      *cuts;
    size_t       cuts_max;
} irr_distribution_t;

void irr_distribution_fini(irr_distribution_t *distribution);

/*
 * Distributes held, which is empty afterwards: distribution->slots[i] gets the items for slot i, sorted by destination,
 * source and offset.  A stage that spreads cuts slices of at least slice_min bytes.  The result depends on the slices
 * alone, not on their order.  On IRR_ERR_NO_MEMORY, both are undefined but can be freed.
 */
irr_status_t irr_distribute(irr_distribution_t *distribution, const irr_stage_t *stage, size_t slice_min,
                            irr_items_t *held);

#endif
