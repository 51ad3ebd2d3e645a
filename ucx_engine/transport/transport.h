/*
 * transport.h - the contract between the executor and a transport, which moves tagged messages between processes.
 *
 * A message is a list of pieces at each end. The two lists may divide the message differently; only the order of the
 * bytes counts.
 *
 * Messages travel on channels. All processes that open a channel with the same id and the same members in the same
 * order can send to each other, addressed by rank in this order. The id must be known in advance. A message matches a
 * receive of its channel that names its sender and its tag. Messages of one sender with one tag on one channel arrive
 * in the order sent; other messages may overtake each other. A message without a matching receive, or for a channel
 * that is not open here, waits until a receive is posted or the message is discarded.
 *
 * Rules for the operations of all transports:
 *
 *   - No operation blocks. Neither send nor recv calls `done`: an operation that completes at once returns at once.
 *     `done` is called from `progress`, `abandon`, `take_back` and `close_channel`, and may call send and recv.
 *   - The caller owns the request, the list of pieces and the memory of the pieces. All three must not change from the
 *     call until it returns IRR_OK or an error, or until `done` (the caller may read the memory of a send). A request
 *     may be reused or freed in its own `done`; otherwise its message stays set.
 *   - send and recv return IRR_OK (complete, `done` is not called), IRR_IN_PROGRESS (`done` will be called once) or an
 *     error (nothing is pending).
 *   - A transport is used by one thread at a time.
 *
 * tests/transport_suite.c is the conformance suite; a transport that passes it can run any plan.
 */
#ifndef IRR_TRANSPORT_H
#define IRR_TRANSPORT_H

#include "core/alloc.h"

/* A piece of memory, with the layout of struct iovec and ucp_dt_iov_t. */
typedef struct irr_iov {
    void  *base;
    size_t length;
} irr_iov_t;

/* The form of a list of pieces. A message of one piece, or none, is contiguous in each form. */
typedef enum irr_form {
    IRR_FORM_IOVEC,   /* a list of pieces that the transport handles itself */
    IRR_FORM_GATHER,  /* copied through memory of the transport; by our callbacks if there are several pieces */
    IRR_FORM_COUNT
} irr_form_t;

/*
 * Length of a piece that discards bytes. A piece without a base takes up to its length and keeps nothing; it must be
 * the only piece, or the form must be gather. A piece of IRR_SINK_BYTES is in effect endless (an endless sink).
 */
#define IRR_SINK_BYTES ((size_t)PTRDIFF_MAX)

/* Returns the total length of the pieces, at most IRR_SINK_BYTES: sinks may add up to more than SIZE_MAX. */
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
#define IRR_CHANNEL_RANK_BITS 20
#define IRR_CHANNEL_RANKS_MAX (1 << IRR_CHANNEL_RANK_BITS)

typedef struct irr_request irr_request_t;
typedef struct irr_transport irr_transport_t;
typedef struct irr_channel irr_channel_t;
typedef struct irr_peer irr_peer_t;

/* A send or a receive. */
struct irr_request {
    void           (*done)(irr_request_t *request, irr_status_t status);
    const irr_iov_t *iov;          /* pieces, in order */
    size_t           count;        /* 0: an empty message */
    int              peer;         /* the rank that the message goes to, or comes from */
    uint16_t         tag;
    irr_form_t       form : 16;
    size_t           length;       /* of all pieces, at most IRR_SINK_BYTES */
    size_t           bytes;        /* length of the message of a complete receive; if an endless sink took its end, any
                                      number larger than the bytes before the sink */
    uintptr_t        reserved[7];  /* for the transport, while the request is pending */
};

/* Sets the message of a request. */
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

/* Returns true if callbacks copy the message: it has several pieces and the form gather. */
static inline bool irr_request_gathers(const irr_request_t *request)
{
    return request->count > 1 && request->form == IRR_FORM_GATHER;
}

/* Returns the request whose `reserved` this is. */
static inline irr_request_t *irr_request_of(void *reserved)
{
    return (irr_request_t *)((char *)reserved - offsetof(irr_request_t, reserved));
}

