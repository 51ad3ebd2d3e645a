/*
 * irr_spy.h - a transport that forwards all operations to another one, watches them, and refuses the n-th one.
 *
 * The spy follows sends until they are complete, so it knows what is in flight and detects an exceeded window.  It can
 * pass on a refused send later, so that the peers of a failed rank finish.
 */
#ifndef IRR_SPY_H
#define IRR_SPY_H

#include "transport/pass.h"

typedef struct irr_spy {
    union {
        irr_transport_t super;           /* a test may change its caps before use */
        irr_pass_t      pass;
    };
    size_t           connects, sends, recvs;
    size_t           recvs_at_send;      /* receives posted before the first send */
    struct irr_spy_watch *watches;       /* the sends in flight */
    size_t           in_flight, in_flight_max;  /* sends in flight, and their maximum so far */
    size_t           bytes_in_flight;
    size_t           window_messages, window_bytes;  /* limits to watch; 0: none */
    bool             exceeded;           /* more than one send was in flight, above a limit */
    size_t           refuse_send, refuse_recv;       /* number of the operation to refuse, from 1; 0: none */
    irr_status_t     refusal;            /* status of the refused operation */
    bool             unreachable;        /* reach says that every peer is unreachable */
    irr_status_t     connects_end;       /* not IRR_OK: connect returns it */
    size_t           busy_discards;      /* number of further calls of discard that return IRR_IN_PROGRESS */

    /* Called before each send starts, unless NULL. */
    void           (*on_send)(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count);
    void            *context;

    /* The refused send, for irr_spy_repair. */
    irr_request_t    request;
    irr_channel_t   *channel;
    irr_iov_t        message;            /* a copy of its message */
    bool             refused, repairing;
} irr_spy_t;

/* Creates a spy, which owns inner.  Freeing the spy as a transport frees both. */
irr_spy_t *irr_spy_create(irr_transport_t *inner);

/* Returns true while a send of an inner transport runs, so that a test can attribute allocations. */
bool irr_spy_sends_now(void);

/* Sends the refused message. */
void irr_spy_repair(irr_spy_t *spy);

#endif
