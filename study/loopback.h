/*
 * loopback.h - private to the transports loopback and fault (fabric.h): the state that loopback.c and loopback_match.c
 * share, and the queues, which fault.c also uses.
 */
#ifndef IRR_LOOPBACK_H
#define IRR_LOOPBACK_H

#include "study/fabric.h"

/* Number of hash buckets for keys; a power of two. */
#define IRR_LOOPBACK_BUCKETS 64

/*
 * An element of a queue: a message, or the slot of a pending request.  Slots are stored in irr_request_t.reserved, so
 * these types may alias the type that is declared there.
 */
typedef struct irr_loopback_item {
    struct irr_loopback_item *next;
    uint64_t                  key;    /* transport/key.h */
} __attribute__((may_alias)) irr_loopback_item_t;

/*
 * A queue: first in, first out, except for items that are removed by key.  A queue must not move in memory, because
 * `tail` may point into it.
 */
typedef struct irr_loopback_queue {
    irr_loopback_item_t  *head;
    irr_loopback_item_t **tail;
    size_t                length;
} irr_loopback_queue_t;

/*
 * A fabric: the ranks of one process, and for each rank a wire with the messages to the rank, in the order in which
 * they were sent.
 */
struct irr_fabric {
    int      ranks;
    bool     shuffles;
    uint64_t random;     /* state of the generator */
    size_t   eager_max;
    struct {
        irr_loopback_queue_t wire;
        bool                 open;
    } ports[];
};

typedef struct irr_loopback_address {
    const irr_fabric_t *fabric;
    intptr_t            rank;    /* as wide as the pointer, so that an address has no padding */
} irr_loopback_address_t;

struct irr_peer {
    irr_peer_t *next;     /* in the list of the transport */
    int         rank;
    bool        open;     /* a message was sent to this peer, or `reach` was called for it */
};

typedef struct irr_loopback {
    irr_transport_t        super;
    irr_fabric_t          *fabric;
    irr_loopback_address_t address;
    irr_peer_t            *peers;
    irr_loopback_queue_t   posted[IRR_LOOPBACK_BUCKETS];      /* receives without a message */
    irr_loopback_queue_t   unexpected[IRR_LOOPBACK_BUCKETS];  /* messages without a receive */
    irr_loopback_queue_t   finished;         /* complete requests; the next progress calls their callback `done` */
    size_t                 sends;            /* number of pending sends, all of which are rendezvous */
    uint64_t               endpoints;        /* number of peers that are open */
    uint64_t               bytes_gathered;   /* bytes of messages of several pieces in the form IRR_FORM_GATHER */
    bool                   closed;           /* sends are refused */
} irr_loopback_t;

/* The state of a pending request, in irr_request_t.reserved. */
typedef struct irr_loopback_slot {
    irr_loopback_item_t item;
    irr_status_t        status;  /* argument of `done`, while in the queue `finished` */
    bool                send;
} __attribute__((may_alias)) irr_loopback_slot_t;

_Static_assert(sizeof(irr_loopback_slot_t) <= sizeof(((irr_request_t *)0)->reserved), "slot must fit the request");

/*
 * A message on a wire, or an unexpected message.  An eager message contains its bytes, and iov is one piece with these
 * bytes.  A rendezvous has the pieces and the request of its sender until it matches a receive.
 */
typedef struct irr_loopback_message {
    irr_loopback_item_t item;
    int                 source;
    irr_form_t          form;
    size_t              bytes;
    const irr_iov_t    *iov;        /* the pieces, `count` of them */
    size_t              count;
    irr_loopback_t     *sender;
    irr_request_t      *request;    /* of the sender; NULL: the message is eager */
    irr_iov_t           whole;      /* an eager message: the piece that iov points to */
    unsigned char       payload[];  /* an eager message: its bytes */
} irr_loopback_message_t;

static inline irr_loopback_t *irr_loopback_of(irr_transport_t *transport)
{
    return (irr_loopback_t *)transport;
}

static inline irr_loopback_slot_t *irr_loopback_slot_of(irr_request_t *request)
{
    return (irr_loopback_slot_t *)request->reserved;
}

/* ---- loopback_match.c: queues, and matching of messages and receives ---- */

void irr_loopback_queue_init(irr_loopback_queue_t *queue);
void irr_loopback_queue_push(irr_loopback_queue_t *queue, irr_loopback_item_t *item);
irr_loopback_item_t *irr_loopback_queue_pop(irr_loopback_queue_t *queue);

/* Returns the link to the first item whose key equals `key` in the bits of mask, or NULL. */
irr_loopback_item_t **irr_loopback_queue_find(irr_loopback_queue_t *queue, uint64_t key, uint64_t mask);

/* Removes the item that *link points to, and returns it. */
irr_loopback_item_t *irr_loopback_queue_unlink(irr_loopback_queue_t *queue, irr_loopback_item_t **link);

/* Removes and returns the first item with this key, or NULL. */
irr_loopback_item_t *irr_loopback_queue_take(irr_loopback_queue_t *queue, uint64_t key);

/* Returns the bucket of a key in posted or unexpected. */
irr_loopback_queue_t *irr_loopback_bucket(irr_loopback_queue_t *buckets, uint64_t key);

/*
 * Copies a message from one list of pieces to another list, whose pieces may have other lengths.  Returns the number of
 * bytes that fit.  If discarded is not NULL, a piece of `to` without a base discards its bytes; their number is added
 * to *discarded.
 */
size_t irr_loopback_move(const irr_iov_t *to, size_t to_count, const irr_iov_t *from, size_t from_count,
                         size_t *discarded);

/* Removes and returns an unexpected message whose key equals `key` in the bits of mask, or NULL. */
irr_loopback_message_t *irr_loopback_take_any(irr_loopback_t *loopback, uint64_t key, uint64_t mask);

/* Moves a message to the pieces of a receive, and frees it.  Sets request->bytes.  Returns the receive's status. */
irr_status_t irr_loopback_consume(irr_loopback_t *loopback, irr_loopback_message_t *message, irr_request_t *request);

/* Cancels the unmatched receives of a channel: the next progress ends them with IRR_ERR_CANCELED. */
void irr_loopback_withdraw(irr_loopback_t *loopback, uint16_t id);

/* Calls `done` of the finished requests.  Returns the number of calls. */
unsigned irr_loopback_finish(irr_loopback_t *loopback);

/* Removes messages from the wire to this rank, and matches them with receives.  Returns the number of messages. */
unsigned irr_loopback_deliver(irr_loopback_t *loopback);

/* Frees all messages of a queue. */
void irr_loopback_free_all(irr_loopback_queue_t *queue);

#endif
