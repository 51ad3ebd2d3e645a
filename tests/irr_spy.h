/*
 * irr_spy.h - a transport that forwards all operations to another transport, watches them, and refuses the n-th
 * operation.
 *
 * The spy follows sends until they are complete, so it knows the sends in flight and detects an exceeded window.
 */
#ifndef IRR_SPY_H
#define IRR_SPY_H

#include "transport/pass.h"

enum { IRR_SPY_ROOM = 64 };

typedef struct irr_spy {
    union {
        irr_transport_t super;           /* a test may change its caps before use */
        irr_pass_t      pass;
    };
    size_t           connects, sends, recvs;
    size_t           recvs_at_send;      /* number of receives posted before the first send */
    struct irr_spy_watch *watches;       /* the sends in flight */
    size_t           in_flight, in_flight_max;  /* number of sends in flight, and its maximum */
    size_t           bytes_in_flight;
    size_t           window_messages, window_bytes;  /* limits that the spy checks; 0: no limit */
    bool             exceeded;           /* a limit was exceeded with more than one send in flight */
    size_t           refuse_send, refuse_recv;       /* number of the operation to refuse, from 1; 0: none */
    irr_status_t     refusal;            /* status of the refused operation */
    bool             refused;            /* a send was refused */
    bool             unreachable;        /* the operation `reach` returns IRR_ERR_UNREACHABLE for every peer */
    irr_status_t     connects_end;       /* if not IRR_OK, the operation `connect` returns this status */
    size_t           busy_discards;      /* number of calls of discard from now on that return IRR_IN_PROGRESS */

    /* Called before each send starts, unless NULL. */
    void           (*on_send)(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count);
    /*
     * Called before each send with a copy of the message, unless NULL. May change the tag, the bytes, and the length by
     * up to IRR_SPY_ROOM bytes. If it returns true, the changed message is sent twice.
     */
    bool           (*change)(void *context, uint16_t *tag, unsigned char *bytes, size_t *length);
    void            *context;
} irr_spy_t;

/* Creates a spy, which owns inner. Freeing the spy as a transport also frees inner. */
irr_spy_t *irr_spy_create(irr_transport_t *inner);

/* Filters for irr_memory_fail: true if a send of an inner transport allocates, or if the engine allocates. */
bool irr_spy_sends_now(void);
bool irr_spy_engine_allocates(void);

#endif
