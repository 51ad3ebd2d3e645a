/*
 * timed.c - the timed fabric; see timed.h.
 *
 * Events are taken earliest first (study/events.h): the next message of a rank leaves, a message reaches its next link,
 * a message arrives, or a message has left the first link and its sender waits for this event.  A message that a rank
 * sends while it handles an event leaves later, at the rank's clock.  It waits in a queue.  Only the next message of a
 * rank is among the events, so the number of events stays small.
 *
 * Events of equal times are sorted by pairs of ranks, in an order that is independent of rank numbers.  Otherwise
 * messages that all ranks send at once would contend at rank 0 first.  Equal runs have equal results.
 */
#include "study/timed.h"

#include "core/alloc.h"
#include "exec/tag.h"
#include "study/events.h"
#include "study/loopback.h"
#include "transport/key.h"

#include <math.h>

/* Longest message in bytes whose send completes at once.  A longer send completes when the message has left. */
#define EAGER_MAX 8192

/* Bytes of the question and of the answer of a rendezvous; see timed.h. */
#define CONTROL_BYTES 64

typedef enum kind { LEAVES, COMES, ARRIVES, HAS_LEFT, ANSWERS } kind_t;
typedef enum phase { DATA, ASKED, ANSWERED } phase_t;

typedef struct message {
    irr_loopback_item_t item;      /* in the queue of its sender, or unexpected */
    int                 from, to;
    size_t              bytes;
    double              time;      /* time when it leaves */
    double              tail;      /* time when its last byte has passed the links so far */
    bool                inside;
    irr_request_t      *waiting;   /* request of its sender, or NULL */
    phase_t             phase;     /* DATA if it is not a rendezvous */
    irr_request_t      *answerer;  /* the receive that has answered, or NULL */
    int                 edges, next;
    int                 path[];
} message_t;

typedef struct port {
    irr_channel_t        channel;
    double               now;
    size_t               messages;
    irr_loopback_queue_t leaving;
    irr_loopback_queue_t posted[IRR_LOOPBACK_BUCKETS], unexpected[IRR_LOOPBACK_BUCKETS];
} port_t;

struct irr_timed {
    irr_transport_t    super;
    irr_timed_config_t config;
    port_t            *ports;
    double            *busy;    /* by directed edge: end of its last message */
    int               *path;
    irr_events_t       events;
    size_t             needed;  /* most events of all messages together, without those that leave */
    irr_status_t       status;
};

/* ---- events ---- */

