/*
 * packets.c - links, receivers and messages; see packets.h.  Senders are in packets_flow.c.
 *
 * Events are handled in the order of time: the first packet in the queue of a link has passed the link, a packet
 * reaches its next link or its receiver, the timer of a connection expires (packets_flow.c), or a message arrives
 * together with an earlier one of its connection (DELIVERS).
 */
#include "study/packets_flow.h"

#include "core/alloc.h"

#include <math.h>

/* Bytes of a message in an Ethernet frame of 1514 bytes. */
#define SEGMENT_BYTES 1446

#define WINDOW_FIRST 10    /* window of a new connection in segments, as in Linux */

double irr_packets_link_ns(const irr_machine_t *machine, const irr_tree_t *tree, int edge, size_t bytes)
{
    const double share = (double)tree->base / (double)tree->speed[edge / 2];

    return (double)bytes * 8e3 / (double)machine->bandwidth * share;
}

/* ---- events and packets ---- */

void irr_packets_happens(irr_packets_t *packets, double time, irr_packets_kind_t kind, void *what, int pair)
{
    irr_events_t *events = &packets->events;

    if (irr_events_reserve(events, events->count + 1) != IRR_OK) {
        packets->status = IRR_ERR_NO_MEMORY;
        if (kind == IRR_PACKETS_COMES) {
            irr_free(what);
        }
        return;
    }
    irr_events_add(events, (irr_event_t){
        .time = time, .kind = (int)kind, .what = what, .pair = (uint32_t)pair * UINT32_C(0x9e3779b1) });
}

irr_packet_t *irr_packets_take(irr_packets_t *packets)
{
    irr_packet_t *packet = packets->spare;

    if (packet == NULL) {
        packet = irr_alloc(1, sizeof(*packet));
    } else {
        packets->spare = packet->next;
    }
    if (packet == NULL) {
        packets->status = IRR_ERR_NO_MEMORY;
    }
    return packet;
}

static void spare_packet(irr_packets_t *packets, irr_packet_t *packet)
{
    packet->next = packets->spare;
    packets->spare = packet;
}

/* ---- links ---- */

static double packet_bytes(const irr_packet_t *packet)
{
    return packet->back ? 0 : packet->flow->segments[packet->segment].bytes;
}

static void serve(irr_packets_t *packets, int edge)
{
    const irr_packet_t *packet = packets->ports[edge].head;

    irr_packets_happens(packets, packets->now + irr_packets_link_ns(packets->machine, packets->tree, edge,
                                                        (size_t)packet_bytes(packet)),
            IRR_PACKETS_PASSED, &packets->ports[edge], edge);
}

/* Only ports of switches drop packets. */
void irr_packets_enter(irr_packets_t *packets, irr_packet_t *packet)
{
    const int edge = packet->flow->path[packet->back][packet->hop];
    irr_packets_port_t *port = &packets->ports[edge];
    const double bytes = packet_bytes(packet);

    if (packet->hop > 0 && bytes > 0 && port->bytes + bytes > (double)packets->machine->buffer) {
        spare_packet(packets, packet);
        return;
    }
    port->bytes += bytes;
    packet->next = NULL;
    if (port->head != NULL) {
        port->tail->next = packet;
        port->tail = packet;
    } else {
        port->head = port->tail = packet;
        serve(packets, edge);
    }
}

/* ---- the receiver ---- */

static void deliver(irr_packets_t *packets, irr_flow_t *flow, irr_packets_outcome_t *outcome)
{
    if (flow->delivered == flow->nmessages || flow->messages[flow->delivered].end > flow->came) {
        return;
    }
    *outcome = (irr_packets_outcome_t){ IRR_PACKETS_CAME, flow->messages[flow->delivered++].message };
    if (flow->delivered < flow->nmessages && flow->messages[flow->delivered].end <= flow->came) {
        irr_packets_happens(packets, packets->now, IRR_PACKETS_DELIVERS, flow, flow->pair);
    }
}

