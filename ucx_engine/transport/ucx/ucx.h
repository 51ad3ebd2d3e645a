/* ucx.h - private to transport/ucx/: the state of the transport. */
#ifndef IRR_UCX_H
#define IRR_UCX_H

#include "transport/transport.h"

#include <ucp/api/ucp.h>
#include <ucs/debug/debug.h>

/*
 * The functions of UCX that this transport calls, through the pointers in irr_ucx. The linker does not bind them,
 * because UCX is loaded when the transport is opened (library.c).
 */
#define IRR_UCX_FUNCTIONS(F)                                                                              \
    F(ucs_debug_disable_signal) F(ucs_status_string)                                                      \
    F(ucp_cleanup) F(ucp_config_modify) F(ucp_config_read) F(ucp_config_release) F(ucp_dt_create_generic) \
    F(ucp_dt_destroy) F(ucp_ep_close_nbx) F(ucp_ep_create) F(ucp_get_version) F(ucp_init_version)         \
    F(ucp_request_cancel) F(ucp_request_check_status) F(ucp_request_free) F(ucp_tag_msg_recv_nbx)         \
    F(ucp_tag_probe_nb) F(ucp_tag_recv_nbx) F(ucp_tag_send_nbx) F(ucp_worker_arm) F(ucp_worker_create)    \
    F(ucp_worker_destroy) F(ucp_worker_get_address) F(ucp_worker_get_efd) F(ucp_worker_progress)          \
    F(ucp_worker_release_address)

typedef struct irr_ucx_library {
#define IRR_UCX_POINTER(function) __typeof__(function) *function;
    IRR_UCX_FUNCTIONS(IRR_UCX_POINTER)
#undef IRR_UCX_POINTER
} irr_ucx_library_t;

extern irr_ucx_library_t irr_ucx;

/* A process of the job. The first send opens its endpoint, the connection of UCX. */
struct irr_peer {
    irr_peer_t *next;       /* in the list of the transport */
    ucp_ep_h    endpoint;   /* NULL: not open */
    void       *closing;    /* UCX's request while the endpoint is being closed */
    size_t      length;
    char        address[];
};

/* The request of a receive that discards one unexpected message. */
typedef struct irr_ucx_sink {
    irr_request_t request;
    bool          busy;
} irr_ucx_sink_t;

#define IRR_UCX_SINKS 4   /* number of messages that may be discarded concurrently */

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
    size_t           sending;    /* pending sends */
    struct irr_ucx  *kept;       /* next in the list of transports whose contexts were kept (ucx.c) */
    irr_ucx_sink_t   sinks[IRR_UCX_SINKS];
    bool             closed;
    int              event_fd;
} irr_ucx_t;

/* A position in the pieces of a request, for the callbacks of the gather datatype. */
typedef struct irr_ucx_cursor {
    size_t    index;   /* current piece */
    size_t    start;   /* offset in the message of the first byte of this piece */
    uint64_t *copied;  /* counter of copied bytes; discarded bytes do not count */
} irr_ucx_cursor_t;

typedef struct irr_ucx_slot irr_ucx_slot_t;

/* The state of a pending request, in irr_request_t.reserved. */
struct irr_ucx_slot {
    irr_ucx_slot_t  *next;    /* next pending receive of the channel */
    irr_ucx_slot_t **link;    /* pointer to this slot in the list of pending receives; NULL: not in the list */
    union {
        void        *handle;  /* UCX's request, for cancelling a receive */
        size_t      *sending; /* counter of the pending sends of the transport */
    };
    bool             inside;  /* the call of UCX that posts this receive is running */
    bool             over;    /* the receive has ended during that call, with `status` */
    irr_status_t     status;
    irr_ucx_cursor_t cursor;
};

_Static_assert(sizeof(irr_ucx_slot_t) <= sizeof(((irr_request_t *)0)->reserved), "slot must fit the request");

typedef struct irr_ucx_channel {
    irr_channel_t   super;
    irr_ucx_slot_t *pending;   /* receives */
} irr_ucx_channel_t;

static inline irr_ucx_slot_t *irr_ucx_slot_of(irr_request_t *request)
{
    return (irr_ucx_slot_t *)request->reserved;
}

static inline irr_ucx_t *irr_ucx_of(irr_transport_t *transport)
{
    return (irr_ucx_t *)transport;
}

/* Converts a status of UCX. */
irr_status_t irr_ucx_status(ucs_status_t status);

/*
 * UCX has a fast path for short contiguous messages: it copies them into the queue of the receiver. The transport
 * therefore copies a list of at most this many bytes to the stack, and tries to send the copy by the fast path. The
 * limit is slightly less than the size of a queue element.
 */
#define IRR_UCX_GATHER_MAX 1000

/* library.c: loads UCX unless it is loaded, which takes some milliseconds. May return IRR_ERR_NOT_SUPPORTED. */
irr_status_t irr_ucx_load(void);

/* room.c: returns IRR_ERR_NOT_SUPPORTED, and reports the error, if the limits of the process leave UCX too little. */
irr_status_t irr_ucx_has_room(void);

/* datatype.c: creates the gather datatype, by which UCX calls our functions to copy lists of pieces. */
irr_status_t irr_ucx_gather_create(ucp_datatype_t *datatype_p);

/*
 * Returns the buffer that UCX gets together with the gather datatype. The callbacks of the datatype then access the
 * pieces of this request, and add the number of copied bytes to *copied.
 */
void *irr_ucx_gather_begin(irr_request_t *request, uint64_t *copied);
void irr_ucx_gather(const irr_iov_t *iov, size_t count, char *to);

/* endpoint.c */
irr_status_t irr_ucx_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);
irr_status_t irr_ucx_reach(irr_transport_t *transport, irr_peer_t *peer);
void irr_ucx_close(irr_transport_t *transport);
irr_status_t irr_ucx_drain(irr_transport_t *transport);
void irr_ucx_free_peers(irr_ucx_t *ucx);

/* channel.c */
irr_status_t irr_ucx_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  const irr_page_t *pages, irr_channel_t **channel_p);
void irr_ucx_close_channel(irr_channel_t *channel);
void irr_ucx_abandon(irr_channel_t *channel);
irr_status_t irr_ucx_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);
bool irr_ucx_discards(const irr_ucx_t *ucx);

/* message.c */
irr_status_t irr_ucx_send(irr_channel_t *channel, irr_request_t *request);
irr_status_t irr_ucx_recv(irr_channel_t *channel, irr_request_t *request);
/* Receives and discards the message `handle`, which ucp_tag_probe_nb has removed from the unexpected messages. */
irr_status_t irr_ucx_drop(irr_ucx_t *ucx, void *handle, irr_request_t *request);

#endif
