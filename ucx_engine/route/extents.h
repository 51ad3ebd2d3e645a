/*
 * extents.h - which bytes of a buffer are free: places for slices in scratch.
 *
 * First fit among the holes, else at the end.  A place is never split, because
 * the pieces of a message must be the same at both ends.  O(holes) an operation.
 */
#ifndef IRR_EXTENTS_H
#define IRR_EXTENTS_H

#include "irr.h"

typedef struct irr_hole {
    size_t offset, length;
} irr_hole_t;

/* Zeroed is empty: nothing was ever taken, and the end of the buffer is open. */
typedef struct irr_extents {
    irr_hole_t *holes;   /* ascending, never touching */
    size_t      count, max;
    size_t      end;     /* most bytes that were taken at once, holes included */
} irr_extents_t;

void irr_extents_fini(irr_extents_t *extents);

/* All is free again; keeps the room. */
void irr_extents_reset(irr_extents_t *extents);

/* Where `length` bytes are free, which are taken then; *used: some of them may have been taken before. */
size_t irr_extents_take(irr_extents_t *extents, size_t length, bool *used);

/* Gives bytes back that were taken.  Fails with IRR_ERR_NO_MEMORY. */
irr_status_t irr_extents_give(irr_extents_t *extents, size_t offset, size_t length);

#endif
