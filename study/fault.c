/*
 * fault.c - a transport that wraps another one, the inner transport, for tests.  It passes operations on, but holds
 * some sends back and lets some operations fail, as irr_fault_t and its seed determine.  It keeps the contract of
 * transports.
 *
 * A held send returns IRR_IN_PROGRESS, so its pieces and its request stay valid until progress passes it on, and
 * nothing is copied or allocated.  Sends that are held for different times overtake each other.  However, a send waits
 * for earlier held sends of its channel to the same rank with the same tag.
 *
 * A failed receive matches no message; the message stays for a later receive.
 *
 * Cost: a send, a round (a call of progress), and each held send that is passed on take time linear in the number of
 * held sends.
 */
#include "study/loopback.h"

#include "core/alloc.h"
#include "core/random.h"
#include "transport/key.h"
#include "transport/pass.h"

/* A held send, in irr_request_t.reserved; the type may therefore alias the type declared there. */
typedef struct slot {
    irr_loopback_item_t item;      /* its key: channel, tag and receiver */
    irr_channel_t      *channel;   /* of the inner transport */
    size_t              due;       /* the first round in which it may leave; SIZE_MAX: never */
    irr_status_t        status;    /* argument of `done`; a held send has IRR_OK or the failure of fail_send */
} __attribute__((may_alias)) slot_t;

_Static_assert(sizeof(slot_t) <= sizeof(((irr_request_t *)0)->reserved), "slot must fit the request");

typedef struct fault {
    irr_pass_t           pass;
    irr_fault_t          plan;
    uint64_t             random;       /* state of the generator */
    size_t               round, sends, recvs;
    irr_loopback_queue_t held;
    irr_loopback_queue_t finished;     /* operations that are complete, but whose `done` was not called yet */
    bool                 closed;
} fault_t;

static fault_t *fault_of(irr_transport_t *transport)
{
    return (fault_t *)transport;
}

static slot_t *slot_of(irr_request_t *request)
{
    return (slot_t *)request->reserved;
}

/* ---- held sends ---- */

/* Returns the first held send to this rank with this tag, or NULL.  Later sends with this key wait for it. */
static const slot_t *first_held(fault_t *fault, uint64_t key)
{
    irr_loopback_item_t **link = irr_loopback_queue_find(&fault->held, key, UINT64_MAX);

    return link != NULL ? (const slot_t *)*link : NULL;
}

/* Passes a send on to the inner transport.  It is not in the queue.  If it completes at once, progress calls `done`. */
static void pass(fault_t *fault, slot_t *slot)
{
    slot_t call = *slot;   /* the request belongs to the inner transport from here on */
    irr_status_t status = call.status;

    if (status == IRR_OK) {
        status = fault->pass.inner->ops->send(call.channel, irr_request_of(slot));
    }
    if (status != IRR_IN_PROGRESS) {
        slot->status = status;
        irr_loopback_queue_push(&fault->finished, &slot->item);
    }
}

static bool is_due(fault_t *fault, const slot_t *slot)
{
    return slot->due <= fault->round && first_held(fault, slot->item.key) == slot;
}

/* Passes the sends that are due on to the inner transport, and returns their number. */
static unsigned pass_due(fault_t *fault)
{
    irr_loopback_item_t **link = &fault->held.head;
    unsigned passed = 0;

    while (*link != NULL) {
        slot_t *slot = (slot_t *)*link;

        if (is_due(fault, slot)) {
            pass(fault, (slot_t *)irr_loopback_queue_unlink(&fault->held, link));
            passed++;
        } else {
            link = &slot->item.next;
        }
    }
    return passed;
}

/* Passes on all held sends of a channel of the inner transport, or of all channels if channel is NULL. */
static void pass_all(fault_t *fault, const irr_channel_t *channel)
{
    for (irr_loopback_item_t *item = fault->held.head; item != NULL; item = item->next) {
        slot_t *slot = (slot_t *)item;

        slot->due = channel == NULL || slot->channel == channel ? 0 : slot->due;
    }
    pass_due(fault);
}

static void finish(fault_t *fault)
{
    slot_t *slot;

    while ((slot = (slot_t *)irr_loopback_queue_pop(&fault->finished)) != NULL) {
        irr_request_t *request = irr_request_of(slot);

        request->done(request, slot->status);
    }
}

