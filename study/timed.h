/*
 * timed.h - simulates the network between the ranks of a job: a message takes time, but no bytes are moved.
 *
 * The caller keeps a clock for each rank.  For each message it adds the processor time at both ends (irr_timed_end_ns)
 * to the clocks of sender and receiver.  A message between nodes passes the links of the tree of switches.  A link
 * transmits messages one after the other, in the order in which they reach it.  When a link begins to transmit a
 * message, the first byte reaches the next link.  The message arrives when all links have transmitted it.
 *
 * With packets (study/packets.h), messages between nodes are sent in segments by TCP, and queues of switches can
 * overflow.  A long message is then a rendezvous: its sender first sends a question to the receiver, and sends the
 * message when the answer has arrived.  Question and answer wait in queues behind other messages.
 *
 * Without packets, long messages are sent without a rendezvous.
 */
#ifndef IRR_TIMED_H
#define IRR_TIMED_H

#include "order/tree/tree.h"
#include "problem/machine.h"
#include "study/packets.h"

typedef struct irr_timed irr_timed_t;

typedef struct irr_timed_config {
    const irr_machine_t *machine;      /* machine and tree are borrowed */
    const irr_tree_t    *tree;         /* the ranks on their nodes; the base speed is the bandwidth of the machine */
    void               (*progress)(void);   /* called every few thousand events of a simulation; or NULL */
    size_t               ask_from;     /* with packets: length in bytes from which a message between nodes is a
                                          rendezvous; 0: no message is */
    irr_packets_t       *packets;      /* simulates the packets on this tree; NULL: messages are not divided */
} irr_timed_config_t;

typedef struct irr_timed_message {
    size_t   bytes;
    int      from, to;
    uint32_t step;       /* the caller defines the meaning of step, receive and kind */
    uint32_t receive;
    uint16_t stage;
    uint8_t  kind;
    bool     inside;     /* both ranks are on one node */
    bool     asks;       /* the message is a rendezvous whose sender does not have the answer yet */
    bool     answered;   /* set by irr_timed_answer: the receiver has sent the answer */
    uint8_t  next;       /* private: number of links that the message has passed */
    double   tail;       /* private: time when its last byte has passed the links so far */
} irr_timed_message_t;

typedef enum irr_timed_what {
    IRR_TIMED_NOTHING,
    IRR_TIMED_LEAVES,    /* the message leaves its rank; the caller must call irr_timed_go */
    IRR_TIMED_SENT,      /* the message has passed its first link, for which its sender waits (irr_timed_waits) */
    IRR_TIMED_ARRIVED    /* the message has arrived; the caller must call irr_timed_take, or irr_timed_answer if the
                            message asks */
} irr_timed_what_t;

typedef struct irr_timed_event {
    irr_timed_what_t     what;
    double               time;
    irr_timed_message_t *message;
} irr_timed_event_t;

/* Creates a simulated network without messages.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_timed_create(const irr_timed_config_t *config, irr_timed_t **timed_p);

/* Frees the network and its messages, except those that have arrived. */
void irr_timed_destroy(irr_timed_t *timed);

/* Returns whether two ranks are on one node. */
bool irr_timed_is_inside(const irr_timed_t *timed, int a, int b);

/* Returns whether the send of a message completes only when the message has passed its first link. */
bool irr_timed_waits(bool inside, size_t bytes);

/* Returns the time in ns of a local copy. */
double irr_timed_copy_ns(const irr_timed_t *timed, size_t bytes);

/*
 * Returns the processor time in ns of a message at one of its ends.  pieces: number of pieces of the message at this
 * end; several pieces are copied together or apart.  Inside a node (inside) both ends copy the message.
 */
double irr_timed_end_ns(const irr_timed_t *timed, bool inside, size_t bytes, size_t pieces);

/*
 * Adds a message that will leave its rank at this time, which must not be before the last event.  At most one message
 * of each rank may wait to leave.  After IRR_ERR_NO_MEMORY nothing has changed.
 */
irr_status_t irr_timed_send(irr_timed_t *timed, double time, const irr_timed_message_t *sent);

/* Sends a message for which irr_timed_step has returned IRR_TIMED_LEAVES. */
void irr_timed_go(irr_timed_t *timed, irr_timed_message_t *message);

/* Sends the answer of a rendezvous.  The message arrives later. */
void irr_timed_answer(irr_timed_t *timed, irr_timed_message_t *message, double time);

/* Frees a message that has arrived. */
void irr_timed_take(irr_timed_t *timed, irr_timed_message_t *message);

/*
 * Sets *event to the next event that the caller must handle.  Returns false if no message is in flight or
 * irr_timed_status has an error.  O(log n) for n messages in flight.
 */
bool irr_timed_step(irr_timed_t *timed, irr_timed_event_t *event);

/* Returns IRR_ERR_NO_MEMORY if the simulation of packets lacked memory, so that the exchange cannot go on. */
irr_status_t irr_timed_status(const irr_timed_t *timed);

#endif
