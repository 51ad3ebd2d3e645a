/*
 * extents.h - allocates ranges of the scratch buffer, in which a rank stores slices that it forwards.  A slice is a
 * range of a block that travels separately.
 *
 * A range is allocated in the first hole (free range) that is long enough, otherwise at the end of the buffer.  A slice
 * is not divided among holes: sender and receiver must divide a message into the same pieces.  O(holes) time.
 */
#ifndef IRR_EXTENTS_H
#define IRR_EXTENTS_H

#include "irr.h"

typedef struct irr_hole {
    size_t offset, length;
} irr_hole_t;

/* Zeroed: no bytes are taken.  The buffer has no fixed length. */
typedef struct irr_extents {
    irr_hole_t *holes;   /* free ranges before `end`, from index `first` on, sorted by offset, never adjacent.  Between
                            irr_extents_free and irr_extents_settle: the ranges still in use */
    size_t      first, count, max;
    size_t      end;     /* bytes of the buffer that were ever in use */
} irr_extents_t;

void irr_extents_fini(irr_extents_t *extents);

/* Frees all ranges of the buffer; the list of holes keeps its memory. */
void irr_extents_reset(irr_extents_t *extents);

/* Allocates `length` bytes and returns their offset.  *used: true if some of the bytes may have been in use before. */
size_t irr_extents_take(irr_extents_t *extents, size_t length, bool *used);

/*
 * Free all ranges except those that the caller names.  The caller calls irr_extents_free, then irr_extents_keep for
 * each range that is still in use, in any order, and then irr_extents_settle.  O(n log n) for n ranges.
 * irr_extents_keep and irr_extents_settle may return IRR_ERR_NO_MEMORY.
 */
void         irr_extents_free(irr_extents_t *extents);
irr_status_t irr_extents_keep(irr_extents_t *extents, size_t offset, size_t length);
irr_status_t irr_extents_settle(irr_extents_t *extents);

#endif
