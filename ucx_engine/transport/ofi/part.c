/*
 * part.c - messages that are as long as what the provider takes at once (part_max), or longer: they go in parts.
 *
 * Another part follows each part of part_max bytes.  The last one is shorter, and may be empty: a receiver, which does
 * not know how long the message is, finds its end by that.
 *
 * The first part has the key of the message.  The others have one bit more, so that they meet nobody but the operation
 * that has the first one, however short it was cut.  Each part starts when the one before is over: long ones are so
 * long that waiting costs nothing.  Second parts wait until all before them that may have parts of the same key are
 * over, at both ends.  Nothing here needs memory.
 */
#include "transport/ofi/ofi.h"

bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes)
{
    return bytes == ofi->part_max;
}

uint64_t irr_ofi_part_bit(const irr_ofi_t *ofi)
{
    return UINT64_C(1) << (IRR_CHANNEL_TAG_BITS + ofi->rank_bits);
}

irr_iov_t irr_ofi_part(irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    const irr_iov_t all = op->whole.base != NULL || op->count == 0 ? op->whole : op->iov[0];

    if (op->kind == IRR_OFI_RECV && op->done >= op->kept) {
        return (irr_iov_t){ .base = ofi->scrap, .length = sizeof(ofi->scrap) };
    }
    return (irr_iov_t){ .base = op->posted > 0 ? (char *)all.base + op->done : NULL, .length = op->posted };
}

/* How long the next part is; a receive has scrap where nothing more is kept. */
static void measure_part(const irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    const size_t left = op->done < op->kept ? op->kept - op->done : 0;

    op->posted = op->kind == IRR_OFI_RECV && left == 0 ? sizeof(ofi->scrap)
               : left < ofi->part_max ? left : ofi->part_max;
}

/*
 * A provider takes so many receives and no more.  So that the first of each key is always among them, those behind it
 * wait where there are many: else what comes next could be for one that waits, and those ahead of it for what comes
 * later.
 */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted)
{
    irr_status_t status;
    bool first = true;

    *posted = false;
    op->home = line;
    measure_part(ofi, op);
    if (op->kind == IRR_OFI_RECV || irr_ofi_is_followed(ofi, op->posted)) {
        first = irr_ofi_queue_join(ofi, op);
    }
    if (op->kind == IRR_OFI_RECV && ofi->recvs > ofi->recvs_many && !first) {
        op->waits = true;
        return IRR_IN_PROGRESS;
    }
    status = irr_ofi_post(ofi, op, line, posted);
    if (status != IRR_IN_PROGRESS) {
        (void)irr_ofi_queue_leave(ofi, op);   /* the last one, so that none is behind it */
    }
    return status;
}

/* IRR_IN_PROGRESS, or why there is none. */
static irr_status_t start_next(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    bool posted;

    if (op->kind == IRR_OFI_RECV && op->link == NULL) {
        return IRR_ERR_CANCELED;   /* it was abandoned meanwhile */
    }
    op->done += op->kind == IRR_OFI_SEND ? op->posted : op->bytes;
    op->bytes = 0;
    op->key |= irr_ofi_part_bit(ofi);
    measure_part(ofi, op);
    if (op->ahead != NULL) {
        op->waits = true;
        return IRR_IN_PROGRESS;
    }
    return irr_ofi_post(ofi, op, op->home, &posted);
}

bool irr_ofi_goes_on(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status)
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

void irr_ofi_end_turn(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_op_t *next = irr_ofi_queue_leave(ofi, op);
    bool posted;

    if (next == NULL || !next->waits) {
        return;
    }
    next->waits = false;
    if (irr_ofi_post(ofi, next, next->home, &posted) != IRR_IN_PROGRESS) {
        irr_ofi_post_later(ofi, next, next->home);   /* ends there, and those behind it not within each other */
    }
}
