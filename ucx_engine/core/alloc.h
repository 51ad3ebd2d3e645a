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
 * Makes room for at least `wanted` elements in an array that has room for *max: at least twice the room if it
 * grows, so that appending is amortised.  IRR_ERR_NO_MEMORY leaves array and room as they are.
 */
irr_status_t irr_grow(void **array, size_t *max, size_t wanted, size_t size);

void irr_free(void *memory);

#endif
