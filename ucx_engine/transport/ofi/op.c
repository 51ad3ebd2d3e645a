/*
 * op.c - memory of operations and of packed messages, from free lists.
 *
 * Operations are allocated in slabs of SLAB_OPS, which live as long as the transport. The length of a buffer for a
 * packed message is a power of two, unless it is above 4 MiB. Freed buffers of up to 4 MiB are kept for reuse, up to
 * KEPT_MAX bytes in total.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"

#define SLAB_OPS 64

/* Reserve for operations that end without action of other ranks. With it, a rank without memory reports its failure. */
#define OPS_KEPT 4
#define KEPT_MAX ((size_t)16 << 20)

struct irr_ofi_slab {
    struct irr_ofi_slab *next;
    irr_ofi_op_t         ops[SLAB_OPS];
};

/* Precedes a buffer in memory. The buffer is aligned, because sizeof(head_t) is a multiple of every alignment. */
typedef union head {
    struct {
        void  *next;    /* next free buffer */
        size_t log;     /* logarithm of the length; above IRR_OFI_BUFFER_LOG_MAX: too long to be kept */
    } of;
    char line[64];
} head_t;

static bool add_slab(irr_ofi_t *ofi)
{
    struct irr_ofi_slab *slab = irr_alloc_zero(1, sizeof(*slab));

    if (slab == NULL) {
        return false;
    }
    slab->next = ofi->slabs;
    ofi->slabs = slab;
    ofi->ops += SLAB_OPS;
    for (size_t i = 0; i < SLAB_OPS; i++) {
        slab->ops[i].next = ofi->free_ops;
        ofi->free_ops = &slab->ops[i];
    }
    return true;
}

irr_status_t irr_ofi_ops_reserve(irr_ofi_t *ofi, size_t count)
{
    while (ofi->ops < count + OPS_KEPT) {
        if (!add_slab(ofi)) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    return IRR_OK;
}

irr_ofi_op_t *irr_ofi_op_take(irr_ofi_t *ofi, irr_ofi_kind_t kind, bool ends, irr_request_t *request)
{
    irr_ofi_op_t *op;

    if (ofi->ops - ofi->live <= (ends ? 0 : OPS_KEPT) && !add_slab(ofi)) {
        return NULL;
    }
    op = ofi->free_ops;
    ofi->free_ops = op->next;
    *op = (irr_ofi_op_t){ .request = request, .kind = kind };
    ofi->sends += kind == IRR_OFI_SEND;
    ofi->recvs += kind == IRR_OFI_RECV;
    ofi->live++;
    return op;
}

void irr_ofi_op_put(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    ofi->sends -= op->kind == IRR_OFI_SEND;
    ofi->recvs -= op->kind == IRR_OFI_RECV;
    ofi->live--;
    if (op->buffer != NULL) {
        irr_ofi_buffer_put(ofi, op->buffer);
        op->buffer = NULL;
    }
    op->next = ofi->free_ops;
    ofi->free_ops = op;
}

/* Returns the logarithm of the length of a buffer for `bytes` bytes, or IRR_OFI_BUFFER_LOG_MAX + 1 above 4 MiB. */
static size_t log_of(size_t bytes)
{
    size_t log = IRR_OFI_BUFFER_LOG_MIN;

    while (log <= IRR_OFI_BUFFER_LOG_MAX && bytes > (size_t)1 << log) {
        log++;
    }
    return log;
}

void *irr_ofi_buffer_take(irr_ofi_t *ofi, size_t bytes)
{
    const size_t log = log_of(bytes), length = log <= IRR_OFI_BUFFER_LOG_MAX ? (size_t)1 << log : bytes;
    head_t *head;

    if (log <= IRR_OFI_BUFFER_LOG_MAX && ofi->free_buffers[log] != NULL) {
        head = ofi->free_buffers[log];
        ofi->free_buffers[log] = head->of.next;
        ofi->kept -= length;
        return head + 1;
    }
    head = length <= SIZE_MAX - sizeof(*head) ? irr_alloc(1, sizeof(*head) + length) : NULL;
    if (head == NULL) {
        return NULL;
    }
    head->of.log = log;
    return head + 1;
}

void irr_ofi_buffer_put(irr_ofi_t *ofi, void *buffer)
{
    head_t *head = (head_t *)buffer - 1;
    const size_t log = head->of.log;

    if (log > IRR_OFI_BUFFER_LOG_MAX || ofi->kept + ((size_t)1 << log) > KEPT_MAX) {
        irr_free(head);
        return;
    }
    head->of.next = ofi->free_buffers[log];
    ofi->free_buffers[log] = head;
    ofi->kept += (size_t)1 << log;
}

void irr_ofi_ops_free(irr_ofi_t *ofi)
{
    while (ofi->slabs != NULL) {
        struct irr_ofi_slab *slab = ofi->slabs;

        for (size_t i = 0; i < SLAB_OPS; i++) {   /* an operation that has not ended may have a buffer */
            if (slab->ops[i].buffer != NULL) {
                irr_ofi_buffer_put(ofi, slab->ops[i].buffer);
            }
        }
        ofi->slabs = slab->next;
        irr_free(slab);
    }
    for (size_t log = IRR_OFI_BUFFER_LOG_MIN; log <= IRR_OFI_BUFFER_LOG_MAX; log++) {
        while (ofi->free_buffers[log] != NULL) {
            head_t *head = ofi->free_buffers[log];

            ofi->free_buffers[log] = head->of.next;
            irr_free(head);
        }
    }
}
