/*
 * message.c - messages of channels over UCX.
 *
 * Each receive specifies all bits of its key (transport/key.h). UCX finds such a receive in a hash table. UCX would
 * keep receives that ignore some bits in a queue, and search the queue for each message that arrives.
 */
#include "transport/ucx/ucx.h"

#include "core/log.h"
#include "transport/key.h"

_Static_assert(sizeof(irr_iov_t) == sizeof(ucp_dt_iov_t) &&
               offsetof(irr_iov_t, base) == offsetof(ucp_dt_iov_t, buffer) &&
               offsetof(irr_iov_t, length) == offsetof(ucp_dt_iov_t, length),
               "UCX reads a list of pieces as its own type");

#define FULL_MASK UINT64_MAX

/* The arguments with which a request is passed to UCX. */
typedef struct message {
    void               *buffer;
    size_t              count;
    ucp_request_param_t param;
} message_t;

/* Returns true if a receive discards its whole message. */
static bool is_sink(const irr_iov_t *iov, size_t count)
{
    return count == 1 && iov[0].base == NULL && iov[0].length > 0;
}

/*
 * Chooses UCX's datatype: contiguous, gather (datatype.c), or list. A sink uses gather, which copies nothing for it.
 */
static void describe(irr_ucx_t *ucx, irr_request_t *request, message_t *message)
{
    const irr_iov_t *iov = request->iov;
    const size_t count = request->count;

    message->param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_DATATYPE;
    message->param.user_data = request;
    if (count <= 1 && !is_sink(iov, count)) {
        message->buffer = count == 1 ? iov[0].base : NULL;
        message->count = count == 1 ? iov[0].length : 0;
        message->param.datatype = ucp_dt_make_contig(1);
    } else if (request->form == IRR_FORM_GATHER || count == 1) {
        message->buffer = irr_ucx_gather_begin(request, &ucx->bytes_gathered);
        message->count = 1;
        message->param.datatype = ucx->gather;
    } else {
        message->buffer = (void *)iov;
        message->count = count;
        message->param.datatype = UCP_DATATYPE_IOV;
    }
}

static void on_sent(void *handle, ucs_status_t status, void *user_data)
{
    irr_request_t *request = user_data;

    --*irr_ucx_slot_of(request)->sending;
    irr_ucx.ucp_request_free(handle);
    request->done(request, irr_ucx_status(status));
}

static void link_slot(irr_ucx_channel_t *channel, irr_ucx_slot_t *slot)
{
    slot->next = channel->pending;
    slot->link = &channel->pending;
    if (slot->next != NULL) {
        slot->next->link = &slot->next;
    }
    channel->pending = slot;
}

static void unlink_slot(irr_ucx_slot_t *slot)
{
    *slot->link = slot->next;
    if (slot->next != NULL) {
        slot->next->link = slot->link;
    }
}

/*
 * Ends a receive. If its message has already arrived, UCX may call this function while irr_ucx_recv is still running
 * (slot->inside), for example for a truncated message. transport.h forbids recv to call `done`, so irr_ucx_recv then
 * returns the status instead.
 */
static void on_received(void *handle, ucs_status_t status, const ucp_tag_recv_info_t *info, void *user_data)
{
    irr_request_t *request = user_data;
    irr_ucx_slot_t *slot = irr_ucx_slot_of(request);

    if (slot->link != NULL) {
        unlink_slot(slot);
    }
    request->bytes = status == UCS_OK ? info->length : 0;
    irr_ucx.ucp_request_free(handle);
    if (slot->inside) {
        slot->over = true;
        slot->status = irr_ucx_status(status);
    } else {
        request->done(request, irr_ucx_status(status));
    }
}

