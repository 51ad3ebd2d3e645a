/*
 * packets.h - messages as TCP sends them, through switches whose ports queue few bytes.
 *
 * Each ordered pair of ranks has a connection, which carries its messages in order, in segments.  A segment passes the
 * links of the tree.  The link of the sender's own node has a queue without limit; each other link begins at a port of
 * a switch, which drops a segment that exceeds the bytes it can queue (irr_machine_t.buffer).  A sender keeps a window
 * of segments under way.  It sends a lost segment again when three later ones have arrived.  A loss at the end of a
 * message has none behind it; a probe after two round trips, or else the timer (irr_machine_t.timeout), repairs it.
 *
 * The window grows by slow start and shrinks to 0.7 of itself with a loss, as that of Linux does.  It outlives an
 * exchange, as connections do.  Acknowledgements wait in the queues of switches, and take no room there.
 */
#ifndef IRR_PACKETS_H
#define IRR_PACKETS_H

#include "order/tree/tree.h"
#include "problem/machine.h"

typedef struct irr_packets irr_packets_t;

/* What has happened to a message. */
typedef enum irr_packets_what { IRR_PACKETS_NOTHING, IRR_PACKETS_LEFT, IRR_PACKETS_CAME } irr_packets_what_t;

typedef struct irr_packets_told {
    irr_packets_what_t what;      /* its last segment has left the sender, or all of it has arrived */
    void              *message;
} irr_packets_told_t;

/* The machine and the tree are borrowed.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_packets_create(const irr_machine_t *machine, const irr_tree_t *tree, irr_packets_t **packets_p);
void         irr_packets_destroy(irr_packets_t *packets);

/*
 * A message between two nodes is sent at a time that is not before that of the last event.
 * IRR_ERR_NO_MEMORY: it is not taken.
 */
irr_status_t irr_packets_send(irr_packets_t *packets, double time, int from, int to, size_t bytes, void *message);

/* When the next event is; INFINITY: there is none. */
double irr_packets_time(const irr_packets_t *packets);

/* Lets the next event happen.  IRR_ERR_NO_MEMORY: the exchange cannot go on. */
irr_status_t irr_packets_step(irr_packets_t *packets, irr_packets_told_t *told);

/* IRR_ERR_NO_MEMORY: an event found none, and the exchange cannot go on. */
irr_status_t irr_packets_status(const irr_packets_t *packets);

/* Lets what is under way arrive, and sets the clock to 0.  The windows of connections stay. */
irr_status_t irr_packets_rest(irr_packets_t *packets);

/* Takes a message that has not arrived, where the exchange ends early; NULL: there is none. */
void *irr_packets_drop(irr_packets_t *packets);

/* ns that bytes take on a directed edge of the tree. */
double irr_packets_link_ns(const irr_machine_t *machine, const irr_tree_t *tree, int edge, size_t bytes);

#endif
