/*
 * alloc.h - the engine's memory; see irr_allocator_set in irr.h.
 */
#ifndef IRR_ALLOC_H
#define IRR_ALLOC_H

#include "irr.h"

/* Uninitialised array; NULL on failure and on overflow.  A count of 0 gives memory that can be freed. */
void *irr_alloc(size_t count, size_t size);

/* The same, zeroed. */
void *irr_alloc_zero(size_t count, size_t size);

/* Resizes an array of irr_alloc; NULL leaves the old one as it is. */
void *irr_resize(void *memory, size_t count, size_t size);

/*
 * Makes room for at least `wanted` elements in the array of a pointer, which has room for *max: at least twice the room
 * if it grows, so that appending is amortised.  IRR_ERR_NO_MEMORY leaves array and room as they are.
 */
irr_status_t irr_grow(void *pointer, size_t *max, size_t wanted, size_t size);

/*
 * Makes an array of bytes, of *max, so many long, unless it is; what was there is lost.  IRR_ERR_NO_MEMORY: there is
 * none, and *max is 0.
 */
irr_status_t irr_renew(void *pointer, size_t *max, size_t wanted);

#define IRR_GROW(array, max, wanted) irr_grow(&(array), &(max), wanted, sizeof(*(array)))

void irr_free(void *memory);

/* One of several arrays that are made and freed together. */
typedef struct irr_array {
    void  *pointer;   /* where its address goes, a pointer */
    size_t count, size;
} irr_array_t;

#define IRR_ARRAY(pointer, count) { &(pointer), count, sizeof(*(pointer)) }

/*
 * Makes arrays in one piece of memory, zeroed; irr_free of the first one frees all.  IRR_ERR_NO_MEMORY, also on
 * overflow: no pointer is set.
 */
irr_status_t irr_alloc_arrays(const irr_array_t *arrays, size_t count);

/* The same with an array of them. */
#define IRR_ALLOC_ARRAYS(arrays) irr_alloc_arrays(arrays, sizeof(arrays) / sizeof((arrays)[0]))

#endif