/* A channel: first member of the channel of each transport, read-only for its user. */
struct irr_channel {
    irr_transport_t      *transport;
    irr_peer_t *const    *members;   /* by rank; NULL: this process does not send to that rank */
    irr_channel_t *const *lanes;     /* by rank: the channel that carries its messages; NULL: this one carries all */
    uint32_t              id;
    int                   ranks, rank;
    bool                  looks;     /* recv takes a message that has arrived, so sends should start before receives */
};

/*
 * Capabilities of a transport, which the composition of messages depends on (exec/compose.h). All but `wakes` are the
 * same on all ranks of a job. A message of more pieces than pieces_max ends in IRR_ERR_NOT_SUPPORTED. Messages have no
 * maximum length.
 */
typedef struct irr_transport_caps {
    const char *name;
    size_t      pieces_max[IRR_FORM_COUNT];   /* maximum pieces of a message in each form; 1: no lists */
    size_t      iov_wire_max;        /* pieces that fit into one network packet; more pieces need more packets */
    size_t      gather_max;          /* lists up to this length in bytes are sent fastest in the form gather */
    size_t      zero_copy_min;       /* contiguous messages from this length on move without copies; SIZE_MAX: never */
    bool        wakes;               /* arm can prepare a sleep */
} irr_transport_caps_t;