/* Returns the status of a receive that was passed to UCX. If it is pending, adds it to the channel (NULL: none). */
static irr_status_t posted(ucs_status_ptr_t handle, irr_ucx_channel_t *channel, irr_request_t *request)
{
    irr_ucx_slot_t *slot = irr_ucx_slot_of(request);

    slot->inside = false;
    if (slot->over) {
        return slot->status;
    }
    if (!UCS_PTR_IS_PTR(handle)) {
        return irr_ucx_status(UCS_PTR_STATUS(handle));
    }
    slot->handle = handle;
    if (channel != NULL) {
        link_slot(channel, slot);
    }
    return IRR_IN_PROGRESS;
}

/* Prepares a receive. It always ends in on_received, because only this callback gets the length of the message. */
static void describe_receive(irr_ucx_t *ucx, irr_request_t *request, message_t *message)
{
    irr_ucx_slot_t *slot = irr_ucx_slot_of(request);

    describe(ucx, request, message);
    message->param.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    message->param.cb.recv = on_received;
    slot->link = NULL;
    slot->inside = true;
    slot->over = false;
}

/* Copies a list to the stack and sends it. Returns false if the list is too long, or UCX cannot send it at once. */
static bool send_short(irr_ucx_t *ucx, irr_peer_t *peer, uint64_t key, const irr_iov_t *iov, size_t count)
{
    const ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL };
    char bytes[IRR_UCX_GATHER_MAX];
    size_t length = 0;
    ucs_status_ptr_t handle;

    for (size_t i = 0; i < count; i++) {
        if (iov[i].length > sizeof(bytes) - length) {
            return false;
        }
        length += iov[i].length;
    }
    irr_ucx_gather(iov, count, bytes);
    handle = irr_ucx.ucp_tag_send_nbx(peer->endpoint, bytes, length, key, &param);
    ucx->bytes_gathered += handle == NULL ? length : 0;
    return handle == NULL;
}

irr_status_t irr_ucx_send(irr_channel_t *channel, irr_request_t *request)
{
    irr_ucx_t *ucx = irr_ucx_of(channel->transport);
    irr_peer_t *peer = irr_channel_peer(channel, request->peer);
    const uint64_t key = irr_key(channel->id, request->tag, channel->rank);
    irr_status_t status = irr_ucx_reach(&ucx->super, peer);
    ucs_status_ptr_t handle;
    message_t message;

    if (status == IRR_ERR_CANCELED) {
        return status;
    }
    if (status != IRR_OK) {
        irr_log(IRR_LOG_ERROR, "ucx cannot connect to another rank: %s; this exchange returns an error",
                irr_status_text(status));
        return status;
    }
    if (irr_request_gathers(request) &&
        send_short(ucx, peer, key, request->iov, request->count)) {
        return IRR_OK;
    }
    describe(ucx, request, &message);
    message.param.cb.send = on_sent;
    handle = irr_ucx.ucp_tag_send_nbx(peer->endpoint, message.buffer, message.count, key, &message.param);
    if (!UCS_PTR_IS_PTR(handle)) {
        return irr_ucx_status(UCS_PTR_STATUS(handle));
    }
    irr_ucx_slot_of(request)->sending = &ucx->sending;
    ucx->sending++;
    return IRR_IN_PROGRESS;
}

irr_status_t irr_ucx_recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_ucx_t *ucx = irr_ucx_of(channel->transport);
    const uint64_t key = irr_key(channel->id, request->tag, request->peer);
    message_t message;

    describe_receive(ucx, request, &message);
    return posted(irr_ucx.ucp_tag_recv_nbx(ucx->worker, message.buffer, message.count, key, FULL_MASK, &message.param),
                  (irr_ucx_channel_t *)channel, request);
}

irr_status_t irr_ucx_drop(irr_ucx_t *ucx, void *handle, irr_request_t *request)
{
    static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };
    message_t message;

    irr_request_set(request, 0, 0, &sink, 1, IRR_FORM_IOVEC);
    describe_receive(ucx, request, &message);
    return posted(irr_ucx.ucp_tag_msg_recv_nbx(ucx->worker, message.buffer, message.count, handle, &message.param),
                  NULL, request);
}