/* Returns the place of a pair of ranks in an order that is independent of their numbers. */
static uint32_t shuffled(const message_t *message)
{
    const uint64_t pair = (uint64_t)message->from << 32 | (uint32_t)message->to;

    return (uint32_t)((pair * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * UINT32_C(0x85ebca6b);
}

static void happens(irr_timed_t *timed, double time, kind_t kind, message_t *message)
{
    irr_events_add(&timed->events, (irr_event_t){
        .time = time, .kind = (int)kind, .what = message, .pair = shuffled(message), .rank = message->from });
}

/* ---- the cost of messages ---- */

static double copy_ns(const irr_timed_t *timed, size_t bytes)
{
    return (double)bytes * 1e3 / (double)timed->config.machine->copy;
}

/* Returns the cost of a message at one end.  Several pieces are gathered or scattered; inside a node both ends copy. */
static double end_ns(const irr_timed_t *timed, const message_t *message, size_t pieces)
{
    const irr_machine_t *machine = timed->config.machine;
    const uint64_t apiece = message->inside ? machine->node_message : machine->message;
    double ns = (double)apiece / 2;

    ns += pieces > 1 ? (double)pieces * (double)machine->piece : 0;
    return ns + (message->inside || pieces > 1 ? copy_ns(timed, message->bytes) : 0);
}

/* ---- sending ---- */

static bool is_inside(const irr_timed_t *timed, int a, int b)
{
    const irr_tree_t *tree = timed->config.tree;

    return tree->parent[irr_tree_leaf(tree, a)] == tree->parent[irr_tree_leaf(tree, b)];
}

/* Returns the number of events of a message: one, or two if its sender waits. */
static size_t events_of(const message_t *message)
{
    return message->waiting != NULL ? 2 : 1;
}

/* Creates a message, and makes room for its events; nothing else allocates. */
static message_t *create_message(irr_timed_t *timed, int from, irr_request_t *request)
{
    const int to = request->peer;
    const size_t bytes = request->length;
    const bool inside = is_inside(timed, from, to);
    const int edges = inside ? 0 : irr_tree_link_path(timed->config.tree, from, to, timed->path);
    message_t *message;

    if (irr_events_reserve(&timed->events, timed->needed + 2 + (size_t)timed->config.tree->ranks) != IRR_OK) {
        return NULL;
    }
    message = irr_alloc(1, sizeof(*message) + (size_t)edges * sizeof(message->path[0]));
    if (message != NULL) {
        *message = (message_t){ .from = from, .to = to, .bytes = bytes, .inside = inside, .edges = edges };
        message->waiting = !inside && bytes > EAGER_MAX ? request : NULL;
        timed->needed += events_of(message);
        for (int i = 0; i < edges; i++) {
            message->path[i] = timed->path[i];
        }
    }
    return message;
}

static irr_status_t send(irr_channel_t *channel, irr_request_t *request)
{
    irr_timed_t *timed = (irr_timed_t *)channel->transport;
    port_t *port = &timed->ports[channel->rank];
    message_t *message = create_message(timed, channel->rank, request);

    if (message == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    message->item.key = irr_key(0, request->tag, channel->rank);
    message->phase = timed->config.packets != NULL && !message->inside && timed->config.ask_from > 0 &&
                     message->bytes >= timed->config.ask_from ? ASKED : DATA;
    port->now += end_ns(timed, message, request->count);
    port->messages++;
    message->time = port->now;
    irr_loopback_queue_push(&port->leaving, &message->item);
    if (port->leaving.length == 1) {
        happens(timed, message->time, LEAVES, message);
    }
    return message->waiting != NULL ? IRR_IN_PROGRESS : IRR_OK;
}

/* ---- receiving ---- */

/* Completes a receive. */
static irr_status_t take(irr_timed_t *timed, message_t *message, irr_request_t *request)
{
    const size_t room = request->length;
    const irr_status_t status = message->bytes <= room ? IRR_OK : IRR_ERR_TRUNCATE;

    timed->ports[message->to].now += end_ns(timed, message, request->count);
    request->bytes = message->bytes;
    timed->needed -= events_of(message);
    irr_free(message);
    return status;
}

/* Sends the answer of a rendezvous. */
static void answer(irr_timed_t *timed, message_t *message, irr_request_t *request)
{
    message->answerer = request;
    message->phase = ANSWERED;
    happens(timed, timed->ports[message->to].now, ANSWERS, message);
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_timed_t *timed = (irr_timed_t *)channel->transport;
    port_t *port = &timed->ports[channel->rank];
    const uint64_t key = irr_key(0, request->tag, request->peer);
    irr_loopback_item_t *item = irr_loopback_queue_take(irr_loopback_bucket(port->unexpected, key), key);
    irr_loopback_item_t *slot = (irr_loopback_item_t *)request->reserved;

    if (item != NULL && ((message_t *)item)->phase == DATA) {
        return take(timed, (message_t *)item, request);
    }
    slot->key = key;
    if (item != NULL) {
        answer(timed, (message_t *)item, request);
    } else {
        irr_loopback_queue_push(irr_loopback_bucket(port->posted, key), slot);
    }
    return IRR_IN_PROGRESS;
}

static int arrive(irr_timed_t *timed, message_t *message, double time)
{
    const int rank = message->to;
    const uint64_t key = message->item.key;
    port_t *port = &timed->ports[rank];
    irr_request_t *request = message->answerer;
    irr_loopback_item_t *slot =
        request == NULL ? irr_loopback_queue_take(irr_loopback_bucket(port->posted, key), key) : NULL;
    irr_status_t status;

    port->now = port->now > time ? port->now : time;
    if (request == NULL && slot == NULL) {
        irr_loopback_queue_push(irr_loopback_bucket(port->unexpected, key), &message->item);
        return rank;
    }
    request = slot != NULL ? irr_request_of(slot) : request;
    if (message->phase == ASKED) {
        answer(timed, message, request);
        return rank;
    }
    status = take(timed, message, request);
    request->done(request, status);
    return rank;
}

/* ---- messages in flight ---- */

/* Passes a question, an answer (in the other direction) or a message to packets. */
static void hand_over(irr_timed_t *timed, message_t *message, double time)
{
    const bool back = message->phase == ANSWERED;

    timed->status = irr_packets_send(timed->config.packets, time, back ? message->to : message->from,
                                     back ? message->from : message->to,
                                     message->phase == DATA ? message->bytes : CONTROL_BYTES, message);
    if (timed->status != IRR_OK) {
        irr_free(message);
    }
}

/* Handles the event that a message leaves, and adds the event of the sender's next message. */
static void leave(irr_timed_t *timed, message_t *message)
{
    const irr_machine_t *machine = timed->config.machine;
    irr_loopback_queue_t *leaving = &timed->ports[message->from].leaving;
    message_t *next;

    irr_loopback_queue_pop(leaving);
    next = (message_t *)leaving->head;
    if (next != NULL) {
        happens(timed, next->time, LEAVES, next);
    }
    message->tail = message->time;
    if (message->edges > 0 && timed->config.packets != NULL) {
        hand_over(timed, message, message->time);
    } else if (message->edges > 0) {
        happens(timed, message->time, COMES, message);
    } else {
        happens(timed, message->time + (double)machine->node_latency, ARRIVES, message);
    }
}

/* Passes a message over its next link.  The first link adds the latency. */
static void pass(irr_timed_t *timed, message_t *message, double time)
{
    const int edge = message->path[message->next];
    const bool first = message->next == 0, last = message->next == message->edges - 1;
    const double latency = first ? (double)timed->config.machine->latency : 0;
    const double begin = time > timed->busy[edge] ? time : timed->busy[edge];
    const double end = begin + irr_packets_link_ns(timed->config.machine, timed->config.tree, edge, message->bytes);

    timed->busy[edge] = end;
    message->next++;
    if (first && message->waiting != NULL) {
        irr_events_add(&timed->events, (irr_event_t){
            .time = end, .kind = HAS_LEFT, .what = message->waiting, .rank = message->from });
    }
    message->tail = (end > message->tail ? end : message->tail) + latency;
    happens(timed, last ? message->tail : begin + latency, last ? ARRIVES : COMES, message);
}

static int has_left(irr_timed_t *timed, irr_request_t *request, int rank, double time)
{
    port_t *port = &timed->ports[rank];

    port->now = port->now > time ? port->now : time;
    request->done(request, IRR_OK);
    return rank;
}

/* Returns the rank that the event concerns, or -1. */
static int step_packets(irr_timed_t *timed, double time)
{
    irr_packets_outcome_t outcome;
    message_t *message;

    timed->status = irr_packets_step(timed->config.packets, &outcome);
    message = outcome.message;
    if (outcome.what == IRR_PACKETS_CAME && message->phase == ANSWERED) {
        message->phase = DATA;
        hand_over(timed, message, time);
        return -1;
    }
    if (outcome.what == IRR_PACKETS_CAME) {
        return arrive(timed, message, time);
    }
    return outcome.what == IRR_PACKETS_LEFT && message->waiting != NULL && message->phase == DATA
               ? has_left(timed, message->waiting, message->from, time) : -1;
}

static int step_event(irr_timed_t *timed)
{
    const irr_event_t event = irr_events_take(&timed->events);

    switch ((kind_t)event.kind) {
    case LEAVES:   leave(timed, event.what); break;
    case COMES:    pass(timed, event.what, event.time); break;
    case ARRIVES:  return arrive(timed, event.what, event.time);
    case HAS_LEFT: return has_left(timed, event.what, event.rank, event.time);
    case ANSWERS:  hand_over(timed, event.what, event.time); break;
    }
    return -1;
}

int irr_timed_step(irr_timed_t *timed)
{
    irr_packets_t *packets = timed->config.packets;
    int rank = -1;

    while (rank < 0 && timed->status == IRR_OK) {
        const double later = packets != NULL ? irr_packets_time(packets) : INFINITY;

        if (timed->events.count > 0 && timed->events.heap[0].time <= later) {
            rank = step_event(timed);
        } else if (later < INFINITY) {
            rank = step_packets(timed, later);
        } else {
            break;
        }
    }
    return rank;
}

irr_status_t irr_timed_status(const irr_timed_t *timed)
{
    return timed->status == IRR_OK && timed->config.packets != NULL ? irr_packets_status(timed->config.packets)
                                                                    : timed->status;
}

/* ---- the fabric ---- */

static const irr_transport_ops_t ops = { .send = send, .recv = recv };

static void open_port(irr_timed_t *timed, int rank)
{
    port_t *port = &timed->ports[rank];

    irr_channel_init(&port->channel, &timed->super, 0, timed->config.tree->ranks, rank, NULL);
    irr_loopback_queue_init(&port->leaving);
    for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
        irr_loopback_queue_init(&port->posted[i]);
        irr_loopback_queue_init(&port->unexpected[i]);
    }
}

irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p)
{
    const irr_tree_t *tree = config->tree;
    irr_timed_t *timed = irr_alloc_zero(1, sizeof(*timed));
    irr_status_t status = timed != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    if (status == IRR_OK) {
        status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
            IRR_ARRAY(timed->ports, (size_t)tree->ranks), IRR_ARRAY(timed->busy, 2 * (size_t)tree->links),
            IRR_ARRAY(timed->path, (size_t)tree->longest) }));
    }
    if (status != IRR_OK) {
        irr_free(timed);
        return status;
    }
    timed->super.ops = &ops;
    timed->super.caps = (irr_transport_caps_t){
        .name = "timed", .pieces_max = { SIZE_MAX, SIZE_MAX }, .iov_wire_max = SIZE_MAX,
        .zero_copy_min = SIZE_MAX
    };
    timed->config = *config;
    for (int r = 0; r < tree->ranks; r++) {
        open_port(timed, r);
    }
    *timed_p = timed;
    return IRR_OK;
}

