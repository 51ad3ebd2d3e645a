/*
 * timed.c - the simulated network; see timed.h.
 *
 * Events are handled in the order of time (study/events.h).  The events of a message are: it leaves its rank (LEAVES),
 * it has passed its first link (HAS_LEFT), it reaches its next link (COMES), it arrives (ARRIVES).  In a rendezvous the
 * receiver also answers the question of the sender (ANSWERS).
 *
 * Events of equal times are sorted by a hash of sender and receiver.  Without the hash, the messages of rank 0 would
 * always be first when all ranks send at the same time.  The hash has no seed, so a repeated simulation has the same
 * result.
 */
#include "study/timed.h"

#include "core/alloc.h"
#include "study/events.h"

#include <math.h>

/* Longest message in bytes whose send completes at once.  A longer send completes when the message has left. */
#define EAGER_MAX 8192

/* Bytes of the question and of the answer of a rendezvous; see timed.h. */
#define CONTROL_BYTES 64

typedef enum kind { LEAVES, COMES, ARRIVES, HAS_LEFT, ANSWERS } kind_t;

struct irr_timed {
    irr_timed_config_t config;
    double            *busy;    /* by directed edge: time until which it transmits its last message */
    int               *path;
    irr_events_t       events;
    size_t             needed;  /* upper bound of the number of events that can be queued at once */
    irr_status_t       status;
};

/* ---- events ---- */

