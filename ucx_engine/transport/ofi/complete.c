/*
 * complete.c - reads completions from libfabric, and calls `done` of the operations that have ended.
 *
 * The function discard() of channel.c reads completions of all operations, but must not call `done`. Ended operations
 * are therefore kept in a list, in order, until progress() calls their `done`.
 */
#include "transport/ofi/ofi.h"

#include "core/log.h"

#define BATCH 32   /* maximum number of completions that are read at a time */

/* Maximum number of batches per call: a call must return even if completions arrive faster than it handles them. */
#define BATCHES 4

static void append(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    op->next = NULL;
    *ofi->finished_last = op;
    ofi->finished_last = &op->next;
}

/*
 * Ends a receive, and returns its status: IRR_ERR_TRUNCATE if the message is longer than all pieces. libfabric compares
 * the message with the posted memory. This memory is shorter than the sum of the pieces if the last pieces have no
 * base. If no piece has a base, a receive posts irr_ofi_t.scrap, which can be longer.
 */
static irr_status_t end_receive(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status)
{
    irr_ofi_unlink(op);
    if (status == IRR_OK || (status == IRR_ERR_TRUNCATE && op->whole.base != NULL)) {
        status = op->bytes <= op->room ? IRR_OK : IRR_ERR_TRUNCATE;
    }
    if (status == IRR_OK && op->buffer != NULL) {
        irr_ofi_scatter(ofi, op, op->bytes);
    }
    return status;
}

void irr_ofi_finish(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status)
{
    if (irr_ofi_continue(ofi, op, &status)) {
        return;
    }
    op->status = status;
    switch (op->kind) {
    case IRR_OFI_RECV:
        op->status = end_receive(ofi, op, status);
        append(ofi, op);
        irr_ofi_start_next(ofi, op);
        break;
    case IRR_OFI_SINK:
        irr_ofi_discarded(ofi, op);
        irr_ofi_op_put(ofi, op);
        break;
    case IRR_OFI_SEND:
        irr_ofi_start_next(ofi, op);
        if (op->request != NULL) {
            append(ofi, op);
        } else {
            irr_ofi_op_put(ofi, op);
        }
        break;
    }
}

/*
 * Returns the length of a message that was longer than the posted memory. Depending on the provider, len is the length
 * of the message or of the memory, and olen is the length of the rest or 0. If the provider does not report the length
 * of the message, returns a length that no receive accepts; for fragment.c this is the length of a last fragment.
 */
static size_t length_of(const irr_ofi_t *ofi, const irr_ofi_op_t *op, const struct fi_cq_err_entry *entry)
{
    if (entry->olen > 0) {
        return op->posted + entry->olen;
    }
    if (entry->len > op->posted) {
        return entry->len;
    }
    return op->posted + (irr_ofi_is_followed(ofi, op->posted + 1) ? 2 : 1);
}

static void fail(irr_ofi_t *ofi)
{
    struct fi_cq_err_entry entry = { .op_context = NULL };
    irr_ofi_op_t *op;

    if (fi_cq_readerr(ofi->cq, &entry, 0) != 1) {
        return;
    }
    op = entry.op_context;
    if (op == NULL) {   /* a connection was lost; the operations of its peer will fail */
        irr_log(IRR_LOG_DEBUG, "libfabric: %s", ofi->library->strerror(entry.err));
        return;
    }
    op->bytes = length_of(ofi, op, &entry);
    irr_ofi_finish(ofi, op, irr_ofi_status(entry.err));
}

unsigned irr_ofi_collect(irr_ofi_t *ofi)
{
    struct fi_cq_tagged_entry entries[BATCH];
    unsigned count = 0;
    ssize_t got = BATCH;

    for (int i = 0; i < BATCHES && (got == BATCH || got == -FI_EAVAIL); i++) {
        got = fi_cq_read(ofi->cq, entries, BATCH);
        if (got == -FI_EAVAIL) {
            fail(ofi);
            count++;
        }
        for (ssize_t k = 0; k < got; k++, count++) {
            irr_ofi_op_t *op = entries[k].op_context;

            op->bytes = entries[k].len;
            irr_ofi_finish(ofi, op, IRR_OK);
        }
    }
    return count;
}

/* Calls `done` of the ended operations. `done` may start, cancel or end operations; the list stays valid. */
static void notify_owners(irr_ofi_t *ofi)
{
    while (ofi->finished != NULL) {
        irr_ofi_op_t *op = ofi->finished;
        irr_request_t *request = op->request;
        const irr_status_t status = op->status;

        ofi->finished = op->next;
        if (ofi->finished == NULL) {
            ofi->finished_last = &ofi->finished;
        }
        request->bytes = status == IRR_OK ? op->bytes : 0;
        irr_ofi_op_put(ofi, op);
        request->done(request, status);
    }
}

/* While no operation is pending, only every 16th call of progress polls libfabric, which may be a system call. */
#define IDLE_CALLS 16

unsigned irr_ofi_progress(irr_transport_t *transport)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);
    unsigned count = ofi->finished != NULL;

    if (ofi->live == 0 && ++ofi->idle_calls % IDLE_CALLS != 0) {
        return 0;
    }
    if (ofi->backlogs != NULL) {
        irr_ofi_retry(ofi);
    }
    count += irr_ofi_collect(ofi);
    notify_owners(ofi);
    return count;
}
