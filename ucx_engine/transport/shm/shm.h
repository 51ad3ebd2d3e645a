/*
 * shm.h - private to transport/shm/: messages between processes of a node through memory that the sender writes and the
 * receiver reads.
 *
 *   lane.c     a ring of slots, and bytes beside it
 *   link.c     what two processes say of each other in their segments, and the way to it
 *   send.c     messages to slots
 *   receive.c  slots to messages
 *   stash.c    messages that wait for a receive
 *   single.c   long messages: the receiver copies them
 *   bell.c     sleep, and waking a process that sleeps
 *   shm.c      the transport
 *
 * Each process has one segment that the others map for reading only (segment.h).  It holds a list of links, one for
 * each process that this one has sent to or received from, so memory grows with partners.
 *
 * A message of up to 56 bytes travels in a slot.  A contiguous message of IRR_SHM_SINGLE_MIN bytes and more, unless its
 * sender asks for the form gather, travels by single copy, which the receiver makes (process_vm_readv), if the kernel
 * permits it.  All others travel in pieces beside the slots.
 *
 * Cost: a short message moves one cache line; half a ring of them moves one more, with the receiver's count.  An
 * unexpected message is copied while a receive waits for another message of the same sender.
 */
#ifndef IRR_SHM_H
#define IRR_SHM_H

#include "transport/shm/lane.h"
#include "transport/shm/lend.h"
#include "transport/shm/segment.h"
#include "transport/key.h"
#include "transport/transport.h"

#define IRR_SHM_TOKENS     16
#define IRR_SHM_SINGLE_MIN ((size_t)16 << 10)

/* Where this process is; its bytes are the address. */
typedef struct irr_shm_address {
    irr_segment_card_t segment;
    irr_lend_card_t    memory;
    uint64_t           bell;   /* descriptor of its pipe; 0: it has none */
    uint64_t           name;   /* like no other one on this node */
} irr_shm_address_t;

/* What a process says of another one, in its segment.  Offsets count from the begin of the segment; 0 is none. */
typedef struct irr_shm_link {
    _Alignas(64) uint64_t name;       /* of the other one */
    uint64_t              reads;      /* 1: this process may read its memory */
    _Atomic uint64_t      next;       /* link */
    _Atomic uint64_t      slots;      /* of the lane to it */
    _Atomic uint64_t      beside;
    _Atomic uint8_t       revoked[IRR_SHM_TOKENS];   /* 1: what the single copy with this token reads is not good */
    _Alignas(64) _Atomic uint32_t taken;   /* slots of the lane from it, */
    _Alignas(64) _Atomic uint32_t ended[IRR_SHM_TOKENS];   /* and single copies, by token */
} irr_shm_link_t;

/* At the begin of a segment. */
typedef struct irr_shm_table {
    _Alignas(64) _Atomic uint64_t first;    /* link */
    _Alignas(64) _Atomic uint32_t asleep;   /* 1: the process waits for its bell */
} irr_shm_table_t;

/* Where the next byte of the pieces of a request is. */
typedef struct irr_shm_cursor {
    size_t index, skip;
    size_t kept;   /* bytes that were copied into pieces so far */
} irr_shm_cursor_t;

/* A message, or a receive, while it is pending: lives in the request. */
typedef struct irr_shm_op {
    struct irr_shm_op *next;
    uint64_t           key;
    size_t             left;   /* bytes to send */
    irr_shm_cursor_t   at;     /* of a receive: once its message comes */
} irr_shm_op_t;

_Static_assert(sizeof(irr_shm_op_t) <= sizeof(((irr_request_t *)0)->reserved), "it lives there");

static inline irr_shm_op_t *irr_shm_op_of(irr_request_t *request)
{
    return (irr_shm_op_t *)request->reserved;
}

static inline irr_request_t *irr_shm_request_of(irr_shm_op_t *op)
{
    return irr_request_of(op);
}

/* First in, first out; zeroed it is empty. */
typedef struct irr_shm_queue {
    irr_shm_op_t *first, **end;
} irr_shm_queue_t;

static inline void irr_shm_push(irr_shm_queue_t *queue, irr_shm_op_t *op)
{
    op->next = NULL;
    *(queue->first != NULL ? queue->end : &queue->first) = op;
    queue->end = &op->next;
}

/* Takes out the one that the link points to. */
static inline irr_shm_op_t *irr_shm_pull(irr_shm_queue_t *queue, irr_shm_op_t **link)
{
    irr_shm_op_t *op = *link;

    *link = op->next;
    if (queue->end == &op->next) {
        queue->end = link;
    }
    return op;
}

/* A message that no receive was posted for. */
typedef struct irr_shm_message irr_shm_message_t;

