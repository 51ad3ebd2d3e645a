/* alloc.h - memory of the engine, from the allocator that irr_allocator_set (irr.h) has set; by default from malloc. */
#ifndef IRR_ALLOC_H
#define IRR_ALLOC_H

#include "irr.h"

/*
 * Returns an uninitialised array of `count` elements of `size` bytes, or NULL if memory is missing or the length
 * overflows. The caller frees the array with irr_free. An array of 0 elements is not NULL, and must be freed, too.
 */
void *irr_alloc(size_t count, size_t size);

/* Like irr_alloc, but the array is zeroed. */
void *irr_alloc_zero(size_t count, size_t size);

/* Like realloc, for an array from irr_alloc or NULL: on failure returns NULL, and the old array is unchanged. */
void *irr_resize(void *memory, size_t count, size_t size);

/*
 * Makes sure that an array has space for at least `wanted` elements of `size` bytes. pointer: address of the pointer to
 * the array. *max: number of elements for which the array has space. Each growth at least doubles the space, so
 * appending an element takes amortised O(1) time. After IRR_ERR_NO_MEMORY the array and *max are unchanged.
 */
irr_status_t irr_grow(void *pointer, size_t *max, size_t wanted, size_t size);

/*
 * Makes sure that an array has at least `wanted` bytes. *max is its length. A shorter array is freed and replaced by a
 * new array, so its contents are lost. After IRR_ERR_NO_MEMORY *pointer is NULL and *max is 0.
 */
irr_status_t irr_renew(void *pointer, size_t *max, size_t wanted);

/*
 * Reduces the space of an array to `count` elements, if it has more. With count 0 the array is freed and *pointer
 * becomes NULL, which cannot fail. After IRR_ERR_NO_MEMORY the array is unchanged.
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
 * Allocates all arrays of a list in one zeroed block of memory, and sets their pointers. irr_free of the first array
 * frees all arrays. Returns IRR_ERR_NO_MEMORY, and sets no pointer, if memory is missing or a length overflows.
 */
irr_status_t irr_alloc_arrays(const irr_array_t *arrays, size_t count);

/* Calls irr_alloc_arrays for a C array of irr_array_t. */
#define IRR_ALLOC_ARRAYS(arrays) irr_alloc_arrays(arrays, sizeof(arrays) / sizeof((arrays)[0]))

#endif
