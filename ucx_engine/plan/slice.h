/*
 * slice.h - a slice: the unit that a route moves.
 */
#ifndef IRR_SLICE_H
#define IRR_SLICE_H

#include <stddef.h>

/* A byte range of the message from source to destination.  No padding: slices are compared as memory. */
typedef struct irr_slice {
    int    source;
    int    destination;
    size_t offset;
    size_t length;
} irr_slice_t;

_Static_assert(sizeof(irr_slice_t) == 2 * sizeof(int) + 2 * sizeof(size_t), "slices are compared as memory");

#endif
