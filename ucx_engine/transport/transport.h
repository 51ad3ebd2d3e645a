/*
 * transport.h - the contract between a transport, which moves tagged messages between processes, and the code that uses
 * it (mainly exec/exec.h).
 *
 * A message is a sequence of bytes. Sender and receiver each describe its memory as a list of pieces; a piece is a
 * contiguous range. The two lists may divide the message at different positions.
 *
 * A channel connects a list of processes, its members. The position of a member in the list is its rank. Each member
 * opens the channel with the same list and the same id; the callers must agree on both beforehand. A receive names a
 * sender and a tag, and matches a message of its channel with this sender and tag. Messages with the same channel,
 * sender and tag match receives in the order of the sends; other messages may overtake each other. A message without a
 * matching receive waits until the receive is posted or the message is discarded, even if its receiver has not opened
 * the channel yet.
 *
 * Rules for the operations of all transports, where `done` is the callback of a request:
 *
 *   - No operation blocks. send and recv return IRR_OK if the operation is complete, and IRR_IN_PROGRESS if it is
 *     pending. A pending operation ends with one call of `done`. Any other status is an error; the operation has then
 *     ended without a call of `done`.
 *   - `progress`, `abandon`, `take_back` and `close_channel` call `done`; send and recv never do. `done` may call send
 *     and recv.
 *   - The caller owns the request, the list of pieces and the memory of the pieces. It changes none of them until the
 *     operation has ended, but it may read the memory of a send. `done` may free or reuse the request. The transport
 *     does not change the members that irr_request_set sets, so a request may be posted again as it is.
 *   - Only one thread uses a transport at a time.
 *
 * tests/transport_suite.c is the conformance suite. A transport that passes the suite can carry the messages of any
 * plan (plan/plan.h).
 */
#ifndef IRR_TRANSPORT_H
#define IRR_TRANSPORT_H

#include "core/alloc.h"

/* A piece of memory, with the layout of struct iovec and ucp_dt_iov_t. */
typedef struct irr_iov {
    void  *base;
    size_t length;
} irr_iov_t;

/*
 * How a transport moves a list of pieces. For a message of at most one piece the form has one effect: with gather, the
 * receiver does not read the sender's memory (single copy in transport/shm/shm.h).
 */
typedef enum irr_form {
    IRR_FORM_IOVEC,   /* the network library, if there is one, gets the list */
    IRR_FORM_GATHER,  /* our code copies between the pieces and contiguous memory of the transport */
    IRR_FORM_COUNT
} irr_form_t;

/*
 * Length of an endless sink. A sink is a piece whose base is NULL: a receive discards as many bytes as the sink is
 * long, and an endless sink discards any number of bytes. A list of a sink and other pieces must have the form gather.
 */
#define IRR_SINK_BYTES ((size_t)PTRDIFF_MAX)

/* Returns the total length of the pieces in bytes, at most IRR_SINK_BYTES; a sum of endless sinks could overflow. */
static inline size_t irr_iov_bytes(const irr_iov_t *iov, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes = iov[i].length < IRR_SINK_BYTES - bytes ? bytes + iov[i].length : IRR_SINK_BYTES;
    }
    return bytes;
}

#define IRR_CHANNEL_ID_BITS   16
#define IRR_CHANNEL_TAG_BITS  15
#define IRR_CHANNEL_RANK_BITS 24
#define IRR_CHANNEL_RANKS_MAX (1 << IRR_CHANNEL_RANK_BITS)
#define IRR_CHANNEL_LANES     3   /* maximum number of inner channels of a channel (transport/lanes.h) */
#define IRR_CHANNEL_PAGE      8   /* number of peers in an irr_page_t */

typedef struct irr_request irr_request_t;
typedef struct irr_transport irr_transport_t;
typedef struct irr_channel irr_channel_t;
typedef struct irr_peer irr_peer_t;

/* The peers of IRR_CHANNEL_PAGE consecutive ranks. A peer is the object of a transport for one process of the job. */
typedef irr_peer_t **irr_page_t;

/* A send or a receive. */
struct irr_request {
    void           (*done)(irr_request_t *request, irr_status_t status);
    const irr_iov_t *iov;          /* pieces, in order */
    size_t           count;        /* 0: an empty message */
    int              peer;         /* rank of the sender or receiver */
    uint16_t         tag;
    irr_form_t       form : 16;
    size_t           length;       /* total length of the pieces in bytes, at most IRR_SINK_BYTES */
    size_t           bytes;        /* set by a successful receive: length of the message in bytes. If an endless sink
                                      has discarded bytes, a number above the total length of the pieces before the
                                      sink, which may differ from the length of the message */
    uintptr_t        reserved[7];  /* state of the transport while the request is pending */
};

