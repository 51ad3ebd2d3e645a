/*
 * fabric.h - transports for study: a fabric of ranks in one process, and a wrapper that delays and fails messages.
 */
#ifndef IRR_FABRIC_H
#define IRR_FABRIC_H

#include "transport/transport.h"

/*
 * Loopback: the ranks of a fabric live in one process and one thread, each with a transport of its own.  Deterministic:
 * the same calls with the same seed deliver in the same order.  Seed 0 delivers in the order sent.  With any other seed
 * messages overtake each other where the contract of transports allows it.  A message longer than eager_max bytes is a
 * rendezvous: it completes at its sender only when it is matched.
 */
typedef struct irr_fabric irr_fabric_t;

irr_status_t irr_fabric_create(int ranks, uint64_t seed, size_t eager_max, irr_fabric_t **fabric_p);

/* Frees the fabric and the messages on its wires.  The caller has freed its transports before. */
void irr_fabric_destroy(irr_fabric_t *fabric);

/*
 * Opens the transport of a rank.  The caller may lower the transport's caps before use; it refuses messages above
 * them.
 */
irr_status_t irr_loopback_open(irr_fabric_t *fabric, int rank, irr_transport_t **transport_p);

/*
 * Fault: a wrapper that delays some sends and fails others (study/fault.c).  Sends and receives are numbered from 1;
 * number 0 is none.  A round is a call of progress.
 */
typedef struct irr_fault {
    uint64_t     seed;          /* for hold_percent and hold_rounds; equal calls with equal seeds have equal results */
    unsigned     hold_percent;  /* chance that a send is delayed, from 0 to 100 */
    size_t       hold_rounds;   /* a delayed send waits for 1 to hold_rounds rounds */
    size_t       delay_send;    /* number of a send that waits for exactly delay_rounds */
    size_t       delay_rounds;  /* SIZE_MAX: until close */
    size_t       fail_send;     /* number of a send that fails: at once, or in `done` if an earlier send delays it */
    size_t       fail_recv;     /* number of a receive that fails at once */
    irr_status_t failure;       /* error of the failing send and receive */
} irr_fault_t;

/*
 * Wraps the transport `inner`, and owns it on success: freeing the wrapper frees both.  Returns IRR_ERR_BAD_PARAM if
 * plan->failure is no error, a hold or delay has no rounds, or a chance is above 100.
 */
irr_status_t irr_fault_open(irr_transport_t *inner, const irr_fault_t *plan, irr_transport_t **transport_p);

#endif
