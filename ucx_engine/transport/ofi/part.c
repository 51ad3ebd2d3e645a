/*
 * part.c - messages that are as long as what the provider takes at once (part_max), or longer: they go in parts.
 *
 * All parts but the last have part_max bytes, the last one has fewer, and may have none: so a receiver that does not
 * know how long the message is finds its end.  Parts have the key of the message, and one follows the other when that is
 * over: they are so long that waiting costs nothing.  What has the same key and comes later is held back until all parts
 * are over, at both ends.  A receive that is shorter than a part, and meets one, takes all the others, too, and throws
 * them away; but receives of its key that are posted behind it may meet these, and are wrong then, too.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"

static const irr_iov_t *all_of(const irr_ofi_op_t *op, size_t *count)
{
    *count = op->whole.base != NULL ? 1 : op->count;
    return op->whole.base != NULL ? &op->whole : op->iov;
}

/* The pieces of so many bytes of a list, from one of them on, if it has them; returns how many. */
static size_t cut(const irr_iov_t *iov, size_t count, size_t from, size_t bytes, irr_iov_t *part)
{
    size_t pieces = 0;

    for (size_t i = 0; i < count && bytes > 0; i++) {
        const size_t rest = from < iov[i].length ? iov[i].length - from : 0, length = rest < bytes ? rest : bytes;

        if (length > 0) {
            part[pieces++] = (irr_iov_t){ .base = (char *)iov[i].base + from, .length = length };
            bytes -= length;
        }
        from -= from < iov[i].length ? from : iov[i].length;
    }
    return pieces;
}

/* The part behind those that are over; of a receive into scrap, where nothing more is kept. */
static void next_part(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_parts_t *parts = op->parts;
    const size_t left = parts->kept - (parts->done < parts->kept ? parts->done : parts->kept);
    size_t count;
    const irr_iov_t *iov = all_of(op, &count);

    parts->count = cut(iov, count, parts->done, left < ofi->part_max ? left : ofi->part_max, parts->iov);
    if (op->kind == IRR_OFI_RECV && parts->count == 0) {
        parts->iov[parts->count++] = (irr_iov_t){ .base = ofi->scrap, .length = sizeof(ofi->scrap) };
    }
    op->posted = irr_iov_bytes(parts->iov, parts->count);
}

static irr_status_t make_parts(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line)
{
    irr_ofi_parts_t *parts = irr_alloc(1, sizeof(*parts));

    if (parts == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    *parts = (irr_ofi_parts_t){ .op = op, .next = ofi->parted, .link = &ofi->parted, .line = line };
    parts->kept = op->kind == IRR_OFI_SEND ? op->room : op->whole.base != ofi->scrap ? op->posted : 0;
    irr_ofi_line_init(&parts->held);
    if (parts->next != NULL) {
        parts->next->link = &parts->next;
    }
    ofi->parted = parts;
    op->parts = parts;
    return IRR_OK;
}

static void unlink_parts(irr_ofi_parts_t *parts)
{
    if (parts->link != NULL) {
        *parts->link = parts->next;
        if (parts->next != NULL) {
            parts->next->link = parts->link;
        }
        parts->link = NULL;
    }
}

void irr_ofi_parts_free(irr_ofi_op_t *op)
{
    if (op->parts != NULL) {
        unlink_parts(op->parts);
        irr_free(op->parts);
        op->parts = NULL;
    }
}

/* The message that it has to come after; NULL: none. */
static irr_ofi_parts_t *find_ahead(const irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    irr_ofi_parts_t *parts = ofi->parted;

    while (parts != NULL && (parts->op->kind != op->kind || parts->op->key != op->key || parts->op->to != op->to)) {
        parts = parts->next;
    }
    return parts;
}

irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted)
{
    irr_ofi_parts_t *ahead = find_ahead(ofi, op);

    *posted = false;
    if (ahead != NULL) {
        irr_ofi_line_join(&ahead->held, op);
        return IRR_IN_PROGRESS;
    }
    if (op->room >= ofi->part_max) {
        irr_status_t status = make_parts(ofi, op, line);

        if (status != IRR_OK) {
            return status;
        }
        next_part(ofi, op);
    }
    return irr_ofi_post(ofi, op, line, posted);
}

/* Was it a part that others follow? */
static bool is_full(const irr_ofi_t *ofi, const irr_ofi_op_t *op)
{
    switch (op->kind) {
    case IRR_OFI_SEND: return op->parts != NULL && op->parts->kept - op->parts->done >= ofi->part_max;
    case IRR_OFI_RECV: return op->bytes == ofi->part_max;
    case IRR_OFI_SINK: break;
    }
    return false;
}

/* IRR_IN_PROGRESS, or why there is none. */
static irr_status_t start_next(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_status_t status = op->parts != NULL ? IRR_OK : make_parts(ofi, op, &ofi->receives);
    bool posted;

    if (status == IRR_OK && op->kind == IRR_OFI_RECV && op->link == NULL) {
        status = IRR_ERR_CANCELED;   /* it was abandoned meanwhile */
    }
    if (status != IRR_OK) {
        return status;
    }
    op->parts->done += ofi->part_max;
    next_part(ofi, op);
    op->bytes = 0;
    return irr_ofi_post(ofi, op, op->parts->line, &posted);
}

bool irr_ofi_goes_on(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status)
{
    if ((*status == IRR_OK || *status == IRR_ERR_TRUNCATE) && is_full(ofi, op)) {
        *status = start_next(ofi, op);
        if (*status == IRR_IN_PROGRESS) {
            return true;
        }
    }
    op->bytes += op->parts != NULL ? op->parts->done : 0;
    return false;
}

void irr_ofi_parts_end(irr_ofi_t *ofi, irr_ofi_op_t *op)
{
    irr_ofi_parts_t *parts = op->parts;
    bool posted;

    if (parts == NULL) {
        return;
    }
    unlink_parts(parts);
    while (parts->held.first != NULL) {
        irr_ofi_op_t *next = parts->held.first;
        irr_status_t status;

        irr_ofi_line_leave(&parts->held, &parts->held.first);
        status = irr_ofi_start(ofi, next, parts->line, &posted);
        if (status != IRR_IN_PROGRESS) {
            irr_ofi_finish(ofi, next, status);
        }
    }
}

bool irr_ofi_parts_come(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore)
{
    for (const irr_ofi_parts_t *parts = ofi->parted; parts != NULL; parts = parts->next) {
        if (parts->op->kind == IRR_OFI_RECV && ((parts->op->key ^ key) & ~ignore) == 0) {
            return true;
        }
    }
    return false;
}
