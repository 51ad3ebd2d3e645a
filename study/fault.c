/*
 * fault.c - a transport that misbehaves within the contract: it passes everything on to another one, but holds
 * sends back and fails operations, by a plan and a seed.
 *
 * A send that is held is pending for its caller, so its pieces stay where they are and its request is ours: the
 * request keeps the arguments of the call until progress hands them on, and nothing is copied or allocated.
 * What is held for different times overtakes each other, but a message never leaves before one that was sent
 * earlier to the same peer with the same tag: that one waits behind it.  A process connected twice is two peers.
 *
 * A recv that fails takes no message, another one may have it.  A message that probe found must be consumed in
 * every case, so that of a recv_message that fails is received and thrown away.
 *
 * Cost: a send and a round are linear in the sends held, as is each send that leaves.
 */
#include "study/fabric.h"

#include "core/alloc.h"
#include "core/random.h"

/* A send that is held, in irr_request_t.reserved; so it may alias what the caller declared there. */
typedef struct slot {
    struct slot     *next;
    irr_peer_t      *peer;
    uint64_t         tag;
    const irr_iov_t *iov;
    size_t           count;
    size_t           due;     /* the first round in which it may leave; SIZE_MAX: none */
    irr_form_t       form;
    irr_status_t     status;  /* for `done`; of a held one IRR_OK, or the failure that is planned for it */
} __attribute__((may_alias)) slot_t;

_Static_assert(sizeof(slot_t) <= sizeof(((irr_request_t *)0)->reserved), "slot must fit the request");

/* First in, first out, but for those that leave early.  Must not be moved: tail may point into it. */
typedef struct queue {
    slot_t  *head;
    slot_t **tail;
} queue_t;

typedef struct fault {
    irr_transport_t  super;
    irr_transport_t *inner;
    irr_fault_t      plan;
    uint64_t         random;       /* state of the generator */
    size_t           round, sends, recvs;
    queue_t          held;
    queue_t          finished;     /* over, but `done` is not called yet */
    irr_request_t    drop;         /* receives the message of a recv_message that fails */
    bool             dropping;
    bool             closed;
} fault_t;

static fault_t *fault_of(irr_transport_t *transport)
{
    return (fault_t *)transport;
}

/* ---- queues ---- */

static void queue_init(queue_t *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
}

static void push(queue_t *queue, slot_t *slot)
{
    slot->next = NULL;
    *queue->tail = slot;
    queue->tail = &slot->next;
}

/* Takes out the slot that *link points to. */
static slot_t *take(queue_t *queue, slot_t **link)
{
    slot_t *slot = *link;

    *link = slot->next;
    if (queue->tail == &slot->next) {
        queue->tail = link;
    }
    return slot;
}

static slot_t *slot_of(irr_request_t *request)
{
    return (slot_t *)request->reserved;
}

static irr_request_t *request_of(slot_t *slot)
{
    return (irr_request_t *)((char *)slot - offsetof(irr_request_t, reserved));
}

/* ---- held sends ---- */

/* The one that all others to this peer with this tag wait for; NULL if none is held. */
static slot_t *first_held(const fault_t *fault, const irr_peer_t *peer, uint64_t tag)
{
    slot_t *slot = fault->held.head;

    while (slot != NULL && (slot->peer != peer || slot->tag != tag)) {
        slot = slot->next;
    }
    return slot;
}

/* Hands one on that is out of the queue.  What is over at once is finished by progress. */
static void pass(fault_t *fault, slot_t *slot)
{
    irr_transport_t *inner = fault->inner;
    slot_t call = *slot;   /* the request is the inner transport's from here on */
    irr_status_t status = call.status;

    if (status == IRR_OK) {
        status = inner->ops->send(inner, call.peer, call.tag, call.iov, call.count, call.form, request_of(slot));
    }
    if (status != IRR_IN_PROGRESS) {
        slot->status = status;
        push(&fault->finished, slot);
    }
}

/* Hands on what is due, or all that is held; returns how many. */
static unsigned pass_due(fault_t *fault, bool all)
{
    slot_t **link = &fault->held.head;
    unsigned passed = 0;

    while (*link != NULL) {
        slot_t *slot = *link;

        if (all || (slot->due <= fault->round && first_held(fault, slot->peer, slot->tag) == slot)) {
            pass(fault, take(&fault->held, link));
            passed++;
        } else {
            link = &slot->next;
        }
    }
    return passed;
}

static void finish(fault_t *fault)
{
    while (fault->finished.head != NULL) {
        slot_t *slot = take(&fault->finished, &fault->finished.head);
        irr_request_t *request = request_of(slot);

        request->done(request, slot->status);
    }
}

/* For how many rounds the plan holds the send that is counted last. */
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
    push(&fault->held, slot);
}

/* ---- operations ---- */

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    return inner->ops->address(inner, address_p, length_p);
}

static irr_status_t connect(irr_transport_t *transport, const void *bytes, size_t length, irr_peer_t **peer_p)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    return inner->ops->connect(inner, bytes, length, peer_p);
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    return inner->ops->reach(inner, peer);
}

