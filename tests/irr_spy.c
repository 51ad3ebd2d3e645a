/*
 * irr_spy.c - see irr_spy.h.
 */
#include "irr_spy.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/*
 * A send in flight: the request of the inner transport, and the caller's request, which is NULL for a second copy of a
 * changed message.
 */
typedef struct irr_spy_watch {
    irr_request_t  request;
    irr_request_t *outer;
    irr_iov_t      changed;    /* memory of a changed message */
    irr_spy_t     *spy;
    size_t         bytes;
    struct irr_spy_watch *next, **from;   /* in the list of sends in flight */
} watch_t;

static bool sends_now;

static irr_spy_t *spy_of(irr_transport_t *transport)
{
    return (irr_spy_t *)transport;
}

static void *make(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* Returns a copy of a message with `room` more bytes of memory. */
static irr_iov_t copy_message(const irr_request_t *request, size_t room)
{
    irr_iov_t copy = { make(request->length + room), 0 };

    for (size_t i = 0; i < request->count; i++) {
        memcpy((char *)copy.base + copy.length, request->iov[i].base, request->iov[i].length);
        copy.length += request->iov[i].length;
    }
    return copy;
}

/* ---- sends in flight ---- */

static void on_sent(irr_request_t *request, irr_status_t status);

static watch_t *begin_send(irr_spy_t *spy, const irr_request_t *message, irr_request_t *outer)
{
    const size_t bytes = message->length;
    watch_t *watch = make(sizeof(*watch));

    watch->request.done = on_sent;
    irr_request_set(&watch->request, message->peer, message->tag, message->iov, message->count, message->form);
    watch->outer = outer;
    watch->spy = spy;
    watch->bytes = bytes;
    watch->next = spy->watches;
    watch->from = &spy->watches;
    if (watch->next != NULL) {
        watch->next->from = &watch->next;
    }
    spy->watches = watch;
    spy->in_flight++;
    spy->bytes_in_flight += bytes;
    if (spy->in_flight > spy->in_flight_max) {
        spy->in_flight_max = spy->in_flight;
    }
    if (spy->in_flight > 1 && ((spy->window_messages > 0 && spy->in_flight > spy->window_messages) ||
                               (spy->window_bytes > 0 && spy->bytes_in_flight > spy->window_bytes))) {
        spy->exceeded = true;
    }
    return watch;
}

static void end_send(watch_t *watch)
{
    watch->spy->in_flight--;
    watch->spy->bytes_in_flight -= watch->bytes;
    *watch->from = watch->next;
    if (watch->next != NULL) {
        watch->next->from = watch->from;
    }
    free(watch->changed.base);
    free(watch);
}

static void on_sent(irr_request_t *request, irr_status_t status)
{
    watch_t *watch = (watch_t *)request;
    irr_request_t *outer = watch->outer;

    end_send(watch);
    if (outer != NULL) {
        outer->bytes = outer->length;
        outer->done(outer, status);
    }
}

bool irr_spy_sends_now(void)
{
    return sends_now;
}

bool irr_spy_engine_allocates(void)
{
    return !sends_now;
}

/* ---- operations ---- */

static irr_status_t connect(irr_transport_t *transport, const void *bytes, size_t length, irr_peer_t **peer_p)
{
    irr_spy_t *spy = spy_of(transport);

    spy->connects++;
    if (spy->connects_end != IRR_OK) {
        return spy->connects_end;
    }
    return spy->pass.inner->ops->connect(spy->pass.inner, bytes, length, peer_p);
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_spy_t *spy = spy_of(transport);

    return spy->unreachable ? IRR_ERR_UNREACHABLE : spy->pass.inner->ops->reach(spy->pass.inner, peer);
}

static irr_status_t pass_on(irr_channel_t *channel, watch_t *watch)
{
    irr_status_t status;

    sends_now = true;
    status = irr_pass_inner(channel)->transport->ops->send(irr_pass_inner(channel), &watch->request);
    sends_now = false;
    if (status != IRR_IN_PROGRESS) {
        end_send(watch);
    }
    return status;
}

/* Replaces the message of a send by a changed copy. */
static void change(irr_spy_t *spy, irr_channel_t *channel, watch_t *watch)
{
    irr_request_t *request = &watch->request;
    uint16_t tag = request->tag;
    bool twice;

    watch->changed = copy_message(request, IRR_SPY_ROOM);
    twice = spy->change(spy->context, &tag, watch->changed.base, &watch->changed.length);
    irr_request_set(request, request->peer, tag, &watch->changed, 1, IRR_FORM_IOVEC);
    if (twice) {
        watch_t *second = begin_send(spy, request, NULL);

        second->changed = copy_message(request, 0);
        irr_request_set(&second->request, request->peer, tag, &second->changed, 1, IRR_FORM_IOVEC);
        (void)pass_on(channel, second);
    }
}

static irr_status_t send(irr_channel_t *channel, irr_request_t *request)
{
    irr_spy_t *spy = spy_of(channel->transport);
    watch_t *watch;

    if (spy->sends++ == 0) {
        spy->recvs_at_send = spy->recvs;
    }
    if (spy->sends == spy->refuse_send) {
        spy->refused = true;
        return spy->refusal;
    }
    if (spy->on_send != NULL) {
        spy->on_send(spy->context, request->peer, request->tag, request->iov, request->count);
    }
    watch = begin_send(spy, request, request);
    if (spy->change != NULL) {
        change(spy, channel, watch);
    }
    return pass_on(channel, watch);
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_spy_t *spy = spy_of(channel->transport);

    if (++spy->recvs == spy->refuse_recv) {
        return spy->refusal;
    }
    return spy->pass.inner->ops->recv(irr_pass_inner(channel), request);
}

static irr_status_t discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    irr_spy_t *spy = spy_of(transport);

    if (spy->busy_discards > 0) {
        spy->busy_discards--;
        return IRR_IN_PROGRESS;
    }
    return spy->pass.inner->ops->discard(spy->pass.inner, id, tag, mask, count);
}

/* Frees the spy. Drops the sends that are still in flight. */
static void free_spy(irr_transport_t *transport)
{
    while (spy_of(transport)->watches != NULL) {
        end_send(spy_of(transport)->watches);
    }
    irr_pass_free(transport);
}

irr_spy_t *irr_spy_create(irr_transport_t *inner)
{
    irr_spy_t *spy = irr_alloc_zero(1, sizeof(*spy));

    if (spy == NULL) {
        abort();
    }
    irr_pass_init(&spy->pass, inner);
    spy->pass.ops.connect = connect;
    spy->pass.ops.reach = reach;
    spy->pass.ops.send = send;
    spy->pass.ops.recv = recv;
    spy->pass.ops.discard = discard;
    spy->pass.ops.free = free_spy;
    return spy;
}
