/*
 * fragment.c - divides messages that are too long for the provider into fragments.
 *
 * All fragments of a message except the last have fragment_max bytes. The last one is shorter, and may be empty, so the
 * receiver detects the end of a message without knowing its length. In the key of each fragment except the first, one
 * more bit is set, the mark. A receive for the first fragment of a message therefore never matches a later fragment.
 *
 * A fragment starts when the previous one has ended; fragments are so long that this costs almost no time. If messages
 * have the same key, their later fragments have the same key, too. Both ends therefore start the second fragment of a
 * message only when all earlier messages with its key have ended. No function of this file allocates memory.
 */
#include "transport/ofi/ofi.h"

bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes)
{
    return bytes == ofi->fragment_max;
}

uint64_t irr_ofi_fragment_bit(const irr_ofi_t *ofi)
{
    return UINT64_C(1) << (IRR_CHANNEL_TAG_BITS + ofi->rank_bits);
}

irr_iov_t irr_ofi_fragment(irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    const irr_iov_t all = op->whole.base != NULL || op->count == 0 ? op->whole : op->iov[0];

    if (op->kind == IRR_OFI_RECV && op->done >= op->kept) {
        return (irr_iov_t){ .base = ofi->scrap, .length = sizeof(ofi->scrap) };
    }
    return (irr_iov_t){ .base = op->posted > 0 ? (char *)all.base + op->done : NULL, .length = op->posted };
}

/* Sets the length of the memory for the next fragment. If a receive has no room left, the memory is ofi->scrap. */
static void measure_fragment(const irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    const size_t left = op->done < op->kept ? op->kept - op->done : 0;

    op->posted = op->kind == IRR_OFI_RECV && left == 0 ? sizeof(ofi->scrap)
               : left < ofi->fragment_max ? left : ofi->fragment_max;
}

/*
 * Starts an operation. A provider accepts only a limited number of posted receives, but the first receive of each key
 * must be posted. Otherwise the next message of a sender could belong to a receive that is not posted, while all posted
 * receives wait for later messages. If many receives are pending, only the first of each key is therefore posted.
 */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog, bool *posted)
{
    irr_status_t status;
    bool first = true;

    *posted = false;
    op->home = backlog;
    measure_fragment(ofi, op);
    if (op->kind == IRR_OFI_RECV || irr_ofi_is_followed(ofi, op->posted)) {
        first = irr_ofi_queue_join(ofi, op);
    }
    if (op->kind == IRR_OFI_RECV && ofi->recvs > ofi->recvs_many && !first) {
        op->waits = true;
        return IRR_IN_PROGRESS;
    }
    status = irr_ofi_post(ofi, op, backlog, posted);
    if (status != IRR_IN_PROGRESS) {
        (void)irr_ofi_queue_leave(ofi, op);   /* it is the last of its queue, so nothing waits for it */
    }
    return status;
}

/* Starts the next fragment. Returns IRR_IN_PROGRESS or an error. */
static irr_status_t start_next(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    bool posted;

    if (op->kind == IRR_OFI_RECV && op->link == NULL) {
        return IRR_ERR_CANCELED;   /* the channel was abandoned */
    }
    op->done += op->kind == IRR_OFI_SEND ? op->posted : op->bytes;
    op->bytes = 0;
    op->key |= irr_ofi_fragment_bit(ofi);
    measure_fragment(ofi, op);
    if (op->ahead != NULL) {
        op->waits = true;
        return IRR_IN_PROGRESS;
    }
    return irr_ofi_post(ofi, op, op->home, &posted);
}

bool irr_ofi_continue(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status)
{
    const bool came = *status == IRR_OK || *status == IRR_ERR_TRUNCATE;
    const bool followed = came && op->kind != IRR_OFI_SINK &&
                          irr_ofi_is_followed(ofi, op->kind == IRR_OFI_SEND ? op->posted : op->bytes);

    if (followed) {
        *status = start_next(ofi, op);
        if (*status == IRR_IN_PROGRESS) {
            return true;
        }
    }
    ofi->orphans = ofi->orphans || (op->kind == IRR_OFI_RECV && (followed || (!came && op->done > 0)));
    op->bytes += op->done;
    return false;
}

void irr_ofi_start_next(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_op_t *next = irr_ofi_queue_leave(ofi, op);
    bool posted;

    if (next == NULL || !next->waits) {
        return;
    }
    next->waits = false;
    if (irr_ofi_post(ofi, next, next->home, &posted) != IRR_IN_PROGRESS) {
        irr_ofi_post_later(ofi, next, next->home);   /* the next call of progress ends `next` with the error; to end it
                                                        here could recurse along the whole queue */
    }
}
