/*
 * ofi.h - private to the ofi transport: its state, shared by the files of this folder.
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

/* What is asked of libfabric: the oldest version whose providers were tried. */
#define IRR_OFI_VERSION FI_VERSION(1, 17)

/* The functions of libfabric that are symbols (library.c has their names); others are in the objects that it makes. */
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
 * Operations that wait, in their order, for libfabric, which could not take them yet (-FI_EAGAIN).  The line is in the
 * transport's list if there may be any.
 */
struct irr_ofi_line {
    irr_ofi_op_t   *first, **last;
    irr_ofi_line_t *next;
    bool            listed;
};

/* A process by its address; it gets its place in the table of addresses with the first send. */
struct irr_peer {
    irr_peer_t    *next;      /* of the transport's list */
    fi_addr_t      to;        /* FI_ADDR_NOTAVAIL while it has none */
    irr_ofi_line_t line;      /* of sends */
    size_t         length;
    char           address[];
};

/* What an operation is for. */
typedef enum irr_ofi_kind {
    IRR_OFI_SEND,
    IRR_OFI_RECV,
    IRR_OFI_SINK    /* throws one message away */
} irr_ofi_kind_t;

/* A send or receive that is pending: more than a request has room for. */
struct irr_ofi_op {
    struct fi_context2 context;   /* libfabric's own; comes back with the completion */
    irr_request_t     *request;   /* NULL: its owner does not wait */
    irr_ofi_kind_t     kind;
    irr_ofi_op_t      *next;      /* in a line, of those that are finished, or of those that are free */
    irr_ofi_line_t    *line;      /* it waits there; NULL: it does not wait for libfabric */
    irr_ofi_op_t     **at;        /* what points to it there */
    bool               waits;     /* for its turn in its queue; libfabric does not know of it */
    bool               queued;    /* in the queue of its key (queue.c): */
    irr_ofi_op_t      *ahead, *behind;
    irr_ofi_op_t      *last, *next_queue;   /* of the first one: the last one, and another queue */
    irr_ofi_op_t      *later, **link;   /* of the receives that are pending on its channel; link NULL: not there */
    fi_addr_t          to;
    uint64_t           key, ignore, flags;
    const irr_iov_t   *iov;       /* the pieces of its owner */
    size_t             count;
    irr_iov_t          whole;     /* what is posted instead, if .base is set */
    void              *buffer;    /* of irr_ofi_buffer_take, or NULL */
    size_t             kept;      /* bytes of the whole message that are sent, or may be written */
    size_t             posted;    /* bytes that libfabric may read or write */
    irr_ofi_line_t    *home;      /* the line where it waits for libfabric */
    size_t             done;      /* bytes of the parts that are over */
    size_t             room;      /* of a send: its bytes; of a receive: those of the longest message that it takes; of
                                     a sink: its number */
    size_t             bytes;     /* of the message that came, or of its last part */
    irr_status_t       status;
};

/* Of a key: the bit that later parts of a message have (part.c), and the tag. */
#define IRR_OFI_TAG_BITS (1 + IRR_CHANNEL_TAG_BITS)

/* Throws away the messages that some bits of their keys select: one at a time. */
typedef struct irr_ofi_sink {
    enum { IRR_OFI_FREE, IRR_OFI_BUSY, IRR_OFI_TOOK, IRR_OFI_EMPTY } state;
    uint64_t key, ignore;
} irr_ofi_sink_t;

#define IRR_OFI_SINKS 16

/*
 * Lists of queues.  A rank has some thousand receives at once if it exchanges with as many others, or in small pieces.
 */
#define IRR_OFI_QUEUES_LOG 12
#define IRR_OFI_QUEUES     (1 << IRR_OFI_QUEUES_LOG)

/* Free buffers by the logarithm of their length, which is 4 KiB to 4 MiB; longer ones are not kept. */
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
    void                    *address;       /* what peers are told; see peer.c */
    size_t                   address_length;
    int                      rank_bits;     /* of a key */
    size_t                   inject_max;    /* bytes that a send may take from its owner at once */
    size_t                   part_max;      /* bytes that libfabric is given at once; alike on all ranks */
    int                      event_fd;
    irr_peer_t              *peers;
    uint64_t                 endpoints, bytes_gathered;
    bool                     closed;
    irr_ofi_line_t           receives;      /* receives that wait */
    irr_ofi_line_t          *lines;         /* all that may have something in them */
    irr_ofi_op_t            *queues[IRR_OFI_QUEUES];
    bool                     orphans;       /* there may be parts whose message has no receive any more */
    irr_ofi_op_t            *finished, **finished_last;   /* `done` is due, in this order */
    uint64_t                 sends;         /* that are not over, also those that nobody waits for */
    uint64_t                 recvs, recvs_many;   /* that are not over; and so many that each has to wait for those of
                                                     its key */
    uint64_t                 draining, quiet_ns;   /* sends when drain looked last, and since when they are so many */
    uint64_t                 live;          /* operations in use */
    unsigned                 looks;         /* of progress while there were none */
    struct irr_ofi_slab     *slabs;         /* memory of all operations */
    size_t                   ops;           /* how many there are */
    irr_ofi_op_t            *free_ops;
    void                    *free_buffers[IRR_OFI_BUFFER_LOG_MAX + 1];
    size_t                   kept;          /* bytes of free buffers */
    irr_ofi_sink_t           sinks[IRR_OFI_SINKS];
    char                     scrap[64];     /* where that goes which nobody wants */
} irr_ofi_t;

