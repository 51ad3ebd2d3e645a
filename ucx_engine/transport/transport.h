/*
 * transport.h - the contract between the executor and whatever moves bytes.
 *
 * A transport moves tagged messages between processes.  A message is a list of pieces at each end; the
 * lists may be cut differently, only their order counts.
 *
 * Messages travel on channels.  All processes that open a channel with one id, which they have to know, and the same
 * members in the same order can send to each other by the ranks of these.  A message meets a receive of its channel
 * that names its sender and its tag.  Those of one sender with one tag on one channel arrive in the order sent; any
 * others may overtake each other.  What comes for a channel that is not open here, or for no receive, waits until a
 * receive is posted or until it is discarded.
 *
 * The operations, for all transports:
 *
 *   - None blocks.  None calls `done` from within send or recv: what completes at once is returned at once.  `done` is
 *     called from within `progress` (or `abandon`, `take_back` and `close_channel`), and may call send and recv.
 *   - The caller owns the request, the list of pieces and the memory that these point to.  All three stay untouched
 *     (for a send: may be read by the caller) from the call until it returns IRR_OK or an error, or until `done`.
 *     The request may be reused or freed within its own `done`; its message stays as it was set.
 *   - send and recv return IRR_OK (complete, `done` is not called), IRR_IN_PROGRESS (`done` will be called
 *     once) or an error (nothing is pending).
 *   - A transport is used by one thread at a time.
 *
 * tests/transport_suite.c is the conformance suite; a transport that passes it can run any plan.
 */
#ifndef IRR_TRANSPORT_H
#define IRR_TRANSPORT_H

#include "core/alloc.h"

/* A piece of memory; laid out as struct iovec and ucp_dt_iov_t are. */
typedef struct irr_iov {
    void  *base;
    size_t length;
} irr_iov_t;

static inline size_t irr_iov_bytes(const irr_iov_t *iov, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes += iov[i].length;
    }
    return bytes;
}

/* How a list of pieces is handed over; one piece, or none, is a contiguous message whatever the form. */
typedef enum irr_form {
    IRR_FORM_IOVEC,   /* the transport's own list of pieces */
    IRR_FORM_GATHER,  /* copies into and out of the transport's own memory, by our callbacks if there are several */
    IRR_FORM_COUNT
} irr_form_t;

/*
 * How a receive throws bytes away: a piece without a base takes up to its length and keeps nothing, if it is the only
 * one, or in the gather form.  IRR_SINK_BYTES is as good as endless.
 */
#define IRR_SINK_BYTES ((size_t)PTRDIFF_MAX)

#define IRR_CHANNEL_ID_BITS   16
#define IRR_CHANNEL_TAG_BITS  15
#define IRR_CHANNEL_RANK_BITS 20
#define IRR_CHANNEL_RANKS_MAX (1 << IRR_CHANNEL_RANK_BITS)

typedef struct irr_request irr_request_t;
typedef struct irr_transport irr_transport_t;
typedef struct irr_channel irr_channel_t;
typedef struct irr_peer irr_peer_t;

/* A message to send, or a receive. */
struct irr_request {
    void           (*done)(irr_request_t *request, irr_status_t status);
    const irr_iov_t *iov;          /* its pieces, in their order */
    size_t           count;        /* 0: an empty message */
    int              peer;         /* the rank that it goes to, or comes from */
    uint16_t         tag;
    irr_form_t       form : 16;
    size_t           bytes;        /* of a receive that is complete: of the message; if an endless sink took its end,
                                      any more than were kept or dropped before that */
    uintptr_t        reserved[8];  /* the transport's, while the request is pending */
};

/* Sets what is sent or received. */
static inline void irr_request_set(irr_request_t *request, int peer, uint16_t tag, const irr_iov_t *iov, size_t count,
                                   irr_form_t form)
{
    request->iov = iov;
    request->count = count;
    request->peer = peer;
    request->tag = tag;
    request->form = form;
}

/* The request whose `reserved` this is. */
static inline irr_request_t *irr_request_of(void *reserved)
{
    return (irr_request_t *)((char *)reserved - offsetof(irr_request_t, reserved));
}

