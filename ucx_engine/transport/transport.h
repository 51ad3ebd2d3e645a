/*
 * transport.h - the contract between the executor and whatever moves bytes.
 *
 * A transport moves tagged messages between processes.  A message is a list of pieces at each end; the
 * lists may be cut differently, only their order counts.  Messages of one sender with one tag arrive in
 * the order sent; any others may overtake each other.
 *
 * The operations, for all transports:
 *
 *   - None blocks.  None calls `done` from within send or recv: what completes at once
 *     is returned at once.  `done` is called from within `progress` (or `cancel`), and may call send and recv.
 *   - The caller owns the iov array, the memory it points to and the request.  All three stay untouched
 *     (for a send: may be read by the caller) from the call until it returns IRR_OK or an error, or until
 *     `done`.  The request may be reused or freed within its own `done`.
 *   - send and recv return IRR_OK (complete, `done` is not called), IRR_IN_PROGRESS (`done` will be called
 *     once) or an error (nothing is pending).
 *   - A transport is used by one thread at a time.
 *
 * tests/transport_suite.c is the conformance suite; a transport that passes it can run any plan.
 */
#ifndef IRR_TRANSPORT_H
#define IRR_TRANSPORT_H

#include "irr.h"

/* A piece of memory; laid out as struct iovec and ucp_dt_iov_t are. */
typedef struct irr_iov {
    void  *base;
    size_t length;
} irr_iov_t;

/* How a list of pieces is handed over; one piece with a base is always a plain contiguous message. */
typedef enum irr_form {
    IRR_FORM_IOVEC,   /* the transport's own list of pieces */
    IRR_FORM_GATHER   /* our callbacks copy straight into and out of the transport's fragments */
} irr_form_t;

/*
 * How a receive throws bytes away: a piece of a GATHER receive whose base is NULL takes up to its length and
 * keeps nothing.  IRR_SINK_BYTES is as good as endless.
 */
#define IRR_SINK_BYTES ((size_t)PTRDIFF_MAX)


typedef struct irr_request irr_request_t;
typedef struct irr_transport irr_transport_t;
typedef struct irr_peer irr_peer_t;

struct irr_request {
    void       (*done)(irr_request_t *request, irr_status_t status);
    size_t       bytes;        /* of a completed receive: length of the message that arrived */
    uintptr_t    reserved[8];  /* the transport's, while the request is pending */
};

/* A message that probe found and took out of matching; recv_message must consume it. */
typedef struct irr_message {
    void    *handle;
    uint64_t tag;
    size_t   bytes;
} irr_message_t;

/* What the composition reads.  The same on all ranks of a job. */
typedef struct irr_transport_caps {
    const char *name;
    int         tag_bits;            /* low bits of a tag that are matched */
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

    /* A message of count pieces, in their order; 0 pieces make an empty message. */
    irr_status_t (*send)(irr_transport_t *transport, irr_peer_t *peer, uint64_t tag, const irr_iov_t *iov,
                         size_t count, irr_form_t form, irr_request_t *request);

    /*
     * Receives the next message with exactly this tag.  A message longer than the pieces ends in
     * IRR_ERR_TRUNCATE and writes nothing outside them; a shorter one leaves the rest untouched.
     */
    irr_status_t (*recv)(irr_transport_t *transport, uint64_t tag, const irr_iov_t *iov, size_t count,
                         irr_form_t form, irr_request_t *request);

    /*
     * IRR_OK, the tag and the length if an unexpected message is here whose tag has the bits of `tag` where
     * mask has ones; it is then taken out of matching.  Of one sender and tag, the first one sent is found
     * first.  IRR_IN_PROGRESS if none is here yet.  May progress the transport.
     */
    irr_status_t (*probe)(irr_transport_t *transport, uint64_t tag, uint64_t mask, irr_message_t *message);

    /* Receives what probe found, with the rules of recv.  The message is consumed in every case. */
    irr_status_t (*recv_message)(irr_transport_t *transport, const irr_message_t *message, const irr_iov_t *iov,
                                 size_t count, irr_form_t form, irr_request_t *request);

    /*
     * Asks for a pending receive to end: `done` follows, here or in progress, with IRR_ERR_CANCELED unless the
     * receive was matched already.
     */
    void (*cancel)(irr_transport_t *transport, irr_request_t *request);

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
     * IRR_ERR_CANCELED.  drain: progress until it returns IRR_OK (IRR_IN_PROGRESS until then).  free: releases
     * everything; each process that can still send to this one must have drained.  A request that is pending by then
     * is never done, and what it needs must live until free has returned.
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

/* ---- the transports; study/fabric.h has more ---- */

/* UCX: see transport/ucx.c.  Opens context and worker; reads only tls, devices, one_node and the rank numbers. */
irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p);

#endif
