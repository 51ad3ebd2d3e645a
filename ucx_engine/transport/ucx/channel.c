/*
 * channel.c - channels over UCX: their pending receives, and discarding unexpected messages.
 *
 * discard removes a message from UCX's unexpected messages, and receives it without memory. A sink is the request of
 * this receive, and is busy until the whole message has arrived. There are several sinks, because a long message takes
 * long to arrive; drain waits for all of them. While all sinks are busy, discard only asks UCX whether there are more
 * messages.
 */
#include "transport/ucx/ucx.h"

#include "core/alloc.h"
#include "transport/key.h"

irr_status_t irr_ucx_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  const irr_page_t *pages, irr_channel_t **channel_p)
{
    return irr_channel_create(transport, id, ranks, rank, pages, sizeof(irr_ucx_channel_t), channel_p);
}

void irr_ucx_close_channel(irr_channel_t *channel)
{
    irr_ucx_abandon(channel);
    irr_free(channel);
}

/* A receive that has matched a message ends normally. For each other receive UCX calls on_received with an error. */
void irr_ucx_abandon(irr_channel_t *given)
{
    irr_ucx_channel_t *channel = (irr_ucx_channel_t *)given;
    irr_ucx_slot_t *slot = channel->pending;

    channel->pending = NULL;
    while (slot != NULL) {
        irr_ucx_slot_t *next = slot->next;

        slot->link = NULL;
        irr_ucx.ucp_request_cancel(irr_ucx_of(given->transport)->worker, slot->handle);
        slot = next;
    }
}

/* ---- discarding ---- */

static void on_discarded(irr_request_t *request, irr_status_t status)
{
    (void)status;   /* an error is reported by the sender */
    ((irr_ucx_sink_t *)request)->busy = false;
}

_Static_assert(offsetof(irr_ucx_sink_t, request) == 0, "on_discarded converts a request to its sink");

static irr_ucx_sink_t *free_sink(irr_ucx_t *ucx)
{
    for (int i = 0; i < IRR_UCX_SINKS; i++) {
        if (!ucx->sinks[i].busy) {
            return &ucx->sinks[i];
        }
    }
    return NULL;
}

bool irr_ucx_discards(const irr_ucx_t *ucx)
{
    bool busy = false;

    for (int i = 0; i < IRR_UCX_SINKS; i++) {
        busy = busy || ucx->sinks[i].busy;
    }
    return busy;
}

irr_status_t irr_ucx_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);

    while (true) {
        irr_ucx_sink_t *sink = free_sink(ucx);
        ucp_tag_recv_info_t info;
        ucp_tag_message_h message =
            irr_ucx.ucp_tag_probe_nb(ucx->worker, irr_key(id, tag, 0), irr_key_mask(mask), sink != NULL, &info);

        if (message == NULL) {
            return IRR_OK;
        }
        if (sink == NULL) {
            return IRR_IN_PROGRESS;
        }
        ++*count;
        sink->request.done = on_discarded;
        sink->busy = irr_ucx_drop(ucx, message, &sink->request) == IRR_IN_PROGRESS;
    }
}
