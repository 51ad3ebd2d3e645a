/*
 * signals.h - what one rank tells others, and waits for, when a schedule runs with the pace `sync`.
 *
 * Two messages of different steps that share a link must not meet there (order/tree/syncs.h).  Signals need time, in
 * which a wire would idle: so a rank counts a receive as over when all but `lead` bytes of what it receives up to
 * there are here.  The lead is the rank's own affair; it moves the bytes that may meet on a link, and makes nobody
 * wait for something later.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SIGNALS_H
#define IRR_SIGNALS_H

#include "order/tree/syncs.h"
#include "irr.h"

/* When so many of the receives, the first ones, are over, peer is told. */
typedef struct irr_tell {
    size_t received;
    int    peer;
} irr_tell_t;

/* A send, counted from 0, and all after it wait for a tell of peer; for so many receives, if that is the rank. */
typedef struct irr_await {
    size_t send;
    int    peer;
    size_t received;
} irr_await_t;

/* Zeroed is empty. */
typedef struct irr_signals {
    irr_tell_t  *tells;     /* by received */
    size_t       ntells;
    irr_await_t *awaits;    /* by send; what one peer tells another is in the order in which it is awaited */
    size_t       nawaits;
} irr_signals_t;

/*
 * schedule: with these syncs between its transmissions; own: what irr_schedule_own made of it for the rank.  The
 * caller's to irr_signals_fini.  O(n + P) time and memory.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_signals_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                               const irr_schedule_t *own, uint64_t lead, irr_signals_t *made_p);
void         irr_signals_fini(irr_signals_t *signals);

#endif
