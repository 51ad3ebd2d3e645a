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

/*
 * The functions of libfabric that are symbols of the library (library.c has the names). The objects that libfabric
 * creates hold its other functions.
 */
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

/*
 * A line: operations that libfabric could not accept yet (-FI_EAGAIN), in order. The transport has a list of the lines
 * in use.
 */
struct irr_ofi_line {
    irr_ofi_op_t   *first, **last;
    irr_ofi_line_t *next;
    bool            listed;
};

/* A process. The first send to the process adds its address to libfabric's address table. */
struct irr_peer {
    irr_peer_t    *next;      /* in the list of the transport */
    fi_addr_t      to;        /* entry in the address table; FI_ADDR_NOTAVAIL: no entry */
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
    irr_request_t     *request;   /* NULL: no caller waits for the operation */
    irr_ofi_kind_t     kind;
    irr_ofi_op_t      *next;      /* in a line, or in the list of finished or of free operations */
    irr_ofi_line_t    *line;      /* the line in which the operation waits; NULL: none */
    irr_ofi_op_t     **at;        /* pointer to the operation in the line */
    bool               waits;     /* waits for earlier operations of its queue, and is not posted */
    bool               queued;    /* in the queue of its key (queue.c) */
    irr_ofi_op_t      *ahead, *behind;
    irr_ofi_op_t      *last, *next_queue;   /* set in the first operation of a queue: the last operation of the queue,
                                               and the first operation of the next queue */
    irr_ofi_op_t      *later, **link;   /* pending receives of a channel; link NULL: not in this list */
    fi_addr_t          to;
    uint64_t           key, ignore, flags;
    const irr_iov_t   *iov;       /* pieces of the request */
    size_t             count;
    irr_iov_t          whole;     /* memory that is posted instead of the pieces, if .base is not NULL */
    void              *buffer;    /* from irr_ofi_buffer_take, or NULL */
    size_t             kept;      /* send: number of bytes of the message; receive: number of bytes that are kept */
    size_t             posted;    /* number of bytes that libfabric may read or write now */
    irr_ofi_line_t    *home;      /* the line to wait in if libfabric cannot accept the operation */
    size_t             done;      /* number of bytes of the finished fragments */
    size_t             room;      /* send: length; receive: length of the longest accepted message; sink: number of the
                                     sink */
    size_t             bytes;     /* length of the received message, or of its latest fragment */
    irr_status_t       status;
};

/* Number of bits of a key for the tag and for the mark of later fragments (fragment.c). */
#define IRR_OFI_TAG_BITS (1 + IRR_CHANNEL_TAG_BITS)

/* A sink discards messages one at a time. It discards messages whose keys equal `key` outside the bits of `ignore`. */
typedef struct irr_ofi_sink {
    enum { IRR_OFI_FREE, IRR_OFI_BUSY, IRR_OFI_TOOK, IRR_OFI_EMPTY } state;
    uint64_t key, ignore;
} irr_ofi_sink_t;

#define IRR_OFI_SINKS 16

/* Number of lists of queues. A rank has many receives if it exchanges with thousands of ranks, or in small pieces. */
#define IRR_OFI_QUEUES_LOG 12
#define IRR_OFI_QUEUES     (1 << IRR_OFI_QUEUES_LOG)

/* Free buffers are kept in classes by the logarithm of their length, from 4 KiB to 4 MiB. Longer buffers are freed. */
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
    int                      rank_bits;     /* number of bits of the rank in a key */
    size_t                   inject_max;    /* longest send in bytes that libfabric copies at once */
    size_t                   fragment_max;  /* longest message of libfabric in bytes; the same on all ranks */
    int                      event_fd;
    irr_peer_t              *peers;
    uint64_t                 endpoints, bytes_gathered;
    bool                     closed;
    irr_ofi_line_t           receives;      /* receives that libfabric could not accept yet */
    irr_ofi_line_t          *lines;         /* list of lines that may not be empty */
    irr_ofi_op_t            *queues[IRR_OFI_QUEUES];
    bool                     orphans;       /* fragments may arrive after the receive of their message has ended */
    irr_ofi_op_t            *finished, **finished_last;   /* operations whose `done` must be called, in order */
    uint64_t                 sends;         /* number of sends that are not over, with or without a request */
    uint64_t                 recvs, recvs_many;   /* number of receives that are not over; above recvs_many, each
                                                     receive joins a queue (fragment.c) */
    uint64_t                 draining, quiet_ns;   /* value of `sends` when drain last saw it change, and the time of
                                                      that change */
    uint64_t                 live;          /* number of operations in use */
    unsigned                 looks;         /* number of calls of progress without operations */
    struct irr_ofi_slab     *slabs;         /* memory of all operations */
    size_t                   ops;           /* number of operations */
    irr_ofi_op_t            *free_ops;
    void                    *free_buffers[IRR_OFI_BUFFER_LOG_MAX + 1];
    size_t                   kept;          /* total length of free buffers in bytes */
    irr_ofi_sink_t           sinks[IRR_OFI_SINKS];
    char                     scrap[64];     /* target of discarded bytes */
} irr_ofi_t;