static void receive(irr_packets_t *packets, irr_packet_t *packet, irr_packets_outcome_t *outcome)
{
    irr_flow_t *flow = packet->flow;

    flow->segments[packet->segment].arrived = true;
    while (flow->came < flow->nsegments && flow->segments[flow->came].arrived) {
        flow->came++;
    }
    packet->back = true;
    packet->known = flow->came;
    packet->hop = 1;
    irr_packets_happens(packets, packets->now + (double)packets->machine->latency, IRR_PACKETS_COMES, packet,
                        flow->pair);
    deliver(packets, flow, outcome);
}

/* ---- packets in flight ---- */

static void come(irr_packets_t *packets, irr_packet_t *packet, irr_packets_outcome_t *outcome)
{
    if (packet->hop < packet->flow->edges[packet->back]) {
        irr_packets_enter(packets, packet);
    } else if (packet->back) {
        irr_flow_hear(packets, packet);
        spare_packet(packets, packet);
    } else {
        receive(packets, packet, outcome);
    }
}

/* If the packet has the last segment of a message, reports that the message has left its sender. */
static void count_left(const irr_packet_t *packet, irr_packets_outcome_t *outcome)
{
    irr_flow_t *flow = packet->flow;

    if (flow->left < flow->nmessages && flow->messages[flow->left].end == packet->segment + 1) {
        *outcome = (irr_packets_outcome_t){ IRR_PACKETS_LEFT, flow->messages[flow->left++].message };
    }
}

/* Handles the event that the packet at the head of a link has passed it.  The first link adds the latency. */
static void pass(irr_packets_t *packets, irr_packets_port_t *port, irr_packets_outcome_t *outcome)
{
    irr_packet_t *packet = port->head;
    const double latency = packet->hop == 0 ? (double)packets->machine->latency : 0;

    port->head = packet->next;
    port->bytes -= packet_bytes(packet);
    if (port->head != NULL) {
        serve(packets, (int)(port - packets->ports));
    }
    if (packet->hop++ == 0) {
        count_left(packet, outcome);
    }
    irr_packets_happens(packets, packets->now + latency, IRR_PACKETS_COMES, packet, packet->flow->pair);
}

double irr_packets_time(irr_packets_t *packets)
{
    const irr_event_t *first = irr_events_first(&packets->events);

    return first != NULL ? first->time : INFINITY;
}

irr_status_t irr_packets_step(irr_packets_t *packets, irr_packets_outcome_t *outcome)
{
    const irr_event_t event = irr_events_take(&packets->events);

    *outcome = (irr_packets_outcome_t){ .what = IRR_PACKETS_NOTHING };
    packets->now = event.time;
    switch ((irr_packets_kind_t)event.kind) {
    case IRR_PACKETS_PASSED:   pass(packets, event.what, outcome); break;
    case IRR_PACKETS_COMES:    come(packets, event.what, outcome); break;
    case IRR_PACKETS_TIMER:    irr_flow_expire(packets, event.what, event.time); break;
    case IRR_PACKETS_DELIVERS: deliver(packets, event.what, outcome); break;
    }
    return packets->status;
}

/* ---- messages ---- */

static irr_flow_t *flow_of(irr_packets_t *packets, int from, int to)
{
    const size_t longest = (size_t)packets->tree->longest;
    irr_flow_t **flow_p = &packets->flows[(size_t)from * (size_t)packets->tree->ranks + (size_t)to], *flow = *flow_p;

    if (flow != NULL) {
        return flow;
    }
    flow = irr_alloc_zero(1, sizeof(*flow) + 2 * longest * sizeof(int));
    if (flow == NULL) {
        return NULL;
    }
    *flow = (irr_flow_t){ .pair = from * packets->tree->ranks + to, .window = WINDOW_FIRST, .threshold = INFINITY,
                      .pending = INFINITY,
                      .deadline = INFINITY, .backoff = 1 };
    flow->path[0] = (int *)(flow + 1);
    flow->path[1] = flow->path[0] + longest;
    flow->edges[0] = irr_tree_link_path(packets->tree, from, to, flow->path[0]);
    flow->edges[1] = irr_tree_link_path(packets->tree, to, from, flow->path[1]);
    *flow_p = flow;
    return flow;
}

