/*
 * alloc.h - the engine's memory; see irr_allocator_set in irr.h.
 */
#ifndef IRR_ALLOC_H
#define IRR_ALLOC_H

#include "irr.h"

/*
 * Returns an uninitialised array of `count` elements of `size` bytes, or NULL on failure and on overflow.  The caller
 * frees the array with irr_free, even if count is 0.
 */
void *irr_alloc(size_t count, size_t size);

/* Does the same as irr_alloc, and zeroes the array. */
void *irr_alloc_zero(size_t count, size_t size);

/* Resizes an array of irr_alloc and returns the new array.  On failure returns NULL, and the old array is unchanged. */
void *irr_resize(void *memory, size_t count, size_t size);

/*
 * Grows the array at *pointer from room for *max elements of `size` bytes to room for at least `wanted` elements.  Each
 * growth at least doubles the room, so appending an element takes amortised O(1) time.  After IRR_ERR_NO_MEMORY the
 * array and *max are unchanged.
 */
irr_status_t irr_grow(void *pointer, size_t *max, size_t wanted, size_t size);

/*
 * If *max, the length of the array at *pointer in bytes, is below `wanted`, replaces the array by a new array of
 * `wanted` bytes.  The old contents are lost.  After IRR_ERR_NO_MEMORY the old array is freed, *pointer is NULL and
 * *max is 0.
 */
irr_status_t irr_renew(void *pointer, size_t *max, size_t wanted);

/*
 * Shrinks the array at *pointer to room for at most `count` elements; 0: frees the array, which cannot fail.  After
 * IRR_ERR_NO_MEMORY the array is unchanged.
 */
irr_status_t irr_trim(void *pointer, size_t *max, size_t count, size_t size);

#define IRR_TRIM(array, max, count) irr_trim(&(array), &(max), count, sizeof(*(array)))
#define IRR_GROW(array, max, wanted) irr_grow(&(array), &(max), wanted, sizeof(*(array)))

void irr_free(void *memory);

/* One of several arrays that are allocated and freed together. */
typedef struct irr_array {
    void  *pointer;   /* address of the pointer to set */
    size_t count, size;
} irr_array_t;

#define IRR_ARRAY(pointer, count) { &(pointer), count, sizeof(*(pointer)) }

/*
 * Allocates zeroed arrays in one block of memory; irr_free of the first array frees all arrays.  Returns
 * IRR_ERR_NO_MEMORY and sets no pointer if there is no memory or a length overflows.
 */
irr_status_t irr_alloc_arrays(const irr_array_t *arrays, size_t count);

/* Calls irr_alloc_arrays for a C array of irr_array_t. */
#define IRR_ALLOC_ARRAYS(arrays) irr_alloc_arrays(arrays, sizeof(arrays) / sizeof((arrays)[0]))

#endif
