/*
 * signals.h - the signals and waits of one rank when a schedule runs with pacing sync.
 *
 * Two messages of different steps that share a link must not use the link at the same time (order/tree/syncs.h).  A
 * signal takes time to travel, and the link would be idle during this time.  A rank therefore sends a signal early: the
 * first n receives count as complete when all their bytes except the last `lead` bytes have arrived.  At most `lead`
 * bytes then share the link with the next message.  Ranks may have different leads.  Whatever the leads are, no rank
 * waits for a message of a later step.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SIGNALS_H
#define IRR_SIGNALS_H

#include "order/tree/syncs.h"
#include "irr.h"

/* A signal to a peer.  It is sent when the first `received` receives of this rank are complete. */
typedef struct irr_signal {
    size_t received;
    int    peer;
} irr_signal_t;

/*
 * A wait before send number `send`, counted from 0.  If `peer` is another rank, the send waits for a signal of that
 * rank.  If `peer` is the sending rank itself, the send waits for its first `received` receives.
 */
typedef struct irr_wait {
    size_t send;
    int    peer;
    size_t received;
} irr_wait_t;

/* Zeroed: empty. */
typedef struct irr_signals {
    irr_signal_t *signals;   /* sorted by `received` */
    size_t       nsignals;
    irr_wait_t *waits;      /* sorted by `send`; the waits for a peer are in the order of the peer's signals to this
                               rank */
    size_t       nwaits;
} irr_signals_t;

/*
 * Builds the signals and waits of a rank.  syncs: the synchronisations of the schedule; own: the result of
 * irr_schedule_own for the rank.  The caller frees *made_p with irr_signals_fini.  O(n + P) time and memory.  May
 * return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_signals_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                               const irr_schedule_t *own, uint64_t lead, irr_signals_t *made_p);
void         irr_signals_fini(irr_signals_t *signals);

#endif
