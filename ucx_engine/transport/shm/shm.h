/*
 * shm.h - private to transport/shm/: messages between processes of a node through memory that the sender writes and the
 * receiver reads.
 *
 *   lane.c     a ring of slots, and bytes beside it
 *   link.c     links: the records of two processes about each other in their segments
 *   send.c     turns messages into slots
 *   receive.c  turns slots into messages
 *   stash.c    unexpected messages, which wait for a receive
 *   single.c   long messages, copied once by the receiver
 *   bell.c     sleeping, and waking another process
 *   shm.c      the transport
 *
 * Each process has one segment, which the other processes map read-only (segment.h). The segment holds a list of links,
 * one link for each process that the owner has sent to or received from, so memory grows with the number of partners.
 *
 * A message of up to 56 bytes travels in a slot. A contiguous message of IRR_SHM_SINGLE_MIN bytes or more travels by
 * single copy (the receiver calls process_vm_readv), if the kernel permits this and the form of the message is not
 * gather. All other messages travel in pieces beside the slots.
 *
 * Cost: a short message moves one cache line. For each half ring of short messages, one more cache line moves, with the
 * receiver's count. If a receive waits for another message of the same sender, an unexpected message is copied once
 * more.
 */
#ifndef IRR_SHM_H
#define IRR_SHM_H

#include "transport/shm/lane.h"
#include "transport/shm/remote.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

#define IRR_SHM_TOKENS     16
#define IRR_SHM_SINGLE_MIN ((size_t)16 << 10)

/* The address of a process in this transport. */
typedef struct irr_shm_address {
    irr_segment_handle_t segment;
    irr_remote_handle_t memory;
    uint64_t           bell;   /* descriptor of the write end of the pipe of the bell; 0: none */
    uint64_t           name;   /* unique on this node */
} irr_shm_address_t;

/*
 * A link: the record of this process about another process, in the segment of this process. Offsets count from the
 * beginning of the segment; 0: none.
 */
typedef struct irr_shm_link {
    _Alignas(64) uint64_t name;       /* name of the other process */
    uint64_t              reads;      /* 1: this process may read the memory of the other process */
    _Atomic uint64_t      next;       /* offset of the next link */
    _Atomic uint64_t      slots;      /* offset of the lane to the other process */
    _Atomic uint64_t      beside;
    _Atomic uint8_t       revoked[IRR_SHM_TOKENS];   /* 1: the sender took back the single copy with this token */
    _Alignas(64) _Atomic uint32_t taken;   /* slots taken from the lane of the other process */
    _Alignas(64) _Atomic uint32_t ended[IRR_SHM_TOKENS];   /* by token: number of single copies that ended */
} irr_shm_link_t;

/* The beginning of a segment. */
typedef struct irr_shm_table {
    _Alignas(64) _Atomic uint64_t first;    /* offset of the first link */
    _Alignas(64) _Atomic uint32_t asleep;   /* 1: the process sleeps until its bell rings */
} irr_shm_table_t;

/* A position in the pieces of a request. */
typedef struct irr_shm_cursor {
    size_t index, skip;
    size_t kept;   /* number of bytes copied into pieces */
} irr_shm_cursor_t;

/* A pending send or receive; lives in irr_request_t.reserved. */
typedef struct irr_shm_op {
    struct irr_shm_op *next;
    uint64_t           key;
    size_t             left;   /* number of bytes left to send */
    irr_shm_cursor_t   at;     /* position in the pieces; for a receive valid when its message has begun */
} irr_shm_op_t;

_Static_assert(sizeof(irr_shm_op_t) <= sizeof(((irr_request_t *)0)->reserved), "an operation must fit the request");

static inline irr_shm_op_t *irr_shm_op_of(irr_request_t *request)
{
    return (irr_shm_op_t *)request->reserved;
}

static inline irr_request_t *irr_shm_request_of(irr_shm_op_t *op)
{
    return irr_request_of(op);
}

/* A queue, first in, first out. A zeroed object is empty. */
typedef struct irr_shm_queue {
    irr_shm_op_t *first, **end;
} irr_shm_queue_t;

static inline void irr_shm_push(irr_shm_queue_t *queue, irr_shm_op_t *op)
{
    op->next = NULL;
    *(queue->first != NULL ? queue->end : &queue->first) = op;
    queue->end = &op->next;
}

/* Removes the element that *link points to, and returns it. */
static inline irr_shm_op_t *irr_shm_pull(irr_shm_queue_t *queue, irr_shm_op_t **link)
{
    irr_shm_op_t *op = *link;

    *link = op->next;
    if (queue->end == &op->next) {
        queue->end = link;
    }
    return op;
}

/* An unexpected message: it arrived before a receive for it was posted. */
typedef struct irr_shm_message irr_shm_message_t;

struct irr_shm_message {
    irr_shm_message_t *next;
    uint64_t           key;
    size_t             total, have;
    irr_shm_op_t      *taker;     /* receive that waits for the rest of the message */
    bool               dropped;   /* discarded before its last piece has arrived */
    bool               on_heap;   /* on the heap, not in the room of its peer */
    uint64_t           address;   /* address of a single copy; 0: the data is in `bytes` */
    unsigned           token;
    unsigned char      bytes[];
};

