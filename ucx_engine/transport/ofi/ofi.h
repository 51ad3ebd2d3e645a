/*
 * ofi.h - private to transport/ofi/: the state of the transport, shared by the files of this folder.
 */
#ifndef IRR_OFI_H
#define IRR_OFI_H

#include "transport/transport.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

/* Requested version of libfabric: the oldest one whose providers were tested. */
#define IRR_OFI_VERSION FI_VERSION(1, 17)

/* The functions of libfabric that are symbols (names in library.c). Its other functions are in the objects it makes. */
typedef struct irr_ofi_library {
    int            (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
                              const struct fi_info *hints, struct fi_info **info);
    void           (*freeinfo)(struct fi_info *info);
    struct fi_info *(*dupinfo)(const struct fi_info *info);
    int            (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
    const char    *(*strerror)(int error);
    uint32_t       (*version)(void);
} irr_ofi_library_t;

typedef struct irr_ofi_op irr_ofi_op_t;
typedef struct irr_ofi_line irr_ofi_line_t;

/* A line: operations that libfabric could not take yet (-FI_EAGAIN), in order. The transport lists lines in use. */
struct irr_ofi_line {
    irr_ofi_op_t   *first, **last;
    irr_ofi_line_t *next;
    bool            listed;
};

/* A process. Its address gets an entry in libfabric's address table with the first send. */
struct irr_peer {
    irr_peer_t    *next;      /* in the list of the transport */
    fi_addr_t      to;        /* FI_ADDR_NOTAVAIL without an entry in the address table */
    irr_ofi_line_t line;      /* sends that wait */
    size_t         length;
    char           address[];
};

/* The purpose of an operation. */
typedef enum irr_ofi_kind {
    IRR_OFI_SEND,
    IRR_OFI_RECV,
    IRR_OFI_SINK    /* discards one message */
} irr_ofi_kind_t;

/* A pending send, receive or sink: state that does not fit into a request. */
struct irr_ofi_op {
    struct fi_context2 context;   /* for libfabric; returned with the completion */
    irr_request_t     *request;   /* NULL: nobody waits for the operation */
    irr_ofi_kind_t     kind;
    irr_ofi_op_t      *next;      /* in a line, or in the list of finished or of free operations */
    irr_ofi_line_t    *line;      /* the line in which it waits; NULL: none */
    irr_ofi_op_t     **at;        /* pointer to it in the line */
    bool               waits;     /* waits for its turn in its queue, unknown to libfabric */
    bool               queued;    /* in the queue of its key (queue.c) */
    irr_ofi_op_t      *ahead, *behind;
    irr_ofi_op_t      *last, *next_queue;   /* of the first operation of a queue: its last one, and the next queue */
    irr_ofi_op_t      *later, **link;   /* pending receives of a channel; link NULL: not in this list */
    fi_addr_t          to;
    uint64_t           key, ignore, flags;
    const irr_iov_t   *iov;       /* pieces of the request */
    size_t             count;
    irr_iov_t          whole;     /* what is posted instead of the pieces, if .base is set */
    void              *buffer;    /* from irr_ofi_buffer_take, or NULL */
    size_t             kept;      /* bytes of the whole message that are sent, or that have a place */
    size_t             posted;    /* bytes that libfabric may read or write now */
    irr_ofi_line_t    *home;      /* the line for when libfabric cannot take it */
    size_t             done;      /* bytes of the fragments that are over */
    size_t             room;      /* send: its length; receive: longest message it accepts; sink: its number */
    size_t             bytes;     /* length of the received message, or of its last fragment */
    irr_status_t       status;
};

/* Bits of a key for the tag, and for the mark of later fragments (fragment.c). */
#define IRR_OFI_TAG_BITS (1 + IRR_CHANNEL_TAG_BITS)

/* A sink discards the messages that some bits of their keys select, one at a time. */
typedef struct irr_ofi_sink {
    enum { IRR_OFI_FREE, IRR_OFI_BUSY, IRR_OFI_TOOK, IRR_OFI_EMPTY } state;
    uint64_t key, ignore;
} irr_ofi_sink_t;

#define IRR_OFI_SINKS 16

/* Number of lists of queues. A rank that exchanges with thousands of others, or in small pieces, has many receives. */
#define IRR_OFI_QUEUES_LOG 12
#define IRR_OFI_QUEUES     (1 << IRR_OFI_QUEUES_LOG)

/* Free buffers are kept by the logarithm of their length, from 4 KiB to 4 MiB. Longer ones are freed. */
#define IRR_OFI_BUFFER_LOG_MIN 12
#define IRR_OFI_BUFFER_LOG_MAX 22

typedef struct irr_ofi {
    irr_transport_t          super;
    const irr_ofi_library_t *library;
    struct fi_info          *info;
    struct fid_fabric       *fabric;
    struct fid_domain       *domain;
    struct fid_av           *av;
    struct fid_cq           *cq;
    struct fid_ep           *ep;
    void                    *address;       /* address for peers (peer.c) */
    size_t                   address_length;
    int                      rank_bits;     /* bits of the rank in a key */
    size_t                   inject_max;    /* longest send that is copied at once, in bytes */
    size_t                   fragment_max;  /* longest message of libfabric, in bytes; the same on all ranks */
    int                      event_fd;
    irr_peer_t              *peers;
    uint64_t                 endpoints, bytes_gathered;
    bool                     closed;
    irr_ofi_line_t           receives;      /* receives that wait */
    irr_ofi_line_t          *lines;         /* list of lines that may not be empty */
    irr_ofi_op_t            *queues[IRR_OFI_QUEUES];
    bool                     orphans;       /* fragments may arrive whose message has no receive any more */
    irr_ofi_op_t            *finished, **finished_last;   /* operations whose `done` is due, in order */
    uint64_t                 sends;         /* sends not over, also those without a request */
    uint64_t                 recvs, recvs_many;   /* receives not over; above recvs_many each one queues (fragment.c) */
    uint64_t                 draining, quiet_ns;   /* value of `sends` when drain last saw it change, and the time */
    uint64_t                 live;          /* operations in use */
    unsigned                 looks;         /* calls of progress without operations */
    struct irr_ofi_slab     *slabs;         /* memory of all operations */
    size_t                   ops;           /* number of operations */
    irr_ofi_op_t            *free_ops;
    void                    *free_buffers[IRR_OFI_BUFFER_LOG_MAX + 1];
    size_t                   kept;          /* bytes of free buffers */
    irr_ofi_sink_t           sinks[IRR_OFI_SINKS];
    char                     scrap[64];     /* target of bytes that are not wanted */
} irr_ofi_t;

typedef struct irr_ofi_channel {
    irr_channel_t super;
    irr_ofi_op_t *pending;   /* receives */
} irr_ofi_channel_t;

static inline irr_ofi_t *irr_ofi_of(irr_transport_t *transport)
{
    return (irr_ofi_t *)transport;
}

/* library.c: loads libfabric, once per process. Returns IRR_ERR_NOT_SUPPORTED, reported to the user, without it. */
irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p);

