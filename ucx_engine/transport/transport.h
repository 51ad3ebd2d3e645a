/*
 * transport.h - the contract between the executor and a transport, which moves tagged messages between processes.
 *
 * Sender and receiver each have a message as a list of pieces. The two lists may divide the message into different
 * pieces; the bytes of the pieces, in the order of the list, are the message.
 *
 * Messages travel on channels. All processes that open a channel with the same id and the same members in the same
 * order can send to each other. A member's position in this order is its rank. The processes must agree on the id
 * before they open the channel. A message matches a receive of its channel that names its sender and its tag. Messages
 * of one sender with one tag on one channel arrive in the order of the sends; other messages may overtake each other.
 * If a message has no matching receive, or its receiver has not opened the channel, the message waits until a receive
 * is posted or the message is discarded.
 *
 * Rules for the operations of all transports:
 *
 *   - No operation blocks. send and recv never call `done`; if an operation completes at once, they return its result.
 *     `progress`, `abandon`, `take_back` and `close_channel` call `done`. `done` may call send and recv.
 *   - The caller owns the request, the list of pieces and the memory of the pieces. The caller may change none of them
 *     before send or recv has returned IRR_OK or an error, or else before `done` is called; it may read the memory of a
 *     send. `done` may reuse or free the request. If `done` does neither, the members that irr_request_set has set are
 *     unchanged.
 *   - send and recv return IRR_OK if the operation is complete, and IRR_IN_PROGRESS if it is pending; `done` will then
 *     be called once. After an error the operation is not pending, and `done` is not called.
 *   - Only one thread uses a transport at a time.
 *
 * tests/transport_suite.c is the conformance suite. A transport that passes the suite can run any plan.
 */
#ifndef IRR_TRANSPORT_H
#define IRR_TRANSPORT_H

#include "core/alloc.h"

/* A piece of memory, with the layout of struct iovec and ucp_dt_iov_t. */
typedef struct irr_iov {
    void  *base;
    size_t length;
} irr_iov_t;

/* The form of a list of pieces. A message of one piece or no piece is contiguous; its form has no meaning. */
typedef enum irr_form {
    IRR_FORM_IOVEC,   /* a list of pieces that the transport handles itself */
    IRR_FORM_GATHER,  /* pieces that are copied through memory of the transport; several pieces are copied by our
                         callbacks */
    IRR_FORM_COUNT
} irr_form_t;

/*
 * Length of a piece that discards bytes. A piece whose base is NULL is a sink: it discards as many bytes as its length.
 * If a list has a sink and other pieces, its form must be gather. A sink of IRR_SINK_BYTES bytes discards messages of
 * any length (an endless sink).
 */
#define IRR_SINK_BYTES ((size_t)PTRDIFF_MAX)

/*
 * Returns the total length of the pieces in bytes. Returns at most IRR_SINK_BYTES, because the lengths of sinks may add
 * up to more than SIZE_MAX.
 */
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
#define IRR_CHANNEL_LANES     3   /* transport/lanes.h */
#define IRR_CHANNEL_PAGE      8   /* number of peers of a page */

typedef struct irr_request irr_request_t;
typedef struct irr_transport irr_transport_t;
typedef struct irr_channel irr_channel_t;
typedef struct irr_peer irr_peer_t;

/* The peers of IRR_CHANNEL_PAGE consecutive ranks. */
typedef irr_peer_t **irr_page_t;

