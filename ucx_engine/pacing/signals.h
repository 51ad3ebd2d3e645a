/*
 * signals.h - the signals and waits of one rank when a schedule runs with pacing sync.
 *
 * Two messages of different steps that share a link must not collide there (order/tree/syncs.h).  Signals need time, in
 * which a link would idle.  A rank therefore counts a receive as over when all but `lead` bytes of its receives so far
 * have arrived.  Each rank may have its own lead, which determines how many bytes may collide on a link, and never
 * makes a rank wait for a later step.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SIGNALS_H
#define IRR_SIGNALS_H

#include "order/tree/syncs.h"
#include "irr.h"

/* A signal to a peer when the first `received` receives are over. */
typedef struct irr_signal {
    size_t received;
    int    peer;
} irr_signal_t;

/* A wait before send number `send`, from 0: for a signal of peer or, if peer is this rank, for its first receives. */
typedef struct irr_wait {
    size_t send;
    int    peer;
    size_t received;
} irr_wait_t;

/* Zeroed: empty. */
typedef struct irr_signals {
    irr_signal_t *signals;   /* by received */
    size_t       nsignals;
    irr_wait_t *waits;      /* by send; signals between two ranks have the same order in signals and waits */
    size_t       nwaits;
} irr_signals_t;

/*
 * Builds the signals and waits of a rank.  schedule: with its synchronisations; own: the result of irr_schedule_own for
 * the rank.  The caller frees *made_p with irr_signals_fini.  O(n + P) time and memory.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_signals_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                               const irr_schedule_t *own, uint64_t lead, irr_signals_t *made_p);
void         irr_signals_fini(irr_signals_t *signals);

#endif