/* Sets all members of a request that describe its message. */
static inline void irr_request_set(irr_request_t *request, int peer, uint16_t tag, const irr_iov_t *iov, size_t count,
                                   irr_form_t form)
{
    request->iov = iov;
    request->count = count;
    request->peer = peer;
    request->tag = tag;
    request->form = form;
    request->length = irr_iov_bytes(iov, count);
}

/* Returns true if the transport copies the message between several pieces and contiguous memory. */
static inline bool irr_request_gathers(const irr_request_t *request)
{
    return request->count > 1 && request->form == IRR_FORM_GATHER;
}

/* Returns the request whose member `reserved` is at this address. */
static inline irr_request_t *irr_request_of(void *reserved)
{
    return (irr_request_t *)((char *)reserved - offsetof(irr_request_t, reserved));
}

/* A channel. The channel struct of each transport begins with this struct. Only the transport writes to it. */
struct irr_channel {
    irr_transport_t      *transport;
    const irr_page_t     *pages;     /* the peers of the members (irr_channel_peer); a page without peers is NULL */
    const uint8_t        *kinds;     /* by rank: index in `lanes`; NULL: this channel carries all messages itself */
    irr_channel_t        *lanes[IRR_CHANNEL_LANES];   /* the channels that carry the messages, if `kinds` is not NULL */
    uint32_t              id;
    int                   ranks, rank;
    bool                  looks;     /* true: recv completes at once if its message has arrived, so callers post
                                        receives after sends */
};

/*
 * Capabilities of a transport. exec/compose.h uses them to divide messages of several pieces. All members except
 * `wakes` are equal on all ranks of a job. A message may have any length.
 */
typedef struct irr_transport_caps {
    const char *name;
    size_t      pieces_max[IRR_FORM_COUNT];   /* by form: maximum number of pieces of a message; with more pieces,
                                                 send and recv return IRR_ERR_NOT_SUPPORTED */
    size_t      iov_wire_max;        /* maximum number of pieces of form iovec in one network packet */
    size_t      gather_max;          /* up to this length in bytes, gather is faster than iovec for lists of pieces */
    size_t      zero_copy_min;       /* minimum length in bytes of contiguous messages that are moved without a copy to
                                        a buffer; SIZE_MAX: none */
    bool        wakes;               /* `arm` works, so the caller may sleep until a message arrives */
} irr_transport_caps_t;

