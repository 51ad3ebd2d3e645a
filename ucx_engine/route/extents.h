/*
 * extents.h - allocates ranges of the scratch buffer for slices.  A slice is a range of a block that a rank forwards.
 *
 * A range is allocated in the first hole that is long enough, otherwise at the end of the buffer.  A slice gets one
 * range, because the pieces of a message must be the same at both ends.  An allocation takes O(holes) time.
 */
#ifndef IRR_EXTENTS_H
#define IRR_EXTENTS_H

#include "irr.h"

typedef struct irr_hole {
    size_t offset, length;
} irr_hole_t;

/* Zeroed: no bytes are taken.  The buffer has no fixed length. */
typedef struct irr_extents {
    irr_hole_t *holes;   /* free ranges before `end`, from index `first` on, sorted by offset, never adjacent; between
                            irr_extents_free and irr_extents_settle the ranges that were kept */
    size_t      first, count, max;
    size_t      end;     /* length of the buffer that has been used, in bytes; never decreases */
} irr_extents_t;

void irr_extents_fini(irr_extents_t *extents);

/* Frees all ranges, and keeps the memory of the list of holes. */
void irr_extents_reset(irr_extents_t *extents);

/* Allocates `length` bytes and returns their offset.  *used: true if some of the bytes may have been in use before. */
size_t irr_extents_take(irr_extents_t *extents, size_t length, bool *used);

/*
 * Frees all bytes except those for which the caller then calls irr_extents_keep, in any order.  irr_extents_settle ends
 * the list.  O(n log n) for n ranges of bytes that are kept.  Both functions may return IRR_ERR_NO_MEMORY.
 */
void         irr_extents_free(irr_extents_t *extents);
irr_status_t irr_extents_keep(irr_extents_t *extents, size_t offset, size_t length);
irr_status_t irr_extents_settle(irr_extents_t *extents);

#endif