/* A send or a receive. */
struct irr_request {
    void           (*done)(irr_request_t *request, irr_status_t status);
    const irr_iov_t *iov;          /* pieces, in order */
    size_t           count;        /* 0: an empty message */
    int              peer;         /* the rank at the other end of the message */
    uint16_t         tag;
    irr_form_t       form : 16;
    size_t           length;       /* total length of the pieces in bytes, at most IRR_SINK_BYTES */
    size_t           bytes;        /* after a receive: length of the message in bytes; if an endless sink discarded the
                                      end of the message, any number larger than the number of bytes before the sink */
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

/* Returns true if callbacks copy the message, because the message has several pieces and the form gather. */
static inline bool irr_request_gathers(const irr_request_t *request)
{
    return request->count > 1 && request->form == IRR_FORM_GATHER;
}

/* Returns the request that contains this `reserved`. */
static inline irr_request_t *irr_request_of(void *reserved)
{
    return (irr_request_t *)((char *)reserved - offsetof(irr_request_t, reserved));
}

/* A channel. The channel of each transport has this struct as its first member. Users of a channel only read it. */
struct irr_channel {
    irr_transport_t      *transport;
    const irr_page_t     *pages;     /* the peers of the members (irr_channel_peer); NULL: a page without peers */
    const uint8_t        *kinds;     /* by rank: index in `lanes`; NULL: this channel carries all messages */
    irr_channel_t        *lanes[IRR_CHANNEL_LANES];   /* the channels that carry messages */
    uint32_t              id;
    int                   ranks, rank;
    bool                  looks;     /* true: recv completes at once if the message has arrived, so sends should start
                                        before receives */
};

/*
 * Capabilities of a transport. The composition of messages (exec/compose.h) depends on them. All members except `wakes`
 * are the same on all ranks of a job. A message of more pieces than pieces_max ends in IRR_ERR_NOT_SUPPORTED. Messages
 * have no maximum length.
 */
typedef struct irr_transport_caps {
    const char *name;
    size_t      pieces_max[IRR_FORM_COUNT];   /* maximum number of pieces of a message in each form; 1: no lists */
    size_t      iov_wire_max;        /* number of pieces that fit into one network packet */
    size_t      gather_max;          /* length in bytes up to which gather is the fastest form of lists */
    size_t      zero_copy_min;       /* length in bytes from which contiguous messages move without copies; SIZE_MAX:
                                        never */
    bool        wakes;               /* arm can prepare a sleep */
} irr_transport_caps_t;

typedef struct irr_transport_ops {
    /*
     * Returns the address of this process, to which any process of the job can connect. The address is valid until
     * free.
     */
    irr_status_t (*address)(irr_transport_t *transport, const void **address_p, size_t *length_p);

    /*
     * Creates a peer from its address, and copies the address. Sends nothing and opens no endpoint; reach or the first
     * send opens the endpoint. The peer lives until free.
     */
    irr_status_t (*connect)(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);

    /*
     * Opens the endpoint that the first send would open. Returns IRR_ERR_UNREACHABLE if no message can reach the peer;
     * connect cannot detect this error.
     */
    irr_status_t (*reach)(irr_transport_t *transport, irr_peer_t *peer);

    /*
     * Finds the peer of a member, as the first send to the member does. A transport that knows the peers of all members
     * sets meet to NULL. Returns the errors of connect.
     */
    irr_status_t (*meet)(irr_channel_t *channel, int rank);

    /*
     * Opens a channel of 1 to IRR_CHANNEL_RANKS_MAX ranks, one of which is this process. Sends nothing. This process
     * must not have another open channel with this id. The pages have the peers of the members that this process sends
     * to; they are borrowed until the channel is closed, and may change. May return IRR_ERR_NO_MEMORY.
     */
    irr_status_t (*open_channel)(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 const irr_page_t *pages, irr_channel_t **channel_p);

    /* Abandons and frees a channel. Pending sends continue; their requests must live until `done`. */
    void (*close_channel)(irr_channel_t *channel);

    /* Sends the message of a request. */
    irr_status_t (*send)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Receives the next message from the peer with the tag of the request. If the message is longer than the pieces,
     * the receive ends in IRR_ERR_TRUNCATE, and nothing is written outside the pieces. If the message is shorter, the
     * rest of the pieces is unchanged.
     */
    irr_status_t (*recv)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Ends all pending receives of the channel. abandon or a later progress calls their `done`. The status is
     * IRR_ERR_CANCELED, unless a message has already matched the receive. Sends continue, and so do receives that
     * `done` posts.
     */
    void (*abandon)(irr_channel_t *channel);

    /*
     * Takes back those pending sends of the channel that the transport can take back; other sends continue. take_back
     * calls `done` of such a send with IRR_ERR_CANCELED, and its receiver gets IRR_ERR_PEER or no message. From then
     * on, if a receive still reads the memory of the send, the receive fails. take_back is NULL if the transport can
     * take back no sends.
     */
    void (*take_back)(irr_channel_t *channel);

    /*
     * Discards unexpected messages, and adds their number to *count. These are messages for this channel id that have
     * arrived without a receive, and whose tags are equal to `tag` in the bits that are set in mask. The channel need
     * not be open. The requests of the senders complete as if the messages were received. Returns IRR_OK, or
     * IRR_IN_PROGRESS if more messages may have to be discarded later. Returns IRR_ERR_NO_MEMORY if this process has
     * lost a message of the channel because memory was missing; receives of the channel then fail until a call of
     * discard discards all tags. May progress the transport. Must not be called after close.
     */
    irr_status_t (*discard)(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

    /* Moves messages and calls `done`. Returns the number of events that it has handled. */
    unsigned (*progress)(irr_transport_t *transport);

    /*
     * Prepares to sleep. Returns IRR_OK if the caller may sleep: *fd_p becomes readable when progress has something to
     * do. The caller may poll *fd_p without the lock that serialises the other operations. Returns IRR_IN_PROGRESS if
     * the caller must call progress first, and IRR_ERR_NOT_SUPPORTED if caps.wakes is false. Each sleep needs a call of
     * arm.
     */
    irr_status_t (*arm)(irr_transport_t *transport, int *fd_p);

    /* Returns the number of open endpoints, and the total number of bytes that gather callbacks have copied. */
    void (*statistics)(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered);

    /*
     * Shutdown in three steps. close: starts to flush and close the endpoints; later sends end in IRR_ERR_CANCELED.
     * drain: returns IRR_IN_PROGRESS until the endpoints are closed and no message is being discarded, then IRR_OK; the
     * caller calls progress in between. free: releases everything except channels, which the caller must have closed.
     * Before free, each process that can send to this process must have drained. The transport never calls `done` of
     * requests that are pending in free; their memory must live until free has returned.
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

/* Sets the members of irr_channel_t. */
static inline void irr_channel_init(irr_channel_t *channel, irr_transport_t *transport, uint16_t id, int ranks,
                                    int rank, const irr_page_t *pages)
{
    *channel = (irr_channel_t){
        .transport = transport, .pages = pages, .id = id, .ranks = ranks, .rank = rank
    };
}

/*
 * Allocates a channel for open_channel: `bytes` zeroed bytes that begin with an irr_channel_t. Sets the irr_channel_t.
 * The caller frees the channel with irr_free. May return IRR_ERR_NO_MEMORY.
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

/* Returns the number of pages of a channel. */
static inline size_t irr_channel_pages(int ranks)
{
    return ((size_t)ranks + IRR_CHANNEL_PAGE - 1) / IRR_CHANNEL_PAGE;
}

/* Cuts a list of peers, by rank, into the pages of a channel. */
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
 * Returns the channel that carries the messages of a rank. The caps of its transport hold for these messages, and its
 * transport may be called directly.
 */
static inline irr_channel_t *irr_channel_lane(irr_channel_t *channel, int rank)
{
    return channel->kinds != NULL ? channel->lanes[channel->kinds[rank]] : channel;
}

/* irr_channel_send and irr_channel_recv call send and recv of the channel that carries the message. */
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

/* Opens the endpoint that the first send to a rank would open, as reach does. */
static inline irr_status_t irr_channel_reach(irr_channel_t *channel, int rank)
{
    const irr_transport_ops_t *ops = channel->transport->ops;
    const irr_status_t status = ops->meet != NULL ? ops->meet(channel, rank) : IRR_OK;
    const irr_channel_t *lane = irr_channel_lane(channel, rank);

    return status == IRR_OK ? lane->transport->ops->reach(lane->transport, irr_channel_peer(lane, rank)) : status;
}

/* ---- the transports; study/fabric.h has more transports, and transport/lanes.h combines two transports ---- */

/*
 * Opens the transport that irr_transport_choose returns for the configuration: shm, or one of the networks of
 * irr_transport_name. Returns IRR_ERR_BAD_PARAM if no transport has the name. Reports each error to the user.
 */
irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens UCX (transport/ucx/ucx.c): context and worker. Reads only tls, devices, eager_bytes, one_node and the numbers
 * of ranks. Reports an error to the user, and returns IRR_ERR_NOT_SUPPORTED, if UCX cannot be loaded.
 */
irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens libfabric, if it was built (transport/ofi/ofi.c): a domain and an endpoint. Reads only ofi_provider,
 * ofi_domain, interfaces, eager_bytes, one_node and the numbers of ranks. Reports an error to the user, and returns
 * IRR_ERR_NOT_SUPPORTED, if libfabric cannot be loaded or has no such provider.
 */
irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Opens shared memory (transport/shm/shm.h), which connects processes of one node. Reports an error to the user, and
 * returns IRR_ERR_NOT_SUPPORTED, if the system does not support shared memory.
 */
irr_status_t irr_shm_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/* Returns true while a message or a receive is pending, and until the next call of progress after that. O(1). */
bool irr_shm_is_busy(const irr_transport_t *transport);

#endif
