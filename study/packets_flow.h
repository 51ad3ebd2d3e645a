/*
 * packets_flow.h - private to the simulation of TCP (packets.h): the state that packets.c (links and receivers) and
 * packets_flow.c (senders) share.
 *
 * A flow is a connection from one rank to another.  A packet is a transmission of a segment, or an acknowledgement.
 * Times are in ns.  `pair` is the number of an ordered pair of ranks; an event PASSED has the number of the edge
 * instead.
 */
#ifndef IRR_PACKETS_FLOW_H
#define IRR_PACKETS_FLOW_H

#include "study/events.h"
#include "study/packets.h"

/* The kinds of events; `what` of the event is the object in brackets. */
typedef enum irr_packets_kind {
    IRR_PACKETS_PASSED,     /* (port) the first packet in the queue has passed the link */
    IRR_PACKETS_COMES,      /* (packet) the packet reaches its next link, or its end */
    IRR_PACKETS_TIMER,      /* (flow) the timer expires */
    IRR_PACKETS_DELIVERS    /* (flow) one more message has arrived */
} irr_packets_kind_t;

/* What the sender knows of a segment; KNOWN: it is acknowledged. */
typedef enum irr_flow_state {
    IRR_FLOW_FRESH, IRR_FLOW_UNDER_WAY, IRR_FLOW_LOST, IRR_FLOW_KNOWN
} irr_flow_state_t;

typedef struct irr_flow_segment {
    double   sent;      /* time when it was sent; negative: it was sent more than once */
    uint32_t order;     /* number of its last transmission */
    uint16_t bytes;
    uint8_t  state;     /* irr_flow_state_t */
    bool     arrived;
} irr_flow_segment_t;

typedef struct irr_flow_message {
    size_t end;         /* index after its last segment */
    void  *message;
} irr_flow_message_t;

typedef struct irr_flow {
    int       pair;
    int      *path[2];     /* the edges that segments [0] and acknowledgements [1] pass */
    int       edges[2];    /* lengths of the paths */
    irr_flow_segment_t *segments;
    uint32_t  *sent;       /* index of the segment of each transmission */
    irr_flow_message_t *messages;
    size_t    nsegments, nmessages, room_segments, room_sent, room_messages;
    size_t    next;        /* first segment that was never sent */
    size_t    known;       /* first segment that is not acknowledged */
    size_t    came;        /* first segment that has not arrived */
    size_t    left, delivered;  /* number of messages that have left the sender, and that have arrived */
    size_t    under_way, lost;  /* number of segments in these states */
    size_t    lost_from;   /* no segment before it is lost */
    uint32_t  order;       /* number of the last transmission; they count from 1 */
    uint32_t  newest;      /* last transmission that is acknowledged */
    uint32_t  judged;      /* first transmission that was not checked for a loss */
    double    window;      /* maximum of under_way */
    double    threshold;   /* slow start ends at this window */
    double    trip;        /* mean time of a round trip; 0: none was measured */
    double    deadline;    /* when to send a probe or to repeat segments */
    double    pending;     /* time of the valid timer event; INFINITY: there is none */
    size_t    recover;     /* until all segments before it are acknowledged, further losses do not shrink the window */
    int       backoff;     /* factor of the timeout */
    bool      probed;      /* a probe was sent since the last new acknowledgement */
} irr_flow_t;

typedef struct irr_packet {
    struct irr_packet *next;
    irr_flow_t        *flow;
    size_t         segment;
    size_t         known;   /* an acknowledgement: all segments before it have arrived */
    uint32_t       order;   /* number of the transmission */
    int            hop;     /* number of edges passed */
    bool           back;    /* it is an acknowledgement */
} irr_packet_t;

typedef struct irr_packets_port {
    irr_packet_t *head, *tail;   /* the queue; `head` is being transmitted */
    double    bytes;             /* of all packets in the queue */
} irr_packets_port_t;

struct irr_packets {
    const irr_machine_t *machine;
    const irr_tree_t    *tree;
    irr_packets_port_t  *ports;   /* by directed edge */
    irr_flow_t         **flows;   /* by pair */
    irr_packet_t        *spare;   /* packets to use again */
    irr_events_t         events;
    double               now;
    irr_status_t         status;
};

/* ---- links ---- */

/* Adds an event of a pair of ranks.  Without memory, sets packets->status. */
void irr_packets_happens(irr_packets_t *packets, double time, irr_packets_kind_t kind, void *what, int pair);

/* Returns an unused packet.  Without memory, sets packets->status and returns NULL. */
irr_packet_t *irr_packets_take(irr_packets_t *packets);

/* Puts a packet into the queue of its next link, or drops the packet if the queue is full. */
void irr_packets_enter(irr_packets_t *packets, irr_packet_t *packet);

/* ---- senders ---- */

/* Sends the segments that the window allows. */
void irr_flow_send(irr_packets_t *packets, irr_flow_t *flow);

/*
 * Handles a timer event: sends a probe, or repeats all unacknowledged segments.  If the deadline is later than the
 * event, only adds an event for it.  time: the time of the event.
 */
void irr_flow_expire(irr_packets_t *packets, irr_flow_t *flow, double time);

/* Handles an acknowledgement. */
void irr_flow_hear(irr_packets_t *packets, const irr_packet_t *packet);

#endif