typedef struct irr_shm irr_shm_t;

/* A process. The members that every message needs come first, so that they lie in few cache lines. */
struct irr_peer {
    irr_lane_in_t          in;
    irr_shm_queue_t        posted, sending;
    size_t                 missing;   /* number of missing bytes of the message that arrives in pieces; 0: no such
                                         message */
    irr_shm_t             *shm;
    unsigned               nsingle;
    bool                   active;
    bool                   broken;    /* the process has sent an invalid slot; its lane is not read any more */
    bool                   spilled;   /* the message in pieces is longer than its receive */
    irr_shm_link_t        *own;       /* our link about the process; NULL: none yet */
    irr_shm_message_t     *unexpected, **unexpected_end;
    irr_segment_view_t             view;      /* segment of the process; unmapped until needed */
    irr_lane_out_t         out;
    irr_shm_op_t          *filling;   /* receive of the message in pieces */
    irr_shm_message_t     *stashing;  /* unexpected message in pieces; if `filling` is NULL too, the message is lost */
    size_t                 came;      /* total length of the message in pieces */
    irr_shm_message_t     *spare;     /* free messages of the room */
    const irr_shm_link_t  *its;       /* the link of the process about us; NULL: not found yet */
    irr_shm_op_t          *single[IRR_SHM_TOKENS];   /* by token: unfinished sends by single copy */
    uint32_t               singles[IRR_SHM_TOKENS];  /* by token: number of started single copies */
    irr_shm_op_t           stand_in;  /* placeholder for sends that were taken back: in `sending` for the rest of a
                                         message that was partly sent, in `single` for messages that the receiver has
                                         not ended */
    char                  *room;      /* storage for IRR_LANE_SLOTS unexpected messages; NULL: none yet */
    unsigned               used;      /* number of messages of the room that were ever in use */
    const _Atomic uint64_t *look;     /* address where the offset of the next link of the process appears */
    irr_shm_address_t      address;
    irr_peer_t            *next;
};

struct irr_shm {
    irr_transport_t   super;
    irr_segment_t     segment;
    irr_shm_address_t address;
    uint64_t          word;      /* random word that other processes read to test single copy */
    irr_peer_t       *peers;
    irr_peer_t      **active;    /* peers that progress checks: nactive entries in any order, with room for all peers */
    size_t            nactive, npeers, active_max;
    irr_shm_link_t   *last;      /* last link of our list; NULL: no link */
    uint64_t          lanes, gathered;
    bool              loses;     /* a message was lost */
    uint64_t          lost[(1 << IRR_CHANNEL_ID_BITS) / 64];   /* bit set of channels that lost a message */
    bool              closed;
    bool              armed;     /* the process may be sleeping */
    int               bell[2];   /* pipe of the bell: read end and write end; 0: none */
};

/* The key of a message in a lane (shm/lane.h). */
#define IRR_SHM_ID_SHIFT 16

static inline uint64_t irr_shm_key(uint32_t id, uint16_t tag)
{
    return (uint64_t)id << IRR_SHM_ID_SHIFT | tag;
}

static inline irr_shm_t *irr_shm_of(irr_transport_t *transport)
{
    return (irr_shm_t *)transport;
}

/* ---- shm.c ---- */

/* Empties the lanes of all peers during shutdown, so that no sender waits for room. */
void irr_shm_empty_all(irr_shm_t *shm);

/* ---- link.c ---- */

/* Makes our link about a process, and maps its segment. May return IRR_ERR_UNREACHABLE or IRR_ERR_NO_MEMORY. */
irr_status_t irr_shm_link(irr_peer_t *peer);

/*
 * irr_shm_open_lane makes the link and a lane to the process. irr_shm_open_beside allocates the bytes beside the lane.
 * Both return the errors of irr_shm_link.
 */
irr_status_t irr_shm_open_lane(irr_peer_t *peer);
irr_status_t irr_shm_open_beside(irr_peer_t *peer);

/*
 * Searches for the link of the process about us, and for the lane of the process. Returns true if the lane was found.
 */
bool irr_shm_find(irr_peer_t *peer);

/* Makes progress check this peer. */
static inline void irr_shm_activate(irr_peer_t *peer)
{
    if (!peer->active) {
        peer->active = true;
        peer->shm->active[peer->shm->nactive++] = peer;
    }
}

/* ---- bell.c ---- */

/* irr_shm_open_bell makes the bell; without a bell the process cannot sleep. irr_shm_close_bell frees the bell. */
void irr_shm_open_bell(irr_shm_t *shm);
void irr_shm_close_bell(irr_shm_t *shm);

/* The operation `arm` (transport.h). */
irr_status_t irr_shm_arm(irr_transport_t *transport, int *fd_p);

/* Clears the sleep flag and empties the pipe. */
void irr_shm_disarm(irr_shm_t *shm);

/* Rings the bell of a process. */
void irr_shm_ring(const irr_peer_t *peer);

