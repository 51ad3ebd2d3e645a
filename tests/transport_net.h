/*
 * transport_net.h - a few connected transports of one kind in one process, for the conformance suite.
 *
 * Only one thread uses the functions of this file. The thread progresses all transports one after the other.
 */
#ifndef IRR_TRANSPORT_NET_H
#define IRR_TRANSPORT_NET_H

#include "study/fabric.h"

#define IRR_NET_RANKS 3
#define IRR_NET_ID    0xfffe   /* id of the channel */
#define IRR_NET_TAG   0x4000   /* the highest bit of a tag */
#define IRR_NET_MASK  0x7fff   /* all bits of a tag */

/* A method to open transports, supplied by the test program. */
typedef struct irr_opener {
    bool                loopback;     /* true: transports of a loopback fabric; false: transports that `config` opens */
    bool                shuffled;     /* the fabric delivers in an order drawn from irr_test_seed */
    uint64_t            seed;         /* seed and eager_max as for irr_fabric_create */
    size_t              eager_max;
    irr_engine_config_t config;

    /*
     * Wraps or changes the open transports; NULL: no change. IRR_ERR_NOT_SUPPORTED and IRR_ERR_UNREACHABLE skip the
     * case, as they do in irr_transport_open.
     */
    irr_status_t (*wrap)(irr_transport_t *transports[IRR_NET_RANKS]);

    /* Opens the transports; NULL: `loopback` or `config` opens them. */
    irr_status_t (*open)(irr_transport_t *transports[IRR_NET_RANKS]);
} irr_opener_t;

typedef struct irr_net {
    const irr_opener_t *opener;
    irr_fabric_t       *fabric;      /* NULL: none */
    irr_transport_t   *transports[IRR_NET_RANKS];
    irr_peer_t        *peers[IRR_NET_RANKS][IRR_NET_RANKS];  /* [from][to] */
    irr_page_t         pages[IRR_NET_RANKS];                 /* the peers of each rank */
    irr_channel_t     *channels[IRR_NET_RANKS];              /* a channel of all ranks, open at each rank */
    bool               closed[IRR_NET_RANKS];
} irr_net_t;

/* A message in memory: pieces between guard bytes that must not change. */
typedef struct irr_list {
    irr_iov_t     *iov;
    size_t         count;
    size_t         bytes;
    unsigned char *memory;
    size_t         size;
} irr_list_t;

/* A request with its status. */
typedef struct irr_op irr_op_t;

struct irr_op {
    irr_request_t request;
    irr_status_t  status;             /* IRR_IN_PROGRESS while pending */
    void        (*then)(irr_op_t *);  /* called in `done`; NULL: none */
    void         *context;
};

/*
 * Opens a transport for each rank. On an error no transport is open. The configurations of the ranks differ only in the
 * numbers of ranks.
 */
irr_status_t irr_net_open_transports(irr_engine_config_t config, irr_transport_t *transports[IRR_NET_RANKS]);

/*
 * Opens the transports of an opener. On an error no transport is open. The caller destroys the fabric after the
 * transports.
 */
irr_status_t irr_net_open_with(const irr_opener_t *opener, irr_transport_t *transports[IRR_NET_RANKS],
                               irr_fabric_t **fabric);

/* Opens and connects the transports. Returns false if the case is skipped or has failed; the case must then end. */
bool irr_net_open(irr_net_t *net, const irr_opener_t *opener);

/* Opens a net, runs a test on the net, and closes the net. A skipped case does not run. */
void irr_net_run(const irr_opener_t *opener, void (*run)(irr_net_t *net));

/* The head of a test case. The statements that follow run on the open net `net`. */
#define IRR_NET_TEST(function, opener, text)                     \
    static void function(irr_net_t *net);                         \
    IRR_TEST_CALL(function, text, irr_net_run(opener, function))      \
    static void function(irr_net_t *net)

/* Closes a transport, and progresses until the transport is drained. irr_net_close then skips the transport. */
void irr_net_drain(irr_net_t *net, int rank);

/* Closes, drains and frees all transports. */
void irr_net_close(irr_net_t *net);

/* Connects a rank to another rank, or to itself. */
irr_status_t irr_net_connect(irr_net_t *net, int from, int to);

/* irr_net_progress_one progresses one transport once. irr_net_progress progresses all transports once. */
void irr_net_progress_one(irr_net_t *net, int rank);
void irr_net_progress(irr_net_t *net);