typedef struct irr_ofi_channel {
    irr_channel_t super;
    irr_ofi_op_t *pending;   /* receives */
} irr_ofi_channel_t;

static inline irr_ofi_t *irr_ofi_of(irr_transport_t *transport)
{
    return (irr_ofi_t *)transport;
}

/* library.c: loads libfabric, once a process.  IRR_ERR_NOT_SUPPORTED, told to the user, where there is none. */
irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p);

/* provider.c: the provider and domain that the configuration names, or the best; the caller frees it by freeinfo. */
irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p);

/* Bits of a tag that it matches. */
int irr_ofi_tag_bits(const struct fi_info *info);

/* ofi.c: what libfabric's error, of either sign, is here. */
irr_status_t irr_ofi_status(ssize_t error);

/*
 * op.c: operations and buffers, from what is kept; NULL if memory is short.  `ends`: it is over soon, whatever other
 * ranks do.  A buffer of irr_ofi_op_put goes with it.
 */
irr_ofi_op_t *irr_ofi_op_take(irr_ofi_t *ofi, irr_ofi_kind_t kind, bool ends, irr_request_t *request);
void irr_ofi_op_put(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Makes so many, in use or not. */
irr_status_t irr_ofi_ops_reserve(irr_ofi_t *ofi, size_t count);
void *irr_ofi_buffer_take(irr_ofi_t *ofi, size_t bytes);
void irr_ofi_buffer_put(irr_ofi_t *ofi, void *buffer);
void irr_ofi_ops_free(irr_ofi_t *ofi);

/* post.c: hands operations to libfabric, those that it cannot take yet in progress. */
void irr_ofi_line_init(irr_ofi_line_t *line);
/* IRR_IN_PROGRESS: it will be finished, once; or an error.  *posted: libfabric has it. */
irr_status_t irr_ofi_post(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* The same, but libfabric is asked in progress. */
void irr_ofi_post_later(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line);
void irr_ofi_retry(irr_ofi_t *ofi);
/* A receive that keeps nothing has scrap: without any room rxm 1.17 never ends it if the message is a long one. */
void irr_ofi_take_scrap(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Asks for a receive to end. */
void irr_ofi_cancel(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* part.c: the same as irr_ofi_post, however long the message is, and however many receives there are. */
irr_status_t irr_ofi_start(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_ofi_line_t *line, bool *posted);
/* Is a part of so many bytes followed by another one? */
bool irr_ofi_is_followed(const irr_ofi_t *ofi, size_t bytes);
/* The bit of a key that all parts have but the first. */
uint64_t irr_ofi_part_bit(const irr_ofi_t *ofi);
/* The part that is next, or under way. */
irr_iov_t irr_ofi_part(irr_ofi_t *ofi, const irr_ofi_op_t *op);
/* A part is over; is another one under way?  Otherwise so is all, with *status and op->bytes of all. */
bool irr_ofi_goes_on(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t *status);
/* It is over: the next one of its key goes on. */
void irr_ofi_end_turn(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* queue.c: is it the first of its key? */
bool irr_ofi_queue_join(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* The one that is the first now, or NULL; nothing happens if it is in no queue. */
irr_ofi_op_t *irr_ofi_queue_leave(irr_ofi_t *ofi, irr_ofi_op_t *op);
/* Is a receive pending that such a key selects? */
bool irr_ofi_is_awaited(const irr_ofi_t *ofi, uint64_t key, uint64_t ignore);

/* complete.c */
void irr_ofi_finish(irr_ofi_t *ofi, irr_ofi_op_t *op, irr_status_t status);
/* Takes what is complete from libfabric; the number of operations. */
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
void irr_ofi_sunk(irr_ofi_t *ofi, irr_ofi_op_t *op);

/* message.c */
uint64_t irr_ofi_key(const irr_ofi_t *ofi, uint32_t id, uint16_t tag, int from);
irr_status_t irr_ofi_send(irr_channel_t *channel, irr_request_t *request);
irr_status_t irr_ofi_recv(irr_channel_t *channel, irr_request_t *request);
/* It is no longer pending on its channel. */
void irr_ofi_unlink(irr_ofi_op_t *op);
/* Hands the bytes that a receive was posted for to the pieces of its owner. */
void irr_ofi_scatter(irr_ofi_t *ofi, const irr_ofi_op_t *op, size_t bytes);

#endif