/* Rings the bell of a process if it sleeps. To be called after a change that the process may wait for. */
static inline void irr_shm_wake(irr_peer_t *peer)
{
    const irr_shm_table_t *table = (const irr_shm_table_t *)peer->view.bytes;

    if (atomic_load_explicit(&table->asleep, memory_order_relaxed) != 0) {
        irr_shm_ring(peer);
    }
}

/* ---- lists of pieces ---- */

/* Copies the next `bytes` bytes out of the pieces of a send. */
void irr_shm_gather(irr_shm_op_t *from, unsigned char *to, size_t bytes);

/*
 * Copies `bytes` bytes to the next positions in the pieces of a receive. Pieces without a base discard their bytes.
 * Returns the number of bytes for which the pieces have no room.
 */
size_t irr_shm_scatter(irr_shm_op_t *to, const unsigned char *from, size_t bytes);

/* ---- send.c ---- */

irr_status_t irr_shm_send(irr_channel_t *channel, irr_request_t *request);
unsigned     irr_shm_progress_sends(irr_peer_t *peer);
bool         irr_shm_may_send(irr_peer_t *peer);      /* true if progress has something to do */
void         irr_shm_take_back(irr_channel_t *channel);

/* ---- receive.c ---- */

irr_status_t irr_shm_recv(irr_channel_t *channel, irr_request_t *request);
bool         irr_shm_may_receive(irr_peer_t *peer);
void         irr_shm_abandon(irr_channel_t *channel);
unsigned     irr_shm_progress(irr_transport_t *transport);

/*
 * Takes unexpected messages from the lane. Returns false if the next slot has an expected message, which only progress
 * may take.
 */
bool irr_shm_clear(irr_peer_t *peer);

/*
 * irr_shm_fill_pieces completes a receive with a contiguous message. irr_shm_outcome completes a receive whose bytes
 * have been copied. Both return the status of the receive.
 */
irr_status_t irr_shm_fill_pieces(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total);
irr_status_t irr_shm_outcome(irr_peer_t *peer, irr_shm_op_t *op, size_t total, bool spilled);

/* Copies any number of bytes. */
static inline void irr_shm_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes <= IRR_LANE_SHORT) {
        irr_lane_copy(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

/* Completes a receive with a contiguous message, as irr_shm_fill_pieces does; inline for a receive into one piece. */
static inline irr_status_t irr_shm_fill(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total)
{
    irr_request_t *request = irr_shm_request_of(op);
    const irr_iov_t *piece = request->iov;

    if (request->count != 1 || piece->base == NULL || piece->length < total) {
        return irr_shm_fill_pieces(peer, op, bytes, total);
    }
    irr_shm_copy(piece->base, bytes, total);
    request->bytes = total;
    return IRR_OK;
}

/* ---- single.c ---- */

/*
 * Returns true if a message can be sent by single copy: the message is contiguous and long enough, and the kernel
 * permits reading.
 */
bool irr_shm_may_send_single(irr_peer_t *peer, irr_shm_op_t *op);

/* Begins a single copy, and returns its token. */
unsigned irr_shm_send_single(irr_peer_t *peer, irr_shm_op_t *op);

/*
 * irr_shm_end_singles completes the sends that the receiver has read, and returns their number. irr_shm_single_ended
 * returns true if there is such a send.
 */
unsigned irr_shm_end_singles(irr_peer_t *peer);
bool     irr_shm_single_ended(const irr_peer_t *peer);

/* Takes back the single copies of a channel, and appends their operations to `gone`. */
void irr_shm_revoke(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *gone);

/*
 * irr_shm_read_single reads a message from the memory of its sender, and ends the single copy even on an error.
 * irr_shm_end_single ends a single copy without reading.
 */
irr_status_t irr_shm_read_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token);
void         irr_shm_end_single(irr_peer_t *peer, unsigned token);

/* ---- stash.c ---- */

/* Allocates the room of a peer. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_shm_make_room(irr_peer_t *peer);

/* Appends an unexpected message with room for `room` bytes of data. Returns NULL if there is no memory. */
irr_shm_message_t *irr_shm_stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room);

/*
 * Records a lost message. Receives on its channel end in IRR_ERR_NO_MEMORY until all tags of the channel are discarded.
 */
void irr_shm_lose(irr_shm_t *shm, uint64_t key);

static inline bool irr_shm_has_lost(const irr_shm_t *shm, uint32_t id)
{
    return (shm->lost[id / 64] >> id % 64 & 1) != 0;
}

/* Returns the first stashed message that a receive with this key may take, or NULL. */
irr_shm_message_t *irr_shm_find_message(const irr_peer_t *peer, uint64_t key);

/*
 * irr_shm_unpack moves a complete message to its receive and frees the message. irr_shm_forget only frees the message.
 */
irr_status_t irr_shm_unpack(irr_peer_t *peer, irr_shm_message_t *message, irr_shm_op_t *op);
void         irr_shm_forget(irr_peer_t *peer, irr_shm_message_t *message);

/* Discards the messages whose keys equal `key` in the bits of mask. Returns their number. */
size_t irr_shm_drop(irr_peer_t *peer, uint64_t key, uint64_t mask);

irr_status_t irr_shm_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

#endif
