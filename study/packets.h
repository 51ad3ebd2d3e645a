/*
 * packets.h - simulates messages of TCP through switches whose ports can queue few bytes.
 *
 * Each ordered pair of ranks has a connection, which sends the messages of the pair one after the other, in segments.
 * A segment passes the links of the tree.  The link of the sender's own node has a queue without limit.  Each other
 * link begins at a port of a switch, which drops a segment that exceeds the bytes it can queue (irr_machine_t.buffer).
 * A sender keeps a window of segments in flight.  Links keep the order of segments.  If an acknowledgement shows that a
 * later segment has arrived first, the earlier segment is therefore lost, and the sender sends it again.  If the last
 * segments of a message are lost, no later segment shows the loss.  The sender then sends a probe after two round
 * trips: its next segment, or its last one again.  If no acknowledgement follows, the sender repeats all unacknowledged
 * segments when its timer expires (irr_machine_t.timeout).
 *
 * The window grows by slow start, and shrinks to 0.7 of its size after a loss, as in Linux.  Connections and their
 * windows exist until irr_packets_destroy, beyond the end of an exchange.  Acknowledgements wait in the queues of
 * switches, but do not count towards their length.
 */
#ifndef IRR_PACKETS_H
#define IRR_PACKETS_H

#include "order/tree/tree.h"
#include "problem/machine.h"

typedef struct irr_packets irr_packets_t;

/* An event of a message. */
typedef enum irr_packets_what { IRR_PACKETS_NOTHING, IRR_PACKETS_LEFT, IRR_PACKETS_CAME } irr_packets_what_t;

typedef struct irr_packets_outcome {
    irr_packets_what_t what;      /* LEFT: the last segment has left the sender; CAME: all segments have arrived */
    void              *message;
} irr_packets_outcome_t;

/* Creates the simulation.  The machine and the tree are borrowed.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_packets_create(const irr_machine_t *machine, const irr_tree_t *tree, irr_packets_t **packets_p);
void         irr_packets_destroy(irr_packets_t *packets);

/*
 * Sends a message between two nodes at a time not before the last event.  After IRR_ERR_NO_MEMORY the message is not
 * sent.
 */
irr_status_t irr_packets_send(irr_packets_t *packets, double time, int from, int to, size_t bytes, void *message);

/* Returns the time of the next event, or INFINITY if there is no event. */
double irr_packets_time(irr_packets_t *packets);

/* Handles the next event.  After IRR_ERR_NO_MEMORY the exchange cannot go on. */
irr_status_t irr_packets_step(irr_packets_t *packets, irr_packets_outcome_t *outcome);

/* Returns IRR_ERR_NO_MEMORY if an event found no memory, so that the exchange cannot go on. */
irr_status_t irr_packets_status(const irr_packets_t *packets);

/* Handles all remaining events, and sets the clock to 0.  The windows of connections stay as they are. */
irr_status_t irr_packets_rest(irr_packets_t *packets);

/*
 * Removes and returns a message that has not arrived.  Returns NULL if all messages have arrived.  For exchanges that
 * end early.
 */
void *irr_packets_drop(irr_packets_t *packets);

/* Returns the time in ns that bytes take on a directed edge of the tree. */
double irr_packets_link_ns(const irr_machine_t *machine, const irr_tree_t *tree, int edge, size_t bytes);

#endif