/* Progresses long enough for an unwanted event to happen. */
void irr_net_idle(irr_net_t *net);

/* Both functions post an operation and set op->status. They do not change `then` and `context`. */
void irr_net_send(irr_net_t *net, int from, int to, uint16_t tag, const irr_list_t *list, irr_form_t form,
                  irr_op_t *op);
void irr_net_recv(irr_net_t *net, int at, int from, uint16_t tag, const irr_list_t *list, irr_form_t form,
                  irr_op_t *op);
/*
 * irr_net_open_channel opens another channel at a rank, or opens a closed channel again. irr_net_close_channel closes a
 * channel, which may call `done`.
 */
void irr_net_open_channel(irr_net_t *net, int at, uint16_t id, irr_channel_t **channel);
void irr_net_close_channel(irr_channel_t *channel);

/* Abandons the channel of a rank. */
void irr_net_abandon(irr_net_t *net, int at);

/* Cancels the sends of a rank on its channel by irr_channel_take_back. */
void irr_net_take_back(irr_net_t *net, int at);

/*
 * Both functions discard unexpected messages at a rank and return their number. irr_net_discard discards the messages
 * that have arrived after some progress. irr_net_discard_all progresses until it has discarded at least `wanted`
 * messages.
 */
size_t irr_net_discard(irr_net_t *net, int at, uint16_t id, uint16_t tag, uint16_t mask);
size_t irr_net_discard_all(irr_net_t *net, int at, uint16_t id, uint16_t tag, uint16_t mask, size_t wanted);

/* Returns true if a message of `pieces` pieces can be sent and received in this form. */
bool irr_net_takes(const irr_net_t *net, irr_form_t form, size_t pieces);

/* Progresses until the operation is complete. */
void irr_net_wait(irr_net_t *net, irr_op_t *op);

/* Sends one list into another and checks every byte. recv_first: the receive is posted before the send. */
void irr_net_exchange(irr_net_t *net, int sender, irr_list_t *from, irr_form_t send_form, int receiver,
                      irr_list_t *to, irr_form_t recv_form, bool recv_first);

/* Like irr_net_exchange, with two contiguous lists of `bytes` bytes. */
void irr_net_exchange_bytes(irr_net_t *net, int sender, int receiver, size_t bytes, bool recv_first);

/*
 * irr_net_endpoints returns the number of open endpoints of a rank. irr_net_gathered returns the number of bytes that
 * its gather callbacks have copied.
 */
uint64_t irr_net_endpoints(irr_net_t *net, int rank);
uint64_t irr_net_gathered(irr_net_t *net, int rank);

/* ---- messages in memory ---- */

void irr_list_open(irr_list_t *list, const size_t *lengths, size_t count);
void irr_list_open_even(irr_list_t *list, size_t count, size_t length);
void irr_list_close(irr_list_t *list);

/* Fills a list with the bytes of the message of this seed. */
void irr_list_fill(irr_list_t *list, uint64_t seed);

/*
 * Returns true if the list begins with `bytes` bytes of the message of this seed, and all other bytes are unchanged
 * since irr_list_open.
 */
bool irr_list_holds(const irr_list_t *list, uint64_t seed, size_t bytes);

/* Returns true if all guard bytes are unchanged since irr_list_open. */
bool irr_list_guarded(const irr_list_t *list);

/* ---- one message, with both ends ---- */

typedef struct irr_msg {
    int        from, to;
    uint16_t   tag;
    irr_form_t form;
    uint64_t   seed;            /* seed of the bytes of the message */
    irr_list_t source, target;
    irr_op_t   send, recv;
} irr_msg_t;

/* Makes a message of `bytes` bytes in one piece for a receive of `room` bytes. */
void irr_msg_open(irr_msg_t *msg, int from, int to, uint16_t tag, uint64_t seed, size_t bytes, size_t room);

/*
 * irr_msg_send fills the message and posts its send. irr_msg_recv posts its receive. irr_msg_post does both;
 * recv_first: first the receive.
 */
void irr_msg_send(irr_net_t *net, irr_msg_t *msg);
void irr_msg_recv(irr_net_t *net, irr_msg_t *msg);
void irr_msg_post(irr_net_t *net, irr_msg_t *msg, bool recv_first);

/*
 * Waits for both ends, checks the result and the bytes, and releases the message. A receive that has no room for the
 * message must be truncated.
 */
void irr_msg_finish(irr_net_t *net, irr_msg_t *msg);
void irr_msg_close(irr_msg_t *msg);

#endif
