/* ofi.h - private to transport/ofi/: the state of the transport. */
#ifndef IRR_OFI_H
#define IRR_OFI_H

#include "transport/transport.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

/* Oldest supported version of libfabric: the providers of older versions were not tested. */
#define IRR_OFI_VERSION FI_VERSION(1, 17)

/* The functions that library.c looks up by name. All others are inline, and call pointers in libfabric's objects. */
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
typedef struct irr_ofi_backlog irr_ofi_backlog_t;

/* A backlog: operations that libfabric could not accept yet (-FI_EAGAIN), in order. */
struct irr_ofi_backlog {
    irr_ofi_op_t      *first, **last;
    irr_ofi_backlog_t *next;
    bool               listed;   /* true: in irr_ofi_t.backlogs */
};

/* A process of the job. The first send to it adds its address to libfabric's address table. */
struct irr_peer {
    irr_peer_t       *next;      /* in the list of the transport */
    fi_addr_t         to;        /* entry in the address table; FI_ADDR_NOTAVAIL: no entry */
    irr_ofi_backlog_t backlog;   /* sends that libfabric could not accept yet */
    size_t            length;
    char              address[];
};

/* The purpose of an operation. */
typedef enum irr_ofi_kind {
    IRR_OFI_SEND,
    IRR_OFI_RECV,
    IRR_OFI_SINK    /* receive that discards one message */
} irr_ofi_kind_t;

/* A pending operation: the state that does not fit into a request. A long message travels in fragments (fragment.c). */
struct irr_ofi_op {
    struct fi_context2 context;   /* libfabric returns the address of this member with the completion */
    irr_request_t     *request;   /* NULL: no caller waits for the operation */
    irr_ofi_kind_t     kind;
    irr_ofi_op_t      *next;      /* next operation in a backlog, or in irr_ofi_t.finished or .free_ops */
    irr_ofi_backlog_t *backlog;   /* backlog that contains the operation; NULL: none */
    irr_ofi_op_t     **at;        /* the pointer in the backlog that points to this operation */
    bool               queued;    /* true: in a queue, the list of pending operations with the same key (queue.c) */
    bool               waits;     /* true: not passed to libfabric, because operations ahead in the queue are pending */
    irr_ofi_op_t      *ahead, *behind;   /* neighbours in the queue */
    irr_ofi_op_t      *last, *next_queue;   /* only in the first operation of a queue: last operation of the queue, and
                                               first operation of the next queue in the hash table */
    irr_ofi_op_t      *later, **link;   /* in irr_ofi_channel_t.pending: next receive, and the pointer to this one
                                           (NULL: not in the list) */
    fi_addr_t          to;
    uint64_t           key, ignore, flags;
    const irr_iov_t   *iov;       /* `count` pieces of the request */
    size_t             count;
    irr_iov_t          whole;     /* contiguous memory that libfabric gets instead of the pieces; .base NULL: none */
    void              *buffer;    /* from irr_ofi_buffer_take: memory of `whole`; NULL: none */
    size_t             kept;      /* send: length of the message; receive: number of bytes that are not discarded */
    size_t             posted;    /* length of the memory that libfabric has for the current fragment */
    irr_ofi_backlog_t *home;      /* backlog to join if libfabric cannot accept the operation */
    size_t             done;      /* total length of the finished fragments (fragment.c) */
    size_t             room;      /* send: length of the message; receive: length of the longest message that the pieces
                                     can take; sink: index in irr_ofi_t.sinks */
    size_t             bytes;     /* length of the received message, or of its last received fragment */
    irr_status_t       status;
};

/* Number of bits of a key (message.c) for the tag, and for the mark of later fragments (fragment.c). */
#define IRR_OFI_TAG_BITS (1 + IRR_CHANNEL_TAG_BITS)

/*
 * A sink discards messages, one at a time, whose keys equal `key` except for the bits in `ignore`. BUSY: its receive is
 * pending. MATCHED: its receive has discarded a message. EMPTY: its receive was cancelled, because no message had
 * arrived.
 */
