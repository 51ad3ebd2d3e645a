/*
 * shm.h - private to transport/shm/: messages between the processes of a node through shared memory.
 *
 *     fifo.c     the data ring of a FIFO
 *     link.c     links: how two processes find each other's memory
 *     send.c     turns messages into slots
 *     receive.c  turns slots into messages
 *     stash.c    unexpected messages, which wait for a receive
 *     single.c   single copy
 *     bell.c     sleeping, and waking another process
 *     shm.c      the operations of the transport, and shutdown
 *
 * Each process owns one segment: memory that it writes, and that the other processes map read-only (segment.h). The
 * segment has a link and a data ring for each partner, a process that the owner reaches. The link has the slots of the
 * FIFO to the partner (fifo.h), and states where the FIFO's data ring is, and how many slots the owner has consumed
 * from the partner's FIFO. Memory therefore grows with the number of partners, not with the number of processes.
 *
 * Links and data rings are in different sections of the segment. A view of a partner's segment has three windows: the
 * first section, with the table and the first links; the section of the link for us, if it is another one; and the
 * section of the data ring of its FIFO to us. With sections of 64 KiB, a process therefore needs for each partner 33
 * KiB of address space in its own segment and 192 KiB for the view: with 128 processes of a node 29 MB. All of it is
 * taken when the partner is reached, so a limit is met during the setup of a communicator. Memory is allocated later: 1
 * KiB for the link at once, and 32 KiB for the data ring before the first message that needs it.
 *
 * A message of up to 56 bytes travels in a slot. A contiguous message of IRR_SHM_SINGLE_MIN bytes or more travels by
 * single copy: the receiver reads it from the sender's memory (process_vm_readv). Single copy needs a permission of the
 * kernel and a form other than gather. A sender has at most IRR_SHM_TOKENS messages by single copy to a process at a
 * time. All other messages travel in pieces through the data ring. If the kernel refuses a single copy, the sender
 * sends the message again in pieces, and later messages of the sender to this receiver also travel in pieces.
 *
 * Cost: a short message moves one cache line between processors. After each half ring of slots, the count of consumed
 * slots moves another cache line. A message stays in its slot until its receive is posted. If the receiver waits for a
 * later message of the FIFO, it first copies the earlier message to the stash, which is private memory.
 */
#ifndef IRR_SHM_H
#define IRR_SHM_H

#include "transport/shm/fifo.h"
#include "transport/shm/remote.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

#define IRR_SHM_SECTION    ((size_t)64 << 10)   /* of a segment; a multiple of each page length of Linux */
#define IRR_SHM_TOKENS     16
#define IRR_SHM_SINGLE_MIN ((size_t)16 << 10)

/* The address of a process in this transport. */
typedef struct irr_shm_address {
    irr_segment_handle_t segment;
    irr_remote_handle_t  memory;
    uint64_t             bell;   /* descriptor of the pipe that wakes the process (bell.c), write end; 0: none */
    uint64_t             name;   /* unique on this node */
} irr_shm_address_t;

/*
 * A link: what one process, the owner of the segment, publishes for one other process. Offsets count from the beginning
 * of the segment; 0: none. A token, from 0 to IRR_SHM_TOKENS - 1, identifies a message by single copy that is in
 * progress in one direction.
 */
typedef struct irr_shm_link {
    _Alignas(64) uint64_t name;       /* name of the other process */
    _Atomic uint64_t      reads;      /* 1: the owner may read the memory of the other process */
    _Atomic uint64_t      next;       /* offset of the next link */
    uint64_t              data;       /* offset of the data ring of the owner's FIFO to the other process */
    _Atomic uint8_t       revoked[IRR_SHM_TOKENS];   /* by token of the owner's sends: 1 if the send was cancelled */
    _Atomic uint32_t      refused;    /* bit set, by token of the other process: the owner could not read the message */
    _Alignas(64) _Atomic uint32_t consumed;   /* number of slots that the owner has consumed from the FIFO of the other
                                                 process */
    _Alignas(64) _Atomic uint32_t ended[IRR_SHM_TOKENS];   /* by token of the other process: number of messages whose
                                                              memory the owner no longer reads */
    _Alignas(128) irr_fifo_slot_t slots[IRR_FIFO_SLOTS];   /* of the owner's FIFO to the other process; aligned to a
                                                              pair of cache lines, because some processors fetch two
                                                              lines at a time */
} irr_shm_link_t;

