/*
 * part.c - messages that are as long as what the provider takes at once (part_max), or longer, and lists that could not be
 * packed for want of memory: they go in parts.
 *
 * A part of part_max bytes, or of IRR_OFI_SHORT_PART, is followed by another one; the last one has another length, and may
 * be empty: so a receiver, which does not know how long the message is, finds its end.  A message that happens to have
 * such a length has one empty part more.
 *
 * The first part has the key of the message.  The others have one bit more, so that they meet nobody but the operation
 * that has the first one, however short it was cut.  Each part starts when the one before is over: long ones are so long
 * that waiting costs nothing.  Second parts wait until all before them that may have parts of the same key are over, at
 * both ends.  Nothing here needs memory.
 */
#include "transport/ofi/ofi.h"

bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes)
{
    return bytes == ofi->part_max || bytes == IRR_OFI_SHORT_PART;
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
    if (op->posted == 0 || (op->kind == IRR_OFI_SEND && op->lacks)) {
        return (irr_iov_t){ .base = all.base, .length = op->posted };   /* nothing, or the part that was packed */
    }
    return (irr_iov_t){ .base = (char *)all.base + op->done, .length = op->posted };
}

static void enlist(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    if (op->link_parted != NULL) {
        return;
    }
    op->next_parted = ofi->parted;
    op->link_parted = &ofi->parted;
    if (op->next_parted != NULL) {
        op->next_parted->link_parted = &op->next_parted;
    }
    ofi->parted = op;
}

static void unlist(irr_ofi_op_t *op)
{
    if (op->link_parted != NULL) {
        *op->link_parted = op->next_parted;
        if (op->next_parted != NULL) {
            op->next_parted->link_parted = op->link_parted;
        }
        op->link_parted = NULL;
    }
}

/* How long the next part is; a receive has scrap where nothing more is kept. */
static void measure_part(const irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    const bool is_short = op->kind == IRR_OFI_SEND && op->lacks && IRR_OFI_SHORT_PART < ofi->part_max;
    const size_t most = is_short ? IRR_OFI_SHORT_PART : ofi->part_max;
    const size_t left = op->done < op->kept ? op->kept - op->done : 0;

    op->posted = op->kind == IRR_OFI_RECV && left == 0 ? sizeof(ofi->scrap) : left < most ? left : most;
}

/* Is there one of its key that came before it; of sends, one in parts? */
static bool has_ahead(const irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    const bool sends = op->kind == IRR_OFI_SEND;
    const irr_ofi_op_t *ahead = sends ? op->next_parted : op->later;

    while (ahead != NULL && (ahead->kind != op->kind || ahead->to != op->to ||
                             ((ahead->key ^ op->key) & ~irr_ofi_part_bit(ofi)) != 0)) {
        ahead = sends ? ahead->next_parted : ahead->later;
    }
    return ahead != NULL;
}

/*
 * A provider takes so many receives and no more.  So that the first of each key is always among them, those behind it wait
 * where there are many: else what comes next could be for one that waits, and those ahead of it for what comes later.
 */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted)
{
    irr_status_t status;

    *posted = false;
    op->home = line;
    measure_part(ofi, op);
    if (op->kind == IRR_OFI_SEND ? irr_ofi_is_followed(ofi, op->posted) : op->room >= ofi->part_max) {
        enlist(ofi, op);
    }
    if (op->kind == IRR_OFI_RECV && ofi->recvs > ofi->recvs_many && has_ahead(ofi, op)) {
        irr_ofi_line_join(&ofi->waiting, op);
        return IRR_IN_PROGRESS;
    }
    status = irr_ofi_post(ofi, op, line, posted);
    if (status != IRR_IN_PROGRESS) {
        unlist(op);
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
    irr_ofi_give_back(ofi, op);
    op->done += op->kind == IRR_OFI_SEND ? op->posted : op->bytes;
    op->bytes = 0;
    op->key |= irr_ofi_part_bit(ofi);
    enlist(ofi, op);
    measure_part(ofi, op);
    if (has_ahead(ofi, op)) {
        irr_ofi_line_join(&ofi->waiting, op);
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

/* One that waited, and has no longer to. */
static irr_ofi_op_t **find_ready(irr_ofi_t *ofi)
{
    irr_ofi_op_t **at = &ofi->waiting.first;

    while (*at != NULL && has_ahead(ofi, *at)) {
        at = &(*at)->next;
    }
    return at;
}

void irr_ofi_parts_end(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_op_t **at;
    bool posted;

    unlist(op);
    for (at = find_ready(ofi); *at != NULL; at = find_ready(ofi)) {
        irr_ofi_op_t *next = *at;
        irr_status_t status;

        irr_ofi_line_leave(&ofi->waiting, at);
        status = irr_ofi_post(ofi, next, next->home, &posted);
        if (status != IRR_IN_PROGRESS) {
            irr_ofi_finish(ofi, next, status);
        }
    }
}

bool irr_ofi_parts_come(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore)
{
    for (const irr_ofi_op_t *op = ofi->parted; op != NULL; op = op->next_parted) {
        if (op->kind == IRR_OFI_RECV && ((op->key ^ key) & ~ignore & ~irr_ofi_part_bit(ofi)) == 0) {
            return true;
        }
    }
    return false;
}
