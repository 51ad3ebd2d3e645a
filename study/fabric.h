/*
 * fabric.h - transports for study: a fabric of ranks in one process, and a transport that does harm to another one.
 */
#ifndef IRR_FABRIC_H
#define IRR_FABRIC_H

#include "transport/transport.h"

/*
 * Loopback: the ranks of a fabric live in one process and one thread, each with a transport of its own.
 * Deterministic: the same calls with the same seed deliver in the same order.  seed 0 delivers in the order
 * sent; any other seed reorders what the contract lets overtake.  Messages above eager_max complete at the
 * sender only when they are matched, as a rendezvous does.
 */
typedef struct irr_fabric irr_fabric_t;

irr_status_t irr_fabric_create(int ranks, uint64_t seed, size_t eager_max, irr_fabric_t **fabric_p);

/* Frees what is still on the wire; the transports of the fabric must be freed before. */
void irr_fabric_destroy(irr_fabric_t *fabric);

/* Its caps may be lowered before it is used: it refuses what they do not promise. */
irr_status_t irr_loopback_open(irr_fabric_t *fabric, int rank, irr_transport_t **transport_p);

/*
 * Fault: passes everything on to another transport, but some sends later and some not at all; see study/fault.c.
 * Sends and receives are numbered from 1; number 0 is none.  Rounds are calls of progress.
 */
typedef struct irr_fault {
    uint64_t     seed;          /* of hold_percent and hold_rounds; the same calls with it end the same way */
    unsigned     hold_percent;  /* chance that a send is held back, from 0 to 100 */
    size_t       hold_rounds;   /* it is held for 1 to so many rounds */
    size_t       delay_send;    /* the send that is held for exactly delay_rounds */
    size_t       delay_rounds;  /* SIZE_MAX: until close */
    size_t       fail_send;     /* the send that fails: at once, or in `done` if it is held or waits for one */
    size_t       fail_recv;     /* the receive that fails, at once */
    irr_status_t failure;       /* what the two end in; an error */
} irr_fault_t;

/*
 * Owns inner from success on: freeing the one frees both.  IRR_ERR_BAD_PARAM if the plan has a failure that is no
 * error, a hold or delay of no rounds, or a chance above 100.
 */
irr_status_t irr_fault_open(irr_transport_t *inner, const irr_fault_t *plan, irr_transport_t **transport_p);

#endif
