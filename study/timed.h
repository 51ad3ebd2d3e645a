/*
 * timed.h - a fabric of ranks in one process on which messages take time and move no bytes, for simulations.
 *
 * The caller has a clock for each rank, to which it adds the cost of a message at its ends.  Between nodes the message
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

typedef struct irr_timed irr_timed_t;

typedef struct irr_timed_config {
    const irr_machine_t *machine;      /* borrowed, as is the tree of the ranks on their nodes */
    const irr_tree_t    *tree;         /* its base speed is the bandwidth of the machine */
    void               (*progress)(void);   /* called every few thousand events of a simulation; or NULL */
    size_t               ask_from;     /* with packets: shortest message between nodes that is a rendezvous; 0: none */
    irr_packets_t       *packets;      /* of this tree: messages between nodes are packets; NULL: they are whole */
} irr_timed_config_t;

typedef struct irr_timed_message {
    size_t   bytes;
    int      from, to;
    uint32_t step;       /* the caller defines the meaning of step, receive and kind */
    uint32_t receive;
    uint16_t stage;
    uint8_t  kind;
    bool     inside;     /* both ranks are on one node */
    bool     asks;       /* set by the fabric: the question of a rendezvous, until its answer has arrived */
    bool     answered;
    uint8_t  next;       /* private: number of links that it has passed */
    double   tail;       /* private: time when its last byte has passed the links so far */
} irr_timed_message_t;

typedef enum irr_timed_what {
    IRR_TIMED_NOTHING,
    IRR_TIMED_LEAVES,    /* the message leaves its rank; the caller calls irr_timed_go */
    IRR_TIMED_SENT,      /* a message whose sender waits has left */
    IRR_TIMED_ARRIVED    /* the caller calls irr_timed_take; or, if the message asks, irr_timed_answer */
} irr_timed_what_t;

typedef struct irr_timed_event {
    irr_timed_what_t     what;
    double               time;
    irr_timed_message_t *message;
} irr_timed_event_t;

/* Creates a fabric without messages.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p);

/* Frees the fabric and its messages, except those that have arrived. */
void irr_timed_destroy(irr_timed_t *timed);

/* Returns whether two ranks are on one node. */
bool irr_timed_is_inside(const irr_timed_t *timed, int a, int b);

/* Returns whether the sender of a message waits until the message has left. */
bool irr_timed_waits(bool inside, size_t bytes);

/* Returns the time in ns of a local copy. */
double irr_timed_copy_ns(const irr_timed_t *timed, size_t bytes);

/*
 * Returns the cost in ns of a message at one end, which has it in this number of pieces.  Several pieces are gathered
 * or scattered; inside a node both ends copy.
 */
double irr_timed_end_ns(const irr_timed_t *timed, bool inside, size_t bytes, size_t pieces);

/*
 * Adds a message that leaves its rank at a time not before the last event.  At most one message of each rank may wait
 * to leave.  After IRR_ERR_NO_MEMORY nothing has changed.
 */
irr_status_t irr_timed_send(irr_timed_t *timed, double time, const irr_timed_message_t *sent);

/* Puts a message that leaves on its way. */
void irr_timed_go(irr_timed_t *timed, irr_timed_message_t *message);

/* Sends the answer of a rendezvous.  The message arrives later. */
void irr_timed_answer(irr_timed_t *timed, irr_timed_message_t *message, double time);

/* Frees a message that has arrived. */
void irr_timed_take(irr_timed_t *timed, irr_timed_message_t *message);

/*
 * Takes the next event for the caller.  Returns false if no message is in flight or irr_timed_status has an error.
 * O(log n) for n messages in flight.
 */
bool irr_timed_step(irr_timed_t *timed, irr_timed_event_t *event);

/* Returns IRR_ERR_NO_MEMORY if packets found no memory, so that the exchange cannot go on. */
irr_status_t irr_timed_status(const irr_timed_t *timed);

#endif