/* First member of every channel; read-only for its user. */
struct irr_channel {
    irr_transport_t      *transport;
    irr_peer_t *const    *members;   /* by rank; NULL: this process does not send to that one */
    irr_channel_t *const *lanes;     /* by rank: the channel that carries its messages; NULL: this one carries all */
    uint32_t              id;
    int                   ranks, rank;
    bool                  looks;     /* recv takes a message that is there already: sends should start first */
};

/*
 * What the composition reads, and what may be asked for.  All but wakes is the same on all ranks of a job.  A message
 * of more pieces, or in another form, ends in IRR_ERR_NOT_SUPPORTED; none is too long.
 */
typedef struct irr_transport_caps {
    const char *name;
    size_t      pieces_max[IRR_FORM_COUNT];   /* of a message in each form; 1: no lists */
    size_t      iov_wire_max;        /* pieces that one wire packet takes; more cost more packets */
    size_t      gather_max;          /* lists of up to so many bytes are sent fastest in the gather form */
    size_t      zero_copy_min;       /* contiguous messages from here on move without copies; SIZE_MAX: never */
    bool        wakes;               /* arm can prepare a sleep */
} irr_transport_caps_t;

typedef struct irr_transport_ops {
    /* The address of this process; valid until free.  Any process of the job can connect with it. */
    irr_status_t (*address)(irr_transport_t *transport, const void **address_p, size_t *length_p);

    /*
     * Names a peer by its address, which is copied.  Sends nothing and opens nothing: the endpoint is
     * opened by reach or by the first send.  The peer lives until free.
     */
    irr_status_t (*connect)(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);

    /*
     * Opens the endpoint that the first send would open.  IRR_ERR_UNREACHABLE if nothing can carry messages to
     * that peer, which connect cannot know.
     */
    irr_status_t (*reach)(irr_transport_t *transport, irr_peer_t *peer);

    /*
     * A channel of 1 to IRR_CHANNEL_RANKS_MAX ranks, this process being one of them; sends nothing.  No other channel
     * with this id may be open here.  The members are borrowed until it is closed.  IRR_ERR_NO_MEMORY.
     */
    irr_status_t (*open_channel)(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 irr_peer_t *const *members, irr_channel_t **channel_p);

    /* Abandons it and forgets it.  Sends that are pending go on; their requests live until `done`. */
    void (*close_channel)(irr_channel_t *channel);

    /* Sends the message of a request. */
    irr_status_t (*send)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Receives the next message of the peer with the tag of the request.  A message longer than the pieces ends in
     * IRR_ERR_TRUNCATE and writes nothing outside them; a shorter one leaves the rest untouched.
     */
    irr_status_t (*recv)(irr_channel_t *channel, irr_request_t *request);

    /*
     * Asks for all receives that are pending on the channel to end: `done` follows, here or in progress, with
     * IRR_ERR_CANCELED unless the receive was matched already.  Sends go on, and so do receives that `done` posts.
     */
    void (*abandon)(irr_channel_t *channel);

    /*
     * Takes back the sends that are pending on the channel, where this transport can: their memory is read no more for
     * any receiver that ends well, `done` follows here with IRR_ERR_CANCELED, and their receivers get IRR_ERR_PEER or
     * nothing.  The others go on.  NULL: it takes back none.
     */
    void (*take_back)(irr_channel_t *channel);

    /*
     * Throws away the messages for a channel of this id, open here or not, that are here and find no receive, and
     * whose tags have the bits of `tag` where mask has ones; adds their number to *count.  Their senders' requests are
     * done as if they were received.  IRR_OK, or IRR_IN_PROGRESS if there may be more than can be thrown away now.
     * IRR_ERR_NO_MEMORY: this process had no memory for a message of the channel, and receives fail; a discard of all
     * tags forgets that.  May progress the transport.  Not to be called after close.
     */
    irr_status_t (*discard)(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);

    /* Moves messages and calls `done`; returns the number of events, 0 when there was nothing to do. */
    unsigned (*progress)(irr_transport_t *transport);

    /*
     * Prepares to sleep.  IRR_OK: *fd_p becomes readable when progress has something to do, and the caller may
     * poll it, also without whatever lock serialises the other operations; IRR_IN_PROGRESS: progress first;
     * IRR_ERR_NOT_SUPPORTED without caps.wakes.  Every sleep needs an arm of its own.
     */
    irr_status_t (*arm)(irr_transport_t *transport, int *fd_p);

    /* Number of endpoints open now, and bytes that gather callbacks copied so far. */
    void (*statistics)(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered);

    /*
     * Three steps down.  close: starts to flush and close the endpoints; a send that follows ends in
     * IRR_ERR_CANCELED.  drain: progress until it returns IRR_OK (IRR_IN_PROGRESS until then), also with what is
     * being discarded.  free: releases everything but channels, which must be closed by then; each process that can
     * still send to this one must have drained.  A request that is pending by then is never done, and what it needs
     * must live until free has returned.
     */
    void         (*close)(irr_transport_t *transport);
    irr_status_t (*drain)(irr_transport_t *transport);
    void         (*free)(irr_transport_t *transport);
} irr_transport_ops_t;