typedef struct irr_transport_ops {
    /* Returns the address of this process, which other processes pass to connect. It stays valid until free. */
    irr_status_t (*address)(irr_transport_t *transport, const void **address_p, size_t *length_p);

    /*
     * Creates the peer of a process from a copy of the process's address. Sends nothing. reach or the first send opens
     * the endpoint, which is the connection of the network library. free also frees the peer.
     */
    irr_status_t (*connect)(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);

    /*
     * Opens the endpoint to a peer now instead of in the first send. Returns IRR_ERR_UNREACHABLE if no message can
     * reach the peer; connect does not detect this error.
     */
    irr_status_t (*reach)(irr_transport_t *transport, irr_peer_t *peer);

    /*
     * Two operations that end a setup; NULL: nothing to do. settle: this process and the peer have reached each other,
     * and will exchange messages. Opens now what the first message would open otherwise. leave: gives back what reach
     * took for all peers that are not settled. They have sent no message, and may be reached again.
     */
    void (*settle)(irr_transport_t *transport, irr_peer_t *peer);
    void (*leave)(irr_transport_t *transport);

    /*
     * Finds the peer of a member now instead of in the first send to the member. resolve is NULL in transports whose
     * open_channel gets the peers of all members. Returns the errors of connect.
     */
    irr_status_t (*resolve)(irr_channel_t *channel, int rank);

    /*
     * Opens a channel of `ranks` members, from 1 to IRR_CHANNEL_RANKS_MAX; this process is member `rank`. Sends
     * nothing. This process must not have another open channel with this id. `pages` has the peers of the members to
     * which this process sends; the caller may add peers later, and keeps the pages until the channel is closed. May
     * return IRR_ERR_NO_MEMORY.
     */
    irr_status_t (*open_channel)(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 const irr_page_t *pages, irr_channel_t **channel_p);

    /* Ends pending receives like abandon, and frees the channel. Pending sends continue. */
    void (*close_channel)(irr_channel_t *channel);

    /* Sends the message of a request. */
    irr_status_t (*send)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Receives the next message that has the sender and the tag of the request. If the message is longer than the
     * pieces, the receive ends in IRR_ERR_TRUNCATE, and nothing is written outside the pieces. If the message is
     * shorter, the rest of the pieces is unchanged.
     */
    irr_status_t (*recv)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Cancels all pending receives of the channel. abandon or a later progress calls their `done` with
     * IRR_ERR_CANCELED, or with the normal status if the receive has already matched a message. Sends continue, and so
     * do receives that `done` posts.
     */
    void (*abandon)(irr_channel_t *channel);

    /*
     * Cancels pending sends of the channel, as far as the transport can; other sends continue. take_back calls `done`
     * of a cancelled send with IRR_ERR_CANCELED, and the receiver gets IRR_ERR_PEER or no message. The caller may then
     * write to the memory of the send: a receive that still reads this memory fails. take_back is NULL if the transport
     * cannot cancel sends.
     */
    void (*take_back)(irr_channel_t *channel);

    /*
     * Discards messages for the channel `id` that have arrived without a receive, and adds their number to *count.
     * Selects messages whose tags equal `tag` in the bits that are set in `mask`. The channel need not be open. For the
     * senders the messages count as received. Returns IRR_OK, or IRR_IN_PROGRESS if discard must be called again for
     * the rest. Returns IRR_ERR_NO_MEMORY if this process has lost a message of the channel because memory was missing;
     * receives of the channel then fail until discard is called with mask 0. May progress the transport. Must not be
     * called after close.
     */
    irr_status_t (*discard)(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

    /* Moves messages and calls `done`. Returns the number of events; 0: nothing has happened. */
    unsigned (*progress)(irr_transport_t *transport);

    /*
     * Prepares the transport for one sleep of the caller. After IRR_OK the caller may poll *fd_p, which becomes
     * readable when progress has something to do; poll needs no lock. Returns IRR_IN_PROGRESS if the caller must call
     * progress instead of sleeping, and IRR_ERR_NOT_SUPPORTED if caps.wakes is false.
     */
    irr_status_t (*arm)(irr_transport_t *transport, int *fd_p);

    /* Returns the number of open endpoints, and the total number of bytes that were copied for the form gather. */
    void (*statistics)(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered);

    /*
     * Shutdown in three steps. close: starts to flush and close the endpoints; later sends end in IRR_ERR_CANCELED.
     * drain: returns IRR_IN_PROGRESS until the endpoints are closed and no message is being discarded, then IRR_OK; the
     * caller calls progress in between. free: releases everything except channels, which the caller must have closed.
     * The caller calls free only after drain has returned IRR_OK on all processes that may send to this process. free
     * calls no `done`, but may use the memory of requests that are still pending.
     */
    void         (*close)(irr_transport_t *transport);
    irr_status_t (*drain)(irr_transport_t *transport);
    void         (*free)(irr_transport_t *transport);
} irr_transport_ops_t;

/* The state of every transport begins with this struct. */
struct irr_transport {
    const irr_transport_ops_t *ops;
    irr_transport_caps_t       caps;
};

/* Initialises a channel without inner channels. */
static inline void irr_channel_init(irr_channel_t *channel, irr_transport_t *transport, uint16_t id, int ranks,
                                    int rank, const irr_page_t *pages)
{
    *channel = (irr_channel_t){
        .transport = transport, .pages = pages, .id = id, .ranks = ranks, .rank = rank
    };
}

/*
 * Allocates a channel for open_channel: `bytes` zeroed bytes that begin with an initialised irr_channel_t. The caller
 * frees the channel with irr_free. May return IRR_ERR_NO_MEMORY.
 */
static inline irr_status_t irr_channel_create(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                              const irr_page_t *pages, size_t bytes, irr_channel_t **channel_p)
{
    irr_channel_t *channel = irr_alloc_zero(1, bytes);

    if (channel == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_channel_init(channel, transport, id, ranks, rank, pages);
    *channel_p = channel;
    return IRR_OK;
}

/* Returns the number of pages of a channel of `ranks` members. */
static inline size_t irr_channel_pages(int ranks)
{
    return ((size_t)ranks + IRR_CHANNEL_PAGE - 1) / IRR_CHANNEL_PAGE;
}

/* Sets the pages of a channel to consecutive parts of an array of peers, by rank. */
static inline void irr_channel_cut(irr_peer_t **peers, int ranks, irr_page_t *pages)
{
    for (size_t i = 0; i < irr_channel_pages(ranks); i++) {
        pages[i] = peers + i * IRR_CHANNEL_PAGE;
    }
}

/* Returns the peer of a member. The page of the member must not be NULL. */
static inline irr_peer_t *irr_channel_peer(const irr_channel_t *channel, int rank)
{
    return channel->pages[(unsigned)rank / IRR_CHANNEL_PAGE][(unsigned)rank % IRR_CHANNEL_PAGE];
}

/*
 * Returns the channel that carries the messages from and to a rank: an inner channel, or the channel itself. For these
 * messages the capabilities of the returned channel's transport hold, and the caller may call that transport directly.
 */
static inline irr_channel_t *irr_channel_lane(irr_channel_t *channel, int rank)
{
    return channel->kinds != NULL ? channel->lanes[channel->kinds[rank]] : channel;
}

/* irr_channel_send and irr_channel_recv call the channel that carries the message. */
static inline irr_status_t irr_channel_send(irr_channel_t *channel, irr_request_t *request)
{
    irr_channel_t *lane = irr_channel_lane(channel, request->peer);

    return lane->transport->ops->send(lane, request);
}

static inline irr_status_t irr_channel_recv(irr_channel_t *channel, irr_request_t *request)
{
    irr_channel_t *lane = irr_channel_lane(channel, request->peer);

    return lane->transport->ops->recv(lane, request);
}

static inline void irr_channel_close(irr_channel_t *channel)
{
    channel->transport->ops->close_channel(channel);
}

static inline void irr_channel_abandon(irr_channel_t *channel)
{
    channel->transport->ops->abandon(channel);
}

/* Calls take_back if the transport has this operation. */
static inline void irr_channel_take_back(irr_channel_t *channel)
{
    if (channel->transport->ops->take_back != NULL) {
        channel->transport->ops->take_back(channel);
    }
}

/* Opens the endpoint to a rank, like `reach`. */
static inline irr_status_t irr_channel_reach(irr_channel_t *channel, int rank)
{
    const irr_transport_ops_t *ops = channel->transport->ops;
    const irr_status_t status = ops->resolve != NULL ? ops->resolve(channel, rank) : IRR_OK;
    const irr_channel_t *lane = irr_channel_lane(channel, rank);

    return status == IRR_OK ? lane->transport->ops->reach(lane->transport, irr_channel_peer(lane, rank)) : status;
}

/* Calls `settle` for a rank whose peer is known. */
static inline void irr_channel_settle(irr_channel_t *channel, int rank)
{
    const irr_channel_t *lane = irr_channel_lane(channel, rank);

    if (lane->transport->ops->settle != NULL) {
        lane->transport->ops->settle(lane->transport, irr_channel_peer(lane, rank));
    }
}

/* ---- the transports; more are in study/fabric.h and transport/lanes.h ---- */

/*
 * Opens the transport that irr_transport_choose and irr_transport_settle (transport/auto.h) select. Returns
 * IRR_ERR_BAD_PARAM if no transport has the configured name. Reports each error to the user.
 */
irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens UCX (transport/ucx/ucx.c): context and worker. Reads only ucx_tls, ucx_devices, eager_bytes, one_node,
 * job_ranks and node_ranks of config. Reports an error to the user, and returns IRR_ERR_NOT_SUPPORTED, if UCX cannot be
 * loaded.
 */
irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/* Loads UCX. Returns NULL, or the reason for which it cannot be loaded. Reports nothing to the user. */
const char *irr_ucx_missing(void);

/*
 * Opens libfabric, if this build supports it (transport/ofi/ofi.c): a domain and an endpoint. Reads only ofi_provider,
 * ofi_domain, interfaces, eager_bytes, one_node and job_ranks of config. Reports an error to the user, and returns
 * IRR_ERR_NOT_SUPPORTED, if libfabric cannot be loaded or has no suitable provider.
 */
irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens shared memory (transport/shm/shm.h) between processes of one node. Reports an error to the user, and returns
 * IRR_ERR_NOT_SUPPORTED, if the system does not support it.
 */
irr_status_t irr_shm_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/* Returns true while a send or a receive of shared memory is pending, and until the next progress after that. O(1). */
bool irr_shm_is_busy(const irr_transport_t *transport);

#endif
