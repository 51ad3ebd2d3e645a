/*
 * post.c - passes operations to libfabric, which may refuse an operation for the moment (-FI_EAGAIN).
 *
 * A refused operation joins a backlog. Each peer has a backlog for sends; all receives share another one. While a
 * backlog has operations, new ones are appended to it, because messages with the same tag must stay in order. Each
 * call of progress retries the backlogs. No function waits until libfabric accepts an operation.
 */
#include "transport/ofi/ofi.h"

_Static_assert(offsetof(irr_ofi_op_t, context) == 0, "the context of a completion is the address of its operation");

void irr_ofi_backlog_init(irr_ofi_backlog_t *backlog)
{
    *backlog = (irr_ofi_backlog_t){ .first = NULL, .last = &backlog->first };
}

void irr_ofi_use_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    op->whole = (irr_iov_t){ .base = ofi->scrap, .length = sizeof(ofi->scrap) };
    op->posted = op->whole.length;
    op->kept = 0;
}

static ssize_t submit(irr_ofi_t *ofi, irr_ofi_op_t *op)
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

static void list_backlog(irr_ofi_t *ofi, irr_ofi_backlog_t *backlog)
{
    if (!backlog->listed) {
        backlog->listed = true;
        backlog->next = ofi->backlogs;
        ofi->backlogs = backlog;
    }
}

void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog)
{
    list_backlog(ofi, backlog);
    op->backlog = backlog;
    op->next = NULL;
    op->at = backlog->last;
    *op->at = op;
    backlog->last = &op->next;
}

static void leave_backlog(irr_ofi_op_t *op)
{
    *op->at = op->next;
    *(op->next != NULL ? &op->next->at : &op->backlog->last) = op->at;
    op->backlog = NULL;
}

irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog, bool *posted)
{
    ssize_t error = backlog->first != NULL ? -FI_EAGAIN : submit(ofi, op);

    *posted = error == 0;
    if (error == -FI_EAGAIN) {
        irr_ofi_post_later(ofi, op, backlog);
        return IRR_IN_PROGRESS;
    }
    return error != 0 ? irr_ofi_status(error) : IRR_IN_PROGRESS;
}

/* Retries the operations of a backlog until libfabric refuses one. An operation that gets another error ends. */
static void retry_backlog(irr_ofi_t *ofi, irr_ofi_backlog_t *backlog)
{
    while (backlog->first != NULL) {
        irr_ofi_op_t *op = backlog->first;
        ssize_t error = submit(ofi, op);

        if (error == -FI_EAGAIN) {
            return;
        }
        leave_backlog(op);
        if (error != 0) {
            irr_ofi_finish(ofi, op, irr_ofi_status(error));
        }
    }
}

/* An operation that ends may append others to any backlog, so the list of backlogs is emptied before the retry. */
void irr_ofi_retry(irr_ofi_t *ofi)
{
    irr_ofi_backlog_t *backlog = ofi->backlogs;

    ofi->backlogs = NULL;
    while (backlog != NULL) {
        irr_ofi_backlog_t *next = backlog->next;

        backlog->listed = false;
        retry_backlog(ofi, backlog);
        if (backlog->first != NULL) {
            list_backlog(ofi, backlog);
        }
        backlog = next;
    }
}

/* If a backlog becomes empty here, it stays in the list of backlogs until the next call of progress. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    if (op->backlog == NULL && !op->waits) {
        fi_cancel(&ofi->ep->fid, &op->context);
        return;
    }
    if (op->backlog != NULL) {
        leave_backlog(op);
    }
    op->waits = false;
    irr_ofi_finish(ofi, op, IRR_ERR_CANCELED);
}
