/*
 * extents.h - the free bytes of a buffer: places for slices in scratch.
 *
 * First fit among the holes, otherwise at the end.  A slice is never split over two places, because the pieces of a
 * message must be the same at both ends.  O(holes) for an operation.
 */
#ifndef IRR_EXTENTS_H
#define IRR_EXTENTS_H

#include "irr.h"

typedef struct irr_hole {
    size_t offset, length;
} irr_hole_t;

/* Zeroed: nothing is taken.  The end of the buffer is open. */
typedef struct irr_extents {
    irr_hole_t *holes;   /* ascending, never adjacent */
    size_t      count, max;
    size_t      end;     /* most bytes taken at a time, including holes */
} irr_extents_t;

void irr_extents_fini(irr_extents_t *extents);

/* Frees all bytes, and keeps the memory of the list. */
void irr_extents_reset(irr_extents_t *extents);

/* Takes `length` bytes and returns their offset.  *used: some of the bytes may have been taken before. */
size_t irr_extents_take(irr_extents_t *extents, size_t length, bool *used);

/* Returns bytes that were taken.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_extents_give(irr_extents_t *extents, size_t offset, size_t length);

#endif
