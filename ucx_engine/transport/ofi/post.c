/*
 * post.c - passes operations to libfabric, which may refuse an operation temporarily (-FI_EAGAIN).
 *
 * A refused operation waits in a line. Each peer has a line for sends, and all receives share one line. Later
 * operations of a line wait behind the refused operation, because messages with the same tag must stay in order.
 * Progress retries the first operation of each line. No function of this file loops until libfabric accepts an
 * operation.
 */
#include "transport/ofi/ofi.h"

_Static_assert(offsetof(irr_ofi_op_t, context) == 0, "a completion's context is its operation");

void irr_ofi_line_init(irr_ofi_line_t *line)
{
    *line = (irr_ofi_line_t){ .first = NULL, .last = &line->first };
}

void irr_ofi_take_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    op->whole = (irr_iov_t){ .base = ofi->scrap, .length = sizeof(ofi->scrap) };
    op->posted = op->whole.length;
    op->kept = 0;
}

static ssize_t give(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    static char nothing;
    const irr_iov_t fragment = irr_ofi_fragment(ofi, op);
    const struct iovec iov = { .iov_base = fragment.length > 0 ? fragment.base : &nothing, .iov_len = fragment.length };
    const struct fi_msg_tagged message = {
        .msg_iov = &iov, .iov_count = 1, .addr = op->to, .tag = op->key, .ignore = op->ignore, .context = &op->context
    };

    return op->kind == IRR_OFI_SEND ? fi_tsendmsg(ofi->ep, &message, op->flags | FI_COMPLETION)
                                    : fi_trecvmsg(ofi->ep, &message, FI_COMPLETION);
}

static void list_line(irr_ofi_t *ofi, irr_ofi_line_t *line)
{
    if (!line->listed) {
        line->listed = true;
        line->next = ofi->lines;
        ofi->lines = line;
    }
}

void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line)
{
    list_line(ofi, line);
    op->line = line;
    op->next = NULL;
    op->at = line->last;
    *op->at = op;
    line->last = &op->next;
}

static void leave_line(irr_ofi_op_t *op)
{
    *op->at = op->next;
    *(op->next != NULL ? &op->next->at : &op->line->last) = op->at;
    op->line = NULL;
}

irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted)
{
    ssize_t error = line->first != NULL ? -FI_EAGAIN : give(ofi, op);

    *posted = error == 0;
    if (error == -FI_EAGAIN) {
        irr_ofi_post_later(ofi, op, line);
        return IRR_IN_PROGRESS;
    }
    return error != 0 ? irr_ofi_status(error) : IRR_IN_PROGRESS;
}

/* Retries the operations of a line. If libfabric returns a permanent error, the operation ends with this error. */
static void retry_line(irr_ofi_t *ofi, irr_ofi_line_t *line)
{
    while (line->first != NULL) {
        irr_ofi_op_t *op = line->first;
        ssize_t error = give(ofi, op);

        if (error == -FI_EAGAIN) {
            return;
        }
        leave_line(op);
        if (error != 0) {
            irr_ofi_finish(ofi, op, irr_ofi_status(error));
        }
    }
}

/* Retries all lines. An operation that ends during the retry may add operations to any line, including its own line. */
void irr_ofi_retry(irr_ofi_t *ofi)
{
    irr_ofi_line_t *line = ofi->lines;

    ofi->lines = NULL;
    while (line != NULL) {
        irr_ofi_line_t *next = line->next;

        line->listed = false;
        retry_line(ofi, line);
        if (line->first != NULL) {
            list_line(ofi, line);
        }
        line = next;
    }
}

/* Cancels an operation. An empty line stays in the list of lines until the next progress. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    if (op->line == NULL && !op->waits) {
        fi_cancel(&ofi->ep->fid, &op->context);
        return;
    }
    if (op->line != NULL) {
        leave_line(op);
    }
    op->waits = false;
    irr_ofi_finish(ofi, op, IRR_ERR_CANCELED);
}
