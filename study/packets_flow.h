/*
 * packets_flow.h - the state that study/packets.c (links) and study/packets_flow.c (senders) share.
 */
#ifndef IRR_PACKETS_FLOW_H
#define IRR_PACKETS_FLOW_H

#include "study/events.h"
#include "study/packets.h"

typedef enum irr_packets_kind {
    IRR_PACKETS_PASSED, IRR_PACKETS_COMES, IRR_PACKETS_TIMER, IRR_PACKETS_DELIVERS
} irr_packets_kind_t;

typedef enum irr_segment_state {
    IRR_SEGMENT_FRESH, IRR_SEGMENT_UNDER_WAY, IRR_SEGMENT_LOST, IRR_SEGMENT_KNOWN
} irr_segment_state_t;

typedef struct irr_segment {
    double   sent;      /* time when it was sent; negative: sent more than once */
    uint32_t order;     /* number of its last transmission */
    uint16_t bytes;
    uint8_t  state;
    bool     arrived;
} irr_segment_t;

typedef struct irr_flow_message {
    size_t end;         /* index after its last segment */
    void  *message;
} irr_flow_message_t;

typedef struct irr_flow {
    int       pair;
    int      *path[2];     /* of segments, and of acknowledgements */
    int       edges[2];
    irr_segment_t *segments;
    uint32_t  *sent;       /* segment of each transmission, by order */
    irr_flow_message_t *messages;
    size_t    nsegments, nmessages, room_segments, room_sent, room_messages;
    size_t    next;        /* segment to send for the first time */
    size_t    known;       /* all segments before it are acknowledged */
    size_t    came;        /* all segments before it have arrived */
    size_t    left, delivered;  /* number of messages that have left; number that were delivered */
    size_t    under_way, lost, lost_from;
    uint32_t  order, newest, judged;
    double    window, threshold, trip, deadline, pending;
    size_t    recover;     /* a loss before this segment is acknowledged counts as the same loss */
    int       backoff;
    bool      probed;
} irr_flow_t;

typedef struct irr_packet {
    struct irr_packet *next;
    irr_flow_t        *flow;
    size_t         segment, known;
    uint32_t       order;
    int            hop;
    bool           back;    /* an acknowledgement */
} irr_packet_t;

typedef struct irr_packets_port {
    irr_packet_t *head, *tail;
    double    bytes;
} irr_packets_port_t;

struct irr_packets {
    const irr_machine_t *machine;
    const irr_tree_t    *tree;
    irr_packets_port_t  *ports;   /* by directed edge */
    irr_flow_t         **flows;   /* by pair */
    irr_packet_t        *spare;
    irr_events_t         events;
    double               now;
    irr_status_t         status;
};

/* ---- links ---- */

/* Adds an event of a pair of ranks.  Without memory, sets packets->status. */
void irr_packets_happens(irr_packets_t *packets, double time, irr_packets_kind_t kind, void *what, int pair);

/* Returns a packet.  Without memory, sets packets->status and returns NULL. */
irr_packet_t *irr_packets_take(irr_packets_t *packets);

/* Puts a packet into the queue of its next link, or drops it. */
void irr_packets_enter(irr_packets_t *packets, irr_packet_t *packet);

/* ---- senders ---- */

/* Sends the segments that the window allows. */
void irr_flow_send(irr_packets_t *packets, irr_flow_t *flow);

/*
 * Handles the timer event of this time: sends a probe, sends everything again, or does nothing if the deadline moved.
 */
void irr_flow_expire(irr_packets_t *packets, irr_flow_t *flow, double time);

/* Handles an acknowledgement. */
void irr_flow_hear(irr_packets_t *packets, const irr_packet_t *packet);

#endif