static irr_status_t send(irr_transport_t *transport, irr_peer_t *peer, uint64_t tag, const irr_iov_t *iov,
                         size_t count, irr_form_t form, irr_request_t *request)
{
    fault_t *fault = fault_of(transport);
    irr_transport_t *inner = fault->inner;
    irr_status_t status = ++fault->sends == fault->plan.fail_send ? fault->plan.failure : IRR_OK;
    size_t rounds = draw_rounds(fault);

    if (!fault->closed && (rounds > 0 || first_held(fault, peer, tag) != NULL)) {
        *slot_of(request) = (slot_t){
            .peer = peer, .tag = tag, .iov = iov, .count = count, .form = form, .status = status
        };
        hold(fault, slot_of(request), rounds);
        return IRR_IN_PROGRESS;
    }
    return status != IRR_OK ? status : inner->ops->send(inner, peer, tag, iov, count, form, request);
}

static irr_status_t recv(irr_transport_t *transport, uint64_t tag, const irr_iov_t *iov, size_t count,
                         irr_form_t form, irr_request_t *request)
{
    fault_t *fault = fault_of(transport);

    if (++fault->recvs == fault->plan.fail_recv) {
        return fault->plan.failure;
    }
    return fault->inner->ops->recv(fault->inner, tag, iov, count, form, request);
}

static irr_status_t probe(irr_transport_t *transport, uint64_t tag, uint64_t mask, irr_message_t *message)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    return inner->ops->probe(inner, tag, mask, message);
}

static void on_dropped(irr_request_t *request, irr_status_t status)
{
    fault_t *fault = (fault_t *)((char *)request - offsetof(fault_t, drop));

    (void)status;
    fault->dropping = false;
}

static void drop(fault_t *fault, const irr_message_t *message)
{
    static const irr_iov_t sink = { .base = NULL, .length = IRR_SINK_BYTES };
    irr_status_t status;

    fault->drop.done = on_dropped;
    status = fault->inner->ops->recv_message(fault->inner, message, &sink, 1, IRR_FORM_GATHER, &fault->drop);
    fault->dropping = status == IRR_IN_PROGRESS;
}

static irr_status_t recv_message(irr_transport_t *transport, const irr_message_t *message, const irr_iov_t *iov,
                                 size_t count, irr_form_t form, irr_request_t *request)
{
    fault_t *fault = fault_of(transport);

    if (++fault->recvs == fault->plan.fail_recv) {
        drop(fault, message);
        return fault->plan.failure;
    }
    return fault->inner->ops->recv_message(fault->inner, message, iov, count, form, request);
}

/* Receives alone can be canceled, and none of them is held. */
static void cancel(irr_transport_t *transport, irr_request_t *request)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    inner->ops->cancel(inner, request);
}

static bool busy(const fault_t *fault)
{
    return fault->held.head != NULL || fault->finished.head != NULL;
}

/* A round that only waits counts as one event: whoever sees none may conclude that nothing will happen. */
static unsigned progress(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);
    unsigned events = busy(fault) ? 1 : 0;

    fault->round++;
    events += pass_due(fault, false);
    finish(fault);
    return events + fault->inner->ops->progress(fault->inner);
}

/* The event of the inner transport knows nothing of what is held. */
static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    fault_t *fault = fault_of(transport);

    if (fault->super.caps.wakes && busy(fault)) {
        return IRR_IN_PROGRESS;
    }
    return fault->inner->ops->arm(fault->inner, fd_p);
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    irr_transport_t *inner = fault_of(transport)->inner;

    inner->ops->statistics(inner, endpoints, bytes_gathered);
}

/* Nothing is held from here on, so neither drain nor free has anything to hand on. */
static void close_endpoints(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);

    fault->closed = true;
    pass_due(fault, true);
    fault->inner->ops->close(fault->inner);
}

static irr_status_t drain(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);
    irr_status_t status = fault->inner->ops->drain(fault->inner);

    return status == IRR_OK && (busy(fault) || fault->dropping) ? IRR_IN_PROGRESS : status;
}

static void free_transport(irr_transport_t *transport)
{
    fault_t *fault = fault_of(transport);

    fault->inner->ops->free(fault->inner);
    irr_free(fault);
}

static bool allowed(const irr_fault_t *plan)
{
    bool fails = plan->fail_send > 0 || plan->fail_recv > 0;

    return plan->hold_percent <= 100 && (plan->hold_percent == 0 || plan->hold_rounds > 0) &&
           (plan->delay_send == 0 || plan->delay_rounds > 0) && (!fails || plan->failure < IRR_OK);
}

irr_status_t irr_fault_open(irr_transport_t *inner, const irr_fault_t *plan, irr_transport_t **transport_p)
{
    static const irr_transport_ops_t ops = {
        .address = address,
        .connect = connect,
        .reach = reach,
        .send = send,
        .recv = recv,
        .probe = probe,
        .recv_message = recv_message,
        .cancel = cancel,
        .progress = progress,
        .arm = arm,
        .statistics = statistics,
        .close = close_endpoints,
        .drain = drain,
        .free = free_transport
    };
    fault_t *fault;

    if (!allowed(plan)) {
        return IRR_ERR_BAD_PARAM;
    }
    fault = irr_alloc_zero(1, sizeof(*fault));
    if (fault == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    fault->super.ops = &ops;
    fault->super.caps = inner->caps;
    fault->super.caps.name = "fault";
    fault->inner = inner;
    fault->plan = *plan;
    fault->random = plan->seed;
    queue_init(&fault->held);
    queue_init(&fault->finished);
    *transport_p = &fault->super;
    return IRR_OK;
}
