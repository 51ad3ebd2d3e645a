/*
 * segments.h - a list of ranges, which states the origin of each byte of a buffer or a message.
 *
 * The segments of a list are sorted and disjoint, and neighbours that continue each other are one segment.  Two lists
 * therefore describe the same bytes if and only if their segments are equal one by one.
 */
#ifndef IRR_SEGMENTS_H
#define IRR_SEGMENTS_H

#include "irr.h"

/*
 * The `length` bytes at `offset` are equal to the bytes at `at` of the origin.  The origin is the input of a rank, or
 * the message of a step.
 */
typedef struct irr_segment {
    ptrdiff_t offset;
    size_t    length;
    size_t    origin;
    ptrdiff_t at;
} irr_segment_t;

typedef struct irr_segments {
    irr_segment_t *items;
    size_t         count, max;
} irr_segments_t;

static inline ptrdiff_t irr_segment_end(const irr_segment_t *segment)
{
    return segment->offset + (ptrdiff_t)segment->length;
}

/* Frees a list; zeroed, it is empty. */
void irr_segments_fini(irr_segments_t *segments);

/* Removes all segments, and keeps the memory for new ones. */
void irr_segments_clear(irr_segments_t *segments);

/*
 * Replaces the segments of a list by those of another list, and frees unused memory of the list.  After
 * IRR_ERR_NO_MEMORY the list is unchanged.
 */
irr_status_t irr_segments_assign(irr_segments_t *segments, const irr_segments_t *from);

/* Offsets are between -IRR_SEGMENTS_LIMIT and IRR_SEGMENTS_LIMIT, so that no sum of two offsets overflows. */
#define IRR_SEGMENTS_LIMIT (PTRDIFF_MAX / 2)

/*
 * Sets the origin of a range, and replaces its old origin.  An empty range changes nothing.  After IRR_ERR_NO_MEMORY
 * the list is unchanged.
 */
irr_status_t irr_segments_put(irr_segments_t *segments, irr_segment_t segment);

/* Appends a segment, and neither sorts nor joins segments.  After IRR_ERR_NO_MEMORY the list is unchanged. */
irr_status_t irr_segments_add(irr_segments_t *segments, irr_segment_t segment);

/* Sorts the segments of a list by offset, after calls of irr_segments_add. */
void irr_segments_sort(irr_segments_t *segments);

/*
 * Adds sorted segments that share no byte with each other or with the list.  O(n) for n segments of the result.  After
 * IRR_ERR_NO_MEMORY the list is unchanged.
 */
irr_status_t irr_segments_merge(irr_segments_t *segments, const irr_segments_t *more);

/* Returns the index of the first segment that ends after offset, or segments->count. */
size_t irr_segments_find(const irr_segments_t *segments, ptrdiff_t offset);

/* Returns the first segment that shares a byte with a range, or NULL. */
const irr_segment_t *irr_segments_hit(const irr_segments_t *segments, ptrdiff_t offset, size_t length);

/* Returns true if the list has every byte of a range. */
bool irr_segments_cover(const irr_segments_t *segments, ptrdiff_t offset, size_t length);

/*
 * Sets the origins of a range of `to`, which begins at `position`, to those of a range of `from`.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_segments_copy(const irr_segments_t *from, ptrdiff_t offset, size_t length, irr_segments_t *to,
                               ptrdiff_t position);

#endif