struct irr_shm_message {
    irr_shm_message_t *next;
    uint64_t           key;
    size_t             total, have;
    irr_shm_op_t      *taker;     /* a receive that waits for the rest of it */
    bool               dropped;   /* nobody wants it; the rest of it is on its way */
    bool               on_heap;   /* not in the room of its peer */
    uint64_t           address;   /* of a single copy; 0: the bytes are here */
    unsigned           token;
    unsigned char      bytes[];
};

typedef struct irr_shm irr_shm_t;

/* What each message needs comes first, so that it lies in few cache lines. */
struct irr_peer {
    irr_lane_in_t          in;
    irr_shm_queue_t        posted, sending;
    size_t                 missing;   /* bytes of what comes in pieces; 0: nothing does */
    irr_shm_t             *shm;
    unsigned               nsingle;
    bool                   active;
    bool                   broken;    /* it does not keep the rules; nothing of it is read any more */
    bool                   spilled;   /* what fills a receive is longer than that */
    irr_shm_link_t        *own;       /* what we say of it; NULL until something is */
    irr_shm_message_t     *unexpected, **unexpected_end;
    irr_view_t             view;      /* of its segment; none until it is needed */
    irr_lane_out_t         out;
    irr_shm_op_t          *filling;   /* the receive, */
    irr_shm_message_t     *stashing;  /* or the message, that the pieces on the lane belong to; NULL both: it is lost */
    size_t                 came;      /* bytes of it in all */
    irr_shm_message_t     *spare;     /* of the room */
    const irr_shm_link_t  *its;       /* what it says of us; NULL: not found yet */
    irr_shm_op_t          *single[IRR_SHM_TOKENS];   /* under way */
    uint32_t               singles[IRR_SHM_TOKENS];  /* so far */
    irr_shm_op_t           stand_in;  /* for messages that were taken back: in `sending` for the rest of one that
                                         has begun, in `single` for those that the receiver has not ended */
    char                  *room;      /* of IRR_LANE_SLOTS messages that wait; NULL: none yet */
    unsigned               used;      /* messages of it that were ever in use */
    const _Atomic uint64_t *look;     /* where its next link shows */
    irr_shm_address_t      address;
    irr_peer_t            *next;
};

struct irr_shm {
    irr_transport_t   super;
    irr_segment_t     segment;
    irr_shm_address_t address;
    uint64_t          word;      /* that others read to find out whether they may */
    irr_peer_t       *peers;
    irr_peer_t      **active;    /* those with something to do: so many, in any order, of room for all */
    size_t            nactive, npeers, active_max;
    irr_shm_link_t   *last;      /* of our list; NULL: there is none */
    uint64_t          lanes, gathered;
    bool              loses;     /* some message was lost: */
    uint64_t          lost[(1 << IRR_CHANNEL_ID_BITS) / 64];   /* a bit for each channel that lost a message */
    bool              closed;
    bool              armed;     /* somebody may sleep until the bell rings */
    int               bell[2];   /* a pipe: what others ring, and where we hear it; 0: none */
};

typedef struct irr_shm_channel {
    irr_channel_t super;
    uint64_t      sent;        /* of the keys of messages that are sent, all but the tag, */
    uint64_t      received;    /* and of those that are received, the channel */
} irr_shm_channel_t;

/* The key of a message of a request, which is sent on a channel, or received. */
static inline uint64_t irr_shm_sent_key(const irr_channel_t *channel, const irr_request_t *request)
{
    return ((const irr_shm_channel_t *)channel)->sent | irr_key(0, request->tag, 0);
}

static inline uint64_t irr_shm_received_key(const irr_channel_t *channel, const irr_request_t *request)
{
    return ((const irr_shm_channel_t *)channel)->received | irr_key(0, request->tag, request->peer);
}

static inline irr_shm_t *irr_shm_of(irr_transport_t *transport)
{
    return (irr_shm_t *)transport;
}

/* ---- shm.c ---- */

/* On the way down the lanes of all are emptied, so that nobody waits for room. */
void irr_shm_empty_all(irr_shm_t *shm);

/* ---- link.c ---- */

/* Makes what we say of that process, and opens its segment.  IRR_ERR_UNREACHABLE, IRR_ERR_NO_MEMORY. */
irr_status_t irr_shm_link(irr_peer_t *peer);

/* The same, and a lane to it; and room beside it. */
irr_status_t irr_shm_open_lane(irr_peer_t *peer);
irr_status_t irr_shm_open_beside(irr_peer_t *peer);

/* Looks for what that process says of us, and for its lane.  True once the lane is there. */
bool irr_shm_find(irr_peer_t *peer);