/* provider.c: finds the provider and domain that the configuration names, or the best. freeinfo frees *info_p. */
irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p);

/* Returns the number of tag bits that a provider matches. */
int irr_ofi_tag_bits(const struct fi_info *info);

/* ofi.c: converts an error of libfabric, of either sign. */
irr_status_t irr_ofi_status(ssize_t error);

/*
 * op.c: take operations and buffers from free lists; NULL: no memory. `ends`: the operation will end soon without
 * action of other ranks. irr_ofi_op_put also frees the buffer of the operation.
 */
irr_ofi_op_t *irr_ofi_op_take(irr_ofi_t *ofi, irr_ofi_kind_t kind, bool ends, irr_request_t *request);
void irr_ofi_op_put(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Makes sure that at least `count` operations exist, in use or not. */
irr_status_t irr_ofi_ops_reserve(irr_ofi_t *ofi, size_t count);
void *irr_ofi_buffer_take(irr_ofi_t *ofi, size_t bytes);
void irr_ofi_buffer_put(irr_ofi_t *ofi, void *buffer);
void irr_ofi_ops_free(irr_ofi_t *ofi);

/* post.c: passes operations to libfabric, at once or in progress. */
void irr_ofi_line_init(irr_ofi_line_t *line);
/* Returns IRR_IN_PROGRESS if the operation will be finished once, or an error. *posted: libfabric has it. */
irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* Queues an operation that progress will pass to libfabric. */
void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line);
void irr_ofi_retry(irr_ofi_t *ofi);
/* Sets the scrap buffer for a receive that keeps nothing. Without a buffer, rxm 1.17 never ends a long one. */
void irr_ofi_take_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Asks for a receive to end. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* fragment.c: starts an operation, in fragments if the message is long, and in turn if there are many receives. */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* Returns true if another fragment follows a fragment of this length. */
bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes);
/* Returns the bit of a key that marks later fragments. */
uint64_t irr_ofi_fragment_bit(const irr_ofi_t *ofi);
/* Returns the memory of the fragment that is next or under way. */
irr_iov_t irr_ofi_fragment(irr_ofi_t *ofi, const irr_ofi_op_t *op);
/*
 * Handles the end of a fragment: true if another one was started, else sets *status and op->bytes for the whole
 * message.
 */
bool irr_ofi_goes_on(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status);
/* Removes an operation from its queue; the next one of its key may start. */
void irr_ofi_end_turn(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* queue.c: appends an operation to the queue of its key. Returns true if it is the first. */
bool irr_ofi_queue_join(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Removes an operation from its queue, if any. Returns the operation that is first now if that changed, or NULL. */
irr_ofi_op_t *irr_ofi_queue_leave(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Returns true if a receive is pending whose key equals `key` outside the bits of `ignore`. */
bool irr_ofi_is_awaited(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore);

/* complete.c */
void irr_ofi_finish(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status);
/* Takes completions from libfabric. Returns the number of operations. */
unsigned irr_ofi_collect(irr_ofi_t *ofi);
unsigned irr_ofi_progress(irr_transport_t *transport);

/* peer.c */
irr_status_t irr_ofi_make_address(irr_ofi_t *ofi);
irr_status_t irr_ofi_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);
irr_status_t irr_ofi_reach(irr_transport_t *transport, irr_peer_t *peer);
void irr_ofi_free_peers(irr_ofi_t *ofi);

/* channel.c */
irr_status_t irr_ofi_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  irr_peer_t *const *members, irr_channel_t **channel_p);
void irr_ofi_close_channel(irr_channel_t *channel);
void irr_ofi_abandon(irr_channel_t *channel);
irr_status_t irr_ofi_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);
bool irr_ofi_discards(const irr_ofi_t *ofi);
void irr_ofi_discarded(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* message.c */
uint64_t irr_ofi_key(const irr_ofi_t *ofi, uint32_t id, uint16_t tag, int from);
irr_status_t irr_ofi_send(irr_channel_t *channel, irr_request_t *request);
irr_status_t irr_ofi_recv(irr_channel_t *channel, irr_request_t *request);
/* Removes a receive from the list of its channel. */
void irr_ofi_unlink(irr_ofi_op_t *op);
/* Copies received bytes from the buffer to the pieces. */
void irr_ofi_scatter(irr_ofi_t *ofi, const irr_ofi_op_t *op, size_t bytes);

#endif