_Static_assert(sizeof(irr_shm_link_t) == 768, "84 links fit into the first section, behind the table");

/* The beginning of a segment. */
typedef struct irr_shm_table {
    _Alignas(64) _Atomic uint64_t first;    /* offset of the first link */
    _Alignas(64) _Atomic uint32_t asleep;   /* 1: the owner sleeps until its bell rings */
} irr_shm_table_t;

/* A range of our segment from which places of equal length are taken: offsets of the next place and of the end. */
typedef struct irr_shm_area {
    size_t next, end;
} irr_shm_area_t;

/* Windows of a view. */
enum { IRR_SHM_FIRST_SECTION, IRR_SHM_LINK_SECTION, IRR_SHM_DATA_SECTION, IRR_SHM_WINDOWS };

/* A position in the pieces of a request. */
typedef struct irr_shm_cursor {
    size_t index, skip;   /* index of the current piece, and offset in this piece */
    size_t kept;          /* number of bytes that were copied into pieces */
} irr_shm_cursor_t;

/* A pending send or receive, in irr_request_t.reserved. */
typedef struct irr_shm_op {
    struct irr_shm_op *next;
    uint64_t           key;    /* channel and tag (irr_shm_key); of a message to send again also its token
                                  (irr_shm_again) */
    size_t             left;   /* number of bytes left to send */
    irr_shm_cursor_t   at;     /* position in the pieces; of a receive valid once its message has begun to arrive */
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

/* A queue of operations. A zeroed object is empty. */
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
    size_t             total, have;   /* length, and number of bytes that have arrived */
    irr_shm_op_t      *receive;       /* receive that waits for the rest of the message; NULL: none */
    bool               dropped;       /* discarded before its last piece has arrived */
    bool               on_heap;       /* allocated for this message alone; otherwise part of irr_peer.room */
    uint64_t           address;       /* by single copy: address in the sender's memory; 0: the message is in `bytes` */
    unsigned           token;         /* token of a message by single copy */
    unsigned char      bytes[];
};

typedef struct irr_shm irr_shm_t;

/*
 * Another process of the node; "we" are this process. "The message in pieces" is the message that arrives in several
 * pieces now; there is at most one. The first members are those that every message needs, so that they lie in few cache
 * lines.
 */
