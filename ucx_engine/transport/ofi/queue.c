/*
 * queue.c - queues of operations. A queue has all pending operations of one kind, peer and key, in order. Only receives
 * and sends of several fragments (fragment.c) are in queues.
 *
 * A queue is a linked list. A hash table by key has IRR_OFI_QUEUES lists; a list links the first operations of all its
 * queues. The first operation of a queue also points to the last one. No function of this file allocates memory.
 *
 * Cost: O(1) per operation, unless there are many more keys than lists.
 */
#include "transport/ofi/ofi.h"

/* Returns the key of an operation without the mark of later fragments. */
static uint64_t queue_key(const irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    return op->key & ~irr_ofi_fragment_bit(ofi);
}

/* Returns the index of an operation's list in the hash table. The product mixes rank, tag and channel of the key. */
static size_t list_of(const irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    return (size_t)((queue_key(ofi, op) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - IRR_OFI_QUEUES_LOG));
}

static bool is_same(const irr_ofi_t *ofi, const irr_ofi_op_t *a, const irr_ofi_op_t *b)
{
    return a->kind == b->kind && a->to == b->to && queue_key(ofi, a) == queue_key(ofi, b);
}

/* Returns the pointer to the first operation of the queue of `op`, or to the NULL at the end of the list. */
static irr_ofi_op_t **find(irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    irr_ofi_op_t **at = &ofi->queues[list_of(ofi, op)];

    while (*at != NULL && !is_same(ofi, *at, op)) {
        at = &(*at)->next_queue;
    }
    return at;
}

bool irr_ofi_queue_join(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_op_t **at = find(ofi, op), *first = *at;

    op->queued = true;
    op->behind = NULL;
    if (first == NULL) {
        op->ahead = NULL;
        op->last = op;
        op->next_queue = NULL;
        *at = op;
        return true;
    }
    op->ahead = first->last;
    op->ahead->behind = op;
    first->last = op;
    return false;
}

irr_ofi_op_t *irr_ofi_queue_leave(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_op_t **at, *behind = op->behind;

    if (!op->queued) {
        return NULL;
    }
    op->queued = false;
    at = find(ofi, op);
    if (op->ahead != NULL) {
        op->ahead->behind = behind;
        *(behind != NULL ? &behind->ahead : &(*at)->last) = op->ahead;
        return NULL;
    }
    if (behind != NULL) {
        behind->ahead = NULL;
        behind->last = op->last;
        behind->next_queue = op->next_queue;
    }
    *at = behind != NULL ? behind : op->next_queue;
    return behind;
}

bool irr_ofi_is_awaited(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore)
{
    for (size_t i = 0; i < IRR_OFI_QUEUES; i++) {
        for (const irr_ofi_op_t *op = ofi->queues[i]; op != NULL; op = op->next_queue) {
            if (op->kind == IRR_OFI_RECV && ((queue_key(ofi, op) ^ key) & ~ignore) == 0) {
                return true;
            }
        }
    }
    return false;
}
