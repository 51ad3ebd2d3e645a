/*
 * ucx.h - private to the ucx transport: its state, shared by ucx.c, ucx_endpoint.c, ucx_message.c and
 * ucx_datatype.c.
 */
#ifndef IRR_UCX_H
#define IRR_UCX_H

#include "transport/transport.h"

#include <ucp/api/ucp.h>

/* An endpoint to one process; opened by the first send. */
struct irr_peer {
    irr_peer_t *next;       /* of the transport's list */
    ucp_ep_h    endpoint;   /* NULL while not open */
    void       *closing;    /* UCX's request while the endpoint is being closed */
    size_t      length;
    char        address[];
};

typedef struct irr_ucx {
    irr_transport_t  super;
    ucp_context_h    context;
    ucp_worker_h     worker;
    ucp_address_t   *address;
    size_t           address_length;
    ucp_datatype_t   gather;
    irr_peer_t      *peers;
    uint64_t         endpoints;
    uint64_t         bytes_gathered;
    bool             closed;
    int              event_fd;
} irr_ucx_t;

/* Where a gather callback is in its list of pieces; buffer argument of the gather datatype. */
typedef struct irr_ucx_cursor {
    const irr_iov_t *iov;
    size_t           count;
    size_t           total;   /* at most IRR_SINK_BYTES */
    size_t           index;   /* current piece */
    size_t           start;   /* offset of its first byte in the message */
    uint64_t        *copied;  /* counts the bytes that the callbacks copy, not those that they drop */
} irr_ucx_cursor_t;

/* What a pending request keeps in irr_request_t.reserved. */
typedef struct irr_ucx_slot {
    void            *handle;  /* UCX's request, for cancel */
    bool             inside;  /* our call that posts this receive has not returned */
    bool             over;    /* UCX called back meanwhile, with this status */
    irr_status_t     status;
    irr_ucx_cursor_t cursor;
} irr_ucx_slot_t;

_Static_assert(sizeof(irr_ucx_slot_t) <= sizeof(((irr_request_t *)0)->reserved), "slot must fit the request");

static inline irr_ucx_t *irr_ucx_of(irr_transport_t *transport)
{
    return (irr_ucx_t *)transport;
}

/* The one place where UCX's status becomes ours. */
irr_status_t irr_ucx_status(ucs_status_t status);

/*
 * Lists of up to so many bytes are tried as a short message first: gathered on the stack and copied into the queue
 * of the receiver, which UCX does with contiguous memory alone.  A little below what our queue elements hold.
 */
#define IRR_UCX_GATHER_MAX 344

/* ucx_datatype.c */
irr_status_t irr_ucx_gather_create(ucp_datatype_t *datatype_p);
void irr_ucx_cursor_init(irr_ucx_cursor_t *cursor, const irr_iov_t *iov, size_t count, uint64_t *copied);
void irr_ucx_gather(const irr_iov_t *iov, size_t count, char *to);

/* ucx_endpoint.c */
irr_status_t irr_ucx_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);
irr_status_t irr_ucx_reach(irr_transport_t *transport, irr_peer_t *peer);
void irr_ucx_close(irr_transport_t *transport);
irr_status_t irr_ucx_drain(irr_transport_t *transport);
void irr_ucx_free_peers(irr_ucx_t *ucx);

/* ucx_message.c */
irr_status_t irr_ucx_send(irr_transport_t *transport, irr_peer_t *peer, uint64_t tag, const irr_iov_t *iov,
                          size_t count, irr_form_t form, irr_request_t *request);
irr_status_t irr_ucx_recv(irr_transport_t *transport, uint64_t tag, const irr_iov_t *iov, size_t count,
                          irr_form_t form, irr_request_t *request);
irr_status_t irr_ucx_probe(irr_transport_t *transport, uint64_t tag, uint64_t mask, irr_message_t *message);
irr_status_t irr_ucx_recv_message(irr_transport_t *transport, const irr_message_t *message, const irr_iov_t *iov,
                                  size_t count, irr_form_t form, irr_request_t *request);
void irr_ucx_cancel(irr_transport_t *transport, irr_request_t *request);

#endif
