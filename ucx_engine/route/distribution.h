/*
 * distribution.h - assigns the slices that a rank holds to the slots of a stage.  A slice is a range of a block that
 * travels separately.  In a stage, a rank has a slot for each rank to which it may send, and one slot for itself.
 */
#ifndef IRR_DISTRIBUTION_H
#define IRR_DISTRIBUTION_H

#include "plan/slice.h"
#include "route/stages.h"

#include <stdint.h>

/* A slice, and where the rank that holds it stores it. */
typedef struct irr_item {
    irr_slice_t slice;
    uintptr_t   at;      /* address or offset of its first byte, as the caller defines */
    size_t      owner;   /* any value of the caller; if the item is divided, all parts keep it */
} irr_item_t;

/* A growing list of items. */
typedef struct irr_items {
    irr_item_t *array;
    size_t      count, max;
} irr_items_t;

void         irr_items_fini(irr_items_t *items);
irr_status_t irr_items_add(irr_items_t *items, irr_item_t item);

/* A list of items for each slot; the next stage reuses its memory.  Zeroed: empty. */
typedef struct irr_distribute {
    irr_items_t *slots;
    size_t       count, max;
    size_t      *cuts;
    size_t       cuts_max;
} irr_distribution_t;

void irr_distribution_fini(irr_distribution_t *distribution);

/*
 * Moves each item of *held to the list of its slot, distribution->slots[i].  A list is sorted by destination, source
 * and offset.  If the stage spreads (grid.h), items are divided into slices of at least slice_min bytes.  The result
 * does not depend on the order of the items in *held.  After IRR_ERR_NO_MEMORY the contents of both lists are
 * undefined, but can be freed.
 */
irr_status_t irr_distribute(irr_distribution_t *distribution, const irr_stage_t *stage, size_t slice_min,
                            irr_items_t *held);

#endif
