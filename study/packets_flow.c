/*
 * packets_flow.c - the senders of TCP: window, losses, timer; see study/packets.h.
 *
 * At most one timer event of a connection is valid, the one at time `pending`; others are ignored.  A deadline before
 * `pending` gets an event of its own, which becomes the valid one.  If the deadline is later than the valid event, the
 * event only adds another one at the deadline.
 */
#include "study/packets_flow.h"

#include "core/alloc.h"

#include <math.h>

#define WINDOW_LEAST 2     /* segments */
#define SHRINKS      0.7   /* factor of the window after a loss, as in the congestion control cubic */
#define GROWS        2     /* growth of the window in a round trip after slow start, in segments */
#define OVERTAKEN    1     /* number of later segments whose arrival shows that a segment is lost */
#define BACKOFF_MOST 64    /* limit of the factor of the timeout */
#define PROBES       100   /* a probe is sent after timeout / PROBES at the earliest */

/* ---- the sender ---- */

static bool may_probe(const irr_flow_t *flow)
{
    return !flow->probed && flow->known >= flow->recover && flow->trip > 0;
}

static void set_timer(irr_packets_t *packets, irr_flow_t *flow)
{
    const double timeout = (double)packets->machine->timeout;

    flow->deadline = INFINITY;
    if (flow->under_way + flow->lost == 0) {
        return;
    }
    flow->deadline = packets->now + (timeout + flow->trip) * flow->backoff;
    if (may_probe(flow)) {
        flow->deadline = packets->now + fmax(2 * flow->trip, timeout / PROBES);
    }
    if (flow->deadline < flow->pending) {
        flow->pending = flow->deadline;
        irr_packets_happens(packets, flow->deadline, IRR_PACKETS_TIMER, flow, flow->pair);
    }
}

static void transmit(irr_packets_t *packets, irr_flow_t *flow, size_t i)
{
    irr_flow_segment_t *segment = &flow->segments[i];
    irr_packet_t *packet = irr_packets_take(packets);

    if (packet == NULL || IRR_GROW(flow->sent, flow->room_sent, (size_t)flow->order + 2) != IRR_OK) {
        packets->status = IRR_ERR_NO_MEMORY;
        irr_free(packet);
        return;
    }
    flow->under_way += segment->state != IRR_FLOW_UNDER_WAY;
    segment->sent = segment->state == IRR_FLOW_FRESH ? packets->now : -1;
    segment->state = IRR_FLOW_UNDER_WAY;
    segment->order = ++flow->order;
    flow->sent[flow->order] = (uint32_t)i;
    *packet = (irr_packet_t){ .flow = flow, .segment = i, .order = flow->order };
    irr_packets_enter(packets, packet);
    set_timer(packets, flow);
}

static size_t take_lost(irr_flow_t *flow)
{
    while (flow->segments[flow->lost_from].state != IRR_FLOW_LOST) {
        flow->lost_from++;
    }
    flow->lost--;
    return flow->lost_from;
}

void irr_flow_send(irr_packets_t *packets, irr_flow_t *flow)
{
    while (packets->status == IRR_OK && (double)flow->under_way < floor(flow->window) &&
           (flow->lost > 0 || flow->next < flow->nsegments)) {
        transmit(packets, flow, flow->lost > 0 ? take_lost(flow) : flow->next++);
    }
}

static void lose(irr_flow_t *flow, size_t i)
{
    flow->segments[i].state = IRR_FLOW_LOST;
    flow->under_way--;
    flow->lost_from = flow->lost++ == 0 || i < flow->lost_from ? i : flow->lost_from;
}

