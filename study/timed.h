/*
 * timed.h - a simulated network between the ranks of one process.  Messages take time, and move no bytes.
 *
 * The caller keeps a clock for each rank.  For each message it adds the processor time at either end (irr_timed_end_ns)
 * to the clocks of sender and receiver.  A message between nodes passes the links of the tree.  A link transmits
 * messages one after the other, in the order in which they reach it.  The first byte of a message reaches the next link
 * as soon as the previous link begins to transmit the message.  The last byte arrives when the slowest link has
 * transmitted the message.
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
    const irr_machine_t *machine;      /* borrowed, as tree is */
    const irr_tree_t    *tree;         /* the ranks on their nodes; the base speed is the bandwidth of the machine */
    void               (*progress)(void);   /* called every few thousand events of a simulation; or NULL */
    size_t               ask_from;     /* with packets: messages between nodes of at least this length are sent by
                                          rendezvous; 0: none is */
    irr_packets_t       *packets;      /* packets of this tree; NULL: messages are not divided into packets */
} irr_timed_config_t;

typedef struct irr_timed_message {
    size_t   bytes;
    int      from, to;
    uint32_t step;       /* the caller defines the meaning of step, receive and kind */
    uint32_t receive;
    uint16_t stage;
    uint8_t  kind;
    bool     inside;     /* both ranks are on one node */
    bool     asks;       /* set by irr_timed_send, until the sender of a rendezvous has the answer */
    bool     answered;   /* set by irr_timed_answer: the receiver has sent the answer */
    uint8_t  next;       /* private: number of links that the message has passed */
    double   tail;       /* private: time when its last byte has passed the links so far */
} irr_timed_message_t;

typedef enum irr_timed_what {
    IRR_TIMED_NOTHING,
    IRR_TIMED_LEAVES,    /* the message leaves its rank; the caller must call irr_timed_go */
    IRR_TIMED_SENT,      /* the message has left, and its sender was waiting for that */
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

/* Returns whether the sender of a message waits until the message has left. */
bool irr_timed_waits(bool inside, size_t bytes);

/* Returns the time in ns of a local copy. */
double irr_timed_copy_ns(const irr_timed_t *timed, size_t bytes);

/*
 * Returns the cost in ns of a message at one of its ends. pieces: number of pieces of the message at this end; several
 * pieces are gathered or scattered.  Inside a node both ends copy the message.
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

/* Returns IRR_ERR_NO_MEMORY if packets found no memory, so that the exchange cannot go on. */
irr_status_t irr_timed_status(const irr_timed_t *timed);

#endif