struct irr_peer {
    irr_fifo_in_t          in;         /* the FIFO of the process to us */
    irr_shm_queue_t        posted, sending;   /* receives that wait for messages; sends that wait for slots */
    size_t                 missing;    /* number of missing bytes of the message in pieces; 0: no such message */
    irr_shm_t             *shm;
    unsigned               nsingle;    /* number of sends by single copy in progress */
    bool                   active;     /* in irr_shm.active */
    bool                   broken;     /* the process has sent an invalid slot, or its memory cannot be mapped; its
                                          FIFO is not read any more */
    bool                   truncated;  /* the message in pieces is longer than its receive */
    irr_shm_link_t        *our_link;   /* our link for the process; NULL: none yet */
    irr_shm_message_t     *unexpected, **unexpected_end;   /* the stash: unexpected messages, in order */
    irr_segment_view_t     view;       /* segment of the process; not mapped until the process is reached */
    irr_fifo_out_t         out;        /* our FIFO to the process */
    irr_shm_op_t          *filling;    /* receive of the message in pieces */
    irr_shm_message_t     *stashing;   /* the message in pieces, if it has no receive. If `filling` and `stashing` are
                                          NULL, the message is lost or discarded */
    size_t                 pieces_total;   /* total length of the message in pieces */
    irr_shm_message_t     *spare;      /* list of free messages of `room` */
    const irr_shm_link_t  *their_link; /* link of the process for us; NULL: not found yet */
    irr_shm_op_t          *single[IRR_SHM_TOKENS];    /* by token: send by single copy in progress */
    uint32_t               singles[IRR_SHM_TOKENS];   /* by token: number of sends by single copy that were started */
    irr_shm_op_t           stand_in;   /* replaces cancelled sends: in `sending` for the rest of a partly sent message,
                                          in `single` for messages that the receiver has not read */
    size_t                 ring;       /* offset of the data ring of our FIFO to the process; 0: none yet */
    char                  *room;       /* memory for IRR_FIFO_SLOTS unexpected messages; NULL: none yet */
    unsigned               used;       /* number of messages of `room` that were ever in use */
    bool                   settled;    /* both processes have reached each other, so messages may arrive */
    bool                   apart;      /* reach has failed or was undone, so no message arrives */
    const _Atomic uint64_t *search;    /* where the search for their_link continues: address of a link's offset */
    uint64_t               searched;   /* offset of the last link that was searched; 0: none */
    irr_shm_address_t      address;
    irr_peer_t            *next;
};

struct irr_shm {
    irr_transport_t   super;
    irr_segment_t     segment;
    irr_shm_area_t    links, rings;   /* free places for links and data rings in sections of the segment */
    irr_shm_address_t address;
    uint64_t          word;      /* random word; other processes read it to test whether they may read our memory */
    irr_peer_t       *peers;
    irr_peer_t      **active;    /* the first `nactive` entries are the peers that progress checks; has room for all
                                    peers */
    size_t            nactive, npeers, active_max;
    irr_shm_link_t   *last;      /* last link in our segment; NULL: none */
    uint64_t          fifos, gathered;   /* number of open FIFOs, and of bytes copied for the form gather */
    bool              loses;     /* true: a message was lost because memory was missing */
    uint64_t          lost[(1 << IRR_CHANNEL_ID_BITS) / 64];   /* bit set, by channel id: a message of the channel was
                                                                  lost */
    bool              closed;
    bool              armed;     /* the process may be sleeping */
    int               bell[2];   /* pipe that wakes this process: read end and write end; 0: none */
};

/* The key of a message in a FIFO: channel and tag (fifo.h). */
#define IRR_SHM_ID_SHIFT 16

static inline uint64_t irr_shm_key(uint32_t id, uint16_t tag)
{
    return (uint64_t)id << IRR_SHM_ID_SHIFT | tag;
}

static inline uint32_t irr_shm_id(uint64_t key)
{
    return (uint16_t)(key >> IRR_SHM_ID_SHIFT);
}

/*
 * The key of a message that is sent again, and of the receive that waits for it (single.c). It differs from the keys of
 * all other messages, so that only this receive matches the message.
 */
#define IRR_SHM_AGAIN_SHIFT 32

static inline uint64_t irr_shm_again(uint64_t key, uint64_t token)
{
    return key | (IRR_SHM_TOKENS + token % IRR_SHM_TOKENS) << IRR_SHM_AGAIN_SHIFT;
}

static inline bool irr_shm_is_again(uint64_t key)
{
    return key >> IRR_SHM_AGAIN_SHIFT != 0;
}

static inline irr_shm_t *irr_shm_of(irr_transport_t *transport)
{
    return (irr_shm_t *)transport;
}

/* ---- shm.c ---- */

/* For shutdown: discards all unexpected messages, so that no sender waits for free slots. */
void irr_shm_empty_all(irr_shm_t *shm);

/* ---- link.c ---- */