static void expire(irr_packets_t *packets, irr_flow_t *flow)
{
    for (size_t i = flow->known; i < flow->next; i++) {
        if (flow->segments[i].state == IRR_FLOW_UNDER_WAY) {
            lose(flow, i);
        }
    }
    flow->backoff = flow->backoff < BACKOFF_MOST ? 2 * flow->backoff : BACKOFF_MOST;
    flow->threshold = fmax(WINDOW_LEAST, SHRINKS * flow->window);
    flow->window = 1;
    flow->recover = flow->next;
    flow->judged = flow->order;
    flow->probed = false;
    irr_flow_send(packets, flow);
}

/* Sends the next segment, or sends the last segment again. */
static void probe(irr_packets_t *packets, irr_flow_t *flow)
{
    size_t i = flow->next;

    flow->probed = true;
    if (flow->next < flow->nsegments) {
        transmit(packets, flow, flow->next++);
        return;
    }
    while (i > flow->known && flow->segments[i - 1].state != IRR_FLOW_UNDER_WAY) {
        i--;
    }
    if (i > flow->known) {
        transmit(packets, flow, i - 1);
    } else {
        set_timer(packets, flow);
    }
}

void irr_flow_expire(irr_packets_t *packets, irr_flow_t *flow, double time)
{
    if (time != flow->pending) {
        return;
    }
    flow->pending = INFINITY;
    if (packets->now < flow->deadline) {
        if (flow->deadline < INFINITY) {
            flow->pending = flow->deadline;
            irr_packets_happens(packets, flow->deadline, IRR_PACKETS_TIMER, flow, flow->pair);
        }
    } else if (may_probe(flow)) {
        probe(packets, flow);
    } else {
        expire(packets, flow);
    }
}

/* ---- acknowledgements ---- */

/* Marks a segment as acknowledged.  Returns 1 if it was not acknowledged before, otherwise 0. */
static size_t learn(irr_flow_t *flow, size_t i)
{
    irr_flow_segment_t *segment = &flow->segments[i];

    if (segment->state == IRR_FLOW_KNOWN) {
        return 0;
    }
    flow->under_way -= segment->state == IRR_FLOW_UNDER_WAY;
    flow->lost -= segment->state == IRR_FLOW_LOST;
    segment->state = IRR_FLOW_KNOWN;
    return 1;
}

/* Marks segments as lost if later ones were acknowledged.  Only the first loss in a round trip shrinks the window. */
static void judge(irr_flow_t *flow)
{
    for (; flow->judged + OVERTAKEN < flow->newest + 1; flow->judged++) {
        const size_t i = flow->sent[flow->judged];

        if (flow->judged == 0 || flow->segments[i].order != flow->judged ||
            flow->segments[i].state != IRR_FLOW_UNDER_WAY) {
            continue;
        }
        lose(flow, i);
        if (flow->known >= flow->recover) {
            flow->recover = flow->next;
            flow->window = flow->threshold = fmax(WINDOW_LEAST, SHRINKS * flow->window);
        }
    }
}

void irr_flow_hear(irr_packets_t *packets, const irr_packet_t *packet)
{
    irr_flow_t *flow = packet->flow;
    const irr_flow_segment_t *segment = &flow->segments[packet->segment];
    size_t fresh;

    if (segment->sent >= 0 && segment->state == IRR_FLOW_UNDER_WAY) {
        const double trip = packets->now - segment->sent;

        flow->trip = flow->trip > 0 ? 0.875 * flow->trip + 0.125 * trip : trip;
    }
    fresh = learn(flow, packet->segment);
    for (; flow->known < packet->known; flow->known++) {
        fresh += learn(flow, flow->known);
    }
    flow->newest = packet->order > flow->newest ? packet->order : flow->newest;
    if (fresh > 0) {
        flow->backoff = 1;
        flow->probed = false;
    }
    judge(flow);
    if (flow->known >= flow->recover && (double)(flow->under_way + fresh) >= floor(flow->window) - 1) {
        flow->window += flow->window < flow->threshold ? (double)fresh : GROWS * (double)fresh / flow->window;
    }
    irr_flow_send(packets, flow);
    set_timer(packets, flow);
}