/* First member of every transport. */
struct irr_transport {
    const irr_transport_ops_t *ops;
    irr_transport_caps_t       caps;
};

/* Fills in what all channels have. */
static inline void irr_channel_init(irr_channel_t *channel, irr_transport_t *transport, uint16_t id, int ranks,
                                    int rank, irr_peer_t *const *members)
{
    *channel = (irr_channel_t){
        .transport = transport, .members = members, .id = id, .ranks = ranks, .rank = rank
    };
}

/*
 * Makes what open_channel makes, of so many bytes, the first of which are an irr_channel_t and the others 0; irr_free
 * takes it.  IRR_ERR_NO_MEMORY.
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
 * The channel that carries the messages of a rank.  Its transport, whose caps hold for these messages, may be called
 * without the one of the channel itself.
 */
static inline irr_channel_t *irr_channel_lane(irr_channel_t *channel, int rank)
{
    return channel->lanes != NULL ? channel->lanes[rank] : channel;
}

/* As `send` and `recv`, on the channel that carries the message. */
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

/* As `take_back` does, where there is one. */
static inline void irr_channel_take_back(irr_channel_t *channel)
{
    if (channel->transport->ops->take_back != NULL) {
        channel->transport->ops->take_back(channel);
    }
}

/* Opens the endpoint that the first send to a rank would open, as `reach` does. */
static inline irr_status_t irr_channel_reach(irr_channel_t *channel, int rank)
{
    const irr_channel_t *lane = irr_channel_lane(channel, rank);

    return lane->transport->ops->reach(lane->transport, lane->members[rank]);
}

/* ---- the transports; study/fabric.h has more, and transport/lanes.h combines two of them ---- */

/*
 * Opens the network that the configuration names, of the table that irr_transport_name lists; or shm, if it is named.
 * IRR_ERR_BAD_PARAM if there is none of that name.  The user has been told of each error.
 */
irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * UCX: see transport/ucx/ucx.c.  Opens context and worker; reads only tls, devices, one_node and the rank numbers.
 * IRR_ERR_NOT_SUPPORTED, told to the user, where UCX cannot be loaded.
 */
irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * libfabric, where it was built: see transport/ofi/ofi.c.  Opens a domain and an endpoint; reads only ofi_provider,
 * ofi_domain, one_node and the rank numbers.  IRR_ERR_NOT_SUPPORTED, told to the user, where libfabric cannot be loaded
 * or has no such provider.
 */
irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/*
 * Shared memory: see transport/shm/shm.h.  Connects processes of one node.  IRR_ERR_NOT_SUPPORTED, told to the user,
 * where the system has no such memory.
 */
irr_status_t irr_shm_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

/* True while a message or a receive is pending, and until the call of progress behind it.  O(1). */
bool irr_shm_is_busy(const irr_transport_t *transport);

#endif
