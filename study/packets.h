/*
 * packets.h - simulates TCP through switches whose ports have short queues and drop what does not fit.
 *
 * Each ordered pair of ranks has a connection, which sends the messages of the pair one after the other, in segments.
 * A segment passes the links of the tree of switches.  The first link has a queue without limit at its sender.  Each
 * further link begins at a port of a switch; the port drops a segment if its queue would exceed irr_machine_t.buffer
 * bytes.  The receiver acknowledges each segment.  A sender has at most a window of segments in flight.
 *
 * Links keep the order of segments.  If a segment is acknowledged and an earlier one is not, the earlier one is
 * therefore lost, and the sender sends it again.  If the last segments of a message are lost, no later segment shows
 * the loss.  The sender then sends a probe after two round trips: its next segment, or its last one again.  If no
 * acknowledgement follows, a timer expires (irr_machine_t.timeout), and the sender repeats all unacknowledged segments.
 *
 * The window grows by slow start, and shrinks to 0.7 of its size after a loss, as in Linux.  Connections and their
 * windows exist until irr_packets_destroy, beyond the end of an exchange.  Acknowledgements wait in the queues of
 * switches, but take no room in them.
 */
#ifndef IRR_PACKETS_H
#define IRR_PACKETS_H

#include "order/tree/tree.h"
#include "problem/machine.h"

typedef struct irr_packets irr_packets_t;

/* What happens to a message. */
typedef enum irr_packets_what { IRR_PACKETS_NOTHING, IRR_PACKETS_LEFT, IRR_PACKETS_CAME } irr_packets_what_t;

typedef struct irr_packets_outcome {
    irr_packets_what_t what;      /* LEFT: the last segment has left the sender; CAME: all segments have arrived */
    void              *message;
} irr_packets_outcome_t;

/* Creates the simulation.  The machine and the tree are borrowed.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_packets_create(const irr_machine_t *machine, const irr_tree_t *tree, irr_packets_t **packets_p);
void         irr_packets_destroy(irr_packets_t *packets);

/*
 * Sends a message between ranks of two nodes at this time, which must not be before the last event.  After
 * IRR_ERR_NO_MEMORY the message is not sent.
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
 * Removes and returns a message that has not arrived, so that the caller of a failed exchange can free it.  Returns
 * NULL if all messages have arrived.
 */
void *irr_packets_drop(irr_packets_t *packets);

/* Returns the time in ns that a directed edge of the tree takes to transmit this number of bytes. */
double irr_packets_link_ns(const irr_machine_t *machine, const irr_tree_t *tree, int edge, size_t bytes);

#endif
