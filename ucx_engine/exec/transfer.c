/*
 * transfer.c - see transfer.h.  Counts messages and bytes: sends when they start, receives when they are over.
 */
#include "exec/transfer.h"

static void keep(irr_transfer_t *transfer, irr_status_t status)
{
    if (transfer->status == IRR_OK) {
        transfer->status = status;
    }
}

/* Did the transport refuse it?  A message that is too long has come all the same. */
static bool is_refused(irr_status_t status)
{
    return status != IRR_OK && status != IRR_IN_PROGRESS && status != IRR_ERR_TRUNCATE;
}

/* Does its other end wait?  Not if that is gone, or if all go down. */
static bool is_missed(irr_status_t status)
{
    return is_refused(status) && status != IRR_ERR_UNREACHABLE && status != IRR_ERR_CANCELED;
}

static void end_part(irr_part_t *part, irr_status_t status)
{
    irr_transfer_t *transfer = part->transfer;
    irr_counters_t *counters = transfer->counters;

    if (part->wants && status == IRR_OK && part->request.bytes == 0) {
        status = IRR_ERR_PEER;
    }
    if (part->receives && status == IRR_OK) {
        counters->messages_received++;
        transfer->received += part->request.bytes;
        counters->bytes_received += transfer->describes ? 0 : part->request.bytes;
        counters->bytes_gathered += part->gathers ? part->request.bytes : 0;
    }
    keep(transfer, status);
    irr_transfer_end(transfer);
}

/* What was taken without the memory that it needs has been sent. */
static void on_done(irr_request_t *request, irr_status_t status)
{
    irr_part_t *part = (irr_part_t *)request;

    if (!part->receives && is_missed(status) && status != IRR_ERR_NO_MEMORY) {
        part->transfer->refused = true;
    }
    end_part(part, status);
}

_Static_assert(offsetof(irr_part_t, request) == 0, "on_done takes a request for its part");

static void prepare(irr_transfer_t *transfer, irr_part_t *part, bool receives, size_t count, irr_form_t form)
{
    part->request.done = on_done;
    part->transfer = transfer;
    part->receives = receives;
    part->gathers = form == IRR_FORM_GATHER && count > 1;
    part->wants = false;
    transfer->pending++;
}

static void started(irr_part_t *part, irr_status_t status)
{
    if (status != IRR_IN_PROGRESS) {
        end_part(part, status);
    }
}

void irr_transfer_send(irr_transfer_t *transfer, irr_part_t *part, int to, uint16_t tag, const irr_iov_t *iov,
                       size_t count, irr_form_t form, size_t header)
{
    irr_channel_t *lane = irr_channel_lane(transfer->channel, to);
    irr_counters_t *counters = transfer->counters;
    const size_t bytes = irr_iov_bytes(iov, count);
    irr_status_t status;

    prepare(transfer, part, false, count, form);
    counters->messages_sent++;
    counters->bytes_sent += bytes - header;
    counters->header_bytes += header;
    counters->bytes_gathered += part->gathers ? bytes : 0;
    counters->largest_message = bytes > counters->largest_message ? bytes : counters->largest_message;
    status = lane->transport->ops->send(lane, to, tag, iov, count, form, &part->request);
    transfer->refused = transfer->refused || is_missed(status);
    started(part, status);
}

void irr_transfer_receive(irr_transfer_t *transfer, irr_part_t *part, int from, uint16_t tag, const irr_iov_t *iov,
                          size_t count, irr_form_t form)
{
    irr_channel_t *lane = irr_channel_lane(transfer->channel, from);
    irr_status_t status;

    prepare(transfer, part, true, count, form);
    for (size_t i = 0; i < count; i++) {
        part->wants = part->wants || (iov[i].base != NULL && iov[i].length > 0);
    }
    status = lane->transport->ops->recv(lane, from, tag, iov, count, form, &part->request);
    if (is_refused(status)) {
        keep(transfer, status);
        status = lane->transport->ops->recv(lane, from, tag, iov, count, form, &part->request);
        transfer->refused = transfer->refused || is_missed(status);
    }
    started(part, status);
}
