/*
 * irr_spy.h - a transport that passes everything on to another one, watches it, and refuses the n-th operation.
 *
 * Sends are followed until they are complete, so the spy knows what is in flight and sees when a window is
 * exceeded.  What it refused it can hand over later, so that the peers of a failed rank come to their end.
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
    struct irr_spy_watch *watches;       /* of sends in flight */
    size_t           in_flight, in_flight_max;  /* sends, and the most there ever were */
    size_t           bytes_in_flight;
    size_t           window_messages, window_bytes;  /* limits to watch; 0: none */
    bool             exceeded;           /* more than one send in flight, and above a limit */
    size_t           refuse_send, refuse_recv;       /* number of the operation to refuse, from 1; 0: none */
    irr_status_t     refusal;            /* what it returns then */
    bool             unreachable;        /* reach says so of every peer */
    irr_status_t     connects_end;       /* not IRR_OK: connect returns it */
    size_t           busy_discards;      /* so many more return IRR_IN_PROGRESS, whatever there is to discard */

    /* Not NULL: sees each send before it starts. */
    void           (*on_send)(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count);
    void            *context;

    /* The send that was refused, for irr_spy_repair. */
    irr_request_t    request;
    irr_channel_t   *channel;
    irr_iov_t        message;            /* a copy of what was to be sent */
    bool             refused, repairing;
} irr_spy_t;

/* The spy owns inner: freeing one as a transport frees both. */
irr_spy_t *irr_spy_create(irr_transport_t *inner);

/* Is a send of some inner transport running now?  So a test tells whose allocations are whose. */
bool irr_spy_sends_now(void);

/* Sends what was refused. */
void irr_spy_repair(irr_spy_t *spy);

#endif