typedef struct irr_transport_ops {
    /* Returns the address of this process, valid until free. Any process of the job can connect to it. */
    irr_status_t (*address)(irr_transport_t *transport, const void **address_p, size_t *length_p);

    /*
     * Creates a peer from its address, which is copied. Sends nothing and opens no endpoint: reach or the first send
     * opens it. The peer lives until free.
     */
    irr_status_t (*connect)(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);

    /*
     * Opens the endpoint that the first send would open. Returns IRR_ERR_UNREACHABLE if no message can reach the peer,
     * which connect cannot find out.
     */
    irr_status_t (*reach)(irr_transport_t *transport, irr_peer_t *peer);

    /*
     * Opens a channel of 1 to IRR_CHANNEL_RANKS_MAX ranks, one of which is this process. Sends nothing. No other
     * channel with this id may be open here. The members are borrowed until the channel is closed. May return
     * IRR_ERR_NO_MEMORY.
     */
    irr_status_t (*open_channel)(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 irr_peer_t *const *members, irr_channel_t **channel_p);

    /* Abandons and frees a channel. Pending sends go on; their requests must live until `done`. */
    void (*close_channel)(irr_channel_t *channel);

    /* Sends the message of a request. */
    irr_status_t (*send)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Receives the next message from the peer with the tag of the request. A message longer than the pieces ends in
     * IRR_ERR_TRUNCATE and writes nothing outside them; a shorter one leaves the rest of the pieces unchanged.
     */
    irr_status_t (*recv)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Ends all pending receives of the channel: `done` follows, here or in progress, with IRR_ERR_CANCELED unless the
     * receive was matched already. Sends go on, and so do receives that `done` posts.
     */
    void (*abandon)(irr_channel_t *channel);

    /*
     * Takes back pending sends of the channel, where the transport can: no receiver that ends well reads their memory
     * any more, `done` follows here with IRR_ERR_CANCELED, and their receivers get IRR_ERR_PEER or nothing. Other sends
     * go on. NULL: the transport takes back no sends.
     */
    void (*take_back)(irr_channel_t *channel);

    /*
     * Discards unexpected messages: messages for this channel id, open here or not, that have arrived without a
     * receive, and whose tags equal `tag` in the bits that are set in mask. Adds their number to *count. The senders'
     * requests complete as if the messages were received. Returns IRR_OK, or IRR_IN_PROGRESS if more may have to be
     * discarded later. IRR_ERR_NO_MEMORY: a message of the channel was lost here for lack of memory, and receives fail;
     * discarding all tags resets that. May progress the transport. Must not be called after close.
     */
    irr_status_t (*discard)(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

    /* Moves messages and calls `done`. Returns the number of events, 0 if there was nothing to do. */
    unsigned (*progress)(irr_transport_t *transport);

    /*
     * Prepares to sleep. IRR_OK: *fd_p becomes readable when progress has something to do. The caller may poll *fd_p,
     * even without the lock that serialises the other operations. IRR_IN_PROGRESS: call progress first.
     * IRR_ERR_NOT_SUPPORTED: caps.wakes is false. Each sleep needs a call of arm.
     */
    irr_status_t (*arm)(irr_transport_t *transport, int *fd_p);

    /* Returns the number of open endpoints, and the bytes that gather callbacks have copied so far. */
    void (*statistics)(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered);

    /*
     * Shutdown in three steps. close: starts to flush and close the endpoints; later sends end in IRR_ERR_CANCELED.
     * drain: call progress until drain returns IRR_OK (IRR_IN_PROGRESS before), which includes messages being
     * discarded. free: releases everything except channels, which must be closed before; each process that can still
     * send to this one must have drained. `done` of requests that are still pending is never called; their memory must
     * live until free has returned.
     */
    void         (*close)(irr_transport_t *transport);
    irr_status_t (*drain)(irr_transport_t *transport);
    void         (*free)(irr_transport_t *transport);
} irr_transport_ops_t;

/* First member of the state of every transport. */
struct irr_transport {
    const irr_transport_ops_t *ops;
    irr_transport_caps_t       caps;
};

/* Sets the members that all channels have. */
static inline void irr_channel_init(irr_channel_t *channel, irr_transport_t *transport, uint16_t id, int ranks,
                                    int rank, irr_peer_t *const *members)
{
    *channel = (irr_channel_t){
        .transport = transport, .members = members, .id = id, .ranks = ranks, .rank = rank
    };
}

/*
 * Allocates a channel for open_channel: `bytes` zeroed bytes, beginning with an irr_channel_t, which is set. irr_free
 * frees it. May return IRR_ERR_NO_MEMORY.
 */
static inline irr_status_t irr_channel_create(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                              irr_peer_t *const *members, size_t bytes, irr_channel_t **channel_p)
{
    irr_channel_t *channel = irr_alloc_zero(1, bytes);

    if (channel == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_channel_init(channel, transport, id, ranks, rank, members);
    *channel_p = channel;
    return IRR_OK;
}

/*
 * Returns the channel that carries the messages of a rank. The caps of its transport hold for these messages, and its
 * transport may be called directly.
 */
static inline irr_channel_t *irr_channel_lane(irr_channel_t *channel, int rank)
{
    return channel->lanes != NULL ? channel->lanes[rank] : channel;
}

/* Send and receive on the channel that carries the message. */
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

/* Calls take_back if the transport has it. */
static inline void irr_channel_take_back(irr_channel_t *channel)
{
    if (channel->transport->ops->take_back != NULL) {
        channel->transport->ops->take_back(channel);
    }
}

/* Opens the endpoint that the first send to a rank would open, as reach does. */
static inline irr_status_t irr_channel_reach(irr_channel_t *channel, int rank)
{
    const irr_channel_t *lane = irr_channel_lane(channel, rank);

    return lane->transport->ops->reach(lane->transport, lane->members[rank]);
}

/* ---- the transports; study/fabric.h has more, and transport/lanes.h combines two of them ---- */

/*
 * Opens the transport that the configuration names or irr_transport_choose selects: a network listed by
 * irr_transport_name, or shm. Returns IRR_ERR_BAD_PARAM if there is none of that name. Each error was reported to the
 * user.
 */
irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens UCX (transport/ucx/ucx.c): context and worker. Reads only tls, devices, eager_bytes, one_node and the numbers
 * of ranks. Returns IRR_ERR_NOT_SUPPORTED, reported to the user, if UCX cannot be loaded.
 */
irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens libfabric, if it was built (transport/ofi/ofi.c): a domain and an endpoint. Reads only ofi_provider,
 * ofi_domain, interfaces, eager_bytes, one_node and the numbers of ranks. Returns IRR_ERR_NOT_SUPPORTED, reported to
 * the user, if libfabric cannot be loaded or has no such provider.
 */
irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens shared memory (transport/shm/shm.h), which connects processes of one node. Returns IRR_ERR_NOT_SUPPORTED,
 * reported to the user, if the system has no such memory.
 */
irr_status_t irr_shm_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/* Returns true while a message or a receive is pending, and until the call of progress after it. O(1). */
bool irr_shm_is_busy(const irr_transport_t *transport);

#endif
