/* slice.h - a slice: a range of the message from one rank to another that a route moves separately from the rest. */
#ifndef IRR_SLICE_H
#define IRR_SLICE_H

#include <stddef.h>

/*
 * Bytes [offset, offset + length) of the message from source to destination.  The structure must have no padding,
 * because slices are compared with memcmp.
 */
typedef struct irr_slice {
    int    source;
    int    destination;
    size_t offset;
    size_t length;
} irr_slice_t;

_Static_assert(sizeof(irr_slice_t) == 2 * sizeof(int) + 2 * sizeof(size_t), "slices are compared as memory");

#endif