typedef struct irr_ofi_sink {
    enum { IRR_OFI_FREE, IRR_OFI_BUSY, IRR_OFI_MATCHED, IRR_OFI_EMPTY } state;
    uint64_t key, ignore;
} irr_ofi_sink_t;

#define IRR_OFI_SINKS 16

/* Size of the hash table of queues (queue.c). A rank may have thousands of queues, for example one for each rank. */
#define IRR_OFI_QUEUES_LOG 12
#define IRR_OFI_QUEUES     (1 << IRR_OFI_QUEUES_LOG)

/* Freed buffers of 4 KiB to 4 MiB are kept for reuse, in lists by the logarithm of their length. */
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
    void                    *address;       /* address that other processes get (peer.c) */
    size_t                   address_length;
    int                      rank_bits;     /* number of bits of a rank in a key */
    size_t                   inject_max;    /* longest message, in bytes, that libfabric copies during the call
                                               that sends it, which completes the send */
    size_t                   fragment_max;  /* length of a fragment in bytes; equal on all ranks */
    int                      event_fd;
    irr_peer_t              *peers;
    uint64_t                 endpoints, bytes_gathered;
    bool                     closed;
    irr_ofi_backlog_t        receives;      /* receives that libfabric could not accept yet */
    irr_ofi_backlog_t       *backlogs;      /* all backlogs that have operations; may also have empty ones */
    irr_ofi_op_t            *queues[IRR_OFI_QUEUES];
    bool                     orphans;       /* fragments may still arrive for a message whose receive has ended */
    irr_ofi_op_t            *finished, **finished_last;   /* ended operations, in order; progress calls their `done` */
    uint64_t                 sends;         /* number of pending sends, with or without a request */
    uint64_t                 recvs;         /* number of pending receives */
    uint64_t                 recvs_many;    /* above this number of receives, only the first receive of each key is
                                               posted (fragment.c) */
    uint64_t                 draining, quiet_ns;   /* value of `sends` in the last call of drain, and the time at which
                                                      drain last saw a change */
    uint64_t                 live;          /* number of operations that are not free */
    unsigned                 idle_calls;    /* number of calls of progress while no operation was pending */
    struct irr_ofi_slab     *slabs;         /* memory of all operations */
    size_t                   ops;           /* number of operations */
    irr_ofi_op_t            *free_ops;
    void                    *free_buffers[IRR_OFI_BUFFER_LOG_MAX + 1];
    size_t                   kept;          /* total length of kept free buffers in bytes */
    irr_ofi_sink_t           sinks[IRR_OFI_SINKS];
    char                     scrap[64];     /* libfabric writes discarded bytes here */
} irr_ofi_t;

typedef struct irr_ofi_channel {
    irr_channel_t super;
    irr_ofi_op_t *pending;   /* receives */
} irr_ofi_channel_t;

static inline irr_ofi_t *irr_ofi_of(irr_transport_t *transport)
{
    return (irr_ofi_t *)transport;
}

/* library.c: loads libfabric. On failure reports an error to the user and returns IRR_ERR_NOT_SUPPORTED. */
irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p);

/*
 * provider.c: selects provider and domain. If no provider is suitable, reports an error to the user and returns
 * IRR_ERR_NOT_SUPPORTED. The caller frees *info_p with freeinfo.
 */
irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p);

/* Returns the number of bits of a key that the provider compares when it matches messages with receives. */
int irr_ofi_tag_bits(const struct fi_info *info);

/* ofi.c: converts an error of libfabric, which may be positive or negative. */
irr_status_t irr_ofi_status(ssize_t error);

/*
 * op.c: operations and buffers, allocated from free lists. The functions return NULL if memory is missing. ends: the
 * operation ends without action of another rank, so it may use the reserve of operations. irr_ofi_op_put also frees the
 * buffer of the operation.
 */
