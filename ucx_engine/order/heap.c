/*
 * heap.c - see heap.h.
 */
#include "order/heap.h"

static void swap(irr_message_t *a, irr_message_t *b)
{
    irr_message_t kept = *a;

    *a = *b;
    *b = kept;
}

static void sink(irr_message_t *heap, int n, int at)
{
    for (int child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && heap[child + 1].length > heap[child].length;
        if (heap[at].length >= heap[child].length) {
            return;
        }
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

void irr_heap_build(irr_message_t *heap, int n)
{
    for (int at = n / 2 - 1; at >= 0; at--) {
        sink(heap, n, at);
    }
}

void irr_heap_extract(irr_message_t *heap, int n)
{
    swap(&heap[0], &heap[n - 1]);
    sink(heap, n - 1, 0);
}

void irr_heap_insert(irr_message_t *heap, int n)
{
    for (int at = n; at > 0 && heap[(at - 1) / 2].length < heap[at].length; at = (at - 1) / 2) {
        swap(&heap[at], &heap[(at - 1) / 2]);
    }
}