/* Returns the number of rounds for which the latest send is held. */
static size_t draw_rounds(fault_t *fault)
{
    const irr_fault_t *plan = &fault->plan;
    size_t rounds = 0;

    if (plan->hold_percent > 0 && irr_random_below(&fault->random, 100) < plan->hold_percent) {
        rounds = 1 + irr_random_below(&fault->random, plan->hold_rounds);
    }
    return fault->sends == plan->delay_send ? plan->delay_rounds : rounds;
}

static void hold(fault_t *fault, slot_t *slot, size_t rounds)
{
    slot->due = rounds < SIZE_MAX - fault->round ? fault->round + rounds : SIZE_MAX;
    irr_loopback_queue_push(&fault->held, &slot->item);
}

/* ---- operations ---- */

static void close_channel(irr_channel_t *channel)
{
    pass_all(fault_of(channel->transport), irr_pass_inner(channel));
    irr_pass_close_channel(channel);
}

static irr_status_t send(irr_channel_t *given, irr_request_t *request)
{
    fault_t *fault = fault_of(given->transport);
    irr_channel_t *channel = irr_pass_inner(given);
    irr_status_t status = ++fault->sends == fault->plan.fail_send ? fault->plan.failure : IRR_OK;
    const size_t rounds = draw_rounds(fault);
    const uint64_t key = irr_key(channel->id, request->tag, request->peer);

    if (!fault->closed && (rounds > 0 || first_held(fault, key) != NULL)) {
        *slot_of(request) = (slot_t){ .item = { .key = key }, .channel = channel, .status = status };
        hold(fault, slot_of(request), rounds);
        return IRR_IN_PROGRESS;
    }
    return status != IRR_OK ? status : fault->pass.inner->ops->send(channel, request);
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    fault_t *fault = fault_of(channel->transport);

    if (++fault->recvs == fault->plan.fail_recv) {
        return fault->plan.failure;
    }
    return fault->pass.inner->ops->recv(irr_pass_inner(channel), request);
}

static bool busy(const fault_t *fault)
{
    return fault->held.head != NULL || fault->finished.head != NULL;
}

/*
 * Returns the number of events.  While sends are held, each round is an event, so that the caller continues to call
 * progress.
 */
static unsigned progress(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);
    unsigned events = busy(fault) ? 1 : 0;

    fault->round++;
    events += pass_due(fault);
    finish(fault);
    return events + fault->pass.inner->ops->progress(fault->pass.inner);
}

/* Arms the inner transport if no send is held: its file descriptor does not signal held sends. */
static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    fault_t *fault = fault_of(transport);

    if (transport->caps.wakes && busy(fault)) {
        return IRR_IN_PROGRESS;
    }
    return fault->pass.inner->ops->arm(fault->pass.inner, fd_p);
}

/* Passes on all held sends first, so that drain and free find none. */
static void close_endpoints(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);

    fault->closed = true;
    pass_all(fault, NULL);
    fault->pass.inner->ops->close(fault->pass.inner);
}

static irr_status_t drain(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);
    irr_status_t status = fault->pass.inner->ops->drain(fault->pass.inner);

    return status == IRR_OK && busy(fault) ? IRR_IN_PROGRESS : status;
}

static bool allowed(const irr_fault_t *plan)
{
    bool fails = plan->fail_send > 0 || plan->fail_recv > 0;

    return plan->hold_percent <= 100 && (plan->hold_percent == 0 || plan->hold_rounds > 0) &&
           (plan->delay_send == 0 || plan->delay_rounds > 0) && (!fails || plan->failure < IRR_OK);
}

irr_status_t irr_fault_open(irr_transport_t *inner, const irr_fault_t *plan, irr_transport_t **transport_p)
{
    irr_transport_ops_t *ops;
    fault_t *fault;

    if (!allowed(plan)) {
        return IRR_ERR_BAD_PARAM;
    }
    fault = irr_alloc_zero(1, sizeof(*fault));
    if (fault == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_pass_init(&fault->pass, inner);
    fault->pass.super.caps.name = "fault";
    ops = &fault->pass.ops;
    ops->close_channel = close_channel;
    ops->send = send;
    ops->recv = recv;
    ops->progress = progress;
    ops->arm = arm;
    ops->close = close_endpoints;
    ops->drain = drain;
    fault->plan = *plan;
    fault->random = plan->seed;
    irr_loopback_queue_init(&fault->held);
    irr_loopback_queue_init(&fault->finished);
    *transport_p = &fault->pass.super;
    return IRR_OK;
}
