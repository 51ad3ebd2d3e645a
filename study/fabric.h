/*
 * fabric.h - two transports (implementations of the interface that moves messages) for tests and tools: loopback,
 * between ranks of one process, and fault, which wraps another transport to delay messages and to let them fail.
 */
#ifndef IRR_FABRIC_H
#define IRR_FABRIC_H

#include "transport/transport.h"

/*
 * Loopback: a fabric connects ranks in one process and one thread; each rank has its own transport.  If a program
 * repeats its calls with the same seed, messages are delivered in the same order.  With seed 0 this is the order in
 * which they were sent.  With any other seed, messages overtake each other where the contract of transports allows it
 * (transport/transport.h).  A message longer than eager_max bytes is a rendezvous: its send completes only when the
 * message matches a receive.
 */
typedef struct irr_fabric irr_fabric_t;

irr_status_t irr_fabric_create(int ranks, uint64_t seed, size_t eager_max, irr_fabric_t **fabric_p);

/* Frees the fabric and its undelivered messages.  The caller must free the transports of the fabric first. */
void irr_fabric_destroy(irr_fabric_t *fabric);

/*
 * Opens the transport of a rank.  The caller may lower the limits in transport->caps before use.  The transport refuses
 * messages that exceed these limits.  Returns IRR_ERR_BAD_PARAM if the rank has an open transport or is not in the
 * fabric.
 */
irr_status_t irr_loopback_open(irr_fabric_t *fabric, int rank, irr_transport_t **transport_p);

/*
 * Fault: a wrapper that delays some sends and lets other sends and receives fail (study/fault.c).  Sends and receives
 * are numbered from 1 in the order of their calls; number 0 selects none.  A round is a call of progress.
 */
typedef struct irr_fault {
    uint64_t     seed;          /* of the random delays; equal calls with equal seeds have equal results */
    unsigned     hold_percent;  /* chance that a send is delayed, from 0 to 100 */
    size_t       hold_rounds;   /* a delayed send waits for 1 to hold_rounds rounds */
    size_t       delay_send;    /* number of a send that waits for exactly delay_rounds */
    size_t       delay_rounds;  /* SIZE_MAX: until the transport is closed */
    size_t       fail_send;     /* number of a send that fails: at once, or by its callback `done` if it is held */
    size_t       fail_recv;     /* number of a receive that fails at once */
    irr_status_t failure;       /* error of the failing send and receive */
} irr_fault_t;

/*
 * Wraps the transport `inner`, and owns it on success: freeing the wrapper frees both.  Returns IRR_ERR_BAD_PARAM if
 * plan->failure is no error, a hold or delay has no rounds, or a chance is above 100.
 */
irr_status_t irr_fault_open(irr_transport_t *inner, const irr_fault_t *plan, irr_transport_t **transport_p);

#endif