/*
 * Maps the segment of a process, and creates our link for it. If a limit prevents this, logs a warning, and returns
 * IRR_ERR_UNREACHABLE or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_shm_link(irr_peer_t *peer);

/*
 * irr_shm_open_fifo creates the link, and opens our FIFO to the process. irr_shm_open_data allocates the data ring of
 * the FIFO. Both return the errors of irr_shm_link.
 */
irr_status_t irr_shm_open_fifo(irr_peer_t *peer);
irr_status_t irr_shm_open_data(irr_peer_t *peer);

/*
 * irr_shm_find searches the segment of a process for its link for us, which has its FIFO to us. Returns true if the
 * FIFO is found. If the search fails, the peer is broken. irr_shm_find_data maps the data ring of this FIFO; true if it
 * is mapped.
 */
bool irr_shm_find(irr_peer_t *peer);
bool irr_shm_map_data(irr_peer_t *peer);

/*
 * Like irr_shm_find, for a peer from which no receive is pending. If the memory of the peer cannot be mapped, no
 * message is lost, and nothing is logged: the setup of a communicator with this peer reports the cause.
 */
bool irr_shm_find_quietly(irr_peer_t *peer);

static inline bool irr_shm_find_data(irr_peer_t *peer)
{
    return peer->in.data != NULL || irr_shm_map_data(peer);
}

/* The operations `settle` and `leave` (transport.h). */
void irr_shm_settle(irr_transport_t *transport, irr_peer_t *peer);
void irr_shm_leave(irr_transport_t *transport);

/* Adds a peer to those that progress checks. */
static inline void irr_shm_activate(irr_peer_t *peer)
{
    if (!peer->active) {
        peer->active = true;
        peer->shm->active[peer->shm->nactive++] = peer;
    }
}

/* ---- bell.c ---- */

/* A bell is a pipe that wakes this process. If the system provides no pipe, arm returns IRR_ERR_NOT_SUPPORTED. */
void irr_shm_open_bell(irr_shm_t *shm);
void irr_shm_close_bell(irr_shm_t *shm);

/* The operation `arm` (transport.h). */
irr_status_t irr_shm_arm(irr_transport_t *transport, int *fd_p);

/* Clears the flag that this process sleeps, and empties the pipe. */
void irr_shm_disarm(irr_shm_t *shm);

/* Rings the bell of a process: writes a byte to its pipe. */
void irr_shm_ring(const irr_peer_t *peer);

/* Wakes a process if it sleeps. To be called after a change that the process may wait for. */
static inline void irr_shm_wake(irr_peer_t *peer)
{
    const irr_shm_table_t *table = (const irr_shm_table_t *)peer->view.bytes;

    if (atomic_load_explicit(&table->asleep, memory_order_relaxed) != 0) {
        irr_shm_ring(peer);
    }
}

/* ---- lists of pieces ---- */

/* Copies the next `bytes` bytes of the pieces of a send to `to`. */
void irr_shm_gather(irr_shm_op_t *from, unsigned char *to, size_t bytes);

/*
 * Copies `bytes` bytes to the next positions in the pieces of a receive; a piece without a base discards its bytes.
 * Returns the number of bytes for which the pieces have no room.
 */
size_t irr_shm_scatter(irr_shm_op_t *to, const unsigned char *from, size_t bytes);

/* ---- send.c ---- */

irr_status_t irr_shm_send(irr_channel_t *channel, irr_request_t *request);
unsigned     irr_shm_progress_sends(irr_peer_t *peer);
bool         irr_shm_may_send(irr_peer_t *peer);      /* true if irr_shm_progress_sends has something to do */
void         irr_shm_take_back(irr_channel_t *channel);

/* ---- receive.c ---- */

irr_status_t irr_shm_recv(irr_channel_t *channel, irr_request_t *request);
bool         irr_shm_may_receive(irr_peer_t *peer);
void         irr_shm_abandon(irr_channel_t *channel);
unsigned     irr_shm_progress(irr_transport_t *transport);