/* It will be looked at in progress. */
static inline void irr_shm_activate(irr_peer_t *peer)
{
    if (!peer->active) {
        peer->active = true;
        peer->shm->active[peer->shm->nactive++] = peer;
    }
}

/* ---- bell.c ---- */

/* Makes the bell of a process; without one it cannot sleep.  Frees it. */
void irr_shm_open_bell(irr_shm_t *shm);
void irr_shm_close_bell(irr_shm_t *shm);

/* As `arm` of the contract. */
irr_status_t irr_shm_arm(irr_transport_t *transport, int *fd_p);

/* Nobody sleeps any more. */
void irr_shm_disarm(irr_shm_t *shm);

/* Rings the bell of a process that sleeps. */
void irr_shm_ring(const irr_peer_t *peer);

/* Something changed that the process may sleep for. */
static inline void irr_shm_wake(irr_peer_t *peer)
{
    const irr_shm_table_t *table = (const irr_shm_table_t *)peer->view.bytes;

    if (atomic_load_explicit(&table->asleep, memory_order_relaxed) != 0) {
        irr_shm_ring(peer);
    }
}

/* ---- lists of pieces ---- */

/* Copies so many bytes out of the pieces of a send. */
void irr_shm_gather(irr_shm_op_t *from, unsigned char *to, size_t bytes);

/* Copies so many bytes into those of a receive; returns how many had no room.  Pieces without a base drop theirs. */
size_t irr_shm_scatter(irr_shm_op_t *to, const unsigned char *from, size_t bytes);

/* ---- send.c ---- */

irr_status_t irr_shm_send(irr_channel_t *channel, irr_request_t *request);
unsigned     irr_shm_progress_sends(irr_peer_t *peer);
bool         irr_shm_may_send(irr_peer_t *peer);      /* is there something to do? */
void         irr_shm_take_back(irr_channel_t *channel);

/* ---- receive.c ---- */

irr_status_t irr_shm_recv(irr_channel_t *channel, irr_request_t *request);
bool         irr_shm_may_receive(irr_peer_t *peer);
void         irr_shm_abandon(irr_channel_t *channel);
unsigned     irr_shm_progress(irr_transport_t *transport);

/* Takes from the lane what no receive waits for.  False: there is more, which progress has to take. */
bool irr_shm_clear(irr_peer_t *peer);

/* The message of a receive lies there, or is taken in: the receive is over, with the status that is returned. */
irr_status_t irr_shm_fill(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total);
irr_status_t irr_shm_outcome(irr_peer_t *peer, irr_shm_op_t *op, size_t total, bool spilled);

/* ---- single.c ---- */

/* May the receiver read the message from our memory?  It has to be in one piece. */
bool irr_shm_may_lend(irr_peer_t *peer, irr_shm_op_t *op);

/* It is under way then, by the token that is returned. */
unsigned irr_shm_lend(irr_peer_t *peer, irr_shm_op_t *op);

/* Ends the sends that the receiver has read.  Are there some? */
unsigned irr_shm_end_singles(irr_peer_t *peer);
bool     irr_shm_single_ended(const irr_peer_t *peer);

/* Takes back those of a channel, and appends them to the queue. */
void irr_shm_revoke(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *gone);

/* Reads a message from the memory of its sender, which learns that in any case; or tells the sender only. */
irr_status_t irr_shm_read_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token);
void         irr_shm_end_single(irr_peer_t *peer, unsigned token);

/* ---- stash.c ---- */

/* Allocates the room of a peer.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_shm_make_room(irr_peer_t *peer);

/* A new message, with room for so many bytes; NULL: there is no memory. */
irr_shm_message_t *irr_shm_stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room);

/* A message is lost: receives on its channel end in IRR_ERR_NO_MEMORY from now on, until all of it is discarded. */
void irr_shm_lose(irr_shm_t *shm, uint64_t key);

static inline bool irr_shm_has_lost(const irr_shm_t *shm, uint32_t id)
{
    return (shm->lost[id / 64] >> id % 64 & 1) != 0;
}

/* The first one that a receive of this key may take; NULL: there is none. */
irr_shm_message_t *irr_shm_find_message(const irr_peer_t *peer, uint64_t key);

/* Moves one that is complete to its receive, and frees it.  Frees it. */
irr_status_t irr_shm_unpack(irr_peer_t *peer, irr_shm_message_t *message, irr_shm_op_t *op);
void         irr_shm_forget(irr_peer_t *peer, irr_shm_message_t *message);

/* Throws away those whose keys agree where the mask has ones; returns how many. */
size_t irr_shm_drop(irr_peer_t *peer, uint64_t key, uint64_t mask);

irr_status_t irr_shm_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

#endif