irr_ofi_op_t *irr_ofi_op_take(irr_ofi_t *ofi, irr_ofi_kind_t kind, bool ends, irr_request_t *request);
void irr_ofi_op_put(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Makes sure that at least `count` operations exist, in use or free. */
irr_status_t irr_ofi_ops_reserve(irr_ofi_t *ofi, size_t count);
void *irr_ofi_buffer_take(irr_ofi_t *ofi, size_t bytes);
void irr_ofi_buffer_put(irr_ofi_t *ofi, void *buffer);
void irr_ofi_ops_free(irr_ofi_t *ofi);

/* post.c: passes operations to libfabric. */
void irr_ofi_backlog_init(irr_ofi_backlog_t *backlog);
/* Passes an operation to libfabric (*posted true), or appends it to a backlog. Returns IRR_IN_PROGRESS or an error. */
irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog, bool *posted);
/* Appends an operation to a backlog; progress passes it to libfabric. */
void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog);
/* Passes the operations of all backlogs to libfabric, as far as it accepts them. */
void irr_ofi_retry(irr_ofi_t *ofi);
/*
 * Makes irr_ofi_t.scrap the memory of a receive that discards all bytes. If a receive without memory gets a long
 * message, rxm (a part of libfabric) 1.17 never ends the receive.
 */
void irr_ofi_use_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Cancels a receive. The receive ends now, or in a later call of progress. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* fragment.c: starts an operation of any length. *posted and the result have the same meaning as in irr_ofi_post. */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_backlog_t *backlog, bool *posted);
/* Returns true if a fragment of this length is not the last one of its message. */
bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes);
/* Returns the bit that is set in the keys of all fragments except the first. */
uint64_t irr_ofi_fragment_bit(const irr_ofi_t *ofi);
/* Returns the memory of the current fragment of an operation. */
irr_iov_t irr_ofi_fragment(irr_ofi_t *ofi, const irr_ofi_op_t *op);
/*
 * Handles the end of a fragment. Returns true if the next fragment was started. Otherwise the operation has ended: sets
 * *status and op->bytes for the whole message.
 */
bool irr_ofi_continue(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status);
/* Removes an operation from its queue. If the next operation of the queue waits (op->waits), starts it. */
void irr_ofi_start_next(irr_ofi_t *ofi, irr_ofi_op_t *op);

/*
 * queue.c: a queue has all operations of one key. irr_ofi_queue_join appends an operation to the queue of its key, and
 * returns true if the operation is the first one.
 */
bool irr_ofi_queue_join(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Removes an operation from its queue, if it is in one. Returns the new first operation if it was the first one. */
irr_ofi_op_t *irr_ofi_queue_leave(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Returns true if a receive is pending whose key equals `key` except for the bits in `ignore`. */
bool irr_ofi_is_awaited(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore);

/* complete.c: ends a fragment, and its operation if no fragment follows. Progress calls `done` of the operation. */
void irr_ofi_finish(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status);
/* Reads completions from libfabric. Returns the number of operations that have ended. */
unsigned irr_ofi_collect(irr_ofi_t *ofi);
unsigned irr_ofi_progress(irr_transport_t *transport);

/* peer.c */
irr_status_t irr_ofi_make_address(irr_ofi_t *ofi);
irr_status_t irr_ofi_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p);
irr_status_t irr_ofi_reach(irr_transport_t *transport, irr_peer_t *peer);
void irr_ofi_free_peers(irr_ofi_t *ofi);

/* channel.c */
irr_status_t irr_ofi_open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                  const irr_page_t *pages, irr_channel_t **channel_p);
void irr_ofi_close_channel(irr_channel_t *channel);
void irr_ofi_abandon(irr_channel_t *channel);
irr_status_t irr_ofi_discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count);
bool irr_ofi_discards(const irr_ofi_t *ofi);
void irr_ofi_discarded(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* message.c */
uint64_t irr_ofi_key(const irr_ofi_t *ofi, uint32_t id, uint16_t tag, int from);
irr_status_t irr_ofi_send(irr_channel_t *channel, irr_request_t *request);
irr_status_t irr_ofi_recv(irr_channel_t *channel, irr_request_t *request);
void irr_ofi_unlink(irr_ofi_op_t *op);
/* Copies received bytes from the buffer of an operation to its pieces. */
void irr_ofi_scatter(irr_ofi_t *ofi, const irr_ofi_op_t *op, size_t bytes);

#endif