/*
 * Moves unexpected messages from the FIFO of a peer to the stash. Stops and returns false at a message for which a
 * receive is posted, because only progress may complete receives.
 */
bool irr_shm_stash_arrived(irr_peer_t *peer);

/*
 * irr_shm_fill_pieces copies a contiguous message of `total` bytes to a receive. irr_shm_outcome ends a receive whose
 * bytes have been copied. Both return the status of the receive, but do not call `done`.
 */
irr_status_t irr_shm_fill_pieces(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total);
irr_status_t irr_shm_outcome(irr_peer_t *peer, irr_shm_op_t *op, size_t total, bool truncated);

static inline void irr_shm_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes <= IRR_FIFO_SHORT) {
        irr_fifo_copy(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

/* Like irr_shm_fill_pieces, but faster if the receive has one piece that is long enough. */
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

/* Returns true if a send may use single copy: long, contiguous, a token is free, and our memory is readable. */
bool irr_shm_may_send_single(irr_peer_t *peer, irr_shm_op_t *op);

/* Begins a send by single copy, and returns its token. */
unsigned irr_shm_send_single(irr_peer_t *peer, irr_shm_op_t *op);

/*
 * irr_shm_end_singles completes the sends by single copy that the receiver has read, and queues those that the receiver
 * could not read. Returns the number of both. irr_shm_single_ended returns true if there is such a send.
 */
unsigned irr_shm_end_singles(irr_peer_t *peer);
bool     irr_shm_single_ended(const irr_peer_t *peer);

/* Cancels the sends by single copy of a channel, and appends their operations to `cancelled`. */
void irr_shm_revoke(irr_peer_t *peer, uint64_t id, irr_shm_queue_t *cancelled);

/*
 * irr_shm_read_single reads a message from the memory of its sender. If the kernel refuses, requests the message again,
 * posts its receive, and returns IRR_IN_PROGRESS. irr_shm_end_single discards such a message. Both tell the sender that
 * its memory is no longer read, also after an error.
 */
irr_status_t irr_shm_read_single(irr_peer_t *peer, irr_shm_op_t *op, uint64_t address, size_t total, unsigned token);
void         irr_shm_end_single(irr_peer_t *peer, unsigned token);

/* ---- stash.c ---- */

/* Allocates the memory for unexpected messages of a peer (irr_peer.room). May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_shm_make_room(irr_peer_t *peer);

/*
 * Appends a message of `total` bytes to the stash, with memory for `room` of them. Returns NULL if memory is missing.
 */
irr_shm_message_t *irr_shm_stash(irr_peer_t *peer, uint64_t key, size_t total, size_t room);

/* Records a lost message. Receives of its channel then fail until all tags of the channel are discarded. */
void irr_shm_lose(irr_shm_t *shm, uint64_t key);

static inline bool irr_shm_has_lost(const irr_shm_t *shm, uint32_t id)
{
    return (shm->lost[id / 64] >> id % 64 & 1) != 0;
}

/* Returns the first message of the stash that a receive with this key may take, or NULL. */
irr_shm_message_t *irr_shm_find_message(const irr_peer_t *peer, uint64_t key);

/*
 * irr_shm_unpack copies a complete message from the stash to its receive, frees the message, and returns the status of
 * the receive, like irr_shm_read_single. irr_shm_forget only frees the message.
 */
irr_status_t irr_shm_unpack(irr_peer_t *peer, irr_shm_message_t *message, irr_shm_op_t *op);
void         irr_shm_forget(irr_peer_t *peer, irr_shm_message_t *message);

/* Discards the messages of the stash whose keys equal `key` in the bits of `mask`. Returns their number. */
size_t irr_shm_drop(irr_peer_t *peer, uint64_t key, uint64_t mask);

irr_status_t irr_shm_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

#endif
