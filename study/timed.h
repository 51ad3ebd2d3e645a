/*
 * timed.h - a fabric of ranks in one process on which messages take time and move no bytes: for simulations.
 *
 * Each rank has a clock.  What a message costs its ends is added to their clocks; between nodes it then passes the
 * links of the tree, each of which serves messages in the order in which they come to it, at its speed: the head goes
 * on as soon as a link begins with it, the tail when the slowest one is done.
 *
 * With packets (study/packets.h) messages between nodes go in segments, by TCP, and queues of switches overflow.  A
 * message that asks first (a rendezvous) is sent when its receiver has answered.  Question and answer wait in queues
 * behind other messages.
 *
 * Not simulated, without packets: how a transport asks before long messages.
 */
#ifndef IRR_TIMED_H
#define IRR_TIMED_H

#include "order/tree/tree.h"
#include "problem/machine.h"
#include "study/packets.h"
#include "transport/transport.h"

typedef struct irr_timed irr_timed_t;

typedef struct irr_timed_config {
    const irr_machine_t *machine;      /* borrowed, as is the tree: of the ranks on their nodes */
    const irr_tree_t    *tree;         /* the bandwidth of the machine is that of its base speed */
    void               (*progress)(void);   /* called every few thousand events of a simulation; NULL: nobody asks */
    size_t               ask_from;     /* with packets, messages between nodes of so many bytes ask first; 0: none */
    irr_packets_t       *packets;      /* between nodes messages are sent as packets, of this tree; NULL: as a whole */
} irr_timed_config_t;

/* IRR_ERR_NO_MEMORY.  All clocks are 0. */
irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p);

/* Frees what is under way, too. */
void irr_timed_destroy(irr_timed_t *timed);

/* The channel of a rank; its transport can send and receive, and nothing else.  Buffers may be NULL. */
irr_channel_t *irr_timed_channel(irr_timed_t *timed, int rank);

/*
 * Lets the next thing happen: a message arrives, or has left.  Returns the rank that it happened to, which may go on
 * now; -1: nothing is under way, or irr_timed_status fails.  Calls `done`.  O(log n) for n messages under way.
 */
int irr_timed_step(irr_timed_t *timed);

/* IRR_ERR_NO_MEMORY: packets found none, and the exchange cannot go on. */
irr_status_t irr_timed_status(const irr_timed_t *timed);

/* The clock of a rank, in ns; and work that it does. */
double irr_timed_now(const irr_timed_t *timed, int rank);
void   irr_timed_work(irr_timed_t *timed, int rank, double ns);

/* Messages that it has sent. */
size_t irr_timed_messages(const irr_timed_t *timed, int rank);

#endif