typedef struct irr_ofi_channel {
    irr_channel_t super;
    irr_ofi_op_t *pending;   /* receives */
} irr_ofi_channel_t;

static inline irr_ofi_t *irr_ofi_of(irr_transport_t *transport)
{
    return (irr_ofi_t *)transport;
}

/*
 * library.c: loads libfabric once per process. If libfabric cannot be loaded, reports an error to the user and returns
 * IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p);

/*
 * provider.c: finds the provider and domain that the configuration names, or the best provider and domain. The caller
 * frees *info_p with freeinfo.
 */
irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p);

/* Returns the number of tag bits that a provider matches. */
int irr_ofi_tag_bits(const struct fi_info *info);

/* ofi.c: converts an error of libfabric, which may be positive or negative. */
irr_status_t irr_ofi_status(ssize_t error);

/*
 * op.c: the functions take operations and buffers from free lists, and return them to the lists. They return NULL if
 * there is no memory. ends: the operation will end soon without action of other ranks. irr_ofi_op_put also frees the
 * buffer of the operation.
 */
irr_ofi_op_t *irr_ofi_op_take(irr_ofi_t *ofi, irr_ofi_kind_t kind, bool ends, irr_request_t *request);
void irr_ofi_op_put(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Allocates operations until at least `count` operations exist, in use or free. */
irr_status_t irr_ofi_ops_reserve(irr_ofi_t *ofi, size_t count);
void *irr_ofi_buffer_take(irr_ofi_t *ofi, size_t bytes);
void irr_ofi_buffer_put(irr_ofi_t *ofi, void *buffer);
void irr_ofi_ops_free(irr_ofi_t *ofi);

/* post.c: passes operations to libfabric, at once or in progress. */
void irr_ofi_line_init(irr_ofi_line_t *line);
/*
 * Returns IRR_IN_PROGRESS if the operation will finish later, or an error. Sets *posted to true if libfabric has
 * accepted the operation.
 */
irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* Queues an operation that progress will pass to libfabric. */
void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line);
void irr_ofi_retry(irr_ofi_t *ofi);
/*
 * Sets the scrap buffer for a receive that keeps no bytes. Without a buffer, rxm 1.17 never ends the receive of a long
 * message.
 */
void irr_ofi_take_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Cancels a receive, which ends later. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op);

/*
 * fragment.c: starts an operation. A long message is divided into fragments. If there are many receives, receives of
 * one key are posted one at a time.
 */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* Returns true if another fragment follows a fragment of this length. */
bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes);
/* Returns the bit of a key that marks later fragments. */
uint64_t irr_ofi_fragment_bit(const irr_ofi_t *ofi);
/* Returns the memory of the current fragment. */
irr_iov_t irr_ofi_fragment(irr_ofi_t *ofi, const irr_ofi_op_t *op);
/*
 * Handles the end of a fragment. Returns true if the next fragment was started. Otherwise sets *status and op->bytes
 * for the whole message, and returns false.
 */
bool irr_ofi_goes_on(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status);
/* Removes an operation from its queue.  Starts the next operation of the queue if it waits for this one. */
void irr_ofi_start_next(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* queue.c: appends an operation to the queue of its key. Returns true if the operation is the first of the queue. */
bool irr_ofi_queue_join(irr_ofi_t *ofi, irr_ofi_op_t *op);
/*
 * Removes an operation from its queue, if it is in a queue. Returns the new first operation if the first operation was
 * removed, otherwise NULL.
 */
irr_ofi_op_t *irr_ofi_queue_leave(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Returns true if a receive is pending whose key equals `key` outside the bits of `ignore`. */
bool irr_ofi_is_awaited(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore);

/* complete.c */
void irr_ofi_finish(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status);
/* Takes completions from libfabric. Returns the number of completed operations. */
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
/* Removes a receive from the list of its channel. */
void irr_ofi_unlink(irr_ofi_op_t *op);
/* Copies received bytes from the buffer to the pieces. */
void irr_ofi_scatter(irr_ofi_t *ofi, const irr_ofi_op_t *op, size_t bytes);

#endif
