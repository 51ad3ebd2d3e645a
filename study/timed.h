/*
 * timed.h - a fabric of ranks in one process on which messages take time and move no bytes, for simulations.
 *
 * Each rank has a clock.  The cost of a message at its ends is added to their clocks.  Between nodes the message then
 * passes the links of the tree.  A link serves messages in the order in which they reach it, at its speed.  The head of
 * a message reaches the next link as soon as a link begins with the message; the tail arrives when the slowest link has
 * finished.
 *
 * With packets (study/packets.h) messages between nodes go in segments, by TCP, and queues of switches overflow.  A
 * rendezvous first sends a question, and the message when its receiver has answered.  Question and answer wait in
 * queues behind other messages.
 *
 * Not simulated without packets: the rendezvous of long messages.
 */
#ifndef IRR_TIMED_H
#define IRR_TIMED_H

#include "order/tree/tree.h"
#include "problem/machine.h"
#include "study/packets.h"
#include "transport/transport.h"

typedef struct irr_timed irr_timed_t;

typedef struct irr_timed_config {
    const irr_machine_t *machine;      /* borrowed, as is the tree of the ranks on their nodes */
    const irr_tree_t    *tree;         /* its base speed is the bandwidth of the machine */
    void               (*progress)(void);   /* called every few thousand events of a simulation; or NULL */
    size_t               ask_from;     /* with packets: shortest message between nodes that is a rendezvous; 0: none */
    irr_packets_t       *packets;      /* of this tree: messages between nodes are packets; NULL: they are whole */
} irr_timed_config_t;

/* Creates a fabric with all clocks at 0.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p);

/* Frees the fabric and the messages in flight. */
void irr_timed_destroy(irr_timed_t *timed);

/* Returns the channel of a rank.  Its transport can only send and receive.  Buffers may be NULL. */
irr_channel_t *irr_timed_channel(irr_timed_t *timed, int rank);

/*
 * Handles the next event of a rank: a message arrives, or has left.  Calls `done`, and returns the rank, which the
 * caller may progress then.  Returns -1 if no message is in flight or irr_timed_status has an error.  O(log n) for n
 * messages in flight.
 */
int irr_timed_step(irr_timed_t *timed);

/* Returns IRR_ERR_NO_MEMORY if packets found no memory, so that the exchange cannot go on. */
irr_status_t irr_timed_status(const irr_timed_t *timed);

/* Return the clock of a rank, in ns, and add work to it. */
double irr_timed_now(const irr_timed_t *timed, int rank);
void   irr_timed_work(irr_timed_t *timed, int rank, double ns);

/* Returns the number of messages that a rank has sent. */
size_t irr_timed_messages(const irr_timed_t *timed, int rank);

#endif