irr_status_t irr_packets_send(irr_packets_t *packets, double time, int from, int to, size_t bytes, void *message)
{
    irr_flow_t *flow = flow_of(packets, from, to);
    size_t count = bytes > 0 ? (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES : 1, rest = bytes > 0 ? bytes : 1;

    if (flow == NULL || IRR_GROW(flow->segments, flow->room_segments, flow->nsegments + count) != IRR_OK ||
        IRR_GROW(flow->messages, flow->room_messages, flow->nmessages + 1) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    while (count-- > 0) {
        const size_t some = rest < SEGMENT_BYTES ? rest : SEGMENT_BYTES;

        flow->segments[flow->nsegments++] = (irr_flow_segment_t){ .bytes = (uint16_t)some, .state = IRR_FLOW_FRESH };
        rest -= some;
    }
    flow->messages[flow->nmessages++] = (irr_flow_message_t){ .end = flow->nsegments, .message = message };
    packets->now = time;
    irr_flow_send(packets, flow);
    return IRR_OK;
}

irr_status_t irr_packets_status(const irr_packets_t *packets)
{
    return packets->status;
}

/* ---- life ---- */

irr_status_t irr_packets_create(const irr_machine_t *machine, const irr_tree_t *tree, irr_packets_t **packets_p)
{
    irr_packets_t *packets = irr_alloc_zero(1, sizeof(*packets));
    const size_t ranks = (size_t)tree->ranks;

    if (packets == NULL || IRR_ALLOC_ARRAYS(((irr_array_t[]){
            IRR_ARRAY(packets->ports, 2 * (size_t)tree->links),
            IRR_ARRAY(packets->flows, ranks * ranks) })) != IRR_OK) {
        irr_free(packets);
        return IRR_ERR_NO_MEMORY;
    }
    packets->machine = machine;
    packets->tree = tree;
    *packets_p = packets;
    return IRR_OK;
}

static void forget(irr_flow_t *flow)
{
    flow->nsegments = flow->nmessages = flow->next = flow->known = flow->came = flow->left = flow->delivered = 0;
    flow->recover = flow->lost_from = 0;
    flow->order = flow->newest = flow->judged = 0;
    flow->pending = flow->deadline = INFINITY;
}

irr_status_t irr_packets_rest(irr_packets_t *packets)
{
    const size_t pairs = (size_t)packets->tree->ranks * (size_t)packets->tree->ranks;
    irr_packets_outcome_t outcome;
    irr_status_t status = packets->status;

    while (status == IRR_OK && irr_events_first(&packets->events) != NULL) {
        status = irr_packets_step(packets, &outcome);
    }
    for (size_t i = 0; i < pairs; i++) {
        if (packets->flows[i] != NULL) {
            forget(packets->flows[i]);
        }
    }
    packets->now = 0;
    return status;
}

void *irr_packets_drop(irr_packets_t *packets)
{
    const size_t pairs = (size_t)packets->tree->ranks * (size_t)packets->tree->ranks;

    for (size_t i = 0; i < pairs; i++) {
        irr_flow_t *flow = packets->flows[i];

        if (flow != NULL && flow->delivered < flow->nmessages) {
            return flow->messages[flow->delivered++].message;
        }
    }
    return NULL;
}

static void free_list(irr_packet_t *packet)
{
    while (packet != NULL) {
        irr_packet_t *next = packet->next;

        irr_free(packet);
        packet = next;
    }
}

void irr_packets_destroy(irr_packets_t *packets)
{
    if (packets == NULL) {
        return;
    }
    while (irr_events_first(&packets->events) != NULL) {
        const irr_event_t event = irr_events_take(&packets->events);

        if (event.kind == IRR_PACKETS_COMES) {
            irr_free(event.what);
        }
    }
    for (int edge = 0; edge < 2 * packets->tree->links; edge++) {
        free_list(packets->ports[edge].head);
    }
    for (size_t i = 0; i < (size_t)packets->tree->ranks * (size_t)packets->tree->ranks; i++) {
        if (packets->flows[i] != NULL) {
            irr_free(packets->flows[i]->segments);
            irr_free(packets->flows[i]->sent);
            irr_free(packets->flows[i]->messages);
            irr_free(packets->flows[i]);
        }
    }
    free_list(packets->spare);
    irr_events_fini(&packets->events);
    irr_free(packets->ports);   /* also frees the other arrays */
    irr_free(packets);
}
