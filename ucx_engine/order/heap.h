/*
 * heap.h - what is left of a row of messages as a heap, longest on top; in place.
 *
 * Extraction leaves the message behind the heap, so those that a step tries in vain need no memory.  O(log n)
 * each.
 */
#ifndef IRR_HEAP_H
#define IRR_HEAP_H

#include "order/messages.h"

/* Makes a heap of n messages, O(n). */
void irr_heap_build(irr_message_t *heap, int n);

/* Moves the longest of n messages to heap[n - 1]; the others stay a heap. */
void irr_heap_extract(irr_message_t *heap, int n);

/* Adds heap[n] to the heap of n messages before it. */
void irr_heap_insert(irr_message_t *heap, int n);

#endif