/* The next message of a sender is in its queue as well as in the heap, and is freed once. */
void irr_timed_destroy(irr_timed_t *timed)
{
    void *message;

    if (timed == NULL) {
        return;
    }
    for (size_t i = 0; i < timed->events.count; i++) {
        const irr_event_t *event = &timed->events.heap[i];

        if (event->kind == COMES || event->kind == ARRIVES || event->kind == ANSWERS) {
            irr_free(event->what);
        }
    }
    while (timed->config.packets != NULL && (message = irr_packets_drop(timed->config.packets)) != NULL) {
        irr_free(message);
    }
    for (int r = 0; r < timed->config.tree->ranks; r++) {
        irr_loopback_free_all(&timed->ports[r].leaving);
        for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
            irr_loopback_free_all(&timed->ports[r].unexpected[i]);
        }
    }
    irr_free(timed->ports);   /* also frees the other arrays */
    irr_events_fini(&timed->events);
    irr_free(timed);
}

irr_channel_t *irr_timed_channel(irr_timed_t *timed, int rank)
{
    return &timed->ports[rank].channel;
}

double irr_timed_now(const irr_timed_t *timed, int rank)
{
    return timed->ports[rank].now;
}

void irr_timed_work(irr_timed_t *timed, int rank, double ns)
{
    timed->ports[rank].now += ns;
}

size_t irr_timed_messages(const irr_timed_t *timed, int rank)
{
    return timed->ports[rank].messages;
}
