/*
 * alloc.h - the engine's memory; see irr_allocator_set in irr.h.
 */
#ifndef IRR_ALLOC_H
#define IRR_ALLOC_H

#include "irr.h"

/*
 * Returns an uninitialised array, which irr_free frees, or NULL on failure and on overflow.  A count of 0 gives memory
 * that can be freed.
 */
void *irr_alloc(size_t count, size_t size);

/* Returns a zeroed array, otherwise as irr_alloc. */
void *irr_alloc_zero(size_t count, size_t size);

/* Resizes an array of irr_alloc.  Returns NULL on failure, and the old array stays as it is. */
void *irr_resize(void *memory, size_t count, size_t size);

/*
 * Grows the array of *pointer, which has room for *max elements of `size` bytes, to at least `wanted` elements.  Growth
 * at least doubles the room, so appending is amortised.  IRR_ERR_NO_MEMORY leaves array and room as they are.
 */
irr_status_t irr_grow(void *pointer, size_t *max, size_t wanted, size_t size);

/*
 * Replaces the array of *pointer, of *max bytes, by one of `wanted` bytes if it is shorter; its contents are lost then.
 * IRR_ERR_NO_MEMORY: the array is freed, and *max is 0.
 */
irr_status_t irr_renew(void *pointer, size_t *max, size_t wanted);

#define IRR_GROW(array, max, wanted) irr_grow(&(array), &(max), wanted, sizeof(*(array)))

void irr_free(void *memory);

/* One of several arrays that are allocated and freed together. */
typedef struct irr_array {
    void  *pointer;   /* address of the pointer to set */
    size_t count, size;
} irr_array_t;

#define IRR_ARRAY(pointer, count) { &(pointer), count, sizeof(*(pointer)) }

/*
 * Allocates zeroed arrays in one piece of memory; irr_free of the first one frees all.  IRR_ERR_NO_MEMORY, also on
 * overflow: no pointer is set.
 */
irr_status_t irr_alloc_arrays(const irr_array_t *arrays, size_t count);

/* Calls irr_alloc_arrays for a C array of irr_array_t. */
#define IRR_ALLOC_ARRAYS(arrays) irr_alloc_arrays(arrays, sizeof(arrays) / sizeof((arrays)[0]))

#endif