/* Returns a hash of the pair of ranks.  An order by this hash favours no rank. */
static uint32_t shuffled(const irr_timed_message_t *message)
{
    const uint64_t pair = (uint64_t)message->from << 32 | (uint32_t)message->to;

    return (uint32_t)((pair * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * UINT32_C(0x85ebca6b);
}

static void happens(irr_timed_t *timed, double time, kind_t kind, irr_timed_message_t *message)
{
    irr_events_add(&timed->events, (irr_event_t){
        .time = time, .kind = (int)kind, .what = message, .pair = shuffled(message) });
}

/* ---- the cost of messages ---- */

bool irr_timed_is_inside(const irr_timed_t *timed, int a, int b)
{
    const irr_tree_t *tree = timed->config.tree;

    return tree->parent[irr_tree_leaf(tree, a)] == tree->parent[irr_tree_leaf(tree, b)];
}

double irr_timed_copy_ns(const irr_timed_t *timed, size_t bytes)
{
    return (double)bytes * 1e3 / (double)timed->config.machine->copy;
}

double irr_timed_end_ns(const irr_timed_t *timed, bool inside, size_t bytes, size_t pieces)
{
    const irr_machine_t *machine = timed->config.machine;
    double ns = (double)(inside ? machine->node_message : machine->message) / 2;

    ns += pieces > 1 ? (double)pieces * (double)machine->piece : 0;
    return ns + (inside || pieces > 1 ? irr_timed_copy_ns(timed, bytes) : 0);
}

bool irr_timed_waits(bool inside, size_t bytes)
{
    return !inside && bytes > EAGER_MAX;
}

/* ---- messages ---- */

/* Returns the number of events of a message: one, or two if its sender waits. */
static size_t events_of(const irr_timed_message_t *message)
{
    return irr_timed_waits(message->inside, message->bytes) ? 2 : 1;
}

irr_status_t irr_timed_send(irr_timed_t *timed, double time, const irr_timed_message_t *sent)
{
    const irr_timed_config_t *config = &timed->config;
    irr_timed_message_t *message;

    if (irr_events_reserve(&timed->events, timed->needed + 2 + (size_t)config->tree->ranks) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    message = irr_alloc(1, sizeof(*message));
    if (message == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    *message = *sent;
    message->tail = time;
    message->next = 0;
    message->asks = config->packets != NULL && !message->inside && config->ask_from > 0 &&
        message->bytes >= config->ask_from;
    message->answered = false;
    timed->needed += events_of(message);
    happens(timed, time, LEAVES, message);
    return IRR_OK;
}

void irr_timed_take(irr_timed_t *timed, irr_timed_message_t *message)
{
    timed->needed -= events_of(message);
    irr_free(message);
}

void irr_timed_answer(irr_timed_t *timed, irr_timed_message_t *message, double time)
{
    message->answered = true;
    happens(timed, time, ANSWERS, message);
}

/* Passes a message, or the question or the answer of a rendezvous, to the simulation of packets. */
static void hand_over(irr_timed_t *timed, irr_timed_message_t *message, double time)
{
    const bool back = message->asks && message->answered;

    timed->status = irr_packets_send(timed->config.packets, time, back ? message->to : message->from,
                                     back ? message->from : message->to,
                                     message->asks ? CONTROL_BYTES : message->bytes, message);
    if (timed->status != IRR_OK) {
        irr_free(message);
    }
}

/* Passes a message over its next link.  The first link adds the latency. */
static void pass(irr_timed_t *timed, irr_timed_message_t *message, double time)
{
    const irr_timed_config_t *config = &timed->config;
    const int edges = irr_tree_link_path(config->tree, message->from, message->to, timed->path);
    const int edge = timed->path[message->next];
    const bool first = message->next == 0, last = message->next == edges - 1;
    const double latency = first ? (double)config->machine->latency : 0;
    const double begin = time > timed->busy[edge] ? time : timed->busy[edge];
    const double end = begin + irr_packets_link_ns(config->machine, config->tree, edge, message->bytes);

    timed->busy[edge] = end;
    message->next++;
    if (first && irr_timed_waits(message->inside, message->bytes)) {
        irr_events_add(&timed->events, (irr_event_t){ .time = end, .kind = HAS_LEFT, .what = message });
    }
    message->tail = (end > message->tail ? end : message->tail) + latency;
    happens(timed, last ? message->tail : begin + latency, last ? ARRIVES : COMES, message);
}

void irr_timed_go(irr_timed_t *timed, irr_timed_message_t *message)
{
    const double time = message->tail;

    if (message->inside) {
        happens(timed, time + (double)timed->config.machine->node_latency, ARRIVES, message);
    } else if (timed->config.packets != NULL) {
        hand_over(timed, message, time);
    } else if (irr_events_is_first(&timed->events, time, shuffled(message))) {
        pass(timed, message, time);   /* an event COMES would be handled next, so none is added */
    } else {
        happens(timed, time, COMES, message);
    }
}

static irr_timed_event_t step_packets(irr_timed_t *timed, double time)
{
    irr_packets_outcome_t outcome;
    irr_timed_message_t *message;
    irr_timed_event_t event = { .what = IRR_TIMED_NOTHING, .time = time };

    timed->status = irr_packets_step(timed->config.packets, &outcome);
    event.message = message = outcome.message;
    if (outcome.what == IRR_PACKETS_CAME && message->asks && message->answered) {
        message->asks = false;
        hand_over(timed, message, time);
    } else if (outcome.what == IRR_PACKETS_CAME) {
        event.what = IRR_TIMED_ARRIVED;
    } else if (outcome.what == IRR_PACKETS_LEFT && !message->asks &&
               irr_timed_waits(message->inside, message->bytes)) {
        event.what = IRR_TIMED_SENT;
    }
    return event;
}

static irr_timed_event_t step_event(irr_timed_t *timed)
{
    const irr_event_t next = irr_events_take(&timed->events);
    irr_timed_event_t event = { .what = IRR_TIMED_NOTHING, .time = next.time, .message = next.what };

    switch ((kind_t)next.kind) {
    case LEAVES:   event.what = IRR_TIMED_LEAVES; break;
    case COMES:    pass(timed, event.message, event.time); break;
    case ARRIVES:  event.what = IRR_TIMED_ARRIVED; break;
    case HAS_LEFT: event.what = IRR_TIMED_SENT; break;
    case ANSWERS:  hand_over(timed, event.message, event.time); break;
    }
    return event;
}

bool irr_timed_step(irr_timed_t *timed, irr_timed_event_t *event)
{
    irr_packets_t *packets = timed->config.packets;

    *event = (irr_timed_event_t){ .what = IRR_TIMED_NOTHING };
    while (event->what == IRR_TIMED_NOTHING && timed->status == IRR_OK) {
        const double later = packets != NULL ? irr_packets_time(packets) : INFINITY;
        const irr_event_t *first = irr_events_first(&timed->events);

        if (first != NULL && first->time <= later) {
            *event = step_event(timed);
        } else if (later < INFINITY) {
            *event = step_packets(timed, later);
        } else {
            break;
        }
    }
    return event->what != IRR_TIMED_NOTHING;
}

irr_status_t irr_timed_status(const irr_timed_t *timed)
{
    return timed->status == IRR_OK && timed->config.packets != NULL ? irr_packets_status(timed->config.packets)
                                                                    : timed->status;
}

/* ---- the fabric ---- */

irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p)
{
    const irr_tree_t *tree = config->tree;
    irr_timed_t *timed = irr_alloc_zero(1, sizeof(*timed));
    irr_status_t status = timed != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    if (status == IRR_OK) {
        status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
            IRR_ARRAY(timed->busy, 2 * (size_t)tree->links), IRR_ARRAY(timed->path, (size_t)tree->longest) }));
    }
    if (status != IRR_OK) {
        irr_free(timed);
        return status;
    }
    timed->config = *config;
    *timed_p = timed;
    return IRR_OK;
}

void irr_timed_destroy(irr_timed_t *timed)
{
    void *message;

    if (timed == NULL) {
        return;
    }
    while (irr_events_first(&timed->events) != NULL) {
        const irr_event_t event = irr_events_take(&timed->events);

        if (event.kind != HAS_LEFT) {   /* its message has another event */
            irr_free(event.what);
        }
    }
    while (timed->config.packets != NULL && (message = irr_packets_drop(timed->config.packets)) != NULL) {
        irr_free(message);
    }
    irr_free(timed->busy);   /* also frees the path */
    irr_events_fini(&timed->events);
    irr_free(timed);
}
